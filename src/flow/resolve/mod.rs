//! The outcome of an earlier request: `resolve`, which sends the status query of its row, and `order_wait`, which asks for
//! the state of an order until it is final.
//!
//! [`crate::answer::resolution`] decides. The outcome is that of the earlier request, so the caller gets no NOT_SENT.

pub(super) mod watch;

use std::borrow::Cow;

use super::{Client, invoked};
use crate::answer::reply::Reply;
use crate::answer::resolution::{self, Attempts, Inquiry, Price, Question};
use crate::call::Call;
use crate::json::decimal::Decimal;
use crate::json::{Fields, Given, Value};
use crate::request::amount;
use crate::request::look_up::EarlierRequest;
use crate::request::secrets::{Secrets, Stop};
use crate::request::validate;
use crate::util::validation_error::ValidationError;
use paysvc_spec::ENDPOINTS;
use paysvc_spec::operations::{self, Operation, operation};
use paysvc_spec::schema::{Default, Doubt, Endpoint, LookUp, Safety, Settles};
use paysvc_spec::status::Status;

const WHAT: &str = "resolve";
const WAIT: &str = "order_wait";
const ENDPOINT: &str = "endpoint";
const REFERENCE: &str = "reference";

impl Client {
    pub fn resolve(&self, context: &Call<'_>, json: &str) -> Reply {
        let given = Given::read(json);
        let asked = arguments(const { operation(WHAT) }, &given).and_then(|given| {
            // Also for a function that is not known: it may have moved money.
            context.record.set_doubt(Doubt::Money);
            let arguments = Arguments::read(given)?;
            let row = arguments.row;
            context.record.set_doubt(row.in_doubt());
            let Some(task) = arguments.task(&|| context.bounds.is_over())? else {
                let reply = Reply::of_verdict(resolution::without_look_up(row.safety));
                watch::log_verdict(row.name, &reply.evidence.verdict, context);
                return Ok(reply);
            };
            if task.asked.question == Question::Order {
                context.record.set_doubt(Doubt::None);
            }
            Ok(watch::watch(self, context, &task))
        });
        invoked::with_look_up_again(asked.unwrap_or_else(Reply::invalid), &given)
    }

    pub fn order_wait(&self, context: &Call<'_>, json: &str) -> Reply {
        context.record.set_doubt(Doubt::Charge);
        let given = Given::read(json);
        let task = arguments(const { operation(WAIT) }, &given).and_then(task_of_wait);
        task.map_or_else(Reply::invalid, |task| watch::watch(self, context, &task))
    }
}

pub(super) fn arguments<'g>(operation: &Operation, given: &'g Given<'_>) -> Result<Fields<'g>, ValidationError> {
    validate::arguments(operation.name, operation.members, given)
}

/// The question to ask, and how often to ask it.
pub struct Task<'a> {
    /// For messages and the log.
    pub what: &'static str,
    pub row: &'static Endpoint,
    /// Asked for the currency of the order, if the status query's response does not name it.
    pub currency_by: Option<&'static Endpoint>,
    /// The request of the status query.
    pub fields: Vec<(&'static str, Value<'a>)>,
    pub asked: Inquiry<'a>,
    /// The attempts as a journal has them once the status query has been answered; in place of those of `asked`.
    pub attempts_now: Option<&'a dyn Fn() -> Attempts>,
    /// The parts of the earlier request that no message may repeat.
    pub secrets: Secrets,
    pub repeats: bool,
    /// The first wait between two status queries.
    pub interval_ms: u64,
    pub reports_progress: bool,
}

/// Returns the price that the caller expects of an order; `None` without `expect`.
fn expected(arguments: Fields<'_>) -> Option<Price> {
    let expect = arguments.get("expect")?.fields();
    let amount = expect.get("amount").and_then(amount::digits).and_then(|digits| Decimal::parse(&digits));
    let currency = expect.text("currency");
    Some(Price { source: "expect", is_of_order: false, amount, currency: currency.map(|text| text.into_owned()) })
}

