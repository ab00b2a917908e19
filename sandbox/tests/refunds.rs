//! Refunds are accepted at once and complete later.

use crate::common::Sandbox;
use serde_json::{Value, json};

const REFUND: &str = "/payment/order/refund";

fn status(sandbox: &Sandbox) -> Value {
    let status = sandbox.status("A").expect(200).json();
    json!([status["status"], status["data"]["orderSummary"]["statusId"], status["data"]["isFinalStatus"]])
}

fn paid() -> Sandbox {
    let sandbox = Sandbox::start(&["--settle-ms", "3600000"]);
    sandbox.admin_post("orders", r#"{"reference":"A","amount":"100","paid":true}"#).expect(200);
    sandbox
}

#[test]
fn an_order_is_reversed_when_the_full_refund_is_complete() {
    let sandbox = paid();
    let refund = sandbox.post_secret(REFUND, r#"{"reference":"A"}"#).expect(200).json();
    assert_eq!(refund["data"]["status"], "pending");
    assert_eq!(status(&sandbox), json!(["Successful", 5, true]));
    assert_eq!(sandbox.effects("refund_made").len(), 1, "the money is on its way");
    let done = sandbox.admin_post("refunds/A/complete", "").expect(200).json();
    assert_eq!((&done["status"], &done["refunds"][0]["status"]), (&json!("Reversed"), &json!("completed")));
    assert_eq!(status(&sandbox), json!(["Reversed", 6, true]));
    let verified = sandbox.verify("A").expect(200).json();
    assert_eq!(verified["data"]["statusId"], 6);
    sandbox.admin_post("refunds/A/complete", "").expect_error(400, "reference", "The order has no pending refund");
    sandbox.admin_post("refunds/Z/complete", "").expect_error(404, "reference", "Refund not found");
}

#[test]
fn a_refund_that_failed_gives_the_money_back_and_can_be_repeated() {
    let sandbox = paid();
    let balance = || sandbox.get_secret("/payout/balance-enquiry?currency=NGN").expect(200).text;
    let before = balance();
    sandbox.post_secret(REFUND, r#"{"reference":"A"}"#).expect(200);
    assert_ne!(balance(), before);
    let failed = sandbox.admin_post("refunds/A/fail", "").expect(200).json();
    assert_eq!((&failed["status"], &failed["refunds"][0]["status"]), (&json!("Successful"), &json!("failed")));
    assert_eq!(balance(), before);
    assert_eq!(sandbox.effects("refund_failed")[0]["key"], "A/100.00");
    let event = sandbox.admin("webhooks")["deliveries"][1].clone();
    let body: Value = serde_json::from_str(event["body"].as_str().unwrap()).unwrap();
    assert_eq!((&event["event"], &body["data"]["statusId"]), (&json!("refund"), &json!(5)), "the order stays paid");
    sandbox.post_secret(REFUND, r#"{"reference":"A"}"#).expect(200);
    assert_eq!(sandbox.admin("duplicates")["duplicates"], json!([]));
}
