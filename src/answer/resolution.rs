//! Decides the outcome of an earlier request by the response to a status query.
//!
//! The table is [`paysvc_spec::verdicts::resolution`], which `docs/verdicts.md` shows. Doubt is UNKNOWN: a response that
//! contradicts itself, is about another request or leaves the question open proves nothing.

use std::borrow::Cow;

use super::verdict::{Verdict, state_of, status_of};
use crate::answer::facts::Facts;
use crate::answer::facts::history::AttemptState;
use crate::answer::facts::stated::{PriceMatch, Text};
use crate::answer::reply::Reply;
use crate::json::decimal::Decimal;
use paysvc_spec::journal::Ask;
use paysvc_spec::schema::{Reference, Safety};
use paysvc_spec::status::{Outcome, State, Status};
use paysvc_spec::verdicts::Signs;
use paysvc_spec::verdicts::resolution::{LINES, LookUp};

pub use paysvc_spec::verdicts::resolution::Question;

#[cfg(test)]
mod cells;
#[cfg(test)]
mod properties;

/// The known facts about the earlier request.
#[derive(Debug)]
pub struct Inquiry<'a> {
    pub question: Question,
    /// The prices that the order must have: by the request, and by the caller's `expect`.
    pub prices: Vec<Price>,
    /// The reference of the attempt, or the Reference of the account, that is asked about.
    pub own_reference: Option<Cow<'a, str>>,
    /// The number of begun requests that may charge this order; `None`: not known.
    pub attempts: Option<u32>,
}

/// The attempts to pay an order, by those who began them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Attempts {
    /// The number of begun requests that may charge the order; `None`: not known.
    pub begun: Option<u32>,
    /// The name that the service gave the attempt in question when it answered, if every other attempt has ended. Only
    /// a journal has it.
    pub own_entry: Option<String>,
}

impl Attempts {
    pub fn begun(begun: Option<u32>) -> Attempts {
        Attempts { begun, own_entry: None }
    }
}

impl Inquiry<'_> {
    /// The currency with which the order was made, as the request has it.
    pub fn currency_of_order(&self) -> Option<&str> {
        self.prices.iter().filter(|price| price.is_of_order).find_map(|price| price.currency.as_deref())
    }
}

/// A price that an order must have.
#[derive(Clone, Default, Debug)]
pub struct Price {
    /// The origin of the price, for messages.
    pub source: &'static str,
    /// The order was made with this price; a response that does not name the currency leaves no doubt about it.
    pub is_of_order: bool,
    pub amount: Option<Decimal>,
    pub currency: Option<String>,
}

/// The decision about the earlier request.
#[derive(Debug)]
pub struct Decision {
    pub verdict: Verdict,
    /// The difference, in words that may repeat the service's.
    pub difference: Option<String>,
    /// The service answered the status query, whatever the response.
    pub answered: bool,
    /// Only the currency is missing, which another endpoint may have.
    pub lacks_currency: bool,
}

