//! A panic within a run: the report is complete, and has what is known about the batch under way.

use super::*;
use crate::call::CallRecord;
use crate::flow::journal::tests::Memory;
use crate::util::panics::failpoint;
use paysvc_test_common::http;

fn client(store: &Memory) -> Client {
    let vector = include_str!("../../../../tests/vectors/rsa4096.json");
    let vector: serde_json::Value = serde_json::from_str(vector).unwrap();
    let config = serde_json::json!({
        "base_url": format!("http://127.0.0.1:{}", http::service("{}")), "public_key": "public", "secret_key": "secret",
        "encryption_key": vector["encryption_key"], "timeout_ms": 60_000,
    });
    let client = Client::new(Some(&config.to_string()), &|_| None).unwrap_or_else(|error| panic!("{}", error.message));
    client.set_store(Box::new(store.clone())).unwrap_or_else(|error| panic!("{}", error.message));
    client
}

fn pay(store: &Memory, request: &str) -> Reply {
    let (client, record) = (client(store), CallRecord::new());
    client.payout_bulk(&client.begin(None, &record), request)
}

/// Three recipients in two batches.
fn request() -> String {
    let payout = |number: usize| {
        serde_json::json!({
            "clientReference": format!("P-{number}"), "accountNumber": format!("069000003{number}"), "bankCode": "000014",
            "amount": "7.50", "description": "May", "accountName": "Ada Obi", "creditCurrency": "NGN", "debitCurrency": "NGN"
        })
    };
    serde_json::json!({"payoutDetails": [payout(0), payout(1), payout(2)]}).to_string()
}

#[test]
fn a_panic_leaves_a_whole_report() {
    for (point, outcome, of_batch, counts) in [
        ("connect", Outcome::NotSent, "NOT_SENT", r#""not_sent":3,"unknown":0"#),
        ("answer", Outcome::Unknown, "UNKNOWN", r#""not_sent":1,"unknown":2"#),
    ] {
        failpoint::arm(point);
        let store = Memory::default();
        let reply = pay(&store, &request());
        assert_eq!((reply.status(), reply.outcome()), (Status::Internal, outcome), "{point}: {}", reply.message);
        assert!(reply.message.contains("a bug in the library was caught at src/"), "{}", reply.message);
        assert!(reply.body.contains(counts), "{point}: {}", reply.body);
        let batch = format!(r#""batches":[{{"index":0,"outcome":"{of_batch}","status":"E_INTERNAL","recipients":2"#);
        assert!(reply.body.contains(&batch), "{point}: {}", reply.body);
    }
}

#[test]
fn a_panic_before_the_first_batch_says_that_nothing_was_sent() {
    failpoint::arm("request");
    let reply = pay(&Memory::default(), &request());
    assert_eq!((reply.status(), reply.outcome()), (Status::Internal, Outcome::NotSent), "{}", reply.message);
}
