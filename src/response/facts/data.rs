//! `data` of an answer: the states of the payment and the order, codes, references, and the history.

use super::names::{Name, known};
use super::words::{CodeClass, NamedState, code, code_class, flag, is_one_of, state_of_id, state_of_word, word};
use super::{Reader, StateLevel};
use crate::request::references::Reference;
use crate::response::document::Value;
use crate::util::json::Type;

/// Indexes of `Reader::history`.
const FAILED: usize = 0;
const SUCCESSFUL: usize = 1;
const OTHER: usize = 2;

impl Reader<'_> {
    pub(super) fn data(&mut self, data: Value<'_>, exact: bool) {
        for member in data.children() {
            let Some((name, own)) = known(member) else { continue };
            let exact = exact && own;
            match name {
                Name::IsSuccess | Name::Success if flag(member) == Some(false) => self.facts.failure.cast(exact),
                Name::Status => {
                    if flag(member) == Some(false) {
                        self.facts.failure.cast(exact);
                    }
                    self.state_member(member, name, StateLevel::Data, exact);
                }
                Name::StatusId | Name::PaymentStatus => self.state_member(member, name, StateLevel::Data, exact),
                Name::Code | Name::PaymentCode => self.code(member, name == Name::PaymentCode),
                Name::OrderPayment => self.level(member, StateLevel::Payment, exact),
                Name::OrderSummary | Name::Order => {
                    self.level(member, StateLevel::Order, exact);
                    self.reference_of(member);
                }
                Name::OrderPayments if member.kind() == Type::Array => {
                    member.children().for_each(|element| self.element(element, exact));
                }
                Name::SessionId => self.reference(member, Reference::Session),
                Name::MandateCode => self.reference(member, Reference::Mandate),
                Name::Message => self.message(member),
                _ => {}
            }
        }
    }

    /// The order or the payment within `data`.
    fn level(&mut self, object: Value<'_>, level: StateLevel, exact: bool) {
        if object.kind() != Type::Object {
            return;
        }
        for member in object.children() {
            let Some((name, own)) = known(member) else { continue };
            match name {
                Name::StatusId | Name::Status | Name::PaymentStatus => {
                    self.state_member(member, name, level, exact && own);
                }
                Name::Code | Name::PaymentCode => self.code(member, name == Name::PaymentCode),
                _ => {}
            }
        }
    }

    /// A member that names a state of its level.
    fn state_member(&mut self, member: Value<'_>, name: Name, level: StateLevel, exact: bool) {
        if name == Name::StatusId {
            // Progress that a `statusId` names counts at every depth, so `at_any_depth` records it.
            if let Some(named) = state_of_id(member).filter(|_| exact) {
                self.states.push((level, named));
            }
        } else {
            self.word(member, level, exact);
        }
    }

    /// A word beside a `statusId`, or instead of one.
    pub(super) fn word(&mut self, member: Value<'_>, level: StateLevel, exact: bool) {
        let in_data = level == StateLevel::Data && !is_named(member, Name::PaymentStatus);
        let Some(mut named) = state_of_word(member) else { return };
        // In `data` "false" or "no" is a vote; as a state it is unknown, and names neither progress nor success.
        if in_data && flag(member) == Some(false) {
            if exact {
                self.states.push((level, named));
            }
            return;
        }
        if in_data && word(member).is_some_and(|word| is_one_of(&word, &["success"])) {
            named = if self.expected.success_is_state { NamedState::Successful } else { NamedState::Success };
        }
        self.record_state(named);
        if exact {
            self.states.push((level, named));
        }
    }

    /// A payment of the history.
    fn element(&mut self, element: Value<'_>, exact: bool) {
        let (mut failed, mut successful, mut other) = (false, false, false);
        self.each_state(element, |named| match named {
            NamedState::Failed => failed = true,
            NamedState::Successful => successful = true,
            _ => other = true,
        });
        match (failed, successful, other) {
            _ if !exact => {}
            (false, false, false) => {}
            (true, false, false) => self.history[FAILED] += 1,
            (false, true, false) => self.history[SUCCESSFUL] += 1,
            _ => self.history[OTHER] += 1,
        }
    }

    /// An element of `data` if that is a list, as for a payout.
    pub(super) fn data_element(&mut self, element: Value<'_>, exact: bool) {
        let mut failed = false;
        self.each_state(element, |named| failed |= named == NamedState::Failed);
        self.facts.element_failed |= exact && failed;
    }

    /// Reads the states of an element of a list; `own_state` gets those under their documented names.
    fn each_state(&mut self, element: Value<'_>, mut own_state: impl FnMut(NamedState)) {
        if element.kind() != Type::Object {
            return;
        }
        for member in element.children() {
            let Some((name, own)) = known(member) else { continue };
            let named = match name {
                Name::StatusId => state_of_id(member),
                Name::Status | Name::PaymentStatus => state_of_word(member),
                Name::Code | Name::PaymentCode => {
                    self.code(member, false);
                    None
                }
                _ => None,
            };
            if let Some(named) = named {
                self.record_state(named);
                if own {
                    own_state(named);
                }
            }
        }
    }

    pub(super) fn code(&mut self, member: Value<'_>, of_payment: bool) {
        let Some(class) = code(member).map(code_class) else { return };
        self.facts.names_progress |= class != CodeClass::Failure;
        if of_payment {
            self.payment_codes[class as usize] = true;
        }
    }
}

fn is_named(member: Value<'_>, name: Name) -> bool {
    known(member).is_some_and(|(known, _)| known == name)
}
