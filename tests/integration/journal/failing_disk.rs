//! Each system call on the journal's files fails, one after the other, for one call or from then on.
//!
//! The disk at the moment when a request left is rebuilt from the operations that did not fail: the claim must be
//! there. A failed sync is taken to have lost the data that was to be synced.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::disk::{Cut, Disk, files_of};
use super::recording::{Op, read, recorded, system_calls, traced};
use super::sequence::{Call, all, config, copy, new_journal, prepare};
use super::{folder, with_c};
use crate::support::driver::{Driver, Reply};
use crate::support::sandbox::Sandbox;
use crate::support::strace::has_strace;

/// Every so many failures in `make test`, and those of syncs.
const STRIDE: usize = 37;

/// Errors of system calls, and whether they last. One that is not here never fails because of a disk.
const ERRORS: [(&str, &[&str]); 10] = [
    ("pwrite64", &["error=EIO", "error=ENOSPC", "error=ENOSPC:+"]),
    ("fdatasync", &["error=EIO", "error=EIO:+"]),
    ("fsync", &["error=EIO", "error=EIO:+"]),
    ("pread64", &["error=EIO", "error=EIO:+"]),
    ("openat", &["error=EIO", "error=ENOSPC", "error=EMFILE"]),
    ("ftruncate", &["error=EIO", "error=ENOSPC:+"]),
    ("mmap", &["error=ENOMEM"]),
    ("fcntl", &["error=ENOLCK"]),
    ("statx", &["error=EIO"]),
    ("newfstatat", &["error=EIO"]),
];

/// The system call's name and number among those of its name, and how it fails.
struct Failure {
    name: String,
    options: String,
}

/// The failures of the system calls that concern the folder in a run without failures, from the first on.
fn failures(trace: &Path, folder: &Path) -> Vec<Failure> {
    let folder = std::fs::canonicalize(folder).unwrap();
    let (mut numbers, mut failures) = (HashMap::<String, usize>::new(), Vec::new());
    for call in system_calls(trace) {
        let number = numbers.entry(call.name.clone()).or_default();
        *number += 1;
        let errors = ERRORS.iter().find(|(name, _)| *name == call.name).filter(|_| call.concerns(&folder));
        for error in errors.map_or(&[][..], |(_, errors)| errors) {
            let (error, lasts) = error.strip_suffix(":+").map_or((*error, ""), |error| (error, "+"));
            let options = format!("inject={}:{error}:when={number}{lasts}", call.name);
            failures.push(Failure { name: call.name.clone(), options });
        }
    }
    failures
}

#[derive(Default)]
struct Figures {
    failures: usize,
    refused: usize,
    executed: usize,
    unsure: usize,
    failed_syncs: usize,
    not_durable: Vec<String>,
    twice: Vec<String>,
    changed: Vec<String>,
}

impl Figures {
    /// Checks one run, and a program that is started later on a working disk.
    fn check(&mut self, call: &Call, run: &Run, at: &str) {
        self.failures += 1;
        self.failed_syncs += run.ops.iter().filter(|op| matches!(op, Op::FailedSync(_))).count();
        let refused = run.replies.iter().filter(|reply| reply.status == "E_JOURNAL").count();
        self.refused += refused;
        self.executed += run.effects;
        let (mut disk, mut told, mut sent) = (run.disk.clone(), 0, 0);
        for op in &run.ops {
            disk.apply(op);
            told += usize::from(matches!(op, Op::Told));
            if call.was_sent(op) {
                sent += 1;
                if !call.is_claimed(&disk.after(Cut::Nothing)) {
                    self.not_durable.push(format!("{at}: {:?}", run.replies));
                }
                // The first line is the client's.
                let reply = run.replies.get(told.wrapping_sub(1));
                let is_own = |reply: &&Reply| matches!(reply.verdict(), ("OK", "CONFIRMED") | ("E_TIMEOUT", "UNKNOWN"));
                if reply.filter(is_own).is_none() {
                    self.changed.push(format!("{at}: {reply:?}"));
                }
            }
        }
        let (later, effects) = &run.later;
        if sent > 1 || *effects > 1 {
            self.twice.push(format!("{at}: sent {sent} times, executed {effects} times: {:?}, {later:?}", run.replies));
        }
        // A claim that can neither be looked up nor was ended needs a person.
        let known = match later.outcome.as_str() {
            "CONFIRMED" => *effects == 1,
            "UNKNOWN" => *effects == 0 || !call.can_be_looked_up(),
            _ => false,
        };
        assert!(known, "{at}: executed {effects} times: {:?}, {later:?}", run.replies);
        self.unsure += usize::from(later.outcome == "UNKNOWN");
        // On a slow machine the time may be over before anything was sent.
        let attempts: i32 = run.replies.iter().map(|reply| reply.attempts).sum();
        let is_told = |reply: &Reply| {
            reply.status == "E_JOURNAL" || reply.status == "E_TIMEOUT" && reply.attempts == 0 && sent <= attempts
        };
        let unsure = run.replies.iter().any(|reply| reply.outcome == "NOT_SENT" && !is_told(reply));
        assert!(!unsure, "{at}: {:?}", run.replies);
        reopened(&run.ops, at);
    }
}

