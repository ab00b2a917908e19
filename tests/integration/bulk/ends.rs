//! The causes that end a run: faults, deadlines, cancels and callbacks; and the report then.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use paysvc_spec::status::{CONTINUE, Outcome};
use serde_json::{Value, json};

use super::{Payer, Steps, check, fault, ledger, outcomes, recipients, report, run, run_with, sandbox, sizes};
use crate::support::capi::{Call, eventually};
use crate::support::server::Server;

/// Seven recipients in four batches.
const COUNT: usize = 7;

struct Case {
    /// Rules of the sandbox.
    rules: Value,
    more: Value,
    verdict: &'static str,
    /// The outcome of each batch that was tried, by its first letter.
    batches: &'static str,
    says: &'static str,
}

fn check_case(case: &Case) {
    let sandbox = sandbox();
    for rule in case.rules.as_array().unwrap() {
        fault(&sandbox, rule.clone());
    }
    let list = recipients(COUNT);
    let mut request = json!({"payoutDetails": list});
    request.as_object_mut().unwrap().extend(case.more.as_object().unwrap().clone());
    let (reply, steps) = run(&Payer::new(sandbox.config_with(json!({"timeout_ms": 5000}))), &request);
    let report = report(reply.expect(case.verdict));
    check(&report, &list, &ledger(&sandbox));
    let batches = report["batches"].as_array().unwrap();
    let letters: String = batches.iter().map(|batch| &batch["outcome"].as_str().unwrap()[..1]).collect();
    assert_eq!(letters, case.batches, "{}: {report}", case.rules);
    let tried: u64 = sizes(&report).iter().sum();
    let never = outcomes(&report).iter().filter(|outcome| **outcome == "NOT_SENT").count();
    assert!(never >= COUNT - tried as usize, "{report}");
    assert_eq!(steps.len(), 2 * batches.len(), "every batch has a step before and after it");
    assert!(reply.message().contains(case.says), "{}", reply.message());
}

#[test]
fn faults_end_a_run_where_they_must() {
    let second = |fault: &str| json!([{"fault": fault, "nth": 2}]);
    let none = json!({});
    let on = json!({"continue_after_unknown": true});
    let case =
        |rules: Value, more: &Value, verdict, batches, says| Case { rules, more: more.clone(), verdict, batches, says };
    let stopped = "the outcome of a batch is UNKNOWN, so nothing more was sent";
    for case in [
        case(second("commit_then_reset"), &none, "E_TRANSPORT UNKNOWN", "AU", stopped),
        case(second("reset_without_commit"), &none, "E_TRANSPORT UNKNOWN", "AU", stopped),
        case(second("commit_then_500"), &none, "E_SERVER UNKNOWN", "AU", stopped),
        case(second("truncate"), &none, "E_RESPONSE UNKNOWN", "AU", stopped),
        case(second("commit_then_reset"), &on, "E_TRANSPORT UNKNOWN", "AUAA", "a person must find out"),
        case(second("status_429_paid"), &none, "E_RATE_LIMITED UNKNOWN", "AU", stopped),
        case(
            second("partial_batch"),
            &none,
            "E_RESPONSE UNKNOWN",
            "AU",
            "the response has 1 payouts, but the batch had 2",
        ),
        case(
            second("drop_element"),
            &none,
            "E_RESPONSE UNKNOWN",
            "AU",
            "the response has 1 payouts, but the batch had 2",
        ),
        case(
            second("reorder_elements"),
            &none,
            "E_RESPONSE UNKNOWN",
            "AU",
            "payout 0 of the response has a different account number",
        ),
        case(
            second("alter_amount"),
            &none,
            "E_RESPONSE UNKNOWN",
            "AU",
            "payout 0 of the response has a different amount",
        ),
        // A response that belongs to another request ends the run whatever the caller said.
        case(second("alter_element"), &on, "E_RESPONSE UNKNOWN", "AU", "does not match the batch"),
        case(second("unauthorized"), &on, "E_UNAUTHORIZED UNKNOWN", "AR", "the service refused the API key"),
        case(second("refused"), &none, "E_UNRESOLVED UNKNOWN", "ARAA", ""),
        case(
            json!([{"fault": "refused", "nth": 1, "count": 99}]),
            &on,
            "E_UNRESOLVED UNKNOWN",
            "RRR",
            "three batches in a row",
        ),
        case(
            json!([{"fault": "status_500", "nth": 2, "count": 99}]),
            &on,
            "E_SERVER UNKNOWN",
            "AUUU",
            "three batches in a row",
        ),
        // Two refusals and an acceptance restart the count.
        case(json!([{"fault": "refused", "nth": 1, "count": 2}]), &none, "E_UNRESOLVED UNKNOWN", "RRAA", ""),
    ] {
        check_case(&case);
    }
}

