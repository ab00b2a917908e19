//! Ends the waits of a cancelled call: shuts its sockets down, which wakes the threads that read or write them, and wakes
//! those that wait for a time. Functions that a cancel uses here neither lock nor allocate, because it may come from a signal
//! handler.

use std::net::TcpStream;
use std::os::fd::AsRawFd as _;
use std::sync::Arc;
use std::time::Instant;

use super::event::Events;
use super::sockets::{SlotContent, Sockets};
use crate::util::process;

#[derive(Default)]
pub struct Waker {
    /// The sockets of calls with this token. Shutting one down affects no other call.
    sockets: Sockets,
    events: Events,
}

/// A socket that a cancel reaches, kept open until [`Waker::detach`].
pub struct AttachedSocket {
    socket: Arc<TcpStream>,
    slot: SlotContent,
}

impl Waker {
    /// Safe in a signal handler: it uses only atomics and system calls.
    pub fn wake(&self) {
        self.sockets.shut_down_all(process::generation());
        self.events.set();
    }

    pub fn attach(&self, socket: &Arc<TcpStream>) -> AttachedSocket {
        let slot = self.sockets.add(socket.as_raw_fd(), process::generation());
        AttachedSocket { socket: Arc::clone(socket), slot }
    }

    pub fn detach(&self, attached: AttachedSocket) {
        if !self.sockets.remove(attached.slot) {
            // A cancel on a suspended thread may still use the descriptor, so it must never become another socket's.
            std::mem::forget(attached.socket);
        }
    }

    /// Waits until that time; returns `false` at once if cancelled.
    pub fn wait_until(&self, then: Instant, is_cancelled: impl Fn() -> bool) -> bool {
        self.events.wait_until(then, is_cancelled)
    }
}
