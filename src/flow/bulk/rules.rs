//! When a run stops.

use super::WHAT;
use crate::util::expiry::CANCELLED;
use crate::util::memory;
use crate::util::panics::catch_panic;
use crate::util::validation_error::ValidationError;
use paysvc_spec::status::{Outcome, Status};

/// The status and the reason that end a run before its last batch.
pub struct Failure(pub Status, pub String);

impl Failure {
    pub fn of_callback() -> Failure {
        Failure(Status::Cancelled, "the progress callback stopped the call".into())
    }
}

/// There is no memory to pay, or look up, that many recipients, and to report what becomes of them.
pub fn no_memory(recipients: usize) -> ValidationError {
    let text = format!("{WHAT}: {}, for {recipients} recipients", memory::LACK);
    ValidationError::new(Status::Argument, text)
}

/// Runs a part of an operation whose report must survive a panic; the error is its message.
pub fn contained<T>(part: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_panic(part).map_err(|source_line| Failure(Status::Internal, source_line.bug("")))
}

/// This many batches in a row without an accepted one end a run.
const MOST_FAILURES: u32 = 3;

/// Counts what decides whether the next batch is sent.
pub struct Rules {
    /// A batch whose outcome is UNKNOWN does not end the run.
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

/// The status of a reply. E_REJECTED means that nothing was executed, so it comes with no other outcome.
pub fn status_beside(status: Status, outcome: Outcome) -> Status {
    if status == Status::Rejected && outcome != Outcome::Rejected { Status::Unresolved } else { status }
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
}
