//! What is sent, and what the report says about it.

use paysvc_spec::status::CONTINUE;
use serde_json::{Value, json};

use super::{INITIATE, Steps, check, ledger, outcomes, recipient, recipients, report, run, run_with, sizes};
use crate::support::capi::Client;
use crate::support::sandbox::Sandbox;

#[test]
fn a_list_is_sent_in_the_largest_batches_that_fit_the_key() {
    for (bits, largest, expected) in [("2048", 245, vec![1, 1, 1, 1, 1]), ("4096", 501, vec![2, 2, 1])] {
        let sandbox = Sandbox::start(&["--key-bits", bits]);
        let list = recipients(5);
        let (reply, _) = run(&Client::new(&sandbox.config()), &json!({"payoutDetails": list}));
        reply.expect("OK CONFIRMED");
        let report = report(&reply);
        check(&report, &list, &ledger(&sandbox));
        assert_eq!(
            (&report["status"], &report["total"], &report["accepted"]),
            (&json!("success"), &json!(5), &json!(5))
        );
        assert_eq!(reply.message(), "5 recipients: 5 ACCEPTED, 0 REJECTED, 0 NOT_SENT, 0 UNKNOWN");
        assert_eq!((sizes(&report), reply.attempts() as usize), (expected.clone(), expected.len()));
        let requests = sandbox.get("/sandbox/requests");
        let bytes = requests["requests"].as_array().unwrap().iter().map(|request| {
            assert_eq!(request["path"], INITIATE);
            request["decrypted_bytes"].as_u64().unwrap()
        });
        assert!(bytes.max().unwrap() <= largest);
        // What a program reads without a JSON library.
        assert_eq!(reply.count("/payouts"), 5);
        let batch = reply.get("/payouts/4/batch").unwrap();
        let reference = reply.get(&format!("/batches/{batch}/batchReference")).unwrap();
        assert_eq!(reply.get("/payouts/4/batchReference").unwrap(), reference);
        assert_eq!(reply.get("/payouts/4/amount").unwrap(), "5.04");
    }
}

#[test]
fn equal_account_and_amount_never_share_a_batch() {
    let sandbox = Sandbox::start(&[]);
    let mut list = recipients(5);
    for index in [1, 2] {
        list[index]["accountNumber"] = list[0]["accountNumber"].clone();
        list[index]["bankCode"] = json!("000013");
    }
    (list[0]["amount"], list[1]["amount"], list[2]["amount"]) = (json!("100"), json!(100.00), json!("0100.0"));
    let (reply, _) = run(&Client::new(&sandbox.config()), &json!({"payoutDetails": list}));
    reply.expect("OK CONFIRMED");
    let report = report(&reply);
    check(&report, &list, &ledger(&sandbox));
    let batches: Vec<_> =
        report["payouts"].as_array().unwrap().iter().map(|row| row["batch"].as_u64().unwrap()).collect();
    assert_eq!(batches, [0, 1, 2, 0, 1]);
}

#[test]
fn the_callback_gets_every_step_of_a_run() {
    let sandbox = Sandbox::start(&[]);
    let list = recipients(3);
    let client = Client::new(&sandbox.config());
    let (reply, told) = run_with(&client, &json!({"payoutDetails": list}), 0, Steps::new(|_| CONTINUE));
    let report = report(reply.expect("OK CONFIRMED"));
    assert_eq!(told.counts, [(0, 3), (2, 3), (2, 3), (3, 3)]);
    let steps: Vec<_> =
        told.steps.iter().map(|step| (step["step"].as_str().unwrap(), step["batch"].as_u64().unwrap())).collect();
    assert_eq!(steps, [("before", 0), ("after", 0), ("before", 1), ("after", 1)]);
    for step in told.steps.iter().filter(|step| step["step"] == "before") {
        assert!(step["payouts"].as_array().unwrap().iter().all(|row| row["outcome"] == "UNKNOWN"), "{step}");
    }
    // The rows of the steps after the batches are the report's.
    let after = told.steps.iter().filter(|step| step["step"] == "after");
    let rows: Vec<Value> = after.flat_map(|step| step["payouts"].as_array().unwrap().clone()).collect();
    assert_eq!(json!(rows), report["payouts"]);
    assert_eq!(told.steps[1]["batchReference"], report["batches"][0]["batchReference"]);
}

