//! Forged events: what somebody could send who knows only the receiver's URL.

use super::behaviour::form;
use super::message::{Form, Message, flat};
use crate::endpoints::transactions;
use crate::http::answer::ApiError;
use crate::http::fields::Fields;
use crate::state::State;
use crate::util::json::{Json, object};

const MEMBERS: [&str; 6] = ["body", "order", "session", "payout", "change", "form"];

/// `body` is sent as it is. `order`, `session` or `payout` makes an event that reports success for it, known or not;
/// `change` replaces or adds members of its object.
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
    let known = state.orders.get(reference).map(transactions::of_order);
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
        (Some(session), _) => transactions::of_session(session),
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

/// Members that are there get the new value in their place.
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
