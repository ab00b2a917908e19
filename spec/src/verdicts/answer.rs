//! The outcome that the response to a request proves.

use super::StateRule;
use super::StatusRule::{self, Failed, Is, Refused};
use crate::status::Outcome::{self, Confirmed, NotSent, Rejected, Unknown};
use crate::status::{State, Status};

/// A vote for success or failure, and whether the field that gives it has exactly the documented name.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Vote {
    pub any_case: bool,
    pub exact: bool,
}

impl Vote {
    pub fn cast(&mut self, exact: bool) {
        self.any_case = true;
        self.exact |= exact;
    }
}

/// The signs by which the tables decide: how an attempt to send a request went, and the contents of the response.
#[derive(Clone, Copy, Default, Debug)]
pub struct Signs {
    /// 0 without a response.
    pub http_status: u16,
    /// No byte of the request was written.
    pub nothing_sent: bool,
    /// A byte of the request was written, and no response came.
    pub no_answer: bool,
    /// The body is incomplete or cannot be read.
    pub unreadable: bool,
    /// The body ended with its connection.
    pub may_be_truncated: bool,
    pub success: Vote,
    pub failure: Vote,
    /// Contradicts success, but is not a vote for failure.
    pub weak_failure: bool,
    /// An object has a duplicate key.
    pub duplicate_names: bool,
    /// Something in it names progress or success, or may be about an earlier request.
    pub names_progress: bool,
    /// It names any state of a payment.
    pub names_state: bool,
    /// It names something other than its request, or two different things of the same kind.
    pub other_request: bool,
    /// Two states outside of lists disagree.
    pub states_disagree: bool,
    /// The state is contradicted by the history, the top-level word or a payment response code.
    pub state_contradicted: bool,
    /// A failed state beside a top-level word or code of progress, or a payment response code of progress or success.
    pub failed_beside_progress: bool,
    /// Something in it proves that what was asked for was not done.
    pub refusal_proven: bool,
    /// A top-level code 4 or 12.
    pub refusing_code: bool,
    /// An element of a `data` array has failed.
    pub element_failed: bool,
    /// This payment's own state is FAILED.
    pub own_failed: bool,
    /// Only the order's state is FAILED.
    pub order_failed: bool,
    /// The response to a read-only request has its subject.
    pub subject: bool,
    /// A response without an envelope has at least one of the row's fields.
    pub bare: bool,
    /// NONE if states contradict each other.
    pub state: State,
}

impl Signs {
    /// The first digit of the HTTP status.
    fn class(&self) -> u16 {
        self.http_status / 100
    }

    fn contradicts_success(&self) -> bool {
        self.failure.any_case || self.weak_failure
    }

    /// 4xx that are decided before anything is executed (RFC 9110, 15.5; 421, 426, 428, 431: RFC 9110, 6585).
    fn is_before_execution(&self) -> bool {
        matches!(self.http_status, 400 | 401 | 404 | 405 | 407 | 410..=417 | 421 | 426 | 428 | 431)
    }
}

/// A line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// For the log.
    pub number: &'static str,
    /// For the documentation: when the line holds.
    pub words: &'static str,
    pub holds: fn(&Signs) -> bool,
    pub status: StatusRule,
    pub outcome: Outcome,
    pub state: StateRule,
    /// The library sends the request again, if attempts and time are left.
    pub again: When,
    pub after_429: After429,
    /// For the message: facts that the response itself does not state.
    pub explanation: Option<&'static str>,
}

/// A condition of a part of a line.
#[derive(Clone, Copy, Debug)]
pub struct When {
    pub words: &'static str,
    pub holds: fn(&Signs) -> bool,
}

const NO: When = When { words: "no", holds: |_| false };
const YES: When = When { words: "yes", holds: |_| true };
const IF_CUT: When = When {
    words: "if the body ended with its connection, or HTTP 429",
    holds: |s| s.may_be_truncated || s.http_status == 429,
};

/// The change after HTTP 429 to an earlier attempt of the same call: attempts before it may have been executed.
#[derive(Clone, Copy, Debug)]
pub enum After429 {
    Same,
    /// The 429's proof still holds.
    Rejected,
    /// Else E_RESPONSE and UNKNOWN.
    RejectedIf(When),
}

impl After429 {
    pub fn words(self) -> String {
        match self {
            After429::Same => "same".to_owned(),
            After429::Rejected => "E_RATE_LIMITED; REJECTED: what the 429 proved".to_owned(),
            After429::RejectedIf(when) => format!("REJECTED if {}; else E_RESPONSE; UNKNOWN", when.words),
        }
    }
}

