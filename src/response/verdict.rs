//! THE table of verdicts: what an exchange proves about the request, and whether it is sent again. Pure.
//!
//! The first line that fits decides. `docs/verdicts.md` is rendered from these lines, with the reading rules in words.
//! A verdict is never better than its evidence: what contradicts itself, or is not whole, is UNKNOWN.

use crate::response::facts::Facts;
use paysvc_spec::schema::Safety;
use paysvc_spec::status::{Outcome, State, Status};

#[cfg(test)]
mod cells;
#[cfg(test)]
mod document;
mod table;

pub use table::{CHANGING, READING};

/// What came of one attempt.
pub enum Came {
    /// No answer: whether a byte of the request was written, and the transport's status.
    Nothing {
        sent: bool,
        status: Status,
    },
    Answer(Answered),
}

pub struct Answered {
    pub http_status: u16,
    /// Why the body is not whole or not readable, as a status.
    pub broken: Option<Status>,
    /// The body ended with its connection, so it may have been cut.
    pub cut: bool,
    pub facts: Facts,
}

/// What the attempt proves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// Which line of the table.
    pub line: &'static str,
    pub status: Status,
    pub outcome: Outcome,
    pub state: State,
    /// The library sends the request again, attempts and time permitting.
    pub again: bool,
    /// What the answer does not say by itself.
    pub why: Option<&'static str>,
}

/// One line of the table.
pub struct Line {
    /// Named in the log.
    pub number: &'static str,
    /// The answer, in words.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test renders it into docs/verdicts.md"))]
    pub answer: &'static str,
    fits: fn(&Came) -> bool,
    pub status: Says,
    pub outcome: Outcome,
    /// Otherwise the state is NONE.
    pub keeps_state: bool,
    pub again: Again,
    /// Once an earlier attempt of the same call was answered with 429: other attempts may have been done.
    pub after_429: After,
    pub why: Option<&'static str>,
}

/// The status of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Says {
    This(Status),
    /// E_UNAUTHORIZED for 401 and 403, else E_REJECTED.
    ValidationError,
    /// The transport's own.
    Transport,
    /// E_RESPONSE, or E_TIMEOUT or E_CANCELLED where these ended the body.
    Broken,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Again {
    No,
    Yes,
    /// Where the body ended with its connection, and where the status is 429.
    IfCut,
}

#[derive(Clone, Copy)]
pub enum After {
    Same,
    /// What the 429 proved stands.
    Refused,
    /// REJECTED stands where this is so, else E_RESPONSE and UNKNOWN.
    Only(#[cfg_attr(not(test), expect(dead_code, reason = "as above"))] &'static str, fn(&Answered) -> bool),
}

/// What the attempt proves; `after_429`: an earlier one of the same call was answered with 429.
pub fn decide(safety: Safety, came: &Came, after_429: bool) -> Verdict {
    let reads = safety == Safety::ReadOnly;
    let lines = if reads { READING } else { CHANGING };
    let line = lines.iter().find(|line| (line.fits)(came)).expect("the last line fits everything");
    let mut verdict = Verdict {
        line: line.number,
        status: status_of(line.status, came),
        outcome: line.outcome,
        state: state_of(line, came),
        again: match (line.again, came) {
            (Again::Yes, _) => true,
            (Again::IfCut, Came::Answer(answered)) => answered.cut || answered.http_status == 429,
            _ => false,
        },
        why: line.why,
    };
    if let (true, false, Came::Answer(answered), After::Only(_, stands)) = (after_429, reads, came, line.after_429)
        && !stands(answered)
    {
        verdict.status = Status::Response;
        verdict.outcome = Outcome::Unknown;
        verdict.why =
            Some("the service refused this attempt, but an earlier one, answered with 429, may have been executed");
    }
    if after_429 && !reads && matches!(line.after_429, After::Refused) {
        verdict.outcome = Outcome::Rejected;
        if matches!(verdict.status, Status::Transport | Status::Timeout) {
            verdict.status = Status::RateLimited;
            verdict.why = Some("the service answered 429, and the request could not be sent again");
        }
    }
    verdict
}

/// What may be done when it is not known what became of a request that moves no money.
pub fn advice(safety: Safety, outcome: Outcome) -> Option<&'static str> {
    (safety == Safety::Repeatable && outcome == Outcome::Unknown)
        .then_some("it may or may not have been done; it moves no money, so it may be repeated")
}

fn status_of(says: Says, came: &Came) -> Status {
    match (says, came) {
        (Says::This(status), _) => status,
        (Says::Transport, Came::Nothing { status, .. }) => *status,
        (Says::Broken, Came::Answer(Answered { broken: Some(status), .. })) => *status,
        (Says::ValidationError, Came::Answer(Answered { http_status: 401 | 403, .. })) => Status::Unauthorized,
        (Says::ValidationError, _) => Status::Rejected,
        (Says::Transport | Says::Broken, _) => Status::Response,
    }
}

fn state_of(line: &Line, came: &Came) -> State {
    match came {
        Came::Answer(answered) if line.keeps_state && !answered.facts.named_twice && answered.broken.is_none() => {
            answered.facts.state
        }
        _ => State::NONE,
    }
}
