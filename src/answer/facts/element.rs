//! The elements of lists: payments of a history, and what `data` holds if it is a list.

use super::Reader;
use super::roles::{Meaning, meaning};
use super::words::{NamedState, code, flag, state_of_id, state_of_word};
use crate::json::Type;
use crate::json::document::Value;
use paysvc_spec::refusals::CodeClass;
use paysvc_spec::schema::{Member, Place, Reference, Role};
use paysvc_spec::status::State;

use super::history::{Attempt, AttemptState};
use super::stated::Text;

/// What one element says for itself.
#[derive(Default)]
struct Element {
    /// Under any name, and under a documented one.
    states: Vec<NamedState>,
    documented: Vec<NamedState>,
    codes: Vec<Option<CodeClass>>,
    reference: Option<Text>,
    /// A flag or an error says that it was refused.
    refused: bool,
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
        self.facts.element_refused |= found.refused || found.states.contains(&NamedState::Failed);
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
                Role::StateWord | Role::PaymentWord => {
                    found.refused |= flag(member) == Some(false);
                    state_of_word(member)
                }
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
                Role::IsSuccess | Role::Success => {
                    found.refused |= flag(member) == Some(false);
                    None
                }
                Role::Error => {
                    found.refused |= !member.is_empty() && member.raw() != "false";
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

/// Whether an element of `data` says that it was refused; `members`: those that the row has there. Read leniently,
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
