//! From the arguments of `order_wait` to the question.

use super::{Task, expected, interval};
use crate::request::references::Reference;
use crate::request::secrets::Secrets;
use crate::response::resolution::{Asked, Question};
use crate::util::json::{self, Members};
use crate::util::validation_error::ValidationError;
use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::{Endpoint, Settles};

const WHAT: &str = "order_wait";

pub fn read(arguments: &Members<'_>) -> Result<Task<'static>, ValidationError> {
    let reference = json::member(arguments, "reference").and_then(json::text).unwrap_or_default().into_owned();
    let mut request = br#"{"reference":"#.to_vec();
    json::quote(&reference, &mut request);
    request.push(b'}');
    Ok(Task {
        what: WHAT,
        row: asked(),
        json: String::from_utf8(request).expect("JSON made of text is UTF-8"),
        asked: Asked {
            question: Question::Final,
            references: vec![(Reference::Order, reference)],
            prices: expected(arguments).into_iter().collect(),
            own_reference: None,
            attempts: None,
        },
        secrets: Secrets::default(),
        repeats: true,
        interval: interval(WHAT, arguments)?,
        reports_progress: true,
    })
}

/// The row that tells what became of a charge tells the state of its order.
fn asked() -> &'static Endpoint {
    let look_ups = ENDPOINTS.iter().filter_map(|row| row.looked_up_by);
    let of_charge = look_ups.filter(|look_up| look_up.settles == Settles::Charge).map(|look_up| look_up.endpoint);
    of_charge.map(paysvc_spec::endpoint).next().expect("a charge can be looked up")
}
