//! The power fails after each operation on the journal's files, from the making of a new journal to a settlement.
//!
//! The operations of one run are recorded. For each of them the files are rebuilt as they would be on the disk if the
//! power had failed just then, and a program is started with them.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::process::Command;

use serde_json::json;

use super::disk::{CUTS, Cut, Disk, Files, put};
use super::recording::{Op, read, recorded};
use super::sequence::{Call, all, config, prepare};
use super::{folder, with_c};
use crate::support::driver::Driver;
use crate::support::sandbox::Sandbox;
use crate::support::strace::has_strace;

/// The number of states that `make test` tries.
const SOME: usize = 16;

/// So many charges that the -wal file is brought into the journal in between.
fn calls() -> Vec<Call> {
    vec![
        Call::charge("O-1", None),
        Call::charge("O-2", Some("commit_then_reset")),
        Call::refund("10.25", None),
        Call::charge("O-3", Some("reset_without_commit")),
        Call::refund("20.50", Some("commit_then_500")),
        Call::charge("O-4", None),
        Call::charge("O-5", None),
        Call::charge("O-6", None),
        Call::refund("5.75", Some("commit_then_reset")),
    ]
}

/// A run of all calls; then a person settles the last.
fn record(sandbox: &Sandbox, command: &dyn Fn() -> Command, calls: &[Call]) -> Vec<Op> {
    let folder = folder();
    let trace = folder.path().join("trace");
    let mut program = recorded(&command(), &trace, None);
    // Nobody waits for the end of a call that was not answered longer than that.
    let config = config(sandbox, folder.path(), json!({"journal_create": true, "timeout_ms": 3000}));
    let mut driver = Driver::start(&mut program, &config);
    assert_eq!(driver.created.status, "OK", "{}", driver.created.message);
    calls.iter().for_each(|call| _ = call.run_first(&mut driver, sandbox));
    let last = calls.last().unwrap();
    loop {
        let open = last.run(&mut driver);
        assert_eq!(open.verdict(), ("E_UNRESOLVED", "UNKNOWN"), "sent again: {open:?}");
        // The message names the claim.
        let mut words = open.message.split(|character: char| !character.is_ascii_alphanumeric());
        let id = words.rfind(|word| word.len() == 26 && word.starts_with("01")).expect(&open.message);
        let request = json!({"id": id, "outcome": "CONFIRMED", "who": "A. Clerk", "why": "in the statement"});
        // Refused as long as its call may be under way.
        if driver.call("journal_settle", &request).status == "OK" {
            break;
        }
    }
    driver.finish();
    read(&trace, folder.path())
}

#[derive(Default)]
struct Figures {
    states: usize,
    without_a_journal: usize,
    again: usize,
    lost: Vec<String>,
    twice: Vec<String>,
}

struct Restart<'a> {
    sandbox: &'a Sandbox,
    command: &'a dyn Fn() -> Command,
}

impl Restart<'_> {
    /// A program that is started with these files; those calls had been sent.
    fn check(&self, files: &Files, sent: &[Call], figures: &mut Figures, at: &str) {
        figures.states += 1;
        let folder = folder();
        put(files, folder.path());
        let mut driver = Driver::start(&mut (self.command)(), &config(self.sandbox, folder.path(), json!({})));
        if driver.created.status != "OK" {
            // There is none before it was made; a journal with a part of it is never found.
            let why = &driver.created.message;
            assert!(!files.contains_key("pay.db") && why.contains("is missing"), "{at}, it was damaged: {why}");
            assert!(sent.is_empty(), "{at}: the journal is gone");
            figures.without_a_journal += 1;
            return;
        }
        for call in sent {
            let what = format!("{at}: {} {}", call.function, call.request);
            if !call.is_claimed_in(folder.path()) {
                figures.lost.push(what.clone());
            }
            let before = call.effects(self.sandbox);
            let reply = call.run(&mut driver);
            figures.again += 1;
            if call.effects(self.sandbox) != before {
                figures.twice.push(format!("{what}: {reply:?}"));
            }
        }
        // It can be written.
        let new = Call::charge(&format!("O-new-{}", figures.states), None);
        let reply = new.run(&mut driver);
        assert_eq!((reply.outcome.as_str(), new.effects(self.sandbox)), ("CONFIRMED", 1), "{at}: {reply:?}");
        driver.finish();
    }
}

/// Each state once: after how many operations, what is left of the writes, how many calls were sent, and the files.
fn states(ops: &[Op], calls: &[Call]) -> Vec<(usize, Cut, usize, Files)> {
    let (mut disk, mut sent, mut known, mut states) = (Disk::default(), 0, HashSet::new(), Vec::new());
    for (number, op) in ops.iter().enumerate() {
        disk.apply(op);
        if calls.get(sent).is_some_and(|next| next.was_sent(op)) {
            sent += 1;
        }
        for cut in CUTS {
            let files = disk.after(cut);
            let mut hasher = DefaultHasher::new();
            (sent, &files).hash(&mut hasher);
            if known.insert(hasher.finish()) {
                states.push((number, cut, sent, files));
            }
        }
    }
    assert_eq!(sent, calls.len());
    states
}

#[test]
fn a_power_cut_loses_no_claim_of_a_request_that_was_sent() {
    if !has_strace("the journal is NOT tried with power cuts") {
        return;
    }
    with_c(|command| {
        let sandbox = Sandbox::start(&["--pay-twice", "--any-reference"]);
        prepare(&sandbox);
        let calls = calls();
        let ops = record(&sandbox, command, &calls);
        let states = states(&ops, &calls);
        assert!(ops.iter().any(|op| matches!(op, Op::Truncate { name, .. } if name == "pay.db-wal")), "no checkpoint");
        let stride = if all() { 1 } else { states.len() / SOME };
        let (mut figures, restart) = (Figures::default(), Restart { sandbox: &sandbox, command });
        for (number, cut, sent, files) in states.iter().step_by(stride) {
            let at = format!("after operation {number} of {} ({:?} left)", ops.len(), cut);
            restart.check(files, &calls[..*sent], &mut figures, &at);
        }
        println!(
            "journal: the power failed in {} of {} states of the files, {} before there was a journal; {} calls again, {} \
             executed twice, {} claims lost",
            figures.states,
            states.len(),
            figures.without_a_journal,
            figures.again,
            figures.twice.len(),
            figures.lost.len()
        );
        assert!(figures.twice.is_empty(), "executed twice: {:#?}", figures.twice);
        assert!(figures.lost.is_empty(), "sent without a durable claim: {:#?}", figures.lost);
        assert!(figures.again > 0);
    });
}
