//! Attempts without a whole response. The verdict of each line on a response is in `tests/verdict_cells.json`.

use super::*;
use Outcome::{NotSent, Rejected, Unknown};
use Status::{Cancelled, RateLimited, Response, Timeout, Transport};

fn brief(verdict: &Verdict) -> (&'static str, Status, Outcome, i32) {
    (verdict.line, verdict.status, verdict.outcome, verdict.state.0)
}

#[test]
fn no_answer() {
    for safety in [Safety::Moves, Safety::Repeatable, Safety::ReadOnly] {
        let reads = safety == Safety::ReadOnly;
        for status in [Transport, Timeout, Cancelled, Status::Internal] {
            let unsent = decide(safety, &AttemptResult::NoAnswer { sent: false, status }, false);
            assert_eq!((unsent.status, unsent.outcome, unsent.again), (status, NotSent, true));
            let sent = decide(safety, &AttemptResult::NoAnswer { sent: true, status }, false);
            assert_eq!((sent.status, sent.outcome, sent.again), (status, Unknown, reads));
        }
        let refused = decide(safety, &AttemptResult::NoAnswer { sent: false, status: Transport }, true);
        let expected = if reads { (Transport, NotSent) } else { (RateLimited, Rejected) };
        assert_eq!((refused.status, refused.outcome), expected, "what the 429 proved still holds");
        let sent = decide(safety, &AttemptResult::NoAnswer { sent: true, status: Transport }, true);
        assert_eq!(sent.outcome, Unknown);
    }
}

#[test]
fn incomplete_answers() {
    for http_status in [200, 400, 401, 429] {
        for status in [Response, Timeout, Cancelled] {
            for may_be_truncated in [false, true] {
                let (unreadable, facts) = (Some(status), &Facts::default());
                let result = AttemptResult::Answer { http_status, unreadable, may_be_truncated, facts };
                for after_429 in [false, true] {
                    let moves = decide(Safety::Moves, &result, after_429);
                    assert_eq!(brief(&moves), ("6", status, Unknown, 0));
                    assert!(!moves.again);
                }
                let reads = decide(Safety::ReadOnly, &result, false);
                assert_eq!(
                    (brief(&reads), reads.again),
                    (("r6", status, Unknown, 0), may_be_truncated || http_status == 429)
                );
            }
        }
    }
}
