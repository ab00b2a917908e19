//! A list that goes on after an earlier run.

use paysvc_spec::status::CONTINUE;
use serde_json::{Value, json};

use super::{Steps, check, fault, ledger, outcomes, recipient, recipients, report, run, run_with, sizes};
use crate::support::capi::Client;
use crate::support::sandbox::Sandbox;

#[test]
fn only_what_is_proved_undone_is_sent() {
    let sandbox = Sandbox::start(&[]);
    let client = Client::new(&sandbox.config());
    let mut list = recipients(8);
    fault(&sandbox, json!({"fault": "refused", "nth": 2}));
    fault(&sandbox, json!({"fault": "commit_then_reset", "nth": 2}));
    let (first, _) = run(&client, &json!({"payoutDetails": list}));
    let first = report(first.expect("E_TRANSPORT UNKNOWN"));
    let before = [["ACCEPTED"; 2].as_slice(), &["REJECTED"; 2], &["UNKNOWN"; 2], &["NOT_SENT"; 2]].concat();
    assert_eq!(outcomes(&first), before);
    check(&first, &list, &ledger(&sandbox));
    // One more recipient; the others in another order.
    list.reverse();
    list.push(recipient(100, "0690000099"));
    let (second, _) = run(&client, &json!({"payoutDetails": list, "earlier": first}));
    let second = report(second.expect("E_RESPONSE UNKNOWN"));
    check(&second, &list, &ledger(&sandbox));
    let after = [["ACCEPTED"; 2].as_slice(), &["UNKNOWN"; 2], &["ACCEPTED"; 5]].concat();
    assert_eq!(outcomes(&second), after);
    // The batches of both runs; the two that were refused together are sent each by itself.
    assert_eq!(sizes(&second), [2, 2, 2, 2, 1, 1, 1]);
    let carried = |report: &Value, name: &str| {
        let rows = report["payouts"].as_array().unwrap();
        rows.iter().find(|row| row["clientReference"] == name).unwrap().clone()
    };
    for name in ["SALARY-0", "SALARY-1", "SALARY-4", "SALARY-5"] {
        assert_eq!(carried(&first, name), carried(&second, name));
    }
    // Nothing is left that may be sent: UNKNOWN needs a person.
    let (third, steps) = run(&client, &json!({"payoutDetails": list, "earlier": second}));
    assert!(steps.is_empty());
    assert_eq!(third.attempts(), 0);
    let third = report(third.expect("E_RESPONSE UNKNOWN"));
    assert_eq!((&third["payouts"], &third["batches"]), (&second["payouts"], &second["batches"]));
    check(&third, &list, &ledger(&sandbox));
}

#[test]
fn an_innocent_recipient_is_paid_although_it_was_refused_with_another() {
    let sandbox = Sandbox::start(&[]);
    let client = Client::new(&sandbox.config());
    // The service does not know the second account, and refuses its whole batch.
    let list: Vec<_> =
        [0, 1, 2].map(|number| recipient(number, ["0690000031", "0690000003", "0690000033"][number])).into();
    let (first, _) = run(&client, &json!({"payoutDetails": list}));
    let first = report(first.expect("E_UNRESOLVED UNKNOWN"));
    assert_eq!(outcomes(&first), ["REJECTED", "REJECTED", "ACCEPTED"]);
    let (second, _) = run(&client, &json!({"payoutDetails": list, "earlier": first}));
    let second = report(second.expect("E_UNRESOLVED UNKNOWN"));
    assert_eq!(outcomes(&second), ["ACCEPTED", "REJECTED", "ACCEPTED"]);
    check(&second, &list, &ledger(&sandbox));
    // It may be left out, and is paid under another reference.
    let list = [list[0].clone(), recipient(7, "0690000077"), list[2].clone()];
    let (third, _) = run(&client, &json!({"payoutDetails": list, "earlier": second}));
    check(&report(third.expect("OK CONFIRMED")), &list, &ledger(&sandbox));
}

#[test]
fn a_changed_list_and_a_damaged_report_are_refused() {
    let sandbox = Sandbox::start(&[]);
    let client = Client::new(&sandbox.config());
    let list = recipients(5);
    fault(&sandbox, json!({"fault": "commit_then_reset", "nth": 2}));
    let (first, _) = run(&client, &json!({"payoutDetails": list}));
    let first = report(first.expect("E_TRANSPORT UNKNOWN"));
    let executed = ledger(&sandbox);
    let mut changed = list.clone();
    changed[4]["amount"] = json!("9999");
    let mut damaged = first.clone();
    damaged["payouts"][2]["outcome"] = json!("NOT_SENT");
    let mut cut = first.clone();
    cut["payouts"].as_array_mut().unwrap().pop();
    for (list, earlier, says) in [
        (json!(changed), &first, "payoutDetails.4.amount differs from the earlier report"),
        (json!(list[1..]), &first, "says that SALARY-0 is ACCEPTED, but it is not in the list"),
        (json!(list), &damaged, "is damaged: payouts.2 has a different outcome from its batch"),
        (json!(list), &cut, "is damaged: its counts do not match its payouts"),
        (json!(list), &json!({"status": "success", "data": {}}), "is not the report of a run"),
        (json!(list), &json!("text"), "must be the body of a reply"),
    ] {
        let (reply, _) = run(&client, &json!({"payoutDetails": list, "earlier": earlier}));
        // Nothing was sent now, which does not make the list safe to send from its beginning.
        reply.expect("E_ARGUMENT UNKNOWN");
        assert!(reply.message().contains(says), "{}", reply.message());
    }
    assert_eq!(ledger(&sandbox), executed);
    run(&client, &json!({"status_of": damaged})).0.expect("E_ARGUMENT UNKNOWN");
}

/// A process that dies within a batch leaves the steps that it has written down.
#[test]
fn the_steps_of_a_run_that_left_no_report_are_as_good() {
    for known in 0..=8 {
        let sandbox = Sandbox::start(&[]);
        let client = Client::new(&sandbox.config());
        let list = recipients(8);
        let mut count = 0;
        // It dies once this many steps are written; the request of a step before a batch may still have been sent.
        let dies = move |_: &Value| {
            count += 1;
            if count > known { 0 } else { CONTINUE }
        };
        let (_, steps) = run_with(&client, &json!({"payoutDetails": list}), 0, Steps::new(dies));
        let journal: Vec<_> = steps.steps.into_iter().take(known).collect();
        let (reply, after) = run(&client, &json!({"payoutDetails": list, "earlier": journal}));
        let found = report(&reply);
        check(&found, &list, &ledger(&sandbox));
        let unknown = if known % 2 == 1 { 2 } else { 0 };
        assert_eq!((&found["unknown"], &found["accepted"]), (&json!(unknown), &json!(8 - unknown)), "{known} steps");
        // All steps of both runs are a journal as well.
        let all = [journal, after].concat();
        let (again, _) = run(&client, &json!({"payoutDetails": list, "earlier": all}));
        assert_eq!(again.attempts(), 0);
        assert_eq!(report(&again)["payouts"], found["payouts"]);
    }
}
