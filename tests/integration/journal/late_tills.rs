//! Tills that are stopped just before they send, that get an old copy of their journal, or that have the same copy.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use super::recording::{system_calls, traced};
use super::sequence::{Call, all, config, copy, new_journal, prepare};
use super::{folder, with_c};
use crate::support::driver::{Driver, Reply};
use crate::support::sandbox::Sandbox;
use crate::support::strace::has_strace;

/// Longer than a claim may be old when its request is sent.
const LONG: Duration = Duration::from_millis(5500);

/// The last system calls before the request leaves, each as its name and number, once the claim has been written. It
/// goes back so far because strace delivers a signal when the system call has ended.
fn before_sending(trace: &Path, call: &Call, count: usize) -> Vec<(String, usize)> {
    let calls = system_calls(trace);
    let begin = format!("POST {} ", call.path);
    let sends = calls.iter().position(|call| call.strings().iter().any(|text| text.starts_with(begin.as_bytes())));
    let sends = sends.expect("it was sent");
    let written = calls[..sends].iter().rposition(|call| call.name == "fdatasync").unwrap();
    let number = |index: usize| calls[..=index].iter().filter(|call| call.name == calls[index].name).count();
    let all: Vec<_> = (written..sends).map(|index| (calls[index].name.clone(), number(index))).collect();
    let stride = (all.len() / count).max(1);
    all.into_iter().rev().step_by(stride).take(count).collect()
}

/// The last of them. The journal `new` is copied first.
pub fn last_before_sending(sandbox: &Sandbox, command: &dyn Fn() -> Command, new: &Path) -> (String, usize) {
    points_before_sending(sandbox, command, new, 1).remove(0)
}

/// The points of a charge, which is made for it.
fn points_before_sending(
    sandbox: &Sandbox,
    command: &dyn Fn() -> Command,
    new: &Path,
    count: usize,
) -> Vec<(String, usize)> {
    let (folder, traces) = (folder(), folder());
    copy(new, folder.path());
    let trace = traces.path().join("trace");
    let config = config(sandbox, folder.path(), json!({}));
    let mut driver = Driver::start(&mut traced(&command(), &trace, &[]), &config);
    let call = Call::charge("O-0", None);
    assert_eq!(call.run(&mut driver).outcome, "CONFIRMED");
    driver.finish();
    before_sending(&trace, &call, count)
}

/// A till that is stopped at that system call, and goes on after that time. Meanwhile, once the time of the first is
/// over, another one with the same file makes the same call.
struct Stopped<'a> {
    sandbox: &'a Sandbox,
    command: &'a (dyn Fn() -> Command + Sync),
    new: &'a Path,
    /// The time limit of the first.
    timeout_ms: u64,
}

impl Stopped<'_> {
    /// The replies of both; `None` if the first call was over before.
    fn run(&self, call: &Call, (name, number): &(String, usize)) -> Option<[Reply; 2]> {
        let (folder, traces) = (folder(), folder());
        copy(self.new, folder.path());
        let trace = traces.path().join("trace");
        let stop = format!("inject={name}:signal=STOP:when={number}");
        let options = ["-e", &format!("trace={name}"), "-e", &stop];
        let config = config(self.sandbox, folder.path(), json!({"timeout_ms": self.timeout_ms}));
        let mut first = Driver::start(&mut traced(&(self.command)(), &trace, &options), &config);
        let short = super::sequence::config(self.sandbox, folder.path(), json!({"timeout_ms": 1000}));
        let mut second = Driver::start(&mut (self.command)(), &short);
        let replies = std::thread::scope(|scope| {
            let running = scope.spawn(|| call.run(&mut first));
            let process = stopped(&trace, || running.is_finished())?;
            std::thread::sleep(LONG);
            let other = call.run(&mut second);
            let status = Command::new("kill").args(["-CONT", &process]).status().unwrap();
            assert!(status.success());
            Some([running.join().unwrap(), other])
        });
        first.finish();
        second.finish();
        replies
    }
}

