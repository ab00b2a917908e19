//! The values kept from a request, according to the table's own rows.

use super::*;
use crate::json::document::Document;
use paysvc_spec::ENDPOINTS;
use paysvc_spec::endpoints::endpoint;

fn read<'a>(row: &str, text: &'a str) -> Result<EarlierRequest<'a>, Vec<(String, String)>> {
    let row = endpoint(row);
    let document = Box::leak(Box::new(Document::read(text).unwrap()));
    let request = document.root(text);
    EarlierRequest::read(row, row.looked_up_by.as_ref().unwrap(), request, "resolve").map_err(|error| error.errors)
}

fn kept<'a>(row: &str, text: &'a str) -> EarlierRequest<'a> {
    read(row, text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

/// The request of the status query.
fn sent(kept: &EarlierRequest<'_>) -> Vec<(String, String)> {
    kept.asks().into_iter().map(|(name, value)| (name.to_owned(), value.text().unwrap().into_owned())).collect()
}

fn only_reference() -> Vec<(String, String)> {
    vec![("reference".into(), "O-1".into())]
}

fn error(row: &str, text: &str) -> String {
    let errors = read(row, text).err().unwrap_or_else(|| panic!("{text} is accepted"));
    errors.iter().map(|(member, text)| format!("{member} {text}")).collect::<Vec<_>>().join("; ")
}

#[test]
fn the_request_of_the_look_up_has_only_what_it_needs() {
    let whole = r#"{"reference":"O-\u0031","paymentOption":"NDD","directDebitPaymentRequest":{"otp":"1234"}}"#;
    assert_eq!(sent(&kept("order_pay", whole)), only_reference());
    let order = kept("order_create", r#"{"order":{"reference":"O-1","amount":100.10,"currency":"NGN"}}"#);
    assert_eq!(sent(&order), only_reference());
    assert_eq!((order.amount().unwrap(), order.currency().unwrap()), ("100.10".into(), "NGN".into()));
    assert_eq!(order.own_reference(), None);
    let both = r#"{"reference":"O-1","order":{"reference":"O-1"}}"#;
    assert_eq!(sent(&kept("order_create", both)), only_reference());
}

/// For every row: what is kept of a request with everything makes a good request of the status query.
#[test]
fn what_is_kept_is_enough_for_every_look_up() {
    let mut rows = 0;
    for row in ENDPOINTS {
        let Some(look_up) = row.looked_up_by.as_ref() else { continue };
        let mut request = serde_json::json!({});
        for kept in look_up.keep {
            let is_amount = kept.pointer().ends_with("/amount");
            let value = match kept {
                Keep::Presence(_) => serde_json::json!({}),
                _ if is_amount => serde_json::json!("1.50"),
                _ => serde_json::json!("V-1"),
            };
            let steps: Vec<_> = kept.pointer().split('/').skip(1).collect();
            let place = steps.iter().fold(&mut request, |place, step| &mut place[*step]);
            *place = value;
        }
        let text = request.to_string();
        let kept = kept(row.name, &text);
        let by = endpoint(look_up.endpoint);
        let asks = kept.asks();
        let asks = Fields::Named(&asks);
        validate::fields(asks, by.fields, validate::Rules::of(by), by.name, Status::Argument).unwrap();
        for name in look_up.members.iter().map(|(name, _)| name) {
            assert!(asks.get(name).is_some(), "{}", row.name);
        }
        rows += 1;
    }
    assert!(rows >= 4);
}

#[test]
fn what_is_missing_misspelt_or_of_the_wrong_type_is_named() {
    for (row, request, expected) in [
        ("order_pay", "{}", "request.reference is required"),
        ("order_pay", "[]", "request must be an object, not an array"),
        ("order_pay", "\"O-1\"", "request must be an object, not a string"),
        ("order_pay", r#"{"reference":7}"#, "request.reference must be a string, not a number"),
        ("order_pay", r#"{"reference":" "}"#, "request.reference must not be empty"),
        ("order_pay", r#"{"Reference":"O-1"}"#, "request.Reference is not a known field; did you mean reference?"),
        ("order_pay", r#"{"refernce":"O-1"}"#, "request.refernce is not a known field; did you mean reference?"),
        ("order_create", "{}", "request.reference is required, unless order.reference is given"),
        ("order_create", r#"{"reference":"O-1","Card":{}}"#, "request.Card is not a known field; did you mean card?"),
        ("order_create", r#"{"reference":"O-1","card":"4111"}"#, "request.card must be an object, not a string"),
        ("order_create", r#"{"reference":"O-1","card":null}"#, "request.card must be an object, not null"),
        ("order_create", r#"{"order":"O-1"}"#, "request.order must be an object, not a string"),
        ("order_create", r#"{"reference":"O-1","order":{"amount":"1,5"}}"#, "request.order.amount must be a decimal"),
        ("order_create", r#"{"order":{"reference":"O-1","Amount":"1"}}"#, "request.order.Amount is not a known field"),
        ("order_create", r#"{"reference":"O-1","amount":"1"}"#, "did you mean order.amount?"),
        (
            "order_create",
            r#"{"reference":"O-1","order":{"reference":"O-2"}}"#,
            "request.order.reference must be the same as reference",
        ),
        ("payout_initiate", r#"{"payoutDetails":[]}"#, "request.batchReference is required, though the request"),
        ("payout_initiate", r#"{"batch_reference":"B-1"}"#, "did you mean batchReference?"),
    ] {
        let found = error(row, request);
        assert!(found.contains(expected), "{row} {request}: {found}");
    }
}

#[test]
fn what_the_look_up_does_not_need_is_ignored() {
    let request = r#"{"reference":"O-1","card":{"cardnumber":5,"CVV":1},"customer":null,"anything":[1],"expiry":{}}"#;
    assert_eq!(sent(&kept("order_create", request)), only_reference());
    assert_eq!(kept("order_refund", r#"{"reference":"O-1","reason":5}"#).amount(), None);
}

#[test]
fn what_makes_a_request_a_charge_is_named() {
    for (request, charge) in [
        (r#"{"reference":"O-1","card":{}}"#, Some("card")),
        (r#"{"order":{"reference":"O-1"},"paymentoption":"C"}"#, Some("paymentoption")),
        (r#"{"order":{"reference":"O-1"},"paymentOption":"C"}"#, Some("paymentOption")),
        (r#"{"order":{"reference":"O-1"},"authorization":{}}"#, Some("authorization")),
        (r#"{"order":{"reference":"O-1"},"authorization":null}"#, None),
        (r#"{"reference":"O-1","order":{"amount":"1.00"},"customer":{},"payment":{},"paymentMeta":{}}"#, None),
        (r#"{"order":{"reference":"O-1"},"payment":{"token":"t","RedirectUrl":"u"}}"#, Some("payment.token")),
        (r#"{"order":{"reference":"O-1","order/reference":"t"}}"#, Some("order.order/reference")),
        (r#"{"order":{"reference":"O-1","tip":null}}"#, None),
    ] {
        assert_eq!(kept("order_create", request).charge.as_deref(), charge, "{request}");
    }
}
