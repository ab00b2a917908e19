//! The example in C, killed at any moment and started again, until nothing is left that may be sent.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};

use super::{check, fault, ledger, recipients, report};
use crate::support::capi::Client;
use crate::support::random::Random;
use crate::support::sandbox::Sandbox;
use crate::support::{Link, Stage, output_of, root};

#[test]
fn a_program_that_is_killed_goes_on_from_its_journal() {
    let stage = Stage::new();
    let program = stage.cc(&root().join("examples/payouts.c"), Link::Shared, &["-std=c89", "-pedantic"]);
    let sandbox = Sandbox::start(&[]);
    // Time to be killed within a batch, before and after it was executed.
    fault(&sandbox, json!({"fault": "slow_headers", "delay_ms": 30, "probability": 0.5, "seed": 3}));
    let list = recipients(40);
    let (names, journal) = (stage.path().join("list.json"), stage.path().join("journal"));
    std::fs::write(&names, Value::from(list.clone()).to_string()).unwrap();
    let start = || {
        let mut command = stage.command(&program);
        for name in ["base_url", "public_key", "secret_key", "encryption_key"] {
            command.env(format!("PAYSVC_{}", name.to_uppercase()), sandbox.text(name));
        }
        command.arg(&names).arg(&journal);
        command
    };
    let mut random = Random::new(13, 1);
    for kills in 0..6 {
        let mut child = start().stdout(Stdio::piped()).spawn().unwrap();
        // A step is printed before it is written down: so it dies while it writes, before a batch, or within one.
        let mut steps = BufReader::new(child.stdout.take().unwrap()).lines();
        (0..=random.below(6)).for_each(|_| _ = steps.next());
        std::thread::sleep(std::time::Duration::from_millis(random.below(40)));
        child.kill().unwrap();
        child.wait().unwrap();
        // As if it had died while it wrote what a batch was answered.
        let text = std::fs::read_to_string(&journal).unwrap_or_default();
        if kills % 2 == 0 && text.lines().last().is_some_and(|line| line.starts_with(r#"{"step":"after""#)) {
            std::fs::write(&journal, &text[..text.len() - 5]).unwrap();
        }
        let executed = ledger(&sandbox);
        assert!(executed.values().all(|made| made.len() == 1), "{executed:?}");
    }
    let output = start().output().unwrap();
    let unknown = String::from_utf8_lossy(&output.stdout).lines().filter(|line| line.starts_with("UNKNOWN ")).count();
    assert_eq!(output.status.code(), Some(if unknown == 0 { 0 } else { 2 }), "{}", output_of(&output));
    // What the journal says, as a report.
    let text = std::fs::read_to_string(&journal).unwrap();
    let steps: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let client = Client::new(&sandbox.config());
    let reply = client.call("payout_bulk", &json!({"payoutDetails": list, "earlier": steps}));
    assert_eq!(reply.attempts(), 0, "nothing is left that may be sent");
    let found = report(&reply);
    check(&found, &list, &ledger(&sandbox));
    assert_eq!((&found["unknown"], &found["accepted"]), (&json!(unknown), &json!(40 - unknown)));
    println!("40 recipients, killed 6 times: {} ACCEPTED, {unknown} UNKNOWN, 0 paid twice", 40 - unknown);
}