/// Decides the outcome of the earlier request by the reply of the status query. `currency`: as another endpoint has it.
pub fn decide(asked: &Inquiry<'_>, attempts: &Attempts, reply: &Reply, currency: Option<&Text>) -> Decision {
    let nothing = Facts::default();
    let facts = reply.facts().unwrap_or(&nothing);
    let question = asked.question;
    // A response about something else is one, although the reading failed because of it.
    let is_of_another = reply.http_status() / 100 == 2 && facts.signs.other_request && !facts.signs.duplicate_names;
    let answered = reply.outcome() == Outcome::Confirmed || is_of_another;
    let entry = match (question, asked.own_reference.as_deref()) {
        (Question::Attempt, Some(own)) if answered => entry(facts, own),
        _ => State::NONE,
    };
    let own_account = answered
        && question == Question::Account
        && facts.account
        && is_reference_of(facts, asked.own_reference.as_deref());
    let found = if answered { compare(asked, facts, entry, own_account, currency) } else { Comparison::default() };
    let look_up = LookUp {
        question,
        signs: Signs { http_status: reply.http_status(), ..facts.signs },
        unsendable: matches!(reply.status(), Status::Argument | Status::Config | Status::Encrypt),
        answered,
        named: facts.reference(question.names()).is_requested(),
        differs: found.difference.is_some(),
        amount_agrees: found.amount_agrees,
        may_change: facts.finality.may_change,
        said_to_be_final: facts.finality.is_final && facts.finality.needs_no_requery,
        every_entry_failed: facts.history.all_failed(),
        attempts: attempts.begun,
        entry,
        own_entry: attempts.own_entry.as_deref().map_or(State::NONE, |own| self::entry(facts, own)),
        has_elements: facts.elements > 0,
        element_refused: facts.element_refused,
        own_account,
    };
    let line = LINES.iter().find(|line| line.is_about(question) && (line.holds)(&look_up));
    let line = line.expect("the last line always holds");
    // A refund's state is never that of the order.
    let of_answer = if question == Question::Refund { State::NONE } else { facts.signs.state };
    let verdict = Verdict {
        line: line.number,
        status: status_of(line.status, reply.http_status(), open(reply)),
        outcome: line.outcome,
        state: state_of(line.state, of_answer, entry),
        again: line.again,
        explanation: Some(line.explanation),
    };
    Decision {
        verdict,
        answered: answered || reply.http_status() == 404,
        lacks_currency: found.lacks_currency,
        difference: found.difference,
    }
}

/// If no endpoint can answer it, the service is not asked. A read-only request gets no better outcome.
pub fn without_look_up(safety: Safety) -> Verdict {
    Verdict {
        line: "c0",
        status: Status::Unresolved,
        outcome: Outcome::Unknown,
        state: State::NONE,
        again: false,
        explanation: Some(match safety {
            Safety::ReadOnly => "it only reads: call it again",
            Safety::Repeatable => "no endpoint can tell what became of it; it moves no money, so it may be repeated",
            Safety::Moves => "no endpoint can tell what became of it; a person must find out before it is repeated",
        }),
    }
}

/// The state of the only entry with that reference; NONE without one, and if it contradicts itself.
fn entry(facts: &Facts, reference: &str) -> State {
    facts.history.of(reference).map_or(State::NONE, AttemptState::state)
}

/// The Reference of the account is the one that was given; if none was given, the account has none.
fn is_reference_of(facts: &Facts, own: Option<&str>) -> bool {
    let named = &facts.reference(Reference::Account).text;
    match own {
        Some(own) => named.clear().is_some_and(|named| *named == Text::from(own)),
        None => named.is_absent(),
    }
}

/// The status of a question that stays open: the status query's own if that failed.
fn open(reply: &Reply) -> Status {
    let unreadable = reply.facts().is_none();
    match reply.http_status() {
        0 | 401 | 403 | 408 | 429 | 500..=599 => reply.status(),
        200..=399 if unreadable => reply.status(),
        _ if matches!(reply.status(), Status::Timeout | Status::Cancelled | Status::Internal) => reply.status(),
        _ => Status::Unresolved,
    }
}

/// The comparison of a response with what was asked about.
#[derive(Default)]
struct Comparison {
    /// The first difference, in words that may repeat the service's.
    difference: Option<String>,
    amount_agrees: bool,
    lacks_currency: bool,
}

