//! The facts of a response: votes, states, codes, references, amounts. The verdict, the resolution of an earlier request,
//! webhooks and bulk payouts decide over them: nothing else reads the meaning of a response.
//!
//! One reader takes the response apart by the roles of its fields. Fields that weaken a verdict are read leniently
//! (names in any case, at any depth), fields that strengthen it strictly.

use crate::json::Type;
use crate::json::decimal::Decimal;
use crate::json::document::{Document, Value};
use crate::request::names::References;
use crate::util::text::is_digits;
use history::History;
use paysvc_spec::schema::{Answer, Envelope, Member, Place, Reference, Role};
use paysvc_spec::status::{Amount, State};
use paysvc_spec::verdicts::Signs;
use stated::{Amounts, NamedReference, Statement, Text};
use words::{NamedState, state_of_id, word};

pub mod event;
pub mod history;
mod objects;
pub mod refusal;
pub mod roles;
pub mod stated;
pub mod wording;
pub mod words;

/// Values that are read between two checks of the deadline: less than a millisecond.
const BETWEEN_STOPS: usize = 32 * 1024;

/// The evidence on whether the state can still change.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Finality {
    /// A field reports that it can, or cannot be read.
    pub may_change: bool,
    /// The documented fields report that it is final, and that nobody needs to ask again.
    pub is_final: bool,
    pub needs_no_requery: bool,
}

/// The facts that a response states.
#[derive(Default, Debug)]
pub struct Facts {
    pub signs: Signs,
    /// A code of failure under its documented name, and not of an earlier attempt in a list.
    pub failure_code: bool,
    pub failure_code_but_4: bool,
    /// An element of a `data` array reports that it was refused.
    pub element_refused: bool,
    /// The number of elements in a `data` array.
    pub elements: usize,
    /// The references that the response is about, by their kind.
    pub references: [NamedReference; Reference::ALL.len()],
    /// A reference that stands in `data` beside the documented one.
    pub beside: Statement<Text>,
    /// The service's own reference of the payment.
    pub service_reference: Statement<Text>,
    /// For each place that has amounts.
    pub amounts: [Amounts; AMOUNT_PLACES.len()],
    pub currency: Statement<Text>,
    pub finality: Finality,
    pub history: History,
    /// It names the number of a bank account.
    pub account: bool,
    /// Its state is that of a payment for an order, not that of a refund, a payout, or a request without a row.
    pub is_of_payment: bool,
    /// The message reports that what was asked about is active.
    pub says_active: bool,
    /// The order that the request names, if the response is about a payment and names none.
    pub requested_order: Option<Text>,
}

/// The places that name amounts, in the order of [`Facts::amounts`].
const AMOUNT_PLACES: [Place; 4] = [Place::Payment, Place::Data, Place::Summary, Place::Order];

impl Facts {
    pub fn reference(&self, kind: Reference) -> &NamedReference {
        &self.references[kind as usize]
    }

    /// An amount that the response names, whatever field has it; `None` if none has it, or if two contradict each other.
    pub fn amount(&self, which: Amount) -> Option<String> {
        let all = |of: fn(&Amounts) -> &Statement<Decimal>| {
            Statement::all(self.amounts.iter().map(of)).clear().map(Decimal::to_string)
        };
        match which {
            Amount::Price => all(|amounts| &amounts.price),
            Amount::Fee => all(|amounts| &amounts.fee),
            Amount::Total => all(|amounts| &amounts.total),
            Amount::Refunded => self.reference(Reference::Refunded).text.clear().map(|text| text.0.clone()),
        }
    }

    /// Returns the values of [`Facts::compare_price`], if they are clear: the price, or the amount charged and its fee.
    pub fn amount_and_fee(&self) -> (Option<Decimal>, Option<Decimal>) {
        let all = |of: fn(&Amounts) -> &Statement<Decimal>| Statement::all(self.amounts.iter().map(of));
        match all(|amounts| &amounts.price) {
            price if price.is_absent() => {
                (all(|amounts| &amounts.total).clear().cloned(), all(|amounts| &amounts.fee).clear().cloned())
            }
            price => (price.clear().cloned(), None),
        }
    }
}

