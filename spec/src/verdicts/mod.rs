//! The verdicts: what an answer proves, line by line. The library evaluates these tables, and `docs/verdicts.md` shows
//! them: the words of a condition stand beside it.
//!
//! The first line of a table whose conditions all hold decides.

mod answer;
mod changing;
mod reading;
pub mod resolution;
#[cfg(test)]
mod tests;

use crate::status::{self, Status};

pub use answer::{After429, Again, Condition, Fact, Line};
pub use changing::CHANGING;
pub use reading::READING;

/// The status of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatusRule {
    Is(Status),
    /// E_UNAUTHORIZED for 401 and 403, else E_REJECTED.
    Refused,
    /// The transport's own.
    Transport,
    /// Why the body could not be read.
    Body,
    /// The look-up's own if it failed; E_UNRESOLVED if the service answered it.
    LookUp,
}

impl StatusRule {
    pub fn words(self) -> &'static str {
        match self {
            StatusRule::Is(status) => status::name_of(status),
            StatusRule::Refused => "E_UNAUTHORIZED (401, 403) or E_REJECTED",
            StatusRule::Transport => "the transport's",
            StatusRule::Body => "E_RESPONSE, or the deadline's or the cancel's",
            StatusRule::LookUp => "the look-up's own, or E_UNRESOLVED where the service answered",
        }
    }
}

/// The state of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateRule {
    None,
    OfAnswer,
    /// That of the entry of the history in question.
    OfEntry,
    /// The refund's: it was done.
    Successful,
}

impl StateRule {
    pub fn words(self) -> &'static str {
        match self {
            StateRule::None => "NONE",
            StateRule::OfAnswer => "the answer's",
            StateRule::OfEntry => "the entry's",
            StateRule::Successful => "SUCCESSFUL",
        }
    }
}

// The words of conditions in both schemas.
const OTHER_REQUEST: &str = "a reference that is not the request's, or two of a kind that differ";
const STATES_DISAGREE: &str = "states that disagree";
const STATE_CONTRADICTED: &str = "a state that the history, the top-level word or a payment response code contradicts";

/// "HTTP 400, 401 or 404".
fn http(statuses: &[u16]) -> String {
    let statuses: Vec<_> = statuses.iter().map(u16::to_string).collect();
    format!("HTTP {}", listed(&statuses))
}

/// "a, b or c".
fn listed(items: &[impl AsRef<str>]) -> String {
    let items: Vec<_> = items.iter().map(AsRef::as_ref).collect();
    match items[..] {
        [ref first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => items.concat(),
    }
}

/// Conditions that must all hold.
fn all(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(", ").replace(", one of: ", ", and one of: ")
}

/// Alternatives, which may have commas themselves.
fn one_of(words: impl Iterator<Item = String>) -> String {
    format!("one of: {}", words.collect::<Vec<_>>().join("; "))
}
