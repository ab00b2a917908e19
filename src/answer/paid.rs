//! Decides by a response whether an order is paid as it was ordered: order, price and currency.

use std::ffi::CStr;

use crate::answer::facts::Facts;
use crate::answer::facts::stated::{PriceMatch, Statement, Text};
use crate::json::decimal::Decimal;
use paysvc_spec::schema::Reference;
use paysvc_spec::status::{Outcome, State};

/// The order as it was made; `None`: not compared.
pub struct Order<'a> {
    pub reference: Option<&'a str>,
    pub amount: Option<&'a str>,
    pub currency: Option<&'a str>,
}

/// Stands for a value that is not compared.
pub const ANY: &str = "*";

/// Returns the reason why it is not paid as ordered; `None`: it is. Anything that the response leaves open is a reason.
pub fn why_not(outcome: Outcome, state: State, answer: Option<&Facts>, ordered: &Order<'_>) -> Option<&'static CStr> {
    match outcome {
        Outcome::Confirmed => {}
        Outcome::NotSent => return Some(c"nothing was sent"),
        Outcome::Rejected => return Some(c"this request was not executed"),
        Outcome::Unknown => return Some(c"the outcome is UNKNOWN: find out what became of it before you charge again"),
    }
    match state {
        State::SUCCESSFUL => {}
        State::NONE => return Some(c"the response has no state, or contradictory ones"),
        State::FAILED => return Some(c"the payment failed"),
        State::REVERSED => return Some(c"the payment was reversed"),
        _ => return Some(c"the payment is not final: ask for the state of the order again"),
    }
    let Some(facts) = answer.filter(|facts| facts.is_of_payment) else {
        return Some(c"the response is not about a payment of an order");
    };
    ordered
        .reference
        .and_then(|wanted| reference(facts, wanted))
        .or_else(|| ordered.amount.and_then(|wanted| amount(facts, wanted)))
        .or_else(|| ordered.currency.and_then(|wanted| currency(facts, wanted)))
}

/// The terms that `why_not` takes for the order of a payment.
pub struct Terms<'a> {
    /// None if it cannot be determined.
    pub reference: Option<&'a str>,
    pub amounts: Vec<String>,
    pub currency: Option<&'a str>,
}

/// Returns the terms of a response that is paid.
pub fn accepted(facts: &Facts) -> Terms<'_> {
    // The rule itself chooses among all that it could accept.
    let amounts = facts.amounts.iter().flat_map(|named| {
        let (total, fee) = (named.total.clear(), named.fee.clear());
        let without_fee = total.and_then(|total| total.minus(fee?));
        [named.price.clear().cloned(), total.cloned(), without_fee].into_iter().flatten()
    });
    let mut amounts: Vec<String> = amounts
        .filter(|wanted| facts.compare_price(wanted) == PriceMatch::Equal)
        .map(|amount| amount.to_string())
        .collect();
    amounts.sort();
    amounts.dedup();
    Terms { reference: named(facts).ok().map(|it| &**it), amounts, currency: facts.currency.clear().map(|it| &**it) }
}

fn reference(facts: &Facts, wanted: &str) -> Option<&'static CStr> {
    let wanted = Text(wanted.trim().to_owned());
    match named(facts) {
        Ok(named) => (*named != wanted).then_some(c"it is a payment for another order"),
        Err(why) => Some(why),
    }
}

/// The order that the response names, else that of the request. Money that came to a virtual account has no order: the
/// reference of the account stands for it.
fn named(facts: &Facts) -> Result<&Text, &'static CStr> {
    let [order, account] = [Reference::Order, Reference::Account].map(|kind| &facts.reference(kind).text);
    let of_answer =
        |named| Statement::clear(named).ok_or(c"the reference in the response cannot be read, or contradicts itself");
    match &facts.requested_order {
        _ if !order.is_absent() => of_answer(order),
        Some(requested) => Ok(requested),
        None if !account.is_absent() => of_answer(account),
        None => Err(c"neither the response nor the request names the order"),
    }
}

fn amount(facts: &Facts, wanted: &str) -> Option<&'static CStr> {
    let Some(wanted) = Decimal::parse(wanted.trim()) else {
        return Some(c"the amount to compare with is not a decimal such as \"25.50\"");
    };
    match facts.compare_price(&wanted) {
        PriceMatch::Equal => None,
        PriceMatch::Unnamed => Some(c"the response has no amount"),
        PriceMatch::Differs(_) => Some(c"the amount differs, or cannot be read"),
    }
}

fn currency(facts: &Facts, wanted: &str) -> Option<&'static CStr> {
    let wanted = Text(wanted.trim().to_owned());
    let named = &facts.currency;
    match named.clear() {
        Some(found) => (*found != wanted).then_some(c"the currency differs"),
        None if named.is_absent() => {
            Some(c"the response has no currency: give expect to order_wait (its field currency is then proved)")
        }
        None => Some(c"the currency in the response cannot be read, or contradicts itself"),
    }
}

#[cfg(test)]
mod tests;
