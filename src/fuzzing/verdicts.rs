//! The library's verdicts beside those of a second reader, `tests/verdicts/reader.py`, which was written from
//! `docs/verdicts.md` alone. Not a fuzz target: it is here because the reader of answers is private.
//!
//! `TEST_VERDICTS` is how many answers are made up, and `TEST_VERDICTS_SEED` the seed.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::request::settings_with;
use crate::answer::reader::{self, AnswerContext};
use crate::answer::verdict::{self, AttemptResult};
use crate::config::Config;
use crate::json::Given;
use crate::request::{self, raw};
use crate::wire::answer::HttpAnswer;
use crate::wire::error::TransportError;
use paysvc_spec::ENDPOINTS;
use paysvc_spec::status::{Status, name_of, name_of_outcome};
use paysvc_spec::verdicts::{CHANGING, READING};

/// A line of the second reader: see there.
#[derive(Deserialize, Clone)]
struct Question {
    row: String,
    request: String,
    arrival: String,
    http: u16,
    /// A character for each byte.
    body: String,
    ended: String,
    encoded: bool,
    content_type: Option<String>,
    after_429: bool,
    verdict: Verdict,
    /// The verdict that a cell expects.
    expected: Option<Verdict>,
}

#[derive(Deserialize, Serialize, Clone, PartialEq, Eq, Debug)]
struct Verdict {
    line: String,
    status: String,
    outcome: String,
    state: i32,
    again: bool,
}

impl Question {
    fn library(&self, settings: &Config) -> Verdict {
        let row = ENDPOINTS.iter().find(|row| row.name == self.row);
        let given = Given::read(&self.request);
        let prepared = match row {
            Some(row) => request::prepare(row, &given, settings, &|| false),
            None => raw::prepare(&given, settings, &|| false),
        };
        let prepared = prepared.unwrap_or_else(|error| panic!("{}: {}", self.request, error.message));
        let late = self.ended == "late";
        if self.arrival != "answer" {
            let status = if late { Status::Timeout } else { Status::Transport };
            let result = AttemptResult::NoAnswer { sent: self.arrival == "silence", status };
            let found = verdict::decide(prepared.safety, &result, self.after_429);
            return Verdict {
                line: found.line.to_owned(),
                status: name_of(found.status).to_owned(),
                outcome: name_of_outcome(found.outcome).to_owned(),
                state: found.state.0,
                again: found.again && !late,
            };
        }
        let answer = HttpAnswer {
            http_status: self.http,
            content_type: self.content_type.clone(),
            retry_after_ms: None,
            trace: Vec::new(),
            body: self.body.chars().map(|byte| u8::try_from(byte).expect("a byte")).collect(),
            encoded: self.encoded,
            close_delimited: self.ended == "close",
            body_error: match self.ended.as_str() {
                "cut" => Some(TransportError::new(Status::Transport, "cut")),
                "late" => Some(TransportError::timeout("reading")),
                _ => None,
            },
        };
        let context = AnswerContext {
            safety: prepared.safety,
            expected: prepared.answer,
            references: &prepared.references,
            fields: prepared.fields(),
            after_429: self.after_429,
            redact: &|text| Some(text.to_owned()),
            ended: &|| None,
        };
        let found = reader::read(&context, answer);
        Verdict {
            line: found.reply.evidence.verdict.line.to_owned(),
            status: name_of(found.reply.status()).to_owned(),
            outcome: name_of_outcome(found.reply.outcome()).to_owned(),
            state: found.reply.state().0,
            again: found.reply.evidence.verdict.again && !late,
        }
    }
}

/// The number of responses on a line of the table, at once and after 429, and each way in which the library and the reader
/// differed, with the first such response.
#[derive(Default)]
struct Tally {
    count: usize,
    lines: BTreeMap<(String, bool), usize>,
    differences: BTreeMap<String, (usize, String)>,
}

/// Compares the library with the second reader on what the maker of answers writes.
fn compare(arguments: &[&str], change: impl Fn(&mut Question)) -> Tally {
    let tests = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"));
    let folder = tempfile::tempdir().unwrap();
    let rows = folder.path().join("rows.json");
    std::fs::write(&rows, xtask::codegen::rows::render(ENDPOINTS)).unwrap();
    let python = |program: &str| {
        let mut command = Command::new("python3");
        command.env("PYTHONDONTWRITEBYTECODE", "1").arg(tests.join("verdicts").join(program)).arg(&rows);
        command
    };
    let mut maker = python("maker.py").args(arguments).stdout(Stdio::piped()).spawn().unwrap();
    let made = maker.stdout.take().unwrap();
    let mut reader = python("reader.py").stdin(made).stdout(Stdio::piped()).spawn().unwrap();
    let settings = settings_with(include_str!("../../tests/vectors/rsa4096.json"));
    let mut tally = Tally::default();
    for line in BufReader::new(reader.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        let mut question: Question = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let read = question.verdict.clone();
        change(&mut question);
        let found = question.library(&settings);
        tally.count += 1;
        *tally.lines.entry((read.line.clone(), question.after_429)).or_default() += 1;
        let wanted = question.expected.as_ref().unwrap_or(&read);
        if found != read || found != *wanted {
            let what = format!("library {found:?}, reader {read:?}, wanted {wanted:?}");
            tally.differences.entry(what).or_insert((0, line)).0 += 1;
        }
    }
    assert!(maker.wait().unwrap().success() && reader.wait().unwrap().success());
    tally
}

impl Tally {
    fn is_equal(&self) {
        let told =
            self.differences.iter().take(50).map(|(what, (times, line))| format!("{times} times {what}: {line}"));
        let told: Vec<_> = told.collect();
        assert!(told.is_empty(), "{} kinds of differences\n{}", self.differences.len(), told.join("\n"));
    }

    fn has_every_line(&self) {
        let changing =
            CHANGING.iter().flat_map(|line| [false, true].map(|after_429| (line.number.to_owned(), after_429)));
        let reading = READING.iter().map(|line| (line.number.to_owned(), false));
        let missing: Vec<_> = changing.chain(reading).filter(|line| !self.lines.contains_key(line)).collect();
        assert!(missing.is_empty(), "no response fell on {missing:?}");
    }
}

fn number(name: &str, otherwise: u64) -> String {
    let text = std::env::var(name).unwrap_or_else(|_| otherwise.to_string());
    assert!(text.parse::<u64>().is_ok(), "{name} is no number: {text}");
    text
}

#[test]
fn every_cell() {
    let tally = compare(&["cells", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/verdict_cells.json")], |_| {});
    tally.is_equal();
    tally.has_every_line();
}

#[test]
fn made_up_answers() {
    let (count, seed) = (number("TEST_VERDICTS", 20_000), number("TEST_VERDICTS_SEED", 1));
    let tally = compare(&["random", &count, &seed], |_| {});
    for ((line, after_429), times) in &tally.lines {
        println!("line {line}{}: {times}", if *after_429 { " after 429" } else { "" });
    }
    println!("{} answers, seed {seed}: {} kinds of differences", tally.count, tally.differences.len());
    tally.is_equal();
    tally.has_every_line();
}

/// A library that forgets the 429 before a response is found out.
#[test]
fn a_planted_difference_is_found() {
    let tally = compare(&["random", "2000", "1"], |question| question.after_429 = false);
    assert!(!tally.differences.is_empty());
}
