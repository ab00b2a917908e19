//! What an event says, which anybody may have sent: by the roles of its members, as an answer, but with names in any case.
//! A member that cannot be read, or contradicts another one, is a fault: another reader would understand another event.

use std::borrow::Cow;

use super::roles::Meaning;
use super::stated::Text;
use super::words::{NamedState, state_of_id, state_of_word, word};
use super::{AMOUNT_PLACES, Facts, Reader};
use crate::answer::decimal::Decimal;
use crate::json::Type;
use crate::json::document::Value;
use crate::request::references::References;
use paysvc_spec::events::EVENT;
use paysvc_spec::schema::{Place, Role};
use paysvc_spec::status::State;

/// How many characters of an unknown state are kept.
const MAX_STATE_CHARS: usize = 40;

#[derive(Debug)]
pub struct EventFacts {
    pub facts: Box<Facts>,
    /// The roles of its members.
    pub roles: Vec<Role>,
    /// A state that is no known word.
    pub unknown_state: Option<String>,
}

const NO_TEXT: &str = "cannot be read as a text or number";
const NO_AMOUNT: &str = "is not a decimal amount";

/// A member and what is wrong with it.
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
            // Of two states of progress the number counts.
            let place = if role == Role::StateNumber { Place::Payment } else { Place::Data };
            reader.member(member, Meaning { role, exact: true, within: &[] }, place, true);
            reader.check(member, role).map_err(|why| (known.name, why))?;
            if is_state && [state_of_id(member), state_of_word(member)].contains(&Some(NamedState::Unknown)) {
                let text = word(member).unwrap_or(Cow::Borrowed(member.raw()));
                unknown_state = Some(text.chars().take(MAX_STATE_CHARS).collect());
            }
            roles.push(role);
        }
    }
    let facts = reader.finish(objects[0]);
    Ok(EventFacts { unknown_state: unknown_state.filter(|_| facts.state == State::NONE), facts, roles })
}

impl Reader<'_> {
    /// What is wrong with a member that was read.
    fn check(&mut self, member: Value<'_>, role: Role) -> Result<(), &'static str> {
        let facts = &self.facts;
        let of_data = &facts.amounts[AMOUNT_PLACES.iter().position(|place| *place == Place::Data).unwrap_or_default()];
        let (is_unclear, is_read, unreadable) = match role {
            Role::Reference(kind) => (facts.reference(kind).text.is_unclear(), Text::of(member).is_some(), NO_TEXT),
            Role::ServiceReference => (facts.service_reference.is_unclear(), Text::of(member).is_some(), NO_TEXT),
            Role::Currency => (facts.currency.is_unclear(), member.kind() == Type::Text, NO_TEXT),
            Role::Price => (of_data.price.is_unclear(), Decimal::of(member).is_some(), NO_AMOUNT),
            Role::Charged => (of_data.total.is_unclear(), Decimal::of(member).is_some(), NO_AMOUNT),
            Role::Fee => (of_data.fee.is_unclear(), Decimal::of(member).is_some(), NO_AMOUNT),
            Role::StateNumber | Role::StateWord => {
                self.decide_state();
                (self.facts.states_disagree, true, "")
            }
            _ => (false, true, ""),
        };
        match (is_unclear, is_read) {
            (false, _) => Ok(()),
            (true, false) => Err(unreadable),
            (true, true) => Err("contradicts another member"),
        }
    }
}
