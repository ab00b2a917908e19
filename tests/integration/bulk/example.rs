//! The example without a journal, in Go: killed at any moment, started twice, with torn or other steps, on a full disk,
//! and started again, until nothing is left that may be sent. PAYSVC_TORN=1 tears a line at every byte.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use super::many::setting;
use super::{check, fault, ledger, recipients, report};
use crate::support::capi::Client;
use crate::support::random::Random;
use crate::support::sandbox::Sandbox;
use crate::support::{Stage, output_of};

/// The example, a list that it pays, and the sandbox that is asked to.
struct Example {
    stage: Stage,
    sandbox: Sandbox,
    list: RefCell<Vec<Value>>,
    program: PathBuf,
}

impl Example {
    fn new(count: usize) -> Example {
        let stage = Stage::new();
        let program = stage.go_build("examples/payouts");
        let list = RefCell::new(recipients(count));
        let example = Example { sandbox: Sandbox::start(&[]), list, program, stage };
        example.begin_anew();
        example
    }

    fn steps(&self) -> PathBuf {
        self.stage.path().join("steps")
    }

    /// Begins, or goes on with the steps in a file.
    fn start_with(&self, is_new: bool, steps: &Path) -> Command {
        let mut command = self.stage.command(&self.program);
        for name in ["base_url", "public_key", "secret_key", "encryption_key"] {
            command.env(format!("PAYSVC_{}", name.to_uppercase()), self.sandbox.text(name));
        }
        command.args(is_new.then_some("-new")).arg(self.stage.path().join("list.json")).arg(steps);
        command
    }

    /// Goes on if there are steps.
    fn start(&self) -> Command {
        let steps = self.steps();
        self.start_with(!steps.exists(), &steps)
    }

    /// Continues with what is left, until it ends; returns how many are UNKNOWN.
    #[track_caller]
    fn finish(&self) -> usize {
        let output = self.start().output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let unknown = told.lines().filter(|line| line.starts_with("UNKNOWN ")).count();
        assert_eq!(output.status.code(), Some(if unknown == 0 { 0 } else { 2 }), "{}", output_of(&output));
        self.check(unknown);
        unknown
    }

