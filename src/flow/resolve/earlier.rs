//! From the arguments of `resolve` to the question.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::task::{Task, attempts, expected, interval_ms};
use crate::answer::decimal::Decimal;
use crate::answer::resolution::{Asked, Price, Question};
use crate::json::{self, Members};
use crate::request::look_up::EarlierRequest;
use crate::request::secrets::Stop;
use crate::request::validate;
use crate::util::validation_error::ValidationError;
use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::{Endpoint, LookUp, Safety, Settles};
use paysvc_spec::status::Status;

const WHAT: &str = "resolve";
const ENDPOINT: &str = "endpoint";

/// The question about an earlier request.
pub enum Earlier<'a> {
    Asks(Task<'a>),
    /// Nothing is sent.
    NoLookUp(&'static Endpoint),
}

/// The arguments of `resolve`.
pub struct Arguments<'a> {
    pub row: &'static Endpoint,
    pub request: &'a RawValue,
    pub is_charged: bool,
    pub attempts: Option<u32>,
    pub expected: Option<Price>,
    pub repeats: bool,
    pub interval_ms: u64,
}

impl<'a> Arguments<'a> {
    pub fn read(members: &Members<'a>) -> Result<Arguments<'a>, ValidationError> {
        let flag = |name| json::member(members, name).map(|value| value.get() == "true");
        Ok(Arguments {
            row: row(&json::member(members, ENDPOINT).and_then(json::text).unwrap_or_default())?,
            request: json::member(members, "request").expect("a required member was checked"),
            is_charged: flag("charged").unwrap_or(true),
            attempts: attempts(WHAT, members)?,
            expected: expected(members),
            repeats: flag("wait").unwrap_or_default(),
            interval_ms: interval_ms(WHAT, members)?,
        })
    }

    /// About a request that was recorded.
    pub fn of_record(
        function: &str,
        request: &'a RawValue,
        is_charged: bool,
    ) -> Result<Arguments<'a>, ValidationError> {
        let row = row(function)?;
        Ok(Arguments { row, request, is_charged, attempts: None, expected: None, repeats: false, interval_ms: 0 })
    }

    /// Hands on what to ask.
    pub fn ask<T>(self, stop: Stop<'_>, ask: impl FnOnce(Earlier<'_>) -> T) -> Result<T, ValidationError> {
        let Arguments { row, is_charged, .. } = self;
        let Some(look_up) = &row.looked_up_by else {
            return Ok(ask(Earlier::NoLookUp(row)));
        };
        let earlier = EarlierRequest::read(row, look_up, self.request, WHAT)?;
        check_charge(row, look_up, &earlier, is_charged)?;
        let Some(question) = question(look_up, &earlier, is_charged) else {
            return Ok(ask(Earlier::NoLookUp(row)));
        };
        let prices = prices(question, &earlier, self.expected)?;
        let own_reference = earlier.own_reference();
        Ok(ask(Earlier::Asks(Task {
            what: row.name,
            row: paysvc_spec::endpoint(look_up.endpoint),
            asked: Asked { question, prices, own_reference: own_reference.as_deref(), attempts: self.attempts },
            currency_by: look_up.currency_by.map(paysvc_spec::endpoint),
            members: earlier.asks(),
            attempts_now: None,
            secrets: earlier.secrets(stop),
            repeats: self.repeats,
            interval_ms: self.interval_ms,
            reports_progress: false,
        })))
    }
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

/// An unknown request is a charge: a forgotten or contradictory member never makes it "no charge".
fn check_charge(
    row: &Endpoint,
    look_up: &LookUp,
    earlier: &EarlierRequest<'_>,
    is_charged: bool,
) -> Result<(), ValidationError> {
    let wrong = |text: String| Err(ValidationError::of_member(Status::Argument, WHAT, "charged", text));
    match (look_up.settles, earlier.charge()) {
        _ if is_charged || row.safety != Safety::Moves => Ok(()),
        (Settles::ChargeOrOrder, None) => Ok(()),
        (Settles::ChargeOrOrder, Some(member)) => {
            wrong(format!("must not be false: the request has {member}, so it may be a charge"))
        }
        _ => wrong(format!("must not be false: {} always moves money", row.name)),
    }
}

/// `None` if the look-up cannot tell.
fn question(look_up: &LookUp, earlier: &EarlierRequest<'_>, is_charged: bool) -> Option<Question> {
    Some(match look_up.settles {
        Settles::Charge => Question::Charge,
        Settles::Order => Question::Order,
        Settles::ChargeOrOrder if is_charged => Question::Charge,
        Settles::ChargeOrOrder => Question::Order,
        Settles::Attempt => Question::Attempt,
        // Of a part.
        Settles::Refund if earlier.amount().is_some() => return None,
        Settles::Refund => Question::Refund,
        Settles::Batch => Question::Batch,
        Settles::Account => Question::Account,
    })
}

/// What the order must cost, by the request and by the caller.
fn prices(
    question: Question,
    earlier: &EarlierRequest<'_>,
    expected: Option<Price>,
) -> Result<Vec<Price>, ValidationError> {
    if matches!(question, Question::Batch | Question::Account) && expected.is_some() {
        let text = "must be left out: the look-up for this endpoint returns no price";
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
