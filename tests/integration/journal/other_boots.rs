//! Tills of which each sees another start of the machine: after a restart, on another machine, in a container that has a
//! clock of its own. No clock is common to them, so a call of another one may be under way until its whole lease has passed
//! for those who wait.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::recording::traced;
use super::sequence::{Call, config, copy, new_journal, prepare};
use super::{LONG_MS, folder, late_tills, with_c};
use crate::clock::preloaded;
use crate::support::driver::{Driver, Reply};
use crate::support::sandbox::Sandbox;
use crate::support::strace::has_strace;
use crate::support::{Stage, left_out};

/// The longest lease of a claim of the killed till.
const LEASE_MS: u64 = 4000;
/// A till that looks has less time than that for a call.
const LOOK_MS: u64 = 1000;
const OTHER: &str = "00000000-1111-2222-3333-444444444444";

/// Where a till runs that finds the claim of another one.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Place {
    SameBoot,
    /// The machine was started again.
    Restarted,
    /// A machine that was started long ago.
    OlderMachine,
    /// Each look is made in another boot.
    AlwaysAnother,
    /// In a container with a clock of its own; one process, because each would have a container of its own.
    TimeNamespace,
}

struct Scene<'a> {
    sandbox: &'a Sandbox,
    command: &'a dyn Fn() -> Command,
    /// With a journal that is empty.
    new: &'a Path,
    /// The system call before the first byte of a charge.
    point: &'a (String, usize),
    /// See tests/c/clock.c.
    clock: &'a Path,
    /// When the scene began, in seconds since the machine's start.
    uptime: i64,
}

impl Scene<'_> {
    /// A till is killed after its claim and before its first byte. Gives its folder and its call.
    fn killed(&self, name: &str) -> (tempfile::TempDir, Call) {
        for number in 0..10 {
            let (folder, traces, call) = (folder(), folder(), Call::charge(&format!("O-{name}-{number}"), None));
            copy(self.new, folder.path());
            let (name, number) = self.point;
            let options = ["-e", &format!("trace={name}"), "-e", &format!("inject={name}:signal=KILL:when={number}")];
            let config = config(self.sandbox, folder.path(), json!({"timeout_ms": LEASE_MS}));
            let trace = traces.path().join("trace");
            let driver = Driver::start(&mut traced(&(self.command)(), &trace, &options), &config);
            driver.call_and_end(call.function, &call.request);
            // The same call may make a few system calls more or fewer.
            if call.is_claimed_in(folder.path()) && call.effects(self.sandbox) == 0 {
                return (folder, call);
            }
        }
        panic!("no till was killed between its claim and its first byte");
    }

    /// For the look with that number.
    fn started(&self, folder: &Path, place: Place, number: usize) -> Driver {
        let boot = |id: &str, seconds: i64| {
            let mut command = (self.command)();
            command.env("LD_PRELOAD", self.clock).env("BOOT_ID", id).env("BOOT_SECONDS", seconds.to_string());
            command
        };
        let mut command = match place {
            Place::SameBoot => (self.command)(),
            Place::Restarted => boot(OTHER, 1 - self.uptime),
            Place::OlderMachine => boot(OTHER, 1_000_000),
            Place::AlwaysAnother => boot(&format!("{number:04}{}", &OTHER[4..]), 1_000_000),
            Place::TimeNamespace => in_time_namespace(&(self.command)()),
        };
        let config = config(self.sandbox, folder, json!({"timeout_ms": LOOK_MS, "connect_timeout_ms": LOOK_MS - 100}));
        Driver::start(&mut command, &config)
    }

    fn look(&self, place: Place) -> String {
        let (folder, call) = self.killed(&format!("{place:?}"));
        let (claim, lease_ms) = claimed(folder.path());
        let begin = Instant::now();
        let passed_ms = || u64::try_from(begin.elapsed().as_millis()).unwrap();
        let mut driver = self.started(folder.path(), place, 0);
        for number in 1.. {
            let at = |reply: &Reply| format!("{place:?}, look {number}, after {} ms: {reply:?}", passed_ms());
            // Nobody knows whether its request is still on its way.
            let reply = call.run(&mut driver);
            assert!(reply.outcome == "UNKNOWN" && call.effects(self.sandbox) == 0, "{}", at(&reply));
            let is_enough = place == Place::AlwaysAnother && passed_ms() > 2 * lease_ms;
            let settlement =
                json!({"id": claim, "outcome": "REJECTED", "who": "A", "why": "B", "sender_ended": is_enough});
            let settled = driver.call("journal_settle", &settlement);
            if settled.verdict() == ("E_REJECTED", "REJECTED") {
                let is_over = passed_ms() >= lease_ms && (place != Place::AlwaysAnother || is_enough);
                assert!(is_over || place == Place::SameBoot, "the lease ended early: {}", at(&settled));
                driver.tell("timeout", &LONG_MS.to_string());
                let reply = call.run(&mut driver);
                let effects = call.effects(self.sandbox);
                assert!(reply.outcome == "CONFIRMED" && effects == 1, "executed {effects} times: {}", at(&reply));
                driver.finish();
                return format!("{place:?} at look {number}");
            }
            assert_eq!(settled.verdict(), ("E_UNRESOLVED", "UNKNOWN"), "{}", at(&settled));
            assert!(passed_ms() < 60_000, "the lease does not end: {}", at(&settled));
            if place != Place::TimeNamespace {
                driver.finish();
                driver = self.started(folder.path(), place, number);
            }
        }
        unreachable!()
    }
}