#[test]
fn a_service_that_is_busy_is_waited_for() {
    let sandbox = sandbox();
    // More than the attempts of one call, with and without the time to wait.
    fault(&sandbox, json!({"fault": "status_429_retry_after", "nth": 2}));
    fault(&sandbox, json!({"fault": "status_429", "nth": 2, "count": 2}));
    let list = recipients(COUNT);
    let client = Payer::new(sandbox.config_with(json!({"max_attempts": 1})));
    let (reply, _) = run(&client, &json!({"payoutDetails": list}));
    reply.expect("OK CONFIRMED");
    check(&report(&reply), &list, &ledger(&sandbox));
    assert_eq!(reply.attempts(), 4 + 3);
}

#[test]
fn a_wait_that_the_call_has_no_time_for_is_not_begun() {
    let server = Server::always("429 busy", "retry-after: 600\r\n", "{}");
    let mut config = server.config();
    config["encryption_key"] = json!(crate::support::long_encryption_key());
    let (reply, steps) =
        run_with(&Payer::new(config), &json!({"payoutDetails": recipients(COUNT)}), 500_000, Steps::new(|_| CONTINUE));
    reply.expect("E_RATE_LIMITED UNKNOWN");
    assert_eq!((reply.retry_after_ms(), reply.attempts()), (600_000, 1));
    assert_eq!(outcomes(&report(&reply)), [["REJECTED"; 2].as_slice(), &["NOT_SENT"; 5]].concat());
    assert_eq!(steps.steps.last().unwrap()["status"], "E_RATE_LIMITED");
}

/// A response that refuses without a vote proves less once a 429 came before it.
#[test]
fn a_refusal_after_429_is_not_taken_for_more_than_it_is() {
    for (answers, expected) in [
        (["429 busy", "404 gone"], "E_RESPONSE UNKNOWN"),
        (["429 busy", "401 no"], "E_UNAUTHORIZED REJECTED"),
        (["404 gone", "404 gone"], "E_REJECTED REJECTED"),
    ] {
        let server = Server::start(move |mut c| {
            for answer in answers {
                if c.read_request().is_none() {
                    return;
                }
                c.answer(answer, "retry-after: 0\r\n", "{}");
            }
        });
        let mut config = server.config();
        config["encryption_key"] = json!(crate::support::long_encryption_key());
        config["max_attempts"] = json!(1);
        config["connection_reuse"] = json!("all");
        let (reply, _) = run(&Payer::new(config), &json!({"payoutDetails": recipients(1)}));
        reply.expect(expected);
    }
}

/// The journal remembers the proof of a 429: a batch that was refused with it is sent again as a whole, and of its
/// recipients only one that no 429 concerns is REJECTED by a response that refuses without a vote.
#[test]
fn a_429_of_an_earlier_list_counts_for_its_recipients_and_breaks_no_batch() {
    let requests = Arc::new(AtomicUsize::new(0));
    let server = Server::start({
        let requests = Arc::clone(&requests);
        move |mut c| {
            while c.read_request().is_some() {
                match requests.fetch_add(1, Ordering::SeqCst) {
                    0 => c.answer("429 busy", "retry-after: 600\r\n", "{}"),
                    _ => c.answer("400 no", "", "{}"),
                }
            }
        }
    });
    let mut config = server.config();
    config["encryption_key"] = json!(crate::support::long_encryption_key());
    let payer = Payer::new(config);
    let list = recipients(2);
    let begin = |count: usize| {
        let request = json!({"payoutDetails": list[..count]});
        let (reply, _) = run_with(&payer, &request, 60_000, Steps::new(|_| CONTINUE));
        let report = report(&reply);
        (reply, report)
    };
    let (busy, _) = begin(1);
    assert_eq!((busy.expect("E_RATE_LIMITED REJECTED").attempts(), requests.load(Ordering::SeqCst)), (1, 1));
    let (reply, found) = begin(2);
    reply.expect("E_RESPONSE UNKNOWN");
    assert_eq!((outcomes(&found), sizes(&found)), (vec!["UNKNOWN", "REJECTED"], vec![2]), "{found}");
    // An UNKNOWN recipient is not sent again, and a refused one is.
    let (again, found) = begin(2);
    assert_eq!((again.outcome(), outcomes(&found)), (Outcome::Unknown, vec!["UNKNOWN", "REJECTED"]), "{found}");
    assert_eq!(requests.load(Ordering::SeqCst), 3);
}

#[test]
fn a_batch_that_was_refused_with_429_is_sent_again_as_it_was() {
    let server = Server::always("429 busy", "retry-after: 600\r\n", "{}");
    let mut config = server.config();
    config["encryption_key"] = json!(crate::support::long_encryption_key());
    let payer = Payer::new(config);
    for _ in 0..2 {
        let request = json!({"payoutDetails": recipients(2)});
        let (reply, _) = run_with(&payer, &request, 60_000, Steps::new(|_| CONTINUE));
        assert_eq!(sizes(&report(reply.expect("E_RATE_LIMITED REJECTED"))), [2]);
    }
}

