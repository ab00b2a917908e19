//! The verdicts: what a response proves, and what became of an earlier request. A rule is one line: its number, its
//! words for `docs/verdicts.md`, the function that decides it, and its result. The first line that holds decides.

mod answer;
pub mod resolution;
#[cfg(test)]
mod tests;

use crate::status::{self, Status};

pub use answer::{After429, CHANGING, Line, READING, Signs, Vote, When};

/// The status of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatusRule {
    Is(Status),
    /// E_UNAUTHORIZED for 401 and 403, else E_REJECTED.
    Refused,
    /// The status of what failed, in these words.
    Failed(&'static str),
}

impl StatusRule {
    pub fn words(self) -> &'static str {
        match self {
            StatusRule::Is(status) => status::name_of(status),
            StatusRule::Refused => "E_UNAUTHORIZED (401, 403) or E_REJECTED",
            StatusRule::Failed(words) => words,
        }
    }
}

named! {
    /// The state of a line.
    pub enum StateRule(words) {
        None = "NONE",
        OfAnswer = "the response's",
        /// The state of the history entry in question.
        OfEntry = "the entry's",
        /// The refund's: it was done.
        Successful = "SUCCESSFUL",
    }
}
