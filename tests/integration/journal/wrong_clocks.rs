//! A till whose clock is set while it calls. Then others call again, with other clocks.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::{Till, call, prepared, rows, with_c};
use crate::clock::preloaded;
use crate::support::Stage;
use crate::support::driver::{Driver, Reply};
use crate::support::sandbox::Sandbox;
use crate::support::target::Target;

const HOUR: i64 = 3600;
/// A day longer than the details of a closed key are kept.
const LONG: i64 = 401 * 24 * HOUR;
const JUMPS: &[i64] = &[LONG, -LONG, 9 * HOUR, -9 * HOUR];

/// One of so many readings of the clock at which it is set; each in `make harden`.
fn stride() -> usize {
    std::env::var("TEST_CLOCK_STRIDE").map_or(17, |text| text.parse().unwrap())
}

struct Clocked<'a> {
    till: &'a Till<'a>,
    clock: &'a Path,
}

impl Clocked<'_> {
    fn command(&self, jump: i64, at: usize) -> Command {
        let mut command = (self.till.command)();
        let numbers = [("JUMP", jump.to_string()), ("JUMP_AT", at.to_string())];
        command.env("LD_PRELOAD", self.clock).env("CLOCK_READINGS", self.readings()).envs(numbers);
        command
    }

    fn readings(&self) -> std::path::PathBuf {
        self.till.folder.path().join("readings")
    }

    /// The reply, and how often the clock was read.
    fn call(&self, target: &Target, jump: i64, at: usize) -> (Reply, usize) {
        let mut driver = Driver::start(&mut self.command(jump, at), &self.till.config(false));
        let reply = if driver.created.status == "OK" { call(&mut driver, target) } else { driver.created.clone() };
        driver.finish();
        (reply, fs::read_to_string(self.readings()).unwrap().parse().unwrap())
    }

    /// The first requests with other keys, with each of which the details of some old keys are replaced. What becomes of
    /// them does not matter.
    fn begin_others(&self, name: &str, jump: i64) {
        let mut driver = Driver::start(&mut self.command(jump, 0), &self.till.config(false));
        for number in 0..2 {
            driver.tell("key", &format!("{name} {number}"));
            driver.call("order_refund", &json!({"reference": format!("{name}-{number}"), "amount": "1"}));
        }
        driver.finish();
    }
}

#[test]
fn a_clock_that_is_set_at_any_moment_charges_nothing_twice() {
    with_c(|command| {
        let (stage, sandbox) = (Stage::new(), Sandbox::start(&["--pay-twice", "--any-reference"]));
        let clock = preloaded(&stage);
        let (mut points, mut calls, mut executed, mut unsure) = (0, 0, 0, 0);
        for row in rows() {
            let till = Till::new(&sandbox, command);
            let empty = till.folder.path().join("empty");
            fs::copy(till.file(), &empty).unwrap();
            let clocked = Clocked { till: &till, clock: &clock };
            for fault in [None, Some("commit_then_reset")] {
                let prepare = || {
                    till.reset(&empty);
                    let target = prepared(row, &till);
                    if let Some(fault) = fault {
                        let rule = json!({"fault": fault, "path": row.path, "nth": 1, "count": 1});
                        sandbox.post("/sandbox/faults", &rule);
                    }
                    target
                };
                let (_, readings) = clocked.call(&prepare(), 0, 0);
                assert!(readings > 2, "{}: {readings}", row.name);
                let all = JUMPS.iter().flat_map(|jump| (0..readings).map(move |at| (*jump, at)));
                for (jump, at) in all.skip(points % stride()).step_by(stride()) {
                    let target = prepare();
                    let what = format!("{} under {fault:?}, {jump} s from reading {at} of {readings}", row.name);
                    for (number, (jump, at)) in
                        [(jump, at), (0, 0), (-jump, 0), (jump, 0), (LONG, 0)].iter().enumerate()
                    {
                        if number > 0 {
                            clocked.begin_others(&format!("other {number}"), *jump);
                        }
                        let (reply, _) = clocked.call(&target, *jump, *at);
                        sandbox.send("DELETE", "/sandbox/faults", "");
                        let effects = till.effects(&target);
                        let may_be = match reply.outcome.as_str() {
                            "CONFIRMED" => effects == 1,
                            "UNKNOWN" => effects <= 1,
                            _ => effects == 0,
                        };
                        assert!(may_be, "{what}, call {number}: executed {effects} times: {reply:#?}");
                        unsure += usize::from(reply.outcome == "UNKNOWN");
                        calls += 1;
                    }
                    executed += till.effects(&target);
                    points += 1;
                }
            }
        }
        println!(
            "journal: the clock was set at {points} readings: {calls} calls, {executed} executed, {unsure} UNKNOWN"
        );
        assert!(executed > points / 2 && unsure < calls, "{points} points, {executed}, {unsure} of {calls}");
    });
}
