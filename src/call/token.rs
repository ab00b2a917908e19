//! The token of a call: its own deadline, and cancelling from another thread or a signal handler.

use std::collections::VecDeque;
use std::ffi::{CString, c_char};
use std::net::TcpStream;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use once_cell::race::OnceBox;
use ureq::http::HeaderValue;

use crate::wire::sys::{AttachedSocket, Waker};

/// Most lines of the log that a token keeps.
const MAX_LINES: usize = 1024;
/// Longest idempotency key in bytes.
const MAX_KEY: usize = 200;

/// Made by `paysvc_call_new`; shared by the thread that calls and those that cancel. Nothing waits for a lock: a cancel
/// in a signal handler would wait for the thread that it interrupts.
#[derive(Default)]
pub struct CallToken {
    timeout_ms: AtomicI32,
    cancelled: AtomicBool,
    waker: Waker,
    /// Lock-free: a child that is forked while another thread holds a lock would wait for ever.
    listener: ArcSwapOption<Listener>,
    traceparent: ArcSwapOption<HeaderValue>,
    /// Lock-free, as the listener.
    key: OnceBox<String>,
    key_is_used: AtomicBool,
    kept_level: AtomicI32,
    kept: Mutex<LogLines>,
    /// Lines for which there was no room, or whose thread found the lock taken.
    dropped: AtomicUsize,
}

/// Lines of the log, as JSON.
#[derive(Default)]
struct LogLines {
    lines: VecDeque<CString>,
    /// The line that the caller got last.
    taken: CString,
}

/// The idempotency key of a token, as a request finds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IdempotencyKey<'a> {
    /// The token has none.
    None,
    /// For this request.
    Given(&'a str),
    /// An earlier request with this token has had it.
    Used,
}

/// Receives how many steps are done, of how many, and the step as JSON; false asks to stop.
pub type Listener = Arc<dyn Fn(usize, usize, &str) -> bool + Send + Sync>;

impl CallToken {
    /// In ms; zero or less: the client's timeout.
    pub fn set_timeout_ms(&self, timeout_ms: i32) {
        self.timeout_ms.store(timeout_ms, Ordering::Relaxed);
    }

    pub fn timeout(&self) -> Option<Duration> {
        let ms = u64::try_from(self.timeout_ms.load(Ordering::Relaxed)).ok()?;
        (ms > 0).then(|| Duration::from_millis(ms))
    }

