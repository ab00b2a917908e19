//! The top level of an answer: votes, code, message, and what it says of the payment.

use super::names::{Name, known};
use super::words::{NamedState, code, flag, is_one_of, state_word, word};
use super::{Reader, StateLevel};
use crate::response::document::Value;
use crate::util::json::Type;

impl Reader<'_> {
    pub(super) fn root(&mut self, root: Value<'_>) {
        if root.kind() != Type::Object {
            return;
        }
        for member in root.children() {
            let Some((name, exact)) = known(member) else { continue };
            match name {
                Name::Status => self.top_status(member, exact),
                Name::IsSuccess => match flag(member) {
                    Some(true) if member.kind() == Type::Bool => self.facts.success.cast(exact),
                    Some(false) => self.facts.failure.cast(exact),
                    _ => {}
                },
                Name::Success => {
                    let word = word(member);
                    let word = word.as_deref().unwrap_or_else(|| member.raw());
                    self.facts.weak_failure |= word.eq_ignore_ascii_case("false");
                }
                Name::Error if !member.is_empty() => match member.kind() {
                    Type::Object => {
                        self.facts.failure.cast(exact);
                        self.message_of(member);
                    }
                    Type::Text | Type::Array => self.facts.weak_failure = true,
                    Type::Bool => self.facts.weak_failure |= member.raw() == "true",
                    Type::Number | Type::Null => {}
                },
                Name::Errors if !member.is_empty() => {
                    self.has_errors |= exact && matches!(member.kind(), Type::Object | Type::Array | Type::Text);
                    match member.kind() {
                        Type::Object => self.facts.failure.cast(exact),
                        Type::Text | Type::Array => self.facts.weak_failure = true,
                        Type::Bool => self.facts.weak_failure |= member.raw() == "true",
                        Type::Number | Type::Null => {}
                    }
                }
                Name::Message => self.message(member),
                Name::Code | Name::PaymentCode => {
                    self.code(member, name == Name::PaymentCode);
                    match code(member) {
                        Some(4 | 12) => self.facts.refusing_code = true,
                        Some(1 | 2) => self.top_progress_code = true,
                        _ => {}
                    }
                }
                Name::Data => match member.kind() {
                    Type::Object => self.data(member, exact),
                    Type::Array => member.children().for_each(|element| self.data_element(element, exact)),
                    _ => {}
                },
                _ => {}
            }
        }
    }

    fn top_status(&mut self, member: Value<'_>, exact: bool) {
        match member.kind() {
            Type::Bool if member.raw() == "true" => self.facts.success.cast(exact),
            Type::Bool => {
                self.facts.failure.cast(exact);
                (self.top.failure, self.top.denies) = (true, true);
            }
            Type::Text => {
                let Some(word) = word(member) else { return };
                match state_word(&word) {
                    Some(NamedState::Progress(_)) => {
                        self.top.progress = true;
                        self.facts.success.cast(exact);
                    }
                    Some(NamedState::Failed) => {
                        self.top.failure = true;
                        self.facts.failure.cast(exact);
                    }
                    Some(NamedState::Successful) => self.facts.success.cast(exact),
                    _ if flag(member) == Some(false) => {
                        (self.top.failure, self.top.denies) = (true, true);
                        self.facts.failure.cast(exact);
                    }
                    _ if is_one_of(&word, &["success"]) => self.facts.success.cast(exact),
                    _ => {}
                }
                if self.expected.top_word_is_state() && exact {
                    self.word(member, StateLevel::Data, true);
                }
            }
            _ => {}
        }
    }
}
