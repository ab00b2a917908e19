//! `paysvc_reply_is_paid` over real responses: of payments, status queries, webhooks and refunds. `paysvc_reply_is_active` over those
//! of mandates.

use serde_json::{Value, json};

use crate::support::capi::{Client, Reply, with};
use crate::support::long_encryption_key;
use crate::support::sandbox::Sandbox;
use crate::support::server::Server;
use paysvc_spec::status::Amount;

const ORDERED: [Option<&str>; 3] = [Some("O-1"), Some("25.50"), Some("NGN")];
const AMOUNTS: [i32; 4] = [Amount::Price as i32, Amount::Fee as i32, Amount::Total as i32, Amount::Refunded as i32];
const ANYTHING: [Option<&str>; 3] = [Some("*"); 3];

fn answered(function: &str, request: &Value, body: &'static str) -> Reply {
    let server = Server::always("200 OK", "", body);
    let config = with(server.config(), json!({"encryption_key": long_encryption_key()}));
    Client::new(&config).call(function, request)
}

fn charge(reference: &str) -> Value {
    json!({
        "reference": reference, "paymentoption": "C", "country": "NG",
        "card": {"cardnumber": "4111111111111111", "expirymonth": "01", "expiryyear": "39", "cvv": "193"},
        "order": {"reference": reference, "amount": "25.50", "currency": "NGN", "description": "tea"},
    })
}

#[test]
fn a_charge_and_every_look_at_it_are_compared_with_the_order() {
    let sandbox = Sandbox::start(&[]);
    let client = Client::new(&sandbox.config());
    let charged = client.call("order_create", &charge("O-1"));
    let question = json!({"reference": "O-1", "request": {"order": {"currency": "NGN"}}});
    let expect = json!({"reference": "O-1", "amount": "25.50", "currency": "NGN"});
    let event = json!({"data": {"orderReference": "O-1", "statusId": 5, "orderAmount": 25.5, "currency": "NGN"}});
    let resolved = json!({"endpoint": "order_create", "request": charge("O-1")});
    for (function, reply) in [
        ("order_create", charged),
        ("resolve", client.call("resolve", &resolved)),
        ("order_wait", client.call("order_wait", &question)),
        ("webhook_verify", client.call("webhook_verify", &json!({"body": event, "expect": expect}))),
    ] {
        assert_eq!(reply.why_not_paid(ORDERED), "", "{function}: {}", reply.body());
        for (index, other, why) in
            [(0, "O-2", "another order"), (1, "25.5001", "the amount"), (2, "USD", "the currency")]
        {
            let mut ordered = ORDERED;
            ordered[index] = Some(other);
            assert!(reply.why_not_paid(ordered).contains(why), "{function}: {}", reply.why_not_paid(ordered));
            ordered[index] = Some("*");
            assert_eq!(reply.why_not_paid(ordered), "", "{function}");
            ordered[index] = None;
            assert!(reply.why_not_paid(ordered).contains("NULL"), "{function}");
        }
    }
}

/// The status query names no currency, so the caller must give one to be proved; the message asks for it.
#[test]
fn a_wait_without_a_currency_says_what_to_give() {
    let sandbox = Sandbox::start(&[]);
    let client = Client::new(&sandbox.config());
    client.call("order_create", &charge("O-1")).expect("OK CONFIRMED");
    const GIVE: &str = "give expect to order_wait";
    for (expect, is_proved) in [
        (json!({}), false),
        (json!({"expect": {"amount": "25.50"}}), false),
        (json!({"expect": {"amount": "25.50", "currency": "NGN"}}), true),
    ] {
        let waited = client.call("order_wait", &with(json!({"reference": "O-1"}), expect.clone()));
        waited.expect("OK CONFIRMED");
        assert_eq!(waited.message().contains(GIVE), !is_proved, "{expect}: {}", waited.message());
        let why = waited.why_not_paid(ORDERED);
        assert_eq!((why.contains(GIVE), why.contains("currency")), (!is_proved, !is_proved), "{expect}: {why}");
        assert_eq!(why.is_empty(), is_proved, "{expect}: {why}");
    }
}

