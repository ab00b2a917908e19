//! Long lists with random faults, given again until nothing is left that may be sent. TEST_BULK: how many recipients; SEED.

use std::collections::BTreeMap;
use std::time::Instant;

use paysvc_spec::status::CONTINUE;
use serde_json::json;

use super::{Payer, Steps, check, fault, ledger, outcomes, recipients, report, run_with, sizes};
use crate::support::random::Random;
use crate::support::sandbox::Sandbox;

/// Every fault of a batch, and in how many of ten thousand requests it acts.
const FAULTS: &[(&str, u32)] = &[
    ("commit_then_reset", 60),
    ("commit_then_close", 30),
    ("commit_then_500", 30),
    ("commit_then_502", 30),
    ("commit_then_408", 20),
    ("reset_without_commit", 60),
    ("close_after_read", 30),
    ("status_500", 30),
    ("status_503", 30),
    ("status_408", 20),
    ("truncate", 40),
    ("close_delimited_cut", 20),
    ("close_delimited", 50),
    ("silent_close_idle", 50),
    ("stale_keepalive", 50),
    ("unknown_fields", 50),
    ("empty_200", 20),
    ("html_200", 20),
    ("bad_utf8", 20),
    ("duplicate_members", 20),
    ("wrong_envelope", 20),
    ("status_429", 150),
    ("status_429_retry_after", 30),
    ("status_429_paid", 20),
    ("status_429_cut", 20),
    ("status_403_page", 20),
    ("status_409_page", 20),
    ("status_400_paid", 20),
    ("pending_refusal", 20),
    ("refused", 100),
    ("unauthorized", 20),
    ("reorder_elements", 40),
    ("drop_element", 40),
    ("alter_element", 40),
    ("alter_amount", 40),
    ("partial_batch", 40),
];

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The counts over all runs of one list.
#[derive(Default)]
struct Figures {
    runs: usize,
    requests: usize,
    /// The number of runs by their end.
    ends: BTreeMap<String, usize>,
}

fn pay_all(bits: &str, count: usize, seed: u64) {
    let sandbox = Sandbox::start(&["--pay-twice", "--key-bits", bits]);
    for (index, (name, of_ten_thousand)) in FAULTS.iter().enumerate() {
        // Nearly each of them ends a run, and in the next one the test reads all of a long list again.
        let probability = f64::from(*of_ten_thousand) / if count > 1000 { 30_000.0 } else { 10_000.0 };
        fault(&sandbox, json!({"fault": name, "probability": probability, "seed": seed + index as u64}));
    }
    let list = recipients(count);
    let client = Payer::new(sandbox.config_with(json!({"timeout_ms": 20_000, "max_attempts": 2})));
    let (mut figures, mut random) = (Figures::default(), Random::new(seed, 13));
    let started = Instant::now();
    // Each run reads the journal for everybody.
    let (goes_on, stops) = if count > 1000 { (95, 5) } else { (50, 20) };
    let last = loop {
        let request = json!({"payoutDetails": list, "continue_after_unknown": random.percent(goes_on)});
        // Some runs are stopped by their program, at any step.
        let mut left = if random.percent(stops) { random.below(60) } else { u64::MAX };
        let steps = Steps::new(move |_| {
            left = left.saturating_sub(1);
            if left == 0 { 0 } else { CONTINUE }
        });
        let (reply, _) = run_with(&client, &request, 0, steps);
        figures.runs += 1;
        figures.requests += reply.attempts() as usize;
        *figures.ends.entry(reply.verdict()).or_default() += 1;
        let found = report(&reply);
        // The ledger of ten thousand is long; nothing in it is ever taken back.
        if count <= 1000 || figures.runs % 20 == 0 {
            check(&found, &list, &ledger(&sandbox));
        }
        if !outcomes(&found).iter().any(|outcome| matches!(*outcome, "REJECTED" | "NOT_SENT")) {
            break found;
        }
    };
    let seconds = started.elapsed().as_secs_f64();
    let executed = ledger(&sandbox);
    check(&last, &list, &executed);
    assert_eq!(sandbox.get("/sandbox/duplicates")["duplicates"], json!([]), "nobody is paid twice");
    let accepted = outcomes(&last).iter().filter(|outcome| **outcome == "ACCEPTED").count();
    let unknown = count - accepted;
    let tried = sizes(&last);
    println!(
        "{bits} bits, seed {seed}: {count} recipients in {} batches of at most {}, {} runs, {} requests, {seconds:.1} s: \
         {accepted} ACCEPTED, {unknown} UNKNOWN of which {} were executed; 0 paid twice, 0 missing; ends of runs: {:?}",
        tried.len(),
        tried.iter().max().unwrap(),
        figures.runs,
        figures.requests,
        executed.len() - accepted,
        figures.ends,
    );
    assert!(accepted > count / 2 && figures.runs > 1);
}

/// Two ordinary recipients fit into a batch.
#[test]
fn faults_at_random_pay_nobody_twice_and_lose_nobody_in_batches_of_two() {
    pay_all("4096", setting("TEST_BULK", 300) as usize, setting("SEED", 1));
}

#[test]
fn faults_at_random_pay_nobody_twice_and_lose_nobody_in_batches_of_one() {
    pay_all("2048", setting("TEST_BULK", 300) as usize, setting("SEED", 1));
}
