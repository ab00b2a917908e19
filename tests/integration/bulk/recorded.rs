//! Recipients whose outcome the journal has.

use serde_json::json;

use super::{Payer, check, fault, ledger, outcomes, recipient, recipients, report, run, sandbox, sizes};

/// The batches of the service are there once, and who was settled by a person is in none.
#[test]
fn a_report_has_what_the_journal_has() {
    let sandbox = sandbox();
    let client = Payer::new(sandbox.config());
    let list = recipients(4);
    let all = json!({"payoutDetails": list});
    fault(&sandbox, json!({"fault": "commit_then_reset", "nth": 2}));
    let (first, _) = run(&client, &all);
    let first = report(first.expect("E_TRANSPORT UNKNOWN"));
    assert_eq!((outcomes(&first), sizes(&first)), (vec!["ACCEPTED", "ACCEPTED", "UNKNOWN", "UNKNOWN"], vec![2, 2]));
    let (again, _) = run(&client, &all);
    let again = report(again.expect("E_UNRESOLVED UNKNOWN"));
    check(&again, &list, &ledger(&sandbox));
    let message = again["payouts"][2]["message"].as_str().unwrap();
    let id = message.rsplit_once("(claim ").unwrap().1.split_once(' ').unwrap().0;
    let settlement = json!({"id": id, "outcome": "CONFIRMED", "who": "A", "why": "paid", "sender_ended": true});
    let settled = client.call("journal_settle", &settlement);
    settled.expect("OK CONFIRMED");
    let (last, _) = run(&client, &all);
    let last = report(last.expect("E_UNRESOLVED UNKNOWN"));
    assert!(ledger(&sandbox).values().all(|made| made.len() == 1));
    assert_eq!(outcomes(&last), ["ACCEPTED", "ACCEPTED", "ACCEPTED", "UNKNOWN"]);
    assert_eq!((sizes(&last), &last["payouts"][2]["settled"]), (vec![2, 1], &json!(true)));
}

#[test]
fn an_innocent_recipient_is_paid_by_a_later_run_although_it_was_refused_with_another() {
    let sandbox = sandbox();
    let client = Payer::new(sandbox.config());
    // The service does not know the second account, and refuses its whole batch.
    let list: Vec<_> =
        [0, 1, 2].map(|number| recipient(number, ["0690000031", "0690000003", "0690000033"][number])).into();
    for expected in [["REJECTED", "REJECTED", "ACCEPTED"], ["ACCEPTED", "REJECTED", "ACCEPTED"]] {
        let (reply, _) = run(&client, &json!({"payoutDetails": list}));
        let found = report(reply.expect("E_UNRESOLVED UNKNOWN"));
        check(&found, &list, &ledger(&sandbox));
        assert_eq!(outcomes(&found), expected);
    }
}
