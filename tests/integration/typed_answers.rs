//! Typed answers in C, C++ and Go: the same fields of the same responses give the same values, the ones that the
//! reference reader of the tests finds (`tests/support/answers`), and no response that cannot be read changes a verdict.
//! Python's are made of `paysvc_reply_json`, which `normal` compares.
//!
//! Three kinds of answers: the sandbox's, the canned ones of `tests/scenarios.json`, and hostile ones that a raw server
//! gives. TEST_ANSWERS=all: every value of every kind for every field, and a hundred times as many by chance.
//! `make certify` prints the table.

mod cpp;
mod hostile;
mod normal;
mod reference;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Command;
use std::sync::{Arc, Mutex};

use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::{Certainty, Endpoint};
use serde_json::{Map, Value, json};

use crate::support::answers::{self, Found};
use crate::support::driver::{Driver, Reply};
use crate::support::languages;
use crate::support::long_encryption_key;
use crate::support::sandbox::Sandbox;
use crate::support::server::Server;
use crate::support::target::{good, target};
use hostile::Case;

type Entries = Map<String, Value>;

/// The responses of one endpoint.
struct Answers {
    row: &'static Endpoint,
    cases: Vec<Case>,
    /// What the reference reads in each.
    expected: Vec<Entries>,
}

/// How one endpoint was read.
#[derive(Default)]
struct Read {
    /// Status, outcome, state and code of each response of the raw server.
    verdicts: Vec<String>,
    entries: usize,
    wrong: Vec<String>,
}

/// The rows with typed answers. Everything that is known about the others' is guessed.
fn rows() -> impl Iterator<Item = &'static Endpoint> {
    ENDPOINTS.iter().filter(|row| answers::typed(row.answer.members).next().is_some())
}

fn answers(row: &'static Endpoint) -> Answers {
    let all = std::env::var("TEST_ANSWERS").is_ok_and(|which| which == "all");
    let cases = hostile::cases(row, if all { 3000 } else { 30 }, all);
    let expected = cases.iter().map(|case| answers::of_text(row, &case.body)).collect();
    Answers { row, cases, expected }
}

/// What a driver found. C has no typed answers: its driver tells what stands at each pointer, which is then read as the
/// reference does.
fn found(driver: &mut Driver, row: &Endpoint) -> Entries {
    let found = driver.answer(row.name);
    let is_c = found.get("").is_some();
    if !is_c {
        return found;
    }
    let look = |pointer: &str| {
        let at = found.get(pointer).unwrap_or_else(|| panic!("C did not look at {pointer:?}: {found:?}"));
        let text = || at[1].as_str().unwrap_or_else(|| panic!("{pointer}: {at}")).to_owned();
        match at[0].as_str().unwrap() {
            "ABSENT" => Found::Absent,
            "NULL" => Found::Null,
            "BOOL" => Found::Bool(text() == "true"),
            "NUMBER" => Found::Number(text()),
            "STRING" => Found::Text(text()),
            "ARRAY" => Found::Array(usize::try_from(at[1].as_u64().unwrap()).unwrap()),
            "OBJECT" => Found::Object,
            other => panic!("no type {other}"),
        }
    };
    answers::entries(row, &look)
}

/// What differs, without repeating what is correct.
fn differences(found: &Entries, expected: &Entries) -> Vec<String> {
    let pointers: BTreeSet<_> = found.keys().chain(expected.keys()).collect();
    let differs = pointers.into_iter().filter(|pointer| found.get(*pointer) != expected.get(*pointer));
    differs.map(|at| format!("{at}: {:?}, not {:?}", found.get(at), expected.get(at))).collect()
}

/// All answers of the raw server through one program.
fn read_all(start: &dyn Fn() -> Command, all: &[Answers]) -> Vec<Read> {
    let body = Arc::new(Mutex::new(String::new()));
    let server = Server::start({
        let body = Arc::clone(&body);
        move |mut connection| {
            while connection.read_request().is_some() {
                let body = body.lock().unwrap().clone();
                connection.answer("200 OK", "", &body);
            }
        }
    });
    let mut config = server.config();
    config["encryption_key"] = json!(long_encryption_key());
    config["max_attempts"] = json!(1);
    let mut driver = Driver::start(&mut start(), &config);
    assert_eq!(driver.created.status, "OK", "{}", driver.created.message);
    let mut out = Vec::new();
    for Answers { row, cases, expected } in all {
        let request = Value::Object(good(row).request.clone());
        let mut read = Read::default();
        for (case, expected) in cases.iter().zip(expected) {
            body.lock().unwrap().clone_from(&case.body);
            let reply = driver.call(row.name, &request);
            assert_eq!(reply.body, case.body, "{}: {}: {reply:?}", row.name, case.what);
            let found = found(&mut driver, row);
            read.verdicts.push(verdict(&reply));
            read.entries += found.len();
            let differences = differences(&found, expected);
            read.wrong.extend(differences.iter().map(|what| format!("{}: {}: {what}", row.name, case.what)));
        }
        out.push(read);
    }
    driver.finish();
    out
}

