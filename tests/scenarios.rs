//! `tests/scenarios.json` through foreign programs: what each call gives, what the sandbox saw, and what it committed.

mod support;

use std::collections::BTreeMap;
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use support::driver::{Driver, Reply};
use support::sandbox::Sandbox;
use support::{Link, Stage, compact, root, sha256};

#[derive(Deserialize)]
struct Manifest {
    scenarios: Vec<Scenario>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    name: String,
    #[serde(default)]
    config: BTreeMap<String, Value>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    call: Option<String>,
    admin: Option<String>,
    ledger: Option<Vec<(String, String, Option<String>)>>,
    /// How many requests the sandbox has seen.
    requests: Option<usize>,
    with: Option<Box<RawValue>>,
    wire: Option<Vec<String>>,
    query: Option<BTreeMap<String, String>>,
    expect: Option<(String, String)>,
    http: Option<i32>,
    state: Option<i32>,
    code: Option<String>,
    attempts: Option<i32>,
    has: Option<String>,
    #[serde(default)]
    get: BTreeMap<String, Option<String>>,
    #[serde(default)]
    keep: BTreeMap<String, String>,
}

/// Runs every scenario through the program that `start` makes.
fn run_all(sandbox: &Sandbox, start: &dyn Fn() -> Command) -> usize {
    let text = std::fs::read_to_string(root().join("tests/scenarios.json")).unwrap();
    let manifest: Manifest = serde_json::from_str(&text).unwrap();
    for scenario in &manifest.scenarios {
        sandbox.post("/sandbox/reset", &Value::Null);
        let config = sandbox.config_with(serde_json::to_value(&scenario.config).unwrap());
        let mut driver = Driver::start(&mut start(), &config);
        assert_eq!(driver.created.status, "OK", "{}: {}", scenario.name, driver.created.message);
        let mut run = Run { sandbox, name: &scenario.name, kept: BTreeMap::from([("x509".into(), "x".repeat(509))]) };
        for (index, step) in scenario.steps.iter().enumerate() {
            run.step(index, step, &mut driver);
        }
        let log = driver.finish();
        assert!(
            !log.contains("4111111111111111") && !log.contains(sandbox.text("secret_key")),
            "{}: the log tells secrets",
            scenario.name
        );
    }
    manifest.scenarios.len()
}

struct Run<'a> {
    sandbox: &'a Sandbox,
    name: &'a str,
    kept: BTreeMap<String, String>,
}

