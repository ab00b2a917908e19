//! Answers that accept a batch and leave one of its recipients in doubt, and replies that leave open what became of it.

use std::sync::Mutex;

use serde_json::{Value, json};

use super::{Payer, fault, outcomes, recipients, report, run, sandbox};
use crate::support::server::Server;

/// Answers each batch of two as the service does; `change` alters the second element of the first batch.
fn service(change: impl Fn(&mut Value) + Send + Sync + 'static) -> (Server, Value) {
    let list = recipients(4);
    let batch = Mutex::new(0);
    let server = Server::start(move |mut c| {
        while c.read_request().is_some() {
            let mut batch = batch.lock().unwrap();
            let elements = list[2 * *batch..2 * *batch + 2].iter().enumerate().map(|(index, recipient)| {
                json!({
                    "accountNumber": recipient["accountNumber"], "amount": recipient["amount"],
                    "payoutReference": format!("PAYOUT-{batch}-{index}")
                })
            });
            let mut elements: Vec<Value> = elements.collect();
            if *batch == 0 {
                change(&mut elements[1]);
            }
            let answer = json!({
                "status": "success", "message": "logged", "batchReference": format!("BATCH-{batch}"), "data": elements
            });
            c.answer("200 OK", "", &answer.to_string());
            *batch += 1;
        }
    });
    let mut config = server.config();
    config["encryption_key"] = json!(crate::support::long_encryption_key());
    (server, config)
}

#[test]
fn an_element_that_says_it_was_refused_is_unknown_with_its_words_and_never_sent_again() {
    let account = recipients(4)[1]["accountNumber"].as_str().unwrap().to_owned();
    const DOUBT: &str = "the payout may have been made; do not repeat it: ";
    let refused =
        |member: &'static str, value: Value| (member, value, "the response says that the payout was refused: ");
    for (member, value, says) in [
        refused("isSuccess", json!(false)),
        refused("success", json!("false")),
        refused("status", json!("No")),
        refused("error", json!("closed")),
        ("payoutReference", json!("R".repeat(129)), "its reference is longer than 128 characters"),
    ] {
        let words = format!("no account {account} here");
        let wanted = value.clone();
        let (_server, config) = service(move |element| {
            element["message"] = json!(words);
            element[member] = value.clone();
        });
        let client = Payer::new(config);
        let list = recipients(4);
        // Nothing more is sent after an UNKNOWN one, unless the caller says so.
        let (reply, _) = run(&client, &json!({"payoutDetails": list}));
        reply.expect("E_RESPONSE UNKNOWN");
        let first = report(&reply);
        assert_eq!(outcomes(&first), ["ACCEPTED", "UNKNOWN", "NOT_SENT", "NOT_SENT"], "{member} {wanted}");
        let words = first["payouts"][1]["message"].as_str().unwrap();
        let says = format!("{DOUBT}{says}");
        assert!(words.starts_with(&says) && !reply.body().contains(&format!("account {account}")), "{words}");
        assert_eq!((&first["batches"][0]["outcome"], &first["accepted"]), (&json!("ACCEPTED"), &json!(1)));
        // The same list again does not send it.
        let (reply, _) = run(&client, &json!({"payoutDetails": list}));
        assert_eq!(outcomes(&report(&reply)), ["ACCEPTED", "UNKNOWN", "ACCEPTED", "ACCEPTED"]);
        assert_eq!(reply.attempts(), 1);
    }
    let (_server, config) = service(|element| element["isSuccess"] = json!(false));
    let request = json!({"payoutDetails": recipients(4), "continue_after_unknown": true});
    let (reply, _) = run(&Payer::new(config), &request);
    assert_eq!(outcomes(&report(&reply)), ["ACCEPTED", "UNKNOWN", "ACCEPTED", "ACCEPTED"]);
    reply.expect("E_RESPONSE UNKNOWN");
}

#[test]
fn an_element_in_state_failed_makes_its_batch_unknown_with_its_words() {
    let (_server, config) = service(|element| {
        (element["statusId"], element["message"]) = (json!(4), json!("closed"));
    });
    let (reply, _) = run(&Payer::new(config), &json!({"payoutDetails": recipients(4)}));
    reply.expect("E_RESPONSE UNKNOWN");
    let found = report(&reply);
    assert_eq!(outcomes(&found), ["UNKNOWN", "UNKNOWN", "NOT_SENT", "NOT_SENT"]);
    assert_eq!(
        found["payouts"][1]["message"],
        "the payout may have been made; do not repeat it: the response says that the payout was refused: closed"
    );
}

/// E_REJECTED means that nothing was executed.
#[test]
fn a_refusal_beside_something_else_is_no_refusal() {
    let sandbox = sandbox();
    fault(&sandbox, json!({"fault": "refused", "nth": 2}));
    let client = Payer::new(sandbox.config());
    let (reply, _) = run(&client, &json!({"payoutDetails": recipients(4)}));
    reply.expect("E_UNRESOLVED UNKNOWN");
    let found = report(&reply);
    assert_eq!(outcomes(&found), ["ACCEPTED", "ACCEPTED", "REJECTED", "REJECTED"]);
    // All that was sent was refused: that is a refusal.
    let refused = super::sandbox();
    fault(&refused, json!({"fault": "refused", "nth": 1, "count": 9}));
    let (reply, _) = run(&Payer::new(refused.config()), &json!({"payoutDetails": recipients(4)}));
    reply.expect("E_REJECTED REJECTED");
}
