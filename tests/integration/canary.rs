//! The leak canary: unique secrets go through every endpoint and every fault, in three languages, with the log at
//! maximum verbosity; then every text that came out of the library, and the memory that it owned, is searched for them.
//!
//! `make test` runs it over TLS; `make harden ONLY=canary` (TEST_CANARY=all) plain as well, and prints the figures.

#[cfg(target_os = "linux")]
mod journal;

use std::path::PathBuf;
use std::process::Command;

use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::{Endpoint, Field};
use serde_json::{Value, json};

use crate::support::driver::{Driver, Reply};
use crate::support::memory::{Needles, Whose, search};
use crate::support::sandbox::Sandbox;
use crate::support::target::{calls, target};
use crate::support::{Link, Stage, bindings, root};

/// A secret of each kind that the table has, by the name of its field. No other program on the machine has them.
fn canaries() -> impl Iterator<Item = (&'static str, &'static str)> {
    calls().canaries.iter().map(|(name, secret)| (name.as_str(), secret.as_str()))
}

/// A short secret is searched for in memory with the quotes around it, or other digits would match.
fn in_memory((name, secret): (&'static str, &'static str)) -> (&'static str, String) {
    (name, if secret.len() < 6 { format!("\"{secret}\"") } else { secret.to_owned() })
}

/// A driver of a language, and where the library that it loads is.
struct Language {
    name: &'static str,
    whose: Whose,
    program: Vec<String>,
    /// Loaded before the program; made once, because a file that is mapped must not be written again.
    arena: PathBuf,
}

fn languages(stage: &Stage) -> Vec<Language> {
    let text = |path: PathBuf| path.to_str().unwrap().to_owned();
    let c = text(stage.cc(&root().join("tests/c/driver.c"), Link::Shared, &["-std=c89", "-pedantic"]));
    let python = vec!["python3".to_owned(), text(root().join("tests/drivers/driver.py"))];
    let go = text(stage.go_build("internal/driver"));
    let arena = stage.preload("arena.c");
    let of = |name, whose, program| Language { name, whose, program, arena: arena.clone() };
    // The C program wipes its own memory, so nothing may be left anywhere; copies in the other languages are not the
    // library's.
    vec![of("C", Whose::Process, vec![c]), of("Python", Whose::Library, python), of("Go", Whose::Library, vec![go])]
}

impl Language {
    fn command(&self, stage: &Stage) -> Command {
        let mut command = stage.command(self.program[0].as_ref());
        command.args(&self.program[1..]).env("LD_PRELOAD", &self.arena);
        bindings::in_python(&mut command);
        command
    }
}

/// Faults of the next new connection. A rule for them has no path: with one it would match the next admin call.
fn strikes_connections(fault: &str) -> bool {
    fault.starts_with("tls_") || fault == "early_response"
}

