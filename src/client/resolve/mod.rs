//! What became of an earlier request: `resolve`, which asks the look-up of its row, and `order_wait`, which asks for the state
//! of an order until it is final.
//!
//! [`crate::response::resolution`] decides. The outcome is that of the earlier request, so the caller gets no NOT_SENT.

mod earlier;
mod intervals;
mod wait;
mod watch;

use super::{CallContext, Client};
use crate::client::log::Level;
use crate::request::secrets::Secrets;
use crate::request::validate;
use crate::response::decimal::Decimal;
use crate::response::reply::Reply;
use crate::response::resolution::{self, Asked, Decision, Price};
use crate::util::json::{self, Members, Type};
use crate::util::validation_error::ValidationError;
use earlier::Earlier;
use paysvc_spec::operations::{self, Operation, operation};
use paysvc_spec::schema::{Default, Endpoint};
use paysvc_spec::status::{self, Status};

/// What to ask, and how often.
struct Task<'a> {
    /// For messages and the log.
    what: &'static str,
    row: &'static Endpoint,
    /// Asked for the currency of the order, if the look-up's answer does not name it.
    currency_by: Option<&'static Endpoint>,
    /// The request of the look-up.
    members: Members<'a>,
    asked: Asked<'a>,
    /// What no message may repeat of the earlier request.
    secrets: Secrets,
    repeats: bool,
    /// The first wait between two looks.
    interval_ms: u64,
    reports_progress: bool,
}

impl Client {
    pub fn resolve(&self, context: &CallContext<'_>, json: &str) -> Reply {
        let ask = |earlier: Earlier<'_>| match earlier {
            Earlier::Asks(task) => watch::watch(self, context, &task),
            Earlier::Unasked(row, why) => {
                let decision = resolution::unasked(why);
                log_decision(row.name, &decision, context);
                Reply::failed(decision.status, decision.outcome, decision.explanation)
            }
        };
        arguments(const { operation("resolve") }, json)
            .and_then(|arguments| earlier::read(&arguments, &|| context.bounds.is_over(), ask))
            .unwrap_or_else(Reply::invalid)
    }

    pub fn order_wait(&self, context: &CallContext<'_>, json: &str) -> Reply {
        let task = arguments(const { operation("order_wait") }, json).and_then(|arguments| wait::read(&arguments));
        task.map_or_else(Reply::invalid, |task| watch::watch(self, context, &task))
    }
}

pub(super) fn log_decision(what: &str, decision: &Decision, context: &CallContext<'_>) {
    let level = if decision.status == Status::Ok { Level::Info } else { Level::Warn };
    context.log(level, || {
        let (status, outcome) = (status::name_of(decision.status), status::name_of_outcome(decision.outcome));
        format!("what became of {what}: {status} {outcome}, line {}", decision.line)
    });
}

/// The members that an operation got.
fn arguments<'a>(operation: &Operation, json: &'a str) -> Result<Members<'a>, ValidationError> {
    validate::object(json, operation.members, false, operation.name, Status::Argument)
}

/// What the caller expects an order to cost; `None` without `expect`.
fn expected(arguments: &Members<'_>) -> Option<Price> {
    let expect = json::members(json::member(arguments, "expect")?).ok()?;
    let amount = json::member(&expect, "amount").and_then(|amount| match Type::of(amount) {
        Type::Number => Decimal::parse(amount.get()),
        _ => Decimal::parse(&json::text(amount)?),
    });
    let currency = json::member(&expect, "currency").and_then(json::text);
    Some(Price { source: "expect", is_of_order: false, amount, currency: currency.map(|text| text.into_owned()) })
}

/// How many requests that may charge the order were begun.
fn attempts(what: &str, arguments: &Members<'_>) -> Result<Option<u32>, ValidationError> {
    let given = whole_number(what, arguments, "attempts", 1, u64::from(u32::MAX))?;
    Ok(given.and_then(|attempts| u32::try_from(attempts).ok()))
}

/// The first wait between two looks.
fn interval_ms(what: &str, arguments: &Members<'_>) -> Result<u64, ValidationError> {
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
