//! The journal in a file, through the C functions, against a sandbox that executes every request that reaches it.

#[cfg(target_os = "linux")]
pub mod disk;
mod every_platform;
#[cfg(target_os = "linux")]
mod every_system_call;
mod examples;
#[cfg(target_os = "linux")]
mod failing_disk;
#[cfg(target_os = "linux")]
mod late_tills;
#[cfg(target_os = "linux")]
mod one_file;
#[cfg(target_os = "linux")]
mod other_boots;
#[cfg(target_os = "linux")]
mod power_cuts;
#[cfg(target_os = "linux")]
pub mod recording;
#[cfg(target_os = "linux")]
pub mod sequence;
mod status_queries;
#[cfg(target_os = "linux")]
mod wrong_clocks;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use paysvc_spec::ENDPOINTS;
use paysvc_spec::journal::Step;
use paysvc_spec::schema::Endpoint;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::capi::with;
use crate::support::driver::{Driver, Reply};
use crate::support::languages::c_only;
use crate::support::platform::foreign;
use crate::support::random::Random;
use crate::support::root;
use crate::support::sandbox::Sandbox;
use crate::support::target::{Target, target};

const SEED: u64 = 25;

/// The number of times each charge is killed.
fn kills() -> u64 {
    std::env::var("TEST_KILLS").map_or(12, |text| text.parse().unwrap())
}

/// The time limit of a call that others wait for, because it is killed or its response does not come: emulators are slow.
fn short_ms() -> u32 {
    if foreign().is_some() { 5000 } else { 500 }
}

/// The time limit of a call that must end as on a fast machine: beside other tests, the disk alone may need seconds.
const LONG_MS: u32 = 20_000;

/// As programs of the platform name it.
fn named(file: &Path) -> String {
    foreign().map_or_else(|| file.to_str().unwrap().to_owned(), |platform| platform.file(file))
}

/// A folder on a disk: the library refuses a file system in memory.
pub fn folder() -> TempDir {
    TempDir::new_in(root().join("build")).unwrap()
}

struct Till<'a> {
    sandbox: &'a Sandbox,
    command: &'a dyn Fn() -> Command,
    folder: TempDir,
    timeout_ms: u32,
}

impl Till<'_> {
    fn new<'a>(sandbox: &'a Sandbox, command: &'a dyn Fn() -> Command) -> Till<'a> {
        let till = Till { sandbox, command, folder: folder(), timeout_ms: short_ms() };
        till.started(true).finish();
        till
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("pay.db")
    }

    fn config(&self, create: bool) -> Value {
        with(self.config_in(self.timeout_ms), json!({"journal_create": create}))
    }

    /// With another limit for its calls.
    fn config_in(&self, timeout_ms: u32) -> Value {
        self.sandbox.config_with(json!({
            "journal": named(&self.file()), "timeout_ms": timeout_ms, "connect_timeout_ms": timeout_ms - 100, "max_attempts": 1,
        }))
    }

    /// Puts that file in the journal's place.
    fn reset(&self, from: &Path) {
        for end in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(self.folder.path().join(format!("pay.db{end}")));
        }
        std::fs::copy(from, self.file()).unwrap();
    }

    fn started(&self, create: bool) -> Driver {
        let driver = Driver::start(&mut (self.command)(), &self.config(create));
        assert_eq!(driver.created.status, "OK", "{}", driver.created.message);
        driver
    }

    /// As a till that was started again, until the outcome is known or a person would be asked. Its calls have the time that
    /// a slow machine needs: one that gave up would be executed later, and counted in the next case.
    fn call_again(&self, target: &Target) -> Reply {
        let mut driver = Driver::start(&mut (self.command)(), &self.config_in(LONG_MS));
        let mut reply = call(&mut driver, target);
        // An executed request is found in the end.
        for tries in 1..20 {
            let is_known = matches!(reply.outcome.as_str(), "CONFIRMED" | "REJECTED");
            if is_known || tries > 3 && (needs_key(target.row) || self.effects(target) == 0) {
                break;
            }
            reply = call(&mut driver, target);
        }
        driver.finish();
        reply
    }

    /// The number of times the request was executed.
    fn effects(&self, target: &Target) -> usize {
        let (effect, key) = target.effect.as_ref().unwrap();
        self.sandbox.effects_with_key(effect, key)
    }

    /// At most one effect, and the journal's response is no better than the truth.
    fn check(&self, target: &Target, reply: &Reply, at: &str) -> usize {
        let effects = self.effects(target);
        assert!(effects <= 1, "{at}: executed {effects} times: {reply:?}");
        match reply.outcome.as_str() {
            "CONFIRMED" => assert_eq!(effects, 1, "{at}: {reply:?}"),
            "UNKNOWN" if needs_key(target.row) => {}
            // It may have been executed since the service was asked; asked again, the service shows it.
            "UNKNOWN" if effects > 0 => {
                let again = self.call_again(target);
                assert_eq!(
                    (again.outcome.as_str(), self.effects(target)),
                    ("CONFIRMED", 1),
                    "{at}: {reply:?}, {again:?}"
                );
            }
            "UNKNOWN" => {}
            "NOT_SENT" => assert_eq!(effects, 0, "{at}: {reply:?}"),
            _ => panic!("{at}: {reply:?}"),
        }
        effects
    }

    /// The content of the files, whatever SQLite makes of it.
    fn bytes(&self) -> Vec<u8> {
        let files = std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        files.flat_map(|file| std::fs::read(file).unwrap()).collect()
    }
}

