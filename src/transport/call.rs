//! The token of a call: its own deadline, and cancelling from another thread or a signal handler.

use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering, fence};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;

use super::sys::{Attached, Waker};

/// Made by `paysvc_call_new`; shared by the thread that calls and those that cancel. It has no lock: a cancel in a signal
/// handler would wait for the thread that it interrupts.
#[derive(Default)]
pub struct Call {
    timeout_ms: AtomicI32,
    cancelled: AtomicBool,
    waker: Waker,
    /// Lock-free: a child that is forked while another thread holds a lock would wait for ever.
    listener: ArcSwapOption<Listener>,
}

/// Receives how many steps are done, of how many, and the step as JSON; false asks to stop.
pub type Listener = Arc<dyn Fn(usize, usize, &str) -> bool + Send + Sync>;

impl Call {
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
        // Kept alive, because the callback may replace itself.
        self.listener.load_full().is_none_or(|listener| listener(done, total, step))
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// Lets [`Call::cancel`] reach the socket; `None` if the call has been cancelled already.
    pub fn attach(&self, socket: &Arc<TcpStream>) -> Option<Attached> {
        let attached = self.waker.attach(socket);
        if self.is_cancelled() {
            self.detach(attached);
            return None;
        }
        Some(attached)
    }

    /// From now on a cancel does not reach the socket.
    pub fn detach(&self, attached: Attached) {
        self.waker.detach(attached);
    }

    /// What a cancel wakes.
    pub fn waker(&self) -> &Waker {
        &self.waker
    }

    /// Waits until that time; returns `false` at once if cancelled.
    pub fn wait_until(&self, then: Instant) -> bool {
        self.waker.wait_until(then, || self.is_cancelled())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_positive_timeout_counts() {
        let call = Call::default();
        assert_eq!(call.timeout(), None);
        for (ms, expected) in [(-1, None), (0, None), (250, Some(Duration::from_millis(250)))] {
            call.set_timeout_ms(ms);
            assert_eq!(call.timeout(), expected);
        }
    }

    #[test]
    fn a_cancel_wakes_a_wait_and_is_final() {
        let call = Arc::new(Call::default());
        let waiter = std::thread::spawn({
            let call = Arc::clone(&call);
            move || call.wait_until(Instant::now() + Duration::from_secs(600))
        });
        call.cancel();
        assert!(!waiter.join().unwrap());
        assert!(!call.wait_until(Instant::now()));
    }

    #[test]
    fn a_cancelled_call_takes_no_socket() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = Arc::new(TcpStream::connect(listener.local_addr().unwrap()).unwrap());
        let call = Call::default();
        call.detach(call.attach(&socket).unwrap());
        call.cancel();
        assert!(socket.peer_addr().is_ok(), "a socket handed back is left alone");
        assert!(call.attach(&socket).is_none());
    }
}
