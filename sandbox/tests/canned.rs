//! Endpoints with canned responses, from a scenarios file made for the test.

use crate::common::folder::Folder;
use crate::common::wire::{Client, Ended, TIMEOUT};
use crate::common::{JSON, Sandbox, refusal};
use serde_json::json;

const FILE: &str = r#"{"about": ["made up"], "endpoints": {
    "card_save": {
        "setup": [],
        "request": {"reference": "C-1", "customer": {"id": "7"}, "note": "x"},
        "wire": ["POST", "/payment/cards/save", "public", "encrypted", "RSA"],
        "effect": ["card_saved", "{reference}/{customer.id}"],
        "answer": {"status": true, "message": "Card of {customer.id} saved", "data": {"reference": "{reference}", "note": "{note}", "limit": 98000.000000}}
    },
    "transfer": {
        "request": {"transferReference": "T-1", "amount": "25.50", "currency": "USD"},
        "wire": ["POST", "/payment/transfer/{transferReference}", "secret", "plain"],
        "effect": ["transfer_made", "{transferReference}/{amount}"],
        "amount": "{amount}",
        "answer": {"status": "success", "statusCode": "00", "data": [{"amount": "{amount}", "reference": "{transferReference}"}]}
    },
    "transfer_status": {
        "request": {"transferReference": "T-1", "detail": "full"},
        "wire": ["GET", "/payment/transfer/{transferReference}", "public", "none"],
        "effect": null,
        "answer": {"status": "success", "transfer": "{transferReference}", "detail": "{detail}"}
    },
    "order_refund": {
        "request": {"reference": "O-1"},
        "wire": ["POST", "/payment/order/refund", "secret", "plain"],
        "effect": ["refund_made", "{reference}"],
        "answer": {"status": true, "message": "not the handler's"}
    }
}}"#;

fn start(name: &str) -> Sandbox {
    let folder = Folder::new(name);
    std::fs::write(folder.file("made.json"), FILE).unwrap();
    Sandbox::start(&["--scenarios", &folder.file("made.json")])
}

