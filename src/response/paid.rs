//! Whether an answer says that an order is paid as it was ordered: order, price and currency.

use std::ffi::CStr;

use crate::request::references::References;
use crate::response::decimal::Decimal;
use crate::response::facts::Facts;
use crate::response::facts::amounts::Priced;
use crate::response::facts::stated::{Stated, Text};
use paysvc_spec::schema::{Answer, Reference};
use paysvc_spec::status::{Outcome, State};

/// What a reply about a payment of an order keeps beside the facts of its answer.
#[derive(Clone, Default, Debug)]
pub struct Payment {
    /// The orders that the request names.
    requested: Vec<Text>,
    /// The currency of the order, where something else than the answer has told it.
    pub currency: Option<Text>,
}

impl Payment {
    /// `None` for the answer of a row that tells of no payment of an order, such as a refund.
    pub fn of(expected: &Answer, requested: &References) -> Option<Payment> {
        let orders = requested.iter().filter(|(kind, _)| *kind == Reference::Order);
        let requested = orders.map(|(_, text)| Text(text.trim().to_owned())).collect();
        expected.is_payment().then_some(Payment { requested, currency: None })
    }
}

/// What was ordered; `None`: not compared.
pub struct Ordered<'a> {
    pub reference: Option<&'a str>,
    pub amount: Option<&'a str>,
    pub currency: Option<&'a str>,
}

/// Stands for what is not compared.
pub const ANY: &str = "*";

/// Why it is not paid so; `None`: it is. What the answer leaves open is a reason.
pub fn why_not(
    outcome: i32,
    state: State,
    answer: Option<(&Facts, &Payment)>,
    ordered: &Ordered<'_>,
) -> Option<&'static CStr> {
    const CONFIRMED: i32 = Outcome::Confirmed as i32;
    const NOT_SENT: i32 = Outcome::NotSent as i32;
    const REJECTED: i32 = Outcome::Rejected as i32;
    match outcome {
        CONFIRMED => {}
        NOT_SENT => return Some(c"nothing was sent"),
        REJECTED => return Some(c"this request was not executed"),
        _ => return Some(c"the outcome is UNKNOWN: find out what became of it before you charge again"),
    }
    match state {
        State::SUCCESSFUL => {}
        State::NONE => return Some(c"the answer names no state, or contradicting ones"),
        State::FAILED => return Some(c"the payment failed"),
        State::REVERSED => return Some(c"the payment was reversed"),
        _ => return Some(c"the payment is not final: ask for the state of the order again"),
    }
    let Some((facts, payment)) = answer else { return Some(c"the answer is about no payment of an order") };
    ordered
        .reference
        .and_then(|wanted| reference(facts, payment, wanted))
        .or_else(|| ordered.amount.and_then(|wanted| amount(facts, wanted)))
        .or_else(|| ordered.currency.and_then(|wanted| currency(facts, payment, wanted)))
}

/// The order that the answer names, else that of the request. Money that came to a virtual account has no order: the
/// reference of the account stands for it.
fn reference(facts: &Facts, payment: &Payment, wanted: &str) -> Option<&'static CStr> {
    let is_it = |named: &Text| *named == Text(wanted.trim().to_owned());
    let differs = c"it is a payment of another order";
    let compared = |named: &Stated<Text>| match named.clear() {
        Some(named) if is_it(named) => None,
        Some(_) => Some(differs),
        None => Some(c"the reference in the answer cannot be read, or contradicts itself"),
    };
    let [order, alias] = [Reference::Order, Reference::Alias].map(|kind| &facts.reference(kind).text);
    match (order.is_absent(), payment.requested.is_empty(), alias.is_absent()) {
        (false, _, _) => compared(order),
        (true, false, _) => (!payment.requested.iter().all(is_it)).then_some(differs),
        (true, true, false) => compared(alias),
        (true, true, true) => Some(c"neither the answer nor the request names the order"),
    }
}

fn amount(facts: &Facts, wanted: &str) -> Option<&'static CStr> {
    let Some(wanted) = Decimal::parse(wanted.trim()) else {
        return Some(c"the amount to compare with is not a decimal such as \"25.50\"");
    };
    match facts.compare_price(&wanted) {
        Priced::Equal => None,
        Priced::Unnamed => Some(c"the answer names no amount"),
        Priced::Differs(_) => Some(c"the amount is another one, or cannot be read"),
    }
}

fn currency(facts: &Facts, payment: &Payment, wanted: &str) -> Option<&'static CStr> {
    let wanted = Text(wanted.trim().to_owned());
    let named = &facts.currency;
    match (named.is_absent(), named.clear().or(payment.currency.as_ref())) {
        (false, _) if named.clear().is_none() => Some(c"the currency in the answer cannot be read, or contradicts itself"),
        (_, None) => Some(c"the answer names no currency"),
        (_, Some(found)) => (*found != wanted).then_some(c"the currency is another one"),
    }
}

#[cfg(test)]
mod tests;
