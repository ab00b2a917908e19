//! New references: unique, and sorted by the time at which they were made.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::util::process::critical_section;

/// Crockford's base 32, which has no letter that looks like a digit.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Characters of 128 bits, 5 bits each; the first has 3.
const LENGTH: usize = 26;
const RANDOM_BITS: u32 = 80;
const LONGEST_PREFIX: usize = 32;

/// A new reference with that prefix; `None` if the prefix is not accepted, or if the system has no randomness.
pub fn new(prefix: &str) -> Option<String> {
    if !is_prefix(prefix) {
        return None;
    }
    let mut random = [0; 16];
    critical_section(|| aws_lc_rs::rand::fill(&mut random[..RANDOM_BITS as usize / 8])).ok()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis());
    Some(made(prefix, now, u128::from_le_bytes(random)))
}

/// Letters, digits, `-`, `_` and `.`; or nothing.
fn is_prefix(prefix: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    prefix.len() <= LONGEST_PREFIX && prefix.bytes().all(allowed)
}

/// 48 bits of the milliseconds since 1970, then the random bits.
fn made(prefix: &str, milliseconds: u128, random: u128) -> String {
    let number = milliseconds << RANDOM_BITS | random & ((1 << RANDOM_BITS) - 1);
    let digit = |index: usize| char::from(DIGITS[(number >> (5 * (LENGTH - 1 - index))) as usize % DIGITS.len()]);
    let separator = if prefix.is_empty() { "" } else { "-" };
    format!("{prefix}{separator}{}", (0..LENGTH).map(digit).collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

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
            assert!(new(good).is_some_and(|reference| reference.starts_with(good)), "{good}");
        }
        for bad in ["a b", "a/b", "é", "\n", "a\0", "{}", &"x".repeat(LONGEST_PREFIX + 1)] {
            assert_eq!(new(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn references_of_many_threads_differ_and_sort_by_time() {
        const THREADS: usize = 4;
        const EACH: usize = 25_000;
        let made = std::thread::scope(|scope| {
            let make = || (0..EACH).map(|_| new("T7").unwrap()).collect::<Vec<_>>();
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(make)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(made.iter().flatten().collect::<HashSet<_>>().len(), THREADS * EACH);
        // The time of a reference: 10 digits behind the prefix.
        let time = |reference: &String| reference["T7-".len()..][..10].to_owned();
        for of_thread in &made {
            assert!(of_thread.iter().map(time).is_sorted(), "in the order of their milliseconds");
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert!(made.iter().flatten().all(|earlier| *earlier < new("T7").unwrap()));
    }
}
