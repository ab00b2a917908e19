//! Tests that need not wait: the clock, payouts and refunds that end now, a rule that is removed, a head that does not
//! end.

use std::io::Write;

use crate::common::wire::{Client, Ended, TIMEOUT};
use crate::common::{JSON, Sandbox};
use serde_json::{Value, json};

const HOUR: &str = r#"{"advance_ms":3600000}"#;

fn payout(sandbox: &Sandbox, reference: &str, account: &str) {
    let details = json!({"clientReference": reference, "accountNumber": account, "accountName": "Ada",
        "bankCode": "000014", "amount": "5"});
    sandbox.admin_post("payouts", &json!({"payoutDetails": [details]}).to_string()).expect(200);
}

fn states(sandbox: &Sandbox) -> Vec<Value> {
    let payouts = sandbox.admin("payouts")["payouts"].as_array().unwrap().clone();
    payouts.iter().map(|payout| payout["status"].clone()).collect()
}

#[test]
fn the_clock_moves_what_is_due() {
    let sandbox = Sandbox::start(&["--settle-ms", "600000"]);
    sandbox.charge_card("A", "4111111111111111").expect(200);
    sandbox.post_secret("/payment/order/refund", r#"{"reference":"A"}"#).expect(200);
    payout(&sandbox, "P", "0690000031");
    sandbox.admin_post("orders", r#"{"reference":"B","amount":"5"}"#).expect(200);
    sandbox.post("/payment/order/pay", r#"{"paymentOption":"BT","reference":"B","BankTransfer":{}}"#).expect(200);
    let order = |reference: &str| sandbox.admin(&format!("orders?reference={reference}"))["orders"][0].clone();
    assert_eq!((&states(&sandbox), &order("B")["status"]), (&vec![json!("Pending")], &json!("Pending")));

    let hour = |clock: &Value| clock["now"].as_str().unwrap()[..13].to_string();
    let before = hour(&sandbox.admin("clock"));
    let clock = sandbox.admin_post("clock", HOUR).expect(200).json();
    assert!(clock["ahead_ms"] == 3_600_000 && hour(&clock) > before, "{clock}");
    assert_eq!(states(&sandbox), ["Successful"]);
    assert_eq!((&order("A")["status"], &order("B")["status"]), (&json!("Reversed"), &json!("Failed")));
    let events = sandbox.admin("webhooks")["deliveries"].as_array().unwrap().len();
    assert_eq!(events, 4, "the charge, its refund, the payout and the transfer");

    sandbox.admin_post("clock", r#"{"advance_ms":"-5"}"#).expect_error(400, "advance_ms", "whole number");
    sandbox.admin_post("clock", r#"{"advance":5}"#).expect_error(400, "advance", "no field advance");
    sandbox.admin_post("clock", "{}").expect_error(400, "advance_ms", "is required");
    sandbox.admin_post("clock", r#"{"advance_ms":999999999999}"#).expect_error(400, "advance_ms", "ten years");
    sandbox.admin_post("reset", "").expect(200);
    assert_eq!(sandbox.admin("clock")["ahead_ms"], 0);
}

#[test]
fn what_would_end_by_itself_ends_now() {
    let sandbox = Sandbox::start(&["--settle-ms", "600000"]);
    sandbox.charge_card("A", "4111111111111111").expect(200);
    sandbox.post_secret("/payment/order/refund", r#"{"reference":"A"}"#).expect(200);
    sandbox.admin_post("orders", r#"{"reference":"WAITS","amount":"5","payment":"pending"}"#).expect(200);
    // Paid, failed, and one that only an admin call ends.
    ["0690000031", "0690000002", "0690000001"].iter().for_each(|account| payout(&sandbox, account, account));
    assert_eq!(sandbox.admin_post("settle", "").expect(200).json(), json!({"payouts": 2, "refunds": 1}));
    assert_eq!(states(&sandbox), ["Successful", "Failed", "Pending"]);
    let orders = sandbox.admin("orders")["orders"].clone();
    assert_eq!((&orders[0]["status"], &orders[1]["status"]), (&json!("Reversed"), &json!("Pending")));
    assert_eq!(sandbox.admin_post("settle", "").expect(200).json(), json!({"payouts": 0, "refunds": 0}));
}

#[test]
fn one_of_two_rules_is_removed() {
    let sandbox = Sandbox::start(&[]);
    let rule = |count: u64| {
        sandbox.rule(&format!(r#"{{"path":"/payment/banks","fault":"status_503","count":{count}}}"#))["id"].clone()
    };
    assert_eq!((rule(1), rule(5)), (json!(1), json!(2)));
    let remove = |name: &str| sandbox.send("DELETE", &format!("/sandbox/faults/{name}"), &[], "");
    assert_eq!(remove("2").expect(200).json(), json!({"cleared": 1}));
    remove("2").expect(404);
    let rules = sandbox.admin("faults")["rules"].clone();
    assert_eq!((rules.as_array().unwrap().len(), &rules[0]["id"], &rules[0]["count"]), (1, &json!(1), &json!(1)));
    assert_eq!(rule(1), 3, "a number is not used again");
    sandbox.rule(r#"{"path":"/payment/banks","fault":"drip"}"#);
    assert_eq!(remove("status_503").expect(200).json(), json!({"cleared": 2}));
    assert_eq!(sandbox.admin("faults")["rules"][0]["fault"], "drip");
}

#[test]
fn an_order_has_one_name_for_its_number() {
    let sandbox = Sandbox::start(&[]);
    let made = sandbox.admin_post("orders", r#"{"reference":"A","amount":"5"}"#).expect(200).json();
    assert_eq!(made["order_id"], sandbox.admin("orders")["orders"][0]["order_id"]);
    assert!(made["order_id"].is_u64() && made.get("orderId").is_none(), "{made}");
}

#[test]
fn an_alias_selects_an_account_without_a_bank_code() {
    let sandbox = Sandbox::start(&[]);
    let generate = "/payment/virtual-account/generate";
    for (alias, code) in [("no-bank-code-7", Value::Null), ("till", json!("000999"))] {
        let payload = format!(r#"{{"Alias":"{alias}"}}"#);
        let made = sandbox.post_marked(generate, &sandbox.public, &payload).expect(200).json();
        let seen = sandbox.get(&format!("/payment/account-details?alias={alias}")).expect(200).json();
        assert_eq!((&made["bankCode"], &seen["bankCode"]), (&code, &code));
    }
}

#[test]
fn a_head_that_does_not_end_is_given_up_and_an_idle_connection_is_not() {
    let sandbox = Sandbox::start(&["--head-timeout-ms", "300"]);
    let mut idle = Client::new(&sandbox);
    idle.ask_for_banks(&sandbox);
    idle.answer().expect(200);
    for start in ["GET /payment/banks HTTP/1.1\r\nhost: localhost\r\n", "G"] {
        let mut client = Client::new(&sandbox);
        client.stream.write_all(start.as_bytes()).unwrap();
        let (bytes, ended) = client.rest(TIMEOUT);
        assert_eq!((bytes.len(), ended), (0, Ended::Graceful), "{start}");
    }
    // Longer than the timeout has passed, twice. Neither an idle connection nor a body that is awaited ends.
    idle.ask_for_banks(&sandbox);
    idle.answer().expect(200);
    let body = sandbox.encrypt(r#"{"reference":"A"}"#);
    let (first, second) = body.split_at(10);
    let length = body.len().to_string();
    let headers = [("api-key", sandbox.public.as_str()), JSON, ("content-length", &length)];
    idle.send("POST", "/payment/order/status", &headers, "").unwrap();
    idle.stream.write_all(first.as_bytes()).unwrap();
    let mut other = Client::new(&sandbox);
    other.stream.write_all(b"G").unwrap();
    other.rest(TIMEOUT);
    idle.stream.write_all(second.as_bytes()).unwrap();
    idle.answer().expect(404);
    // The next head on a connection that was used.
    idle.stream.write_all(b"GET /").unwrap();
    assert_eq!(idle.rest(TIMEOUT).1, Ended::Graceful);
}
