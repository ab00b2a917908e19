//! Payouts: accepted, pending, paid or failed; what the ledger counts; faults of batches.

use crate::common::{JSON, Sandbox, pick};
use serde_json::{Value, json};

const INITIATE: &str = "/payout/initiate";

/// One payout of a batch: client reference, account and amount.
fn detail(reference: &str, account: &str, amount: &str) -> String {
    format!(
        r#"{{"clientReference":"{reference}","accountNumber":"{account}","bankCode":"000014","amount":{amount},"accountName":"Ada"}}"#
    )
}

fn payload(details: &[String]) -> String {
    format!(r#"{{"payoutDetails":[{}]}}"#, details.join(","))
}

fn initiate(sandbox: &Sandbox, details: &[String]) -> Value {
    sandbox.post_marked(INITIATE, &sandbox.secret, &payload(details)).expect(200).json()
}

/// Two payouts, which fit a small key without account names.
fn pair(sandbox: &Sandbox) -> Value {
    let short = |reference: &str, account: &str, amount: &str| {
        format!(
            r#"{{"clientReference":"{reference}","accountNumber":"{account}","bankCode":"000014","amount":{amount},"accountName":"A"}}"#
        )
    };
    initiate(sandbox, &[short("P1", "0690000031", "1"), short("P2", "0690000041", "2")])
}

fn statuses(sandbox: &Sandbox, batch: &Value) -> Vec<String> {
    let reference = batch["batchReference"].as_str().unwrap();
    let answer = sandbox.get_secret(&format!("/payout/{reference}/status")).expect(200).json();
    assert_eq!((&answer["batchReference"], &answer["statusCode"]), (&json!(reference), &json!("00")));
    let payouts = answer["data"].as_array().unwrap();
    payouts.iter().map(|payout| payout["status"].as_str().unwrap().to_string()).collect()
}

fn balance(sandbox: &Sandbox) -> String {
    sandbox.get_secret("/payout/balance-enquiry?currency=NGN").expect(200).text
}

fn start() -> Sandbox {
    Sandbox::start_with(&["--seed", "1"])
}

#[test]
fn a_payout_is_logged_and_paid_later() {
    let sandbox = start();
    let enquiry = r#"{"bankCode":"000014","accountNumber":"0690000031"}"#;
    let name = sandbox.post_marked("/payout/name-enquiry", &sandbox.public, enquiry).expect(200);
    assert!(name.is_assumed());
    assert_eq!(name.json()["accountName"], "Sandbox Account Holder");

    let details = [detail("P1", "0690000031", "12.30")];
    let batch = initiate(&sandbox, &details);
    let reference = batch["data"][0]["payoutReference"].as_str().unwrap();
    assert!(reference.starts_with("PGW-PAYOUT-"));
    assert_eq!(
        batch["data"],
        json!([{"accountName": "Ada", "accountNumber": "0690000031", "bankCode": "000014", "bankId": 14, "amount": 12.30,
            "description": null, "category": null, "payoutReference": reference, "creditCurrency": "NGN",
            "debitCurrency": "NGN", "beneficiayAddress": null}])
    );
    assert_eq!((&batch["status"], &batch["statusCode"]), (&json!("success"), &json!("00")));
    assert_eq!(batch["message"], "Your payout has been logged for processing");
    assert!(batch["batchReference"].as_str().unwrap().starts_with("PGW-BATCH-") && batch["batchId"].is_u64());

    assert_eq!(balance(&sandbox), r#"{"currency":"NGN","availableBalance":999987.70}"#);
    assert_eq!(statuses(&sandbox, &batch), ["Pending"]);
    assert_eq!(statuses(&sandbox, &batch), ["Successful"]);
    // The ledger has counted it when it was accepted.
    let made = sandbox.effects("payout_made");
    assert_eq!((made.len(), &made[0]["key"], &made[0]["reference"]), (1, &json!("P1"), &json!(reference)));

    sandbox.post_marked(INITIATE, &sandbox.secret, "{}").expect_error(400, "payoutDetails", "is required");
    let unknown = payload(&[detail("P2", "0690000031", "1"), detail("P3", "0690000003", "1")]);
    let refused = sandbox.post_marked(INITIATE, &sandbox.secret, &unknown);
    refused.expect_error(404, "payoutDetails.1.accountNumber", "Account not found");
    let missing = r#"{"payoutDetails":[{"accountNumber":"0690000031","bankCode":"000014","amount":1}]}"#;
    let refused = sandbox.post_marked(INITIATE, &sandbox.secret, missing);
    refused.expect_error(400, "payoutDetails.0.accountName", "is required");
    sandbox.get_secret("/payout/PGW-BATCH-0/status").expect_error(404, "batchReference", "not found");
    assert_eq!(sandbox.effects("payout_made").len(), 1);
}

#[test]
fn admin_calls_end_payouts() {
    let sandbox = start();
    let batch = pair(&sandbox);
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let (first, reference) = (text(&batch["data"][0]["payoutReference"]), text(&batch["batchReference"]));
    let failed = sandbox.admin_post(&format!("payouts/{first}/fail"), "").expect(200).json();
    assert_eq!(failed["payouts"].as_array().unwrap().len(), 1);
    assert_eq!(pick(&failed, "payouts/0/status payouts/0/clientReference"), json!(["Failed", "P1"]));
    sandbox.admin_post(&format!("payouts/{first}/complete"), "").expect_error(400, "reference", "pending");
    let paid = sandbox.admin_post(&format!("payouts/{reference}/complete"), "").expect(200).json();
    assert_eq!((paid["payouts"].as_array().unwrap().len(), &paid["payouts"][0]["clientReference"]), (1, &json!("P2")));
    assert_eq!(statuses(&sandbox, &batch), ["Failed", "Successful"]);
    let returned = sandbox.effects("payout_returned");
    assert_eq!((returned.len(), &returned[0]["key"], &returned[0]["amount"]), (1, &json!("P1"), &json!("1.00")));
    sandbox.admin_post("payouts/X/fail", "").expect_error(404, "reference", "Payout not found");

    let listed = |target: &str| sandbox.admin(target)["payouts"].as_array().unwrap().clone();
    assert_eq!(listed("payouts").len(), 2);
    let found = listed("payouts?clientReference=P2");
    assert_eq!((found.len(), &found[0]["batchReference"]), (1, &json!(reference)));

    // A failed payout may be paid again; a paid one may not.
    pair(&sandbox);
    let duplicates = sandbox.admin("duplicates")["duplicates"].as_array().unwrap().clone();
    assert_eq!((duplicates.len(), &duplicates[0]["key"]), (1, &json!("P2")));

    let made = payload(&[detail("P9", "0690000031", "1")]).replacen('{', r#"{"batchReference":"BATCH-9","#, 1);
    assert_eq!(sandbox.admin_post("payouts", &made).expect(200).json()["batchReference"], "BATCH-9");
    sandbox.get_secret("/payout/BATCH-9/status").expect(200);
    sandbox.admin_post("payouts", &made).expect_error(400, "batchReference", "already exists");
}

#[test]
fn either_key_and_no_header_are_accepted_and_noted() {
    let sandbox = start();
    let body = || sandbox.encrypt(&payload(&[detail("P1", "0690000031", "1")]));
    for key in [&sandbox.public, &sandbox.secret] {
        sandbox.send("POST", INITIATE, &[("api-key", key), JSON], &body()).expect(200);
        let marked = [("api-key", key.as_str()), JSON, ("encryption", "RSA")];
        sandbox.send("POST", INITIATE, &marked, &body()).expect(200);
    }
    sandbox.send("POST", INITIATE, &[JSON], &body()).expect(401);
    let notes: Vec<String> = sandbox.requests().iter().map(|request| request["notes"].to_string()).collect();
    for (index, words) in ["public", "public", "secret", "secret"].iter().enumerate() {
        let header = if index % 2 == 0 { "encryption header: not sent;" } else { "encryption header: sent;" };
        assert!(notes[index].contains(&format!("the {words} key")) && notes[index].contains(header), "{notes:?}");
    }
    assert_eq!(notes[4], "[]");
    // The name enquiry needs the header.
    let enquiry = sandbox.encrypt(r#"{"bankCode":"000014","accountNumber":"0690000031"}"#);
    let plain = sandbox.send("POST", "/payout/name-enquiry", &[("api-key", &sandbox.public), JSON], &enquiry);
    plain.expect_error(400, "encryption", "RSA");
}

#[test]
fn faults_of_batches() {
    let accounts = |batch: &Value| -> Vec<String> {
        let data = batch["data"].as_array().unwrap();
        data.iter()
            .map(|payout| format!("{} {}", payout["accountNumber"].as_str().unwrap(), payout["amount"]))
            .collect()
    };
    for (fault, expected, made) in [
        ("reorder_elements", &["0690000041 2.0", "0690000031 1.0"][..], 2),
        ("drop_element", &["0690000031 1.0"], 2),
        ("alter_element", &["0690000039 1.0", "0690000041 2.0"], 2),
        ("alter_amount", &["0690000031 9.0", "0690000041 2.0"], 2),
        ("partial_batch", &["0690000031 1.0"], 1),
    ] {
        let sandbox = start();
        sandbox.rule(&json!({"path": INITIATE, "fault": fault}).to_string());
        let batch = pair(&sandbox);
        assert_eq!(accounts(&batch), expected, "{fault}");
        assert_eq!(sandbox.effects("payout_made").len(), made, "{fault}");
        assert_eq!(accounts(&pair(&sandbox)), ["0690000031 1.0", "0690000041 2.0"], "the rule fires once");
    }
    let sandbox = start();
    sandbox.rule(&json!({"path": INITIATE, "fault": "refused", "count": 3}).to_string());
    for _ in 0..3 {
        let batch = pair(&sandbox);
        assert_eq!((&batch["status"], &batch["data"]), (&json!("failed"), &Value::Null));
    }
    assert!(sandbox.effects("payout_made").is_empty());
    assert_eq!(accounts(&pair(&sandbox)).len(), 2);
}
