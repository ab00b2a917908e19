//! `--pay-twice`: the sandbox executes repeated payments and refunds.

use crate::common::{Sandbox, card};
use serde_json::json;

const REFUND: &str = "/payment/order/refund";

#[test]
fn every_request_that_moves_money_moves_it_again() {
    let sandbox = Sandbox::start(&["--pay-twice"]);
    assert_eq!(sandbox.admin("state")["pay_twice"], true);
    let mandate = sandbox.mandate("0690000031");
    let code = sandbox.code(&mandate);
    let by_card = card("PAY-CARD", "4111111111111111").replace("paymentoption", "paymentOption");
    let both =
        card("X", "4111111111111111").replace(r#""reference":"X","#, r#""order":{"reference":"BOTH","amount":"5"},"#);
    for _ in 0..2 {
        assert_eq!(sandbox.pay("DEBIT", &mandate, &code).expect(200).json()["status"], "success");
        sandbox.post("/payment/order/pay", &by_card).expect(200);
        sandbox.charge_card("CARD", "4111111111111111").expect(200);
        sandbox.post("/payment/order/create", &both).expect(200);
        for body in [r#"{"reference":"CARD","amount":"40.05"}"#, r#"{"reference":"DEBIT"}"#] {
            sandbox.post_secret(REFUND, body).expect(200);
        }
        sandbox.post_secret(REFUND, r#"{"reference":"CARD","amount":"999"}"#).expect(200);
    }
    let keys = ["BOTH", "CARD", "DEBIT", "PAY-CARD", "CARD/40.05", "CARD/999.00", "DEBIT/100.00"];
    let found = sandbox.admin("duplicates")["duplicates"].as_array().unwrap().clone();
    let found: Vec<_> = found.iter().map(|one| json!([one["key"], one["count"]])).collect();
    assert_eq!(found, keys.map(|key| json!([key, 2])));
    // A reset keeps the setting.
    sandbox.admin_post("reset", r#"{"pay_twice":false}"#).expect(200);
    assert_eq!(sandbox.admin("state")["pay_twice"], true);
}

#[test]
fn other_rules_still_apply() {
    let sandbox = Sandbox::start(&["--pay-twice"]);
    let (public, account) = (sandbox.public.clone(), r#"{"Alias":"till"}"#);
    for _ in 0..2 {
        sandbox.post_marked("/payment/virtual-account/generate", &public, account).expect(200);
    }
    assert_eq!(sandbox.effects("virtual_account_created").len(), 1);
    let mandate = sandbox.mandate("0690000031");
    sandbox.pay("A", &mandate, "111111").expect_error(400, "directDebitPaymentRequest.otp", "wrong");
    sandbox.admin_post("orders", r#"{"reference":"A","amount":"5"}"#).expect(200);
    sandbox.post_secret(REFUND, r#"{"reference":"A"}"#).expect_error(400, "reference", "not paid");
    assert_eq!(sandbox.charge_card("A", "4000000000000002").expect(200).json()["status"], "failed");
    assert!(sandbox.effects("charge_made").is_empty());
}