#[test]
fn a_wrong_list_is_refused_before_anything_is_sent() {
    let sandbox = Sandbox::start(&["--key-bits", "2048"]);
    let client = Client::new(&sandbox.config());
    let changed = |index: usize, member: &str, value: Value| {
        let mut list = recipients(20);
        list[index][member] = value;
        list
    };
    for (list, verdict, member, expected) in [
        (changed(17, "amount", json!(0)), "E_ARGUMENT NOT_SENT", "payoutDetails.17.amount", "above zero"),
        (
            changed(17, "clientReference", json!("SALARY-3")),
            "E_ARGUMENT NOT_SENT",
            "payoutDetails.17.clientReference",
            "is the same as payoutDetails.3.clientReference",
        ),
        (
            changed(0, "clientReference", json!(7)),
            "E_ARGUMENT NOT_SENT",
            "payoutDetails.0.clientReference",
            "must be a string",
        ),
        (
            changed(19, "description", json!("x".repeat(200))),
            "E_ENCRYPT NOT_SENT",
            "payoutDetails.19",
            "this key can encrypt at most 245",
        ),
        (vec![], "E_ARGUMENT NOT_SENT", "payoutDetails", "at least one"),
    ] {
        let (reply, steps) = run(&client, &json!({"payoutDetails": list}));
        reply.expect(verdict);
        let error = &report(&reply)["errors"][member];
        assert!(error.as_str().unwrap().contains(expected), "{}", reply.body());
        assert!(steps.is_empty());
    }
    // Anything missing from the configuration is reported before the first step, too.
    let without = Client::new(&sandbox.config_with(json!({"secret_key": null})));
    let (reply, steps) = run(&without, &json!({"payoutDetails": recipients(2)}));
    reply.expect("E_CONFIG NOT_SENT");
    assert!(steps.is_empty() && ledger(&sandbox).is_empty());
    assert_eq!(sandbox.get("/sandbox/requests")["requests"], json!([]));
}

/// The answer of the look-up is not documented: the names of its members are guessed, so no state is taken from it.
#[test]
fn accepted_is_not_paid_and_a_guessed_state_is_no_state() {
    let sandbox = Sandbox::start(&[]);
    let client = Client::new(&sandbox.config());
    // The first stays pending, the second fails; the others are paid.
    let list = ["0690000001", "0690000002", "0690000033", "0690000034", "0690000035"];
    let list: Vec<_> = list.iter().enumerate().map(|(number, account)| recipient(number, account)).collect();
    let (reply, _) = run(&client, &json!({"payoutDetails": list}));
    let paid = report(reply.expect("OK CONFIRMED"));
    for _ in 0..2 {
        let (reply, looks) = run(&client, &json!({"status_of": paid}));
        reply.expect("E_UNRESOLVED UNKNOWN");
        assert!(reply.message().ends_with("5 recipients have no final state"), "{}", reply.message());
        assert_eq!(looks.iter().map(|step| step["step"].as_str().unwrap()).collect::<Vec<_>>(), ["look"; 3]);
        let found = report(&reply);
        let rows = found["payouts"].as_array().unwrap().iter().chain(found["batches"].as_array().unwrap());
        assert!(rows.map(|row| &row["state"]).eq([json!("NONE"); 1].iter().cycle().take(8)), "{found}");
        assert_eq!(found["states"], json!({"NONE": 5}));
        assert_eq!(outcomes(&found), ["ACCEPTED"; 5]);
    }
    assert_eq!(ledger(&sandbox).len(), 5, "looking pays nobody");
    // A look-up that fails does not affect the others.
    sandbox.post("/sandbox/faults", &json!({"path": "/payout/*", "fault": "status_500", "count": 3}));
    let (third, _) = run(&client, &json!({"status_of": paid}));
    third.expect("E_SERVER UNKNOWN");
    let found = report(&third);
    assert_eq!((found["batches"][0].get("state"), &found["batches"][1]["state"]), (None, &json!("NONE")));
}
