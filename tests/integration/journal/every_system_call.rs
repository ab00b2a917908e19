//! The program is killed at each of its system calls, from the first of the call to the last.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{Till, charges, with_c};
use crate::support::driver::Reply;
use crate::support::sandbox::Sandbox;
use crate::support::target::target;

/// Every so many system calls; 1 in `make harden`.
fn stride() -> usize {
    std::env::var("PAYSVC_KILL_STRIDE").map_or(23, |text| text.parse().unwrap())
}

/// Faults that meet the call that is killed; in `make harden` more.
const FAULTS: &[Option<&str>] = &[None, Some("commit_then_reset")];
const MORE_FAULTS: &[Option<&str>] = &[
    Some("status_500"),
    Some("commit_then_timeout"),
    Some("commit_then_500"),
    Some("status_429"),
    Some("status_429_paid"),
    Some("reset_without_commit"),
    Some("truncate"),
];

struct Program<'a> {
    command: &'a dyn Fn() -> Command,
    config: Value,
}

impl Program<'_> {
    /// Runs it under strace with these options and gives the replies that it printed before its end.
    fn run(&self, options: &[&str], call: Option<(&str, &Value)>) -> Vec<Reply> {
        let driver = (self.command)();
        let mut command = Command::new("strace");
        command.args(["-f", "-qq"]).args(options).arg(driver.get_program()).args(driver.get_args());
        command.envs(driver.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let call = call.map(|(function, request)| format!("{function}\t{request}\n")).unwrap_or_default();
        // It may be killed before it has read all.
        let _ = input.write_all(format!("{}\n{call}", self.config).as_bytes());
        drop(input);
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(Reply::parse).collect()
    }

    /// How many system calls it makes.
    fn count(&self, trace: &str, call: Option<(&str, &Value)>) -> usize {
        self.run(&["-o", trace], call);
        fs::read_to_string(trace).unwrap().lines().count()
    }
}

#[test]
fn a_till_that_is_killed_at_a_system_call_charges_at_most_once() {
    if Command::new("strace").arg("-V").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "there is no strace: run make setup-test");
        println!("MISSING: there is no strace; nothing was killed");
        return;
    }
    with_c(|command| {
        let sandbox = Sandbox::start(&["--pay-twice"]);
        let stride = stride();
        let faults: Vec<_> = FAULTS.iter().chain(MORE_FAULTS.iter().filter(|_| stride == 1)).collect();
        let (mut points, mut executed, mut unsure) = (0, 0, 0);
        for row in charges() {
            for fault in &faults {
                let rule = fault.map(|fault| json!({"fault": fault, "path": row.path, "nth": 1, "count": 1}));
                let prepared = || {
                    let target = target(row, &sandbox);
                    if let Some(rule) = &rule {
                        sandbox.post("/sandbox/faults", rule);
                    }
                    target
                };
                let first = prepared();
                let till = Till::new(&sandbox, command);
                let (trace, empty) = (till.folder.path().join("trace"), till.folder.path().join("empty"));
                fs::copy(till.file(), &empty).unwrap();
                let program = Program { command, config: till.config(false) };
                let trace = trace.to_str().unwrap();
                let before = program.count(trace, None);
                let all = program.count(trace, Some((row.name, &first.request)));
                assert!(all > before + 50, "{all} system calls, {before} without the call");
                // The end of the program is counted in both.
                for number in (before.saturating_sub(20)..=all).step_by(stride) {
                    let target = prepared();
                    till.reset(&empty);
                    let kill = format!("inject=all:signal=KILL:when={number}");
                    let replies = program.run(&["-o", "/dev/null", "-e", &kill], Some((row.name, &target.request)));
                    let told = replies.get(1);
                    let reply = till.call_again(&target);
                    let at = format!("{} under {fault:?}, killed at system call {number} of {all}", row.name);
                    executed += till.check(&target, &reply, &at);
                    unsure += usize::from(reply.outcome == "UNKNOWN");
                    if let Some(told) = told.filter(|told| told.outcome == "CONFIRMED") {
                        assert_eq!(reply.outcome, "CONFIRMED", "{at}: {told:?}");
                    }
                    points += 1;
                }
            }
        }
        println!("journal: killed at {points} system calls; {executed} executed, {unsure} for a person");
        assert!(executed > 0 && unsure > 0 && executed < points, "{points} points, {executed}, {unsure}");
    });
}
