//! The batches that are sent, and the report about them.

use paysvc_spec::status::CONTINUE;
use serde_json::{Value, json};

use super::{INITIATE, Payer, Steps, check, ledger, recipients, report, run, run_with, sandbox, sizes};
use crate::support::sandbox::Sandbox;

#[test]
fn a_list_is_sent_in_the_largest_batches_that_fit_the_key() {
    for (bits, largest, expected) in [("2048", 245, vec![1, 1, 1, 1, 1]), ("4096", 501, vec![2, 2, 1])] {
        let sandbox = Sandbox::start(&["--pay-twice", "--key-bits", bits]);
        let list = recipients(5);
        let (reply, _) = run(&Payer::new(sandbox.config()), &json!({"payoutDetails": list}));
        reply.expect("OK CONFIRMED");
        let report = report(&reply);
        check(&report, &list, &ledger(&sandbox));
        assert_eq!(
            (&report["status"], &report["total"], &report["accepted"]),
            (&json!("success"), &json!(5), &json!(5))
        );
        assert_eq!(reply.message(), "5 recipients: 5 ACCEPTED, 0 REJECTED, 0 NOT_SENT, 0 UNKNOWN");
        assert_eq!((sizes(&report), reply.attempts() as usize), (expected.clone(), expected.len()));
        let bytes = sandbox.requests().into_iter().map(|request| {
            assert_eq!(request["path"], INITIATE);
            request["decrypted_bytes"].as_u64().unwrap()
        });
        assert!(bytes.max().unwrap() <= largest);
        // The fields that a program reads without a JSON library.
        assert_eq!(reply.count("/payouts"), 5);
        let batch = reply.get("/payouts/4/batch").unwrap();
        let reference = reply.get(&format!("/batches/{batch}/batchReference")).unwrap();
        assert_eq!(reply.get("/payouts/4/batchReference").unwrap(), reference);
        assert_eq!(reply.get("/payouts/4/amount").unwrap(), "5.04");
    }
}

#[test]
fn equal_account_and_amount_never_share_a_batch() {
    let sandbox = sandbox();
    let mut list = recipients(5);
    for index in [1, 2] {
        list[index]["accountNumber"] = list[0]["accountNumber"].clone();
        list[index]["bankCode"] = json!("000013");
    }
    (list[0]["amount"], list[1]["amount"], list[2]["amount"]) = (json!("100"), json!(100.00), json!("0100.0"));
    let (reply, _) = run(&Payer::new(sandbox.config()), &json!({"payoutDetails": list}));
    reply.expect("OK CONFIRMED");
    let report = report(&reply);
    check(&report, &list, &ledger(&sandbox));
    let batches: Vec<_> =
        report["payouts"].as_array().unwrap().iter().map(|row| row["batch"].as_u64().unwrap()).collect();
    assert_eq!(batches, [0, 1, 2, 0, 1]);
}

#[test]
fn the_callback_gets_every_step_of_a_run() {
    let sandbox = sandbox();
    let list = recipients(3);
    let client = Payer::new(sandbox.config());
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
    let sandbox = Sandbox::start(&["--pay-twice", "--key-bits", "2048"]);
    let client = Payer::new(sandbox.config());
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
    let without = Payer::new(sandbox.config_with(json!({"secret_key": null})));
    let (reply, steps) = run(&without, &json!({"payoutDetails": recipients(2)}));
    reply.expect("E_CONFIG NOT_SENT");
    assert!(steps.is_empty() && ledger(&sandbox).is_empty());
    assert!(sandbox.requests().is_empty());
}