/// The claim's ID, and how long it holds.
fn claimed(folder: &Path) -> (String, u64) {
    let file = Connection::open(folder.join("pay.db")).unwrap();
    let row: String = file.query_row("SELECT row FROM journal_row WHERE seq = 1", [], |row| row.get(0)).unwrap();
    let row: Value = serde_json::from_str(&row).unwrap();
    (row["id"].as_str().unwrap().to_owned(), row["for_ms"].as_u64().unwrap())
}

fn uptime() -> i64 {
    let uptime = std::fs::read_to_string("/proc/uptime").unwrap();
    uptime.split('.').next().unwrap().parse().unwrap()
}

/// The same program, for which the machine was started long ago.
fn in_time_namespace(command: &Command) -> Command {
    let mut unshared = unshared();
    unshared.arg(command.get_program());
    unshared.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    unshared
}

fn unshared() -> Command {
    let mut unshared = Command::new("unshare");
    unshared.args(["--time", "--boottime", "1000000", "--fork", "--kill-child"]);
    unshared
}

#[test]
fn a_till_in_another_boot_waits_for_a_whole_lease() {
    if !has_strace("tills that see another start of the machine are NOT tried") {
        return;
    }
    with_c(|command| {
        let (stage, sandbox) = (Stage::new(), Sandbox::start(&["--pay-twice", "--any-reference"]));
        let clock = preloaded(&stage);
        prepare(&sandbox);
        let new = new_journal(&sandbox, command);
        let point = late_tills::last_before_sending(&sandbox, command, new.path());
        let scene =
            Scene { sandbox: &sandbox, command, new: new.path(), point: &point, clock: &clock, uptime: uptime() };
        let mut places = vec![Place::SameBoot, Place::Restarted, Place::OlderMachine, Place::AlwaysAnother];
        if unshared().arg("true").output().is_ok_and(|output| output.status.success()) {
            places.push(Place::TimeNamespace);
        } else {
            left_out("a till in a time namespace of its own is NOT tried: this machine refuses one");
        }
        let told: Vec<_> = places.into_iter().map(|place| scene.look(place)).collect();
        println!("journal: a claim that held {LEASE_MS} ms was settled in {}", told.join(", "));
    });
}