/// After a failed sync nothing is written to a file before it has been opened again.
fn reopened(ops: &[Op], at: &str) {
    let mut failed: Option<&str> = None;
    for op in ops {
        match op {
            Op::FailedSync(name) => failed = Some(name),
            Op::Opened(name) | Op::Created(name) if failed == Some(name) => failed = None,
            Op::Write { name, .. } => assert_ne!(failed, Some(name.as_str()), "{at}: written after a failed sync"),
            _ => {}
        }
    }
}

struct Run {
    /// Before it.
    disk: Disk,
    ops: Vec<Op>,
    replies: Vec<Reply>,
    effects: usize,
    /// The reply of a program that is started afterwards, and the effects then.
    later: (Reply, usize),
}

/// The call twice in one program with that failure, then once in another without.
fn run(sandbox: &Sandbox, command: &dyn Fn() -> Command, new: &Path, call: &Call, failure: &Failure) -> Run {
    prepare(sandbox);
    let (folder, traces) = (folder(), folder());
    copy(new, folder.path());
    let trace = traces.path().join("trace");
    let disk = Disk::with(files_of(folder.path()));
    // The time that the next call waits for an end that could not be written.
    let short = config(sandbox, folder.path(), json!({"timeout_ms": 1000}));
    let inject = Some((failure.name.as_str(), failure.options.as_str()));
    let mut driver = Driver::start(&mut recorded(&command(), &trace, inject), &short);
    let created = driver.created.clone();
    let replies = match created.status.as_str() {
        "OK" => vec![call.run(&mut driver), call.run(&mut driver)],
        _ => Vec::new(),
    };
    driver.finish();
    let effects = call.effects(sandbox);
    let mut again = Driver::start(&mut command(), &config(sandbox, folder.path(), json!({})));
    assert_eq!(again.created.status, "OK", "{inject:?}: {}", again.created.message);
    let reply = call.run(&mut again);
    again.finish();
    let later = (reply, call.effects(sandbox));
    Run { disk, ops: read(&trace, folder.path()), replies, effects, later }
}

#[test]
fn nothing_is_sent_without_a_claim_that_is_on_the_disk_whatever_fails() {
    if !has_strace("the journal is NOT tried on a failing disk") {
        return;
    }
    with_c(|command| {
        let sandbox = Sandbox::start(&["--pay-twice", "--any-reference"]);
        prepare(&sandbox);
        let new = new_journal(&sandbox, command);
        let mut figures = Figures::default();
        for call in [Call::charge("O-1", None), Call::refund("10.25", None)] {
            // All system calls of the same run, to know their numbers.
            let (folder, traces) = (folder(), folder());
            copy(new.path(), folder.path());
            let trace = traces.path().join("trace");
            let config = config(&sandbox, folder.path(), json!({}));
            let mut driver = Driver::start(&mut traced(&command(), &trace, &[]), &config);
            let replies = [call.run(&mut driver), call.run(&mut driver)];
            driver.finish();
            assert!(replies.iter().all(|reply| reply.verdict() == ("OK", "CONFIRMED")), "{replies:?}");
            let failures = failures(&trace, folder.path());
            let is_picked = |number: usize, failure: &Failure| {
                all() || number.is_multiple_of(STRIDE) || failure.name == "fdatasync" && call.can_be_looked_up()
            };
            let picked = failures.iter().enumerate().filter(|(number, failure)| is_picked(*number, failure));
            for (_, failure) in picked {
                let run = run(&sandbox, command, new.path(), &call, failure);
                figures.check(&call, &run, &format!("{} under {}", call.function, failure.options));
            }
        }
        println!(
            "journal: {} failures of system calls ({} failed syncs): {} calls refused, {} executed, {} for a person, {} \
             sent without a durable claim, {} executed twice, {} replies changed after sending",
            figures.failures,
            figures.failed_syncs,
            figures.refused,
            figures.executed,
            figures.unsure,
            figures.not_durable.len(),
            figures.twice.len(),
            figures.changed.len(),
        );
        assert!(figures.not_durable.is_empty(), "sent without a durable claim: {:#?}", figures.not_durable);
        assert!(figures.twice.is_empty(), "executed twice: {:#?}", figures.twice);
        assert!(figures.changed.is_empty(), "{:#?}", figures.changed);
        assert!(figures.refused > 0 && figures.executed > 0);
    });
}
