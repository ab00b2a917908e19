//! Compares an event, the service's response and the caller's expectation: two sets of facts at a time, role by role.

use crate::answer::facts::Facts;
use crate::answer::facts::event::EventFacts;
use crate::answer::facts::stated::{Amounts, PriceMatch, Statement, Text};
use crate::json::decimal::Decimal;
use crate::request::text_value;
use paysvc_spec::events::COMPARED;
use paysvc_spec::schema::{Reference, Role};
use paysvc_spec::status::State;

/// The values of both; they are JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    pub member: &'static str,
    pub event: Option<String>,
    pub service: Option<String>,
    /// Set if the caller expected something other than the service's value.
    pub expected: Option<String>,
}

/// The authenticity of an event, as the service's response proves it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Authenticity {
    Authentic,
    /// The service may still come to confirm the event: it is to be verified again later.
    Ahead,
    /// The service contradicts the event, and will not confirm it.
    Forged,
}

/// The values of the event or of the service's response, by role.
pub struct Statements<'a> {
    facts: &'a Facts,
    /// The response is to this question, whether it repeats it or not.
    asked: Option<(Reference, &'a str)>,
}

impl<'a> Statements<'a> {
    pub fn of_event(event: &'a EventFacts) -> Statements<'a> {
        Statements { facts: &event.facts, asked: None }
    }

    pub fn of_answer(facts: &'a Facts, by: Reference, about: &'a str) -> Statements<'a> {
        Statements { facts, asked: Some((by, about)) }
    }

    fn amount(&self, of: impl Fn(&Amounts) -> &Statement<Decimal>) -> Statement<Decimal> {
        Statement::all(self.facts.amounts.iter().map(of))
    }

    fn price(&self) -> Statement<Decimal> {
        self.amount(|amounts| &amounts.price)
    }

    fn total(&self) -> Statement<Decimal> {
        self.amount(|amounts| &amounts.total)
    }

    fn fee(&self) -> Statement<Decimal> {
        self.amount(|amounts| &amounts.fee)
    }

    /// In a role that has a text.
    pub fn text(&self, role: Role) -> Statement<Text> {
        match role {
            Role::Reference(kind) => {
                let own = &self.facts.reference(kind).text;
                let beside = Some(&self.facts.beside).filter(|_| kind == Reference::Order);
                let mut found = Statement::all(std::iter::once(own).chain(beside));
                if let Some((_, about)) = self.asked.filter(|(by, _)| *by == kind && found.is_absent()) {
                    found.add(Some(Text::from(about)), true);
                }
                found
            }
            Role::ServiceReference => self.facts.service_reference.clone(),
            Role::Currency => self.facts.currency.clone(),
            _ => Statement::default(),
        }
    }

    fn is_unclear(&self, role: Role) -> bool {
        match role {
            Role::Price => self.price().is_unclear(),
            Role::Charged => self.total().is_unclear() || self.fee().is_unclear(),
            Role::StateNumber => self.facts.signs.states_disagree || self.facts.signs.state_contradicted,
            _ => self.text(role).is_unclear(),
        }
    }

    /// As JSON. For a price: the amount charged, if there is no other amount.
    fn shown(&self, role: Role) -> Option<String> {
        let amount = |stated: Statement<Decimal>| stated.clear().map(Decimal::to_string);
        let text = match role {
            Role::Price => amount(self.price()).or_else(|| amount(self.total())),
            Role::Charged => amount(self.total()),
            _ => self.text(role).clear().map(|text| text.0.clone()),
        };
        text.as_deref().map(json)
    }
}

/// A state, as in the table of states. The numbers are the table's rows and columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    None,
    Progress,
    Failed,
    Successful,
    Reversed,
    Unknown,
}

impl Class {
    #[cfg(test)]
    pub const ALL: [Class; 6] =
        [Class::None, Class::Progress, Class::Failed, Class::Successful, Class::Reversed, Class::Unknown];

