//! The top level of an answer: votes, and what its `status` says about the payment.

use super::words::{NamedState, flag, is_one_of, state_word, word};
use super::{Reader, StateLevel};
use crate::json::Type;
use crate::json::document::Value;
use paysvc_spec::schema::{Place, Role};

impl Reader<'_> {
    pub(super) fn vote(&mut self, member: Value<'_>, role: Role, place: Place, exact: bool) {
        match (role, place) {
            (Role::Status, _) => self.top_status(member, exact),
            (Role::IsSuccess, Place::Root) => match flag(member) {
                Some(true) if member.kind() == Type::Bool => self.facts.signs.success.cast(exact),
                Some(false) => self.facts.signs.failure.cast(exact),
                _ => {}
            },
            (Role::Success, Place::Root) => {
                let word = word(member);
                let word = word.as_deref().unwrap_or_else(|| member.raw());
                self.facts.signs.weak_failure |= word.eq_ignore_ascii_case("false");
            }
            (Role::IsSuccess | Role::Success, _) if flag(member) == Some(false) => self.facts.signs.failure.cast(exact),
            (Role::Error | Role::Errors, _) if !member.is_empty() => match member.kind() {
                Type::Object => self.facts.signs.failure.cast(exact),
                Type::Text | Type::Array => self.facts.signs.weak_failure = true,
                Type::Bool => self.facts.signs.weak_failure |= member.raw() == "true",
                Type::Number | Type::Null => {}
            },
            _ => {}
        }
    }

    fn top_status(&mut self, member: Value<'_>, exact: bool) {
        match member.kind() {
            Type::Bool if member.raw() == "true" => self.facts.signs.success.cast(exact),
            Type::Bool => {
                self.facts.signs.failure.cast(exact);
                (self.top.failure, self.top.denies) = (true, true);
            }
            Type::Text => {
                let Some(word) = word(member) else { return };
                match state_word(&word) {
                    Some(NamedState::Progress(_)) => {
                        self.top.progress = true;
                        self.facts.signs.success.cast(exact);
                    }
                    Some(NamedState::Failed) => {
                        self.top.failure = true;
                        self.facts.signs.failure.cast(exact);
                    }
                    Some(NamedState::Successful) => self.facts.signs.success.cast(exact),
                    _ if flag(member) == Some(false) => {
                        (self.top.failure, self.top.denies) = (true, true);
                        self.facts.signs.failure.cast(exact);
                    }
                    _ if is_one_of(&word, &["success"]) => self.facts.signs.success.cast(exact),
                    _ => {}
                }
                if self.expected.top_word_is_state() && exact {
                    self.word(member, Role::StateWord, StateLevel::Data, true);
                }
            }
            _ => {}
        }
    }
}
