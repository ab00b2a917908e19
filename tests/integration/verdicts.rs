//! The verdicts through the C interface and real sockets: the hand-written answers of `tests/verdict_cells.json`, and made-up
//! ones that `tests/verdicts/reader.py` has judged. With `scripts/sanitize.sh` AddressSanitizer is in the C program and in the
//! library. `src/fuzzing/verdicts.rs` compares many more made-up answers without sockets.
//!
//! `TEST_VERDICTS_SENT` is how many are made up, and `TEST_VERDICTS_SEED` the seed.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::verdict_cells::{Cell, play};
use crate::support::{ASAN, Link, Stage, root, sanitized};

fn driver(stage: &Stage) -> Command {
    let (link, flags) = match sanitized::archive() {
        Some(_) => (Link::Sanitized, &[][..]),
        None => (Link::Static, ASAN),
    };
    stage.command(&stage.cc(&root().join("tests/c/driver.c"), link, flags))
}

#[test]
fn every_cell_through_the_c_interface() {
    let cells: Vec<Cell> =
        serde_json::from_str(&std::fs::read_to_string(root().join("tests/verdict_cells.json")).unwrap()).unwrap();
    assert!(cells.len() > 1000, "{} cells", cells.len());
    let stage = Stage::new();
    play(&mut driver(&stage), cells).passes();
}

#[test]
fn made_up_answers_through_the_c_interface() {
    let number = |name: &str, otherwise: &str| std::env::var(name).unwrap_or_else(|_| otherwise.to_owned());
    let (count, seed) = (number("TEST_VERDICTS_SENT", "1000"), number("TEST_VERDICTS_SEED", "2"));
    let tests = root().join("tests");
    let stage = Stage::new();
    let rows = stage.path().join("rows.json");
    std::fs::write(&rows, xtask::codegen::rows::render(paysvc_spec::ENDPOINTS)).unwrap();
    let python = |program: &str| {
        let mut command = Command::new("python3");
        command.env("PYTHONDONTWRITEBYTECODE", "1").arg(tests.join("verdicts").join(program));
        command.arg(&rows);
        command
    };
    let mut maker = python("maker.py").args(["random", &count, &seed]).stdout(Stdio::piped()).spawn().unwrap();
    let made = maker.stdout.take().unwrap();
    let mut reader = python("reader.py").stdin(made).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(reader.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut sent = 0;
    let cells = lines.enumerate().filter_map(|(index, line)| cell(index, &line)).inspect(|_| sent += 1);
    play(&mut driver(&stage), cells).passes();
    assert!(maker.wait().unwrap().success() && reader.wait().unwrap().success());
    println!("{sent} made-up answers over sockets, seed {seed}");
    assert!(sent * 3 > count.parse::<usize>().unwrap() * 2, "only {sent} were sent");
}

/// A line of the reader; `None` for one that would have to wait, as after the end of a connection or for a deadline, and for a
/// body of several lines, which the driver cannot print.
fn cell(index: usize, line: &str) -> Option<Cell> {
    let question: Value = serde_json::from_str(line).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let verdict = &question["verdict"];
    let (arrival, ended) = (text(&question["arrival"]), text(&question["ended"]));
    let broken = arrival != "answer" || ended != "whole";
    let body = text(&question["body"]);
    if body.contains('\n') || ended == "late" || arrival == "not sent" || broken && verdict["again"] == true {
        return None;
    }
    let framing = match (arrival.as_str(), ended.as_str(), index % 3) {
        ("silence", _, 0) => "none",
        ("silence", _, 1) => "reset",
        ("silence", ..) => "interim",
        (_, "close", _) => "close",
        (_, "cut", 0) => "cut chunks",
        (_, "cut", _) => "cut",
        (_, _, 0) => "chunked",
        _ => "length",
    };
    let http = question["http"].as_u64().unwrap() as u16;
    let encoded = question["encoded"] == true;
    Some(Cell {
        line: text(&verdict["line"]),
        row: text(&question["row"]),
        request: question["request"].clone(),
        http,
        headers: [("content-encoding", encoded.then_some("gzip")), ("content-type", question["content_type"].as_str())]
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
            .collect(),
        body: String::new(),
        bytes: Some(body.chars().map(|byte| u8::try_from(byte).unwrap()).collect()),
        // Without a body there is nothing to cut off.
        framing: if matches!(http, 204 | 304) && !broken { "length" } else { framing }.to_owned(),
        after_429: i32::from(question["after_429"] == true),
        status: text(&verdict["status"]),
        outcome: text(&verdict["outcome"]),
        state: verdict["state"].as_i64().unwrap() as i32,
        again: verdict["again"] == true,
        why: line.to_owned(),
    })
}
