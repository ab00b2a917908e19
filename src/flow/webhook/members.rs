//! What an event, or the answer that verifies it, says: the values of the members that have a meaning.

use std::borrow::Cow;

use super::amounts::Amounts;
use super::invalid::of_member;
use crate::answer::decimal::Decimal;
use crate::answer::facts::Facts;
use crate::answer::facts::stated::Stated;
use crate::answer::facts::words::{NamedState, is_one_of, is_same, state_of_id, state_of_word, word};
use crate::json::Type;
use crate::json::document::Value;
use crate::util::validation_error::ValidationError;
use paysvc_spec::events::{EventMember, MEMBERS, Meaning};
use paysvc_spec::schema::Reference;
use paysvc_spec::status::State;

/// Longest value that is read, in bytes as written. References have 40.
const MAX_VALUE: usize = 256;

/// How many characters of an unknown state are repeated.
const MAX_STATE_CHARS: usize = 40;

/// The state that an event names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum NamedByEvent {
    #[default]
    None,
    State(State),
    /// As it is written.
    Unknown(String),
}

/// How the names of members are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// In an answer, whose names are documented.
    Exact,
    /// In an event.
    AnyCase,
}

/// The values that an object gives, by what they mean.
#[derive(Default, Debug)]
pub struct Values {
    values: Vec<(Meaning, String)>,
    /// Members that an answer has but that do not count: they cannot be read, or they contradict each other.
    pub unclear: Vec<Meaning>,
    /// The states in an answer contradict each other.
    pub state_is_unclear: bool,
    pub state: NamedByEvent,
}

impl Values {
    /// Adds the members of an event's object. A member that cannot be read, or contradicts one that was read before, is
    /// a fault: another reader would understand another event.
    pub fn add_event(&mut self, object: Value<'_>, with_state: bool) -> Result<(), ValidationError> {
        let mut seen = Vec::new();
        for member in object.children() {
            let Some(known) = known(member, Names::AnyCase) else { continue };
            if seen.contains(&known.name) {
                return Err(of_member(known.name, "is given twice, in different cases"));
            }
            seen.push(known.name);
            match known.meaning {
                // Beside a wrapped object they are about the request, not the payment.
                Meaning::StateNumber | Meaning::StateWord if !with_state => {}
                Meaning::StateNumber | Meaning::StateWord => self.add_state(member, known)?,
                _ => self.add(member, known)?,
            }
        }
        Ok(())
    }

    /// The members of an answer's object.
    pub fn of_answer(object: Value<'_>) -> Values {
        let mut found = Values::default();
        for member in object.children() {
            let Some(known) = known(member, Names::Exact) else { continue };
            let is_state = matches!(known.meaning, Meaning::StateNumber | Meaning::StateWord);
            if !is_state && found.add(member, known).is_err() {
                found.unclear.push(known.meaning);
            }
        }
        let Values { values, unclear, .. } = &mut found;
        values.retain(|(meaning, _)| !unclear.contains(meaning));
        found
    }

    /// Adds what the answer's facts say, wherever they are: if a fact is unclear, or differs from the value here, the
    /// value is unclear.
    pub fn add_facts(&mut self, facts: &Facts) {
        let named = |kind| &facts.reference(kind).text;
        let texts = [
            (Meaning::Reference, named(Reference::Order)),
            (Meaning::Session, named(Reference::Session)),
            (Meaning::AccountReference, named(Reference::Account)),
            (Meaning::Currency, &facts.currency),
        ];
        for (meaning, stated) in texts {
            self.add_stated(meaning, stated, |text| text.to_string());
        }
        for amounts in &facts.amounts {
            let each =
                [(Meaning::Price, &amounts.price), (Meaning::Total, &amounts.total), (Meaning::Fee, &amounts.fee)];
            for (meaning, stated) in each {
                self.add_stated(meaning, stated, Decimal::to_string);
            }
        }
        self.state_is_unclear = facts.signs.states_disagree || facts.signs.state_contradicted;
    }

    fn add_stated<T: PartialEq>(&mut self, meaning: Meaning, stated: &Stated<T>, text: impl Fn(&T) -> String) {
        let any = stated.any().map(&text);
        let differs = self.get(meaning).zip(any.as_deref()).is_some_and(|(own, any)| !is_equal(meaning, own, any));
        if stated.is_unclear() || differs {
            self.values.retain(|(known, _)| *known != meaning);
            if !self.unclear.contains(&meaning) {
                self.unclear.push(meaning);
            }
        } else if let Some(clear) = stated.clear() {
            self.set_if_absent(meaning, &text(clear));
        }
    }

