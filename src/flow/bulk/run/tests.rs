//! A panic within a run: the report is complete, and has what is known about the batch under way.

use super::*;
use crate::call::CallRecord;
use crate::flow::journal::tests::{Memory, client_of, list_of};
use crate::util::panics::failpoint;
use paysvc_test_common::http;
use serde_json::json;

/// Pays three recipients in two batches.
fn pay(store: &Memory) -> Reply {
    let client = client_of(http::service("{}"), store, json!({"timeout_ms": 60_000}));
    let record = CallRecord::new();
    let mut list = list_of(&["P-0", "P-1", "P-2"], "7.50");
    list.iter_mut().enumerate().for_each(|(index, one)| one["accountNumber"] = json!(format!("069000003{index}")));
    let request = json!({"payoutDetails": list});
    client.payout_bulk(&client.begin(None, &record), &request.to_string())
}

#[test]
fn a_panic_leaves_a_whole_report() {
    for (point, outcome, of_batch, counts) in [
        ("connect", Outcome::NotSent, "NOT_SENT", r#""not_sent":3,"unknown":0"#),
        ("answer", Outcome::Unknown, "UNKNOWN", r#""not_sent":1,"unknown":2"#),
    ] {
        failpoint::arm(point);
        let store = Memory::default();
        let reply = pay(&store);
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
    let reply = pay(&Memory::default());
    assert_eq!((reply.status(), reply.outcome()), (Status::Internal, Outcome::NotSent), "{}", reply.message);
}
