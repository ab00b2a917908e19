//! The number of a call, which no other call has: not of this process, nor of another one, nor of another machine.
//!
//! A random prefix for each process, and a counter. Taking one costs a few instructions; its text is made only when it
//! is asked for.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use once_cell::race::OnceBox;

use crate::util::panics::catch_panic;
use crate::util::process::{critical_section, generation};

/// Characters of the prefix, five random bits each.
const PREFIX: usize = 16;
const DIGITS: &[u8; 32] = b"0123456789abcdefghijklmnopqrstuv";

/// The calls of one process. A forked child has its own, after those of its ancestors, whose replies may outlive the
/// fork.
struct Calls {
    generation: u32,
    prefix: [u8; PREFIX],
    last: AtomicU64,
    next: OnceBox<Calls>,
}

/// For the first process of this library. Lock-free: a child that is forked meanwhile would wait for ever.
static FIRST: OnceBox<Calls> = OnceBox::new();

#[derive(Clone, Copy)]
pub struct CallId {
    calls: &'static Calls,
    number: u64,
}

impl CallId {
    /// A new one.
    pub fn new() -> CallId {
        let calls = Calls::of(generation());
        CallId { calls, number: calls.last.fetch_add(1, Ordering::Relaxed) + 1 }
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = str::from_utf8(&self.calls.prefix).expect("the digits are ASCII");
        write!(f, "{prefix}-{}", self.number)
    }
}

impl Calls {
    fn of(generation: u32) -> &'static Calls {
        let mut at = &FIRST;
        loop {
            let calls = at.get_or_init(|| Box::new(Calls::new(generation)));
            if calls.generation == generation {
                return calls;
            }
            at = &calls.next;
        }
    }

    fn new(generation: u32) -> Calls {
        let mut bytes = [0; PREFIX];
        let filled = catch_panic(|| critical_section(|| aws_lc_rs::rand::fill(&mut bytes)));
        let prefix = match filled {
            Ok(Ok(())) => std::array::from_fn(|index| DIGITS[usize::from(bytes[index] % 32)]),
            // If the system has no randomness: the values that differ most between processes and machines.
            _ => without_randomness(),
        };
        Calls { generation, prefix, last: AtomicU64::new(0), next: OnceBox::new() }
    }
}

/// The time in nanoseconds and the process id.
fn without_randomness() -> [u8; PREFIX] {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    let number = u128::from(nanos) << 16 | u128::from(std::process::id() & 0xffff);
    std::array::from_fn(|index| DIGITS[(number >> (5 * index)) as usize % 32])
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_call_has_its_own() {
        let taken = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| (0..1000).map(|_| CallId::new().to_string()).collect::<Vec<_>>()))
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(taken.iter().collect::<HashSet<_>>().len(), 4000);
        let prefixes: HashSet<_> = taken.iter().map(|id| id.split_once('-').unwrap().0).collect();
        assert_eq!(prefixes.len(), 1, "one process, one prefix: {prefixes:?}");
        assert!(
            taken.iter().all(|id| id.len() <= 40 && !id.contains(|c: char| !c.is_ascii_alphanumeric() && c != '-'))
        );
    }

    #[test]
    fn every_process_has_its_own_prefix_and_keeps_those_before_it() {
        let here = generation();
        let calls = [here, here + 1, here + 2, here].map(Calls::of);
        let prefixes: HashSet<_> = calls.iter().map(|calls| calls.prefix).collect();
        assert_eq!(prefixes.len(), 3);
        assert!(std::ptr::eq(calls[0], calls[3]));
    }

    #[test]
    fn without_randomness_the_clock_distinguishes() {
        let first = without_randomness();
        std::thread::sleep(std::time::Duration::from_micros(10));
        assert_ne!(first, without_randomness());
    }
}
