//! Virtual accounts and funding.

use crate::common::{JSON, Sandbox};
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
    assert_eq!(
        (&data["statusId"], &data["status"], &data["statusCode"]),
        (&json!(5), &json!("Successful"), &json!("00"))
    );
    assert_eq!((&data["sessionId"], &data["sourceAccountName"]), (&json!(session), &json!("Ada")));
    assert_eq!((&data["accountReference"], &data["orderReference"]), (&json!("shop-9"), &Value::Null));
    let date = data["dateCreated"].as_str().unwrap();
    assert!(date.len() == 27 && date.as_bytes()[19] == b'.', "{date}");
    sandbox.get("/payment/transaction-details/5").expect_error(
        404,
        "sessionId",
        "Transaction not found at the moment.",
    );
    let unknown = r#"{"accountNumber":"1","amount":"1","senderName":"Ada"}"#;
    sandbox.admin_post("fund", unknown).expect_error(404, "accountNumber", "Virtual account not found");
    sandbox.admin_post("fund", "{}").expect_error(400, "amount", "is required");
}
