//! What an event, the service's answer and the caller's expectation have in common, and how they differ.

use super::amounts::Amounts;
use super::members::{NamedByEvent, Values, is_progress};
use crate::answer::decimal::Decimal;
use crate::answer::facts::words::is_same;
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

/// What the service's answer proves about an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Authenticity {
    Authentic,
    /// The service may still come to confirm the event: it is to be verified again later.
    Ahead,
    /// The service contradicts the event, and will not confirm it.
    Forged,
}

/// How event and answer relate.
#[derive(Debug, Default)]
pub struct Comparison {
    pub differences: Vec<Difference>,
    /// The service names another value, or its final state excludes the event's.
    contradicted: bool,
    /// The event names a value that the service does not name.
    unconfirmed: bool,
    /// The service's state, or a value in its answer, may still become what the event names.
    open: bool,
    /// The event's state follows the service's.
    ahead: bool,
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
    /// A difference: the service may still reach the event's state.
    Ahead,
    /// A difference: the service's state is final, and the event's does not follow it.
    Contradicts,
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

/// References that an answer must confirm if the event names them. The payment's is compared where both have it.
const CONFIRMED: &[Meaning] =
    &[Meaning::Reference, Meaning::Session, Meaning::AccountReference, Meaning::Batch, Meaning::Payout];

/// Compares an event with the service's answer, whose state is `state`. `may_change`: the answer says that its state is
/// not final.
pub fn with_service(event: &Values, service: &Values, state: State, may_change: bool) -> Comparison {
    let class = Class::of(state);
    let is_final = matches!(class, Class::Failed | Class::Successful | Class::Reversed) && !may_change;
    let is_unclear = service.state_is_unclear || !service.unclear.is_empty();
    let mut found = Comparison { open: !is_final || is_unclear, ..Comparison::default() };
    // An answer that contradicts itself confirms nothing, whether or not the event names that member.
    for &meaning in service.unclear.iter().filter(|meaning| !matches!(meaning, Meaning::Total | Meaning::Fee)) {
        found.unconfirmed(difference(meaning, event, service));
    }
    for meaning in [CONFIRMED, &[Meaning::PaymentReference]].concat() {
        if service.unclear.contains(&meaning) {
            continue;
        }
        let Some(of_event) = event.get(meaning) else { continue };
        match service.get(meaning) {
            Some(of_service) if is_same(of_event, of_service) => {}
            Some(_) => found.contradicted(difference(meaning, event, service)),
            None if CONFIRMED.contains(&meaning) => found.unconfirmed(difference(meaning, event, service)),
            None => {}
        }
    }
    compare_amounts(event, service, class, &mut found);
    if let (Some(of_event), Some(of_service)) = (event.get(Meaning::Currency), service.get(Meaning::Currency))
        && !is_same(of_event, of_service)
    {
        found.contradicted(difference(Meaning::Currency, event, service));
    }
    compare_states(&event.state, state, may_change, service.state_is_unclear, &mut found);
    found
}

impl Comparison {
    /// The rule by which a receiver handles an event, drops it, or has it sent again.
    pub fn authenticity(&self) -> Authenticity {
        match self {
            Comparison { contradicted: true, .. } => Authenticity::Forged,
            Comparison { ahead: true, .. } | Comparison { unconfirmed: true, open: true, .. } => Authenticity::Ahead,
            // Another delivery would get the same answer.
            Comparison { unconfirmed: true, .. } => Authenticity::Forged,
            _ => Authenticity::Authentic,
        }
    }

    fn contradicted(&mut self, difference: Difference) {
        self.contradicted = true;
        self.differences.push(difference);
    }

    fn unconfirmed(&mut self, difference: Difference) {
        self.unconfirmed = true;
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
fn compare_amounts(event: &Values, service: &Values, class: Class, found: &mut Comparison) {
    let (of_event, of_service) = (event.amounts(), service.amounts());
    let totals = match (&of_event.total, &of_service.total) {
        (Some(one), Some(other)) => Some(one == other),
        _ => None,
    };
    let names_amount = of_event.price.is_some() || of_event.total.is_some();
    // What was charged, and its fee, may differ until the payment has succeeded; the price may not.
    let is_settled = matches!(class, Class::Successful | Class::Reversed)
        || (of_event.price.is_some() && of_service.price.is_some());
    let agrees = match (&of_event.price, &of_service.price) {
        (Some(one), Some(other)) => Some(one == other),
        (None, None) => totals,
        (Some(_), None) | (None, Some(_)) if totals.is_some() => totals,
        (Some(price), None) => of_service.is_price(price),
        // Only the service's own fee explains a difference: the forger of an event chooses its fee.
        (None, Some(price)) => Amounts { fee: of_service.fee.clone(), ..of_event }.is_price(price),
    };
    if !service.unclear.contains(&Meaning::Price) {
        match agrees {
            Some(true) => {}
            Some(false) if is_settled => found.contradicted(difference(Meaning::Price, event, service)),
            _ if names_amount => found.unconfirmed(difference(Meaning::Price, event, service)),
            _ => found.contradicted(difference(Meaning::Price, event, service)),
        }
    }
    // If the prices are equal, the total may have changed since, because of the fee.
    if agrees == Some(true) && totals == Some(false) {
        found.differences.push(difference(Meaning::Total, event, service));
    }
}

/// `may_change`: the service's state is not final, whatever it is. `is_unclear`: the answer names more than one.
fn compare_states(event: &NamedByEvent, service: State, may_change: bool, is_unclear: bool, found: &mut Comparison) {
    let (row, shown) = match event {
        NamedByEvent::None => (Class::None, None),
        NamedByEvent::State(state) => (Class::of(*state), Some(Shown::State(state.0))),
        NamedByEvent::Unknown(text) => (Class::Unknown, Some(Shown::Text(text.clone()))),
    };
    let relation = match STATES[row as usize][Class::of(service) as usize] {
        _ if is_unclear => Relation::Ahead,
        Relation::Contradicts if may_change => Relation::Ahead,
        relation => relation,
    };
    if relation == Relation::Agrees && [None, Some(Shown::State(service.0))].contains(&shown) {
        return;
    }
    let service = (service != State::NONE).then_some(Shown::State(service.0));
    let difference = Difference { member: Meaning::StateNumber.name(), event: shown, service, expected: None };
    match relation {
        Relation::Contradicts => found.contradicted(difference),
        Relation::Ahead => {
            found.ahead = true;
            found.differences.push(difference);
        }
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
