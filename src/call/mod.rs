//! A call of the C interface, from there to the wire and the journal: what ends it and each of its waits (a deadline or a
//! cancel), its number, how many requests of it were sent, and where its log goes. All requests of one call share it.
//!
//! Imports `util`, `json`, and of the systems what a cancel wakes.

pub mod log;
pub mod token;

use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use once_cell::race::OnceBox;

use self::log::{Level, Line, Log};
pub use self::token::CallToken;
use crate::util::unique::CallId;
use crate::wire::sys::{AttachedSocket, CANCEL_CHECK, Waker};
use paysvc_spec::schema::{Doubt, Safety};
use paysvc_spec::status::Status;

/// The limits that end a call.
#[derive(Clone)]
pub struct Bounds {
    pub deadline: Instant,
    /// `None`: nobody can cancel it.
    pub token: Option<Arc<CallToken>>,
    /// The rest of the work must be done after a cancel, too.
    outlasts_cancel: bool,
}

impl Bounds {
    /// From now on, for the token's timeout if it has one, otherwise for `timeout`.
    pub fn new(token: Option<Arc<CallToken>>, timeout: Duration) -> Bounds {
        let timeout = token.as_ref().and_then(|token| token.timeout()).unwrap_or(timeout);
        Bounds { deadline: Instant::now() + timeout, token, outlasts_cancel: false }
    }

    /// The same, except that it may end earlier.
    pub fn until(&self, deadline: Instant) -> Bounds {
        Bounds { deadline: deadline.min(self.deadline), ..self.clone() }
    }

    pub fn is_cancelled(&self) -> bool {
        !self.outlasts_cancel && self.token.as_ref().is_some_and(|token| token.is_cancelled())
    }

    /// Returns the reason why the call is over: cancelled, or deadline exceeded.
    pub fn ended(&self) -> Option<Status> {
        if self.is_cancelled() {
            return Some(Status::Cancelled);
        }
        (Instant::now() >= self.deadline).then_some(Status::Timeout)
    }

    pub fn is_over(&self) -> bool {
        self.ended().is_some()
    }

    pub fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Waits. Returns why the call is over, if it is.
    pub fn pause(&self, wait: Duration) -> Option<Status> {
        let until = self.deadline.min(Instant::now() + wait);
        match &self.token {
            Some(token) if !self.outlasts_cancel => _ = token.wait_until(until),
            _ => thread::sleep(until.saturating_duration_since(Instant::now())),
        }
        self.ended()
    }

    /// Returns the part of a wait that may pass before the next check, if a cancel cannot wake it.
    pub fn wait_to_check(&self, wait: Duration) -> Duration {
        if self.token.is_some() { wait.min(CANCEL_CHECK) } else { wait }
    }

    /// Returns the waker that a cancel uses.
    pub fn waker(&self) -> Option<&Waker> {
        self.token.as_ref().map(|token| token.waker())
    }

    /// Lets a cancel reach the socket. `None`: the call has been cancelled already.
    pub fn attach(&self, socket: &Arc<TcpStream>) -> Option<Option<AttachedSocket>> {
        match &self.token {
            Some(token) => token.attach(socket).map(Some),
            None => Some(None),
        }
    }

    /// From now on a cancel does not reach the socket.
    pub fn detach(&self, attached: Option<AttachedSocket>) {
        if let (Some(token), Some(attached)) = (&self.token, attached) {
            token.detach(attached);
        }
    }
}

/// The known facts of a call from its beginning, and the number of its requests sent; it survives a panic.
pub struct CallRecord {
    pub id: CallId,
    sent: AtomicU32,
    /// The number of these that do more than read.
    changing: AtomicU32,
    /// The call does more than read, whether or not it has sent anything.
    changes: AtomicBool,
    /// The meaning of an UNKNOWN of the call: a [`Doubt`].
    doubt: AtomicU8,
    /// The order that the call is about, for the log. Set once, and only if somebody receives lines.
    order: OnceBox<String>,
}

impl CallRecord {
    pub fn new() -> CallRecord {
        let zero = || AtomicU32::new(0);
        CallRecord {
            id: CallId::new(),
            sent: zero(),
            changing: zero(),
            changes: AtomicBool::new(false),
            doubt: AtomicU8::new(Doubt::None as u8),
            order: OnceBox::new(),
        }
    }

