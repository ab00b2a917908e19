//! The program is killed at each of its system calls, from the first of the call to the last.

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use paysvc_spec::ENDPOINTS;
use paysvc_spec::journal::Step;
use paysvc_spec::schema::{Endpoint, Reference};
use serde_json::{Value, json};

use super::{KEY, LONG_MS, Till, charges, needs_key, recording, with_c};
use crate::support::driver::{Driver, Reply};
use crate::support::sandbox::Sandbox;
use crate::support::strace::has_strace;
use crate::support::target::{Target, good, target};

/// Every so many system calls; fewer are left out in `make harden`.
fn stride() -> usize {
    std::env::var("TEST_KILL_STRIDE").map_or(101, |text| text.parse().unwrap())
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
    fn run(&self, trace: &Path, options: &[&str], target: &Target) -> Vec<Reply> {
        let mut command = recording::traced(&(self.command)(), trace, options);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let key = if needs_key(target.row) { format!("key\t{KEY}\n") } else { String::new() };
        let (config, function, request) = (&self.config, target.row.name, &target.request);
        // It may be killed before it has read all.
        let _ = input.write_all(format!("{config}\n{key}{function}\t{request}\n").as_bytes());
        drop(input);
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(Reply::parse).collect()
    }

    /// The system calls of the call, each by its name and how many of this name there had been with it: what strace
    /// counts.
    fn system_calls(&self, trace: &Path, target: &Target) -> Vec<(String, usize)> {
        self.run(trace, &[], target);
        let mut counts = HashMap::new();
        let (mut made, mut lines_told) = (Vec::new(), 0);
        for call in recording::system_calls(trace) {
            let count = counts.entry(call.name.clone()).or_insert(0);
            *count += 1;
            lines_told += usize::from(call.name == "write" && call.arguments.starts_with("1<"));
            // The first line that it prints is of client_new, the second is the reply.
            if lines_told == 1 {
                made.push((call.name, *count));
            }
        }
        made
    }
}

/// The endpoints that move money.
pub fn rows() -> Vec<&'static Endpoint> {
    let moves = |row: &&Endpoint| Step::of(row, true).is_some_and(|step| step != Step::Order);
    ENDPOINTS.iter().filter(moves).filter(|row| good(row).effect.is_some()).collect()
}

/// The till has that journal, and the service what the call needs and a fault for it. For an authorization, the journal gets
/// the charge that waits for it.
pub fn prepared(row: &'static Endpoint, till: &Till, journal: &Path, fault: Option<&str>) -> Target {
    till.reset(journal);
    let mut prepared = target(row, till.sandbox);
    if Step::of(row, true) == Some(Step::Authorization) {
        let names_payment = row.fields.iter().find(|field| field.reference == Some(Reference::Payment)).unwrap();
        let (order, payment) = ("A-1", names_payment.name);
        prepared.request[payment] = waiting_payment(till, order, payment);
        prepared.effect.as_mut().unwrap().1 = order.to_owned();
    }
    if let Some(fault) = fault {
        till.sandbox.arm(row.path, fault);
    }
    prepared
}

/// Charges the order with a card that needs its holder; what the response has under that name.
fn waiting_payment(till: &Till, order: &str, name: &str) -> Value {
    till.sandbox.post("/sandbox/orders", &json!({"reference": order, "amount": "100.00"}));
    let card = json!({"cardnumber": "4000000000003155", "expirymonth": "12", "expiryyear": "39", "cvv": "100"});
    let mut driver = Driver::start(&mut (till.command)(), &till.config_in(LONG_MS));
    let request = json!({"reference": order, "paymentOption": "C", "card": card});
    let charged = driver.call(charges()[0].name, &request);
    driver.finish();
    found(&charged.json(), name).unwrap_or_else(|| panic!("{charged:?}")).clone()
}

fn found<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    let members = value.as_object()?;
    members.get(name).or_else(|| members.values().find_map(|value| found(value, name)))
}

#[test]
fn a_till_that_is_killed_at_a_system_call_charges_at_most_once() {
    if !has_strace("a till is NOT killed at its system calls") {
        return;
    }
    with_c(|command| {
        let sandbox = Sandbox::start(&["--pay-twice", "--any-reference"]);
        let stride = stride();
        let faults: Vec<_> = FAULTS.iter().chain(MORE_FAULTS.iter().filter(|_| stride < 100)).collect();
        let (mut points, mut executed, mut unsure) = (0, 0, 0);
        for row in rows() {
            for fault in &faults {
                let till = Till::new(&sandbox, command);
                let [trace, empty] = ["trace", "empty"].map(|name| till.folder.path().join(name));
                fs::copy(till.file(), &empty).unwrap();
                let first = prepared(row, &till, &empty, **fault);
                let calls = Program { command, config: till.config_in(LONG_MS) }.system_calls(&trace, &first);
                assert!(calls.len() > 50, "{calls:?}");
                let program = Program { command, config: till.config(false) };
                let mut numbers: Vec<usize> = (points % stride..calls.len()).step_by(stride).collect();
                // Also of a sample: after the claim and before the first byte, when nobody may know that it was not sent.
                numbers.extend(calls.iter().rposition(|(name, _)| name == "sendto"));
                for number in numbers {
                    let (name, count) = &calls[number];
                    let target = prepared(row, &till, &empty, **fault);
                    let kill = format!("inject={name}:signal=KILL:when={count}");
                    let options = ["-e", &format!("trace={name}"), "-e", &kill];
                    let replies = program.run(Path::new("/dev/null"), &options, &target);
                    let told = replies.get(1);
                    // One that was killed early has not met its fault, which is not meant for the next call.
                    sandbox.send("DELETE", "/sandbox/faults", "");
                    let reply = till.call_again(&target);
                    let at = format!(
                        "{} under {fault:?}, killed at {name}, system call {number} of {}",
                        row.name,
                        calls.len()
                    );
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
