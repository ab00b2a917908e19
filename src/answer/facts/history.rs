//! The lists of a response: the history of an order, with one entry or more for each attempt to pay it, and what `data` holds if
//! it is a list.

use super::Reader;
use super::roles::{Meaning, meaning};
use super::stated::Text;
use super::words::{NamedState, code, flag, state_of_id, state_of_word};
use crate::json::Type;
use crate::json::document::Value;
use paysvc_spec::refusals::CodeClass;
use paysvc_spec::schema::{Member, Place, Reference, Role};
use paysvc_spec::status::State;

/// No more entries are kept: nobody tries that often.
const MOST_ENTRIES: usize = 10_000;

/// The attempts to pay an order.
#[derive(Default, Debug)]
pub struct History {
    /// It is not a list, is not under its documented name, or has too many entries.
    pub doubtful: bool,
    pub attempts: Vec<Attempt>,
    /// Counts of entries whose documented states are all FAILED, all SUCCESSFUL, or anything else.
    pub failed: usize,
    pub successful: usize,
    pub other: usize,
}

#[derive(Debug)]
pub struct Attempt {
    pub reference: Option<Text>,
    pub state: AttemptState,
}

/// The state of the attempt, as an entry reports it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttemptState {
    /// It contradicts itself, or there are two.
    Doubtful,
    /// An entry without a state has [`State::NONE`].
    Is(State),
}

impl AttemptState {
    pub fn state(self) -> State {
        match self {
            AttemptState::Is(state) => state,
            AttemptState::Doubtful => State::NONE,
        }
    }
}

impl History {
    /// If there is no memory for an entry, the history is doubtful.
    pub fn add(&mut self, attempt: Attempt) {
        match self.attempts.len() < MOST_ENTRIES && self.attempts.try_reserve(1).is_ok() {
            true => self.attempts.push(attempt),
            false => self.doubtful = true,
        }
    }

    /// Counts an entry by its documented states. An entry without any is ignored.
    pub fn count(&mut self, states: &[NamedState]) {
        match states {
            [] => {}
            _ if states.iter().all(|state| *state == NamedState::Failed) => self.failed += 1,
            _ if states.iter().all(|state| *state == NamedState::Successful) => self.successful += 1,
            _ => self.other += 1,
        }
    }

    /// Every entry has failed, and each has a reference of its own: there is at least one.
    pub fn all_failed(&self) -> bool {
        let failed =
            |attempt: &Attempt| attempt.state == AttemptState::Is(State::FAILED) && attempt.reference.is_some();
        let is_own = |index: usize| {
            let own = &self.attempts[index].reference;
            self.attempts[..index].iter().all(|other| other.reference != *own)
        };
        // There are few enough to compare every pair.
        !self.doubtful
            && (1..=100).contains(&self.attempts.len())
            && self.attempts.iter().all(failed)
            && (0..self.attempts.len()).all(is_own)
    }

    /// The state of the only entry with that reference; `None` without such an entry.
    pub fn of(&self, reference: &str) -> Option<AttemptState> {
        let is_it =
            |attempt: &&Attempt| attempt.reference.as_ref().is_some_and(|own| super::words::is_same(own, reference));
        let mut found = self.attempts.iter().filter(is_it);
        match (found.next(), found.next()) {
            (None, _) => None,
            (Some(attempt), None) if !self.doubtful => Some(attempt.state),
            _ => Some(AttemptState::Doubtful),
        }
    }
}

/// The facts of one element by itself.
#[derive(Default)]
struct Element {
    /// Under any name, and under a documented one.
    states: Vec<NamedState>,
    documented: Vec<NamedState>,
    codes: Vec<Option<CodeClass>>,
    reference: Option<Text>,
}

