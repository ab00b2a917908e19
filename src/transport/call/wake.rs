//! The system calls of a cancel: shutting down a socket, and waking a wait. The only code in `call` that is specific to
//! Unix.
//!
//! What a cancel uses here neither locks nor allocates.

use std::os::fd::{AsFd as _, AsRawFd as _};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::socket::{Shutdown, shutdown};
use once_cell::race::OnceBox;

use crate::util::process;

pub type RawSocket = std::os::fd::RawFd;

/// How often a wait that a cancel cannot wake checks for one.
const CANCEL_CHECK: Duration = Duration::from_millis(20);

pub fn raw(socket: &std::net::TcpStream) -> RawSocket {
    socket.as_raw_fd()
}

/// Wakes the thread that reads or writes it.
pub fn shut_down(socket: RawSocket) {
    // An error means that it is closed already.
    let _ = shutdown(socket, Shutdown::Both);
}

/// Wakes waits. The event is made by the first wait; a forked child makes its own, because it would share the parent's.
#[derive(Default)]
pub struct Waker(OnceBox<Event>);

struct Event {
    generation: u32,
    /// Written once and never read, so that from then on every wait for it ends at once.
    descriptor: Option<EventFd>,
    child: OnceBox<Event>,
}

impl Event {
    fn new(generation: u32) -> Box<Event> {
        let flags = EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK;
        Box::new(Event { generation, descriptor: EventFd::from_flags(flags).ok(), child: OnceBox::new() })
    }
}

impl Waker {
    /// Wakes all waits, now and later.
    pub fn wake(&self) {
        let generation = process::generation();
        let mut event = self.0.get();
        while let Some(current) = event {
            if let (true, Some(descriptor)) = (current.generation == generation, &current.descriptor) {
                let _ = descriptor.write(1);
            }
            event = current.child.get();
        }
    }

    /// Waits until that time; returns `false` at once if cancelled.
    pub fn wait_until(&self, then: Instant, is_cancelled: impl Fn() -> bool) -> bool {
        let generation = process::generation();
        let mut event = self.0.get_or_init(|| Event::new(generation));
        while event.generation != generation {
            event = event.child.get_or_init(|| Event::new(generation));
        }
        // A cancel that did not find the event is seen by the check below.
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        loop {
            if is_cancelled() {
                return false;
            }
            let left = then.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            match &event.descriptor {
                // Rounded up: a wait of 0 ms would be a busy loop.
                Some(descriptor) => {
                    let ms = i32::try_from(left.as_millis() + 1).unwrap_or(i32::MAX);
                    let timeout = PollTimeout::try_from(ms).unwrap_or(PollTimeout::MAX);
                    // The loop checks why it returned.
                    let _ = poll(&mut [PollFd::new(descriptor.as_fd(), PollFlags::POLLIN)], timeout);
                }
                // The system had no descriptor for it.
                None => std::thread::sleep(left.min(CANCEL_CHECK)),
            }
        }
    }
}
