//! The verdicts as each language sees them: `tests/verdict_lines.json` holds answers for every line of the table of
//! verdicts, a raw server gives them, and the drivers print status, outcome, state, the number of requests, and the class of
//! the exception or error.
//!
//! `PAYSVC_VERDICT_CELLS` names another file of that form, such as `tests/verdict_cells.json`: its cells whose answers are
//! whole are played instead.

use std::collections::BTreeSet;
use std::process::Command;

use paysvc_spec::status::{DENIALS, name_of};

use crate::support::driver::Reply;
use crate::support::verdict_cells::{self, Cell};
use crate::support::{Link, Stage, bindings, root};

const EVERY_LINE: &[&str] = &[
    "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "reading",
];

fn cells() -> Vec<Cell> {
    let read = |path: &std::path::Path| -> Vec<Cell> {
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap_or_else(|error| panic!("{error}"))
    };
    let own = read(&root().join("tests/verdict_lines.json"));
    let lines: BTreeSet<_> = own.iter().map(|cell| cell.line.as_str()).collect();
    assert_eq!(lines, EVERY_LINE.iter().copied().collect(), "an answer for every line of the table");
    let Some(path) = std::env::var_os("PAYSVC_VERDICT_CELLS") else { return own };
    read(path.as_ref()).into_iter().filter(|cell| cell.framing == "length").collect()
}

/// Plays all cells; `class` is what a program catches of each reply that is not OK.
fn play(mut start: Command, class: Option<&dyn Fn(&Reply) -> String>) {
    let played = verdict_cells::play(&mut start, cells());
    played.passes();
    let classes: Vec<_> = played.printed.lines().filter_map(|line| line.strip_prefix("class ")).collect();
    let expected: Vec<_> = class.map_or(Vec::new(), |class| played.failed.iter().map(class).collect());
    assert_eq!(classes, expected, "what a program catches");
}

/// Its status sounds as if the request had not been executed, and that is not known.
fn denied(reply: &Reply) -> bool {
    reply.outcome == "UNKNOWN" && DENIALS.iter().any(|status| name_of(*status) == reply.status)
}

#[test]
fn every_line_of_the_table_in_c() {
    let stage = Stage::new();
    let program = stage.cc(&root().join("tests/c/driver.c"), Link::Shared, &["-std=c89", "-pedantic"]);
    play(stage.command(&program), None);
}

#[test]
fn every_line_of_the_table_in_cpp() {
    let stage = Stage::new();
    let program = stage.cpp(&root().join("tests/cpp/driver.cpp"), Link::Shared, &["-std=c++11"]);
    let class = |reply: &Reply| match reply.outcome.as_str() {
        "NOT_SENT" => "not_sent".to_owned(),
        "REJECTED" => "rejected".to_owned(),
        _ => "outcome_unknown".to_owned(),
    };
    play(stage.command(&program), Some(&class));
}

#[test]
fn every_line_of_the_table_in_go() {
    let stage = Stage::new();
    let program = stage.go_build("internal/driver");
    let class = |reply: &Reply| match denied(reply) {
        true => format!("OUTCOME_{}", reply.outcome),
        false => format!("{} OUTCOME_{}", reply.status, reply.outcome),
    };
    play(stage.command(&program), Some(&class));
}

#[test]
fn every_line_of_the_table_in_python() {
    let class = |reply: &Reply| {
        if denied(reply) {
            return "OutcomeUnknown".to_owned();
        }
        let name = match reply.status.as_str() {
            "E_TRANSPORT" => "TransportError",
            "E_TIMEOUT" => "Timeout",
            "E_REJECTED" => "Rejected",
            "E_UNAUTHORIZED" => "Unauthorized",
            "E_RATE_LIMITED" => "RateLimited",
            "E_SERVER" => "ServerError",
            "E_RESPONSE" => "ResponseError",
            other => panic!("no answer gives {other}"),
        };
        format!("{name}{}", if reply.outcome == "UNKNOWN" { " OutcomeUnknown" } else { "" })
    };
    play(bindings::python("tests/drivers/driver.py"), Some(&class));
}
