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

/// What may hold of an attempt to send a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    All(&'static [Condition]),
    Any(&'static [Condition]),
    Not(&'static Condition),
    /// Always.
    Otherwise,
    NoAnswer {
        /// A byte of the request was written.
        sent: bool,
    },
    /// One of these HTTP statuses.
    Http(&'static [u16]),
    /// An HTTP status that begins with one of these digits.
    HttpClass(&'static [u16]),
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
    RefusingCode,
    ElementFailed,
    OwnFailed,
    OrderFailed,
    Subject,
    Bare,
}

impl Condition {
    pub fn words(&self) -> String {
        let words = match *self {
            Condition::All(parts) => return parts.iter().map(Condition::words).collect::<Vec<_>>().join(" beside "),
            Condition::Any(any) => return one_of(any.iter().map(Condition::words)),
            Condition::Not(condition) => return format!("not {}", condition.words()),
            Condition::Http(statuses) => return http(statuses),
            Condition::HttpClass(classes) => {
                let classes: Vec<_> = classes.iter().map(|class| format!("{class}xx")).collect();
                return format!("HTTP {}", listed(&classes));
            }
            Condition::Otherwise => "otherwise",
            Condition::NoAnswer { sent: false } => "no answer, no byte written",
            Condition::NoAnswer { sent: true } => "no answer, a byte written",
            Condition::Unreadable => {
                "a body that is not whole: broken framing, a limit, memory, deadline or cancel within the body; ended by the \
                 connection and not whole JSON; content-encoded; begins with `{` or `[` and is not exactly one JSON \
                 document"
            }
            Condition::MayBeTruncated => "the body ended with its connection",
            Condition::Success => "S",
            Condition::ExactSuccess => "exact S",
            Condition::Failure => "F",
            Condition::ExactFailure => "exact F",
            Condition::FailureOrWeakFailure => "F or weak F",
            Condition::DuplicateNames => "a name twice",
            Condition::OtherRequest => super::OTHER_REQUEST,
            Condition::NamesProgress => "D",
            Condition::NamesState => "any state",
            Condition::StatesDisagree => super::STATES_DISAGREE,
            Condition::StateContradicted => super::STATE_CONTRADICTED,
            Condition::FailedBesideProgress => {
                "FAILED beside a top-level word or code of progress, or a payment response code of progress or \
                 success"
            }
            Condition::RefusingCode => "a top-level code 4 or 12",
            Condition::ElementFailed => "an element of a `data` array FAILED",
            Condition::OwnFailed => {
                "this payment's own state (`orderPayment`, `data.statusId`, `data.status`) is FAILED"
            }
            Condition::OrderFailed => "FAILED only at `order` or `orderSummary`",
            Condition::Subject => "the row's subject as an object or a number",
            Condition::Bare => "one of the row's own members in an answer without an envelope",
        };
        words.to_owned()
    }
}
