//! From the arguments of `order_wait` to the question.

use std::borrow::Cow;

use super::task::{Task, attempts, expected, interval_ms};
use crate::answer::resolution::{Asked, Price, Question};
use crate::json::{self, Members};
use crate::request::secrets::Secrets;
use crate::util::validation_error::ValidationError;
use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::{LookUp, Settles};

const WHAT: &str = "order_wait";
const REFERENCE: &str = "reference";

pub fn read<'a>(arguments: &Members<'a>) -> Result<Task<'a>, ValidationError> {
    let look_up = of_charge();
    let reference = json::member(arguments, REFERENCE).map(|reference| (Cow::Borrowed(REFERENCE), reference));
    let of_order =
        Price { source: "the request", is_of_order: true, amount: None, currency: currency(arguments, look_up) };
    Ok(Task {
        what: WHAT,
        row: paysvc_spec::endpoint(look_up.endpoint),
        currency_by: look_up.currency_by.map(paysvc_spec::endpoint),
        members: reference.into_iter().collect(),
        asked: Asked {
            question: Question::Final,
            prices: std::iter::once(of_order).chain(expected(arguments)).collect(),
            own_reference: None,
            attempts: attempts(WHAT, arguments)?,
        },
        attempts_now: None,
        secrets: Secrets::default(),
        repeats: true,
        interval_ms: interval_ms(WHAT, arguments)?,
        reports_progress: true,
    })
}

/// The currency with which the order was made, if the request has it.
fn currency(arguments: &Members<'_>, look_up: &LookUp) -> Option<String> {
    let mut found = json::member(arguments, "request")?;
    for step in look_up.currency?.split('/').skip(1) {
        found = json::member(&json::members(found).ok()?, step)?;
    }
    json::text(found).map(|text| text.into_owned())
}

/// The row that tells what became of a charge also tells the state of its order.
fn of_charge() -> &'static LookUp {
    let mut look_ups = ENDPOINTS.iter().filter_map(|row| row.looked_up_by.as_ref());
    look_ups.find(|look_up| look_up.settles == Settles::Charge).expect("a charge can be looked up")
}