/// The caller must give the key.
fn needs_key(row: &Endpoint) -> bool {
    Step::of(row, true).is_some_and(Step::needs_key)
}

/// With a key where one is needed.
fn call(driver: &mut Driver, target: &Target) -> Reply {
    if needs_key(target.row) {
        driver.tell("key", KEY);
    }
    driver.call(target.row.name, &target.request)
}

const KEY: &str = "K-1";

/// The endpoints whose key is that of their order.
fn charges() -> Vec<&'static Endpoint> {
    ENDPOINTS.iter().filter(|row| Step::of(row, true) == Some(Step::Charge)).collect()
}

fn with_c(test: impl FnOnce(&dyn Fn() -> Command)) {
    c_only().run(|command| test(command));
}

#[test]
fn a_till_that_is_killed_at_any_moment_charges_at_most_once() {
    with_c(|command| {
        let sandbox = Sandbox::start(&["--pay-twice", "--any-reference"]);
        let (mut executed, mut unsure) = (0, 0);
        for (index, row) in charges().into_iter().enumerate() {
            let mut random = Random::new(SEED, index as u64);
            for number in 0..kills() {
                let target = target(row, &sandbox);
                let till = Till::new(&sandbox, command);
                let after = Duration::from_micros(random.below(20_000));
                till.started(false).call_and_kill(row.name, &target.request, after);
                let reply = till.call_again(&target);
                let at = format!("{} killed {after:?} after its begin, number {number}", row.name);
                executed += till.check(&target, &reply, &at);
                unsure += usize::from(reply.outcome == "UNKNOWN");
            }
        }
        println!("journal: {executed} executed, {unsure} for a person");
        assert!(executed > 0);
    });
}

#[test]
fn whatever_the_service_does_an_order_is_charged_at_most_once() {
    with_c(|command| {
        let sandbox = Sandbox::start(&["--pay-twice", "--any-reference"]);
        let faults: Vec<_> = sandbox.faults().into_iter().filter(|name| !name.starts_with("tls_")).collect();
        assert!(faults.len() > 20);
        for fault in &faults {
            for row in charges().into_iter().take(1) {
                let target = target(row, &sandbox);
                let till = Till::new(&sandbox, command);
                sandbox.arm(row.path, fault);
                let mut driver = till.started(false);
                let first = driver.call(row.name, &target.request);
                driver.finish();
                let reply = till.call_again(&target);
                let effects = till.effects(&target);
                assert!(effects <= 1, "{} under {fault}: {effects} times: {first:?}, then {reply:?}", row.name);
                if reply.outcome == "CONFIRMED" {
                    assert_eq!(effects, 1, "{} under {fault}: {reply:?}", row.name);
                }
            }
        }
    });
}

