//! Cards that need a further step, saved cards, and the hosted checkout.

use crate::common::{Sandbox, card};
use serde_json::{Value, json};

const CREATE: &str = "/payment/order/create";
const AUTHORIZE: &str = "/payment/order/pay/authorize";
const CAPTURE: &str = "/payment/order/pay/capture";
const CHARGE: &str = "/payment/tokenize/charge";

/// Charges a card with these further fields of `card`.
fn charge(sandbox: &Sandbox, reference: &str, more: &str) -> Value {
    let payload = card(reference, "4111111111111111").replace(r#""cvv":"193""#, &format!(r#""cvv":"193",{more}"#));
    sandbox.post(CREATE, &payload).expect(200).json()
}

fn reference_of(answer: &Value) -> String {
    answer["data"]["orderPayment"]["orderPaymentReference"].as_str().unwrap().to_string()
}

#[test]
fn three_references_differ() {
    let sandbox = Sandbox::start(&[]);
    let created = sandbox.post(CREATE, r#"{"order":{"reference":"A","amount":5}}"#).expect(200).json();
    let verify = || sandbox.verify("A").expect(200).json();
    let processor = created["data"]["order"]["processorReference"].clone();
    assert!(processor.is_string());
    // There before the payment, and the same afterwards.
    assert_eq!(verify()["data"]["paymentReference"], processor);
    assert_eq!(sandbox.status("A").json()["data"]["orderSummary"]["paymentReference"], processor);
    let paid = sandbox.charge_card("A", "4111 1111-1111 1111").expect(200).json();
    assert_eq!(paid["data"]["orderPayment"]["orderPaymentInstrument"], "************1111");
    let (detail, attempt) = (&paid["data"]["paymentDetail"]["paymentReference"], json!(reference_of(&paid)));
    assert!(detail.is_string() && *detail != attempt && *detail != processor && attempt != processor);
    assert!(attempt.as_str().unwrap().starts_with("PGW-PAYREF-"));
    let verified = verify();
    assert_eq!(verified["data"]["paymentReference"], processor);
    let payment = &verified["data"]["orderPayments"][0];
    assert_eq!(
        (&payment["orderPaymentReference"], &payment["status"], &payment["paymentStatus"]),
        (&attempt, &json!("Successful"), &json!("Successful"))
    );
    assert_eq!(verified["data"]["cardDetails"][0]["maskedPan"], "************1111");
    sandbox.post(CREATE, r#"{"order":{"reference":"A","amount":5}}"#).expect_error(400, "reference", "already exists");
}

#[test]
fn a_card_that_needs_its_holder_is_declined_or_authorized() {
    let sandbox = Sandbox::start(&[]);
    let declined = sandbox.charge_card("A", "4000002500003155").expect(200).json();
    assert_eq!(sandbox.status("A").json()["status"], "Pending");
    let url = declined["data"]["paymentDetail"]["redirectUrl"].as_str().unwrap().replace("/confirm", "/decline");
    let path = url.strip_prefix(sandbox.start["base_url"].as_str().unwrap()).unwrap();
    assert_eq!(sandbox.send("GET", path, &[], "").expect(200).json()["status"], "Failed");
    assert_eq!(sandbox.status("A").json()["data"]["isFinalStatus"], true);

    // The option of any card, in any case.
    let asked = charge(&sandbox, "B", r#""authOption":"otp""#);
    assert_eq!((&asked["status"], &asked["message"]), (&json!("success"), &json!("pending-authenticaion")));
    let reference = reference_of(&asked);
    let authorize = |otp: &str| {
        let payload = json!({"orderPaymentReference": reference, "otp": otp, "message": "code"});
        sandbox.post(AUTHORIZE, &payload.to_string())
    };
    authorize("111111").expect_error(400, "otp", "wrong");
    authorize("222222").expect_error(400, "otp", "expired");
    assert!(sandbox.effects("charge_made").is_empty());
    let paid = authorize("000000").expect(200).json();
    assert_eq!((&paid["statusCode"], &paid["data"]["orderPayment"]["statusId"]), (&json!("00"), &json!(5)));
    authorize("000000").expect_error(400, "orderPaymentReference", "does not await");
    assert_eq!(sandbox.effects("charge_made").len(), 1);
    sandbox.post(AUTHORIZE, "{}").expect_error(400, "otp", "is required");
    let refused = sandbox.post(AUTHORIZE, r#"{"orderPaymentReference":"X","otp":"000000"}"#);
    refused.expect_error(404, "orderPaymentReference", "Payment not found");
}

#[test]
fn a_pin_and_unknown_options_of_a_card() {
    let sandbox = Sandbox::start(&[]);
    assert_eq!(charge(&sandbox, "A", r#""authOption":"PIN","pin":"1234""#)["data"]["orderPayment"]["statusId"], 5);
    assert_eq!(sandbox.requests()[0]["payload"]["card"]["pin"], "****");
    let payload = card("B", "4111111111111111").replace(r#""cvv""#, r#""authOption":"pin","cvv""#);
    sandbox.post(CREATE, &payload).expect_error(400, "card.pin", "is required");
    let payload = card("B", "4111111111111111").replace(r#""cvv""#, r#""pin":"12345","cvv""#);
    sandbox.post(CREATE, &payload).expect_error(400, "card.pin", "4 digits");
    charge(&sandbox, "C", r#""authOption":"AVS""#);
    let note = sandbox.requests().last().unwrap()["notes"][0].clone();
    assert!(note.as_str().unwrap().contains("authOption"), "{note}");
}

#[test]
fn a_reserved_amount_is_captured_once_and_may_be_less() {
    let sandbox = Sandbox::start(&[]);
    let reserved = charge(&sandbox, "A", r#""authOption":"PreAuth""#);
    assert_eq!((&reserved["status"], &reserved["statusCode"]), (&json!("success"), &json!("02")));
    assert!(reserved["data"]["paymentDetail"]["redirectUrl"].is_null());
    assert_eq!(sandbox.status("A").json()["status"], "Pending");
    let capture = |body: &str| sandbox.post_secret(CAPTURE, body);
    capture(r#"{"reference":"A"}"#).expect_error(400, "Amount", "is required");
    capture(r#"{"reference":"A","Amount":"100.01"}"#).expect_error(400, "Amount", "more than the 100.00 reserved");
    let taken = capture(r#"{"reference":"A","Amount":"40"}"#).expect(200).json();
    assert_eq!((&taken["statusCode"], &taken["data"]["orderPayment"]["totalAmount"]), (&json!("00"), &json!(41)));
    capture(r#"{"reference":"A","Amount":"40"}"#).expect_error(400, "reference", "no reserved amount");
    capture(r#"{"reference":"Z","Amount":"40"}"#).expect_error(404, "reference", "Order not found");
    assert_eq!(sandbox.effects("charge_made")[0]["amount"], "40.00");
    // By an admin call, with a reference that the caller chose.
    let made = r#"{"reference":"B","amount":"5","payment":"preauthorized","paymentReference":"PGW-PAYREF-1"}"#;
    assert_eq!(sandbox.admin_post("orders", made).expect(200).json()["orderPaymentReference"], "PGW-PAYREF-1");
    sandbox.admin_post("orders", &made.replace(r#""B""#, r#""C""#)).expect_error(400, "paymentReference", "exists");
    capture(r#"{"reference":"B","Amount":5}"#).expect(200);
    let keys: Vec<_> = sandbox.effects("charge_made").iter().map(|entry| entry["key"].clone()).collect();
    assert_eq!(keys, ["A", "B"]);
    sandbox
        .admin_post("orders", r#"{"reference":"D","amount":"5","payment":"cash"}"#)
        .expect_error(400, "payment", "pending");
}

#[test]
fn a_saved_card_is_charged_without_its_holder() {
    let sandbox = Sandbox::start(&[]);
    let customer = r#""customer":{"email":"ada@example.com"}"#;
    let order = |reference: &str| format!(r#""order":{{"reference":"{reference}","amount":5}},{customer}"#);
    let both = card("A", "4111111111111111").replacen('{', &format!("{{{},", order("A")), 1);
    let save = || {
        let headers = [("api-key", sandbox.secret.as_str()), crate::common::JSON];
        sandbox.send("POST", "/payment/order/save-card", &headers, &sandbox.encrypt(r#"{"reference":"A"}"#))
    };
    save().expect_error(404, "reference", "Order not found");
    sandbox.post(CREATE, &both).expect(200);
    let saved = save().expect(200).json();
    assert_eq!((&saved["status"], &saved["statusCode"]), (&json!("Successful"), &json!("00")));
    let token = saved["data"]["cardToken"].as_str().unwrap();
    assert_eq!(save().expect(200).json()["data"]["cardToken"], *token);
    assert_eq!(sandbox.effects("card_saved").len(), 1);
    assert_eq!(sandbox.effects("card_saved")[0]["key"], "A");
    let listed = sandbox.post(CREATE, &format!("{{{}}}", order("LIST"))).expect(200).json();
    assert_eq!(listed["data"]["savedCards"], json!([{"cardToken": token, "cardNumber": "************1111"}]));

    let charge = |reference: &str, token: &str| {
        sandbox.post_secret(CHARGE, &format!(r#"{{{},"authorization":{{"cardToken":"{token}"}}}}"#, order(reference)))
    };
    let paid = charge("B", token).expect(200).json();
    assert_eq!((&paid["statusCode"], &paid["data"]["orderPayment"]["statusId"]), (&json!("00"), &json!(5)));
    charge("B", token).expect_error(400, "reference", "already paid");
    charge("C", "none").expect_error(404, "authorization.cardToken", "Saved card not found");
    sandbox.post_secret(CHARGE, r#"{"order":{"reference":"C","amount":5}}"#).expect(400);
    sandbox.admin_post("cards", r#"{"cardToken":"poor","cardnumber":"4000000000000002"}"#).expect(200);
    assert_eq!(charge("C", "poor").expect(200).json()["status"], "failed");
    assert_eq!(sandbox.effects("charge_made").len(), 2);
}

#[test]
fn the_page_of_the_hosted_checkout_pays_the_order() {
    let sandbox = Sandbox::start(&[]);
    let payload = r#"{"order":{"reference":"A","amount":"5"},"payment":{"RedirectUrl":"https://shop.example/done"}}"#;
    let created = sandbox.post("/payment/create", payload).expect(200);
    assert!(created.is_assumed());
    let created = created.json();
    let url = created["redirectUrl"].as_str().unwrap();
    assert_eq!(
        created,
        json!({"isSuccess": true, "redirectUrl": url, "orderId": 5001,
            "message": "Order created successfully, please proceed to url"})
    );
    sandbox.post("/payment/create", payload).expect_error(400, "reference", "already exists");
    let path = url.strip_prefix(sandbox.start["base_url"].as_str().unwrap()).unwrap();
    let page = sandbox.send("GET", path, &[], "").expect(200);
    assert!(page.header("content-type").unwrap().starts_with("text/html"));
    assert!(page.text.contains("5.00 NGN") && page.text.contains("Initiated"), "{}", page.text);

    let declined = sandbox.send("POST", &format!("{path}/decline"), &[], "").expect(200).json();
    assert_eq!((&declined["reference"], &declined["status"]), (&json!("A"), &json!("Failed")));
    assert_eq!(sandbox.status("A").json()["data"]["orderPayments"][0]["statusId"], 4);
    // A browser goes on to the merchant's page.
    let browser =
        [("accept", "text/html,application/xhtml+xml"), ("content-type", "application/x-www-form-urlencoded")];
    let paid = sandbox.send("POST", &format!("{path}/pay"), &browser, "").expect(303);
    assert_eq!(paid.header("location"), Some("https://shop.example/done?reference=A&status=successful"));
    assert_eq!(sandbox.status("A").json()["status"], "Successful");
    sandbox.send("POST", &format!("{path}/pay"), &[], "").expect_error(400, "reference", "already paid");
    assert_eq!(sandbox.effects("charge_made").len(), 1);
    sandbox.send("GET", "/sandbox/checkout/1", &[], "").expect_error(404, "reference", "Order not found");
}

#[test]
fn the_steps_move_money_again_where_nothing_prevents_it() {
    let sandbox = Sandbox::start(&["--pay-twice"]);
    let reference = reference_of(&sandbox.charge_card("AUTHORIZED", "4000002500003155").expect(200).json());
    charge(&sandbox, "CAPTURED", r#""authOption":"PREAUTH""#);
    sandbox.admin_post("cards", r#"{"cardToken":"tok"}"#).expect(200);
    for _ in 0..2 {
        sandbox.post(AUTHORIZE, &json!({"orderPaymentReference": reference, "otp": "000000"}).to_string()).expect(200);
        sandbox.post_secret(CAPTURE, r#"{"reference":"CAPTURED","Amount":"100"}"#).expect(200);
        let token = r#"{"order":{"reference":"TOKEN","amount":5},"authorization":{"cardToken":"tok"}}"#;
        sandbox.post_secret(CHARGE, token).expect(200);
    }
    let found = sandbox.admin("duplicates")["duplicates"].as_array().unwrap().clone();
    let found: Vec<_> = found.iter().map(|one| json!([one["key"], one["count"]])).collect();
    assert_eq!(found, [json!(["AUTHORIZED", 2]), json!(["CAPTURED", 2]), json!(["TOKEN", 2])]);
}
