//! From the arguments of `resolve` to the question.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::task::{Task, attempts, expected, interval_ms};
use crate::answer::decimal::Decimal;
use crate::answer::resolution::{Asked, Price, Question};
use crate::json::{self, Members};
use crate::request::look_up::Kept;
use crate::request::secrets::{Secrets, Stop};
use crate::request::validate;
use crate::util::validation_error::ValidationError;
use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::{Doubt, Endpoint, Keep, LookUp, Safety, Settles};
use paysvc_spec::status::Status;

const WHAT: &str = "resolve";
const ENDPOINT: &str = "endpoint";

/// The question about an earlier request.
pub enum Earlier<'a> {
    Asks(Task<'a>),
    /// Nothing is sent.
    NoLookUp(&'static Endpoint),
}

/// Reads the arguments and hands on what to ask.
pub fn read<T>(
    arguments: &Members<'_>,
    stop: Stop<'_>,
    ask: impl FnOnce(Earlier<'_>) -> T,
) -> Result<T, ValidationError> {
    let row = row(&json::member(arguments, ENDPOINT).and_then(json::text).unwrap_or_default())?;
    let attempts = attempts(WHAT, arguments)?;
    let interval_ms = interval_ms(WHAT, arguments)?;
    let Some(look_up) = &row.looked_up_by else {
        return Ok(ask(Earlier::NoLookUp(row)));
    };
    let request = json::member(arguments, "request").expect("a required member was checked");
    let kept = Kept::read(row, look_up, request, WHAT)?;
    let is_charged = json::member(arguments, "charged").is_none_or(|charged| charged.get() != "false");
    check_charge(row, look_up, &kept, is_charged)?;
    let Some(question) = question(look_up, &kept, is_charged) else {
        return Ok(ask(Earlier::NoLookUp(row)));
    };
    let prices = prices(question, &kept, arguments)?;
    let own_reference = kept.own_reference();
    Ok(ask(Earlier::Asks(Task {
        what: row.name,
        row: paysvc_spec::endpoint(look_up.endpoint),
        asked: Asked { question, prices, own_reference: own_reference.as_deref(), attempts },
        currency_by: look_up.currency_by.map(paysvc_spec::endpoint),
        members: kept.members(),
        attempts_now: None,
        secrets: secrets(row, look_up, request, stop),
        repeats: json::member(arguments, "wait").is_some_and(|wait| wait.get() == "true"),
        interval_ms,
        reports_progress: false,
    })))
}

/// What an UNKNOWN of the earlier request means.
pub fn doubt(arguments: &Members<'_>) -> Doubt {
    let name = json::member(arguments, ENDPOINT).and_then(json::text);
    row(&name.unwrap_or_default()).map_or(Doubt::Money, Endpoint::in_doubt)
}

fn row(name: &str) -> Result<&'static Endpoint, ValidationError> {
    let find = |name: &str| ENDPOINTS.iter().find(|row| row.name == name);
    find(name).ok_or_else(|| {
        let text = match name.strip_prefix("paysvc_").and_then(find) {
            Some(row) => format!("has no prefix: {}", row.name),
            None => validate::unknown_choice(name, &mut ENDPOINTS.iter().map(|row| row.name)),
        };
        ValidationError::of_member(Status::Argument, WHAT, ENDPOINT, text)
    })
}

/// The secrets of the earlier request, if the caller kept any: the service may repeat them.
fn secrets(row: &Endpoint, look_up: &LookUp, request: &RawValue, stop: Stop<'_>) -> Secrets {
    let mut members = json::members(request).unwrap_or_default();
    // A member that the caller added is a reference.
    members.retain(|(name, _)| {
        !look_up
            .keep
            .iter()
            .any(|kept| matches!(kept, Keep::Added(pointer) if pointer[1..].split('/').next() == Some(&**name)))
    });
    Secrets::of_row(&members, row.fields, stop)
}

/// An unknown request is a charge: a forgotten or contradictory member never makes it "no charge".
fn check_charge(row: &Endpoint, look_up: &LookUp, kept: &Kept<'_>, is_charged: bool) -> Result<(), ValidationError> {
    let wrong = |text: String| Err(ValidationError::of_member(Status::Argument, WHAT, "charged", text));
    match (look_up.settles, kept.charge()) {
        _ if is_charged || row.safety != Safety::Moves => Ok(()),
        (Settles::ChargeOrOrder, None) => Ok(()),
        (Settles::ChargeOrOrder, Some(member)) => {
            wrong(format!("must not be false: the request has {member}, so it may be a charge"))
        }
        _ => wrong(format!("must not be false: {} always moves money", row.name)),
    }
}

/// `None` if the look-up cannot tell.
fn question(look_up: &LookUp, kept: &Kept<'_>, is_charged: bool) -> Option<Question> {
    Some(match look_up.settles {
        Settles::Charge => Question::Charge,
        Settles::Order => Question::Order,
        Settles::ChargeOrOrder if is_charged => Question::Charge,
        Settles::ChargeOrOrder => Question::Order,
        Settles::Attempt => Question::Attempt,
        // Of a part.
        Settles::Refund if kept.amount().is_some() => return None,
        Settles::Refund => Question::Refund,
        Settles::Batch => Question::Batch,
        Settles::Account => Question::Account,
    })
}

/// What the order must cost, by the request and by the caller.
fn prices(question: Question, kept: &Kept<'_>, arguments: &Members<'_>) -> Result<Vec<Price>, ValidationError> {
    let expected = expected(arguments);
    if matches!(question, Question::Batch | Question::Account) && expected.is_some() {
        let text = "must be left out: the look-up for this endpoint returns no price";
        return Err(ValidationError::of_member(Status::Argument, WHAT, "expect", text));
    }
    let of_request = Price {
        source: "the request",
        is_of_order: true,
        amount: kept.amount().and_then(|amount| Decimal::parse(&amount)),
        currency: kept.currency().map(Cow::into_owned),
    };
    Ok(std::iter::once(of_request).chain(expected).collect())
}
