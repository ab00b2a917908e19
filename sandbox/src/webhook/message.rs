//! The body of an event, in the forms that integrations report.

use crate::endpoints::{payouts, transactions};
use crate::state::model::{PaymentState, Session};
use crate::state::{Event, State};
use crate::util::json::{Json, object};

/// How the body is written. None of them is documented by the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Form {
    /// `{"data":{…}}`, names in camel case.
    Data,
    /// `{"Data":{…}}`, names in Pascal case.
    Pascal,
    /// For virtual accounts: few members at the top level. Other events have the default form.
    Flat,
    /// `{"Status":"…","StatusCode":"…","Data":{…}}`, names in Pascal case.
    Envelope,
    /// `{"status":"success","data":{…}}`, names in camel case. All receivers but one that needs `Flat` accept it.
    #[default]
    Status,
}

impl Form {
    pub const ALL: [Form; 5] = [Form::Data, Form::Pascal, Form::Flat, Form::Envelope, Form::Status];

    pub fn name(self) -> &'static str {
        match self {
            Form::Data => "data",
            Form::Pascal => "pascal",
            Form::Flat => "flat",
            Form::Envelope => "envelope",
            Form::Status => "status",
        }
    }

    pub fn named(name: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.name() == name)
    }

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
            Event::PaymentFinal { order } => ("payment", order, state.orders.get(order).map(transactions::of_order)),
            Event::RefundEnded { order } => ("refund", order, state.orders.get(order).map(transactions::of_order)),
            Event::PayoutFinal { batch, payout } => {
                let of_batch = state.batches.get(batch).map(|batch| batch.payouts.as_slice()).unwrap_or_default();
                let found = of_batch.iter().find(|found| found.reference == *payout);
                ("payout", payout, found.map(payouts::with_state))
            }
            Event::Funded { session } => {
                let shown = if form == Form::Flat { flat } else { transactions::of_session };
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
