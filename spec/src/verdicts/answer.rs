//! The schema of the tables about the answer to a request.

use super::{StateRule, StatusRule, all, http, listed, one_of};
use crate::status::{Outcome, Status};

/// A line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// For the log.
    pub number: &'static str,
    /// All of them must hold.
    pub conditions: &'static [Condition],
    pub status: StatusRule,
    pub outcome: Outcome,
    pub state: StateRule,
    pub again: Again,
    pub after_429: After429,
    /// For the message: what the answer does not say itself.
    pub explanation: Option<&'static str>,
}

impl Line {
    /// The answer, in words.
    pub fn words(&self) -> String {
        all(self.conditions.iter().map(Condition::words))
    }
}

/// The defaults of a line.
pub(super) const LINE: Line = Line {
    number: "",
    conditions: &[],
    status: StatusRule::Is(Status::Response),
    outcome: Outcome::Unknown,
    state: StateRule::OfAnswer,
    again: Again::No,
    after_429: After429::Same,
    explanation: None,
};

pub(super) const CONTRADICTS: Option<&str> = Some("the answer contradicts itself");
pub(super) const SAYS_NOTHING: Option<&str> = Some("the answer does not say what became of the request");

/// Whether the library sends the request again, if attempts and time are left.
#[derive(Clone, Copy, Debug)]
pub enum Again {
    No,
    Yes,
    /// If one of these holds.
    If(&'static [Condition]),
}

impl Again {
    pub fn words(self) -> String {
        match self {
            Again::No => "no".to_owned(),
            Again::Yes => "yes".to_owned(),
            Again::If(any) => format!("if {}", either(any)),
        }
    }
}

/// What changes after an earlier attempt of the same call was answered with 429: attempts before it may have been
/// executed.
#[derive(Clone, Copy, Debug)]
pub enum After429 {
    Same,
    /// What the 429 proved still holds.
    Rejected,
    /// REJECTED if one of these holds, else E_RESPONSE and UNKNOWN.
    RejectedIf(&'static [Condition]),
}

impl After429 {
    pub fn words(self) -> String {
        match self {
            After429::Same => "same".to_owned(),
            After429::Rejected => "E_RATE_LIMITED; REJECTED: what the 429 proved".to_owned(),
            After429::RejectedIf(any) => format!("REJECTED if {}; else E_RESPONSE; UNKNOWN", either(any)),
        }
    }
}

fn either(any: &[Condition]) -> String {
    any.iter().map(Condition::words).collect::<Vec<_>>().join(", or ")
}

/// Conditions on an attempt to send a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    All(&'static [Condition]),
    Any(&'static [Condition]),
    Not(&'static Condition),
    /// Always.
    Otherwise,
    /// One of these HTTP statuses.
    Http(&'static [u16]),
    /// An HTTP status that begins with one of these digits.
    HttpClass(&'static [u16]),
    Is(Fact),
}

impl Condition {
    pub fn words(&self) -> String {
        match *self {
            Condition::All(parts) => parts.iter().map(Condition::words).collect::<Vec<_>>().join(" beside "),
            Condition::Any(any) => one_of(any.iter().map(Condition::words)),
            Condition::Not(condition) => format!("not {}", condition.words()),
            Condition::Otherwise => "otherwise".to_owned(),
            Condition::Http(statuses) => http(statuses),
            Condition::HttpClass(classes) => {
                let classes: Vec<_> = classes.iter().map(|class| format!("{class}xx")).collect();
                format!("HTTP {}", listed(&classes))
            }
            Condition::Is(fact) => fact.words().to_owned(),
        }
    }
}

/// What an attempt to send a request can show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fact {
    /// No byte of the request was written.
    NothingSent,
    /// A byte of the request was written, and no answer came.
    NoAnswer,
    /// The body is incomplete or cannot be read.
    Unreadable,
    /// The body ended with its connection.
    MayBeTruncated,
    Success,
    /// With the documented names.
    ExactSuccess,
    Failure,
    /// With the documented names.
    ExactFailure,
    FailureOrWeakFailure,
    DuplicateNames,
    OtherRequest,
    NamesProgress,
    NamesState,
    StatesDisagree,
    StateContradicted,
    FailedBesideProgress,
    RefusalProven,
    RefusingCode,
    ElementFailed,
    OwnFailed,
    OrderFailed,
    Subject,
    Bare,
}

impl Fact {
    pub fn words(self) -> &'static str {
        match self {
            Fact::NothingSent => "no answer, no byte written",
            Fact::NoAnswer => "no answer, a byte written",
            Fact::Unreadable => {
                "a body that is not whole: broken framing, a limit, memory, deadline or cancel within the body; ended by the \
                 connection and not whole JSON; content-encoded; begins with `{` or `[`, or says that it is JSON (`content-type`), and is not exactly one \
                 JSON document"
            }
            Fact::MayBeTruncated => "the body ended with its connection",
            Fact::Success => "S",
            Fact::ExactSuccess => "exact S",
            Fact::Failure => "F",
            Fact::ExactFailure => "exact F",
            Fact::FailureOrWeakFailure => "F or weak F",
            Fact::DuplicateNames => "a name twice",
            Fact::OtherRequest => super::OTHER_REQUEST,
            Fact::NamesProgress => "D",
            Fact::NamesState => "any state",
            Fact::StatesDisagree => super::STATES_DISAGREE,
            Fact::StateContradicted => super::STATE_CONTRADICTED,
            Fact::FailedBesideProgress => {
                "FAILED beside a top-level word or code of progress, or a payment response code of progress or success"
            }
            Fact::RefusalProven => "a proof of refusal",
            Fact::RefusingCode => "a top-level code 4 or 12",
            Fact::ElementFailed => "an element of a `data` array FAILED",
            Fact::OwnFailed => "this payment's own state (`orderPayment`, `data.statusId`, `data.status`) is FAILED",
            Fact::OrderFailed => "FAILED only at `order` or `orderSummary`",
            Fact::Subject => "the row's subject as an object or a number",
            Fact::Bare => "one of the row's own members in an answer without an envelope",
        }
    }
}
