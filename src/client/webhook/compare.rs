//! What an event, the service's answer and the caller's expectation have in common, and how they differ.

use super::amounts::Amounts;
use super::members::{NamedByEvent, Values, is_progress};
use crate::response::decimal::Decimal;
use crate::response::facts::words::is_same;
use paysvc_spec::events::Meaning;
use paysvc_spec::status::State;

/// A value of a difference, as it is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shown {
    Text(String),
    State(i32),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    pub member: &'static str,
    pub event: Option<Shown>,
    pub service: Option<Shown>,
    /// Set if the caller expected something else than the service says.
    pub expected: Option<String>,
}

/// How event and answer relate.
#[derive(Debug, Default)]
pub struct Comparison {
    pub authentic: bool,
    pub differences: Vec<Difference>,
}

/// A state, as the table of states knows it. The numbers are the table's rows and columns.
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
            state if is_progress(state) => Class::Progress,
            _ => Class::Unknown,
        }
    }
}

/// How the state of an event relates to the service's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// No difference. Two states of progress may still have different numbers, which is a difference.
    Agrees,
    /// A difference; the event may be genuine.
    Older,
    /// A difference: the event claims something that the service does not know.
    Claims,
}

/// Rows: the event's state. Columns: the service's. `docs/webhooks.md` has the same table, which a test compares.
pub const STATES: [[Relation; 6]; 6] = {
    use Relation::{Agrees, Claims, Older};
    [
        // none   progress  failed  successful  reversed  unknown
        [Agrees, Agrees, Agrees, Agrees, Agrees, Agrees], // none
        [Claims, Agrees, Older, Older, Older, Claims],    // progress
        [Claims, Claims, Agrees, Older, Older, Claims],   // failed
        [Claims, Claims, Claims, Agrees, Older, Claims],  // successful
        [Claims, Claims, Claims, Claims, Agrees, Claims], // reversed
        [Claims, Claims, Claims, Claims, Claims, Claims], // unknown
    ]
};

/// References that an answer must confirm if the event names them. The payment's is compared where both have it.
const CONFIRMED: &[Meaning] =
    &[Meaning::Reference, Meaning::Session, Meaning::AccountReference, Meaning::Batch, Meaning::Payout];

/// Compares an event with the service's answer, whose state is `state`.
pub fn with_service(event: &Values, service: &Values, state: State) -> Comparison {
    let mut found = Comparison { authentic: true, differences: Vec::new() };
    // An answer that contradicts itself confirms nothing, whether or not the event names that member.
    for &meaning in service.unclear.iter().filter(|meaning| !matches!(meaning, Meaning::Total | Meaning::Fee)) {
        found.forged(difference(meaning, event, service));
    }
    for meaning in [CONFIRMED, &[Meaning::PaymentReference]].concat() {
        if service.unclear.contains(&meaning) {
            continue;
        }
        let Some(of_event) = event.get(meaning) else { continue };
        let differs = match service.get(meaning) {
            Some(of_service) => !is_same(of_event, of_service),
            None => CONFIRMED.contains(&meaning),
        };
        if differs {
            found.forged(difference(meaning, event, service));
        }
    }
    compare_amounts(event, service, &mut found);
    if let (Some(of_event), Some(of_service)) = (event.get(Meaning::Currency), service.get(Meaning::Currency))
        && !is_same(of_event, of_service)
    {
        found.forged(difference(Meaning::Currency, event, service));
    }
    compare_states(&event.state, state, service.state_is_unclear, &mut found);
    found
}

impl Comparison {
    /// A difference that no genuine event has.
    fn forged(&mut self, difference: Difference) {
        self.authentic = false;
        self.differences.push(difference);
    }
}

/// What both say, and what differs from what was expected.
fn difference(meaning: Meaning, event: &Values, service: &Values) -> Difference {
    Difference {
        member: meaning.name(),
        event: shown(meaning, event),
        service: shown(meaning, service),
        expected: None,
    }
}

/// For a price: what was charged, if there is no other amount.
fn shown(meaning: Meaning, values: &Values) -> Option<Shown> {
    let total = || values.get(Meaning::Total).filter(|_| meaning == Meaning::Price);
    values.get(meaning).or_else(total).map(|text| Shown::Text(text.to_owned()))
}

/// The prices must be equal; if one is missing, the totals; otherwise a price must be the other's total with or without
/// the fee. An event without an amount agrees with nothing.
fn compare_amounts(event: &Values, service: &Values, found: &mut Comparison) {
    let (of_event, of_service) = (event.amounts(), service.amounts());
    let totals = match (&of_event.total, &of_service.total) {
        (Some(one), Some(other)) => Some(one == other),
        _ => None,
    };
    let agrees = match (&of_event.price, &of_service.price) {
        (Some(one), Some(other)) => Some(one == other),
        (None, None) => totals,
        (Some(_), None) | (None, Some(_)) if totals.is_some() => totals,
        (Some(price), None) => of_service.is_price(price),
        // Only the service's own fee explains a difference: the forger of an event chooses its fee.
        (None, Some(price)) => Amounts { fee: of_service.fee.clone(), ..of_event }.is_price(price),
    };
    if agrees != Some(true) && !service.unclear.contains(&Meaning::Price) {
        found.forged(difference(Meaning::Price, event, service));
    }
    // If the prices are equal, the total may have changed since, because of the fee.
    if agrees == Some(true) && totals == Some(false) {
        found.differences.push(difference(Meaning::Total, event, service));
    }
}

fn compare_states(event: &NamedByEvent, service: State, is_unclear: bool, found: &mut Comparison) {
    let (row, shown) = match event {
        NamedByEvent::None => (Class::None, None),
        NamedByEvent::State(state) => (Class::of(*state), Some(Shown::State(state.0))),
        NamedByEvent::Unknown(text) => (Class::Unknown, Some(Shown::Text(text.clone()))),
    };
    let relation = match is_unclear {
        true => Relation::Claims,
        false => STATES[row as usize][Class::of(service) as usize],
    };
    if relation == Relation::Agrees && [None, Some(Shown::State(service.0))].contains(&shown) {
        return;
    }
    let service = (service != State::NONE).then_some(Shown::State(service.0));
    let difference = Difference { member: Meaning::StateNumber.name(), event: shown, service, expected: None };
    match relation {
        Relation::Claims => found.forged(difference),
        Relation::Agrees | Relation::Older => found.differences.push(difference),
    }
}

/// What the caller expects, by meaning.
pub type Expected = Vec<(Meaning, String)>;

/// Whether the service's answer says all that the caller expects; anything it does not say is added to the differences.
/// The event does not count: a genuine one of a cheaper order may have been sent again.
pub fn with_expected(expected: &Expected, event: &Values, service: &Values, differences: &mut Vec<Difference>) -> bool {
    let mut matches = true;
    for (meaning, wanted) in expected {
        let is_as_expected = match meaning {
            Meaning::Price => {
                Decimal::parse(wanted).is_some_and(|wanted| service.amounts().is_price(&wanted) == Some(true))
            }
            _ => service.get(*meaning).is_some_and(|found| is_same(found, wanted)),
        };
        if is_as_expected {
            continue;
        }
        matches = false;
        match differences.iter_mut().find(|known| known.member == meaning.name()) {
            Some(known) => known.expected = Some(wanted.clone()),
            None => {
                let expected = Some(wanted.clone());
                differences.push(Difference { expected, ..difference(*meaning, event, service) });
            }
        }
    }
    matches
}
