//! The same list again, and another list that names some of its recipients.

use serde_json::{Value, json};

use super::{Payer, check, fault, ledger, outcomes, recipient, recipients, report, run, sandbox};
use crate::support::capi::Client;

fn requests(sandbox: &crate::support::sandbox::Sandbox) -> usize {
    sandbox.requests().len()
}

#[test]
fn without_a_journal_no_request_arrives() {
    let sandbox = sandbox();
    let (reply, steps) = run(&Client::new(&sandbox.config()), &json!({"payoutDetails": recipients(2)}));
    reply.expect("E_CONFIG NOT_SENT");
    assert!(steps.is_empty() && requests(&sandbox) == 0);
    assert!(reply.message().starts_with("payout_bulk needs a journal: configure \"journal\": "), "{}", reply.message());
}

#[test]
fn the_same_list_again_sends_what_is_proved_undone() {
    let sandbox = sandbox();
    let client = Payer::new(sandbox.config());
    let mut list = recipients(8);
    fault(&sandbox, json!({"fault": "refused", "nth": 2}));
    fault(&sandbox, json!({"fault": "commit_then_reset", "nth": 2}));
    let (first, _) = run(&client, &json!({"payoutDetails": list}));
    let first = report(first.expect("E_TRANSPORT UNKNOWN"));
    let before = [["ACCEPTED"; 2].as_slice(), &["REJECTED"; 2], &["UNKNOWN"; 2], &["NOT_SENT"; 2]].concat();
    assert_eq!(outcomes(&first), before);
    check(&first, &list, &ledger(&sandbox));
    // In another order.
    list.reverse();
    let (second, _) = run(&client, &json!({"payoutDetails": list}));
    let second = report(second.expect("E_UNRESOLVED UNKNOWN"));
    check(&second, &list, &ledger(&sandbox));
    let after = [["ACCEPTED"; 2].as_slice(), &["UNKNOWN"; 2], &["ACCEPTED"; 4]].concat();
    assert_eq!(outcomes(&second), after);
    let replayed = |row: &Value| row["replayed"].as_bool().unwrap_or(false);
    let rows = second["payouts"].as_array().unwrap();
    assert!(rows.iter().map(replayed).eq([false, false, false, false, false, false, true, true]));
    // Nothing is left that may be sent: UNKNOWN needs a person.
    let (third, steps) = run(&client, &json!({"payoutDetails": list}));
    assert!(steps.is_empty() && third.attempts() == 0);
    assert_eq!(outcomes(&report(third.expect("E_UNRESOLVED UNKNOWN"))), after);
}

/// Employee numbers are no references: in the second month everybody would be CONFIRMED, and nobody paid.
#[test]
fn a_second_month_with_the_same_references_is_refused_before_anything_is_sent() {
    let sandbox = sandbox();
    let client = Payer::new(sandbox.config());
    let mut list = recipients(3);
    run(&client, &json!({"payoutDetails": list})).0.expect("OK CONFIRMED");
    list.iter_mut().for_each(|one| one["description"] = json!("June"));
    list.insert(0, recipient(100, "0690000099"));
    let before = requests(&sandbox);
    let (reply, steps) = run(&client, &json!({"payoutDetails": list}));
    reply.expect("E_KEY_REUSED UNKNOWN");
    assert!(steps.is_empty() && requests(&sandbox) == before);
    let message = reply.message();
    let named = message.split_once("SALARY-0 was paid on 2").is_some_and(|(_, rest)| rest.contains(" by another list"));
    assert!(named && message.contains("as were 2 more"), "{message}");
    let last = report(&reply)["errors"]["payoutDetails.3.clientReference"].as_str().unwrap().to_owned();
    assert!(last.starts_with("SALARY-2 was paid on 2"), "{last}");
    // If it does go on with the other one, the new one is paid, and the others are replayed.
    let (reply, _) = run(&client, &json!({"payoutDetails": list, "continue": true}));
    let found = report(reply.expect("OK CONFIRMED"));
    check(&found, &list, &ledger(&sandbox));
    assert_eq!((requests(&sandbox), ledger(&sandbox).len()), (before + 1, 4));
    let day = last.split(' ').nth(4).unwrap();
    assert_eq!((&found["payouts"][1]["replayed"], &found["payouts"][1]["date"]), (&json!(true), &json!(day)));
    assert_eq!(found["payouts"][0].get("replayed"), None);
}

/// A run stopped half-way, and one account number is mended.
#[test]
fn a_corrected_list_goes_on_with_the_one_that_it_corrects() {
    let sandbox = sandbox();
    let client = Payer::new(sandbox.config());
    // The service does not know the third account.
    let mut list = recipients(3);
    list[2]["accountNumber"] = json!("0690000003");
    let (first, _) = run(&client, &json!({"payoutDetails": list}));
    assert_eq!(outcomes(&report(&first)), ["ACCEPTED", "ACCEPTED", "REJECTED"]);
    list[2]["accountNumber"] = json!("0690000033");
    let (refused, _) = run(&client, &json!({"payoutDetails": list}));
    refused.expect("E_KEY_REUSED UNKNOWN");
    assert!(refused.message().contains("if this list goes on with that one, corrected or longer, \"continue\": true"));
    let (paid, _) = run(&client, &json!({"payoutDetails": list, "continue": true}));
    let found = report(paid.expect("OK CONFIRMED"));
    check(&found, &list, &ledger(&sandbox));
    // Who was paid keeps the account that was paid.
    list[0]["accountNumber"] = json!("0690000077");
    let (changed, _) = run(&client, &json!({"payoutDetails": list, "continue": true}));
    let found = report(changed.expect("E_KEY_REUSED UNKNOWN"));
    assert_eq!(outcomes(&found), ["UNKNOWN", "ACCEPTED", "ACCEPTED"]);
    assert!(found["payouts"][0]["message"].as_str().unwrap().contains("accountNumber"), "{found}");
    assert!(ledger(&sandbox).values().all(|made| made.len() == 1));
}
