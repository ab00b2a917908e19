//! The context of a call of the C interface, from there to the wire: what ends it, its number, how many requests of it
//! were sent, and where its log goes. All requests of one call share it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::flow::log::{Level, Line, Log};
use crate::request::secrets::Secrets;
use crate::util::call_id::CallId;
use crate::wire::bounds::Bounds;
use crate::wire::call::CallToken;
use paysvc_spec::schema::{Doubt, Safety};

/// What is known about a call from its beginning, and how many requests of it have been sent; it survives a panic.
pub struct CallRecord {
    pub id: CallId,
    sent: AtomicU32,
    /// How many of these do more than read.
    changing: AtomicU32,
    /// The call does more than read, whether or not it has sent anything.
    changes: AtomicBool,
    /// What an UNKNOWN of the call means: a [`Doubt`].
    doubt: AtomicU8,
}

impl CallRecord {
    /// For a new call.
    pub fn new() -> CallRecord {
        let zero = || AtomicU32::new(0);
        CallRecord {
            id: CallId::new(),
            sent: zero(),
            changing: zero(),
            changes: AtomicBool::new(false),
            doubt: AtomicU8::new(Doubt::None as u8),
        }
    }

    pub fn doubt(&self) -> Doubt {
        Doubt::ALL[usize::from(self.doubt.load(Ordering::Relaxed))]
    }

    pub fn set_doubt(&self, doubt: Doubt) {
        self.doubt.store(doubt as u8, Ordering::Relaxed);
    }

    /// How many requests were sent, also those that only read.
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
pub struct CallContext<'a> {
    pub bounds: Bounds,
    pub record: &'a CallRecord,
    log: &'a Log,
    masked: Option<&'a Secrets>,
}

impl<'a> CallContext<'a> {
    /// `timeout`: for a call whose token has none.
    pub fn new(
        log: &'a Log,
        token: Option<Arc<CallToken>>,
        record: &'a CallRecord,
        timeout: Duration,
    ) -> CallContext<'a> {
        CallContext { bounds: Bounds::new(token, timeout), record, log, masked: None }
    }

    /// The same call, for a part of it that may take at most that long.
    pub fn within(&self, timeout: Duration) -> CallContext<'a> {
        CallContext { bounds: self.bounds.until(Instant::now() + timeout), ..*self }
    }

    /// The same call, with a different timeout if its token has none.
    pub fn with_timeout(&self, timeout: Duration) -> CallContext<'a> {
        CallContext { bounds: Bounds::new(self.bounds.token.clone(), timeout), ..*self }
    }

    /// The same call, about a request with these secrets.
    pub fn masking<'m>(&'m self, secrets: &'m Secrets) -> CallContext<'m> {
        CallContext { masked: Some(secrets), ..self.clone() }
    }

    /// The secrets of the earlier request that the call is about: nothing that it writes repeats one.
    pub fn masked(&self) -> Option<&Secrets> {
        self.masked
    }

    /// A line of the log about the call. It is built only if somebody receives it.
    pub fn log<'l, L: Into<Line<'l>>>(&self, level: Level, line: impl FnOnce() -> L) {
        self.log.line(self.record.id, self.bounds.token.as_deref(), level, line);
    }

    /// Whether somebody receives a line of this level.
    pub fn wants(&self, level: Level) -> bool {
        self.log.wants(self.bounds.token.as_deref(), level)
    }

    /// Reports progress to the caller; false if the caller wants to stop.
    pub fn report(&self, done: usize, total: usize, step_json: &str) -> bool {
        self.bounds.token.as_ref().is_none_or(|token| token.report_progress(done, total, step_json))
    }
}
