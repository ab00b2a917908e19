//! The body of an event, in the forms that integrations report, also of a forged one: sendable by anyone who has only
//! the receiver's URL.

use crate::endpoints::{answers, payouts};
use crate::http::answer::ApiError;
use crate::http::fields::Fields;
use crate::state::model::{PaymentState, Session};
use crate::state::{Event, State};
use crate::util::json::{Json, object};
use crate::util::named::named;

named! {
    /// The form of the body. None of them is documented by the service.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
    pub enum Form {
        /// `{"data":{…}}`, names in camel case.
        Data = "data",
        /// `{"Data":{…}}`, names in Pascal case.
        Pascal = "pascal",
        /// For virtual accounts: few fields at the top level. Other events have the default form.
        Flat = "flat",
        /// `{"Status":"…","StatusCode":"…","Data":{…}}`, names in Pascal case.
        Envelope = "envelope",
        /// `{"status":"success","data":{…}}`, names in camel case. All receivers but one that needs `Flat` accept it.
        #[default]
        Status = "status",
    }
}

impl Form {
    /// The form in which an event is written.
    pub fn of_event(self, is_funding: bool) -> Form {
        if self == Form::Flat && !is_funding { Form::default() } else { self }
    }

    pub fn wrap(self, object: Json) -> Json {
        match self {
            Form::Data => object! { "data": object },
            Form::Pascal => object! { "Data": pascal(object) },
            Form::Flat => object,
            Form::Envelope => object! {
                "Status": object.get("status").cloned().unwrap_or_default(),
                "StatusCode": object.get("statusCode").cloned().unwrap_or_else(|| "00".into()),
                "Data": pascal(object),
            },
            Form::Status => object! { "status": word(&object), "data": object },
        }
    }
}

/// The field `form`, for events and for forged ones.
pub fn form(fields: &mut Fields) -> Option<Form> {
    let name = fields.optional("form")?;
    let form = Form::named(&name);
    if form.is_none() {
        let names = Form::ALL.iter().map(|form| form.name()).collect::<Vec<_>>().join(", ");
        fields.error("form", format!("There is no form {name}; there are {names}."));
    }
    form
}

#[derive(Debug, Clone)]
pub struct Message {
    pub event: &'static str,
    /// The reference of the event's object.
    pub key: String,
    pub form: &'static str,
    pub body: String,
}

impl Message {
    pub fn of(event: &Event, state: &State, form: Form) -> Message {
        let form = form.of_event(matches!(event, Event::Funded { .. }));
        let (event, key, object) = match event {
            Event::PaymentFinal { order } => ("payment", order, state.orders.get(order).map(answers::of_order)),
            Event::RefundEnded { order } => ("refund", order, state.orders.get(order).map(answers::of_order)),
            Event::PayoutFinal { batch, payout } => {
                let of_batch = state.batches.get(batch).map(|batch| batch.payouts.as_slice()).unwrap_or_default();
                let found = of_batch.iter().find(|found| found.reference == *payout);
                ("payout", payout, found.map(payouts::with_state))
            }
            Event::Funded { session } => {
                let shown = if form == Form::Flat { flat } else { answers::of_session };
                ("funding", session, state.sessions.get(session).map(shown))
            }
        };
        let body = form.wrap(object.unwrap_or_default()).to_string();
        Message { event, key: key.clone(), form: form.name(), body }
    }
}

/// As a receiver in production reads it: `success` for what was paid.
fn word(object: &Json) -> &'static str {
    match object.get("statusId") {
        Some(Json::Number(id)) if *id == PaymentState::Failed.id().to_string() => "failed",
        Some(Json::Number(id)) if *id == PaymentState::Pending.id().to_string() => "pending",
        _ => "success",
    }
}

/// The flat form of a funding event.
pub fn flat(session: &Session) -> Json {
    object! {
        "status": "Success",
        "statusCode": "00",
        "statusId": 5_u64,
        "paymentReference": &session.payment_reference,
        "totalAmountCharged": session.amount,
        "currencyName": &session.currency,
        "sessionId": &session.id,
        "accountReference": session.account_reference.clone(),
        "sourceAccountName": &session.sender_name,
    }
}

/// All names with a capital first letter.
fn pascal(json: Json) -> Json {
    match json {
        Json::Object(members) => {
            Json::Object(members.into_iter().map(|(name, value)| (capital(&name), pascal(value))).collect())
        }
        Json::Array(items) => Json::Array(items.into_iter().map(pascal).collect()),
        other => other,
    }
}

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

const MEMBERS: [&str; 6] = ["body", "order", "session", "payout", "change", "form"];

