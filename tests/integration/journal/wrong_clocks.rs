//! A till whose clock is set while it calls. Then others call again, with other clocks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::every_system_call::{prepared, rows};
use super::sequence::Call;
use super::{LONG_MS, Till, call, with_c};
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

/// A till, and the library that sets its clock.
struct SetTill<'a> {
    till: &'a Till<'a>,
    clock: &'a Path,
}

/// From that reading on the clock is wrong by these seconds.
#[derive(Clone, Copy, Debug)]
struct Jump {
    seconds: i64,
    reading: usize,
    /// The machine has been started again so many times.
    starts: usize,
}

#[derive(Default)]
struct Figures {
    points: usize,
    calls: usize,
    executed: usize,
    unknown: usize,
}

impl SetTill<'_> {
    fn driver(&self, jump: Jump, timeout_ms: u32) -> Driver {
        let mut command: Command = (self.till.command)();
        command.env("JUMP", jump.seconds.to_string()).env("JUMP_AT", jump.reading.to_string());
        command.env("LD_PRELOAD", self.clock).env("CLOCK_READINGS", self.readings());
        if jump.starts > 0 {
            let id = format!("00000000-0000-0000-0000-{:012}", jump.starts);
            command.env("BOOT_ID", id).env("BOOT_SECONDS", (9 * HOUR).to_string());
        }
        Driver::start(&mut command, &self.till.config_in(timeout_ms))
    }

    fn readings(&self) -> PathBuf {
        self.till.folder.path().join("readings")
    }

    fn call(&self, target: &Target, jump: Jump, timeout_ms: u32) -> Reply {
        let mut driver = self.driver(jump, timeout_ms);
        let reply = if driver.created.status == "OK" { call(&mut driver, target) } else { driver.created.clone() };
        driver.finish();
        reply
    }

    /// With each first request of a key the details of some old keys are replaced. Their outcome does not matter.
    fn begin_others(&self, number: usize, jump: Jump) {
        let mut driver = self.driver(jump, self.till.timeout_ms);
        for cents in 10..12 {
            Call::refund(&format!("{number}.{cents}"), None).run(&mut driver);
        }
        driver.finish();
    }

    /// The clock is set during the first call. Then others call, sometimes each after another start of the machine.
    fn try_all(&self, target: &Target, first: Jump, figures: &mut Figures) {
        let starts = usize::from(figures.points.is_multiple_of(4));
        let later = [0, -first.seconds, first.seconds, LONG];
        let later = (1..).zip(later).map(|(number, seconds)| Jump { seconds, reading: 0, starts: starts * number });
        for (number, jump) in std::iter::once(first).chain(later).enumerate() {
            if number > 0 {
                self.begin_others(number, jump);
            }
            let reply = self.call(target, jump, self.till.timeout_ms);
            self.till.sandbox.send("DELETE", "/sandbox/faults", "");
            let effects = self.till.effects(target);
            let may_be = match reply.outcome.as_str() {
                "CONFIRMED" => effects == 1,
                "UNKNOWN" => effects <= 1,
                _ => effects == 0,
            };
            let name = target.row.name;
            assert!(may_be, "{name}, {first:?}, call {number}: executed {effects} times: {reply:#?}");
            figures.unknown += usize::from(reply.outcome == "UNKNOWN");
            figures.calls += 1;
        }
        figures.executed += self.till.effects(target);
        figures.points += 1;
    }
}

#[test]
fn a_clock_that_is_set_at_any_moment_charges_nothing_twice() {
    with_c(|command| {
        let (stage, sandbox) = (Stage::new(), Sandbox::start(&["--pay-twice", "--any-reference"]));
        let (clock, mut figures) = (preloaded(&stage), Figures::default());
        for row in rows() {
            let till = Till::new(&sandbox, command);
            let empty = till.folder.path().join("empty");
            fs::copy(till.file(), &empty).unwrap();
            let set = SetTill { till: &till, clock: &clock };
            for fault in [None, Some("commit_then_reset")] {
                let right = Jump { seconds: 0, reading: 0, starts: 0 };
                let reply = set.call(&prepared(row, &till, &empty, fault), right, LONG_MS);
                let readings: usize = fs::read_to_string(set.readings()).unwrap().parse().unwrap();
                assert!(readings > 2, "{}: {readings}: {reply:?}", row.name);
                let jump = |seconds: i64| (0..readings).map(move |reading| Jump { seconds, reading, starts: 0 });
                let jumps = JUMPS.iter().flat_map(|seconds| jump(*seconds));
                for first in jumps.skip(figures.points % stride()).step_by(stride()) {
                    set.try_all(&prepared(row, &till, &empty, fault), first, &mut figures);
                }
            }
        }
        let Figures { points, calls, executed, unknown } = figures;
        println!(
            "journal: the clock was set at {points} readings: {calls} calls, {executed} executed, {unknown} UNKNOWN"
        );
        assert!(executed > points / 2 && unknown < calls, "{points} points, {executed}, {unknown} of {calls}");
    });
}
