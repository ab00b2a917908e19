//! The fault of a magic value acts on the request that changes something, not on the one that asks what became of it.

use crate::common::Sandbox;
use serde_json::{Value, json};

fn logged(sandbox: &Sandbox) -> Vec<Value> {
    sandbox.requests().iter().map(|request| request["fault"].clone()).collect()
}

#[test]
fn the_look_up_of_a_charge_is_answered() {
    let sandbox = Sandbox::start(&[]);
    let reference = "sbx-commit_then_502-1";
    sandbox.charge_card(reference, "4111111111111111").expect(502);
    assert_eq!(sandbox.status(reference).expect(200).json()["data"]["orderSummary"]["statusId"], 5);
    assert_eq!(sandbox.verify(reference).expect(200).json()["data"]["statusId"], 5);
    // Every request that changes something meets it.
    sandbox.post_secret("/payment/order/refund", &format!(r#"{{"reference":"{reference}"}}"#)).expect(502);
    sandbox.status(reference).expect(200);
    let fault = json!("commit_then_502");
    assert_eq!(logged(&sandbox), [fault.clone(), Value::Null, Value::Null, fault, Value::Null]);
}

#[test]
fn a_value_that_changed_nothing_acts_on_its_look_up() {
    let sandbox = Sandbox::start(&[]);
    sandbox.admin_post("orders", r#"{"reference":"sbx-status_500-1","amount":"10","paid":true}"#).expect(200);
    sandbox.status("sbx-status_500-1").expect(500);
    sandbox.verify("sbx-status_500-1").expect(500);
    let funding = r#"{"alias":"till","amount":"10","senderName":"Ada","sessionId":"sbx-status_503-1"}"#;
    sandbox.admin_post("fund", funding).expect(200);
    sandbox.get("/payment/transaction-details/sbx-status_503-1").expect(503);
    sandbox.admin_post("mandates", r#"{"mandateCode":"sbx-status_503-2"}"#).expect(200);
    let mandate = || sandbox.get("/payment/order/direct-debit/status?mandateCode=sbx-status_503-2");
    mandate().expect(503);
    sandbox.post("/payment/order/direct-debit/otp", r#"{"mandateCode":"sbx-status_503-2"}"#).expect(503);
    mandate().expect(200);
    // A reset forgets it; removing the rules does not.
    sandbox.send("DELETE", "/sandbox/faults", &[], "").expect(200);
    mandate().expect(200);
    sandbox.admin_post("reset", "").expect(200);
    mandate().expect(503);
}

#[test]
fn a_fault_of_look_ups_can_be_asked_for() {
    let sandbox = Sandbox::start(&[]);
    let reference = "sbx-status_500@lookup-1";
    sandbox.charge_card(reference, "4111111111111111").expect(200);
    for _ in 0..2 {
        sandbox.status(reference).expect(500);
        sandbox.verify(reference).expect(500);
    }
    assert_eq!(sandbox.effects("charge_made").len(), 1);
}

#[test]
fn a_fault_of_payments_spares_the_order() {
    let sandbox = Sandbox::start(&[]);
    let reference = "sbx-commit_then_502@pay-1";
    let order = format!(r#"{{"order":{{"reference":"{reference}","amount":"20.00","currency":"NGN"}}}}"#);
    sandbox.post("/payment/order/create", &order).expect(200);
    let card = crate::common::card(reference, "4111111111111111").replace("paymentoption", "paymentOption");
    sandbox.post("/payment/order/pay", &card).expect(502);
    assert_eq!(sandbox.status(reference).expect(200).json()["data"]["orderSummary"]["statusId"], 5);
}

#[test]
fn a_rule_takes_precedence() {
    let sandbox = Sandbox::start(&[]);
    sandbox.rule(r#"{"path":"/payment/order/create","fault":"status_503"}"#);
    sandbox.charge_card("sbx-status_500-1", "4111111111111111").expect(503);
    sandbox.status("sbx-status_500-1").expect(404);
    sandbox.charge_card("sbx-status_500-1", "4111111111111111").expect(500);
}
