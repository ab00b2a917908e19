//! The objects of a response, field by field: each has the effect of its role. The top level has votes, and its `status`
//! is evidence about the payment, too.

use super::roles::{Meaning, meaning};
use super::stated::Text;
use super::words::{Code, NamedState, code, flag, is_one_of, state_of_id, state_of_word, state_word, word};
use super::{AMOUNT_PLACES, Reader, StateLevel};
use crate::json::Type;
use crate::json::decimal::Decimal;
use crate::json::document::Value;
use paysvc_spec::refusals::CodeClass;
use paysvc_spec::schema::{Member, Place, Reference, Role};

impl Reader<'_> {
    /// `exact`: the object stands where it is documented; `members`: those that the row has for it.
    pub(super) fn object(&mut self, object: Value<'_>, place: Place, members: &'static [Member], exact: bool) {
        if object.kind() != Type::Object {
            return;
        }
        let (mut alone, mut has_order) = (false, false);
        for member in object.children() {
            let Some(meaning) = meaning(member, place, members) else { continue };
            match meaning.role {
                Role::Reference(Reference::Order) => has_order |= !member.is_empty(),
                Role::ReferenceAlone(_) => alone = true,
                _ => {}
            }
            self.member(member, meaning, place, exact);
        }
        if alone && (!has_order || place == Place::Data) {
            // Names in another case are further fields.
            for member in object.children() {
                if let Some(Meaning { role: Role::ReferenceAlone(kind), exact: own, .. }) =
                    meaning(member, place, members)
                {
                    match has_order {
                        false => self.facts.references[kind as usize].add(member, kind, exact && own, self.requested),
                        true if exact && own && !member.is_empty() => self.facts.beside.add(Text::of(member), true),
                        true => {}
                    }
                }
            }
        }
    }

    /// `exact`: its object stands where it is documented.
    #[inline]
    pub(super) fn member(&mut self, member: Value<'_>, meaning: Meaning, place: Place, exact: bool) {
        let Meaning { role, exact: own, within } = meaning;
        let exact = exact && own;
        match role {
            Role::Reference(kind) => {
                self.facts.references[kind as usize].add(member, kind, exact, self.requested);
            }
            Role::Object(inner) if member.kind() == Type::Array && inner == Place::Data => {
                member.children().for_each(|element| self.element(element, within, exact));
            }
            Role::Object(inner) => self.object(member, inner, within, exact),
            Role::History => self.history(member, within, exact),
            Role::Status | Role::IsSuccess | Role::Success | Role::Error | Role::Errors => {
                self.vote(member, role, place, exact);
            }
            Role::StateNumber | Role::StateWord | Role::PaymentWord => self.state(member, role, place, exact),
            Role::Code | Role::PaymentCode => self.code(member, role, place, exact),
            Role::Price | Role::Charged | Role::Fee => self.amount(member, role, place, exact),
            Role::Currency if !member.is_empty() => {
                let currency = Text::of(member).filter(|_| member.kind() == Type::Text);
                self.facts.currency.add(currency, exact);
            }
            Role::ServiceReference if !member.is_empty() => self.facts.service_reference.add(Text::of(member), exact),
            Role::Final | Role::Requery => self.finality(member, role, exact && place == Place::Data),
            Role::AccountNumber => {
                self.facts.account |= exact && matches!(member.kind(), Type::Text | Type::Number) && !member.is_empty();
            }
            Role::Currency
            | Role::ServiceReference
            | Role::ReferenceAlone(_)
            | Role::Accepted
            | Role::Message
            | Role::Description
            | Role::ErrorCode => {}
        }
    }

    fn vote(&mut self, member: Value<'_>, role: Role, place: Place, exact: bool) {
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

    /// A field that names a state outside of lists.
    fn state(&mut self, member: Value<'_>, role: Role, place: Place, exact: bool) {
        let level = match place {
            Place::Payment => StateLevel::Payment,
            Place::Summary | Place::Order => StateLevel::Order,
            _ => StateLevel::Data,
        };
        match role {
            // Progress that a number names counts at every depth, so `at_any_depth` records it.
            Role::StateNumber => self.states.extend(state_of_id(member).filter(|_| exact).map(|named| (level, named))),
            _ => {
                if place == Place::Data && role == Role::StateWord && flag(member) == Some(false) {
                    self.facts.signs.failure.cast(exact);
                }
                self.word(member, role, level, exact);
            }
        }
    }

    /// A word beside a state's number, or instead of one.
    pub(super) fn word(&mut self, member: Value<'_>, role: Role, level: StateLevel, exact: bool) {
        let in_data = level == StateLevel::Data && role == Role::StateWord;
        let Some(mut named) = state_of_word(member) else { return };
        // In `data`, "false" or "no" is a vote; as a state it is unknown, which is neither progress nor success.
        let denies = in_data && flag(member) == Some(false);
        if !denies && in_data && word(member).is_some_and(|word| is_one_of(&word, &["success"])) {
            named = if self.expected.success_is_state { NamedState::Successful } else { NamedState::Success };
        }
        if !denies {
            self.record_state(named);
        }
        if exact {
            self.states.push((level, named));
        }
    }

    pub(super) fn code(&mut self, member: Value<'_>, role: Role, place: Place, exact: bool) {
        let Some(Code { number, class }) = code(member) else { return };
        let of_list = matches!(place, Place::Attempt | Place::Element);
        // One that is words is searched with the texts of the response.
        if number.is_some() {
            let is_failure = class == Some(CodeClass::Failure);
            self.facts.signs.names_progress |= class.is_some() && !is_failure;
            self.facts.failure_code |= exact && !of_list && is_failure;
            self.facts.failure_code_but_4 |= exact && !of_list && is_failure && number != Some(4);
        }
        if role == Role::PaymentCode && !of_list {
            let is_success = class == Some(CodeClass::Success);
            self.codes.success |= is_success;
            self.codes.unsuccessful |= !is_success;
            self.codes.progress |= matches!(class, Some(CodeClass::Progress | CodeClass::Doubt));
        }
        if place == Place::Root {
            self.facts.signs.refusing_code |= matches!(number, Some(4 | 12));
            self.codes.top_progress |= matches!(number, Some(1 | 2));
        }
    }

    fn amount(&mut self, member: Value<'_>, role: Role, place: Place, exact: bool) {
        let Some(index) = AMOUNT_PLACES.iter().position(|known| *known == place) else { return };
        if member.is_empty() {
            return;
        }
        let amounts = &mut self.facts.amounts[index];
        let stated = match role {
            Role::Price => &mut amounts.price,
            Role::Charged => &mut amounts.total,
            _ => &mut amounts.fee,
        };
        stated.add(Decimal::of(member), exact);
    }

    /// Anything but the documented value leaves it open.
    pub(super) fn finality(&mut self, member: Value<'_>, role: Role, exact: bool) {
        if member.is_empty() {
            return;
        }
        let (literal, words) = if role == Role::Final { ("true", ["true", "yes"]) } else { ("false", ["false", "no"]) };
        let is_said = match member.kind() {
            Type::Bool => member.raw() == literal,
            Type::Text => word(member).is_some_and(|word| is_one_of(&word, &words)),
            _ => false,
        };
        let finality = &mut self.facts.finality;
        finality.may_change |= !is_said;
        match role {
            Role::Final => finality.is_final |= is_said && exact,
            _ => finality.needs_no_requery |= is_said && exact,
        }
    }
}
