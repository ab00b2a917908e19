//! The sockets of the calls with one token, which a cancel shuts down. Lock-free, because the cancel may come from a
//! signal handler that interrupts a thread in this module.
//!
//! A slot holds a descriptor only while its owner keeps it open. A cancel increments the slot's count before it uses
//! the descriptor and decrements it afterwards. The owner empties the slot before it closes the descriptor, and only
//! while the count is zero. So a cancel never shuts down a descriptor that was closed and reused.

use std::os::fd::RawFd;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::time::Duration;

use nix::sys::socket::{Shutdown, shutdown};
use once_cell::race::OnceBox;

/// Simultaneous calls with one token are rare; more slots are allocated when needed.
const SLOTS: usize = 2;
const EMPTY: u64 = 0;
/// One cancel in a slot's count. A slot consists of the descriptor plus 1 (32 bits), the count (16) and the process's
/// generation (16).
const CANCEL: u64 = 1 << 32;
/// Max times that the owner waits for a cancel on another thread, which needs only one system call.
const MAX_PAUSES: u32 = 20_000;
const PAUSE: Duration = Duration::from_micros(50);

#[derive(Default)]
pub struct Sockets {
    slots: [AtomicU64; SLOTS],
    more: OnceBox<Sockets>,
}

/// The slot of a socket, found by its content.
pub struct SlotContent(u64);

fn content(socket: RawFd, generation: u32) -> u64 {
    u64::from(socket as u32 + 1) | u64::from(generation as u16) << 48
}

impl Sockets {
    pub fn add(&self, socket: RawFd, generation: u32) -> SlotContent {
        let content = content(socket, generation);
        let mut sockets = self;
        loop {
            for slot in &sockets.slots {
                if slot.compare_exchange(EMPTY, content, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                    // Before the owner checks for a cancel: see `shut_down_all`.
                    fence(Ordering::SeqCst);
                    return SlotContent(content);
                }
            }
            sockets = sockets.more.get_or_init(Box::default);
        }
    }

    /// Removes the socket; `false` if a cancel uses it for so long that it must stay open for ever.
    pub fn remove(&self, slot_content: SlotContent) -> bool {
        let mut sockets = self;
        loop {
            for slot in &sockets.slots {
                if slot.load(Ordering::SeqCst) & !(0xffff << 32) == slot_content.0 {
                    return empty(slot, slot_content.0);
                }
            }
            match sockets.more.get() {
                Some(more) => sockets = more,
                None => return true,
            }
        }
    }

    /// Shuts all of them down. Safe in a signal handler: only atomics and one system call each.
    pub fn shut_down_all(&self, generation: u32) {
        // The cancel is visible before this: code that adds a socket after it sees the cancel.
        fence(Ordering::SeqCst);
        let mut sockets = Some(self);
        while let Some(here) = sockets {
            for slot in &here.slots {
                let ours =
                    |slot: u64| (slot != EMPTY && (slot >> 48) as u16 == generation as u16).then(|| slot + CANCEL);
                if let Ok(slot_before) = slot.fetch_update(Ordering::SeqCst, Ordering::SeqCst, ours) {
                    // An error means that it is closed already.
                    let _ = shutdown((slot_before as u32).wrapping_sub(1) as RawFd, Shutdown::Both);
                    slot.fetch_sub(CANCEL, Ordering::SeqCst);
                }
            }
            sockets = here.more.get();
        }
    }
}

fn empty(slot: &AtomicU64, content: u64) -> bool {
    // A cancel in a signal handler on this thread has ended before this continues, so this waits only for one system
    // call of another thread.
    for _ in 0..MAX_PAUSES {
        match slot.compare_exchange(content, EMPTY, Ordering::SeqCst, Ordering::SeqCst) {
            Err(now) if now >> 32 & 0xffff > 0 => std::thread::sleep(PAUSE),
            _ => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removal_waits_for_a_cancel_that_uses_the_socket() {
        let sockets = Sockets::default();
        let slot = sockets.add(i32::MAX - 1, 7);
        sockets.slots[0].fetch_add(CANCEL, Ordering::SeqCst);
        std::thread::scope(|scope| {
            let removal = scope.spawn(|| sockets.remove(slot));
            std::thread::sleep(Duration::from_millis(5));
            assert!(!removal.is_finished(), "a cancel is about to use the descriptor");
            sockets.slots[0].fetch_sub(CANCEL, Ordering::SeqCst);
            assert!(removal.join().unwrap());
        });
        assert_eq!(sockets.slots[0].load(Ordering::SeqCst), EMPTY);
    }

    #[test]
    fn there_is_room_for_any_number() {
        let sockets = Sockets::default();
        let slots: Vec<_> = (1000..1100).map(|socket| sockets.add(socket, 70_000)).collect();
        assert!(slots.into_iter().all(|slot| sockets.remove(slot)));
        let mut here = Some(&sockets);
        while let Some(sockets) = here {
            assert!(sockets.slots.iter().all(|slot| slot.load(Ordering::SeqCst) == EMPTY));
            here = sockets.more.get();
        }
    }

    #[test]
    fn a_parents_socket_is_left_alone() {
        let (left, mut right) = std::os::unix::net::UnixStream::pair().unwrap();
        let sockets = Sockets::default();
        let _slot = sockets.add(std::os::fd::AsRawFd::as_raw_fd(&left), 1);
        sockets.shut_down_all(2);
        right.set_nonblocking(true).unwrap();
        let open = std::io::Read::read(&mut right, &mut [0]).unwrap_err();
        assert_eq!(open.kind(), std::io::ErrorKind::WouldBlock);
        sockets.shut_down_all(1);
        assert_eq!(std::io::Read::read(&mut right, &mut [0]).unwrap(), 0);
    }
}
