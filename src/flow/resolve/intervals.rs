//! How long to wait between two look-ups. Time and randomness are arguments.

use std::time::Duration;

use crate::flow::patience::Backoff;

/// The longest wait, as many times the first.
const MOST: u64 = 10;
/// The last look-up begins when three quarters of the remaining time are over, unless that is sooner than this.
const SHORTEST: Duration = Duration::from_millis(20);

#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    Look(Duration),
    /// There is no time for another look-up.
    Wait,
    /// The service asks for a wait that is longer than the call lasts.
    TooLate,
}

/// What to do after that many look-ups. `asked`: the service's `Retry-After`.
pub fn next(looks: u32, first_ms: u64, asked: Option<Duration>, left: Duration, random: impl FnOnce() -> u64) -> Next {
    let backoff = Backoff { first_ms, longest_ms: first_ms * MOST, growth: 150, jitter: (75, 125) };
    let wait = backoff.wait(looks - 1, random);
    match asked {
        Some(asked) if asked >= left => Next::TooLate,
        Some(asked) if asked >= wait => Next::Look(asked),
        _ if wait < left => Next::Look(wait),
        _ => match left * 3 / 4 {
            last if last < SHORTEST => Next::Wait,
            last => Next::Look(last.max(asked.unwrap_or_default())),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: u64 = 1000;
    const MINUTES: Duration = Duration::from_secs(600);
    /// The random number of a first wait without jitter.
    const EXACT: u64 = 250;

    fn ms(looks: u32, asked: Option<u64>, left: Duration, random: u64) -> u128 {
        match next(looks, FIRST, asked.map(Duration::from_millis), left, || random) {
            Next::Look(wait) => wait.as_millis(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn retry_after_is_honoured() {
        assert_eq!(ms(1, Some(4000), MINUTES, EXACT), 4000);
        assert_eq!(ms(5, Some(4000), MINUTES, 5062 / 4), 5061, "the longer one");
        assert_eq!(next(1, FIRST, Some(MINUTES), MINUTES, || EXACT), Next::TooLate);
        assert_eq!(ms(5, Some(900), Duration::from_secs(1), EXACT), 900, "the last look does not come too early");
    }

    #[test]
    fn the_last_look_comes_before_the_end() {
        let mut left = Duration::from_secs(1);
        let mut looks = 0;
        while let Next::Look(wait) = next(9, FIRST, None, left, || EXACT) {
            assert!(wait < left && wait >= SHORTEST);
            left -= wait;
            looks += 1;
        }
        assert_eq!((next(9, FIRST, None, left, || EXACT), looks), (Next::Wait, 3));
        assert_eq!(next(1, FIRST, None, Duration::ZERO, || EXACT), Next::Wait);
    }
}