    fn of(state: State) -> Class {
        match state {
            State::NONE => Class::None,
            State::FAILED => Class::Failed,
            State::SUCCESSFUL => Class::Successful,
            State::REVERSED => Class::Reversed,
            State::INITIATED | State::PENDING | State::AWAITING | State::PROCESSING => Class::Progress,
            _ => Class::Unknown,
        }
    }
}

/// The relation of a value in an event to the service's response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// No difference. Two states of progress may still have different numbers, which is a difference.
    Agrees,
    /// A difference; the event may be genuine.
    Older,
    /// A difference: the service may still reach the event's state.
    Ahead,
    /// A difference: the service names another value, or a final state that the event's does not follow.
    Contradicts,
    /// A difference: the event names a value that the service does not name, or the response contradicts itself.
    Unconfirmed,
}

/// Rows: the event's state. Columns: the service's. `docs/webhooks.md` has the same table, which a test compares.
pub const STATES: [[Relation; 6]; 6] = {
    use Relation::{Agrees, Ahead, Contradicts, Older};
    [
        // none  progress  failed  successful  reversed  unknown
        [Agrees, Agrees, Agrees, Agrees, Agrees, Agrees],  // none
        [Ahead, Agrees, Older, Older, Older, Ahead],       // progress
        [Ahead, Ahead, Agrees, Older, Older, Ahead],       // failed
        [Ahead, Ahead, Contradicts, Agrees, Older, Ahead], // successful
        [Ahead, Ahead, Contradicts, Ahead, Agrees, Ahead], // reversed
        [Ahead, Ahead, Contradicts, Contradicts, Contradicts, Ahead], // unknown
    ]
};

/// Returns the differences between an event and the service's response, whose state is `state`, and what they prove.
pub fn with_service(event: &EventFacts, service: &Statements<'_>, state: State) -> (Vec<Difference>, Authenticity) {
    use Relation::{Agrees, Ahead, Contradicts, Unconfirmed};
    let (of_event, class) = (Statements::of_event(event), Class::of(state));
    let may_change = service.facts.finality.may_change;
    let (amounts, totals) = amounts(&of_event, service, class);
    let relations = COMPARED.iter().map(|&(_, role)| match role {
        Role::StateNumber => states(event, service, class, may_change),
        // A response that contradicts itself confirms nothing, whether or not the event names that field.
        Role::Price | Role::Reference(_) | Role::ServiceReference | Role::Currency if service.is_unclear(role) => {
            Unconfirmed
        }
        Role::Price => amounts,
        Role::Charged => totals,
        _ => match (of_event.text(role).clear(), service.text(role).clear()) {
            (Some(one), Some(other)) if one != other => Contradicts,
            (Some(_), None) if matches!(role, Role::Reference(_)) => Unconfirmed,
            _ => Agrees,
        },
    });
    let relations: Vec<Relation> = relations.collect();
    let is_final = matches!(class, Class::Failed | Class::Successful | Class::Reversed) && !may_change;
    // The service's state, or a value in its response, may still become what the event names.
    let is_open = !is_final || COMPARED.iter().any(|(_, role)| service.is_unclear(*role));
    let has = |relation| relations.contains(&relation);
    // The rule by which a receiver handles an event, drops it, or has it sent again.
    let authenticity = match () {
        () if has(Contradicts) => Authenticity::Forged,
        () if has(Ahead) || has(Unconfirmed) && is_open => Authenticity::Ahead,
        // Another delivery would get the same response.
        () if has(Unconfirmed) => Authenticity::Forged,
        () => Authenticity::Authentic,
    };
    let each = COMPARED.iter().zip(&relations).filter(|((_, role), relation)| match (role, relation) {
        // Another number of progress.
        (Role::StateNumber, Agrees) => event.facts.signs.state != State::NONE && event.facts.signs.state != state,
        (_, relation) => **relation != Agrees,
    });
    let differences = each.map(|(&(member, role), _)| match role {
        Role::StateNumber => Difference {
            member,
            event: event.unknown_state.as_deref().map(json).or_else(|| number(event.facts.signs.state)),
            service: number(state),
            expected: None,
        },
        _ => difference(member, role, &of_event, service),
    });
    (differences.collect(), authenticity)
}

