//! Whether and when a request is put on the wire again. Pure: time and chance are handed in.
//!
//! Whether the evidence allows another attempt is a column of the table in [`crate::response::verdict`].

use std::time::Duration;

use paysvc_spec::status::Outcome;

/// Exponential back-off with full jitter: between zero and base × 2ⁿ, at most the cap.
const BASE_MS: u64 = 500;
const CAP_MS: u64 = 20_000;

/// How one try ended.
pub struct Try {
    /// The first try is 0.
    pub index: u32,
    /// Of the table of verdicts, for the log.
    pub line: &'static str,
    /// The table of verdicts allows another attempt.
    pub again: bool,
    pub outcome: Outcome,
    /// Trying again cannot help, e.g. a certificate that does not fit.
    pub permanent: bool,
    /// A kept connection was found closed: a new one helps, and waiting does not.
    pub stale: bool,
    pub retry_after_ms: Option<u64>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    Stop,
    After(Duration),
    /// The wait would outlast the call; it would have been this long.
    TooLate(Duration),
}

pub fn next(tried: &Try, max_attempts: u32, left: Duration, random: impl FnOnce() -> u64) -> Next {
    if tried.index + 1 >= max_attempts || tried.permanent || !tried.again {
        return Next::Stop;
    }
    if tried.stale {
        return Next::After(Duration::ZERO);
    }
    let ceiling = (BASE_MS << tried.index.min(16)).min(CAP_MS);
    let wait = Duration::from_millis(tried.retry_after_ms.unwrap_or_else(|| random() % (ceiling + 1)));
    if wait < left { Next::After(wait) } else { Next::TooLate(wait) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn tried(again: bool) -> Try {
        Try {
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
    fn nothing_is_tried_again_without_leave() {
        assert_eq!(next(&tried(false), 3, MINUTE, || 0), Next::Stop);
        assert_eq!(next(&tried(true), 1, MINUTE, || 0), Next::Stop);
        assert_eq!(next(&tried(true), 2, MINUTE, || 0), Next::After(Duration::ZERO));
    }

    #[test]
    fn waits_grow_with_full_jitter_up_to_the_cap() {
        let wait = |index, random| match next(&Try { index, ..tried(true) }, 99, MINUTE, || random) {
            Next::After(wait) => wait.as_millis() as u64,
            other => panic!("{other:?}"),
        };
        for (index, ceiling) in [(0, 500), (1, 1000), (2, 2000), (5, 16_000), (6, 20_000), (50, 20_000)] {
            assert_eq!((wait(index, 0), wait(index, ceiling), wait(index, ceiling + 1)), (0, ceiling, 0));
        }
    }

    #[test]
    fn retry_after_is_honoured_and_never_outlasts_the_call() {
        let asked = Try { retry_after_ms: Some(2000), ..tried(true) };
        assert_eq!(next(&asked, 3, MINUTE, || 9), Next::After(Duration::from_secs(2)));
        assert_eq!(next(&asked, 3, Duration::from_secs(2), || 9), Next::TooLate(Duration::from_secs(2)));
        let last = Try { index: 2, ..asked };
        assert_eq!(next(&last, 3, MINUTE, || 9), Next::Stop);
    }

    #[test]
    fn a_stale_connection_costs_no_wait_and_a_permanent_fault_no_second_try() {
        let stale = Try { stale: true, ..tried(true) };
        assert_eq!(next(&stale, 3, MINUTE, || 499), Next::After(Duration::ZERO));
        let permanent = Try { permanent: true, ..tried(true) };
        assert_eq!(next(&permanent, 3, MINUTE, || 0), Next::Stop);
    }
}