/// `body` is sent as it is. `order`, `session` or `payout` makes an event that reports success for it, known or not;
/// `change` replaces or adds fields of its object.
pub fn forged(state: &State, body: &Json, default_form: Form) -> Result<Message, ApiError> {
    let mut fields = Fields::of(body);
    fields.only(&MEMBERS);
    let form = form(&mut fields).unwrap_or(default_form);
    let [order, session, payout] = ["order", "session", "payout"].map(|name| fields.optional(name));
    let change = match body.get("change") {
        None | Some(Json::Null) => Vec::new(),
        Some(Json::Object(members)) => members.clone(),
        Some(_) => {
            fields.error("change", "The change field must be an object.".to_string());
            Vec::new()
        }
    };
    let verbatim = body.get("body").filter(|body| **body != Json::Null);
    let count = [order.is_some(), session.is_some(), payout.is_some(), verbatim.is_some()];
    if count.into_iter().filter(|given| *given).count() != 1 {
        let text = "One of body, order, session and payout is required.";
        fields.error("body", text.to_string());
    }
    fields.finish()?;
    if let Some(body) = verbatim {
        return Ok(Message { event: "forged", key: String::new(), form: "verbatim", body: body.to_string() });
    }
    let (event, key, object) = match (order, session, payout) {
        (Some(order), ..) => ("payment", order.clone(), of_order(state, &order)),
        (_, Some(session), _) => ("funding", session.clone(), of_session(state, &session, form)),
        (.., payout) => {
            let payout = payout.unwrap_or_default();
            ("payout", payout.clone(), of_payout(&payout))
        }
    };
    let object = changed(object, change);
    let form = form.of_event(event == "funding");
    Ok(Message { event, key, form: form.name(), body: form.wrap(object).to_string() })
}

fn success() -> Vec<(String, Json)> {
    let name = |name: &str| name.to_string();
    vec![(name("statusCode"), "00".into()), (name("status"), "Successful".into()), (name("statusId"), 5_u64.into())]
}

fn of_order(state: &State, reference: &str) -> Json {
    let known = state.orders.get(reference).map(answers::of_order);
    let unknown = || {
        object! {
            "orderReference": reference,
            "paymentReference": "PGW-PAYREF-FORGED",
            "totalAmountCharged": Json::Number("102.00".to_string()),
            "currencyName": "NGN",
            "orderAmount": Json::Number("100.00".to_string()),
        }
    };
    changed(known.unwrap_or_else(unknown), success())
}

fn of_session(state: &State, id: &str, form: Form) -> Json {
    match (state.sessions.get(id), form) {
        (Some(session), Form::Flat) => flat(session),
        (Some(session), _) => answers::of_session(session),
        (None, _) => object! {
            "status": if form == Form::Flat { "Success" } else { "Successful" },
            "statusCode": "00",
            "statusId": 5_u64,
            "paymentReference": "PGW-PAYREF-FORGED",
            "totalAmountCharged": Json::Number("100.00".to_string()),
            "currencyName": "NGN",
            "sessionId": id,
            "accountReference": Json::Null,
            "sourceAccountName": "Forged Sender",
        },
    }
}

fn of_payout(reference: &str) -> Json {
    changed(object! { "payoutReference": reference, "amount": Json::Number("100.00".to_string()) }, success())
}

/// Existing fields get the new value in their place.
fn changed(object: Json, change: Vec<(String, Json)>) -> Json {
    let Json::Object(mut members) = object else {
        return object;
    };
    for (name, value) in change {
        match members.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => members.push((name, value)),
        }
    }
    Json::Object(members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::test_state;

    #[test]
    fn names_in_pascal_case() {
        let json = Json::parse(br#"{"orderReference":"a","orderPayments":[{"statusId":5}],"X":null}"#).unwrap();
        assert_eq!(
            Form::Pascal.wrap(json).to_string(),
            r#"{"Data":{"OrderReference":"a","OrderPayments":[{"StatusId":5}],"X":null}}"#
        );
        assert_eq!((Form::Flat.of_event(false), Form::Flat.of_event(true)), (Form::Status, Form::Flat));
        Form::ALL.iter().for_each(|form| assert_eq!(Form::named(form.name()), Some(*form)));
    }

    fn body(text: &str) -> Result<String, String> {
        let message = forged(&test_state(), &Json::parse(text.as_bytes()).unwrap(), Form::Data);
        message.map(|message| message.body).map_err(|error| error.message)
    }

    #[test]
    fn what_is_forged() {
        assert_eq!(body(r#"{"body":{"x":[1.50]}}"#).unwrap(), r#"{"x":[1.50]}"#);
        let order = body(r#"{"order":"A","change":{"orderAmount":5,"more":null}}"#).unwrap();
        assert!(order.starts_with(r#"{"data":{"orderReference":"A","#), "{order}");
        assert!(
            order.ends_with(r#""orderAmount":5,"statusCode":"00","status":"Successful","statusId":5,"more":null}}"#)
        );
        assert!(body(r#"{"session":"1","form":"flat"}"#).unwrap().starts_with(r#"{"status":"Success","#));
        assert!(body(r#"{"payout":"P","form":"pascal"}"#).unwrap().starts_with(r#"{"Data":{"PayoutReference":"P","#));
    }

    #[test]
    fn wrong_members_are_refused() {
        for (text, words) in [
            ("{}", "One of body, order, session and payout"),
            (r#"{"order":"A","payout":"B"}"#, "One of body"),
            (r#"{"order":"A","change":5}"#, "must be an object"),
            (r#"{"orders":"A"}"#, "There is no field orders"),
            (r#"{"order":"A","form":"x"}"#, "There is no form x"),
        ] {
            assert!(body(text).unwrap_err().contains(words), "{text}");
        }
    }
}
