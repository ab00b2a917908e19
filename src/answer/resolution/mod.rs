//! What became of an earlier request, decided by the answer of a look-up.
//!
//! Evaluates the table of [`paysvc_spec::verdicts::resolution`], which `docs/verdicts.md` shows. Doubt is UNKNOWN: an
//! answer that contradicts itself, is about another request or leaves the question open proves nothing.

mod asked;
#[cfg(test)]
mod cells;
mod difference;
mod evidence;
mod history;
#[cfg(test)]
mod properties;

use super::verdict::{state_of, status_of};
use crate::answer::facts::history::AttemptState;
use difference::Difference;
use paysvc_spec::schema::Safety;
use paysvc_spec::status::{Outcome, State, Status};
use paysvc_spec::verdicts::resolution::{LINES, Line};

pub use asked::{Asked, Attempts, Price};
pub use evidence::Evidence;
pub use history::allows_charge;
pub use paysvc_spec::verdicts::resolution::Question;

/// What became of the earlier request.
#[derive(Debug)]
pub struct Decision {
    /// The number of the table's line.
    pub line: &'static str,
    pub status: Status,
    pub outcome: Outcome,
    pub state: State,
    /// Another look-up may find more.
    pub again: bool,
    pub explanation: &'static str,
    /// What differs, in words that may repeat the service's.
    pub difference: Option<String>,
    /// The service answered the look-up, whatever it said.
    pub answered: bool,
    /// Only the currency is missing, which another endpoint may tell.
    pub lacks_currency: bool,
}

/// What became of the earlier request.
pub fn decide(evidence: Evidence<'_>) -> Decision {
    let asks = |line: &&Line| line.about.is_empty() || line.about.contains(&evidence.question);
    let all = |line: &&Line| line.conditions.iter().all(|condition| evidence.holds(condition));
    let line = LINES.iter().filter(asks).find(all).expect("the last line of each question always holds");
    let of_answer = match evidence.question {
        // A refund's state is never that of the order.
        Question::Refund => State::NONE,
        _ => evidence.facts.state,
    };
    let of_entry = evidence.attempt.map_or(State::NONE, AttemptState::state);
    Decision {
        line: line.number,
        status: status_of(line.status, evidence.http_status, evidence.open),
        outcome: line.outcome,
        state: state_of(line.state, of_answer, of_entry),
        again: line.again,
        explanation: line.explanation,
        answered: evidence.answered || evidence.http_status == 404,
        lacks_currency: evidence.difference == Some(Difference::NoCurrency),
        difference: evidence.difference.map(Difference::text),
    }
}

/// If no endpoint can tell, the service is not asked. A read-only request gets no better outcome.
pub fn without_look_up(safety: Safety) -> Decision {
    Decision {
        line: "c0",
        status: Status::Unresolved,
        outcome: Outcome::Unknown,
        state: State::NONE,
        again: false,
        explanation: match safety {
            Safety::ReadOnly => "it only reads: call it again",
            Safety::Repeatable => "no endpoint can tell what became of it; it moves no money, so it may be repeated",
            Safety::Moves => "no endpoint can tell what became of it; a person must find out before it is repeated",
        },
        answered: false,
        lacks_currency: false,
        difference: None,
    }
}
