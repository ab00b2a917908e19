//! Answers that accept a batch and leave one of its recipients in doubt, and replies that leave open what became of it.

use std::sync::Mutex;

use serde_json::{Value, json};

use super::{fault, outcomes, recipients, report, run};
use crate::support::capi::Client;
use crate::support::sandbox::Sandbox;
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
    let refused = |member: &'static str, value: Value| (member, value, "the answer says that the payout was refused: ");
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
        let client = Client::new(&config);
        let list = recipients(4);
        // Nothing more is sent after an UNKNOWN one, unless the caller says so.
        let (reply, steps) = run(&client, &json!({"payoutDetails": list}));
        reply.expect("E_RESPONSE UNKNOWN");
        let first = report(&reply);
        assert_eq!(outcomes(&first), ["ACCEPTED", "UNKNOWN", "NOT_SENT", "NOT_SENT"], "{member} {wanted}");
        let words = first["payouts"][1]["message"].as_str().unwrap();
        assert!(words.starts_with(says) && !reply.body().contains(&format!("account {account}")), "{words}");
        assert_eq!((&first["batches"][0]["outcome"], &first["accepted"]), (&json!("ACCEPTED"), &json!(1)));
        // Its report and its steps resume the run, and it is not sent again.
        for earlier in [first.clone(), json!(steps)] {
            let (_server, config) = service(|_| {});
            // Its second batch is the first of this server.
            let (reply, _) = run(&Client::new(&config), &json!({"payoutDetails": list, "earlier": earlier}));
            let found = report(&reply);
            assert_eq!(outcomes(&found)[..2], ["ACCEPTED", "UNKNOWN"]);
            assert_eq!(found["payouts"][1], first["payouts"][1]);
            assert_eq!(reply.attempts(), 1);
        }
    }
    let (_server, config) = service(|element| element["isSuccess"] = json!(false));
    let request = json!({"payoutDetails": recipients(4), "continue_after_unknown": true});
    let (reply, _) = run(&Client::new(&config), &request);
    assert_eq!(outcomes(&report(&reply)), ["ACCEPTED", "UNKNOWN", "ACCEPTED", "ACCEPTED"]);
    reply.expect("E_RESPONSE UNKNOWN");
}

#[test]
fn an_element_in_state_failed_makes_its_batch_unknown_with_its_words() {
    let (_server, config) = service(|element| {
        (element["statusId"], element["message"]) = (json!(4), json!("closed"));
    });
    let (reply, _) = run(&Client::new(&config), &json!({"payoutDetails": recipients(4)}));
    reply.expect("E_RESPONSE UNKNOWN");
    let found = report(&reply);
    assert_eq!(outcomes(&found), ["UNKNOWN", "UNKNOWN", "NOT_SENT", "NOT_SENT"]);
    assert_eq!(found["payouts"][1]["message"], "the answer says that the payout was refused: closed");
}

/// E_REJECTED says that nothing was executed.
#[test]
fn a_refusal_beside_something_else_is_no_refusal() {
    let sandbox = Sandbox::start(&[]);
    fault(&sandbox, json!({"fault": "refused", "nth": 2}));
    let client = Client::new(&sandbox.config());
    let (reply, _) = run(&client, &json!({"payoutDetails": recipients(4)}));
    reply.expect("E_UNRESOLVED UNKNOWN");
    let found = report(&reply);
    assert_eq!(outcomes(&found), ["ACCEPTED", "ACCEPTED", "REJECTED", "REJECTED"]);
    // A look-up that is refused leaves it open as well.
    for (rule, verdict) in [("not_found", "E_UNRESOLVED UNKNOWN"), ("status_500", "E_SERVER UNKNOWN")] {
        if rule == "not_found" {
            let mut unknown = found.clone();
            let text = unknown.to_string().replace("PGW-BATCH", "PGW-HATCH");
            unknown = serde_json::from_str(&text).unwrap();
            run(&client, &json!({"status_of": unknown})).0.expect(verdict);
            continue;
        }
        sandbox.post("/sandbox/faults", &json!({"path": "/payout/*", "fault": rule, "count": 9}));
        run(&client, &json!({"status_of": found})).0.expect(verdict);
    }
    // All that was sent was refused: that is a refusal.
    let refused = Sandbox::start(&[]);
    fault(&refused, json!({"fault": "refused", "nth": 1, "count": 9}));
    let (reply, _) = run(&Client::new(&refused.config()), &json!({"payoutDetails": recipients(4)}));
    reply.expect("E_REJECTED REJECTED");
}

#[test]
fn a_lost_report_does_not_pay_the_list_again() {
    let sandbox = Sandbox::start(&[]);
    let client = Client::new(&sandbox.config());
    let list = recipients(2);
    for earlier in [json!(null), json!(""), json!(0), json!(true), json!({})] {
        let (reply, steps) = run(&client, &json!({"payoutDetails": list, "earlier": earlier}));
        reply.expect("E_ARGUMENT UNKNOWN");
        assert!(steps.is_empty() && reply.message().starts_with("payout_bulk: earlier "), "{}", reply.message());
    }
    run(&client, &json!({"payoutDetails": list, "status_of": null})).0.expect("E_ARGUMENT UNKNOWN");
    assert!(sandbox.get("/sandbox/requests")["requests"].as_array().unwrap().is_empty());
    // The steps of a run that was not begun.
    run(&client, &json!({"payoutDetails": list, "earlier": []})).0.expect("OK CONFIRMED");
}