/// The process that strace has seen stop; `None` if its call was over before.
fn stopped(trace: &Path, is_over: impl Fn() -> bool) -> Option<String> {
    loop {
        let over = is_over();
        let text = fs::read_to_string(trace).unwrap_or_default();
        if let Some(line) = text.lines().find(|line| line.contains("stopped by SIGSTOP")) {
            return line.split(' ').next().map(str::to_owned);
        }
        if over {
            return None;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_till_that_is_stopped_before_it_sends_does_not_send_late() {
    if !has_strace("a till is NOT stopped before it sends") {
        return;
    }
    with_c(|command| {
        let sandbox = Sandbox::start(&["--pay-twice", "--any-reference"]);
        prepare(&sandbox);
        let new = new_journal(&sandbox, command);
        let points = points_before_sending(&sandbox, command, new.path(), if all() { 24 } else { 3 });
        let cases: Vec<_> = points.iter().flat_map(|point| [(point, 3000), (point, 60_000)]).collect();
        let run = |index: usize, (point, timeout_ms): (&(String, usize), u64), prepared: Prepared| {
            let (call, command) = (Call::charge(&format!("O-{}", index + 1), None), || prepared.command());
            let till = Stopped { sandbox: &sandbox, command: &command, new: new.path(), timeout_ms };
            let replies = till.run(&call, point);
            (call.effects(&sandbox), replies)
        };
        let mut tills = 0;
        let numbered: Vec<_> = cases.iter().copied().enumerate().collect();
        // A few at a time, or they are slow.
        let runs = numbered.chunks(6).flat_map(|some| {
            std::thread::scope(|scope| {
                let start = |(index, case): &(usize, _)| {
                    let (index, case, prepared, run) = (*index, *case, Prepared::of(&command()), &run);
                    scope.spawn(move || run(index, case, prepared))
                };
                let running: Vec<_> = some.iter().map(start).collect();
                running.into_iter().map(|one| one.join().unwrap()).collect::<Vec<_>>()
            })
        });
        for ((effects, replies), (point, timeout_ms)) in runs.zip(&cases) {
            // Else the machine was so slow that its time was over before.
            let Some(replies) = replies else { continue };
            tills += 1;
            let at =
                format!("stopped at {point:?} of a call of {timeout_ms} ms: executed {effects} times: {replies:?}");
            assert_eq!(effects, 0, "sent after its time: {at}");
            for reply in replies {
                assert_ne!(reply.outcome, "CONFIRMED", "{at}");
            }
        }
        println!("journal: {tills} tills stopped before they sent: 0 executed");
        assert!(tills * 2 >= cases.len(), "{tills} of {}", cases.len());
    });
}

/// A command's program and environment, for other threads.
struct Prepared {
    program: PathBuf,
    settings: Vec<(std::ffi::OsString, std::ffi::OsString)>,
}

impl Prepared {
    fn of(command: &Command) -> Prepared {
        assert_eq!(command.get_args().count(), 0);
        let settings = command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
        Prepared { program: command.get_program().into(), settings: settings.collect() }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        command
    }
}

#[test]
fn after_an_old_copy_of_the_journal_charges_are_looked_up_first() {
    with_c(|command| {
        let sandbox = Sandbox::start(&["--pay-twice", "--any-reference"]);
        prepare(&sandbox);
        let (folder, backup) = (new_journal(&sandbox, command), folder());
        copy(folder.path(), backup.path());
        let charges = [
            Call::charge("O-1", None),
            Call::charge("O-2", Some("commit_then_reset")),
            Call::charge("O-3", Some("commit_then_500")),
        ];
        let refund = Call::refund("10.25", None);
        let short = config(&sandbox, folder.path(), json!({"timeout_ms": 2000}));
        let mut driver = Driver::start(&mut command(), &short);
        charges.iter().for_each(|call| _ = call.run_first(&mut driver, &sandbox));
        assert_eq!(refund.run(&mut driver).outcome, "CONFIRMED");
        driver.finish();
        let made: Vec<_> = charges.iter().map(|call| call.effects(&sandbox)).collect();
        assert_eq!(made, [1, 1, 1]);

        copy(backup.path(), folder.path());
        let mut driver = Driver::start(&mut command(), &config(&sandbox, folder.path(), json!({})));
        for call in &charges {
            let reply = call.run(&mut driver);
            assert_eq!((reply.outcome.as_str(), call.effects(&sandbox)), ("CONFIRMED", 1), "{reply:?}");
        }
        // Nothing can be asked about a refund.
        let reply = refund.run(&mut driver);
        let effects = refund.effects(&sandbox);
        assert_eq!((reply.outcome.as_str(), effects), ("CONFIRMED", 2), "as docs/journal.md says: {reply:?}");
        driver.finish();
        println!("journal: an old copy: {} charges, 0 made again; a refund was made {effects} times", charges.len());
    });
}

/// Both have the same file, as it was when the image of the till was made. One pays the order, then the other, whatever the
/// service does with the first request.
#[test]
fn of_two_tills_with_copies_of_one_journal_the_second_charges_only_what_the_first_did_not() {
    with_c(|command| {
        let sandbox = Sandbox::start(&["--pay-twice", "--any-reference"]);
        prepare(&sandbox);
        let new = new_journal(&sandbox, command);
        let faults: Vec<_> = sandbox.faults().into_iter().filter(|name| !name.starts_with("tls_")).collect();
        let (mut executed, mut unsure, mut orders) = (0, 0, 0);
        for (number, fault) in faults.iter().enumerate().step_by(if all() { 1 } else { 5 }) {
            let call = Call::charge(&format!("O-{number}"), None);
            let folders = [folder(), folder()];
            let mut tills = folders.each_ref().map(|folder| {
                copy(new.path(), folder.path());
                let config = config(&sandbox, folder.path(), json!({"timeout_ms": 1000, "connect_timeout_ms": 900}));
                Driver::start(&mut command(), &config)
            });
            sandbox.arm(call.path, fault);
            let mut replies = vec![call.run(&mut tills[0]), call.run(&mut tills[1])];
            replies.push(call.run(&mut tills[0]));
            replies.push(call.run(&mut tills[1]));
            tills.into_iter().for_each(|till| _ = till.finish());
            let effects = call.effects(&sandbox);
            assert!(effects <= 1, "under {fault}: executed {effects} times: {replies:?}");
            if replies.iter().any(|reply| reply.outcome == "CONFIRMED") {
                assert_eq!(effects, 1, "under {fault}: {replies:?}");
            }
            orders += 1;
            executed += effects;
            unsure += usize::from(replies[2..].iter().any(|reply| reply.outcome == "UNKNOWN"));
        }
        println!("journal: two tills with copies: {orders} orders, {executed} charged, 0 twice, {unsure} for a person");
        assert!(executed > 0);
    });
}
