//! A charge whose response is lost, without a till: for people who want to see what becomes of it.

use super::change::change;
use super::make;
use crate::faults::{Chosen, table};
use crate::http::answer::ApiError;
use crate::http::fields::Fields;
use crate::http::incoming::{Headers, Incoming};
use crate::service::decide::{Origin, decide};
use crate::service::sandbox::Sandbox;
use crate::util::json::{Json, object};

const FAULT: &str = "commit_then_reset";
const PATH: &str = "/payment/order/create";
const CARD: &str = "4111111111111111";

/// Creates the order if there is an `amount`, then charges a card for it. The request is the one of a till, and is logged,
/// but nobody gets the response.
pub async fn charge(sandbox: &Sandbox, body: &Json) -> Result<Json, ApiError> {
    let mut fields = Fields::of(body);
    let reference = fields.required("reference");
    fields.finish()?;
    if body.get("amount").is_some_and(|amount| *amount != Json::Null) {
        change(sandbox, |shared| make::order(&mut shared.state, body))?;
    }
    let card = object! { "cardnumber": CARD, "expirymonth": "01", "expiryyear": "39", "cvv": "193" };
    let payload = object! { "paymentoption": "C", "country": "NG", "reference": &reference, "card": card };
    let request = request(sandbox, &payload)?;
    let chosen = table::named(FAULT).map(|fault| Chosen::new(fault, None));
    // No connection has this number.
    let decided = decide(sandbox, &request, Origin { connection: 0, on_connection: 1 }, chosen, true).await;
    match decided.answer {
        Some(answer) if answer.status < 400 => Ok(object! { "reference": reference, "fault": FAULT }),
        refused => Err(ApiError::field("reference", words_of(refused.map(|answer| answer.body).unwrap_or_default()))),
    }
}

fn request(sandbox: &Sandbox, payload: &Json) -> Result<Incoming, ApiError> {
    let data = sandbox.encryption.encrypt(payload.to_string().as_bytes());
    let data = data.map_err(|problem| ApiError::field("reference", problem))?;
    let body = object! { "data": data }.to_string();
    let headers = Headers {
        api_key: Some(sandbox.keys.public.clone()),
        content_type: Some("application/json".to_string()),
        user_agent: Some("paysvc-sandbox lost-charge".to_string()),
        ..Headers::default()
    };
    let (body_bytes, body) = (body.len(), Some(body.into()));
    let (method, path, target) = ("POST".to_string(), PATH.to_string(), PATH.to_string());
    Ok(Incoming { method, path, target, query: Vec::new(), headers, body, body_bytes })
}

fn words_of(answer: Vec<u8>) -> String {
    let json = Json::parse(&answer).unwrap_or_default();
    json.get("message").and_then(Json::as_text).unwrap_or("The charge was refused.").to_string()
}
