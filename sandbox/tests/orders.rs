//! Orders, cards and refunds; the payment options, and what becomes of payments that are not complete at once; virtual
//! accounts.

use crate::common::{Answer, JSON, Sandbox, card, pick};
use serde_json::{Value, json};

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
        assert_eq!(pick(&failed, "status statusCode message"), json!(["failed", code, message]));
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
    let refused = sandbox.post(CREATE, r#"{"order":{"amount":"1.005","reference":"A"}}"#);
    refused.expect_error(400, "order.amount", "more than two decimals");
    let refused = sandbox.post(CREATE, r#"{"order":{"amount":0,"reference":"A"}}"#);
    refused.expect_error(400, "order.amount", "more than zero");
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

fn refunded(sandbox: &Sandbox) -> Value {
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
    assert_eq!(refunded(&sandbox), json!(["Successful", 5, true]));
    assert_eq!(sandbox.effects("refund_made").len(), 1, "the money is on its way");
    let done = sandbox.admin_post("refunds/A/complete", "").expect(200).json();
    assert_eq!((&done["status"], &done["refunds"][0]["status"]), (&json!("Reversed"), &json!("completed")));
    assert_eq!(refunded(&sandbox), json!(["Reversed", 6, true]));
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
    let refused = pay(&sandbox, "USSD", "A", r#","amount":"25.50""#);
    refused.expect_error(400, "amount", "order.amount of POST /payment/order");
    let refused = sandbox.post_secret("/payment/order/refund", r#"{"reference":"A","order":{"amount":"5"}}"#);
    refused.expect_error(400, "order.amount", "read at amount");
    assert_eq!(sandbox.admin("ledger")["ledger"], json!([]));
}

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

const GENERATE: &str = "/payment/virtual-account/generate";

fn account(sandbox: &Sandbox, payload: &str) -> Value {
    let answer = sandbox.post_marked(GENERATE, &sandbox.public, payload).expect(200);
    assert!(!answer.is_assumed());
    answer.json()
}

#[test]
fn one_account_per_alias() {
    let sandbox = Sandbox::start(&[]);
    let first = account(&sandbox, r#"{"Alias":"till-1","Narration":"Till","Reference":"shop-9"}"#);
    let number = first["accountNumber"].as_str().unwrap();
    assert_eq!(
        first,
        json!({"status": true, "message": "Virtual account generated successfully", "accountNumber": number,
            "accountName": "SANDBOX/till-1", "bank": "Sandbox Bank", "bankCode": "000999"})
    );
    assert_eq!(account(&sandbox, r#"{"alias":"till-1"}"#), first);
    assert_ne!(account(&sandbox, r#"{"Alias":"till-2"}"#)["accountNumber"], *number);
    assert_eq!(sandbox.effects("virtual_account_created").len(), 2);
    assert_eq!(sandbox.get("/payment/account-details?alias=till-1").expect(200).json()["accountNumber"], *number);
    sandbox.get("/payment/account-details?alias=x").expect_error(404, "alias", "Virtual account not found");
    sandbox.post_marked(GENERATE, &sandbox.public, "{}").expect_error(400, "Alias", "The Alias field is required.");

    let headers = [("api-key", sandbox.public.as_str()), JSON];
    let refused = sandbox.send("POST", GENERATE, &headers, &sandbox.encrypt(r#"{"Alias":"x"}"#));
    refused.expect_error(400, "encryption", "RSA");
}

#[test]
fn funding_and_its_details() {
    let sandbox = Sandbox::start(&[]);
    let number = account(&sandbox, r#"{"Alias":"till-1","Reference":"shop-9"}"#)["accountNumber"].clone();
    let funding = json!({"accountNumber": number, "amount": "1500.10", "senderName": "Ada"}).to_string();
    let session = sandbox.admin_post("fund", &funding).expect(200).json()["sessionId"].as_str().unwrap().to_string();
    assert!(session.len() == 30 && session.bytes().all(|byte| byte.is_ascii_digit()));

    let answer = sandbox.get(&format!("/payment/transaction-details/{session}")).expect(200);
    assert!(!answer.is_assumed());
    assert!(answer.text.contains(r#""totalAmountCharged":1500.10,"#), "{}", answer.text);
    let json = answer.json();
    assert_eq!((&json["status"], &json["code"]), (&json!(true), &json!("00")));
    let data = &json["data"];
    assert_eq!(pick(data, "statusId status statusCode"), json!([5, "Successful", "00"]));
    assert_eq!((&data["sessionId"], &data["sourceAccountName"]), (&json!(session), &json!("Ada")));
    assert_eq!((&data["accountReference"], &data["orderReference"]), (&json!("shop-9"), &Value::Null));
    let date = data["dateCreated"].as_str().unwrap();
    assert!(date.len() == 27 && date.as_bytes()[19] == b'.', "{date}");
    let refused = sandbox.get("/payment/transaction-details/5");
    refused.expect_error(404, "sessionId", "Transaction not found at the moment.");
    let unknown = r#"{"accountNumber":"1","amount":"1","senderName":"Ada"}"#;
    sandbox.admin_post("fund", unknown).expect_error(404, "accountNumber", "Virtual account not found");
    sandbox.admin_post("fund", "{}").expect_error(400, "amount", "is required");
}
