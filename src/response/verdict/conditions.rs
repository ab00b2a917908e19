//! The conditions that lines of the table share.

use super::{AttemptResult, ReceivedAnswer};
use crate::response::facts::Facts;

/// Whether a meaning is defined for this status; 3xx are never followed.
pub fn has_meaning(http_status: u16) -> bool {
    matches!(http_status, 200..=299 | 400..=599)
}

/// An answer with this HTTP status.
pub fn http_status(result: &AttemptResult, fits: fn(u16) -> bool) -> bool {
    matches!(result, AttemptResult::Answer(answer) if fits(answer.http_status))
}

/// Any answer.
pub fn answer_with(result: &AttemptResult, fits: fn(&ReceivedAnswer) -> bool) -> bool {
    matches!(result, AttemptResult::Answer(answer) if fits(answer))
}

/// 4xx.
pub fn client_error(result: &AttemptResult, fits: fn(&ReceivedAnswer) -> bool) -> bool {
    matches!(result, AttemptResult::Answer(answer) if answer.http_status / 100 == 4 && fits(answer))
}

/// 2xx with success in the documented form.
pub fn success(result: &AttemptResult, fits: fn(&Facts) -> bool) -> bool {
    matches!(result, AttemptResult::Answer(answer)
        if answer.http_status / 100 == 2 && answer.facts.success.exact && fits(&answer.facts))
}

pub fn success_and_failure(facts: &Facts) -> bool {
    facts.success.any_case && (facts.failure.any_case || facts.weak_failure)
}
