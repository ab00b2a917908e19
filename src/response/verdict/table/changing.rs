//! Requests that may change something.

use super::{
    CONTRADICTS, LINE, SAYS_NOTHING, answer_with, client_error, has_meaning, http_status, success, success_and_failure,
};
use crate::response::verdict::{After, Again, AttemptResult, Line, Says};
use paysvc_spec::status::{Outcome, Status};

/// 4xx that are decided before anything is executed (RFC 9110, 15.5; 421, 426, 428, 431: RFC 9110, 6585).
const BEFORE_EXECUTION: &[u16] = &[400, 401, 404, 405, 407, 410, 411, 412, 413, 414, 415, 416, 417, 421, 426, 428, 431];

/// Requests that may change something.
pub const CHANGING: &[Line] = &[
    Line {
        number: "1",
        answer: "none, no byte written",
        fits: |result| matches!(result, AttemptResult::NoAnswer { sent: false, .. }),
        status: Says::Transport,
        outcome: Outcome::NotSent,
        keeps_state: false,
        again: Again::Yes,
        after_429: After::Refused,
        ..LINE
    },
    Line {
        number: "2",
        answer: "none, a byte written",
        fits: |result| matches!(result, AttemptResult::NoAnswer { .. }),
        status: Says::Transport,
        keeps_state: false,
        ..LINE
    },
    Line {
        number: "3",
        answer: "3xx, 600 and above",
        fits: |result| http_status(result, |status| !has_meaning(status)),
        ..LINE
    },
    Line {
        number: "4",
        answer: "5xx, whatever its body",
        fits: |result| http_status(result, |status| status / 100 == 5),
        status: Says::This(Status::Server),
        ..LINE
    },
    Line {
        number: "5",
        answer: "408",
        fits: |result| http_status(result, |status| status == 408),
        status: Says::This(Status::Timeout),
        ..LINE
    },
    Line {
        number: "6",
        answer: "2xx or 4xx, not whole: broken framing, a limit, memory, deadline or cancel within the body; ended by \
                 the connection and not whole JSON; content-encoded; begins with `{` or `[` and is not exactly one \
                 JSON document",
        fits: |result| answer_with(result, |answer| answer.unreadable.is_some()),
        status: Says::Broken,
        keeps_state: false,
        ..LINE
    },
    Line {
        number: "7",
        answer: "2xx or 4xx but 429, S beside F or weak F; a name twice; a reference that is not the request's, or two \
                 of a kind that differ",
        fits: |result| {
            answer_with(result, |answer| {
                let facts = &answer.facts;
                answer.http_status != 429
                    && (success_and_failure(facts) || facts.duplicate_names || facts.other_request)
            })
        },
        explanation: Some("the answer contradicts itself or speaks of another request"),
        ..LINE
    },
    Line {
        number: "8",
        answer: "429 whole, with S, D, any state, or a name twice",
        fits: |result| {
            answer_with(result, |answer| {
                let facts = &answer.facts;
                answer.http_status == 429
                    && (facts.success.any_case || facts.names_progress || facts.names_state || facts.duplicate_names)
            })
        },
        status: Says::This(Status::RateLimited),
        explanation: Some("the answer is 429 and speaks of progress"),
        ..LINE
    },
    Line {
        number: "9",
        answer: "429 whole, otherwise: a page, empty, F",
        fits: |result| http_status(result, |status| status == 429),
        status: Says::This(Status::RateLimited),
        outcome: Outcome::Rejected,
        again: Again::Yes,
        ..LINE
    },
    Line {
        number: "10",
        answer: "other 4xx, S",
        fits: |result| client_error(result, |answer| answer.facts.success.any_case),
        explanation: CONTRADICTS,
        ..LINE
    },
    Line {
        number: "11",
        answer: "2xx or 4xx, F and D",
        fits: |result| answer_with(result, |answer| answer.facts.failure.any_case && answer.facts.names_progress),
        explanation: Some("the answer reports failure, and progress or success beside it"),
        ..LINE
    },
    Line {
        number: "12",
        answer: "2xx or 4xx, F, no D",
        fits: |result| answer_with(result, |answer| answer.facts.failure.exact),
        status: Says::Refused,
        outcome: Outcome::Rejected,
        after_429: After::Only("this payment's own state is FAILED, or the status is 401, 405, 413 or 415", |answer| {
            answer.facts.own_failed || matches!(answer.http_status, 401 | 405 | 413 | 415)
        }),
        ..LINE
    },
    Line {
        number: "13",
        answer: "4xx, no vote, D",
        fits: |result| client_error(result, |answer| answer.facts.names_progress),
        explanation: Some("the answer is a refusal and speaks of progress or success"),
        ..LINE
    },
    Line {
        number: "14",
        answer: "4xx, no vote, one of 400 401 404 405 407 410 411 412 413 414 415 416 417 421 426 428 431",
        fits: |result| client_error(result, |answer| BEFORE_EXECUTION.contains(&answer.http_status)),
        status: Says::Refused,
        outcome: Outcome::Rejected,
        after_429: After::Only("the status is none of 400, 404, 410 and 412", |answer| {
            !matches!(answer.http_status, 400 | 404 | 410 | 412)
        }),
        ..LINE
    },
    Line {
        number: "15",
        answer: "4xx, no vote, any other: something in between may have answered after the service",
        fits: |result| client_error(result, |_| true),
        explanation: Some("something between here and the service may have answered, after the service had acted"),
        ..LINE
    },
    Line {
        number: "16",
        answer: "2xx, S, and states that disagree; or a state that the history, the \
                 top-level word or a payment response code contradicts; or FAILED beside a word or code of progress \
                 or a payment response code of success; or a top-level code 4 or 12; or an element of a `data` array \
                 FAILED",
        fits: |result| {
            success(result, |facts| {
                facts.states_disagree
                    || facts.state_contradicted
                    || facts.failed_beside_progress
                    || facts.refusing_code
                    || facts.element_failed
            })
        },
        keeps_state: false,
        explanation: CONTRADICTS,
        ..LINE
    },
    Line {
        number: "17",
        answer: "2xx, S, this payment's own state (`orderPayment`, `data.statusId`, `data.status`) is FAILED",
        fits: |result| success(result, |facts| facts.own_failed),
        status: Says::This(Status::Rejected),
        outcome: Outcome::Rejected,
        explanation: Some("the payment failed"),
        ..LINE
    },
    Line {
        number: "18",
        answer: "2xx, S, FAILED only at `order` or `orderSummary`",
        fits: |result| success(result, |facts| facts.order_failed),
        keeps_state: false,
        explanation: Some("the order has failed, and the answer does not say what became of this payment"),
        ..LINE
    },
    Line {
        number: "19",
        answer: "2xx, S, otherwise",
        fits: |result| success(result, |_| true),
        status: Says::This(Status::Ok),
        outcome: Outcome::Confirmed,
        ..LINE
    },
    Line { number: "20", answer: "2xx, no vote, empty, a page", fits: |_| true, explanation: SAYS_NOTHING, ..LINE },
];
