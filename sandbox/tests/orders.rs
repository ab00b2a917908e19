//! Orders, cards and refunds.

use crate::common::{Sandbox, card};
use serde_json::json;

const CREATE: &str = "/payment/order/create";
const REFUND: &str = "/payment/order/refund";

#[test]
fn cards() {
    let sandbox = Sandbox::start(&[]);
    let paid = sandbox.charge_card("OK", "4111111111111111").expect(200);
    assert!(paid.is_assumed());
    assert!(paid.text.contains(r#""totalAmount":102,"fee":2"#), "the assumed amount: {}", paid.text);
    let paid = paid.json();
    assert_eq!((&paid["status"], &paid["statusCode"]), (&json!("success"), &json!("00")));
    assert_eq!(paid["data"]["orderPayment"]["statusId"], 5);
    assert_eq!(paid["data"]["orderPayment"]["orderPaymentInstrument"], "************1111");
    sandbox.charge_card("OK", "4111111111111111").expect_error(400, "reference", "already paid");

    for (number, code, message) in
        [("4000000000000002", "12", "Declined by the issuer"), ("4000000000000069", "04", "The card has expired")]
    {
        let failed = sandbox.charge_card("BAD", number).expect(200).json();
        assert_eq!(
            (&failed["status"], &failed["statusCode"], &failed["message"]),
            (&json!("failed"), &json!(code), &json!(message))
        );
        assert_eq!(failed["data"]["orderPayment"]["statusId"], 4);
    }
    // The same endpoint behaviour by pay, for an order whose payment failed before.
    let payload = card("BAD", "4111111111111111").replace("paymentoption", "paymentOption");
    assert!(sandbox.post("/payment/order/pay", &payload).expect(200).is_assumed());
    assert_eq!(sandbox.effects("charge_made").len(), 2);
}

#[test]
fn creating_an_order() {
    let sandbox = Sandbox::start(&[]);
    let payload = r#"{"customer":{"firstname":"Ada","email":"ada@example.com"},"order":{"amount":98000.000000,"reference":"A","currency":"NGN","description":"Shoes"},"payment":{"RedirectUrl":"https://shop.example/"}}"#;
    let created = sandbox.post(CREATE, payload).expect(200);
    assert!(created.is_assumed());
    assert!(created.text.contains(r#""amount":98000.00,"fee":0,"feeRate":0,"statusId":1"#), "{}", created.text);
    let created = created.json();
    assert_eq!((&created["status"], &created["statusCode"]), (&json!("success"), &json!("01")));
    assert_eq!(created["data"]["customer"]["email"], "ada@example.com");
    sandbox.post(CREATE, payload).expect_error(400, "reference", "already exists");
    sandbox.charge_card("A", "4111111111111111").expect(200);
    assert_eq!(sandbox.effects("charge_made")[0]["amount"], "98000.00");

    // Order and card in one payload; names match in any case.
    let both = r#"{"Order":{"Amount":"5","Reference":"B"},"Card":{"CardNumber":"4111111111111111","ExpiryMonth":"01","ExpiryYear":"2039","CVV":"193"}}"#;
    assert_eq!(sandbox.post(CREATE, both).expect(200).json()["data"]["orderPayment"]["statusId"], 5);
    assert_eq!(sandbox.effects("order_created").len(), 2);
    assert_eq!(sandbox.effects("charge_made")[1]["amount"], "5.00");
}

#[test]
fn a_card_is_not_charged_with_another_amount_than_the_order_has() {
    let sandbox = Sandbox::start(&[]);
    sandbox.admin_post("orders", r#"{"reference":"A","amount":"5","currency":"NGN"}"#).expect(200);
    let both = |amount: &str, currency: &str| {
        let card = r#"{"cardnumber":"4111111111111111","expirymonth":"01","expiryyear":"39","cvv":"193"}"#;
        let order = format!(r#"{{"reference":"A","amount":{amount},"currency":"{currency}"}}"#);
        sandbox.post(CREATE, &format!(r#"{{"order":{order},"card":{card}}}"#))
    };
    both("6", "NGN").expect_error(400, "order.amount", "of 5.00 NGN");
    both("5", "USD").expect_error(400, "order.amount", "of 5.00 NGN");
    assert!(sandbox.effects("charge_made").is_empty());
    both("5.00", "NGN").expect(200);
    assert_eq!(sandbox.effects("charge_made")[0]["amount"], "5.00");
    let verified = sandbox.verify("A").expect(200);
    assert!(verified.text.contains(r#""orderAmount":5.00,"totalChargedAmount":5.00"#), "{}", verified.text);
}

#[test]
fn invalid_orders_are_refused() {
    let sandbox = Sandbox::start(&[]);
    sandbox.post(CREATE, r#"{"paymentoption":"C","reference":"A"}"#).expect_error(400, "card", "is required");
    sandbox.post(CREATE, r#"{"paymentoption":"NDD","reference":"A"}"#).expect_error(400, "paymentoption", "must be C");
    let nothing = sandbox.post(CREATE, "{}").expect(400).json();
    let names: Vec<_> = nothing["errors"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(names, ["order.amount", "order.reference"]);
    let with_order = r#"{"order":{"reference":"A","amount":"5"},"card":{"cardnumber":"4111"}}"#;
    sandbox.post(CREATE, with_order).expect_error(400, "card.cvv", "required");
    sandbox.post(CREATE, r#"{"order":{"amount":"1.005","reference":"A"}}"#).expect_error(
        400,
        "order.amount",
        "more than two decimals",
    );
    sandbox.post(CREATE, r#"{"order":{"amount":0,"reference":"A"}}"#).expect_error(
        400,
        "order.amount",
        "more than zero",
    );
    let bad = r#"{"reference":"A","paymentoption":"C","country":"NGA","card":{"cardnumber":"4111x","expirymonth":"13","expiryyear":"039"}}"#;
    let answer = sandbox.post(CREATE, bad).expect(400);
    assert!(!answer.text.contains("4111x"), "a card number is never repeated");
    let names: Vec<_> = answer.json()["errors"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(names, ["card.cardnumber", "card.cvv", "card.expirymonth", "card.expiryyear", "country"]);
    assert!(sandbox.admin("ledger")["ledger"].as_array().unwrap().is_empty());
}

#[test]
fn refunds_and_their_arithmetic() {
    let sandbox = Sandbox::start(&[]);
    let refund = |body: &str| sandbox.post_secret(REFUND, body);
    sandbox.admin_post("orders", r#"{"reference":"A","amount":"100.10"}"#).expect(200);
    refund(r#"{"reference":"A"}"#).expect_error(400, "reference", "not paid");
    sandbox.charge_card("A", "4111111111111111").expect(200);
    let part = refund(r#"{"reference":"A","reason":"scratched","amount":"40.05"}"#).expect(200);
    assert!(!part.is_assumed());
    let data = json!({"reference": "A", "amount_refunded": "40.05", "status": "pending"});
    assert_eq!(part.json(), json!({"status": true, "message": "Refund has been initiated", "data": data}));
    refund(r#"{"reference":"A","amount":"60.06"}"#).expect_error(400, "amount", "60.05 left");
    refund(r#"{"reference":"A","amount":"-1"}"#).expect_error(400, "amount", "decimal number");
    // Empty texts count as absent: the rest is refunded.
    let rest = refund(r#"{"reference":"A","Reason":"","Amount":""}"#).expect(200).json();
    assert_eq!(rest["data"]["amount_refunded"], "60.05");
    refund(r#"{"reference":"A"}"#).expect_error(400, "reference", "in full");
    refund("{}").expect_error(400, "reference", "The reference field is required.");
    refund(r#"{"reference":"Z"}"#).expect_error(404, "reference", "Order not found at the moment.");
    refund(r#"[]"#).expect_error(400, "body", "JSON object");
    assert!(sandbox.admin("duplicates")["duplicates"].as_array().unwrap().is_empty());
}

#[test]
fn a_fee_has_exact_digits() {
    let sandbox = Sandbox::start(&[]);
    let fee =
        sandbox.post("/payment/order/fee", r#"{"amount":"600","currency":"NGN","paymentoption":"C"}"#).expect(200);
    assert!(
        fee.text.contains(
            r#""data":{"amount":600.00,"fee":9.00,"total":609.00,"totalChargedAmount":609.00,"customerFee":9.00,"subsidiaryFee":0.00,"paymentOption":"C"}"#
        ),
        "{}",
        fee.text
    );
}