    /// Ends all calls with this token, now and later. Safe in a signal handler: it uses only atomics and system calls.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        self.waker.wake();
    }

    /// Replaces the listener of progress.
    pub fn set_progress(&self, listener: Option<Listener>) {
        self.listener.store(listener.map(Arc::new));
    }

    /// Reports progress; false if the listener asks to stop.
    pub fn report_progress(&self, done: usize, total: usize, step: &str) -> bool {
        // LogLines alive, because the callback may replace itself.
        self.listener.load_full().is_none_or(|listener| listener(done, total, step))
    }

    /// The header that each request gets; `None`: none. False if it is malformed; then the previous one stays.
    pub fn set_traceparent(&self, traceparent: Option<&str>) -> bool {
        let header = traceparent.map(|text| if is_traceparent(text) { HeaderValue::from_str(text).ok() } else { None });
        match header {
            Some(None) => return false,
            Some(Some(header)) => self.traceparent.store(Some(Arc::new(header))),
            None => self.traceparent.store(None),
        }
        true
    }

    pub fn traceparent(&self) -> Option<HeaderValue> {
        self.traceparent.load().as_ref().map(|header| HeaderValue::clone(header))
    }

    /// Sets the key of the next request. False if there is one already or it is not accepted, and then nothing changes.
    pub fn set_key(&self, key: &str) -> bool {
        let is_accepted = (1..=MAX_KEY).contains(&key.len()) && crate::util::text::spelling_fault(key).is_none();
        is_accepted && self.key.set(Box::new(key.to_owned())).is_ok()
    }

    /// The key for the request that asks: only the first thread gets it.
    pub fn take_key(&self) -> IdempotencyKey<'_> {
        match self.key.get() {
            None => IdempotencyKey::None,
            Some(key) if !self.key_is_used.swap(true, Ordering::SeqCst) => IdempotencyKey::Given(key),
            Some(_) => IdempotencyKey::Used,
        }
    }

    /// Keeps the lines of the log of this level and above it; 0: none.
    pub fn set_kept_level(&self, level: i32) {
        self.kept_level.store(level, Ordering::Relaxed);
    }

    pub fn kept_level(&self) -> i32 {
        self.kept_level.load(Ordering::Relaxed)
    }

    pub fn keep_line(&self, json: String) {
        match (self.kept(), CString::new(json)) {
            (Some(mut kept), Ok(line)) if kept.lines.len() < MAX_LINES => kept.lines.push_back(line),
            _ => _ = self.dropped.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// The oldest line, valid until the next is taken; NULL: there is none. The last one has the number of missing lines.
    pub fn take_line(&self) -> *const c_char {
        let Some(mut kept) = self.kept() else { return ptr::null() };
        let line = kept.lines.pop_front().or_else(|| {
            let dropped = self.dropped.swap(0, Ordering::Relaxed);
            let line = format!(
                r#"{{"level":2,"call_id":"","message":"{dropped} more lines of the log were not kept","dropped":{dropped}}}"#
            );
            (dropped > 0).then(|| CString::new(line).unwrap_or_default())
        });
        match line {
            Some(line) => {
                kept.taken = line;
                kept.taken.as_ptr()
            }
            None => ptr::null(),
        }
    }

    /// `None` while another thread has them, which the header forbids. Waiting for a lock that another thread had at a
    /// fork would never end in the child.
    fn kept(&self) -> Option<MutexGuard<'_, LogLines>> {
        match self.kept.try_lock() {
            Ok(kept) => Some(kept),
            Err(TryLockError::Poisoned(kept)) => Some(kept.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// Lets [`CallToken::cancel`] reach the socket; `None` if the call has been cancelled already.
    pub fn attach(&self, socket: &Arc<TcpStream>) -> Option<AttachedSocket> {
        let attached = self.waker.attach(socket);
        if self.is_cancelled() {
            self.detach(attached);
            return None;
        }
        Some(attached)
    }

    /// From now on a cancel does not reach the socket.
    pub fn detach(&self, attached: AttachedSocket) {
        self.waker.detach(attached);
    }

    /// Returns the waker that a cancel uses.
    pub fn waker(&self) -> &Waker {
        &self.waker
    }

    /// Waits until that time; returns `false` at once if cancelled.
    pub fn wait_until(&self, then: Instant) -> bool {
        self.waker.wait_until(then, || self.is_cancelled())
    }
}

/// Version, trace, parent and flags in lower-case hexadecimal digits; the version is not ff, trace and parent not zero.
/// Source: W3C Trace Context, 3.2 (https://www.w3.org/TR/trace-context/).
fn is_traceparent(text: &str) -> bool {
    let parts: Vec<_> = text.split('-').collect();
    let [version, trace, parent, flags] = parts[..] else { return false };
    let hex = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let named = |part: &str, length: usize| hex(part, length) && part.bytes().any(|byte| byte != b'0');
    hex(version, 2) && version != "ff" && named(trace, 32) && named(parent, 16) && hex(flags, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_positive_timeout_counts() {
        let call = CallToken::default();
        assert_eq!(call.timeout(), None);
        for (ms, expected) in [(-1, None), (0, None), (250, Some(Duration::from_millis(250)))] {
            call.set_timeout_ms(ms);
            assert_eq!(call.timeout(), expected);
        }
    }

    #[test]
    fn a_cancel_wakes_a_wait_and_is_final() {
        let call = Arc::new(CallToken::default());
        let waiter = std::thread::spawn({
            let call = Arc::clone(&call);
            move || call.wait_until(Instant::now() + Duration::from_secs(600))
        });
        call.cancel();
        assert!(!waiter.join().unwrap());
        assert!(!call.wait_until(Instant::now()));
    }

    #[test]
    fn only_a_traceparent_of_the_standards_form_is_taken() {
        const GOOD: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let call = CallToken::default();
        assert!(call.set_traceparent(Some(GOOD)));
        let zeros = "0".repeat(32);
        for wrong in [
            "",
            "00",
            &GOOD.to_uppercase(),
            &format!("{GOOD}-"),
            &format!("{GOOD} "),
            &GOOD[1..],
            &GOOD[..54],
            &GOOD.replace("00-", "ff-"),
            &GOOD.replace("0af7651916cd43dd8448eb211c80319c", &zeros),
            &GOOD.replace("b7ad6b7169203331", &zeros[..16]),
            &GOOD.replace('b', "\u{e9}"),
        ] {
            assert!(!call.set_traceparent(Some(wrong)), "{wrong}");
        }
        assert_eq!(call.traceparent().unwrap(), GOOD, "what is refused changes nothing");
        assert!(call.set_traceparent(None) && call.traceparent().is_none());
    }

    #[test]
    fn a_key_is_set_once_and_only_if_it_is_accepted() {
        let call = CallToken::default();
        assert_eq!(call.take_key(), IdempotencyKey::None);
        let longest = "é".repeat(MAX_KEY / 2);
        for wrong in ["", "a\nb", "a\0", "\u{7f}", "\u{85}", &format!("{longest}x")] {
            assert!(!call.set_key(wrong), "{wrong:?}");
        }
        assert_eq!(call.take_key(), IdempotencyKey::None, "what is refused changes nothing");
        assert!(call.set_key(&longest));
        assert!(!call.set_key("another") && !call.set_key(&longest));
        assert_eq!(call.take_key(), IdempotencyKey::Given(&longest));
    }

    #[test]
    fn one_request_of_many_threads_gets_the_key() {
        let call = CallToken::default();
        call.set_key("refund of line 7");
        let taken: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| call.take_key())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let given = taken.iter().filter(|key| **key == IdempotencyKey::Given("refund of line 7")).count();
        let used = taken.iter().filter(|key| **key == IdempotencyKey::Used).count();
        assert_eq!((given, used), (1, 7));
        assert!(!call.set_key("another"), "also after it was used");
    }

    #[test]
    fn a_cancelled_call_takes_no_socket() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = Arc::new(TcpStream::connect(listener.local_addr().unwrap()).unwrap());
        let call = CallToken::default();
        call.detach(call.attach(&socket).unwrap());
        call.cancel();
        assert!(socket.peer_addr().is_ok(), "a socket handed back is left alone");
        assert!(call.attach(&socket).is_none());
    }
}