#[test]
fn a_canned_answer_is_filled_and_its_effect_is_in_the_ledger() {
    let sandbox = start("filled");
    let payload = r#"{"Reference":"C-9","customer":{"id":"12"},"note":null}"#;
    let answer = sandbox.post_marked("/payment/cards/save", &sandbox.public, payload).expect(200);
    assert!(answer.is_assumed());
    assert_eq!(
        answer.text,
        r#"{"status":true,"message":"Card of 12 saved","data":{"reference":"C-9","note":null,"limit":98000.000000}}"#
    );
    for _ in 0..2 {
        let answer = sandbox.post_secret("/payment/transfer/T-5", r#"{"amount":7.50,"currency":"USD"}"#).expect(200);
        assert_eq!(answer.json()["data"], json!([{"amount": "7.50", "reference": "T-5"}]));
    }
    let status = sandbox.get("/payment/transfer/T-5?detail=full%21").expect(200).json();
    assert_eq!(status, json!({"status": "success", "transfer": "T-5", "detail": "full!"}));

    let ledger = sandbox.admin("ledger")["ledger"].as_array().unwrap().clone();
    let shown: Vec<_> = ledger
        .iter()
        .map(|entry| json!([entry["effect"], entry["key"], entry["amount"], entry["currency"], entry["request_id"]]))
        .collect();
    assert_eq!(
        shown,
        [
            json!(["card_saved", "C-9/12", null, null, 1]),
            json!(["transfer_made", "T-5/7.50", "7.50", "USD", 2]),
            json!(["transfer_made", "T-5/7.50", "7.50", "USD", 3])
        ]
    );
    assert_eq!(sandbox.admin("duplicates")["duplicates"][0]["count"], 2);
    assert_eq!(sandbox.requests()[1]["effects"], json!([2]));
    // An endpoint with a handler keeps it.
    sandbox.post_secret("/payment/order/refund", r#"{"reference":"O-1"}"#).expect_error(404, "reference", "Order");
}

#[test]
fn a_canned_endpoint_checks_key_envelope_and_members() {
    let sandbox = start("checked");
    let (save, transfer) = ("/payment/cards/save", "/payment/transfer/T-5");
    sandbox.post_marked(save, &sandbox.secret, "{}").expect(401);
    sandbox.send("POST", save, &[JSON], "{}").expect(401);
    sandbox.post(save, r#"{"reference":"C"}"#).expect_error(400, "encryption", "RSA");
    let headers = [("api-key", sandbox.public.as_str()), JSON, ("encryption", "RSA")];
    sandbox.send("POST", save, &headers, "{}").expect_error(400, "data", "Unable to find the encrypted data");
    let incomplete = sandbox.post_marked(save, &sandbox.public, r#"{"note":"x"}"#).expect(400).json();
    assert_eq!(
        incomplete["errors"],
        json!({"reference": "The reference field is required.", "customer.id": "The customer.id field is required."})
    );
    sandbox.post_secret(transfer, r#"{"amount":"-1"}"#).expect_error(400, "amount", "must be a decimal number");
    sandbox.post_secret(transfer, r#"{"amount":"0.00"}"#).expect_error(400, "amount", "must be more than zero");
    assert_eq!(sandbox.send("DELETE", transfer, &[], "").expect(405).header("allow"), Some("POST, GET"));
    assert_eq!(sandbox.admin("ledger"), json!({"ledger": []}));
}

#[test]
fn a_canned_endpoint_meets_faults() {
    let sandbox = start("faults");
    let transfer =
        |reference: &str| sandbox.post_secret(&format!("/payment/transfer/{reference}"), r#"{"amount":"5"}"#);
    // By magic input in the path, and in a field of the payload.
    transfer("sbx-commit_then_502-1").expect(502);
    sandbox.post_secret("/payment/transfer/T", r#"{"amount":"5","otherReference":"sbx-status_503-1"}"#).expect(503);
    assert_eq!(sandbox.effects("transfer_made").len(), 1);
    // Failures have the type of `status` of the endpoint.
    assert_eq!(transfer("sbx-failed_then_success-1").expect(200).json()["status"], "failed");
    assert_eq!(transfer("sbx-failed_then_success-1").expect(200).json()["status"], "success");
    let save = |reference: &str| {
        let payload = format!(r#"{{"reference":"{reference}","customer":{{"id":"1"}}}}"#);
        sandbox.post_marked("/payment/cards/save", &sandbox.public, &payload).expect(200).json()["status"].clone()
    };
    assert_eq!([save("sbx-failed_then_success-2"), save("sbx-failed_then_success-2")], [false, true]);
    // By rule.
    sandbox.rule(r#"{"path":"/payment/transfer/{x}","fault":"commit_then_reset"}"#);
    let mut client = Client::new(&sandbox);
    let headers = [("api-key", sandbox.secret.as_str()), JSON];
    client.send("POST", "/payment/transfer/T-8", &headers, r#"{"amount":"5"}"#).unwrap();
    assert_eq!(client.rest(TIMEOUT), (Vec::new(), Ended::Reset));
    assert_eq!(sandbox.effects("transfer_made").last().unwrap()["key"], "T-8/5");
    sandbox.get("/payment/transfer/sbx-no_such-1").expect_error(400, "path", "There is no fault");
}

#[test]
fn canned_endpoints_are_listed() {
    let sandbox = start("listed");
    let endpoints = sandbox.admin("endpoints")["endpoints"].as_array().unwrap().clone();
    let canned: Vec<_> = endpoints.iter().filter(|endpoint| endpoint["canned"] == true).cloned().collect();
    assert_eq!(canned.len(), 3);
    assert_eq!(
        canned[0],
        json!({"method": "POST", "path": "/payment/cards/save", "key": "public", "envelope": "encrypted",
            "encryption_header": true, "assumed": true, "canned": true})
    );
}

#[test]
fn a_file_that_cannot_be_used_is_a_clear_error() {
    let folder = Folder::new("bad");
    let path = folder.file("made.json");
    let refund = r#""wire": ["POST", "/payment/order/refund", "secret""#;
    for (text, problem) in [
        (r#"{"canaries": {}}"#, "there is no object \"endpoints\""),
        (&FILE.replace("{detail}", "{detial}"), "endpoints: transfer_status: {detial} is not in \"request\""),
        (&FILE.replace(refund, &refund.replace("secret", "public")), "handler for it takes \"secret\", \"plain\""),
    ] {
        std::fs::write(&path, text).unwrap();
        let error = refusal(&["--scenarios", &path]);
        assert!(
            error.starts_with(&format!("paysvc-sandbox: --scenarios {path}: ")) && error.contains(problem),
            "{error}"
        );
    }
    assert!(refusal(&["--scenarios", "/nowhere.json"]).contains("--scenarios /nowhere.json: No such file"));
}