/// Every secret field of the request, and of the objects that it has, gets its canary, also where it is optional.
fn plant(fields: &[Field], value: &mut Value) {
    match value {
        Value::Object(members) => {
            for field in fields {
                if field.secret {
                    members.insert(field.name.to_owned(), calls().canaries[field.name].as_str().into());
                } else if let Some(value) = members.get_mut(field.name) {
                    plant(field.kind.members(), value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| plant(fields, item)),
        _ => {}
    }
}

#[derive(Default)]
struct Figures {
    calls: usize,
    own_bodies: usize,
    faults: usize,
    searched: u64,
    leaks: Vec<String>,
}

/// One driver's run.
struct Run<'a> {
    sandbox: &'a Sandbox,
    /// Each fault at one of so many endpoints, in turn.
    one_of: usize,
    driver: Driver,
    texts: Needles,
    figures: Figures,
    at: String,
}

impl Run<'_> {
    /// All endpoints, each meeting the fault.
    fn meet(&mut self, number: usize, fault: Option<&str>) {
        let picked = |index: &usize| fault.is_none() || (index + number).is_multiple_of(self.one_of);
        let rows: Vec<_> = (0..ENDPOINTS.len()).filter(picked).map(|index| &ENDPOINTS[index]).collect();
        for row in rows {
            if fault.is_some_and(strikes_connections) {
                // It strikes the next new connection, so the kept one is ended first.
                self.call(row, Some("commit_then_reset"));
            }
            self.call(row, fault);
        }
    }

    fn call(&mut self, row: &'static Endpoint, fault: Option<&str>) {
        let mut target = target(row, self.sandbox);
        plant(row.fields, &mut target.request);
        if let Some(fault) = fault {
            let mut rule = json!({"fault": fault, "nth": 1, "count": 1});
            if !strikes_connections(fault) {
                rule["path"] = row.path.into();
            }
            if fault == "slow_headers" {
                rule["delay_ms"] = 50.into();
            }
            self.sandbox.post("/sandbox/faults", &rule);
        }
        let reply = self.driver.call(row.name, &target.request);
        self.figures.calls += 1;
        self.look_at(&reply, fault, row.name);
    }

    fn look_at(&mut self, reply: &Reply, fault: Option<&str>, name: &str) {
        let at = format!("{}: {name} under {}", self.at, fault.unwrap_or("no fault"));
        self.read(&format!("the message of {at}"), &format!("{} {}", reply.message, reply.code));
        // The body of a response is passed on unchanged, even where the service repeats the request in it.
        if is_own(reply) {
            self.figures.own_bodies += 1;
            self.read(&format!("the body of {at}"), &reply.body);
        }
    }

    fn read(&mut self, what: &str, text: &str) {
        let found = self.texts.found_in(text.as_bytes());
        self.figures.leaks.extend(found.into_iter().map(|needle| format!("{needle}: {what}")));
    }

    fn search(&mut self, whose: Whose, when: &str, needles: &Needles) {
        let (found, searched) = search(self.driver.process(), whose, needles);
        self.figures.searched += searched;
        self.figures.leaks.extend(found.into_iter().map(|what| format!("{}, {when}: {what}", self.at)));
    }
}

/// Whole payloads, as they are before they are encrypted.
fn plaintexts(sandbox: &Sandbox) -> impl Iterator<Item = (&'static str, String)> {
    ENDPOINTS.iter().filter(|row| row.encrypted).map(|row| {
        let mut request = target(row, sandbox).request;
        plant(row.fields, &mut request);
        ("plaintext", request.to_string())
    })
}

/// Returns whether the library made this body itself.
fn is_own(reply: &Reply) -> bool {
    let Ok(Value::Object(body)) = serde_json::from_str(&reply.body) else { return false };
    body.keys().eq(["errors", "message", "status"]) && body["message"] == reply.message.as_str()
}

fn faults(sandbox: &Sandbox, tls: bool) -> Vec<String> {
    let names = sandbox.faults().into_iter();
    names.filter(|name| name != "echoes_request" && (tls || !strikes_connections(name))).collect()
}

fn run(stage: &Stage, language: &Language, tls: bool, one_of: usize) -> Figures {
    let sandbox = Sandbox::start(if tls { &["--tls"] } else { &[] });
    let config = sandbox.config_with(json!({"timeout_ms": 400, "connect_timeout_ms": 300, "max_attempts": 1}));
    let keys = ["public_key", "secret_key"].map(|name| (name, sandbox.text(name).to_owned()));
    let secrets: Vec<_> = canaries().map(in_memory).chain(plaintexts(&sandbox)).collect();
    let of_calls = Needles::new(&secrets);
    let of_all = Needles::new(secrets.iter().chain(&keys));
    let bare: Vec<_> = canaries().map(|(name, secret)| (name, secret.to_owned())).collect();
    let driver = Driver::start(&mut language.command(stage), &config);
    assert_eq!(driver.created.status, "OK", "{}", driver.created.message);
    let at = format!("{} over {}", language.name, if tls { "TLS" } else { "plain http" });
    let texts = Needles::new(bare.iter().chain(&keys));
    let mut run = Run { sandbox: &sandbox, one_of, driver, texts, figures: Figures::default(), at };

    run.meet(0, None);
    let faults = faults(&sandbox, tls);
    for (number, fault) in faults.iter().enumerate() {
        run.meet(number, Some(fault));
    }
    run.figures.faults = faults.len() + 1;
    // The driver holds the last reply until the next.
    run.driver.call("encrypt", &json!({}));
    run.search(language.whose, "after the calls", &of_calls);
    // The search finds what is there: the key that a client has to keep.
    let (kept, searched) = search(run.driver.process(), Whose::Library, &Needles::new(&keys));
    assert!(
        kept.contains(&"secret_key in clear in the library's heap".to_owned()),
        "{}: {kept:?} in {searched} bytes",
        run.at
    );
    run.one_of = 1;
    run.meet(0, Some("echoes_request"));
    run.driver.close();
    run.search(language.whose, "after the client", &of_all);
    let Run { driver, texts, mut figures, at, .. } = run;
    let said = driver.finish();
    assert!(
        said.lines().filter(|line| line.starts_with("log ")).count() > figures.calls / 2,
        "{at}: the log was off\n{said}"
    );
    figures
        .leaks
        .extend(texts.found_in(said.as_bytes()).into_iter().map(|needle| format!("{at}: {needle} in log or error")));
    figures
}

#[test]
fn no_secret_is_left_in_memory_or_in_any_text() {
    let all = std::env::var("TEST_CANARY").is_ok_and(|what| what == "all");
    let stage = Stage::new();
    let languages = languages(&stage);
    let ways = if all { vec![true, false] } else { vec![true] };
    // The data that the library keeps of a fault does not depend on the language.
    let one_of = |language: &Language| match language.whose {
        _ if all => 1,
        Whose::Process => 3,
        Whose::Library => 9,
    };
    let mut figures = Figures::default();
    for tls in ways {
        std::thread::scope(|scope| {
            let running: Vec<_> =
                languages.iter().map(|language| scope.spawn(|| run(&stage, language, tls, one_of(language)))).collect();
            for one in running.into_iter().map(|running| running.join().unwrap()) {
                figures.calls += one.calls;
                figures.own_bodies += one.own_bodies;
                figures.faults = figures.faults.max(one.faults);
                figures.searched += one.searched;
                figures.leaks.extend(one.leaks);
            }
        });
    }
    println!(
        "canary: {} calls, {} faults survived, {} MB of memory searched, {} leaks",
        figures.calls,
        figures.faults,
        figures.searched >> 20,
        figures.leaks.len()
    );
    assert!(figures.own_bodies > 0);
    assert!(figures.leaks.is_empty(), "{}", figures.leaks.join("\n"));
}

#[test]
fn a_secret_is_found_in_every_form() {
    let needles = Needles::new(&[("card", "5399413078825962".to_owned())]);
    for text in [
        "x5399413078825962x",
        "5399 4130 7882 5962",
        "5399-4130-7882-5962",
        "5 3 9 9 4 1 3 0 7 8 8 2 5 9 6 2",
        "5399\t4130\t7882\t5962",
        "5399.4130.7882.5962",
        "5399/4130/7882/5962",
        "5399\u{a0}4130\u{a0}7882\u{a0}5962",
        "5399\u{2009}4130\u{2009}7882\u{2009}5962",
        "5399\u{2013}4130\u{2013}7882\u{2013}5962",
        "5\u{200b}3\u{200b}9\u{200b}9\u{200b}4\u{200b}1\u{200b}3\u{200b}0\u{200b}7\u{200b}8\u{200b}8\u{200b}2\u{200b}5\u{200b}9\u{200b}6\u{200b}2",
        "\u{ff15}\u{ff13}\u{ff19}\u{ff19}\u{ff14}\u{ff11}\u{ff13}\u{ff10}\u{ff17}\u{ff18}\u{ff18}\u{ff12}\u{ff15}\u{ff19}\u{ff16}\u{ff12}",
        "35333939343133303738383235393632",
        "%35%33%39%39%34%31%33%30%37%38%38%32%35%39%36%32",
        "2695288703149935",
        // {"cardnumber":"5399413078825962"} and the same after one and two blanks, in base64.
        "eyJjYXJkbnVtYmVyIjoiNTM5OTQxMzA3ODgyNTk2MiJ9",
        "IHsiY2FyZG51bWJlciI6IjUzOTk0MTMwNzg4MjU5NjIifQ==",
        "ICB7ImNhcmRudW1iZXIiOiI1Mzk5NDEzMDc4ODI1OTYyIn0=",
    ] {
        assert!(!needles.found_in(text.as_bytes()).is_empty(), "{text}");
    }
    assert!(needles.found_in(b"5399413078825961").is_empty());
}