fn verdict(reply: &Reply) -> String {
    format!("{} {} state {} code {:?}", reply.status, reply.outcome, reply.state, reply.code)
}

/// The good call of every endpoint over the sandbox.
fn over_the_sandbox(start: &dyn Fn() -> Command) -> Vec<Read> {
    let sandbox = Sandbox::start(&[]);
    let mut driver = Driver::start(&mut start(), &sandbox.config());
    let one = |row: &'static Endpoint| {
        let reply = driver.call(row.name, &target(row, &sandbox).request);
        assert_eq!(reply.verdict(), ("OK", "CONFIRMED"), "{}: {reply:?}", row.name);
        let (found, expected) = (found(&mut driver, row), answers::of_text(row, &reply.body));
        let values = expected.values().filter(|entry| entry.is_string()).count();
        assert!(values > 0, "{}: nothing typed in {}", row.name, reply.body);
        assert!(!expected.values().any(|entry| entry == false), "{}: {expected:?}", row.name);
        let wrong = differences(&found, &expected).iter().map(|what| format!("{}: {what}", row.name)).collect();
        Read { verdicts: vec![verdict(&reply)], entries: found.len(), wrong }
    };
    rows().map(one).collect()
}

/// How a change that has no part in the verdict changed the verdict.
fn changed_verdicts(answers: &Answers, read: &Read) -> Vec<String> {
    let good = &read.verdicts[0];
    assert!(good.starts_with("OK CONFIRMED "), "{}: the canned answer gives {good}", answers.row.name);
    let cases = answers.cases.iter().zip(&read.verdicts);
    let changed = cases.filter(|(case, verdict)| case.keeps_verdict && *verdict != good);
    changed.map(|(case, verdict)| format!("{}: {}: {verdict}, not {good}", answers.row.name, case.what)).collect()
}

fn few(lines: &[String]) -> String {
    let shown: Vec<_> = lines.iter().take(30).map(String::as_str).collect();
    format!("{} in all:\n{}", lines.len(), shown.join("\n"))
}

/// What other languages read is the library's JSON of a reply, which [`normal`] compares.
#[test]
fn c_reads_what_stands_at_each_pointer_and_no_value_changes_a_verdict() {
    let all: Vec<Answers> = rows().map(answers).collect();
    let (sandbox, served) = languages::c_only().run(|start| (over_the_sandbox(start), read_all(start, &all)));
    let mut table = "\n| typed answers of | C |\n|---|---|".to_owned();
    for (answers, (sandbox, served)) in all.iter().zip(sandbox.iter().zip(&served)) {
        let (count, entries) = (served.verdicts.len() + 1, served.entries + sandbox.entries);
        write!(table, "\n| {} | {count} answers, {entries} entries |", answers.row.name).unwrap();
    }
    println!("{table}");
    let mut wrong: Vec<String> = sandbox.iter().chain(&served).flat_map(|read| read.wrong.clone()).collect();
    wrong.extend(all.iter().zip(&served).flat_map(|(answers, read)| changed_verdicts(answers, read)));
    assert!(wrong.is_empty(), "{}", few(&wrong));
}

/// The drivers know every field that has a type, and no other.
#[test]
fn the_canned_answer_of_every_endpoint_has_what_its_row_says() {
    for row in ENDPOINTS {
        let entries = answers::of_text(row, &hostile::canned(row).body);
        let unreadable: Vec<_> = entries.iter().filter(|(_, entry)| **entry == false).collect();
        assert!(unreadable.is_empty(), "{}: {unreadable:?}", row.name);
        let is_typed = answers::typed(row.answer.members).next().is_some();
        assert_eq!(entries.values().any(Value::is_string), is_typed, "{}", row.name);
        assert!(is_typed || row.answer.certainty == Certainty::Guessed, "{}: nothing is typed", row.name);
    }
    assert!(rows().count() > ENDPOINTS.len() / 2);
}

/// The hostile responses reach what they are made for, in every row.
#[test]
fn every_member_meets_an_absent_an_unreadable_and_a_good_value() {
    for row in rows() {
        let Answers { cases, expected, .. } = answers(row);
        let mut seen: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for (pointer, entry) in expected.iter().flatten() {
            let what = match entry {
                Value::Null => "absent",
                Value::Bool(_) => "unreadable",
                _ => "there",
            };
            let is_index = |step: &str| !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
            let steps: Vec<_> = pointer.split('/').map(|step| if is_index(step) { "*" } else { step }).collect();
            seen.entry(steps.join("/")).or_default().insert(what);
        }
        // An element is there or unreadable.
        for (pointer, seen) in seen.iter().filter(|(pointer, _)| !pointer.ends_with('*')) {
            assert_eq!(seen.len(), 3, "{}: {pointer}: {seen:?}", row.name);
        }
        let kept = cases.iter().filter(|case| case.keeps_verdict).count();
        assert!(kept >= 20, "{}: only {kept} answers that keep the verdict", row.name);
    }
}
