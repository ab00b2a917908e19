//! The payment options, and what becomes of payments that are not complete at once.

use crate::common::{Answer, Sandbox};
use serde_json::{Value, json};

const PAY: &str = "/payment/order/pay";

fn pay(sandbox: &Sandbox, option: &str, reference: &str, more: &str) -> Answer {
    sandbox.post(PAY, &format!(r#"{{"paymentOption":"{option}","reference":"{reference}"{more}}}"#))
}

/// Status word, `isFinalStatus` and `requeryNeeded`.
fn status(sandbox: &Sandbox, reference: &str) -> Value {
    let status = sandbox.status(reference).expect(200).json();
    json!([status["status"], status["data"]["isFinalStatus"], status["data"]["requeryNeeded"]])
}

#[test]
fn a_transfer_to_the_temporary_account_pays_the_order() {
    let sandbox = Sandbox::start(&[]);
    sandbox.admin_post("orders", r#"{"reference":"A","amount":"600"}"#).expect(200);
    let answer = pay(&sandbox, "bank-transfer", "A", r#","country":"NG","BankTransfer":{}"#).expect(200);
    assert!(answer.is_assumed());
    let answer = answer.json();
    assert_eq!((&answer["status"], &answer["statusCode"]), (&json!("success"), &json!("02")));
    let data = &answer["data"];
    let account = data["bankTransferDetails"]["bankAccount"].as_str().unwrap();
    assert_eq!(data["bankTransferDetails"]["bankName"], "Sandbox Bank");
    assert_eq!(data["paymentDetail"]["recipientAccount"], *account);
    assert_eq!((&data["orderPayment"]["statusId"], &data["orderPayment"]["totalAmount"]), (&json!(2), &json!(620)));
    assert_eq!(status(&sandbox, "A"), json!(["Pending", false, true]));
    assert!(sandbox.effects("charge_made").is_empty());

    let fund = |amount: &str| {
        let funding = json!({"accountNumber": account, "amount": amount, "senderName": "Ada"});
        sandbox.admin_post("fund", &funding.to_string())
    };
    fund("600").expect_error(400, "amount", "exactly 620.00 NGN");
    let funded = fund("620").expect(200).json();
    assert_eq!((&funded["reference"], &funded["status"]), (&json!("A"), &json!("Successful")));
    assert_eq!(status(&sandbox, "A"), json!(["Successful", true, false]));
    fund("620").expect_error(400, "accountNumber", "no longer takes transfers");
    let charges = sandbox.effects("charge_made");
    assert_eq!((charges.len(), &charges[0]["key"], &charges[0]["amount"]), (1, &json!("A"), &json!("600.00")));

    // Another code for it.
    pay(&sandbox, "BT", "B", r#","BankTransfer":{"bankcode":"000014"}"#).expect(200);
    pay(&sandbox, "BT", "C", r#","BankTransfer":"000014""#).expect_error(400, "BankTransfer", "must be an object");
    pay(&sandbox, "Bank-Transfer", "C", "").expect(200);
    let notes = sandbox.requests().last().unwrap()["notes"].clone();
    assert_eq!(notes, json!(["BankTransfer is absent; known integrations send it, even if only as {}"]));
}

#[test]
fn other_options_are_pending_until_somebody_ends_them() {
    let sandbox = Sandbox::start(&[]);
    let ends = [("confirm", "Successful"), ("decline", "Failed"), ("expire", "Failed")];
    for (index, option) in ["Opay", "momo", "USSD", "nqr", "BA"].into_iter().enumerate() {
        let (how, then) = ends[index % ends.len()];
        let answer = pay(&sandbox, option, option, r#","country":"NG""#).expect(200).json();
        assert_eq!((&answer["status"], &answer["statusCode"]), (&json!("success"), &json!("02")), "{option}");
        let data = &answer["data"];
        assert_eq!(data["orderPayment"]["statusId"], 2, "{option}");
        assert_eq!(data["paymentDetail"]["redirectUrl"].is_string(), option == "Opay", "{option}");
        assert_eq!(status(&sandbox, option), json!(["Pending", false, true]), "{option}");
        let reference = data["paymentDetail"]["paymentReference"].as_str().unwrap();
        let ended = sandbox.admin_post(&format!("payments/{reference}/{how}"), "").expect(200).json();
        assert_eq!((&ended["reference"], &ended["status"]), (&json!(option), &json!(then)));
        assert_eq!(status(&sandbox, option), json!([then, true, false]), "{option}");
        sandbox.admin_post(&format!("payments/{reference}/{how}"), "").expect_error(400, "paymentReference", "await");
    }
    assert_eq!(sandbox.effects("charge_made").len(), 2, "Opay and NQR");
    pay(&sandbox, "momo", "", "").expect_error(400, "reference", "is required");
    pay(&sandbox, "momo", "X", r#","country":"Ghana""#).expect_error(400, "country", "two-letter");
    pay(&sandbox, "Opay", "Opay", "").expect_error(400, "reference", "already paid");
}

#[test]
fn an_unknown_option_is_refused_with_all_options() {
    let sandbox = Sandbox::start(&[]);
    pay(&sandbox, "cash", "A", "").expect_error(400, "paymentOption", "one of C, BANK-TRANSFER, BT, NDD, OPAY,");
    pay(&sandbox, "", "A", "").expect_error(400, "paymentOption", "is required");
    let answer = pay(&sandbox, "c", "A", "").expect(400).json();
    let names: Vec<_> = answer["errors"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(names, ["card", "card.cardnumber", "card.cvv", "card.expirymonth", "card.expiryyear"]);
    pay(&sandbox, "Ndd", "A", "").expect_error(400, "directDebitPaymentRequest.otp", "is required");
    assert_eq!(sandbox.admin("ledger")["ledger"], json!([]));
}

#[test]
fn currencies_decide_what_is_offered() {
    let sandbox = Sandbox::start(&[]);
    let create = |reference: &str, currency: &str| {
        let payload = format!(r#"{{"order":{{"reference":"{reference}","amount":5,"currency":"{currency}"}}}}"#);
        sandbox.post("/payment/order/create", &payload)
    };
    let offered = |reference: &str, currency: &str| {
        let created = create(reference, currency).expect(200).json();
        let options = created["data"]["otherPaymentOptions"].as_array().unwrap().clone();
        options.iter().map(|option| option["code"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(offered("N", "NGN"), ["C", "BANK-TRANSFER", "NDD", "OPAY", "MOMO", "USSD", "NQR", "BA"]);
    assert_eq!((offered("U", "usd"), offered("G", "GHS")), (vec!["C".into()], vec!["C".into(), "MOMO".into()]));
    assert!(offered("E", "EUR").is_empty());
    create("X", "Naira").expect_error(400, "order.currency", "such as NGN");
    pay(&sandbox, "USSD", "U", "").expect_error(400, "paymentOption", "USSD is not offered in USD");
    pay(&sandbox, "momo", "E", "").expect_error(400, "paymentOption", "MOMO is not offered in EUR");
    pay(&sandbox, "momo", "G", "").expect(200);
    let status = sandbox.status("G").expect(200).json();
    assert_eq!(status["data"]["orderSummary"]["currencyId"], 3);

    // A card with an order: what cannot be charged is not created.
    let both = r#"{"order":{"reference":"B","amount":5,"currency":"EUR"},"card":{"cardnumber":"4111111111111111","expirymonth":"01","expiryyear":"39","cvv":"193"}}"#;
    sandbox.post("/payment/order/create", both).expect_error(400, "paymentOption", "C is not offered in EUR");
    sandbox.status("B").expect(404);
    let fee = |payload: &str| sandbox.post("/payment/order/fee", payload);
    fee(r#"{"amount":"5","currency":"EUR"}"#).expect_error(400, "paymentOption", "not offered in EUR");
    fee(r#"{"amount":"5","paymentoption":"cash"}"#).expect_error(400, "paymentoption", "one of C,");
    fee(r#"{"amount":"5","currency":"NGN","paymentoption":"bt"}"#).expect(200);
}

#[test]
fn an_amount_that_nothing_reads_is_refused_with_the_place_that_is_read() {
    let sandbox = Sandbox::start(&[]);
    let by_card = crate::common::card("A", "4111111111111111").replacen('{', r#"{"amount":"25.50","#, 1);
    sandbox.post("/payment/order/create", &by_card).expect_error(400, "amount", "read at order.amount");
    pay(&sandbox, "USSD", "A", r#","amount":"25.50""#).expect_error(
        400,
        "amount",
        "order.amount of POST /payment/order",
    );
    sandbox.post_secret("/payment/order/refund", r#"{"reference":"A","order":{"amount":"5"}}"#).expect_error(
        400,
        "order.amount",
        "read at amount",
    );
    assert_eq!(sandbox.admin("ledger")["ledger"], json!([]));
}
