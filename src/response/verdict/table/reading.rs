//! Read-only requests.

use super::{
    CONTRADICTS, LINE, OTHER_REQUEST, SAYS_NOTHING, answer_with, has_meaning, http_status, success_and_failure,
};
use crate::response::verdict::{Again, AttemptResult, Line, Says};
use paysvc_spec::status::{Outcome, Status};

/// Read-only requests: the outcome is that of the reading, never that of the payment.
pub const READING: &[Line] = &[
    Line {
        number: "r1",
        answer: "none, no byte written",
        fits: |result| matches!(result, AttemptResult::NoAnswer { sent: false, .. }),
        status: Says::Transport,
        outcome: Outcome::NotSent,
        keeps_state: false,
        again: Again::Yes,
        ..LINE
    },
    Line {
        number: "r2",
        answer: "none, a byte written",
        fits: |result| matches!(result, AttemptResult::NoAnswer { .. }),
        status: Says::Transport,
        keeps_state: false,
        again: Again::Yes,
        ..LINE
    },
    Line {
        number: "r3",
        answer: "3xx, 600 and above",
        fits: |result| http_status(result, |status| !has_meaning(status)),
        keeps_state: false,
        again: Again::IfTruncated,
        ..LINE
    },
    Line {
        number: "r4",
        answer: "5xx, whatever its body",
        fits: |result| http_status(result, |status| status / 100 == 5),
        status: Says::This(Status::Server),
        keeps_state: false,
        again: Again::Yes,
        ..LINE
    },
    Line {
        number: "r5",
        answer: "408",
        fits: |result| http_status(result, |status| status == 408),
        status: Says::This(Status::Timeout),
        keeps_state: false,
        again: Again::Yes,
        ..LINE
    },
    Line {
        number: "r6",
        answer: "2xx or 4xx, not whole (as line 6)",
        fits: |result| answer_with(result, |answer| answer.unreadable.is_some()),
        status: Says::Broken,
        keeps_state: false,
        again: Again::IfTruncated,
        ..LINE
    },
    Line {
        number: "r7",
        answer: "2xx or 4xx but 429, a reference of another request",
        fits: |result| answer_with(result, |answer| answer.http_status != 429 && answer.facts.other_request),
        keeps_state: false,
        explanation: OTHER_REQUEST,
        ..LINE
    },
    Line {
        number: "r8",
        answer: "2xx or 4xx but 429, a name twice",
        fits: |result| answer_with(result, |answer| answer.http_status != 429 && answer.facts.duplicate_names),
        keeps_state: false,
        again: Again::IfTruncated,
        explanation: CONTRADICTS,
        ..LINE
    },
    Line {
        number: "r9",
        answer: "429 whole, a name twice",
        fits: |result| answer_with(result, |answer| answer.http_status == 429 && answer.facts.duplicate_names),
        status: Says::This(Status::RateLimited),
        keeps_state: false,
        again: Again::Yes,
        explanation: CONTRADICTS,
        ..LINE
    },
    Line {
        number: "r10",
        answer: "429 whole, otherwise",
        fits: |result| http_status(result, |status| status == 429),
        status: Says::This(Status::RateLimited),
        outcome: Outcome::Rejected,
        keeps_state: false,
        again: Again::Yes,
        ..LINE
    },
    Line {
        number: "r11",
        answer: "2xx with the row's subject, an object or a number, whatever the word or the code says; the state is \
                 NONE where states disagree or are contradicted, or F or weak F stands beside SUCCESSFUL",
        fits: |result| answer_with(result, |answer| answer.http_status / 100 == 2 && answer.facts.subject),
        status: Says::This(Status::Ok),
        outcome: Outcome::Confirmed,
        ..LINE
    },
    Line {
        number: "r12",
        answer: "2xx or 4xx, S in the interface's own case beside F or weak F",
        fits: |result| answer_with(result, |answer| answer.facts.success.exact && success_and_failure(&answer.facts)),
        keeps_state: false,
        explanation: CONTRADICTS,
        ..LINE
    },
    Line {
        number: "r13",
        answer: "other 4xx, or 2xx with F",
        fits: |result| answer_with(result, |answer| answer.http_status / 100 == 4 || answer.facts.failure.any_case),
        status: Says::Refused,
        outcome: Outcome::Rejected,
        keeps_state: false,
        ..LINE
    },
    Line {
        number: "r14",
        answer: "2xx, S, or one of the row's own members of an answer without an envelope",
        fits: |result| answer_with(result, |answer| answer.facts.success.exact || answer.facts.bare),
        status: Says::This(Status::Ok),
        outcome: Outcome::Confirmed,
        keeps_state: false,
        ..LINE
    },
    Line {
        number: "r15",
        answer: "2xx otherwise",
        fits: |_| true,
        keeps_state: false,
        explanation: SAYS_NOTHING,
        ..LINE
    },
];
