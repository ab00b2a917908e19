//! The token of one call: its own time limit, and cancelling from another thread.

use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Made by `paysvc_call_new`; shared by the thread that calls and those that cancel.
#[derive(Default)]
pub struct Call {
    timeout_ms: AtomicI32,
    cancelled: AtomicBool,
    /// Sockets in use by calls with this token; shutting one down wakes its thread and touches no other call.
    sockets: Mutex<Vec<Arc<TcpStream>>>,
    wake: Condvar,
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

    /// Final: whatever uses this token from now on ends at once.
    pub fn cancel(&self) {
        let sockets = self.sockets();
        self.cancelled.store(true, Ordering::SeqCst);
        for socket in sockets.iter() {
            // An error means that the connection is gone already.
            let _ = socket.shutdown(Shutdown::Both);
        }
        self.wake.notify_all();
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// Lets [`Call::cancel`] reach the socket; `false` when it has come before.
    pub fn attach(&self, socket: &Arc<TcpStream>) -> bool {
        let mut sockets = self.sockets();
        if self.is_cancelled() {
            return false;
        }
        sockets.push(Arc::clone(socket));
        true
    }

    pub fn detach(&self, socket: &Arc<TcpStream>) {
        self.sockets().retain(|known| !Arc::ptr_eq(known, socket));
    }

    /// Waits until then, or until cancelled: then `false`.
    pub fn wait_until(&self, then: Instant) -> bool {
        let mut sockets = self.sockets();
        loop {
            if self.is_cancelled() {
                return false;
            }
            let left = then.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            sockets = self.wake.wait_timeout(sockets, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn sockets(&self) -> MutexGuard<'_, Vec<Arc<TcpStream>>> {
        self.sockets.lock().unwrap_or_else(PoisonError::into_inner)
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
        assert!(call.attach(&socket));
        call.detach(&socket);
        call.cancel();
        assert!(socket.peer_addr().is_ok(), "a socket handed back is left alone");
        assert!(!call.attach(&socket));
    }
}