    pub fn doubt(&self) -> Doubt {
        Doubt::ALL[usize::from(self.doubt.load(Ordering::Relaxed))]
    }

    pub fn set_doubt(&self, doubt: Doubt) {
        self.doubt.store(doubt as u8, Ordering::Relaxed);
    }

    pub fn order(&self) -> Option<&str> {
        self.order.get().map(String::as_str)
    }

    /// Returns the number of requests sent, including those that only read.
    pub fn sent(&self) -> u32 {
        self.sent.load(Ordering::SeqCst)
    }

    /// The attempts of the reply. A call that does more than read does not count its status queries: the sum over all
    /// replies about an order must not be more than the requests that may have charged it.
    pub fn attempts(&self) -> u32 {
        let changing = self.changing.load(Ordering::SeqCst);
        if changing > 0 || self.changes.load(Ordering::SeqCst) { changing } else { self.sent() }
    }

    /// The call does more than read, so that status queries are not its attempts.
    pub fn set_changes(&self) {
        self.changes.store(true, Ordering::SeqCst);
    }

    /// Counts a request, if any byte of it was sent.
    pub fn count(&self, sent: bool, safety: Safety) {
        self.sent.fetch_add(u32::from(sent), Ordering::SeqCst);
        self.changing.fetch_add(u32::from(sent && safety != Safety::ReadOnly), Ordering::SeqCst);
    }
}

#[derive(Clone)]
pub struct Call<'a> {
    pub bounds: Bounds,
    pub record: &'a CallRecord,
    /// It asks for an order that is probably not there, so a line that none was found is for debugging.
    pub expects_nothing: bool,
    log: &'a Log,
}

impl<'a> Call<'a> {
    /// `timeout`: for a call whose token has none.
    pub fn new(log: &'a Log, token: Option<Arc<CallToken>>, record: &'a CallRecord, timeout: Duration) -> Call<'a> {
        Call { bounds: Bounds::new(token, timeout), record, expects_nothing: false, log }
    }

    /// The same call, for a part of it that may take at most that long.
    pub fn within(&self, timeout: Duration) -> Call<'a> {
        Call { bounds: self.bounds.until(Instant::now() + timeout), ..*self }
    }

    /// The same call, with a different timeout if its token has none.
    pub fn with_timeout(&self, timeout: Duration) -> Call<'a> {
        Call { bounds: Bounds::new(self.bounds.token.clone(), timeout), ..*self }
    }

    /// The same call, for a part of it that gets at least that long, also when the call's time is over or it was cancelled.
    pub fn at_least(&self, timeout: Duration) -> Call<'a> {
        let mut call = self.clone();
        call.bounds.outlasts_cancel = true;
        let least = Instant::now() + timeout;
        call.bounds.deadline = if self.bounds.is_cancelled() { least } else { call.bounds.deadline.max(least) };
        call
    }

    /// The same call, for a question about an order that is probably not there.
    pub fn expecting_nothing(&self) -> Call<'a> {
        Call { expects_nothing: true, ..self.clone() }
    }

    pub fn time_left(&self) -> Duration {
        self.bounds.time_left()
    }

    /// A line of the log about the call. It is built only if somebody receives it.
    pub fn log<'l, L: Into<Line<'l>>>(&self, level: Level, line: impl FnOnce() -> L) {
        self.log.line(self.record, self.bounds.token.as_deref(), level, line);
    }

    /// Names the order in the lines that follow; the first one stays. It is made only if somebody receives lines.
    pub fn name_order(&self, order: impl FnOnce() -> Option<String>) {
        if self.wants(Level::Error)
            && self.record.order.get().is_none()
            && let Some(order) = order()
        {
            // The first of two threads wins.
            let _ = self.record.order.set(Box::new(order));
        }
    }

    /// Returns whether somebody receives a line of this level.
    pub fn wants(&self, level: Level) -> bool {
        self.log.wants(self.bounds.token.as_deref(), level)
    }

    /// Reports progress to the caller; false if the caller wants to stop.
    pub fn report(&self, done: usize, total: usize, step_json: &str) -> bool {
        self.bounds.token.as_ref().is_none_or(|token| token.report_progress(done, total, step_json))
    }
}
