//! Identifiers that no other call, thread, process or machine has: the number of a call, and new references.
//!
//! The number of a call is a random prefix for each process, and a counter. Taking one costs a few instructions; its text is
//! made only when it is asked for. References sort by the time at which they were made.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use once_cell::race::OnceBox;

use crate::util::panics::catch_panic;
use crate::util::process::{PerProcess, critical_section, generation};

/// Characters of the prefix, five random bits each.
const PREFIX: usize = 16;
const CALL_DIGITS: &[u8; 32] = b"0123456789abcdefghijklmnopqrstuv";

/// The calls of one process. A forked child has its own; those of its ancestors stay, because their replies may outlive
/// the fork.
struct Calls {
    prefix: [u8; PREFIX],
    last: AtomicU64,
}

#[derive(Clone, Copy)]
pub struct CallId {
    calls: &'static Calls,
    number: u64,
}

impl CallId {
    pub fn new() -> CallId {
        let calls = Calls::of(generation());
        CallId { calls, number: calls.last.fetch_add(1, Ordering::Relaxed) + 1 }
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.calls.prefix(), self.number)
    }
}

/// Random text that no other process has.
pub fn process_prefix() -> &'static str {
    Calls::of(generation()).prefix()
}

impl Calls {
    fn prefix(&self) -> &str {
        str::from_utf8(&self.prefix).expect("the digits are ASCII")
    }

    fn of(generation: u32) -> &'static Calls {
        static ALL: OnceBox<PerProcess<Calls>> = OnceBox::new();
        ALL.get_or_init(|| Box::new(PerProcess::new())).of(generation)
    }
}

impl Default for Calls {
    fn default() -> Calls {
        let mut bytes = [0; PREFIX];
        let filled = catch_panic(|| critical_section(|| aws_lc_rs::rand::fill(&mut bytes)));
        let prefix = match filled {
            Ok(Ok(())) => std::array::from_fn(|index| CALL_DIGITS[usize::from(bytes[index] % 32)]),
            // If the system has no randomness: the values that differ most between processes and machines.
            _ => without_randomness(),
        };
        Calls { prefix, last: AtomicU64::new(0) }
    }
}

/// The time in nanoseconds and the process id.
fn without_randomness() -> [u8; PREFIX] {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    let number = u128::from(nanos) << 16 | u128::from(std::process::id() & 0xffff);
    std::array::from_fn(|index| CALL_DIGITS[(number >> (5 * index)) as usize % 32])
}

/// Crockford's base 32, which has no letter that looks like a digit.
const REFERENCE_DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Characters of 128 bits, 5 bits each; the first has 3.
const LENGTH: usize = 26;
const RANDOM_BITS: u32 = 80;
const LONGEST_PREFIX: usize = 32;

/// A new reference with that prefix; `None` if the prefix is not accepted, or if the system has no randomness.
pub fn reference(prefix: &str) -> Option<String> {
    if !is_prefix(prefix) {
        return None;
    }
    let mut random = [0; 16];
    critical_section(|| aws_lc_rs::rand::fill(&mut random[..RANDOM_BITS as usize / 8])).ok()?;
    Some(made(prefix, u128::from(now_ms()), u128::from_le_bytes(random)))
}

/// Milliseconds since 1970 by the system's clock, which anybody may set.
pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.ok().and_then(|time| u64::try_from(time.as_millis()).ok()).unwrap_or(0)
}

/// Letters, digits, `-`, `_` and `.`; or nothing.
fn is_prefix(prefix: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    prefix.len() <= LONGEST_PREFIX && prefix.bytes().all(allowed)
}

/// 48 bits of the milliseconds since 1970, then the random bits.
fn made(prefix: &str, milliseconds: u128, random: u128) -> String {
    let number = milliseconds << RANDOM_BITS | random & ((1 << RANDOM_BITS) - 1);
    let digit = |index: usize| {
        char::from(REFERENCE_DIGITS[(number >> (5 * (LENGTH - 1 - index))) as usize % REFERENCE_DIGITS.len()])
    };
    let separator = if prefix.is_empty() { "" } else { "-" };
    format!("{prefix}{separator}{}", (0..LENGTH).map(digit).collect::<String>())
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

    #[test]
    fn time_and_random_bits_stand_one_behind_the_other() {
        let most = u128::MAX;
        assert_eq!(made("", 0, 0), "0".repeat(LENGTH));
        assert_eq!(made("", 0, most), format!("{}{}", "0".repeat(10), "Z".repeat(16)));
        assert_eq!(made("T7", (1 << 48) - 1, 0), format!("T7-7{}{}", "Z".repeat(9), "0".repeat(16)));
        // 2016-07-30T23:54:10.259Z, the example of the specification of ULID.
        assert_eq!(&made("a.b_c-", 1_469_922_850_259, most), "a.b_c--01ARZ3NDEKZZZZZZZZZZZZZZZZ");
        assert!(made("", 5, most) < made("", 6, 0));
    }

    #[test]
    fn a_prefix_has_only_what_is_safe_in_a_path() {
        for good in ["", "T7", "a", "A-b_c.9", &"x".repeat(LONGEST_PREFIX)] {
            assert!(reference(good).is_some_and(|made| made.starts_with(good)), "{good}");
        }
        for bad in ["a b", "a/b", "é", "\n", "a\0", "{}", &"x".repeat(LONGEST_PREFIX + 1)] {
            assert_eq!(reference(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn references_of_many_threads_differ_and_sort_by_time() {
        const THREADS: usize = 4;
        const EACH: usize = 25_000;
        let made = std::thread::scope(|scope| {
            let make = || (0..EACH).map(|_| reference("T7").unwrap()).collect::<Vec<_>>();
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(make)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(made.iter().flatten().collect::<HashSet<_>>().len(), THREADS * EACH);
        // The time of a reference: 10 digits behind the prefix.
        let time = |made: &String| made["T7-".len()..][..10].to_owned();
        for of_thread in &made {
            assert!(of_thread.iter().map(time).is_sorted(), "in the order of their milliseconds");
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert!(made.iter().flatten().all(|earlier| *earlier < reference("T7").unwrap()));
    }
}