#[test]
fn no_batch_starts_that_cannot_end_in_time() {
    let sandbox = sandbox();
    let list = recipients(COUNT);
    let request = json!({"payoutDetails": list});
    let client = Payer::new(sandbox.config_with(json!({"timeout_ms": 20_000})));
    let (reply, steps) = run_with(&client, &request, 19_000, Steps::new(|_| CONTINUE));
    reply.expect("E_TIMEOUT NOT_SENT");
    assert!(reply.message().contains("but a batch may take 20000 ms (timeout_ms)"), "{}", reply.message());
    assert!(steps.steps.is_empty());
    check(&report(&reply), &list, &ledger(&sandbox));
    // The time for the rest passes after the second batch: no third one starts.
    let slow = |name: &'static str, batch: u64| {
        Steps::new(move |step| {
            if step["step"] == name && step["batch"] == batch {
                std::thread::sleep(Duration::from_millis(5000));
            }
            CONTINUE
        })
    };
    let (reply, _) = run_with(&client, &request, 25_000, slow("after", 1));
    reply.expect("E_TIMEOUT UNKNOWN");
    let found = report(&reply);
    assert_eq!(outcomes(&found), [["ACCEPTED"; 4].as_slice(), &["NOT_SENT"; 3]].concat());
    check(&found, &list, &ledger(&sandbox));
    // It passes in the callback before a batch: that batch is not sent.
    let (reply, steps) = run_with(&client, &json!({"payoutDetails": list}), 25_000, slow("before", 2));
    reply.expect("E_TIMEOUT UNKNOWN");
    let steps: Vec<_> =
        steps.steps.iter().map(|step| (step["step"].as_str().unwrap(), step["outcome"].as_str())).collect();
    assert_eq!(steps, [("before", None), ("after", Some("NOT_SENT"))]);
    check(&report(&reply), &list, &ledger(&sandbox));
}

#[test]
fn a_callback_stops_before_the_next_batch_whatever_else_it_returns() {
    let sandbox = sandbox();
    let client = Payer::new(sandbox.config());
    for wrong in [0, 1, -1, CONTINUE + 1] {
        let list = recipients(COUNT);
        let (reply, steps) = run_with(&client, &json!({"payoutDetails": list}), 0, Steps::new(move |_| wrong));
        reply.expect("E_CANCELLED NOT_SENT");
        assert_eq!(steps.steps.len(), 2, "one before and one after");
        check(&report(&reply), &list, &ledger(&sandbox));
    }
    let list = recipients(COUNT);
    let stop = |step: &Value| if step["step"] == "after" && step["batch"] == 1 { 0 } else { CONTINUE };
    let (reply, _) = run_with(&client, &json!({"payoutDetails": list}), 0, Steps::new(stop));
    reply.expect("E_CANCELLED UNKNOWN");
    assert!(reply.message().ends_with("the progress callback stopped the call"), "{}", reply.message());
    let found = report(&reply);
    assert_eq!(outcomes(&found), [["ACCEPTED"; 4].as_slice(), &["NOT_SENT"; 3]].concat());
    check(&found, &list, &ledger(&sandbox));
    // After the last batch there is nothing to stop.
    let stop = |step: &Value| if step["step"] == "after" && step["batch"] == 3 { 0 } else { CONTINUE };
    run_with(&client, &json!({"payoutDetails": list}), 0, Steps::new(stop)).0.expect("OK CONFIRMED");
}

#[test]
fn a_cancel_ends_the_run_and_the_report_is_whole() {
    let sandbox = sandbox();
    let client = Payer::new(sandbox.config());
    let list = recipients(COUNT);
    // Between two batches.
    let call = std::sync::Arc::new(Call::new());
    let steps = {
        let call = std::sync::Arc::clone(&call);
        Steps::new(move |step| {
            if step["step"] == "after" && step["batch"] == 0 {
                call.cancel();
            }
            CONTINUE
        })
    };
    call.set_progress(super::keep, &steps);
    let reply = client.call_with("payout_bulk", &json!({"payoutDetails": list}), Some(&call));
    reply.expect("E_CANCELLED UNKNOWN");
    assert_eq!(outcomes(&report(&reply)), [["ACCEPTED"; 2].as_slice(), &["NOT_SENT"; 5]].concat());
    check(&report(&reply), &list, &ledger(&sandbox));
    // Within a batch: it may have been executed.
    sandbox.post("/sandbox/reset", &json!({}));
    let client = Payer::new(sandbox.config());
    fault(&sandbox, json!({"fault": "commit_then_timeout", "nth": 2}));
    let call = Call::new();
    let reply = std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            let request = json!({"payoutDetails": list, "continue_after_unknown": true});
            client.call_with("payout_bulk", &request, Some(&call))
        });
        eventually("four payouts", || ledger(&sandbox).len() >= 4);
        call.cancel();
        running.join().unwrap()
    });
    reply.expect("E_CANCELLED UNKNOWN");
    assert_eq!(outcomes(&report(&reply)), [["ACCEPTED"; 2].as_slice(), &["UNKNOWN"; 2], &["NOT_SENT"; 3]].concat());
    check(&report(&reply), &list, &ledger(&sandbox));
}
