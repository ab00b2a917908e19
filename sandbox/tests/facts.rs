//! What public clients of the service rely on: one test for each fact.

use crate::common::{Answer, Sandbox, card};
use serde_json::{Value, json};

const CREATE: &str = "/payment/order/create";
const PAY: &str = "/payment/order/pay";
const DOCUMENTED_CARD: &str = "5123450000784608";

fn order(sandbox: &Sandbox, reference: &str) {
    let payload = format!(r#"{{"order":{{"reference":"{reference}","amount":5}}}}"#);
    sandbox.post(CREATE, &payload).expect(200);
}

fn pay(sandbox: &Sandbox, option: &str, reference: &str, more: &str) -> Answer {
    sandbox.post(PAY, &format!(r#"{{"paymentOption":"{option}","reference":"{reference}"{more}}}"#))
}

fn verified(sandbox: &Sandbox, reference: &str) -> Value {
    let payload = format!(r#"{{"reference":"{reference}"}}"#);
    sandbox.post_secret("/payment/order/verify", &payload).expect(200).json()["data"].clone()
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
    for code in ["000017", "null"] {
        order(&sandbox, code);
        let transfer = format!(r#","BankTransfer":{{"bankcode":"{code}"}}"#);
        pay(&sandbox, "bank-transfer", code, &transfer).expect(200);
        let notes = sandbox.requests().last().unwrap()["notes"].clone();
        assert!(notes[0].as_str().unwrap().starts_with("BankTransfer.bankcode is not a bankCode"), "{notes}");
    }
}

#[test]
fn the_card_of_the_documentation_redirects_and_another_pays_at_once() {
    let sandbox = Sandbox::start(&[]);
    let answer = sandbox.charge_card("A", DOCUMENTED_CARD).expect(200).json();
    assert_eq!((&answer["status"], &answer["statusCode"]), (&json!("success"), &json!("02")));
    let url = answer["data"]["paymentDetail"]["redirectUrl"].as_str().unwrap();
    assert!(sandbox.effects("charge_made").is_empty());
    let path = url.strip_prefix(sandbox.start["base_url"].as_str().unwrap()).unwrap();
    assert_eq!(sandbox.send("GET", path, &[], "").expect(200).json()["status"], "Successful");
    // By pay too, where the holder's code comes from the merchant.
    order(&sandbox, "B");
    let answer = sandbox.post(PAY, &card("B", DOCUMENTED_CARD)).expect(200).json();
    let payment = &answer["data"]["orderPayment"];
    assert_eq!(payment["statusId"], 2);
    let code = json!({"orderPaymentReference": payment["orderPaymentReference"], "otp": "000000"}).to_string();
    let answer = sandbox.post("/payment/order/pay/authorize", &code).expect(200).json();
    assert_eq!(answer["data"]["orderPayment"]["statusId"], 5);
    for number in ["4111111111111111", "5399413078825962"] {
        let answer = sandbox.charge_card(number, number).expect(200).json();
        assert_eq!(answer["data"]["orderPayment"]["statusId"], 5, "{number}");
    }
    assert_eq!(sandbox.effects("charge_made").len(), 4);
}

#[test]
fn verify_says_how_what_and_where() {
    let sandbox = Sandbox::start(&[]);
    let payload = r#"{"order":{"reference":"A","amount":5,"currency":"USD"},"customer":{"country":"KE"}}"#;
    sandbox.post(CREATE, payload).expect(200);
    sandbox.charge_card("A", "4111111111111111").expect(200);
    let data = verified(&sandbox, "A");
    let members = ["paymentMethod", "productName", "currencyId", "currencyName"].map(|name| data[name].clone());
    assert_eq!(json!(members), json!(["Card Payment", "Collection", 6, "USD"]));
    assert_eq!(data["orderPayments"][0]["paymentOptionId"], 2);
    assert_eq!(data["customer"]["countryShortName"], "KE");
    let card =
        json!({"maskedPan": "************1111", "last4": "1111", "issuer": "Sandbox Bank", "countryShortName": "NG"});
    assert_eq!(data["cardDetails"], json!([card]));
}

#[test]
fn a_merchant_has_the_currencies_that_clients_use_or_those_it_names() {
    let offered = |sandbox: &Sandbox, currency: &str| {
        let payload = format!(r#"{{"order":{{"reference":"{currency}","amount":5,"currency":"{currency}"}}}}"#);
        let created = sandbox.post(CREATE, &payload).expect(200).json();
        let options = created["data"]["otherPaymentOptions"].as_array().unwrap().clone();
        options.iter().map(|option| option["code"].as_str().unwrap().to_string()).collect::<Vec<_>>().join(" ")
    };
    let sandbox = Sandbox::start(&[]);
    for currency in ["GHS", "KES", "CDF", "UGX", "TZS", "RWF", "XAF", "XOF", "ZMW"] {
        assert_eq!(offered(&sandbox, currency), "C MOMO", "{currency}");
    }
    assert_eq!(
        (offered(&sandbox, "USD"), offered(&sandbox, "ZAR"), offered(&sandbox, "EUR")),
        ("C".into(), "C".into(), "".into())
    );
    pay(&sandbox, "momo", "ZMW", "").expect(200);
    sandbox.charge_card("CDF", "4111111111111111").expect(200);

    let few = Sandbox::start_strict(&["--currencies", "NGN,eur"]);
    let state = few.admin("state");
    assert_eq!((&state["currencies"], &state["any_reference"]), (&json!(["NGN", "EUR"]), &json!(false)));
    assert_eq!((offered(&few, "EUR"), offered(&few, "USD")), ("C".into(), "".into()));
    few.charge_card("USD", "4111111111111111").expect_error(400, "paymentOption", "not offered in USD");
    few.charge_card("EUR", "4111111111111111").expect(200);
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
fn an_error_of_decryption_says_decrypt_your_payload() {
    let (sandbox, other) = (Sandbox::start(&[]), Sandbox::start_with(&["--seed", "2", "--key-bits", "2048"]));
    let body = other.encrypt(r#"{"reference":"A"}"#);
    let headers = [("api-key", sandbox.public.as_str()), crate::common::JSON];
    let answer = sandbox.send("POST", "/payment/order/status", &headers, &body).expect(400).json();
    assert!(answer["message"].as_str().unwrap().contains("decrypt your payload"), "{answer}");
}

#[test]
fn an_incomplete_order_says_what_is_missing() {
    let sandbox = Sandbox::start(&[]);
    for (payload, missing) in [
        ("{}", json!(["order.amount", "order.reference"])),
        (r#"{"customer":{"firstname":"Ada"}}"#, json!(["order.amount", "order.reference"])),
        (r#"{"order":{"reference":"A"}}"#, json!(["order.amount"])),
        (r#"{"paymentoption":"C","reference":"A"}"#, json!(["card"])),
    ] {
        let answer = sandbox.post(CREATE, payload).expect(400).json();
        let names: Vec<_> = answer["errors"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(json!(names), missing, "{answer}");
    }
}

#[test]
fn a_refund_that_failed_sends_an_event() {
    let sandbox = Sandbox::start(&["--settle-ms", "3600000"]);
    sandbox.charge_card("A", "4111111111111111").expect(200);
    sandbox.post_secret("/payment/order/refund", r#"{"reference":"A"}"#).expect(200);
    sandbox.admin_post("refunds/A/fail", "").expect(200);
    let sent = sandbox.admin("webhooks")["deliveries"].as_array().unwrap().clone();
    let events: Vec<_> = sent.iter().map(|delivery| json!([delivery["event"], delivery["key"]])).collect();
    assert_eq!(events, [json!(["payment", "A"]), json!(["refund", "A"])]);
    let body: Value = serde_json::from_str(sent[1]["body"].as_str().unwrap()).unwrap();
    assert_eq!(body["data"]["statusId"], 5, "the order stays paid");
}

#[test]
fn a_member_tells_that_a_mandate_is_active() {
    let sandbox = Sandbox::start(&["--activation", "manual"]);
    let mandate = sandbox.mandate("0690000031");
    let status = || {
        let path = format!("/payment/order/direct-debit/status?mandateCode={mandate}");
        sandbox.get(&path).expect(200).json()["data"]["isActive"].clone()
    };
    assert_eq!(status(), false);
    sandbox.admin_post(&format!("mandates/{mandate}/activate"), "").expect(200);
    assert_eq!(status(), true);
}

/// The documentation of the endpoint asks for the header, although one client in production works without it.
#[test]
fn a_virtual_account_needs_the_header() {
    let sandbox = Sandbox::start(&[]);
    let generate = "/payment/virtual-account/generate";
    sandbox.post(generate, r#"{"Alias":"till"}"#).expect_error(400, "encryption", "is required");
    sandbox.post_marked(generate, &sandbox.public, r#"{"Alias":"till"}"#).expect(200);
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
    let default = Sandbox::start(&[]);
    default.charge_card("A", "4111111111111111").expect(200);
    assert_eq!(default.admin("webhooks")["deliveries"][0]["form"], "status");
    let paid = body("status", "4111111111111111");
    assert_eq!((&paid["status"], &paid["data"]["orderReference"]), (&json!("success"), &json!("A")));
    let failed = body("status", "4000000000000002");
    assert_eq!((&failed["status"], &failed["data"]["statusId"]), (&json!("failed"), &json!(4)));
}

#[test]
fn order_create_answers_with_all_known_members() {
    let sandbox = Sandbox::start(&[]);
    let payload = r#"{"order":{"reference":"A","amount":5,"currency":"USD","description":"Two books"}}"#;
    let data = sandbox.post(CREATE, payload).expect(200).json()["data"].clone();
    let items = json!([{"name": "Two books", "amount": 5.0}]);
    assert_eq!(
        data["subsidiaryOrderSummary"],
        json!({"totalAmount": 5.0, "reference": "A", "currency": "USD", "orderName": "Two books", "orderItems": items})
    );
    let names = ["id", "ns", "isDiscounted", "oldAmount", "newAmount", "discountAmount", "mandateCode"];
    assert!(names.iter().all(|name| data.get(name).is_some()), "{data}");
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
        assert_eq!(verified(&sandbox, "A")["totalChargedAmount"].as_f64(), total);
        // As integers: two official models read no other number.
        (payment["fee"].as_u64(), payment["totalAmount"].as_u64())
    };
    assert_eq!(paid(&[], "bank-transfer", "600"), (Some(20), Some(620)));
    assert_eq!(paid(&["--fee", "6%"], "bank-transfer", "500"), (Some(20), Some(520)));
    assert_eq!(paid(&[], "C", "100"), (Some(2), Some(102)));
    assert_eq!(paid(&["--fee", "6%"], "C", "100"), (Some(6), Some(106)));
    assert_eq!(paid(&["--fee", "0"], "C", "100"), (Some(0), Some(100)));
    let transfer = Sandbox::start(&[]);
    order(&transfer, "B");
    let answer = pay(&transfer, "bank-transfer", "B", r#","BankTransfer":{}"#).expect(200).json();
    let account = answer["data"]["bankTransferDetails"]["bankAccount"].as_str().unwrap();
    let fund = |amount: &str| {
        transfer.admin_post("fund", &format!(r#"{{"accountNumber":"{account}","amount":"{amount}","senderName":"A"}}"#))
    };
    fund("5").expect_error(400, "amount", "25.00");
    fund("25").expect(200);
    assert!(crate::common::refusal(&["--fee", "x"]).contains("a fee such as 1.5% or 20"));
}

#[test]
fn the_hosted_checkout_returns_with_reference_and_status() {
    let sandbox = Sandbox::start(&[]);
    for (act, status) in [("pay", "successful"), ("decline", "failed")] {
        let payload = format!(
            r#"{{"order":{{"reference":"R-{act}","amount":5}},"payment":{{"RedirectUrl":"https://shop.example/back?x=1"}}}}"#
        );
        let created = sandbox.post("/payment/create", &payload).expect(200).json();
        let target = format!("/sandbox/checkout/{}/{act}", created["orderId"]);
        let answer = sandbox.send("POST", &target, &[("accept", "text/html")], "").expect(303);
        let expected = format!("https://shop.example/back?x=1&reference=R-{act}&status={status}");
        assert_eq!(answer.header("location"), Some(expected.as_str()));
    }
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
