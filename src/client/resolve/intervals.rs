//! How long to wait between two looks. Time and randomness are arguments.

use std::time::Duration;

/// The waits grow by half each, up to this many times the first.
const MOST: u32 = 10;
/// Each is up to a quarter longer or shorter, so that many tills do not ask at once.
const JITTER_PERCENT: u64 = 25;
/// The last look begins when three quarters of what is left are over, unless that is sooner than this.
const SHORTEST: Duration = Duration::from_millis(20);

#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    Look(Duration),
    /// There is no time for another look.
    Wait,
    /// The service wants to be left alone for longer than the call lasts.
    TooLate,
}

/// What to do after that many looks. `asked`: the service's `Retry-After`.
pub fn next(looks: u32, first: Duration, asked: Option<Duration>, left: Duration, random: u64) -> Next {
    let most = first * MOST;
    let mut wait = first;
    for _ in 1..looks {
        wait = (wait * 3 / 2).min(most);
        if wait == most {
            break;
        }
    }
    let percent = 100 - JITTER_PERCENT + random % (2 * JITTER_PERCENT + 1);
    let wait = wait * u32::try_from(percent).unwrap_or(100) / 100;
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

    const FIRST: Duration = Duration::from_secs(1);
    const MINUTES: Duration = Duration::from_secs(600);
    /// The random number of a wait without jitter.
    const EXACT: u64 = JITTER_PERCENT;

    fn ms(looks: u32, asked: Option<u64>, left: Duration, random: u64) -> u128 {
        match next(looks, FIRST, asked.map(Duration::from_millis), left, random) {
            Next::Look(wait) => wait.as_millis(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn waits_grow_by_half_up_to_ten_times_the_first() {
        let waits: Vec<_> = (1..9).map(|looks| ms(looks, None, MINUTES, EXACT)).collect();
        assert_eq!(waits, [1000, 1500, 2250, 3375, 5062, 7593, 10_000, 10_000]);
        assert_eq!(ms(u32::MAX, None, MINUTES, EXACT), 10_000);
    }

    #[test]
    fn waits_differ_by_a_quarter() {
        assert_eq!((ms(1, None, MINUTES, 0), ms(1, None, MINUTES, 50), ms(1, None, MINUTES, 51)), (750, 1250, 750));
    }

    #[test]
    fn retry_after_is_honoured() {
        assert_eq!(ms(1, Some(4000), MINUTES, EXACT), 4000);
        assert_eq!(ms(5, Some(4000), MINUTES, EXACT), 5062, "the longer one");
        assert_eq!(next(1, FIRST, Some(MINUTES), MINUTES, EXACT), Next::TooLate);
        assert_eq!(ms(5, Some(900), Duration::from_secs(1), EXACT), 900, "the last look does not come too early");
    }

    #[test]
    fn the_last_look_comes_before_the_end() {
        let mut left = Duration::from_secs(1);
        let mut looks = 0;
        while let Next::Look(wait) = next(9, FIRST, None, left, EXACT) {
            assert!(wait < left && wait >= SHORTEST);
            left -= wait;
            looks += 1;
        }
        assert_eq!((next(9, FIRST, None, left, EXACT), looks), (Next::Wait, 3));
        assert_eq!(next(1, FIRST, None, Duration::ZERO, EXACT), Next::Wait);
    }
}
