//! Facts that public clients of the service rely on, where no other test has them: one test for each.

use crate::common::{Answer, Sandbox, card};
use serde_json::{Value, json};

const CREATE: &str = "/payment/order/create";
const PAY: &str = "/payment/order/pay";

fn order(sandbox: &Sandbox, reference: &str) {
    let payload = format!(r#"{{"order":{{"reference":"{reference}","amount":5}}}}"#);
    sandbox.post(CREATE, &payload).expect(200);
}

fn pay(sandbox: &Sandbox, option: &str, reference: &str, more: &str) -> Answer {
    sandbox.post(PAY, &format!(r#"{{"paymentOption":"{option}","reference":"{reference}"{more}}}"#))
}

#[test]
fn banks_are_listed_for_bank_transfers_with_and_without_the_dash() {
    let sandbox = Sandbox::start(&[]);
    let codes = |method: &str| {
        let banks = sandbox.get(&format!("/payment/banks?paymentmethod={method}")).expect(200).json();
        banks["data"].as_array().unwrap().iter().map(|bank| bank["bankCode"].clone()).collect::<Vec<_>>()
    };
    assert_eq!((codes("banktransfer"), codes("bank-transfer").len()), (codes("bank-transfer"), 3));
    assert_eq!(codes("ussd").len(), 2);
    sandbox.get("/payment/banks?paymentmethod=transfer").expect_error(400, "paymentmethod", "one of C,");
}

#[test]
fn bank_codes_are_not_checked_against_the_list() {
    let sandbox = Sandbox::start(&[]);
    order(&sandbox, "A");
    pay(&sandbox, "bank-transfer", "A", r#","BankTransfer":{"bankcode":"000017"}"#).expect(200);
    let notes = sandbox.requests().last().unwrap()["notes"].clone();
    assert!(notes[0].as_str().unwrap().starts_with("BankTransfer.bankcode is not a bankCode"), "{notes}");
}

#[test]
fn verify_says_how_what_and_where() {
    let sandbox = Sandbox::start(&[]);
    let payload = r#"{"order":{"reference":"A","amount":5,"currency":"USD"},"customer":{"country":"KE"}}"#;
    sandbox.post(CREATE, payload).expect(200);
    sandbox.charge_card("A", "4111111111111111").expect(200);
    let data = sandbox.verify("A").json()["data"].clone();
    let members = ["paymentMethod", "productName", "currencyId", "currencyName"].map(|name| data[name].clone());
    assert_eq!(json!(members), json!(["Card Payment", "Collection", 6, "USD"]));
    assert_eq!(data["orderPayments"][0]["paymentOptionId"], 2);
    assert_eq!(data["customer"]["countryShortName"], "KE");
    let card =
        json!({"maskedPan": "************1111", "last4": "1111", "issuer": "Sandbox Bank", "countryShortName": "NG"});
    assert_eq!(data["cardDetails"], json!([card]));
}

#[test]
fn a_merchant_has_the_currencies_that_it_names() {
    let sandbox = Sandbox::start_strict(&["--currencies", "NGN,eur"]);
    let state = sandbox.admin("state");
    assert_eq!((&state["currencies"], &state["any_reference"]), (&json!(["NGN", "EUR"]), &json!(false)));
    for currency in ["EUR", "USD"] {
        let payload = format!(r#"{{"order":{{"reference":"{currency}","amount":5,"currency":"{currency}"}}}}"#);
        sandbox.post(CREATE, &payload).expect(200);
    }
    sandbox.charge_card("USD", "4111111111111111").expect_error(400, "paymentOption", "not offered in USD");
    sandbox.charge_card("EUR", "4111111111111111").expect(200);
}

#[test]
fn pay_refuses_a_reference_that_nothing_has_named() {
    let sandbox = Sandbox::start_strict(&[]);
    let by_card = |reference: &str| sandbox.post(PAY, &card(reference, "4111111111111111"));
    let mandate = sandbox.mandate("0690000031");
    by_card("NEW").expect_error(404, "reference", "Order not found at the moment.");
    // Nobody has named a price.
    sandbox.charge_card("NEW", "4111111111111111").expect_error(404, "reference", "Order not found at the moment.");
    pay(&sandbox, "bank-transfer", "NEW", r#","BankTransfer":{}"#).expect_error(404, "reference", "Order not found");
    pay(&sandbox, "USSD", "NEW", "").expect_error(404, "reference", "Order not found");
    sandbox.pay("NEW", &mandate, "000000").expect_error(404, "reference", "Order not found");
    assert!(sandbox.effects("order_created").is_empty());
    // An order, the order of a mandate, and a reference that names a fault.
    order(&sandbox, "CREATED");
    sandbox.admin_post("orders", r#"{"reference":"MADE","amount":"5"}"#).expect(200);
    by_card("CREATED").expect(200);
    sandbox.charge_card("MADE", "4111111111111111").expect(200);
    by_card("sbx-unknown_fields-1").expect(200);
    sandbox.pay("M-0690000031", &mandate, "000000").expect(200);
    assert_eq!(sandbox.effects("charge_made").len(), 4);

    let any = Sandbox::start(&[]);
    assert_eq!(any.admin("state")["any_reference"], true);
    any.post(PAY, &card("NEW", "4111111111111111")).expect(200);
}

#[test]
fn webhooks_have_the_forms_that_receivers_read() {
    let body = |form: &str, number: &str| {
        let sandbox = Sandbox::start(&["--webhook-form", form]);
        sandbox.charge_card("A", number).expect(200);
        let delivery = sandbox.admin("webhooks")["deliveries"][0].clone();
        assert_eq!(delivery["form"], form);
        serde_json::from_str::<Value>(delivery["body"].as_str().unwrap()).unwrap()
    };
    let paid = body("envelope", "4111111111111111");
    assert_eq!((&paid["Status"], &paid["StatusCode"]), (&json!("Successful"), &json!("00")));
    assert_eq!((&paid["Data"]["OrderReference"], &paid["Data"]["StatusId"]), (&json!("A"), &json!(5)));
    let failed = body("status", "4000000000000002");
    assert_eq!((&failed["status"], &failed["data"]["statusId"]), (&json!("failed"), &json!(4)));
}

#[test]
fn fees_are_whole_and_a_flat_20_for_transfers() {
    let paid = |fee: &[&str], option: &str, price: &str| {
        let sandbox = Sandbox::start(fee);
        let payload = format!(r#"{{"order":{{"reference":"A","amount":{price}}}}}"#);
        sandbox.post(CREATE, &payload).expect(200);
        let answer = match option {
            "C" => sandbox.charge_card("A", "4111111111111111").expect(200),
            option => pay(&sandbox, option, "A", r#","BankTransfer":{}"#).expect(200),
        };
        let payment = answer.json()["data"]["orderPayment"].clone();
        let question = format!(r#"{{"amount":{price},"paymentoption":"{option}"}}"#);
        let asked = sandbox.post("/payment/order/fee", &question).expect(200).json()["data"].clone();
        let [fee, total] = ["fee", "totalAmount"].map(|name| payment[name].as_f64());
        assert_eq!((asked["fee"].as_f64(), asked["total"].as_f64()), (fee, total));
        assert_eq!(sandbox.verify("A").json()["data"]["totalChargedAmount"].as_f64(), total);
        // As integers: two official models read no other number.
        (payment["fee"].as_u64(), payment["totalAmount"].as_u64())
    };
    assert_eq!(paid(&[], "bank-transfer", "600"), (Some(20), Some(620)));
    assert_eq!(paid(&["--fee", "6%"], "C", "100"), (Some(6), Some(106)));
    assert!(crate::common::refusal(&["--fee", "x"]).contains("a fee such as 1.5% or 20"));
}

#[test]
fn the_public_key_verifies_an_order_and_the_log_says_so() {
    let sandbox = Sandbox::start(&[]);
    order(&sandbox, "A");
    let verify = |key: &str| {
        let headers = [("api-key", key), crate::common::JSON];
        sandbox.send("POST", "/payment/order/verify", &headers, r#"{"reference":"A"}"#).expect(200);
        sandbox.requests().last().unwrap()["notes"].to_string()
    };
    assert!(verify(&sandbox.public).contains("api-key: the public key; the secret key is documented"));
    assert_eq!(verify(&sandbox.secret), "[]");
}
