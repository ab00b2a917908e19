//! `tests/scenarios.json` through foreign programs: what each call gives, what the sandbox saw, and what it committed;
//! every language must send the same requests and see the same outcomes.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;

use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::Location;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::support::driver::{self, Driver, Reply};
use crate::support::languages;
use crate::support::sandbox::Sandbox;
use crate::support::target::filled;
use crate::support::{compact, root, sha256};

#[derive(Deserialize)]
struct Manifest {
    scenarios: Vec<Scenario>,
    endpoints: BTreeMap<String, Entry>,
}

/// One good call of an endpoint. Its request is kept as text: the order of its fields is part of what is compared.
#[derive(Deserialize)]
struct Entry {
    setup: Vec<Box<RawValue>>,
    request: Box<RawValue>,
    wire: Vec<String>,
    effect: Option<(String, String)>,
}

impl Manifest {
    fn read() -> Manifest {
        let text = std::fs::read_to_string(root().join("tests/scenarios.json")).unwrap();
        let mut manifest: Manifest = serde_json::from_str(&text).unwrap();
        let entries = std::mem::take(&mut manifest.endpoints);
        let steps = entries.into_iter().flat_map(|(name, entry)| entry.steps(name)).collect();
        let name = "one good call of every endpoint".to_owned();
        manifest.scenarios.push(Scenario { name, config: BTreeMap::new(), journal: false, pays_once: false, steps });
        manifest
    }
}

impl Entry {
    fn steps(self, name: String) -> Vec<Step> {
        let request: Map<String, Value> = serde_json::from_str(self.request.get()).unwrap();
        let reset = Step { admin: Some("POST /sandbox/reset".into()), ..Step::default() };
        let setup = self.setup.iter().map(|step| serde_json::from_str(step.get()).unwrap());
        let mut wire = self.wire;
        wire[1] = filled(&wire[1], &request);
        let call = Step {
            call: Some(name),
            with: Some(self.request),
            wire: Some(wire),
            expect: Some(("OK".into(), "CONFIRMED".into())),
            attempts: Some(1),
            effect: self.effect.map(|(effect, key)| (effect, filled(&key, &request))),
            ..Step::default()
        };
        [reset].into_iter().chain(setup).chain([call]).collect()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    name: String,
    #[serde(default)]
    config: BTreeMap<String, Value>,
    /// The client has a journal.
    #[serde(default)]
    journal: bool,
    /// The sandbox refuses to move the same money again, because that refusal is what is played.
    #[serde(default)]
    pays_once: bool,
    steps: Vec<Step>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    call: Option<String>,
    admin: Option<String>,
    ledger: Option<Vec<(String, String, Option<String>)>>,
    /// The number of requests that the sandbox has seen.
    requests: Option<usize>,
    /// An effect and its key that the ledger must have.
    effect: Option<(String, String)>,
    with: Option<Box<RawValue>>,
    sent: Option<Box<RawValue>>,
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

/// One scenario as one language played it.
struct Played {
    scenario: String,
    /// The requests that the sandbox saw, without what differs from run to run.
    captured: Vec<Value>,
    verdicts: Vec<String>,
    error: Option<String>,
}

/// Runs every scenario through the program that `start` makes.
fn play_all(manifest: &Manifest, start: &dyn Fn() -> Command) -> Vec<Played> {
    // Two implementations decrypt every payload.
    let sandboxes = [&["--check-decryption", "--pay-twice"][..], &["--check-decryption"]].map(Sandbox::start);
    let sandbox = |scenario: &Scenario| &sandboxes[usize::from(scenario.pays_once)];
    manifest.scenarios.iter().map(|scenario| play(sandbox(scenario), scenario, start)).collect()
}

fn play(sandbox: &Sandbox, scenario: &Scenario, start: &dyn Fn() -> Command) -> Played {
    sandbox.post("/sandbox/reset", &Value::Null);
    let kept = BTreeMap::from([("x509".into(), "x".repeat(509))]);
    let mut run = Run { sandbox, name: &scenario.name, kept, verdicts: Vec::new() };
    let played = catch_unwind(AssertUnwindSafe(|| run.all(scenario, start)));
    Played {
        scenario: scenario.name.clone(),
        captured: sandbox.requests().iter().map(lasting).collect(),
        verdicts: run.verdicts,
        error: played.err().map(|panic| panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "panicked".into())),
    }
}

/// The parts of a captured request that every language must send alike.
fn lasting(request: &Value) -> Value {
    let header = |name: &str| request["headers"][name].clone();
    json!({
        "method": request["method"],
        "path": request["path"],
        "query": request["query"],
        "headers": [header("api-key"), header("encryption"), header("content-type"), header("accept"), header("user-agent")],
        "envelope": request["envelope"],
        "payload_sha256": request["payload_sha256"],
    })
}

/// The request without white space, and without the fields that the row sends in the path or the query.
fn body(function: Option<&str>, request: &str) -> String {
    let mut body = compact(request);
    let fields = ENDPOINTS.iter().find(|row| Some(row.name) == function).map_or(&[][..], |row| row.fields);
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(request).unwrap();
    for field in fields.iter().filter(|field| field.location != Location::Body) {
        if let Some(value) = members.get(field.name) {
            let member = format!("{:?}:{}", field.name, compact(value.get()));
            body = body.replacen(&format!("{member},"), "", 1).replacen(&format!(",{member}"), "", 1);
        }
    }
    body
}

struct Run<'a> {
    sandbox: &'a Sandbox,
    name: &'a str,
    kept: BTreeMap<String, String>,
    verdicts: Vec<String>,
}