/// For receipts: the responses of a charge, of a look at it and of a refund name their amounts in different places.
#[test]
fn the_amounts_of_every_shape_of_answer_are_found() {
    let sandbox = Sandbox::start(&[]);
    let client = Client::new(&sandbox.config());
    for (function, request, expected) in [
        ("order_create", charge("O-1"), [None, Some("0"), Some("25.5"), None]),
        ("order_status", json!({"reference": "O-1"}), [None, Some("0"), Some("25.5"), None]),
        ("order_verify", json!({"reference": "O-1"}), [Some("25.5"), Some("0"), Some("25.5"), None]),
        ("order_refund", json!({"reference": "O-1", "amount": "10"}), [None, None, None, Some("10")]),
    ] {
        let reply = client.call(function, &request);
        assert_eq!(AMOUNTS.map(|which| reply.amount(which)), expected, "{function}: {}", reply.body());
        assert_eq!([-1, 0, 5].map(|which| reply.amount(which)), [None; 3]);
    }
    let body =
        r#"{"status":"success","data":{"orderAmount":"25.50","totalAmountCharged":"26","totalChargedAmount":27}}"#;
    let contradicts = answered("order_verify", &json!({"reference": "O-1"}), body);
    assert_eq!(AMOUNTS.map(|which| contradicts.amount(which)), [Some("25.5"), None, None, None]);
    let not_sent = Client::new(&json!({"base_url": "http://127.0.0.1:1"})).call("order_verify", &json!({}));
    assert_eq!(AMOUNTS.map(|which| not_sent.amount(which)), [None; 4]);
}

#[test]
fn a_refund_is_never_paid_also_if_it_is_resolved() {
    let sandbox = Sandbox::start(&[]);
    let client = Client::new(&sandbox.config());
    sandbox.post("/sandbox/orders", &json!({"reference": "O-1", "amount": "25.50", "paid": true}));
    let refund = json!({"reference": "O-1"});
    let refunded = client.call("order_refund", &refund);
    assert_ne!(refunded.why_not_paid(ANYTHING), "");
    let resolved = client.call("resolve", &json!({"endpoint": "order_refund", "request": refund}));
    assert_ne!(resolved.why_not_paid(ANYTHING), "", "{}", resolved.message());
    let done =
        r#"{"status":true,"message":"done","data":{"reference":"O-1","amount_refunded":"25.50","status":"success"}}"#;
    let reply = answered("order_refund", &refund, done);
    assert_eq!((reply.verdict().as_str(), reply.state()), ("OK CONFIRMED", 5));
    assert!(reply.why_not_paid(ANYTHING).contains("not about a payment"), "{}", reply.why_not_paid(ANYTHING));
}

/// The library's other replies, and answers that say "paid" where nobody asked about a payment.
#[test]
fn what_is_no_answer_about_a_payment_is_not_paid() {
    let client = Client::new(&json!({"base_url": "http://127.0.0.1:1", "secret_key": "s"}));
    assert_eq!(client.call("order_verify", &json!({"reference": "O-1"})).why_not_paid(ANYTHING), "nothing was sent");
    let body =
        r#"{"status":"success","data":{"orderReference":"O-1","orderAmount":"25.50","currency":"NGN","statusId":5}}"#;
    let free = json!({"method": "POST", "path": "/payment/order/new", "key": "secret", "body": {"reference": "O-1"}});
    let reply = answered("request", &free, body);
    assert_eq!(reply.state(), 5, "{}", reply.message());
    assert!(reply.why_not_paid(ANYTHING).contains("not about a payment"), "{}", reply.why_not_paid(ANYTHING));
    let reply = answered("order_verify", &json!({"reference": "O-1"}), body);
    assert_eq!(reply.why_not_paid(ORDERED), "");
}

#[test]
fn a_mandate_is_active_once_the_service_says_so_and_only_where_it_is_asked() {
    let sandbox = Sandbox::start(&["--activation", "manual"]);
    let client = Client::new(&sandbox.config());
    sandbox.post("/sandbox/orders", &json!({"reference": "O-1", "amount": "25.50"}));
    let made = json!({"orderReference": "O-1", "accountNumber": "0123456789", "bankCode": "044"});
    let created = client.call("direct_debit_create", &made);
    let code = created.get("/data/mandateCode").unwrap();
    let status = || client.call("direct_debit_status", &json!({"mandateCode": code}));
    assert_eq!((status().verdict().as_str(), status().is_active()), ("OK CONFIRMED", false));
    sandbox.post(&format!("/sandbox/mandates/{code}/activate"), &Value::Null);
    assert!(status().is_active() && !created.is_active(), "{}", status().message());
    let body = r#"{"message":"Mandate is active","code":"00","status":true,"data":{"mandateCode":"M-1"}}"#;
    assert!(answered("direct_debit_status", &json!({"mandateCode": "M-1"}), body).is_active());
    let other = answered("direct_debit_status", &json!({"mandateCode": "M-2"}), body);
    assert!(!other.is_active(), "another mandate: {}", other.verdict());
    assert!(!answered("direct_debit_otp", &json!({"mandateCode": "M-1"}), body).is_active());
    let failed = r#"{"message":"Mandate is active","status":false,"errors":{}}"#;
    assert!(!answered("direct_debit_status", &json!({"mandateCode": "M-1"}), failed).is_active());
}
