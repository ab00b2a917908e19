//! Tills that are stopped just before they send, that get an old copy of their journal, or that have the same copy.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use super::disk::{system_calls, traced};
use super::sequence::{Call, all, config, copy, has_strace, new_journal, prepare};
use super::{folder, with_c};
use crate::support::driver::{Driver, Reply};
use crate::support::sandbox::Sandbox;

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
    fn run(&self, call: &Call, (name, number): &(String, usize)) -> [Reply; 2] {
        let (folder, traces) = (folder(), folder());
        copy(self.new, folder.path());
        let trace = traces.path().join("trace");
        let stop = format!("inject={name}:signal=STOP:when={number}");
        let options = ["-e", &format!("trace={name}"), "-e", &stop];
        let config = config(self.sandbox, folder.path(), json!({"timeout_ms": self.timeout_ms}));
        let mut first = Driver::start(&mut traced(&(self.command)(), &trace, &options), &config);
        let mut second = Driver::start(&mut (self.command)(), &config);
        let replies = std::thread::scope(|scope| {
            let running = scope.spawn(|| call.run(&mut first));
            let process = stopped(&trace, || running.is_finished());
            std::thread::sleep(LONG);
            let other = call.run(&mut second);
            let status = Command::new("kill").args(["-CONT", &process]).status().unwrap();
            assert!(status.success());
            [running.join().unwrap(), other]
        });
        first.finish();
        second.finish();
        replies
    }
}

/// The process that strace has seen stop.
fn stopped(trace: &Path, is_over: impl Fn() -> bool) -> String {
    loop {
        let over = is_over();
        let text = fs::read_to_string(trace).unwrap_or_default();
        if let Some(line) = text.lines().find(|line| line.contains("stopped by SIGSTOP")) {
            return line.split(' ').next().unwrap().to_owned();
        }
        assert!(!over, "it was not stopped");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_till_that_is_stopped_before_it_sends_does_not_send_late() {
    if !has_strace() {
        return;
    }
    with_c(|command| {
        let sandbox = Sandbox::start(&["--pay-twice"]);
        prepare(&sandbox);
        let new = new_journal(&sandbox, command);
        let (folder, traces) = (folder(), folder());
        copy(new.path(), folder.path());
        let trace = traces.path().join("trace");
        let config = config(&sandbox, folder.path(), json!({}));
        let mut driver = Driver::start(&mut traced(&command(), &trace, &[]), &config);
        let call = Call::charge("O-0", None);
        assert_eq!(call.run(&mut driver).outcome, "CONFIRMED");
        driver.finish();
        let points = before_sending(&trace, &call, if all() { 24 } else { 3 });
        let cases: Vec<_> = points.iter().flat_map(|point| [(point, 1000), (point, 60_000)]).collect();
        let runs: Vec<(usize, [Reply; 2])> = std::thread::scope(|scope| {
            let mut running = Vec::new();
            for (index, (point, timeout_ms)) in cases.iter().copied().enumerate() {
                let (call, prepared) = (Call::charge(&format!("O-{}", index + 1), None), Prepared::of(&command()));
                let (sandbox, new) = (&sandbox, new.path());
                running.push(scope.spawn(move || {
                    let command = || prepared.command();
                    let replies = Stopped { sandbox, command: &command, new, timeout_ms }.run(&call, point);
                    (call.effects(sandbox), replies)
                }));
            }
            running.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let (mut sent, mut twice) = (0, 0);
        for ((effects, replies), (point, timeout_ms)) in runs.iter().zip(&cases) {
            sent += effects;
            twice += usize::from(*effects > 1);
            let at =
                format!("stopped at {point:?} of a call of {timeout_ms} ms: executed {effects} times: {replies:?}");
            assert!(*effects <= 1, "{at}");
            if *timeout_ms < 5000 {
                assert_eq!(*effects, 0, "sent after its time: {at}");
            }
            for reply in replies {
                assert!(*effects == 1 || reply.outcome != "CONFIRMED", "{at}");
            }
        }
        println!("journal: {} tills stopped before they sent: {sent} executed, {twice} twice", runs.len());
    });
}

/// What a command runs, for other threads.
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
