//! Reads an event, which anybody may have sent, by the roles of its fields: as a response, but with names in any case.
//! A field that cannot be read, or contradicts another one, is a fault: another reader would understand another event.

use std::borrow::Cow;

use super::roles::Meaning;
use super::stated::Text;
use super::words::{NamedState, state_of_id, state_of_word, word};
use super::{Facts, Reader};
use crate::json::Type;
use crate::json::decimal::Decimal;
use crate::json::document::Value;
use crate::request::names::References;
use paysvc_spec::events::EVENT;
use paysvc_spec::schema::{Place, Role};
use paysvc_spec::status::State;

/// Longest value that is read, in bytes as written. References have 40.
const MAX_VALUE: usize = 256;
/// Max characters of an unknown state that are kept.
const MAX_STATE_CHARS: usize = 40;

#[derive(Debug)]
pub struct EventFacts {
    pub facts: Box<Facts>,
    pub roles: Vec<Role>,
    /// A state that is no known word.
    pub unknown_state: Option<String>,
}

/// A field and its fault.
pub type Fault = (&'static str, &'static str);

/// Reads the objects of an event. The states of the last one count: beside it they are about the request, not the
/// payment.
pub fn read(objects: &[Value<'_>]) -> Result<EventFacts, Fault> {
    let requested = References::new();
    let mut reader = Reader::new(EVENT, &requested);
    let (mut roles, mut unknown_state) = (Vec::new(), None);
    for (index, object) in objects.iter().enumerate() {
        let mut seen = Vec::new();
        for member in object.children() {
            let Some(name) = member.name() else { continue };
            let Some(known) = EVENT.members.iter().find(|known| known.name.eq_ignore_ascii_case(&name)) else {
                continue;
            };
            if seen.contains(&known.name) {
                return Err((known.name, "is given twice, in different cases"));
            }
            seen.push(known.name);
            let (Some(role), false) = (known.role, member.is_empty()) else { continue };
            let is_state = matches!(role, Role::StateNumber | Role::StateWord);
            // A flag is about the request.
            if is_state && (index + 1 < objects.len() || role == Role::StateWord && member.kind() == Type::Bool) {
                continue;
            }
            let named = if role == Role::StateNumber { state_of_id(member) } else { state_of_word(member) };
            if is_state && named == Some(NamedState::Unknown) {
                let text = word(member).unwrap_or(Cow::Borrowed(member.raw()));
                unknown_state = Some(text.chars().take(MAX_STATE_CHARS).collect());
            }
            // If there are two states of progress, the number counts.
            let place = if role == Role::StateNumber { Place::Payment } else { Place::Data };
            match role {
                // An event may give it as a number.
                Role::Currency => reader.facts.currency.add(Text::of(member), true),
                _ => reader.member(member, Meaning { role, exact: true, within: &[] }, place, true),
            }
            match fault(member, role) {
                None if reader.contradicts_itself(role) => return Err((known.name, "contradicts another field")),
                None => {}
                Some(why) => return Err((known.name, why)),
            }
            roles.push(role);
        }
    }
    let facts = reader.finish(objects[0]);
    Ok(EventFacts { unknown_state: unknown_state.filter(|_| facts.signs.state == State::NONE), facts, roles })
}

/// The reason why a field cannot be read.
fn fault(member: Value<'_>, role: Role) -> Option<&'static str> {
    match (role, member.kind()) {
        (Role::StateNumber | Role::StateWord, _) => None,
        _ if member.raw().len() > MAX_VALUE => Some("is too long"),
        (Role::Price | Role::Charged | Role::Fee, _) => {
            Decimal::of(member).is_none().then_some("is not a decimal amount")
        }
        (_, Type::Text | Type::Number) => Text::of(member).is_none().then_some("is not valid Unicode text"),
        _ => Some("is neither text nor a number"),
    }
}

impl Reader<'_> {
    /// Returns whether two fields of that role contradict each other.
    fn contradicts_itself(&mut self, role: Role) -> bool {
        self.decide_state();
        let facts = &self.facts;
        match role {
            Role::Reference(kind) => facts.reference(kind).text.is_unclear(),
            Role::ServiceReference => facts.service_reference.is_unclear(),
            Role::Currency => facts.currency.is_unclear(),
            Role::Price => facts.amounts.iter().any(|amounts| amounts.price.is_unclear()),
            Role::Charged => facts.amounts.iter().any(|amounts| amounts.total.is_unclear()),
            Role::Fee => facts.amounts.iter().any(|amounts| amounts.fee.is_unclear()),
            Role::StateNumber | Role::StateWord => facts.signs.states_disagree,
            _ => false,
        }
    }
}
