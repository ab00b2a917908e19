//! What is asked about an earlier request, and the arguments that its two readers have in common.

use crate::answer::decimal::Decimal;
use crate::answer::resolution::{Asked, Attempts, Price};
use crate::json::{self, Members, Type};
use crate::request::secrets::Secrets;
use crate::util::validation_error::ValidationError;
use paysvc_spec::operations;
use paysvc_spec::schema::{Default, Endpoint};
use paysvc_spec::status::Status;

/// What to ask, and how often.
pub struct Task<'a> {
    /// For messages and the log.
    pub what: &'static str,
    pub row: &'static Endpoint,
    /// Asked for the currency of the order, if the look-up's answer does not name it.
    pub currency_by: Option<&'static Endpoint>,
    /// The request of the look-up.
    pub members: Members<'a>,
    pub asked: Asked<'a>,
    /// The attempts as a journal knows them once the look-up has been answered; in place of those of `asked`.
    pub attempts_now: Option<&'a dyn Fn() -> Attempts>,
    /// The parts of the earlier request that no message may repeat.
    pub secrets: Secrets,
    pub repeats: bool,
    /// The first wait between two look-ups.
    pub interval_ms: u64,
    pub reports_progress: bool,
}

/// What the caller expects an order to cost; `None` without `expect`.
pub fn expected(arguments: &Members<'_>) -> Option<Price> {
    let expect = json::members(json::member(arguments, "expect")?).ok()?;
    let amount = json::member(&expect, "amount").and_then(|amount| match Type::of(amount) {
        Type::Number => Decimal::parse(amount.get()),
        _ => Decimal::parse(&json::text(amount)?),
    });
    let currency = json::member(&expect, "currency").and_then(json::text);
    Some(Price { source: "expect", is_of_order: false, amount, currency: currency.map(|text| text.into_owned()) })
}

/// How many requests that may charge the order were begun.
pub fn attempts(what: &str, arguments: &Members<'_>) -> Result<Option<u32>, ValidationError> {
    let given = whole_number(what, arguments, "attempts", 1, u64::from(u32::MAX))?;
    Ok(given.and_then(|attempts| u32::try_from(attempts).ok()))
}

/// The first wait between two look-ups.
pub fn interval_ms(what: &str, arguments: &Members<'_>) -> Result<u64, ValidationError> {
    let Default::Number { value, least, most } = operations::INTERVAL.default else {
        unreachable!("the interval has a number as its default")
    };
    let given = whole_number(what, arguments, operations::INTERVAL.name, least, most)?;
    Ok(given.unwrap_or(value))
}

/// A whole number within these limits; `None` if it is left out.
fn whole_number(
    what: &str,
    arguments: &Members<'_>,
    name: &str,
    least: u64,
    most: u64,
) -> Result<Option<u64>, ValidationError> {
    let Some(value) = json::member(arguments, name) else { return Ok(None) };
    let number = value.get().parse().ok().filter(|number| (least..=most).contains(number));
    number.map(Some).ok_or_else(|| {
        ValidationError::of_member(Status::Argument, what, name, format!("must be between {least} and {most}"))
    })
}