/// Returns the number of begun requests that may charge the order.
fn attempts(what: &str, arguments: Fields<'_>) -> Result<Option<u32>, ValidationError> {
    let given = whole_number(what, arguments, "attempts", 1, u64::from(u32::MAX))?;
    Ok(given.and_then(|attempts| u32::try_from(attempts).ok()))
}

/// The first wait between two status queries.
fn interval_ms(what: &str, arguments: Fields<'_>) -> Result<u64, ValidationError> {
    let Default::Number { value, least, most } = operations::INTERVAL.default else {
        unreachable!("the interval has a number as its default")
    };
    let given = whole_number(what, arguments, operations::INTERVAL.name, least, most)?;
    Ok(given.unwrap_or(value))
}

/// A whole number within these limits; `None` if it is left out.
fn whole_number(
    what: &str,
    arguments: Fields<'_>,
    name: &str,
    least: u64,
    most: u64,
) -> Result<Option<u64>, ValidationError> {
    let Some(value) = arguments.get(name) else { return Ok(None) };
    let number = value.raw().parse().ok().filter(|number| (least..=most).contains(number));
    number.map(Some).ok_or_else(|| {
        ValidationError::of_member(Status::Argument, what, name, format!("must be between {least} and {most}"))
    })
}

pub struct Arguments<'a> {
    pub row: &'static Endpoint,
    pub request: Value<'a>,
    pub is_charged: bool,
    pub attempts: Option<u32>,
    pub expected: Option<Price>,
    pub repeats: bool,
    pub interval_ms: u64,
}

