//! Waits for a time that a cancel ends. The event is made by the first wait; a forked child makes its own, because it would
//! share the parent's.
//!
//! Functions that a cancel uses here neither lock nor allocate.

use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::time::Instant;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use once_cell::race::OnceBox;

use crate::util::process;
use crate::wire::sys::CANCEL_CHECK;

/// A pair of sockets, of which one becomes readable when it is set. Both ends stay open, so writing raises no SIGPIPE.
struct Descriptor {
    readable: UnixStream,
    writable: UnixStream,
}

impl Descriptor {
    fn new() -> io::Result<Descriptor> {
        let (readable, writable) = UnixStream::pair()?;
        // When it is full, it is set.
        writable.set_nonblocking(true)?;
        Ok(Descriptor { readable, writable })
    }

    fn set(&self) {
        let _ = (&self.writable).write(&[1]);
    }
}

/// The events of one token, one for each process.
#[derive(Default)]
pub struct Events(OnceBox<Event>);

struct Event {
    generation: u32,
    /// Written once and never read, so that from then on every wait for it ends at once.
    descriptor: Option<Descriptor>,
    child: OnceBox<Event>,
}

impl Event {
    fn new(generation: u32) -> Box<Event> {
        Box::new(Event { generation, descriptor: Descriptor::new().ok(), child: OnceBox::new() })
    }
}

impl Events {
    /// Wakes all waits, now and later.
    pub fn set(&self) {
        let generation = process::generation();
        let mut event = self.0.get();
        while let Some(current) = event {
            if let (true, Some(descriptor)) = (current.generation == generation, &current.descriptor) {
                descriptor.set();
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
                    let _ = poll(&mut [PollFd::new(descriptor.readable.as_fd(), PollFlags::POLLIN)], timeout);
                }
                // The system had no descriptor for it.
                None => std::thread::sleep(left.min(CANCEL_CHECK)),
            }
        }
    }
}
