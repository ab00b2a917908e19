//! When a run stops, and how long it waits for a service that answers 429.

use std::time::Duration;

use crate::flow::backoff::Backoff;
use crate::util::ended::CANCELLED;
use paysvc_spec::status::{Outcome, Status};

/// This many batches in a row without an accepted one end a run.
const MOST_FAILURES: u32 = 3;

/// Counts what decides whether the next batch is sent.
pub struct Rules {
    continues_after_unknown: bool,
    failures: u32,
}

impl Rules {
    pub fn new(continues_after_unknown: bool) -> Rules {
        Rules { continues_after_unknown, failures: 0 }
    }

    /// After a batch: why no other one may follow.
    pub fn stop(&mut self, outcome: Outcome, status: Status) -> Option<&'static str> {
        self.failures = if outcome == Outcome::Confirmed { 0 } else { self.failures + 1 };
        match (outcome, status) {
            (Outcome::Confirmed, _) => None,
            (_, Status::Cancelled) => Some(CANCELLED),
            (_, Status::Unauthorized) => Some("the service refused the API key"),
            (Outcome::Rejected, Status::RateLimited) => Some("the service still answered 429 after the waits"),
            (_, Status::Argument | Status::Config | Status::Encrypt | Status::Internal) => {
                Some("the batch could not be sent")
            }
            (Outcome::Unknown, _) if !self.continues_after_unknown => {
                Some("the outcome of a batch is UNKNOWN, so nothing more was sent")
            }
            _ if self.failures >= MOST_FAILURES => Some("three batches in a row were not accepted"),
            _ => None,
        }
    }
}

/// The status of a reply. E_REJECTED says that nothing was executed, so it comes with no other outcome.
pub fn status_beside(status: Status, outcome: Outcome) -> Status {
    if status == Status::Rejected && outcome != Outcome::Rejected { Status::Unresolved } else { status }
}

/// The waits of one batch that is answered with 429 although its call has used all its attempts.
#[derive(Default)]
pub struct Waits {
    rounds: u32,
    waited: Duration,
}

impl Waits {
    /// How many times a batch is sent again.
    const MOST_ROUNDS: u32 = 10;
    /// How long all its waits may take.
    const MOST: Duration = Duration::from_secs(15 * 60);
    /// If the service names no wait: at least half of a wait that doubles.
    const BACKOFF: Backoff = Backoff { first_ms: 1000, longest_ms: 60_000, growth: 200, jitter: (50, 100) };

    /// How long to wait before the batch is sent again; `None` to give up. `left`: how long the call may take, less
    /// what the batch itself may take.
    pub fn next(
        &mut self,
        retry_after_ms: Option<u64>,
        left: Duration,
        random: impl FnOnce() -> u64,
    ) -> Option<Duration> {
        let wait = retry_after_ms.map_or_else(|| Self::BACKOFF.wait(self.rounds, random), Duration::from_millis);
        if self.rounds == Self::MOST_ROUNDS || wait > left || self.waited.saturating_add(wait) > Self::MOST {
            return None;
        }
        self.rounds += 1;
        self.waited += wait;
        Some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_run() {
        let stops = |outcome, status| Rules::new(false).stop(outcome, status).is_some();
        assert!(!stops(Outcome::Confirmed, Status::Ok));
        assert!(!stops(Outcome::Rejected, Status::Rejected) && !stops(Outcome::NotSent, Status::Transport));
        for (outcome, status) in [
            (Outcome::Unknown, Status::Timeout),
            (Outcome::Unknown, Status::Response),
            (Outcome::Rejected, Status::Unauthorized),
            (Outcome::Rejected, Status::RateLimited),
            (Outcome::Rejected, Status::Cancelled),
            (Outcome::NotSent, Status::Cancelled),
            (Outcome::NotSent, Status::Internal),
            (Outcome::NotSent, Status::Config),
        ] {
            assert!(stops(outcome, status), "{outcome:?} {status:?}");
        }
    }

    #[test]
    fn a_refusal_is_named_only_where_nothing_was_executed() {
        assert_eq!(status_beside(Status::Rejected, Outcome::Rejected), Status::Rejected);
        for outcome in [Outcome::Confirmed, Outcome::NotSent, Outcome::Unknown] {
            assert_eq!(status_beside(Status::Rejected, outcome), Status::Unresolved);
            assert_eq!(status_beside(Status::Unauthorized, outcome), Status::Unauthorized);
        }
    }

    #[test]
    fn three_failures_in_a_row_end_it_also_if_it_goes_on_after_unknown() {
        let mut rules = Rules::new(true);
        let mut stop = |outcome, status| rules.stop(outcome, status).is_some();
        assert!(!stop(Outcome::Unknown, Status::Server) && !stop(Outcome::Rejected, Status::Rejected));
        assert!(!stop(Outcome::Confirmed, Status::Ok), "and the count starts again");
        assert!(!stop(Outcome::Rejected, Status::Rejected) && !stop(Outcome::NotSent, Status::Transport));
        assert!(stop(Outcome::Unknown, Status::Server));
    }

    #[test]
    fn the_service_says_how_long_to_wait_else_the_wait_doubles() {
        const DAY: Duration = Duration::from_secs(86_400);
        let mut waits = Waits::default();
        assert_eq!(waits.next(Some(7000), DAY, || 9), Some(Duration::from_secs(7)));
        let back_off: Vec<_> = [0, 2000, 4001].map(|random| waits.next(None, DAY, || random)).into();
        let ms = |ms| Some(Duration::from_millis(ms));
        assert_eq!(back_off, [ms(1000), ms(4000), ms(4000)]);
        let mut longest = Waits { rounds: 9, ..Waits::default() };
        assert_eq!(longest.next(None, DAY, || 30_000), ms(60_000));
    }

    #[test]
    fn waits_are_bounded_in_number_sum_and_by_the_call() {
        const DAY: Duration = Duration::from_secs(86_400);
        let mut quick = Waits::default();
        assert_eq!((0..20).take_while(|_| quick.next(Some(0), DAY, || 0).is_some()).count(), 10);
        assert_eq!(Waits::default().next(Some(901_000), DAY, || 0), None);
        let mut long = Waits::default();
        assert_eq!((0..20).take_while(|_| long.next(Some(200_000), DAY, || 0).is_some()).count(), 4);
        assert_eq!(Waits::default().next(Some(5001), Duration::from_secs(5), || 0), None);
        assert!(Waits::default().next(Some(5000), Duration::from_secs(5), || 0).is_some());
        assert_eq!(Waits::default().next(Some(u64::MAX), DAY, || 0), None);
    }
}