impl<'a> Arguments<'a> {
    pub fn read(given: Fields<'a>) -> Result<Arguments<'a>, ValidationError> {
        Ok(Arguments {
            row: row_of(WHAT, given)?,
            request: given.get("request").expect("a required field was checked"),
            is_charged: given.flag("charged").unwrap_or(true),
            attempts: attempts(WHAT, given)?,
            expected: expected(given),
            repeats: given.flag("wait").unwrap_or_default(),
            interval_ms: interval_ms(WHAT, given)?,
        })
    }

    /// About a request that was recorded.
    pub fn of_record(function: &str, request: Value<'a>, is_charged: bool) -> Result<Arguments<'a>, ValidationError> {
        let row = row(WHAT, function)?;
        Ok(Arguments { row, request, is_charged, attempts: None, expected: None, repeats: false, interval_ms: 0 })
    }

    /// Returns the question to ask; `None` if no endpoint can answer it.
    pub fn task(self, stop: Stop<'_>) -> Result<Option<Task<'a>>, ValidationError> {
        let Arguments { row, is_charged, .. } = self;
        let Some(look_up) = &row.looked_up_by else { return Ok(None) };
        let earlier = EarlierRequest::read(row, look_up, self.request, WHAT)?;
        check_charge(row, look_up, &earlier, is_charged)?;
        let Some(question) = question(look_up, &earlier, is_charged) else { return Ok(None) };
        let (prices, attempts) = (prices(question, &earlier, self.expected)?, self.attempts);
        Ok(Some(Task {
            what: row.name,
            row: paysvc_spec::endpoint(look_up.endpoint),
            asked: Inquiry { question, prices, own_reference: earlier.own_reference(), attempts },
            currency_by: look_up.currency_by.map(paysvc_spec::endpoint),
            fields: earlier.asks(),
            attempts_now: None,
            secrets: earlier.secrets(stop),
            repeats: self.repeats,
            interval_ms: self.interval_ms,
            reports_progress: false,
        }))
    }
}

pub(super) fn row_of(what: &str, arguments: Fields<'_>) -> Result<&'static Endpoint, ValidationError> {
    row(what, &arguments.text(ENDPOINT).unwrap_or_default())
}

fn row(what: &str, name: &str) -> Result<&'static Endpoint, ValidationError> {
    ENDPOINTS.iter().find(|row| row.name == name).ok_or_else(|| {
        let text = validate::unknown_function(name, ENDPOINTS.iter().map(|row| row.name));
        ValidationError::of_member(Status::Argument, what, ENDPOINT, text)
    })
}

/// An unknown request is a charge: a forgotten or contradictory field never makes it "no charge".
fn check_charge(
    row: &Endpoint,
    look_up: &LookUp,
    earlier: &EarlierRequest<'_>,
    is_charged: bool,
) -> Result<(), ValidationError> {
    let wrong = |text: String| Err(ValidationError::of_member(Status::Argument, WHAT, "charged", text));
    match (look_up.settles, &earlier.charge) {
        _ if is_charged || row.safety != Safety::Moves => Ok(()),
        (Settles::ChargeOrOrder, None) => Ok(()),
        (Settles::ChargeOrOrder, Some(member)) => {
            wrong(format!("must not be false: the request has {member}, so it may be a charge"))
        }
        _ => wrong(format!("must not be false: {} always moves money", row.name)),
    }
}

/// `None` if the status query cannot answer it.
fn question(look_up: &LookUp, earlier: &EarlierRequest<'_>, is_charged: bool) -> Option<Question> {
    Some(match look_up.settles {
        Settles::Charge => Question::Charge,
        Settles::Order => Question::Order,
        Settles::ChargeOrOrder if is_charged => Question::Charge,
        Settles::ChargeOrOrder => Question::Order,
        Settles::Attempt => Question::Attempt,
        // A partial refund.
        Settles::Refund if earlier.amount().is_some() => return None,
        Settles::Refund => Question::Refund,
        Settles::Batch => Question::Batch,
        Settles::Account => Question::Account,
    })
}

/// Returns the prices that the order must have, by the request and by the caller.
fn prices(
    question: Question,
    earlier: &EarlierRequest<'_>,
    expected: Option<Price>,
) -> Result<Vec<Price>, ValidationError> {
    if matches!(question, Question::Batch | Question::Account) && expected.is_some() {
        let text = "must be left out: the status query for this endpoint returns no price";
        return Err(ValidationError::of_member(Status::Argument, WHAT, "expect", text));
    }
    let of_request = Price {
        source: "the request",
        is_of_order: true,
        amount: earlier.amount().and_then(|amount| Decimal::parse(&amount)),
        currency: earlier.currency().map(Cow::into_owned),
    };
    Ok(std::iter::once(of_request).chain(expected).collect())
}

/// From the arguments of `order_wait` to the question.
fn task_of_wait(arguments: Fields<'_>) -> Result<Task<'_>, ValidationError> {
    let look_up = of_charge();
    let reference = arguments.get(REFERENCE).map(|reference| (REFERENCE, reference));
    let of_order =
        Price { source: "the request", is_of_order: true, amount: None, currency: currency(arguments, look_up) };
    Ok(Task {
        what: WAIT,
        row: paysvc_spec::endpoint(look_up.endpoint),
        currency_by: look_up.currency_by.map(paysvc_spec::endpoint),
        fields: reference.into_iter().collect(),
        asked: Inquiry {
            question: Question::Final,
            prices: std::iter::once(of_order).chain(expected(arguments)).collect(),
            own_reference: None,
            attempts: attempts(WAIT, arguments)?,
        },
        attempts_now: None,
        secrets: Secrets::default(),
        repeats: true,
        interval_ms: interval_ms(WAIT, arguments)?,
        reports_progress: true,
    })
}

/// The currency with which the order was made, if the request has it.
fn currency(arguments: Fields<'_>, look_up: &LookUp) -> Option<String> {
    arguments.get("request")?.find(look_up.currency?)?.text().map(Cow::into_owned)
}

/// The row that resolves a charge also has the state of its order.
fn of_charge() -> &'static LookUp {
    let mut look_ups = ENDPOINTS.iter().filter_map(|row| row.looked_up_by.as_ref());
    look_ups.find(|look_up| look_up.settles == Settles::Charge).expect("a charge can be looked up")
}