const UNKNOWN: Line = Line {
    number: "",
    words: "",
    holds: |_| false,
    status: Is(Status::Response),
    outcome: Unknown,
    state: StateRule::OfAnswer,
    again: NO,
    after_429: After429::Same,
    explanation: None,
};
const REJECTED: Line = Line { status: Refused, outcome: Rejected, ..UNKNOWN };
const CONFIRMED: Line = Line { status: Is(Status::Ok), outcome: Confirmed, ..UNKNOWN };

/// Read-only request: the outcome is that of the reading, never that of the payment.
const UNREAD: Line = Line { state: StateRule::None, ..UNKNOWN };
const READ: Line = Line { state: StateRule::None, ..CONFIRMED };

const NO_STATE: StateRule = StateRule::None;
const TRANSPORT: StatusRule = Failed("the transport's");
const BODY: StatusRule = Failed("E_RESPONSE, or the deadline's or the cancel's");

const UNREADABLE: &str = "a body that is not whole: broken framing, a limit, memory, deadline or cancel within the \
    body; ended by the connection and not whole JSON; content-encoded; begins with `{` or `[`, or says that it is JSON \
    (`content-type`), and is not exactly one JSON document";
const CONTRADICTS: Option<&str> = Some("the response contradicts itself");
const SAYS_NOTHING: Option<&str> = Some("the response does not say what became of the request");

/// Requests that may change something.
#[rustfmt::skip]
pub const CHANGING: &[Line] = &[
    Line { number: "1", words: "no response, no byte written", holds: |s| s.nothing_sent,
        status: TRANSPORT, outcome: NotSent, state: NO_STATE, again: YES, after_429: After429::Rejected, ..UNKNOWN },
    Line { number: "2", words: "no response, a byte written", holds: |s| s.no_answer,
        status: TRANSPORT, state: NO_STATE, ..UNKNOWN },
    Line { number: "3", words: "not HTTP 2xx, 4xx or 5xx", holds: |s| !matches!(s.class(), 2 | 4 | 5), ..UNKNOWN },
    Line { number: "4", words: "HTTP 5xx", holds: |s| s.class() == 5, status: Is(Status::Server), ..UNKNOWN },
    Line { number: "5", words: "HTTP 408", holds: |s| s.http_status == 408, status: Is(Status::Timeout), ..UNKNOWN },
    Line { number: "6", words: UNREADABLE, holds: |s| s.unreadable, status: BODY, state: NO_STATE, ..UNKNOWN },
    Line { number: "7",
        words: "not HTTP 429, and one of: S beside F or weak F; a name twice; a reference that is not the request's, \
            or two of a kind that differ",
        holds: |s| s.http_status != 429
            && (s.success.any_case && s.contradicts_success() || s.duplicate_names || s.other_request),
        explanation: Some("the response contradicts itself or is about another request"), ..UNKNOWN },
    Line { number: "8", words: "HTTP 429, and one of: S; D; any state; a name twice",
        holds: |s| s.http_status == 429
            && (s.success.any_case || s.names_progress || s.names_state || s.duplicate_names),
        status: Is(Status::RateLimited), explanation: Some("the response is 429 and mentions progress"), ..UNKNOWN },
    Line { number: "9", words: "HTTP 429, otherwise", holds: |s| s.http_status == 429,
        status: Is(Status::RateLimited), again: YES, ..REJECTED },
    Line { number: "10", words: "HTTP 4xx, S", holds: |s| s.class() == 4 && s.success.any_case,
        explanation: CONTRADICTS, ..UNKNOWN },
    Line { number: "11", words: "F, D", holds: |s| s.failure.any_case && s.names_progress,
        explanation: Some("the response reports failure, and progress or success beside it"), ..UNKNOWN },
    Line { number: "12",
        words: "exact F, and one of: HTTP 2xx beside a proof of refusal; HTTP 400, 401, 402, 403, 404, 405, 407, 410, \
            411, 412, 413, 414, 415, 416, 417, 421, 422, 426, 428 or 431",
        holds: |s| s.failure.exact
            && (s.class() == 2 && s.refusal_proven || s.is_before_execution()
                || matches!(s.http_status, 402 | 403 | 422)),
        after_429: After429::RejectedIf(When {
            words: "this payment's own state (`orderPayment`, `data.statusId`, `data.status`) is FAILED, or HTTP 401, \
                405, 413 or 415",
            holds: |s| s.own_failed || matches!(s.http_status, 401 | 405 | 413 | 415) }),
        ..REJECTED },
    // With the other 4xx, something in between may have answered after the service, or the response is about another
    // request.
    Line { number: "12b", words: "exact F, otherwise", holds: |s| s.failure.exact,
        explanation: Some("the response reports failure, and does not prove that nothing was done"), ..UNKNOWN },
    Line { number: "13", words: "HTTP 4xx, D", holds: |s| s.class() == 4 && s.names_progress,
        explanation: Some("the response is a refusal and mentions progress or success"), ..UNKNOWN },
    Line { number: "14",
        words: "HTTP 400, 401, 404, 405, 407, 410, 411, 412, 413, 414, 415, 416, 417, 421, 426, 428 or 431",
        holds: |s| s.is_before_execution(),
        after_429: After429::RejectedIf(When {
            words: "not HTTP 400, 404, 410 or 412", holds: |s| !matches!(s.http_status, 400 | 404 | 410 | 412) }),
        ..REJECTED },
    Line { number: "15", words: "HTTP 4xx, otherwise", holds: |s| s.class() == 4,
        explanation: Some("something between here and the service may have answered, after the service had acted"),
        ..UNKNOWN },
    Line { number: "16",
        words: "HTTP 2xx, exact S, and one of: states that disagree; a state that the history, the top-level word or a \
            payment response code contradicts; FAILED beside a top-level word or code of progress, or a payment \
            response code of progress or success; a top-level code 4 or 12; an element of a `data` array FAILED",
        holds: |s| s.class() == 2 && s.success.exact && (s.states_disagree || s.state_contradicted
            || s.failed_beside_progress || s.refusing_code || s.element_failed),
        state: NO_STATE, explanation: CONTRADICTS, ..UNKNOWN },
    Line { number: "17",
        words: "HTTP 2xx, exact S, this payment's own state (`orderPayment`, `data.statusId`, `data.status`) is FAILED",
        holds: |s| s.class() == 2 && s.success.exact && s.own_failed,
        status: Is(Status::Rejected), explanation: Some("the payment failed"), ..REJECTED },
    Line { number: "18", words: "HTTP 2xx, exact S, FAILED only at `order` or `orderSummary`",
        holds: |s| s.class() == 2 && s.success.exact && s.order_failed, state: NO_STATE,
        explanation: Some("the order has failed, and the response does not say what became of this payment"), ..UNKNOWN },
    Line { number: "19", words: "HTTP 2xx, exact S", holds: |s| s.class() == 2 && s.success.exact, ..CONFIRMED },
    Line { number: "20", words: "otherwise", holds: |_| true, explanation: SAYS_NOTHING, ..UNKNOWN },
];

