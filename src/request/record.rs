//! The journal's record of a request: no card data, no codes, no keys.

use crate::json::decimal::Decimal;
use crate::json::{Fields, Value};
use crate::request::look_up::{self, Values};
use crate::request::names::value_of;
use crate::request::{Request, amount, text_value};
use paysvc_spec::journal::Step;
use paysvc_spec::schema::{Endpoint, Field, Kind, Reference, Settles};

/// The journal's record of a request.
#[derive(Debug)]
pub struct Record {
    pub function: &'static str,
    pub step: Step,
    /// The reference of the order, if the request names it.
    pub order: Option<String>,
    /// The reference of the attempt to pay, if the request names it.
    pub payment: Option<String>,
    /// The fields that determine who pays what to whom, by their paths.
    pub members: Vec<(String, String)>,
    /// The values that a status query needs; `None` if nothing can be looked up.
    kept: Option<Values>,
    pub amount: Option<String>,
    pub currency: Option<String>,
    /// The customer may pay the order on a page of the service.
    pub has_page: bool,
}

impl Record {
    /// `None` if the journal does not record the request.
    pub fn of(request: &Request<'_>) -> Option<Record> {
        // Only its key and its address identify a request that JSON describes.
        let Some(row) = request.row.filter(|row| row.name == request.name) else {
            let texts = [("method", request.method.name()), ("path", &request.url)];
            let members = texts.map(|(path, text)| (path.to_owned(), text.to_owned())).to_vec();
            return Some(Record::new(request, Step::Other, members));
        };
        let (given, look_up) = (request.given, row.looked_up_by.as_ref());
        let charges = look_up.is_some_and(|look_up| look_up::charges(row, look_up, given));
        let step = Step::of(row, charges)?;
        let at = |pointer: Option<&str>| look_up::text_at(row, given, pointer?);
        Some(Record {
            kept: look_up.map(|look_up| look_up::values(row, look_up, given, false)),
            amount: at(look_up.and_then(|look_up| look_up.amount)),
            currency: at(look_up.and_then(|look_up| look_up.currency)),
            has_page: look_up.is_some_and(|look_up| look_up.settles == Settles::Order),
            ..Record::new(request, step, values(given, row.fields, Field::is_identifying))
        })
    }

    /// Without what a status query needs. `members`: besides the function.
    fn new(request: &Request<'_>, step: Step, members: Vec<(String, String)>) -> Record {
        let named =
            |kind| request.references.iter().find(|(known, _)| *known == kind).map(|(_, text)| text.to_string());
        let function = ("function".to_owned(), request.name.to_owned());
        let members = std::iter::once(function).chain(members).collect();
        let (order, payment) = (named(Reference::Order), named(Reference::Payment));
        Record { step, order, payment, ..Record::of_part(request.name, members, None, None) }
    }

    /// A part of a request that is recorded by itself, which no status query asks about.
    pub fn of_part(
        function: &'static str,
        members: Vec<(String, String)>,
        amount: Option<String>,
        currency: Option<String>,
    ) -> Record {
        let (order, payment, kept, has_page) = (None, None, None, false);
        Record { function, step: Step::Other, order, payment, members, kept, amount, currency, has_page }
    }

    /// Names the order that the request itself does not name, for a status query.
    pub fn name_order(&mut self, row: &'static Endpoint, order: &str) {
        if let (Some(kept), Some(look_up)) = (&mut self.kept, &row.looked_up_by) {
            kept.extend(look_up.members.iter().map(|(_, pointers)| (pointers[0], text_value(order))));
            self.order = Some(order.to_owned());
        }
    }

    /// Returns the values that a status query needs, as a JSON object; empty if nothing can be looked up.
    pub fn kept(&self) -> String {
        self.kept.as_ref().and_then(look_up::text).unwrap_or_default()
    }
}

/// The fields that are to be kept, by their paths, in the order of the table. Equal for requests that mean the same.
pub fn values(given: Fields<'_>, fields: &[Field], is_kept: fn(&Field) -> bool) -> Vec<(String, String)> {
    let mut found = Vec::new();
    add(given, fields, is_kept, "", &mut found);
    found
}

fn add(
    given: Fields<'_>,
    fields: &[Field],
    is_kept: fn(&Field) -> bool,
    within: &str,
    found: &mut Vec<(String, String)>,
) {
    for field in fields {
        let Some(value) = value_of(given, field) else { continue };
        let path = format!("{within}{}", field.name);
        match field.kind {
            Kind::Object(inner) => add(value.fields(), inner, is_kept, &format!("{path}."), found),
            Kind::List(inner) => {
                for (index, item) in value.children().enumerate() {
                    add(item.fields(), inner, is_kept, &format!("{path}.{index}."), found);
                }
            }
            _ if is_kept(field) => found.push((path, normal(field, value))),
            _ => {}
        }
    }
}

/// Equal for values that mean the same.
fn normal(field: &Field, value: Value<'_>) -> String {
    let text = amount::digits(value).unwrap_or(value.raw().into());
    match field.kind {
        Kind::Amount(_) => normal_amount(&text),
        _ => text.into_owned(),
    }
}

pub fn is_same_amount(one: &str, other: &str) -> bool {
    normal_amount(one.trim()) == normal_amount(other.trim())
}

/// `025.50` is `25.5`.
fn normal_amount(text: &str) -> String {
    Decimal::parse(text).map_or_else(|| text.to_owned(), |amount| amount.to_string())
}
