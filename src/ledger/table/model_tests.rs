//! Compares the table with the model of `tests/journal`, which walks through all states that its rules can reach. Each
//! journal that the walk meets is built of rows, and each decision of the model is compared with that of the table.
//!
//! `TEST_JOURNAL_MODEL=all` runs all experiments.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use super::{Candidate, Claims, Decision};
use crate::ledger::claims::ClaimRecord;
use crate::ledger::clock::Moment;
use crate::ledger::key::{Accounts, Name};
use crate::ledger::row::{By, Claim, End, Kind, Lease, Row};
use paysvc_spec::journal::{Act, LINES, Step};
use paysvc_spec::status::Outcome;

/// The model has no fields, no prices, no accounts, one spelling, and no time in which details are removed.
const NOT_IN_THE_MODEL: &[&str] = &["j01", "j02", "j03", "j04", "j1"];

fn now() -> Moment {
    Moment { boot: "boot".into(), ms: 1_000_000 }
}

/// A line of `decisions.py`: see there.
#[derive(Deserialize)]
struct Met {
    rows: Vec<(String, u32, String)>,
    over: Vec<u32>,
    /// Key, fresh, act, claims.
    decisions: Vec<(String, bool, String, BTreeSet<u32>)>,
}

/// Returns the step that a key of the model names, whether the caller gave the key, and its amount.
fn request(key: &str) -> (Step, bool, Option<&str>) {
    let words: Vec<&str> = key.split(' ').collect();
    match words[..] {
        ["checkout"] => (Step::Order, false, None),
        ["order"] => (Step::Charge, false, None),
        ["K1" | "K2"] => (Step::Charge, true, None),
        ["refund", _] => (Step::Refund, true, None),
        ["part", amount, _] => (Step::Refund, true, Some(amount)),
        ["auth", _] => (Step::Authorization, false, None),
        ["auth", _, "given"] => (Step::Authorization, true, None),
        _ => panic!("{key}"),
    }
}

fn claim(key: &str, for_ms: u64) -> Kind {
    let (step, explicit, amount) = request(key);
    let (from, amount) = (Moment { ms: 0, ..now() }, amount.map(str::to_owned));
    let request = r#"{"reference":"ORD"}"#.to_owned();
    Kind::Claim(Claim { explicit, lease: Lease { from, for_ms }, request, amount, ..Claim::of(step) })
}

fn end(of: u32, says: &str) -> Kind {
    let (outcome, http_status) = match says {
        "UNKNOWN" => (Outcome::Unknown, 0),
        "NOT_SENT" => (Outcome::NotSent, 0),
        "CONFIRMED" | "CONFIRMED, may change" => (Outcome::Confirmed, 200),
        "REJECTED" | "settled as not done" => (Outcome::Rejected, 200),
        "REJECTED by 429" => (Outcome::Rejected, 429),
        _ => panic!("{says}"),
    };
    let by = match says {
        "settled as not done" => By::Person { who: String::new(), why: String::new(), sender_ended: false },
        _ => By::Sender,
    };
    let is_final = says == "CONFIRMED";
    Kind::End(End { is_final, http_status, ..End::new(&of.to_string(), by, outcome) })
}

impl Met {
    fn journal(&self) -> Vec<Row> {
        let kind = |(key, number, what): &(String, u32, String)| match what.as_str() {
            "claim" => claim(key, now().ms - u64::from(self.over.contains(number))),
            "checkout" => claim(key, 0),
            says => end(*number, says),
        };
        let mut sizes = BTreeMap::new();
        let mut row = |of: &(String, u32, String)| {
            let seq: &mut u32 = sizes.entry(of.0.clone()).or_default();
            *seq += 1;
            // A checkout is the only claim without a number of its own.
            let id = if of.2 == "claim" { of.1.to_string() } else { format!("{} {seq}", of.0) };
            Row { id, order: Some(Name::new("ORD")), ..Row::of(&of.0, *seq, kind(of)) }
        };
        self.rows.iter().map(&mut row).collect()
    }
}

/// As the model writes it: the act, and which claims are looked up or replayed.
fn told(decision: &Decision<'_>) -> (String, BTreeSet<u32>) {
    let number = |claimed: &ClaimRecord<'_>| claimed.row.id.parse().unwrap();
    match decision.line.act {
        Act::Ask(ask) => (format!("{ask:?}"), BTreeSet::new()),
        Act::LookUp => ("LookUp".to_owned(), decision.open.iter().map(number).collect()),
        Act::Replay => ("Replay".to_owned(), decision.end.iter().map(number).collect()),
        act => (format!("{act:?}"), BTreeSet::new()),
    }
}

/// The number of decisions on each line of the table, and those that differed.
#[derive(Default)]
struct Tally {
    lines: BTreeMap<&'static str, usize>,
    differences: Vec<String>,
}

impl Tally {
    fn compare(&mut self, text: &str) {
        let met: Met = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let rows = met.journal();
        let found = Claims::of(&rows);
        for (key, fresh, act, claims) in &met.decisions {
            let (step, explicit, amount) = request(key);
            let (key, accounts) = (&Name::new(key), &Accounts::new("test", "", None, &[]));
            let wanted = Candidate {
                key,
                order: None,
                step,
                explicit,
                amount,
                currency: None,
                members: &[],
                fresh: *fresh,
                accounts,
            };
            let decision = found.decide(&wanted, &now());
            *self.lines.entry(decision.line.number).or_default() += 1;
            let (does, about) = told(&decision);
            // The model names all that may be replayed.
            let is_same = match decision.line.act {
                Act::Replay => about.len() == 1 && about.is_subset(claims),
                _ => about == *claims,
            };
            if does != *act || !is_same {
                let number = decision.line.number;
                self.differences.push(format!(
                    "{}, fresh {fresh}: {number} {does} {about:?}, model {act} {claims:?}: {text}",
                    key.given
                ));
            }
        }
    }
}

#[test]
fn the_table_decides_as_the_model_does() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("decisions");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut model = Command::new("python3");
    model.env("PYTHONDONTWRITEBYTECODE", "1").arg(tests.join("journal/model.py"));
    model.args(["--quiet", "--decisions"]).arg(&file);
    match std::env::var("TEST_JOURNAL_MODEL").as_deref() {
        Ok("all") => {}
        Ok(other) => panic!("TEST_JOURNAL_MODEL is {other}, and may be \"all\""),
        Err(_) => {
            model.arg("--quick");
        }
    }
    let output = model.output().unwrap();
    let report = String::from_utf8_lossy(&output.stdout);
    println!("{report}");
    assert!(output.status.success(), "{report}{}", String::from_utf8_lossy(&output.stderr));

    let mut tally = Tally::default();
    let mut journals = 0;
    for line in BufReader::new(File::open(file).unwrap()).lines() {
        tally.compare(&line.unwrap());
        journals += 1;
    }
    println!("{journals} journals compared, decisions for each line of the table: {:?}", tally.lines);
    let count = tally.differences.len();
    assert!(count == 0, "{count} differences:\n{}", tally.differences[..count.min(20)].join("\n"));
    let lines: BTreeSet<_> = LINES.iter().map(|line| line.number).collect();
    let met: BTreeSet<_> = tally.lines.keys().copied().chain(NOT_IN_THE_MODEL.iter().copied()).collect();
    assert_eq!(met, lines, "lines that the model meets");
}
