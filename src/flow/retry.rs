//! Whether and when a request is retried. Time and randomness are arguments.
//!
//! Whether the evidence allows another attempt is a column of the table in [`crate::answer::verdict`].

use std::time::Duration;

use crate::answer::reply::Reply;
use crate::flow::backoff::Backoff;
use paysvc_spec::status::Outcome;

/// For the attempts of a call: with full jitter.
const BACKOFF: Backoff = Backoff { first_ms: 500, longest_ms: 20_000, growth: 200, jitter: (0, 100) };

/// What the attempts to send the same request have proved so far.
#[derive(Clone, Copy)]
pub struct PriorAttempts {
    /// It still holds if a later attempt sends nothing.
    outcome: Outcome,
    /// One was answered with 429, and those before it may have been executed.
    pub after_429: bool,
}

impl PriorAttempts {
    pub const NONE: PriorAttempts = PriorAttempts { outcome: Outcome::NotSent, after_429: false };
    /// Every answer was a 429 that proved that the request was not executed.
    pub const REFUSED: PriorAttempts = PriorAttempts { outcome: Outcome::Rejected, after_429: true };

    /// Adds the reply of one more attempt, which then tells the outcome of all.
    pub fn add(&mut self, reply: &mut Reply) {
        self.after_429 |= reply.http_status == 429;
        if reply.outcome != Outcome::NotSent {
            self.outcome = reply.outcome;
        }
        reply.outcome = self.outcome;
    }
}

/// Whether another attempt is allowed and may help.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Again {
    No,
    /// Waiting would not help.
    AtOnce,
    /// After a wait: the service's own, in ms, if it names one.
    Later(Option<u64>),
}

#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    GiveUp,
    After(Duration),
    /// The wait would outlast the call; this is how long it would be.
    TooLate(Duration),
}

/// What follows the attempt of that number; the first is 1.
pub fn next(again: Again, number: u32, max_attempts: u32, left: Duration, random: impl FnOnce() -> u64) -> Next {
    let retry_after_ms = match again {
        _ if number >= max_attempts => return Next::GiveUp,
        Again::No => return Next::GiveUp,
        Again::AtOnce => return Next::After(Duration::ZERO),
        Again::Later(retry_after_ms) => retry_after_ms,
    };
    let wait = retry_after_ms.map_or_else(|| BACKOFF.wait(number - 1, random), Duration::from_millis);
    if wait < left { Next::After(wait) } else { Next::TooLate(wait) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use paysvc_spec::status::Status;

    const MINUTE: Duration = Duration::from_secs(60);

    const LATER: Again = Again::Later(None);

    #[test]
    fn nothing_is_retried_unless_allowed() {
        assert_eq!(next(Again::No, 1, 3, MINUTE, || 0), Next::GiveUp);
        assert_eq!(next(LATER, 1, 1, MINUTE, || 0), Next::GiveUp);
        assert_eq!(next(LATER, 1, 2, MINUTE, || 0), Next::After(Duration::ZERO));
    }

    #[test]
    fn waits_grow_with_full_jitter_up_to_the_cap() {
        let wait = |number, random| match next(LATER, number, 99, MINUTE, || random) {
            Next::After(wait) => wait.as_millis() as u64,
            other => panic!("{other:?}"),
        };
        for (number, ceiling) in [(1, 500), (2, 1000), (3, 2000), (6, 16_000), (7, 20_000), (51, 20_000)] {
            assert_eq!((wait(number, 0), wait(number, ceiling), wait(number, ceiling + 1)), (0, ceiling, 0));
        }
    }

    #[test]
    fn retry_after_is_honoured_and_never_outlasts_the_call() {
        let requested = Again::Later(Some(2000));
        assert_eq!(next(requested, 1, 3, MINUTE, || 9), Next::After(Duration::from_secs(2)));
        assert_eq!(next(requested, 1, 3, Duration::from_secs(2), || 9), Next::TooLate(Duration::from_secs(2)));
        assert_eq!(next(requested, 3, 3, MINUTE, || 9), Next::GiveUp);
    }

    #[test]
    fn a_closed_connection_is_replaced_at_once() {
        assert_eq!(next(Again::AtOnce, 1, 3, MINUTE, || 499), Next::After(Duration::ZERO));
    }

    #[test]
    fn an_attempt_that_sends_nothing_leaves_the_outcome_of_those_before_it() {
        let reply = |outcome, http_status| Reply { http_status, ..Reply::failed(Status::Transport, outcome, "") };
        let mut prior = PriorAttempts::NONE;
        let mut add = |mut reply: Reply| {
            prior.add(&mut reply);
            (reply.outcome, prior.after_429)
        };
        assert_eq!(add(reply(Outcome::NotSent, 0)), (Outcome::NotSent, false));
        assert_eq!(add(reply(Outcome::Rejected, 429)), (Outcome::Rejected, true));
        assert_eq!(add(reply(Outcome::NotSent, 0)), (Outcome::Rejected, true));
        assert_eq!(add(reply(Outcome::Unknown, 0)), (Outcome::Unknown, true));
    }
}