    /// The steps agree with the ledger about everybody.
    #[track_caller]
    fn check(&self, unknown: usize) {
        let text = std::fs::read_to_string(self.steps()).unwrap();
        assert!(text.ends_with('\n'));
        let steps: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let client = Client::new(&self.sandbox.config());
        let reply = client.call("payout_bulk", &json!({"payoutDetails": *self.list.borrow(), "earlier": steps}));
        assert_eq!(reply.attempts(), 0, "nothing is left that may be sent");
        let found = report(&reply);
        check(&found, &self.list.borrow(), &ledger(&self.sandbox));
        let accepted = self.list.borrow().len() - unknown;
        assert_eq!((&found["unknown"], &found["accepted"]), (&json!(unknown), &json!(accepted)));
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

    /// Everybody gets a new reference: what a killed run has sent may be executed after the sandbox has forgotten it.
    fn begin_anew(&self) {
        self.sandbox.post("/sandbox/reset", &json!({}));
        let _ = std::fs::remove_file(self.steps());
        let mut list = self.list.borrow_mut();
        for row in list.iter_mut() {
            row["clientReference"] = format!("{}-", row["clientReference"].as_str().unwrap()).into();
        }
        std::fs::write(self.stage.path().join("list.json"), Value::from(list.clone()).to_string()).unwrap();
    }
}

fn told(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(3), "{}", output_of(output));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A step is printed before it is written down: so it dies while it writes, before a batch, or within one.
fn killed(example: &Example) {
    let slow = json!({"fault": "slow_headers", "delay_ms": 30, "probability": 0.5, "seed": 3});
    // At each of the steps of four batches.
    for lines in 1..=8 {
        example.begin_anew();
        fault(&example.sandbox, slow.clone());
        example.kill_after(lines, Duration::ZERO);
        example.finish();
    }
    // Six times in one list.
    example.begin_anew();
    fault(&example.sandbox, slow);
    let mut random = Random::new(13, 1);
    for kills in 0..6 {
        example.kill_after(1 + random.below(2) as usize, Duration::from_millis(random.below(40)));
        // As if it had died while it wrote what a batch was answered.
        let text = std::fs::read_to_string(example.steps()).unwrap_or_default();
        if kills % 2 == 0 && text.lines().last().is_some_and(|line| line.starts_with(r#"{"step":"after""#)) {
            std::fs::write(example.steps(), &text[..text.len() - 5]).unwrap();
        }
        let executed = ledger(&example.sandbox);
        assert!(executed.values().all(|made| made.len() == 1), "{executed:?}");
    }
    let unknown = example.finish();
    println!(
        "killed at 8 steps, and 6 times in one list: {unknown} of {} UNKNOWN, 0 paid twice",
        example.list.borrow().len()
    );
}

/// The process that has the file pays; the other one is refused, even if both begin.
fn started_twice(example: &Example, times: usize) {
    for round in 0..times {
        example.begin_anew();
        let both = || {
            let start = |is_new| example.start_with(is_new, &example.steps());
            let is_new = !example.steps().exists();
            let children = [0, 1].map(|_| {
                let mut command = start(is_new);
                command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
            });
            children.map(|child| child.wait_with_output().unwrap().status.code().unwrap())
        };
        if round % 2 == 1 {
            example.kill_after(1, Duration::ZERO);
        }
        let codes = both();
        // One after the other is no race: the second one finds everything paid.
        assert!(codes.iter().all(|code| [0, 2, 3].contains(code)) && codes != [3, 3], "{codes:?}");
        example.finish();
        let executed = ledger(&example.sandbox);
        assert!(executed.values().all(|made| made.len() == 1), "{executed:?}");
    }
    // While one pays.
    example.begin_anew();
    fault(&example.sandbox, json!({"fault": "slow_headers", "delay_ms": 700, "count": 2}));
    let mut first = example.start().stdout(Stdio::piped()).spawn().unwrap();
    let mut steps = BufReader::new(first.stdout.take().unwrap()).lines();
    steps.next().unwrap().unwrap();
    let second = told(&example.start_with(false, &example.steps()).output().unwrap());
    assert!(!second.is_empty());
    steps.for_each(drop);
    assert_eq!(first.wait().unwrap().code(), Some(0));
    example.check(0);
    println!("started twice at once {times} times, and while it pays: 0 paid twice");
}

/// Every part of the line that was being written, in steps of this many bytes.
fn torn(example: &Example, bytes: usize) {
    example.begin_anew();
    assert_eq!(example.finish(), 0);
    let text = std::fs::read_to_string(example.steps()).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut cuts = 0;
    // The first line; a step before a batch, which was not sent; a step after one, whose answer is lost.
    for whole in [0, 2, 1] {
        for cut in (0..lines[whole].len()).step_by(bytes) {
            // The sandbox keeps counting, as the service does: an answer that repeats a reference does not count.
            let before = ledger(&example.sandbox);
            let left = [lines[..whole].concat().as_bytes(), &lines[whole].as_bytes()[..cut]].concat();
            std::fs::write(example.steps(), left).unwrap();
            let output = example.start().output().unwrap();
            let code = if whole == 1 { 2 } else { 0 };
            assert_eq!(output.status.code(), Some(code), "{whole} {cut}: {}", output_of(&output));
            // The first batch may be under way, or has been executed: it is not sent.
            let first = if whole == 0 { 0 } else { 2 };
            let executed = ledger(&example.sandbox);
            for (index, row) in example.list.borrow().iter().enumerate() {
                let name = row["clientReference"].as_str().unwrap();
                let times = executed[name].len() - before[name].len();
                assert_eq!(times, usize::from(index >= first), "{name} {whole} {cut}: {}", output_of(&output));
            }
            let again = std::fs::read_to_string(example.steps()).unwrap();
            assert!(again.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{again}");
            cuts += 1;
        }
    }
    println!("{cuts} files with a torn line: 0 paid twice, every line whole afterwards");
}

/// A name that is wrong by accident begins nothing.
fn other_file(example: &Example) {
    example.begin_anew();
    assert_eq!(example.finish(), 0);
    let other = example.stage.path().join("another");
    told(&example.start_with(false, &other).output().unwrap());
    assert!(!other.exists());
    told(&example.start_with(true, &example.steps()).output().unwrap());
    assert_eq!(ledger(&example.sandbox).len(), example.list.borrow().len());
    example.check(0);
    // A file that is damaged is refused, and left as it is.
    let text = std::fs::read_to_string(example.steps()).unwrap();
    for damaged in [text.replacen('{', "\0", 1), text.replacen('{', "", 1)] {
        std::fs::write(example.steps(), &damaged).unwrap();
        told(&example.start().output().unwrap());
        assert_eq!(std::fs::read_to_string(example.steps()).unwrap(), damaged);
    }
    assert_eq!(ledger(&example.sandbox).len(), example.list.borrow().len());
}

/// A limit in blocks of 512 bytes stands for the disk: a line that does not fit is written in part.
fn full_disk(example: &Example) {
    let mut stopped = 0;
    for blocks in 1..=8 {
        example.begin_anew();
        let start = example.start();
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let mut limited = Command::new("sh");
        limited.args(["-c", &script]).arg(start.get_program()).args(start.get_args());
        for (name, value) in start.get_envs() {
            limited.env(name, value.unwrap_or_default());
        }
        let output = limited.output().unwrap();
        stopped += usize::from(output.status.code() != Some(0));
        let text = std::fs::read_to_string(example.steps()).unwrap();
        assert!(text.is_empty() || text.ends_with('\n'), "{blocks} blocks: {text}");
        // One batch at most has an answer that could not be written down.
        let unknown = example.finish();
        assert!(unknown <= 2, "{unknown} UNKNOWN with {blocks} blocks");
    }
    assert!(stopped > 3, "{stopped}");
}

#[test]
fn without_a_journal_nobody_is_paid_twice() {
    let example = Example::new(8);
    killed(&example);
    started_twice(&example, 20);
    other_file(&example);
    full_disk(&example);
}

#[test]
fn a_line_may_be_torn_anywhere() {
    torn(&Example::new(4), setting("PAYSVC_TORN", 17) as usize);
}
