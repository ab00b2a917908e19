//! The token of one call: its own time limit, and cancelling from another thread or a signal handler.

mod sockets;
mod wake;

use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering, fence};
use std::time::{Duration, Instant};

use crate::util::process;
use sockets::Sockets;
use wake::Alarm;

/// Made by `paysvc_call_new`; shared by the thread that calls and those that cancel. It has no lock, because a cancel in
/// a signal handler would wait for the thread that it interrupts.
#[derive(Default)]
pub struct Call {
    timeout_ms: AtomicI32,
    cancelled: AtomicBool,
    /// In use by calls with this token; shutting one down wakes its thread and touches no other call.
    sockets: Sockets,
    alarm: Alarm,
}

/// A socket within reach of a cancel, kept open until [`Call::detach`].
pub struct Attached {
    socket: Arc<TcpStream>,
    place: sockets::Place,
}

impl Call {
    /// Zero or less: the client's own limit.
    pub fn set_timeout_ms(&self, timeout_ms: i32) {
        self.timeout_ms.store(timeout_ms, Ordering::Relaxed);
    }

    pub fn timeout(&self) -> Option<Duration> {
        let ms = u64::try_from(self.timeout_ms.load(Ordering::Relaxed)).ok()?;
        (ms > 0).then(|| Duration::from_millis(ms))
    }

    /// Final: whatever uses this token from now on ends at once. Safe in a signal handler: atomics and system calls.
    pub fn cancel(&self) {
        wake::keeping_errno(|| {
            self.cancelled.store(true, Ordering::SeqCst);
            fence(Ordering::SeqCst);
            self.sockets.shut_down_all(process::generation());
            self.alarm.ring();
        });
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// Lets [`Call::cancel`] reach the socket; `None` when it has come before.
    pub fn attach(&self, socket: &Arc<TcpStream>) -> Option<Attached> {
        let place = self.sockets.add(wake::raw(socket), process::generation());
        let attached = Attached { socket: Arc::clone(socket), place };
        if self.is_cancelled() {
            self.detach(attached);
            return None;
        }
        Some(attached)
    }

    /// From here on a cancel does not reach the socket any more.
    pub fn detach(&self, attached: Attached) {
        if !self.sockets.remove(attached.place) {
            // A cancel on a thread that no longer runs may still use the descriptor: it must never be another's.
            std::mem::forget(attached.socket);
        }
    }

    /// Waits until then, or until cancelled: then `false`.
    pub fn wait_until(&self, then: Instant) -> bool {
        self.alarm.wait_until(then, || self.is_cancelled())
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
    fn a_cancelled_token_takes_no_socket() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = Arc::new(TcpStream::connect(listener.local_addr().unwrap()).unwrap());
        let call = Call::default();
        call.detach(call.attach(&socket).unwrap());
        call.cancel();
        assert!(socket.peer_addr().is_ok(), "a socket handed back is left alone");
        assert!(call.attach(&socket).is_none());
    }
}