/// `entry`: the state of the attempt in question.
fn compare(asked: &Inquiry<'_>, facts: &Facts, entry: State, own_account: bool, told: Option<&Text>) -> Comparison {
    let mut found = Comparison { difference: other_request(asked, facts, own_account), ..Comparison::default() };
    if matches!(asked.question, Question::Batch | Question::Account) {
        return found;
    }
    // A price proves something only about a completed payment, or an order that was only created.
    let whole = asked.question == Question::Order || facts.signs.state.was_paid() || entry.was_paid();
    for price in &asked.prices {
        let compared = match &price.amount {
            Some(amount) if whole => facts.compare_price(amount),
            Some(amount) => facts.compare_price_alone(amount),
            None => continue,
        };
        let text = match compared {
            PriceMatch::Equal => {
                found.amount_agrees = true;
                continue;
            }
            PriceMatch::Unnamed if !whole => continue,
            PriceMatch::Unnamed => "the response has no amount".to_owned(),
            PriceMatch::Differs(what) => format!("{what}, which is not the amount of {}", price.source),
        };
        found.difference.get_or_insert(text);
    }
    // If there is no other difference, another endpoint may have the currency.
    if found.difference.is_none()
        && let Some((text, is_missing)) = currencies(asked, facts, told, whole)
    {
        (found.difference, found.lacks_currency) = (Some(text), is_missing);
    }
    found
}

/// Names what the response is about instead.
fn other_request(asked: &Inquiry<'_>, facts: &Facts, own_account: bool) -> Option<String> {
    let named = |kind: Reference| facts.reference(kind).text.any().map_or("something else", |text| text);
    let kind = Reference::ALL.iter().find(|kind| facts.reference(**kind).is_of_another_request());
    if let Some(kind) = kind {
        return Some(format!("the response names the {} {}", kind.name(), named(*kind)));
    }
    let is_account = asked.question == Question::Account && facts.account;
    (is_account && !own_account).then(|| {
        let own = asked.own_reference.as_deref().unwrap_or("none");
        let found = facts.reference(Reference::Account).text.any().map_or("none", |text| text);
        format!("the account's Reference is {found}, but the request's is {own}")
    })
}

/// Returns the difference in the currency, and whether it is only missing.
fn currencies(asked: &Inquiry<'_>, facts: &Facts, told: Option<&Text>, whole: bool) -> Option<(String, bool)> {
    let own = &facts.currency;
    let of_order = asked.currency_of_order();
    asked.prices.iter().find_map(|price| {
        let wanted = Text::from(&**price.currency.as_ref()?);
        let other = |what: &str| Some((format!("{what}, which is not the currency of {}", price.source), false));
        match (own.clear().or(told.filter(|_| own.is_absent())), of_order) {
            (Some(found), _) if *found == wanted => None,
            (Some(found), _) => other(&format!("the currency in the response is {}", &**found)),
            (None, _) if !own.is_absent() => {
                other("the currency in the response cannot be read, or contradicts itself")
            }
            (None, Some(of_order)) if Text::from(of_order) == wanted => None,
            (None, Some(of_order)) => other(&format!("the order was made in {of_order}")),
            (None, None) => whole.then(|| ("the response has no currency".to_owned(), true)),
        }
    })
}

/// Returns whether the service's facts about an order allow another charge. `answered`: it answered the status query.
/// An order that it does not find (404) has no attempts.
pub fn allows_charge(ask: Ask, http_status: u16, answered: bool, facts: &Facts) -> bool {
    if http_status == 404 {
        return true;
    }
    let (signs, history) = (&facts.signs, &facts.history);
    let is_named = signs.subject && !signs.other_request && facts.reference(Reference::Order).is_requested();
    if !answered || !is_named || signs.states_disagree || history.doubtful {
        return false;
    }
    let entries = |allowed: &dyn Fn(State) -> bool| {
        history.attempts.iter().all(|entry| matches!(entry.state, AttemptState::Is(state) if allowed(state)))
    };
    match ask {
        // An order in progress whose attempt is not listed yet has one all the same.
        Ask::NoEntry => matches!(signs.state, State::NONE | State::INITIATED) && history.attempts.is_empty(),
        Ask::NoneInProgress => {
            matches!(signs.state, State::NONE | State::INITIATED | State::FAILED)
                && entries(&|state| state == State::FAILED)
                && !signs.state_contradicted
                && !signs.failed_beside_progress
        }
        Ask::NotPaid => !signs.state.was_paid() && entries(&|state| !state.was_paid()),
    }
}