/// Read-only requests.
#[rustfmt::skip]
pub const READING: &[Line] = &[
    Line { number: "r1", words: "no response, no byte written", holds: |s| s.nothing_sent,
        status: TRANSPORT, outcome: NotSent, again: YES, ..UNREAD },
    Line { number: "r2", words: "no response, a byte written", holds: |s| s.no_answer,
        status: TRANSPORT, again: YES, ..UNREAD },
    Line { number: "r3", words: "not HTTP 2xx, 4xx or 5xx", holds: |s| !matches!(s.class(), 2 | 4 | 5), again: IF_CUT,
        ..UNREAD },
    Line { number: "r4", words: "HTTP 5xx", holds: |s| s.class() == 5, status: Is(Status::Server), again: YES,
        ..UNREAD },
    Line { number: "r5", words: "HTTP 408", holds: |s| s.http_status == 408, status: Is(Status::Timeout), again: YES,
        ..UNREAD },
    Line { number: "r6", words: UNREADABLE, holds: |s| s.unreadable, status: BODY, again: IF_CUT, ..UNREAD },
    Line { number: "r7", words: "not HTTP 429, a reference that is not the request's, or two of a kind that differ",
        holds: |s| s.http_status != 429 && s.other_request,
        explanation: Some("the response is about another request"), ..UNREAD },
    Line { number: "r8", words: "not HTTP 429, a name twice", holds: |s| s.http_status != 429 && s.duplicate_names,
        again: IF_CUT, explanation: CONTRADICTS, ..UNREAD },
    Line { number: "r9", words: "HTTP 429, a name twice", holds: |s| s.http_status == 429 && s.duplicate_names,
        status: Is(Status::RateLimited), again: YES, explanation: CONTRADICTS, ..UNREAD },
    Line { number: "r10", words: "HTTP 429, otherwise", holds: |s| s.http_status == 429,
        status: Is(Status::RateLimited), outcome: Rejected, again: YES, ..UNREAD },
    Line { number: "r11", words: "HTTP 2xx, the row's subject as an object or a number",
        holds: |s| s.class() == 2 && s.subject, ..CONFIRMED },
    Line { number: "r12", words: "exact S, F or weak F", holds: |s| s.success.exact && s.contradicts_success(),
        explanation: CONTRADICTS, ..UNREAD },
    Line { number: "r13", words: "one of: HTTP 4xx; F", holds: |s| s.class() == 4 || s.failure.any_case,
        status: Refused, outcome: Rejected, ..UNREAD },
    Line { number: "r14", words: "one of: exact S; one of the row's own fields in a response without an envelope",
        holds: |s| s.success.exact || s.bare, ..READ },
    Line { number: "r15", words: "otherwise", holds: |_| true, explanation: SAYS_NOTHING, ..UNREAD },
];