fn json(text: &str) -> String {
    text_value(text).into()
}

fn number(state: State) -> Option<String> {
    (state != State::NONE).then(|| state.0.to_string())
}

/// Returns the values of both.
fn difference(member: &'static str, role: Role, event: &Statements<'_>, service: &Statements<'_>) -> Difference {
    Difference { member, event: event.shown(role), service: service.shown(role), expected: None }
}

/// Compares price and total. The prices must be equal; if one is missing, the totals; otherwise a price must be the
/// other's total with or without the fee. An event without an amount agrees with nothing.
fn amounts(event: &Statements<'_>, service: &Statements<'_>, class: Class) -> (Relation, Relation) {
    let [price, wanted, total, charged, fee] =
        [event.price(), service.price(), event.total(), service.total(), service.fee()];
    let [price, wanted, total, charged, fee] = [&price, &wanted, &total, &charged, &fee].map(Statement::clear);
    let totals = total.zip(charged).map(|(one, other)| one == other);
    // Only the service's own fee explains a difference: the forger of an event chooses its fee.
    let is_charged = |price: &Decimal, total: Option<&Decimal>| {
        total.map(|total| total == price || fee.is_some_and(|fee| *total == price.plus(fee)))
    };
    let agrees = match (price, wanted) {
        (Some(one), Some(other)) => Some(one == other),
        (None, None) => totals,
        _ if totals.is_some() => totals,
        (Some(price), None) => is_charged(price, charged),
        (None, Some(price)) => is_charged(price, total),
    };
    // The amount charged, and its fee, may differ until the payment has succeeded; the price may not.
    let is_settled = matches!(class, Class::Successful | Class::Reversed) || price.is_some() && wanted.is_some();
    match agrees {
        // If the prices are equal, the total may have changed since, because of the fee.
        Some(true) if totals == Some(false) => (Relation::Agrees, Relation::Older),
        Some(true) => (Relation::Agrees, Relation::Agrees),
        Some(false) if is_settled => (Relation::Contradicts, Relation::Agrees),
        _ if price.is_some() || total.is_some() => (Relation::Unconfirmed, Relation::Agrees),
        _ => (Relation::Contradicts, Relation::Agrees),
    }
}

/// `may_change`: the service's state is not final, whatever it is.
fn states(event: &EventFacts, service: &Statements<'_>, of_service: Class, may_change: bool) -> Relation {
    let of_event = if event.unknown_state.is_some() { Class::Unknown } else { Class::of(event.facts.signs.state) };
    match STATES[of_event as usize][of_service as usize] {
        _ if service.is_unclear(Role::StateNumber) => Relation::Ahead,
        Relation::Contradicts if may_change => Relation::Ahead,
        relation => relation,
    }
}

/// The values that the caller expects, by the names of what is compared.
pub type Expected = Vec<(&'static str, String)>;

/// Returns whether the service's response confirms all that the caller expects; unconfirmed values become differences.
/// The event does not count: a genuine one of a cheaper order may have been sent again.
pub fn with_expected(
    expected: &Expected,
    event: &EventFacts,
    service: &Statements<'_>,
    differences: &mut Vec<Difference>,
) -> bool {
    let mut matches = true;
    for (name, wanted) in expected {
        let Some(&(member, role)) = COMPARED.iter().find(|(known, _)| known == name) else { continue };
        let is_as_expected = match role {
            Role::Price => {
                Decimal::parse(wanted).is_some_and(|wanted| service.facts.compare_price(&wanted) == PriceMatch::Equal)
            }
            _ => service.text(role).clear() == Some(&Text::from(&**wanted)),
        };
        if is_as_expected {
            continue;
        }
        matches = false;
        match differences.iter_mut().find(|known| known.member == member) {
            Some(known) => known.expected = Some(wanted.clone()),
            None => {
                let expected = Some(wanted.clone());
                let difference = difference(member, role, &Statements::of_event(event), service);
                differences.push(Difference { expected, ..difference });
            }
        }
    }
    matches
}