impl Run<'_> {
    fn fill(&self, text: &str) -> String {
        self.kept.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }

    fn step(&mut self, index: usize, step: &Step, driver: &mut Driver) {
        let at = format!("{} / step {index}", self.name);
        let with = self.fill(step.with.as_ref().map_or("{}", |with| with.get()));
        if let Some(function) = &step.call {
            let reply = driver.call_text(function, &compact(&with));
            self.check(&format!("{at} ({function})"), step, &with, &reply);
            assert!(reply.json().is_object(), "{at}: {reply:?}");
            self.look(&at, step, &mut |pointer| driver.get(pointer));
        } else if let Some(admin) = &step.admin {
            let admin = self.fill(admin);
            let (method, path) = admin.split_once(' ').unwrap();
            let answer = match method {
                "GET" => self.sandbox.get(path),
                _ => self.sandbox.post(path, &serde_json::from_str(&with).unwrap()),
            };
            self.look(&at, step, &mut |pointer| text_at(&answer, pointer));
        } else if let Some(expected) = &step.ledger {
            let expected: Vec<_> = expected.iter().map(|(e, k, a)| (e.clone(), self.fill(k), a.clone())).collect();
            assert_eq!(self.ledger(), expected, "{at}");
        } else {
            let seen = self.sandbox.get("/sandbox/requests")["requests"].as_array().unwrap().len();
            assert_eq!(Some(seen), step.requests, "{at}");
        }
    }

    fn check(&self, at: &str, step: &Step, with: &str, reply: &Reply) {
        let (status, outcome) = step.expect.as_ref().unwrap_or_else(|| panic!("{at}: expects nothing"));
        assert_eq!(reply.verdict(), (status.as_str(), outcome.as_str()), "{at}: {reply:?}");
        let same = |name: &str, expected: Option<i32>, found: i32| {
            assert!(expected.is_none_or(|expected| expected == found), "{at}: {name} is {found}: {reply:?}");
        };
        same("http", step.http, reply.http_status);
        same("state", step.state, reply.state);
        same("attempts", step.attempts, reply.attempts);
        assert!(step.code.as_ref().is_none_or(|code| *code == reply.code), "{at}: {reply:?}");
        assert!(step.has.as_ref().is_none_or(|part| reply.message.contains(part)), "{at}: {reply:?}");
        if let Some(wire) = &step.wire {
            self.check_wire(at, wire, with);
        }
        if let Some(query) = &step.query {
            assert_eq!(self.last_request()["query"], serde_json::to_value(query).unwrap(), "{at}");
        }
    }

    /// What left the library, as the sandbox saw it: it shares no code with the library.
    fn check_wire(&self, at: &str, wire: &[String], with: &str) {
        let request = self.last_request();
        let header = |name: &str| request["headers"][name].as_str().unwrap_or("");
        assert_eq!(request["method"], wire[0].as_str(), "{at}");
        assert_eq!(request["path"], self.fill(&wire[1]).as_str(), "{at}");
        assert_eq!(header("api-key"), wire[2], "{at}");
        assert_eq!(request["envelope"], wire[3].as_str(), "{at}");
        assert_eq!(header("encryption"), wire.get(4).map_or("", String::as_str), "{at}");
        assert_eq!(header("accept"), "application/json", "{at}");
        if wire[3] == "none" {
            assert_eq!(request["body_bytes"], 0, "{at}");
        } else {
            assert_eq!(header("content-type"), "application/json", "{at}");
            assert_eq!(request["payload_sha256"], sha256(compact(with).as_bytes()).as_str(), "{at}: {request}");
        }
    }

    fn last_request(&self) -> Value {
        self.sandbox.get("/sandbox/requests")["requests"].as_array().unwrap().last().expect("a request").clone()
    }

    /// Compares what the step names in an answer, and keeps what it wants.
    fn look(&mut self, at: &str, step: &Step, get: &mut dyn FnMut(&str) -> Option<String>) {
        for (pointer, expected) in &step.get {
            assert_eq!(get(pointer), expected.as_ref().map(|text| self.fill(text)), "{at}: {pointer}");
        }
        for (name, pointer) in &step.keep {
            let found = get(pointer).unwrap_or_else(|| panic!("{at}: no {pointer}"));
            self.kept.insert(name.clone(), found);
        }
    }

    fn ledger(&self) -> Vec<(String, String, Option<String>)> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let ledger = self.sandbox.get("/sandbox/ledger");
        let entries = ledger["ledger"].as_array().unwrap().iter();
        entries
            .map(|entry| (text(&entry["effect"]).unwrap(), text(&entry["key"]).unwrap(), text(&entry["amount"])))
            .collect()
    }
}

/// A value of an admin call's answer, as `paysvc_reply_get` would give it.
fn text_at(answer: &Value, pointer: &str) -> Option<String> {
    match answer.pointer(pointer)? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn through_c(link: Link, flags: &[&str], wrapper: &[&str]) {
    let stage = Stage::new();
    let program = stage.cc(&root().join("tests/c/driver.c"), link, flags);
    let sandbox = Sandbox::start(&[]);
    let start = || {
        let mut words = wrapper.iter().map(|word| word.to_string()).chain([program.to_str().unwrap().to_owned()]);
        let mut command = stage.command(words.next().unwrap().as_ref());
        command.args(words);
        command
    };
    assert!(run_all(&sandbox, &start) > 0);
}

#[test]
fn c_with_the_shared_library() {
    through_c(Link::Shared, &["-std=c89", "-pedantic"], &[]);
}

#[test]
fn c_with_the_archive_under_address_sanitizer() {
    through_c(Link::Static, support::ASAN, &[]);
}

#[test]
fn c_under_valgrind() {
    let wrapper: Vec<&str> = [&["valgrind"], support::VALGRIND].concat();
    through_c(Link::Shared, &[], &wrapper);
}