impl Run<'_> {
    fn all(&mut self, scenario: &Scenario, start: &dyn Fn() -> Command) {
        let mut config = self.sandbox.config_with(serde_json::to_value(&scenario.config).unwrap());
        // On a disk: the library refuses a file system in memory.
        let folder = scenario.journal.then(|| tempfile::tempdir_in(root().join("build")).unwrap());
        if let Some(folder) = &folder {
            config["journal"] = json!(folder.path().join("pay.db"));
            config["journal_create"] = json!(true);
        }
        let mut driver = Driver::start(&mut start(), &config);
        assert_eq!(driver.created.status, "OK", "{}: {}", scenario.name, driver.created.message);
        for (index, step) in scenario.steps.iter().enumerate() {
            self.step(index, step, &mut driver);
        }
        let log = driver.finish();
        let leaked = ["4111111111111111", self.sandbox.text("secret_key")].iter().any(|secret| log.contains(secret));
        assert!(!leaked, "{}: the log has secrets", scenario.name);
    }

    fn fill(&self, text: &str) -> String {
        self.kept.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }

    fn step(&mut self, index: usize, step: &Step, driver: &mut Driver) {
        let at = format!("{} / step {index}", self.name);
        let with = self.fill(step.with.as_ref().map_or("{}", |with| with.get()));
        if let Some(function) = &step.call {
            let before = self.requests();
            let reply = driver.call_text(function, &compact(&with));
            // Nothing beyond what the call reports: neither the library nor the layers beneath it repeat anything by
            // themselves.
            assert_eq!(self.requests() - before, usize::try_from(reply.attempts).unwrap(), "{at}: {reply:?}");
            self.verdicts.push(format!("{} {} {} {}", reply.status, reply.outcome, reply.state, reply.code));
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
            self.look(&at, step, &mut |pointer| driver::get(&answer.to_string(), pointer));
        } else if let Some(expected) = &step.ledger {
            let expected: Vec<_> = expected.iter().map(|(e, k, a)| (e.clone(), self.fill(k), a.clone())).collect();
            assert_eq!(self.ledger(), expected, "{at}");
        } else {
            assert_eq!(Some(self.requests()), step.requests, "{at}");
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
            let sent = step.sent.as_ref().map(|sent| self.fill(sent.get()));
            self.check_wire(at, wire, &body(step.call.as_deref(), sent.as_deref().unwrap_or(with)));
        }
        if let Some((effect, key)) = &step.effect {
            let made = self.ledger().iter().any(|(found, of, _)| found == effect && of == key);
            assert!(made, "{at}: no {effect} {key} in {:?}", self.ledger());
        }
        if let Some(query) = &step.query {
            assert_eq!(self.last_request()["query"], serde_json::to_value(query).unwrap(), "{at}");
        }
    }

    /// Checks the request that left the library, as the sandbox saw it: it shares no code with the library.
    fn check_wire(&self, at: &str, wire: &[String], body: &str) {
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
            assert_eq!(request["payload_sha256"], sha256(body.as_bytes()).as_str(), "{at}: {request}");
        }
    }

    /// The number that the sandbox has seen.
    fn requests(&self) -> usize {
        self.sandbox.requests().len()
    }

    fn last_request(&self) -> Value {
        self.sandbox.requests().pop().expect("a request")
    }

    /// Compares the values that the step names in a response, and keeps those that it asks for.
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
        let ledger = self.sandbox.ledger();
        ledger
            .iter()
            .map(|entry| (text(&entry["effect"]).unwrap(), text(&entry["key"]).unwrap(), text(&entry["amount"])))
            .collect()
    }
}

/// `make harden ONLY=certify` prints the table.
fn print(results: &[(&str, Vec<Played>)]) {
    println!("\n| scenario | {} |", results.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" | "));
    println!("|---|{}", "---|".repeat(results.len()));
    for (index, first) in results[0].1.iter().enumerate() {
        let cell = |played: &Played| match (
            &played.error,
            played.captured == first.captured,
            played.verdicts == first.verdicts,
        ) {
            (Some(_), ..) => "FAILED".to_owned(),
            (None, true, true) => format!("{} calls, {} sent", played.verdicts.len(), played.captured.len()),
            (None, false, _) => "OTHER REQUESTS".to_owned(),
            (None, _, false) => "OTHER OUTCOMES".to_owned(),
        };
        let cells: Vec<_> = results.iter().map(|(_, played)| cell(&played[index])).collect();
        println!("| {} | {} |", first.scenario, cells.join(" | "));
    }
}

#[test]
fn every_language_agrees() {
    let manifest = Manifest::read();
    assert!(!manifest.scenarios.is_empty());
    let results: Vec<(&str, Vec<Played>)> = std::thread::scope(|scope| {
        let manifest = &manifest;
        let running: Vec<_> = languages::all()
            .into_iter()
            .map(|language| (language.name, scope.spawn(move || language.run(|start| play_all(manifest, start)))))
            .collect();
        running.into_iter().map(|(name, running)| (name, running.join().unwrap())).collect()
    });
    print(&results);
    for (name, played) in &results {
        for (played, first) in played.iter().zip(&results[0].1) {
            assert_eq!(played.error, None, "{name}: {}", played.scenario);
            assert_eq!(played.captured, first.captured, "{name} sends other requests: {}", played.scenario);
            assert_eq!(played.verdicts, first.verdicts, "{name} sees other outcomes: {}", played.scenario);
        }
    }
}
