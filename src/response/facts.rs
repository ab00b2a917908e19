//! What an answer says, as facts: votes, states, codes and references. [`crate::response::verdict`] decides over them.
//!
//! What weakens a verdict is read leniently (names in any case, at any depth), what strengthens it strictly.

use crate::request::references::References;
use crate::response::document::{Document, Value};
use crate::util::json::Type;
use paysvc_spec::schema::{Answer, Envelope, Member};
use paysvc_spec::status::State;
use words::{NamedState, is_digits, state_of_id, word};

mod data;
pub mod element;
mod envelope;
mod message;
mod names;
mod references;
pub mod refusal;
mod state;
pub mod words;

/// How many values are read between two checks of the deadline: less than a millisecond.
const BETWEEN_STOPS: usize = 32 * 1024;

/// A vote for success or failure, and whether the member that gives it has exactly the documented name.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Vote {
    pub any_case: bool,
    pub exact: bool,
}

impl Vote {
    fn cast(&mut self, exact: bool) {
        self.any_case = true;
        self.exact |= exact;
    }
}

/// What an answer says.
#[derive(Default, Debug)]
pub struct Facts {
    pub success: Vote,
    pub failure: Vote,
    /// Contradicts success, but is no vote for failure.
    pub weak_failure: bool,
    /// An object names a member twice.
    pub duplicate_names: bool,
    /// Something in it names progress or success.
    pub names_progress: bool,
    /// It names any state of a payment.
    pub names_state: bool,
    /// It names a reference that is not the request's.
    pub other_request: bool,
    /// Two states outside of lists disagree.
    pub states_disagree: bool,
    /// The state is contradicted by the history, the top-level word or a payment response code.
    pub state_contradicted: bool,
    /// A failed state beside a top-level word or code of progress, or a payment response code of progress or success.
    pub failed_beside_progress: bool,
    /// A top-level code 4 or 12.
    pub refusing_code: bool,
    /// An element of a `data` array has failed.
    pub element_failed: bool,
    /// This payment's own state is FAILED.
    pub own_failed: bool,
    /// Only the order's state is FAILED.
    pub order_failed: bool,
    /// The answer to a read-only request has its subject.
    pub subject: bool,
    /// An answer without an envelope has at least one of the row's members.
    pub bare: bool,
    /// NONE if states contradict each other.
    pub state: State,
    /// How many payments of the history were successful.
    pub payments_made: usize,
}

/// What a state belongs to, by where it stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum StateLevel {
    /// `data.orderPayment`
    Payment,
    /// `data`, or the top level if the row says so
    Data,
    /// `data.orderSummary`, `data.order`
    Order,
}

/// What the top-level `status` says of the payment, besides its vote.
#[derive(Clone, Copy, Default)]
struct TopStatus {
    progress: bool,
    failure: bool,
    /// It is false, or a text that says so.
    denies: bool,
}

/// Reads the facts of an answer; `text` is what the document was scanned from. `None` if stopped.
pub fn read(
    document: &Document,
    text: &str,
    expected: &Answer,
    references: &References,
    stop: &dyn Fn() -> bool,
) -> Option<Facts> {
    let mut reader = Reader::new(expected, references);
    reader.facts.duplicate_names = document.has_duplicate_names();
    for value in document.values(text) {
        if value.index() % BETWEEN_STOPS == BETWEEN_STOPS - 1 && stop() {
            return None;
        }
        reader.at_any_depth(value);
    }
    let root = document.root(text);
    reader.root(root);
    Some(reader.finish(root))
}

struct Reader<'a> {
    expected: &'a Answer,
    references: &'a References,
    facts: Facts,
    /// The states outside of lists.
    states: Vec<(StateLevel, NamedState)>,
    /// How many payments of the history have failed, succeeded, and have another state.
    history: [usize; 3],
    top: TopStatus,
    /// Whether a payment response code of success, progress and failure was found.
    payment_codes: [bool; 3],
    top_progress_code: bool,
    /// A message speaks of an earlier request.
    earlier_request: bool,
    has_errors: bool,
}

impl<'a> Reader<'a> {
    fn new(expected: &'a Answer, references: &'a References) -> Reader<'a> {
        Reader {
            expected,
            references,
            facts: Facts::default(),
            states: Vec::new(),
            history: [0; 3],
            top: TopStatus::default(),
            payment_codes: [false; 3],
            top_progress_code: false,
            earlier_request: false,
            has_errors: false,
        }
    }

    /// Reads what weakens a verdict at any depth.
    fn at_any_depth(&mut self, value: Value<'_>) {
        const STATUS_ID: &str = "statusId";
        const BATCH: [&str; 3] = ["batchReference", "batchId", "payoutReference"];
        // The length rules out most values before their names are read.
        if !matches!(value.plain_name_len(), None | Some(7 | 8 | 14 | 15)) {
            return;
        }
        let Some(name) = value.name() else { return };
        match name.len() {
            8 if name.eq_ignore_ascii_case(STATUS_ID) => {
                if let Some(named) = state_of_id(value) {
                    self.record_state(named);
                }
            }
            7 | 14 | 15 if BATCH.iter().any(|known| name.eq_ignore_ascii_case(known)) => {
                self.facts.names_progress |= !value.is_empty();
            }
            _ => {}
        }
    }

    fn record_state(&mut self, named: NamedState) {
        self.facts.names_state = true;
        self.facts.names_progress |= named != NamedState::Failed;
    }

    fn finish(mut self, root: Value<'_>) -> Facts {
        self.facts.names_progress |= self.earlier_request && !self.has_errors;
        self.decide_state();
        let facts = &mut self.facts;
        if facts.duplicate_names {
            // Which of two members is the subject is not known, and the verdict does not depend on it.
            return self.facts;
        }
        facts.subject =
            self.expected.subject.and_then(|pointer| root.find(pointer)).is_some_and(|subject| match subject.kind() {
                _ if subject.is_empty() => false,
                Type::Object | Type::Number => true,
                Type::Text => word(subject).is_some_and(|word| is_digits(&word)),
                _ => false,
            });
        let own = |member: &Member| root.member(member.name).is_some_and(|own| own.kind() != Type::Null);
        facts.bare = self.expected.envelope == Envelope::Bare && self.expected.members.iter().any(own);
        self.facts
    }
}
