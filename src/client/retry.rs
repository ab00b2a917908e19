//! Whether and when a request is retried. Time and randomness are arguments.
//!
//! Whether the evidence allows another attempt is a column of the table in [`crate::response::verdict`].

use std::time::Duration;

use paysvc_spec::status::Outcome;

/// Exponential back-off with full jitter: a random wait of at most base × 2ⁿ, and at most the cap.
const BASE_MS: u64 = 500;
const CAP_MS: u64 = 20_000;

/// How one attempt ended.
pub struct Attempt {
    /// The first attempt is 0.
    pub index: u32,
    /// The line of the verdict table, for the log.
    pub line: &'static str,
    /// The verdict allows another attempt.
    pub again: bool,
    pub outcome: Outcome,
    /// A retry cannot help, e.g. after an invalid certificate.
    pub permanent: bool,
    /// A kept connection had been closed: a new one helps, and waiting does not.
    pub stale: bool,
    pub retry_after_ms: Option<u64>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    Stop,
    After(Duration),
    /// The wait would outlast the call; this is how long it would be.
    TooLate(Duration),
}

pub fn next(attempt: &Attempt, max_attempts: u32, left: Duration, random: impl FnOnce() -> u64) -> Next {
    if attempt.index + 1 >= max_attempts || attempt.permanent || !attempt.again {
        return Next::Stop;
    }
    if attempt.stale {
        return Next::After(Duration::ZERO);
    }
    let ceiling = (BASE_MS << attempt.index.min(16)).min(CAP_MS);
    let wait = Duration::from_millis(attempt.retry_after_ms.unwrap_or_else(|| random() % (ceiling + 1)));
    if wait < left { Next::After(wait) } else { Next::TooLate(wait) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn attempt(again: bool) -> Attempt {
        Attempt {
            index: 0,
            line: "",
            again,
            outcome: Outcome::Unknown,
            permanent: false,
            stale: false,
            retry_after_ms: None,
        }
    }

    #[test]
    fn nothing_is_retried_unless_allowed() {
        assert_eq!(next(&attempt(false), 3, MINUTE, || 0), Next::Stop);
        assert_eq!(next(&attempt(true), 1, MINUTE, || 0), Next::Stop);
        assert_eq!(next(&attempt(true), 2, MINUTE, || 0), Next::After(Duration::ZERO));
    }

    #[test]
    fn waits_grow_with_full_jitter_up_to_the_cap() {
        let wait = |index, random| match next(&Attempt { index, ..attempt(true) }, 99, MINUTE, || random) {
            Next::After(wait) => wait.as_millis() as u64,
            other => panic!("{other:?}"),
        };
        for (index, ceiling) in [(0, 500), (1, 1000), (2, 2000), (5, 16_000), (6, 20_000), (50, 20_000)] {
            assert_eq!((wait(index, 0), wait(index, ceiling), wait(index, ceiling + 1)), (0, ceiling, 0));
        }
    }

    #[test]
    fn retry_after_is_honoured_and_never_outlasts_the_call() {
        let requested = Attempt { retry_after_ms: Some(2000), ..attempt(true) };
        assert_eq!(next(&requested, 3, MINUTE, || 9), Next::After(Duration::from_secs(2)));
        assert_eq!(next(&requested, 3, Duration::from_secs(2), || 9), Next::TooLate(Duration::from_secs(2)));
        let last = Attempt { index: 2, ..requested };
        assert_eq!(next(&last, 3, MINUTE, || 9), Next::Stop);
    }

    #[test]
    fn a_stale_connection_is_replaced_at_once_and_a_permanent_error_not_retried() {
        let stale = Attempt { stale: true, ..attempt(true) };
        assert_eq!(next(&stale, 3, MINUTE, || 499), Next::After(Duration::ZERO));
        let permanent = Attempt { permanent: true, ..attempt(true) };
        assert_eq!(next(&permanent, 3, MINUTE, || 0), Next::Stop);
    }
}