/// The object that a state belongs to, by where it stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum StateLevel {
    /// `data.orderPayment`
    Payment,
    /// `data`, or the top level if the row has it there
    Data,
    /// `data.orderSummary`, `data.order`
    Order,
}

/// The meaning of the top-level `status` for the payment, besides its vote.
#[derive(Clone, Copy, Default)]
struct TopStatus {
    progress: bool,
    failure: bool,
    /// It is false, or a text that means so.
    denies: bool,
}

/// The codes that a response has: those of the payment, and at the top 1 or 2.
#[derive(Clone, Copy, Default)]
struct Codes {
    success: bool,
    /// Or in doubt.
    progress: bool,
    /// Any that does not mean success.
    unsuccessful: bool,
    top_progress: bool,
}

/// Reads the facts of a response; `text` is what the document was scanned from. `None` if stopped.
pub fn read(
    document: &Document,
    text: &str,
    expected: &Answer,
    references: &References<'_>,
    stop: &dyn Fn() -> bool,
) -> Option<Box<Facts>> {
    let mut reader = Reader::new(expected, references);
    reader.facts.signs.duplicate_names = document.has_duplicate_names();
    for value in document.values(text) {
        if value.index() % BETWEEN_STOPS == BETWEEN_STOPS - 1 && stop() {
            return None;
        }
        reader.at_any_depth(value);
    }
    let root = document.root(text);
    reader.object(root, Place::Root, expected.members, true);
    Some(reader.finish(root))
}

struct Reader<'a> {
    expected: &'a Answer,
    requested: &'a References<'a>,
    facts: Box<Facts>,
    /// The states outside of lists.
    states: Vec<(StateLevel, NamedState)>,
    top: TopStatus,
    codes: Codes,
}

