//! The examples, in C and Python: killed at any moment, started twice, and started again with the same
//! list, until nothing is left that may be sent. Every list has the same journal.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{check, fault, ledger, recipients, report};
use crate::support::capi::Client;
use crate::support::random::Random;
use crate::support::sandbox::Sandbox;
use crate::support::{Link, Stage, bindings, output_of, root};

/// The time that a killed run may still be under way for the journal.
const TIMEOUT_MS: u64 = 1500;

struct Example {
    stage: Stage,
    sandbox: Sandbox,
    /// On a disk: the library refuses a file system in memory.
    folder: TempDir,
    list: RefCell<Vec<Value>>,
    program: Option<PathBuf>,
}

impl Example {
    fn new(stage: Stage, program: Option<PathBuf>) -> Example {
        let folder = TempDir::new_in(root().join("build")).unwrap();
        let list = RefCell::new(recipients(8));
        let example = Example { sandbox: Sandbox::start(&["--pay-twice"]), folder, list, program, stage };
        example.begin_anew();
        example
    }

    fn journal(&self) -> PathBuf {
        self.folder.path().join("pay.db")
    }

    fn start_with(&self, is_new: bool) -> Command {
        let mut command = match &self.program {
            Some(program) => self.stage.command(program),
            None => bindings::python("examples/payouts.py"),
        };
        self.sandbox.configure(&mut command);
        command.env("PAYSVC_TIMEOUT_MS", TIMEOUT_MS.to_string());
        command.args(is_new.then_some("--new")).arg(self.stage.path().join("list.json")).arg(self.journal());
        command
    }

    fn start(&self) -> Command {
        self.start_with(!self.journal().exists())
    }

    /// Pays what is left; gives how many are UNKNOWN. Afterwards the journal agrees with the ledger about everybody.
    #[track_caller]
    fn finish(&self) -> usize {
        let client = Client::new(&self.sandbox.config_with(json!({"journal": self.journal()})));
        // On a slow machine some may have no time (1), or a response comes too late, which ends a run early (2).
        let mut runs = (0..10).filter_map(|_| {
            let output = self.start().output().unwrap();
            let left = client.call("payout_bulk", &json!({"payoutDetails": *self.list.borrow()}));
            assert!(output.status.code() != Some(0) || left.attempts() == 0, "it left some: {}", output_of(&output));
            (output.status.code() != Some(1) && left.attempts() == 0).then_some((output, left))
        });
        let (output, reply) = runs.next().expect("it never ends");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let unknown = told.lines().filter(|line| line.starts_with("UNKNOWN ")).count();
        assert_eq!(output.status.code(), Some(if unknown == 0 { 0 } else { 2 }), "{}", output_of(&output));
        let (found, executed) = (report(&reply), ledger(&self.sandbox));
        check(&found, &self.list.borrow(), &executed);
        let accepted = self.list.borrow().len() - unknown;
        assert_eq!((&found["unknown"], &found["accepted"]), (&json!(unknown), &json!(accepted)));
        assert!(executed.values().all(|made| made.len() == 1), "{executed:?}");
        unknown
    }

    /// Kills it some time after this many lines were printed.
    fn kill_after(&self, lines: usize, later: Duration) {
        let mut child = self.start().stdout(Stdio::piped()).spawn().unwrap();
        let mut steps = BufReader::new(child.stdout.take().unwrap()).lines();
        (0..lines).for_each(|_| _ = steps.next());
        sleep(later);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// A list of others.
    fn begin_anew(&self) {
        self.sandbox.post("/sandbox/reset", &json!({}));
        let mut list = self.list.borrow_mut();
        for row in list.iter_mut() {
            row["clientReference"] = format!("{}-", row["clientReference"].as_str().unwrap()).into();
        }
        std::fs::write(self.stage.path().join("list.json"), Value::from(list.clone()).to_string()).unwrap();
    }
}

fn killed(example: &Example) {
    let slow = json!({"fault": "slow_headers", "delay_ms": 30, "probability": 0.5, "seed": 3});
    // At each of the steps of four batches.
    for lines in 1..=8 {
        example.begin_anew();
        fault(&example.sandbox, slow.clone());
        example.kill_after(lines, Duration::ZERO);
        // One batch at most.
        assert!(example.finish() <= 2);
    }
    // Several times in one list.
    example.begin_anew();
    fault(&example.sandbox, slow);
    let mut random = Random::new(13, 1);
    for _ in 0..4 {
        example.kill_after(1 + random.below(2) as usize, Duration::from_millis(random.below(40)));
    }
    println!("{} of {} UNKNOWN, 0 paid twice", example.finish(), example.list.borrow().len());
}

/// While one pays, the other one waits, and finds everybody paid.
fn started_twice(example: &Example, times: usize) {
    for _ in 0..times {
        example.begin_anew();
        fault(&example.sandbox, json!({"fault": "slow_headers", "delay_ms": 100, "count": 2}));
        // Neither is killed, so no other waits for the end of its lease.
        let start = || example.start().env("PAYSVC_TIMEOUT_MS", "30000").stdout(Stdio::null()).spawn().unwrap();
        let children = [start(), start()];
        let codes = children.map(|mut child| child.wait().unwrap().code().unwrap());
        assert!(codes.iter().all(|code| matches!(code, 0 | 1)), "{codes:?}");
        assert_eq!(example.finish(), 0);
    }
}

/// A name that is wrong by accident begins nothing, and a list with another account is another list.
fn refused(example: &Example) {
    example.begin_anew();
    assert_eq!(example.finish(), 0);
    let elsewhere = example.folder.path().join("elsewhere");
    std::fs::rename(example.journal(), &elsewhere).unwrap();
    let output = example.start_with(false).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", output_of(&output));
    assert!(!example.journal().exists());
    std::fs::rename(&elsewhere, example.journal()).unwrap();
    let mut list = example.list.borrow().clone();
    list[0]["accountNumber"] = "0690000031".into();
    std::fs::write(example.stage.path().join("list.json"), Value::from(list).to_string()).unwrap();
    let output = example.start().output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", output_of(&output));
    assert!(ledger(&example.sandbox).values().all(|made| made.len() == 1));
}

#[test]
fn in_c_with_a_journal_nobody_is_paid_twice() {
    let stage = Stage::new();
    let program = stage.cc(&root().join("examples/payouts.c"), Link::Shared, &["-std=c89", "-pedantic"]);
    let example = Example::new(stage, Some(program));
    killed(&example);
    started_twice(&example, 6);
    refused(&example);
}

#[test]
fn in_python_with_a_journal_nobody_is_paid_twice() {
    let example = Example::new(Stage::new(), None);
    killed(&example);
    started_twice(&example, 2);
    refused(&example);
}
