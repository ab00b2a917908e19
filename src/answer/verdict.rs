//! The verdict: what an attempt proves about the request, and whether the request is sent again.
//!
//! The tables are [`paysvc_spec::verdicts`], and `docs/verdicts.md` shows them with the rules of reading. A verdict is
//! never better than its evidence: a response that contradicts itself or is incomplete is UNKNOWN.

use crate::answer::facts::Facts;
use paysvc_spec::schema::Safety;
use paysvc_spec::status::{Outcome, State, Status};
use paysvc_spec::verdicts::{After429, CHANGING, READING, Signs, StateRule, StatusRule};

#[cfg(test)]
mod cells;

pub enum AttemptResult<'a> {
    NoAnswer {
        /// A byte of the request was written.
        sent: bool,
        /// The transport's.
        status: Status,
    },
    Answer {
        http_status: u16,
        /// The reason why the body is incomplete or unreadable, as a status.
        unreadable: Option<Status>,
        /// The body ended with its connection, so it may be truncated.
        may_be_truncated: bool,
        facts: &'a Facts,
    },
}

/// The proof of an attempt, or of the status query about an earlier one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The number of the table's line.
    pub line: &'static str,
    pub status: Status,
    pub outcome: Outcome,
    pub state: State,
    /// The library sends the request, or with `wait` the status query, again if attempts and time are left.
    pub again: bool,
    /// An explanation that is not in the response itself.
    pub explanation: Option<&'static str>,
}

impl Verdict {
    /// Returns the verdict on something that no response is about.
    pub fn of_library(status: Status, outcome: Outcome) -> Verdict {
        Verdict { line: "", status, outcome, state: State::NONE, again: false, explanation: None }
    }
}

/// Decides what the attempt proves. `after_429`: an earlier attempt of the same call was answered with 429.
pub fn decide(safety: Safety, result: &AttemptResult<'_>, after_429: bool) -> Verdict {
    let lines = if safety == Safety::ReadOnly { READING } else { CHANGING };
    let (signs, failure) = match *result {
        AttemptResult::NoAnswer { sent, status } => {
            (Signs { nothing_sent: !sent, no_answer: sent, ..Signs::default() }, status)
        }
        AttemptResult::Answer { http_status, unreadable, may_be_truncated, facts } => {
            let unclear = unreadable.is_some() || facts.signs.duplicate_names;
            let state = if unclear { State::NONE } else { facts.signs.state };
            let own = Signs { http_status, unreadable: unreadable.is_some(), may_be_truncated, state, ..facts.signs };
            (own, unreadable.unwrap_or(Status::Response))
        }
    };
    let line = lines.iter().find(|line| (line.holds)(&signs)).expect("the last line always holds");
    let mut verdict = Verdict {
        line: line.number,
        status: status_of(line.status, signs.http_status, failure),
        outcome: line.outcome,
        state: state_of(line.state, signs.state, State::NONE),
        again: (line.again.holds)(&signs),
        explanation: line.explanation,
    };
    match line.after_429 {
        After429::Rejected if after_429 => {
            verdict.outcome = Outcome::Rejected;
            if matches!(verdict.status, Status::Transport | Status::Timeout) {
                verdict.status = Status::RateLimited;
                verdict.explanation = Some("the service answered 429, and the request could not be sent again");
            }
        }
        After429::RejectedIf(when) if after_429 && !(when.holds)(&signs) => {
            verdict.status = Status::Response;
            verdict.outcome = Outcome::Unknown;
            verdict.explanation =
                Some("the service refused this attempt, but an earlier one, answered with 429, may have been executed");
        }
        _ => {}
    }
    verdict
}

/// `failure`: the status of what failed, if something did.
pub(super) fn status_of(rule: StatusRule, http_status: u16, failure: Status) -> Status {
    match rule {
        StatusRule::Is(status) => status,
        StatusRule::Refused if matches!(http_status, 401 | 403) => Status::Unauthorized,
        StatusRule::Refused => Status::Rejected,
        StatusRule::Failed(_) => failure,
    }
}

pub(super) fn state_of(rule: StateRule, of_answer: State, of_entry: State) -> State {
    match rule {
        StateRule::None => State::NONE,
        StateRule::OfAnswer => of_answer,
        StateRule::OfEntry => of_entry,
        StateRule::Successful => State::SUCCESSFUL,
    }
}

/// Advice for an unknown outcome of a request that moves no money.
pub fn advice(safety: Safety, outcome: Outcome) -> Option<&'static str> {
    (safety == Safety::Repeatable && outcome == Outcome::Unknown)
        .then_some("it may or may not have been done; it moves no money, so it may be repeated")
}