#[test]
fn of_two_tills_with_one_file_that_pay_an_order_at_once_one_charges_it() {
    with_c(|command| {
        let sandbox = Sandbox::start(&["--pay-twice", "--any-reference"]);
        let row = charges()[0];
        for number in 0..kills() {
            let target = target(row, &sandbox);
            // The second waits for the first, on a slow machine for long.
            let till = Till { timeout_ms: LONG_MS, ..Till::new(&sandbox, command) };
            let mut drivers = [till.started(false), till.started(false)];
            let replies: Vec<Reply> = std::thread::scope(|scope| {
                let pay = |driver: &mut Driver| driver.call(row.name, &target.request);
                let calls: Vec<_> = drivers.iter_mut().map(|driver| scope.spawn(move || pay(driver))).collect();
                calls.into_iter().map(|call| call.join().unwrap()).collect()
            });
            assert_eq!(till.effects(&target), 1, "number {number}: {replies:?}");
            assert!(replies.iter().any(|reply| reply.outcome == "CONFIRMED"), "{replies:?}");
            drivers.into_iter().for_each(|driver| _ = driver.finish());
        }
    });
}

/// The queries of the document, with Python's SQLite.
const QUERIES: &str = r#"
import re, sqlite3, sys
text = open(sys.argv[1]).read()
block = re.search(r"```sql\n(.*?)```", text, re.S)[1]
queries = [query for query in block.split(";") if query.strip()]
database = sqlite3.connect(f"file:{sys.argv[2]}?mode=ro", uri=True)
database.execute("CREATE TEMP TABLE statement (reference TEXT)")
for query in queries:
    print(len(database.execute(query).fetchall()))
"#;

#[test]
fn the_file_has_no_secret_and_answers_the_queries_of_its_document() {
    with_c(|command| {
        let sandbox = Sandbox::start(&["--any-reference"]);
        let row = charges()[0];
        let target = target(row, &sandbox);
        let till = Till { timeout_ms: LONG_MS, ..Till::new(&sandbox, command) };
        let mut driver = till.started(false);
        let reply = driver.call(row.name, &target.request);
        assert_eq!(reply.outcome, "CONFIRMED", "{reply:?}");
        let mut secrets = vec![sandbox.text("public_key").to_owned(), sandbox.text("secret_key").to_owned()];
        collect(row.fields, &target.request, &mut secrets);
        assert!(secrets.len() > 2, "{secrets:?}");
        let find = |bytes: &[u8]| {
            secrets.iter().find(|secret| bytes.windows(secret.len()).any(|part| part == secret.as_bytes())).cloned()
        };
        assert_eq!(find(&till.bytes()), None, "while it is open");
        driver.finish();
        assert_eq!(find(&till.bytes()), None);
        let counts = queries(&till.file());
        assert_eq!(counts, ["0", "1", "0", "0", "1"], "open, today's, twice, settled, not in the statement");
    });
}

fn queries(file: &Path) -> Vec<String> {
    let mut python = Command::new("python3");
    python.args(["-c", QUERIES]).arg(root().join("docs/journal.md")).arg(file);
    let output = python.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// The values of secret fields that are long enough to be found.
fn collect(fields: &[paysvc_spec::schema::Field], value: &Value, found: &mut Vec<String>) {
    for field in fields {
        match &value[field.name] {
            Value::String(text) if field.secret && text.len() >= 6 => found.push(text.clone()),
            inner @ Value::Object(_) => collect(field.kind.members(), inner, found),
            _ => {}
        }
    }
}
