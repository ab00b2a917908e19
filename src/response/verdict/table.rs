//! The lines of the table, in the order in which they are tried, and the conditions that they share.

mod changing;
mod reading;

use super::{After, Again, AttemptResult, Line, ReceivedAnswer, Says};
use crate::response::facts::Facts;
use paysvc_spec::status::{Outcome, Status};

pub use changing::CHANGING;
pub use reading::READING;

/// The defaults of a line.
const LINE: Line = Line {
    number: "",
    answer: "",
    fits: |_| false,
    status: Says::This(Status::Response),
    outcome: Outcome::Unknown,
    keeps_state: true,
    again: Again::No,
    after_429: After::Same,
    explanation: None,
};

const CONTRADICTS: Option<&str> = Some("the answer contradicts itself");
const SAYS_NOTHING: Option<&str> = Some("the answer does not say what became of the request");
const OTHER_REQUEST: Option<&str> = Some("the answer speaks of another request");

/// Whether a meaning is defined for this status; 3xx are never followed.
fn has_meaning(http_status: u16) -> bool {
    matches!(http_status, 200..=299 | 400..=599)
}

/// An answer with this HTTP status.
fn http_status(result: &AttemptResult, fits: fn(u16) -> bool) -> bool {
    matches!(result, AttemptResult::Answer(answer) if fits(answer.http_status))
}

/// Any answer.
fn answer_with(result: &AttemptResult, fits: fn(&ReceivedAnswer) -> bool) -> bool {
    matches!(result, AttemptResult::Answer(answer) if fits(answer))
}

/// 4xx.
fn client_error(result: &AttemptResult, fits: fn(&ReceivedAnswer) -> bool) -> bool {
    matches!(result, AttemptResult::Answer(answer) if answer.http_status / 100 == 4 && fits(answer))
}

/// 2xx with success in the documented form.
fn success(result: &AttemptResult, fits: fn(&Facts) -> bool) -> bool {
    matches!(result, AttemptResult::Answer(answer)
        if answer.http_status / 100 == 2 && answer.facts.success.exact && fits(&answer.facts))
}

fn success_and_failure(facts: &Facts) -> bool {
    facts.success.any_case && (facts.failure.any_case || facts.weak_failure)
}