impl<'a> Reader<'a> {
    fn new(expected: &'a Answer, requested: &'a References<'a>) -> Reader<'a> {
        Reader {
            expected,
            requested,
            facts: Box::default(),
            states: Vec::new(),
            top: TopStatus::default(),
            codes: Codes::default(),
        }
    }

    /// Reads what weakens a verdict at any depth.
    fn at_any_depth(&mut self, value: Value<'_>) {
        match roles::at_any_depth(value) {
            Some(Role::StateNumber) => {
                if let Some(named) = state_of_id(value) {
                    self.record_state(named);
                }
            }
            Some(_) => self.facts.signs.names_progress |= !value.is_empty(),
            None => {}
        }
    }

    fn record_state(&mut self, named: NamedState) {
        self.facts.signs.names_state = true;
        self.facts.signs.names_progress |= named != NamedState::Failed;
    }

    /// The state of the payment, from all states that the response names.
    fn decide_state(&mut self) {
        let states = &self.states;
        let any = |wanted: NamedState| states.iter().any(|(_, named)| *named == wanted);
        let failed_at =
            |level: StateLevel| states.iter().any(|(at, named)| *at == level && *named == NamedState::Failed);
        let progress = states.iter().any(|(_, named)| matches!(named, NamedState::Progress(_)));
        let unknown =
            states.iter().any(|(_, named)| matches!(named, NamedState::Unknown | NamedState::UnknownNumber(_)));
        // "success" alone is not a state, however often it appears.
        let beside_success = states.iter().any(|(_, named)| *named != NamedState::Success);
        let successful = any(NamedState::Successful) || any(NamedState::Success) && beside_success;
        let (failed, reversed) = (any(NamedState::Failed), any(NamedState::Reversed));
        let finals = usize::from(successful) + usize::from(failed) + usize::from(reversed);
        let codes = self.codes;
        let (failed_elements, successful_elements) = (self.facts.history.failed, self.facts.history.successful);
        let other_elements = self.facts.history.other;

        let signs = &mut self.facts.signs;
        signs.states_disagree = finals > 1 || finals == 1 && (progress || unknown);
        // A state of something else proves nothing about what was asked for.
        let own_failed = self.expected.reports_state && (failed_at(StateLevel::Payment) || failed_at(StateLevel::Data));
        signs.failed_beside_progress =
            failed && (codes.success || codes.progress || self.top.progress || codes.top_progress);
        // A word that is the payment's state is one of the states above; `status` false never is.
        let top = match self.expected.top_word_is_state() {
            true => TopStatus { failure: self.top.denies, ..TopStatus::default() },
            false => self.top,
        };
        let elsewhere_failed = self.expected.subject.is_some()
            && !self.expected.top_word_is_state()
            && (signs.failure.any_case || signs.weak_failure);
        let without_payment = successful_elements == 0 && failed_elements + other_elements > 0;
        signs.state_contradicted = successful
            && (top.progress || top.failure || codes.unsuccessful || without_payment || elsewhere_failed)
            || failed && successful_elements + other_elements > 0;
        signs.state = match (signs.states_disagree || signs.state_contradicted, finals) {
            (true, _) => State::NONE,
            (false, 0) => in_progress(states),
            (false, _) if successful => State::SUCCESSFUL,
            (false, _) if reversed => State::REVERSED,
            (false, _) => State::FAILED,
        };
        signs.own_failed = signs.state == State::FAILED && own_failed;
        signs.order_failed = signs.state == State::FAILED && !own_failed;
    }

    fn finish(mut self, root: Value<'_>) -> Box<Facts> {
        self.decide_state();
        let facts = &mut self.facts;
        facts.signs.other_request = facts.references.iter().any(NamedReference::is_of_another_request);
        facts.is_of_payment = self.expected.is_of_payment;
        if facts.is_of_payment && facts.reference(Reference::Order).text.is_absent() {
            let order = self.requested.iter().find(|(kind, _)| *kind == Reference::Order);
            facts.requested_order = order.map(|(_, text)| Text(text.to_string()));
        }
        if !self.expected.reports_state {
            facts.signs.state = State::NONE;
        }
        if facts.signs.duplicate_names {
            // It is not known which of two fields is the subject, so the verdict does not depend on it.
            return self.facts;
        }
        facts.signs.subject =
            self.expected.subject.and_then(|pointer| root.find(pointer)).is_some_and(|subject| match subject.kind() {
                _ if subject.is_empty() => false,
                Type::Object | Type::Number => true,
                Type::Text => word(subject).is_some_and(|word| is_digits(&word)),
                _ => false,
            });
        facts.says_active = self.expected.active.is_some_and(|wording| {
            root.member("message").and_then(Value::text).is_some_and(|text| wording.is_said_by(&text))
        });
        let own = |member: &Member| root.member(member.name).is_some_and(|own| own.kind() != Type::Null);
        facts.signs.bare = self.expected.envelope == Envelope::Bare && self.expected.members.iter().any(own);
        self.facts
    }
}

/// The state if none is final. States of progress never disagree: the payment's own one counts.
fn in_progress(states: &[(StateLevel, NamedState)]) -> State {
    let only = |mut found: Vec<State>| {
        found.dedup_by_key(|state| state.0);
        if let [state] = found[..] { Some(state) } else { None }
    };
    let progress = |(_, named): &(StateLevel, NamedState)| match named {
        NamedState::Progress(state) => Some(*state),
        _ => None,
    };
    let known: Vec<_> = states.iter().filter_map(progress).collect();
    if !known.is_empty() {
        let own = states.iter().filter(|(level, _)| *level == StateLevel::Payment).filter_map(progress).collect();
        return only(known).or_else(|| only(own)).unwrap_or(State::NONE);
    }
    let number = |(_, named): &(StateLevel, NamedState)| match named {
        NamedState::UnknownNumber(number) => Some(State(*number)),
        _ => None,
    };
    only(states.iter().filter_map(number).collect()).unwrap_or(State::NONE)
}
