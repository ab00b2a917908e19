//! What a cancel asks of the system: ending a socket's connection, and waking a pause. The only Unix in `call`.
//!
//! Whatever a cancel uses here is a bare system call: no lock, no memory.

use std::os::fd::{AsFd as _, AsRawFd as _};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::socket::{Shutdown, shutdown};
use once_cell::race::OnceBox;

use crate::util::process;

pub type RawSocket = std::os::fd::RawFd;

/// How often a pause that cannot be woken looks for a cancel.
const CANCEL_CHECK: Duration = Duration::from_millis(20);

pub fn raw(socket: &std::net::TcpStream) -> RawSocket {
    socket.as_raw_fd()
}

/// Wakes whoever reads or writes it.
pub fn shut_down(socket: RawSocket) {
    // An error means that the connection is gone already.
    let _ = shutdown(socket, Shutdown::Both);
}

/// Runs it and leaves `errno` as it was: a signal handler must.
pub fn keeping_errno(run: impl FnOnce()) {
    let before = Errno::last_raw();
    run();
    Errno::set_raw(before);
}

/// Wakes pauses. Made by the first pause; a child after fork makes its own, because it would share the parent's.
#[derive(Default)]
pub struct Alarm(OnceBox<Bell>);

struct Bell {
    generation: u32,
    /// Written once and never read: from then on every wait on it ends at once.
    event: Option<EventFd>,
    of_child: OnceBox<Bell>,
}

impl Bell {
    fn new(generation: u32) -> Box<Bell> {
        let flags = EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK;
        Box::new(Bell { generation, event: EventFd::from_flags(flags).ok(), of_child: OnceBox::new() })
    }
}

impl Alarm {
    /// Wakes all pauses, now and later.
    pub fn ring(&self) {
        let generation = process::generation();
        let mut bell = self.0.get();
        while let Some(here) = bell {
            if let (true, Some(event)) = (here.generation == generation, &here.event) {
                let _ = event.write(1);
            }
            bell = here.of_child.get();
        }
    }

    /// Waits until then, or until `is_cancelled`: then `false`.
    pub fn wait_until(&self, then: Instant, is_cancelled: impl Fn() -> bool) -> bool {
        let generation = process::generation();
        let mut bell = self.0.get_or_init(|| Bell::new(generation));
        while bell.generation != generation {
            bell = bell.of_child.get_or_init(|| Bell::new(generation));
        }
        // A cancel that has not seen the bell is seen by whoever made it.
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        loop {
            if is_cancelled() {
                return false;
            }
            let left = then.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            match &bell.event {
                // Rounded up: a wait of 0 ms would ask again and again.
                Some(event) => {
                    let ms = i32::try_from(left.as_millis() + 1).unwrap_or(i32::MAX);
                    let timeout = PollTimeout::try_from(ms).unwrap_or(PollTimeout::MAX);
                    // Interrupted by a signal or woken: looks again.
                    let _ = poll(&mut [PollFd::new(event.as_fd(), PollFlags::POLLIN)], timeout);
                }
                // Without a descriptor left for it.
                None => std::thread::sleep(left.min(CANCEL_CHECK)),
            }
        }
    }
}