    fn add(&mut self, member: Value<'_>, known: &EventMember) -> Result<(), ValidationError> {
        let fault = |reason| of_member(known.name, reason);
        if member.is_empty() {
            return Ok(());
        }
        if member.raw().len() > MAX_VALUE {
            return Err(fault("is too long"));
        }
        let text = match member.kind() {
            Type::Text => member.text().ok_or_else(|| fault("is not valid Unicode text"))?,
            Type::Number => Cow::Borrowed(member.raw()),
            _ => return Err(fault("is neither text nor a number")),
        };
        let text = text.trim();
        if is_amount(known.meaning) && Decimal::parse(text).is_none() {
            return Err(fault("is not a decimal amount"));
        }
        match self.get(known.meaning) {
            Some(other) if !is_equal(known.meaning, other, text) => Err(fault("contradicts another member")),
            Some(_) => Ok(()),
            None => {
                self.values.push((known.meaning, text.to_owned()));
                Ok(())
            }
        }
    }

    fn add_state(&mut self, member: Value<'_>, known: &EventMember) -> Result<(), ValidationError> {
        let named = match known.meaning {
            Meaning::StateNumber => state_of_id(member),
            // A flag is about the request.
            _ if member.kind() == Type::Bool => None,
            _ if word(member).is_some_and(|word| is_one_of(&word, &["success"])) => Some(NamedState::Successful),
            _ => state_of_word(member),
        };
        let Some(named) = named else { return Ok(()) };
        let new = match named {
            NamedState::Progress(state) => NamedByEvent::State(state),
            NamedState::Failed => NamedByEvent::State(State::FAILED),
            NamedState::Successful | NamedState::Success => NamedByEvent::State(State::SUCCESSFUL),
            NamedState::Reversed => NamedByEvent::State(State::REVERSED),
            NamedState::UnknownNumber(_) | NamedState::Unknown => {
                let text = word(member).unwrap_or(Cow::Borrowed(member.raw()));
                NamedByEvent::Unknown(text.chars().take(MAX_STATE_CHARS).collect())
            }
        };
        self.state = match (std::mem::take(&mut self.state), new) {
            (NamedByEvent::None, new) => new,
            (old, new) if old == new => old,
            // States of progress never disagree with each other, nor with unknown ones; the number counts.
            (NamedByEvent::State(old), NamedByEvent::State(new)) if is_progress(old) && is_progress(new) => {
                NamedByEvent::State(if known.meaning == Meaning::StateNumber { new } else { old })
            }
            (NamedByEvent::State(state), NamedByEvent::Unknown(_))
            | (NamedByEvent::Unknown(_), NamedByEvent::State(state))
                if is_progress(state) =>
            {
                NamedByEvent::State(state)
            }
            _ => return Err(of_member(known.name, "contradicts another member")),
        };
        Ok(())
    }

    pub fn get(&self, meaning: Meaning) -> Option<&str> {
        self.values.iter().find(|(known, _)| *known == meaning).map(|(_, text)| &**text)
    }

    /// Sets what the object does not say itself.
    pub fn set_if_absent(&mut self, meaning: Meaning, text: &str) {
        if self.get(meaning).is_none() && !self.unclear.contains(&meaning) {
            self.values.push((meaning, text.to_owned()));
        }
    }

    pub fn amounts(&self) -> Amounts {
        let of = |meaning| self.get(meaning).and_then(Decimal::parse);
        Amounts { price: of(Meaning::Price), total: of(Meaning::Total), fee: of(Meaning::Fee) }
    }
}

pub fn is_progress(state: State) -> bool {
    matches!(state, State::INITIATED | State::PENDING | State::AWAITING | State::PROCESSING)
}

fn is_amount(meaning: Meaning) -> bool {
    matches!(meaning, Meaning::Price | Meaning::Total | Meaning::Fee)
}

fn is_equal(meaning: Meaning, one: &str, other: &str) -> bool {
    match is_amount(meaning) {
        true => Decimal::parse(one) == Decimal::parse(other),
        false => is_same(one, other),
    }
}

fn known(member: Value<'_>, names: Names) -> Option<&'static EventMember> {
    let name = member.name()?;
    MEMBERS.iter().find(|known| match names {
        Names::Exact => known.name == name,
        Names::AnyCase => known.name.eq_ignore_ascii_case(&name),
    })
}