impl Reader<'_> {
    /// The attempts to pay an order.
    pub(super) fn history(&mut self, list: Value<'_>, members: &'static [Member], exact: bool) {
        if list.is_empty() {
            return;
        }
        // Under another name it is not the documented history, but it may be one.
        self.facts.history.doubtful |= !exact || list.kind() != Type::Array;
        if list.kind() != Type::Array {
            return;
        }
        for element in list.children() {
            let found = self.each(element, Place::Attempt, members);
            let is_object = element.kind() == Type::Object;
            let state = if is_object { found.attempt() } else { AttemptState::Doubtful };
            self.facts.history.add(Attempt { reference: found.reference, state });
            if exact {
                self.facts.history.count(&found.documented);
            }
        }
    }

    /// An element of `data` if that is a list, as for a payout.
    pub(super) fn element(&mut self, element: Value<'_>, members: &'static [Member], exact: bool) {
        let found = self.each(element, Place::Element, members);
        self.facts.elements += 1;
        self.facts.signs.element_failed |= exact && found.documented.contains(&NamedState::Failed);
        self.facts.element_refused |= is_refused(element, members);
    }

    /// Reads an element, and records what weakens the verdict.
    fn each(&mut self, element: Value<'_>, place: Place, members: &'static [Member]) -> Element {
        let mut found = Element::default();
        if element.kind() != Type::Object {
            return found;
        }
        for member in element.children() {
            let Some(Meaning { role, exact, .. }) = meaning(member, place, members) else { continue };
            let named = match role {
                Role::StateNumber => state_of_id(member),
                Role::StateWord | Role::PaymentWord => state_of_word(member),
                Role::Code | Role::PaymentCode => {
                    found.codes.extend(code(member).map(|code| code.class));
                    self.code(member, role, place, false);
                    None
                }
                Role::Reference(Reference::Payment) if exact && !member.is_empty() => {
                    found.reference = Text::of(member);
                    None
                }
                Role::Final | Role::Requery => {
                    self.finality(member, role, false);
                    None
                }
                _ => None,
            };
            if let Some(named) = named {
                self.record_state(named);
                found.states.push(named);
                if exact {
                    found.documented.push(named);
                }
            }
        }
        found
    }
}

impl Element {
    /// The state of an attempt: all that it names must agree, and its codes must not contradict it.
    fn attempt(&self) -> AttemptState {
        let all = |wanted: NamedState| self.states.iter().all(|state| *state == wanted);
        let codes = |allowed: fn(Option<CodeClass>) -> bool| self.codes.iter().all(|code| allowed(*code));
        let Some(first) = self.states.first() else { return AttemptState::Is(State::NONE) };
        match first {
            NamedState::Progress(state) if self.states.iter().all(|state| matches!(state, NamedState::Progress(_))) => {
                AttemptState::Is(*state)
            }
            // Not written as the service writes it, so not read as an end.
            _ if self.documented.is_empty() => AttemptState::Doubtful,
            NamedState::Failed if all(NamedState::Failed) && codes(is_refusal) => AttemptState::Is(State::FAILED),
            NamedState::Successful if all(NamedState::Successful) && codes(|code| code == Some(CodeClass::Success)) => {
                AttemptState::Is(State::SUCCESSFUL)
            }
            NamedState::Reversed if all(NamedState::Reversed) => AttemptState::Is(State::REVERSED),
            _ => AttemptState::Doubtful,
        }
    }
}

/// Neither success nor progress, and not in doubt.
fn is_refusal(code: Option<CodeClass>) -> bool {
    matches!(code, None | Some(CodeClass::Failure))
}

/// Returns whether an element of `data` reports its refusal; `members`: those that the row has there. Read leniently,
/// because an element that is not known to be refused may be taken for done.
pub fn is_refused(element: Value<'_>, members: &'static [Member]) -> bool {
    let says = |member: Value<'_>| match meaning(member, Place::Element, members).map(|meaning| meaning.role) {
        Some(Role::StateNumber) => state_of_id(member) == Some(NamedState::Failed),
        Some(Role::Status | Role::StateWord | Role::PaymentWord) => {
            flag(member) == Some(false) || state_of_word(member) == Some(NamedState::Failed)
        }
        Some(Role::IsSuccess | Role::Success) => flag(member) == Some(false),
        Some(Role::Error | Role::Errors) => !member.is_empty() && member.raw() != "false",
        _ => false,
    };
    element.kind() == Type::Object && element.children().any(says)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::document::Document;

    #[test]
    fn every_form_of_a_refusal_is_one() {
        let refused = |element: &str| {
            let document = Document::scan(element, &|| false).unwrap();
            is_refused(document.root(element), &[])
        };
        for element in [
            r#"{"statusId":4}"#,
            r#"{"statusId":"04"}"#,
            r#"{"status":" Failed "}"#,
            r#"{"paymentStatus":"declined"}"#,
            r#"{"status":false}"#,
            r#"{"status":"No"}"#,
            r#"{"isSuccess":false}"#,
            r#"{"IsSuccess":"False"}"#,
            r#"{"success":"no"}"#,
            r#"{"error":"invalid account"}"#,
            r#"{"error":{"code":"14"}}"#,
            r#"{"error":true}"#,
            r#"{"ERRORS":["x"]}"#,
            r#"{"a":1,"error":0}"#,
        ] {
            assert!(refused(element), "{element}");
        }
        for element in [
            "{}",
            r#"{"statusId":2,"status":"Pending","isSuccess":true,"success":"true","error":null,"errors":[]}"#,
            r#"{"error":"","errors":{}}"#,
            r#"{"error":false}"#,
            r#"{"status":"unsuccessfully tried","statusId":14}"#,
            r#"{"message":"failed"}"#,
            "[false]",
        ] {
            assert!(!refused(element), "{element}");
        }
    }
}
