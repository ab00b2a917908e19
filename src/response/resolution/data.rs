//! What the answer of a look-up says beside its states.

use super::history::{self, History};
use super::{Asked, Evidence, Question, price};
use crate::response::document::Value;
use crate::response::facts::words::{is_one_of, is_same, word};
use crate::util::json::Type;

impl Evidence {
    pub(super) fn read_data(&mut self, asked: &Asked<'_>, root: Value<'_>) {
        let data: Vec<Value<'_>> = named(root, "data").collect();
        let within = |name: &'static str| data.iter().copied().flat_map(move |data| named(data, name));
        let places: Vec<_> = data.iter().copied().chain(within("orderSummary")).chain(within("order")).collect();
        self.may_change = std::iter::once(root).chain(places.iter().copied()).any(may_change);
        match self.question {
            Question::Batch => self.facts.other_request |= names_another(root, "batchReference", asked.own_reference),
            Question::Account => {
                self.facts.other_request |= names_another(root, "alias", asked.own_reference);
                self.account = std::iter::once(root).chain(root.member("data")).any(is_account);
            }
            _ => {
                self.history = History::read(&data);
                self.may_change |= data.iter().copied().flat_map(history::elements).any(may_change);
                if let Some(reference) = asked.own_reference {
                    self.entry = history::entry(&data, reference);
                }
                let compared = price::compare(&asked.prices, &places);
                (self.amount_agrees, self.difference) = (compared.amount_agrees, compared.difference);
            }
        }
    }
}

/// The members of that name, in any case.
pub fn named<'d>(object: Value<'d>, name: &str) -> impl Iterator<Item = Value<'d>> {
    let children = (object.kind() == Type::Object).then(|| object.children()).into_iter().flatten();
    children.filter(move |member| member.name().is_some_and(|own| own.eq_ignore_ascii_case(name)))
}

/// Whether the object says that its state is not final. What is neither of the documented values leaves it open.
fn may_change(object: Value<'_>) -> bool {
    let says = |value: Value<'_>, literal: &str, words: &[&str]| match value.kind() {
        Type::Bool => value.raw() == literal,
        Type::Text => word(value).is_some_and(|word| is_one_of(&word, words)),
        _ => false,
    };
    let open = |name: &str, literal: &str, words: &[&str]| {
        named(object, name).any(|value| !value.is_empty() && !says(value, literal, words))
    };
    open("isFinalStatus", "true", &["true", "yes"]) || open("requeryNeeded", "false", &["false", "no"])
}

/// Whether the answer names, at any depth, another reference of that kind than the one asked for.
fn names_another(root: Value<'_>, name: &str, own: Option<&str>) -> bool {
    let Some(own) = own else { return false };
    let differs = |value: Value<'_>| match value.kind() {
        _ if value.is_empty() => false,
        Type::Text => value.text().is_none_or(|text| !is_same(&text, own)),
        Type::Number => !is_same(value.raw(), own),
        _ => true,
    };
    let mut found = root.everything().filter(|value| value.name().is_some_and(|its| its.eq_ignore_ascii_case(name)));
    found.any(differs)
}

/// Whether the object is an account: it has a number.
fn is_account(object: Value<'_>) -> bool {
    let number = |name: &str| {
        object.member(name).is_some_and(|number| match number.kind() {
            Type::Text => !number.is_empty(),
            kind => kind == Type::Number,
        })
    };
    number("accountNumber") || number("account_number")
}
