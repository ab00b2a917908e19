//! Virtual accounts, funding and webhooks.

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;

use common::{JSON, Sandbox};
use serde_json::{Value, json};

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
    sandbox.send("POST", GENERATE, &headers, &sandbox.encrypt(r#"{"Alias":"x"}"#)).expect_error(
        400,
        "encryption",
        "RSA",
    );
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
    // All documented members, in the documented order.
    let members = "statusCode status orderReference paymentReference productName totalAmountCharged statusId paymentMethod \
        paymentResponseCode paymentResponseMessage narration remarks currencyId currencyName fee feeRate subsidiaryFee customerFee \
        dateCreated dateUpdated datePaymentConfirmed sessionId sourceAccountName sourceAccountNumber orderPayments customer \
        cardDetails paymentLink bank accountReference";
    let mut at = 0;
    for member in members.split_whitespace() {
        assert!(data.get(member).is_some(), "{member} is missing");
        at += answer.text[at..].find(&format!(r#""{member}":"#)).unwrap_or_else(|| panic!("{member} is out of order"));
    }
    assert_eq!(data.as_object().unwrap().len(), members.split_whitespace().count());
    assert_eq!(
        (&data["statusId"], &data["status"], &data["statusCode"]),
        (&json!(5), &json!("Successful"), &json!("00"))
    );
    assert_eq!((&data["sessionId"], &data["sourceAccountName"]), (&json!(session), &json!("Ada")));
    assert_eq!((&data["accountReference"], &data["orderReference"]), (&json!("shop-9"), &Value::Null));
    let date = data["dateCreated"].as_str().unwrap();
    assert!(date.len() == 27 && date.as_bytes()[19] == b'.', "{date}");
    let payment = data["orderPayments"][0].as_object().unwrap();
    assert_eq!(payment.len(), 12);
    assert!(payment["orderId"].is_u64() && payment["orderPaymentInstrument"].is_string());

    sandbox.get("/payment/transaction-details/5").expect_error(
        404,
        "sessionId",
        "Transaction not found at the moment.",
    );
    let unknown = r#"{"accountNumber":"1","amount":"1","senderName":"Ada"}"#;
    sandbox.admin_post("fund", unknown).expect_error(404, "accountNumber", "Virtual account not found");
    sandbox.admin_post("fund", "{}").expect_error(400, "amount", "is required");
}

/// Receives one webhook call and answers 204.
fn receive(listener: &TcpListener) -> Value {
    let (stream, _) = listener.accept().unwrap();
    let mut reader = BufReader::new(stream);
    let (mut length, mut line) = (0, String::new());
    while reader.read_line(&mut line).unwrap() > 2 {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    reader.into_inner().write_all(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap();
    serde_json::from_slice(&body).unwrap()
}

#[test]
fn webhooks_are_sent_for_funding_and_final_payments() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let sandbox = Sandbox::start(&["--webhook", &url]);
    let number = account(&sandbox, r#"{"Alias":"till-1","Reference":"shop-9"}"#)["accountNumber"].clone();
    let funding = json!({"accountNumber": number, "amount": 25, "senderName": "Ada"}).to_string();
    let session = sandbox.admin_post("fund", &funding).expect(200).json()["sessionId"].clone();
    let received = receive(&listener);
    assert_eq!(received["data"]["sessionId"], session);
    assert_eq!(
        (&received["data"]["sourceAccountName"], &received["data"]["accountReference"]),
        (&json!("Ada"), &json!("shop-9"))
    );

    sandbox.charge_card("A", "4000000000000002").expect(200);
    let received = receive(&listener);
    assert_eq!((&received["data"]["orderReference"], &received["data"]["statusId"]), (&json!("A"), &json!(4)));
    // Events are delivered in order, so the first attempt is recorded by now.
    assert_eq!(
        sandbox.admin("state")["webhooks"][0],
        json!({"event": "funding", "key": session, "status": 204, "error": null})
    );
}
