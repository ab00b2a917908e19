//! The verdict table: what an attempt proves about the request, and whether the request is sent again.
//!
//! The first line that fits decides. `docs/verdicts.md` is rendered from these lines, with the reading rules in words.
//! A verdict is never better than its evidence: an answer that contradicts itself or is incomplete is UNKNOWN.

use crate::response::facts::Facts;
use paysvc_spec::schema::Safety;
use paysvc_spec::status::{Outcome, State, Status};

#[cfg(test)]
mod cells;
#[cfg(test)]
mod document;
mod table;

pub use table::{CHANGING, READING};

/// What came of one attempt to send a request.
pub enum AttemptResult {
    NoAnswer {
        /// A byte of the request was written.
        sent: bool,
        /// The transport's.
        status: Status,
    },
    Answer(ReceivedAnswer),
}

pub struct ReceivedAnswer {
    pub http_status: u16,
    /// Why the body is incomplete or unreadable, as a status.
    pub unreadable: Option<Status>,
    /// The body ended with its connection, so it may be truncated.
    pub may_be_truncated: bool,
    pub facts: Box<Facts>,
}

/// What an attempt proves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The number of the table's line.
    pub line: &'static str,
    pub status: Status,
    pub outcome: Outcome,
    pub state: State,
    /// The library sends the request again if attempts and time are left.
    pub again: bool,
    /// What the answer does not say itself.
    pub explanation: Option<&'static str>,
}

/// A line of the table.
pub struct Line {
    /// For the log.
    pub number: &'static str,
    /// The answer, in words.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test renders it into docs/verdicts.md"))]
    pub answer: &'static str,
    fits: fn(&AttemptResult) -> bool,
    pub status: Says,
    pub outcome: Outcome,
    /// The state is the answer's; otherwise NONE.
    pub keeps_state: bool,
    pub again: Again,
    /// What changes after an earlier attempt of the same call was answered with 429, as attempts before it may have been
    /// executed.
    pub after_429: After,
    pub explanation: Option<&'static str>,
}

/// The status of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Says {
    This(Status),
    /// The service refused: E_UNAUTHORIZED for 401 and 403, else E_REJECTED.
    Refused,
    /// The transport's own.
    Transport,
    /// The body is incomplete: E_RESPONSE, or E_TIMEOUT or E_CANCELLED if these ended it.
    Broken,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Again {
    No,
    Yes,
    /// If the body may be truncated, and if the status is 429.
    IfTruncated,
}

#[derive(Clone, Copy)]
pub enum After {
    Same,
    /// What the 429 proved still holds.
    Refused,
    /// REJECTED if this is so, else E_RESPONSE and UNKNOWN.
    Only(#[cfg_attr(not(test), expect(dead_code, reason = "as above"))] &'static str, fn(&ReceivedAnswer) -> bool),
}

/// What the attempt proves. `after_429`: an earlier attempt of the same call was answered with 429.
pub fn decide(safety: Safety, result: &AttemptResult, after_429: bool) -> Verdict {
    let reads = safety == Safety::ReadOnly;
    let lines = if reads { READING } else { CHANGING };
    let line = lines.iter().find(|line| (line.fits)(result)).expect("the last line fits everything");
    let mut verdict = Verdict {
        line: line.number,
        status: status_of(line.status, result),
        outcome: line.outcome,
        state: state_of(line, result),
        again: match (line.again, result) {
            (Again::Yes, _) => true,
            (Again::IfTruncated, AttemptResult::Answer(answer)) => answer.may_be_truncated || answer.http_status == 429,
            _ => false,
        },
        explanation: line.explanation,
    };
    if let (true, false, AttemptResult::Answer(answer), After::Only(_, stands)) =
        (after_429, reads, result, line.after_429)
        && !stands(answer)
    {
        verdict.status = Status::Response;
        verdict.outcome = Outcome::Unknown;
        verdict.explanation =
            Some("the service refused this attempt, but an earlier one, answered with 429, may have been executed");
    }
    if after_429 && !reads && matches!(line.after_429, After::Refused) {
        verdict.outcome = Outcome::Rejected;
        if matches!(verdict.status, Status::Transport | Status::Timeout) {
            verdict.status = Status::RateLimited;
            verdict.explanation = Some("the service answered 429, and the request could not be sent again");
        }
    }
    verdict
}

/// Advice for an unknown outcome of a request that moves no money.
pub fn advice(safety: Safety, outcome: Outcome) -> Option<&'static str> {
    (safety == Safety::Repeatable && outcome == Outcome::Unknown)
        .then_some("it may or may not have been done; it moves no money, so it may be repeated")
}

fn status_of(says: Says, result: &AttemptResult) -> Status {
    match (says, result) {
        (Says::This(status), _) => status,
        (Says::Transport, AttemptResult::NoAnswer { status, .. }) => *status,
        (Says::Broken, AttemptResult::Answer(ReceivedAnswer { unreadable: Some(status), .. })) => *status,
        (Says::Refused, AttemptResult::Answer(ReceivedAnswer { http_status: 401 | 403, .. })) => Status::Unauthorized,
        (Says::Refused, _) => Status::Rejected,
        (Says::Transport | Says::Broken, _) => Status::Response,
    }
}

fn state_of(line: &Line, result: &AttemptResult) -> State {
    match result {
        AttemptResult::Answer(answer)
            if line.keeps_state && !answer.facts.duplicate_names && answer.unreadable.is_none() =>
        {
            answer.facts.state
        }
        _ => State::NONE,
    }
}
