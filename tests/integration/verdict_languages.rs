//! The verdicts as C++, Go and Python see them (`verdicts` has C): a raw server gives answers of
//! `tests/verdict_cells.json` for every line of the tables of verdicts, at once and after a 429. The drivers print
//! status, outcome, state, the number of requests, and the class of the exception or error.
//!
//! `TEST_VERDICT_CELLS` is how many answers of each line are played.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use paysvc_spec::status::{DENIALS, name_of};
use paysvc_spec::verdicts::{CHANGING, READING};

use crate::support::driver::Reply;
use crate::support::verdict_cells::{self, Cell};
use crate::support::{Link, Stage, bindings, root};

fn cells() -> Vec<Cell> {
    let most = std::env::var("TEST_VERDICT_CELLS").map_or(1, |most| most.parse::<usize>().unwrap());
    let text = std::fs::read_to_string(root().join("tests/verdict_cells.json")).unwrap();
    let mut cells: Vec<Cell> = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}"));
    // Only the driver in C knows deadlines, and another client for a port that nobody listens to.
    cells.retain(|cell| !matches!(cell.framing.as_str(), "stall" | "mute" | "refused"));
    let mut counts = BTreeMap::new();
    cells.retain(|cell| {
        let count = counts.entry((cell.line.clone(), cell.after_429 > 0)).or_insert(0);
        *count += 1;
        *count <= most
    });
    let lines: BTreeSet<_> = cells.iter().map(|cell| cell.line.as_str()).collect();
    let every = CHANGING.iter().chain(READING).map(|line| line.number).filter(|line| !["1", "r1"].contains(line));
    assert_eq!(lines, every.collect(), "a response for every line of the tables with a byte written");
    cells
}

/// Plays all cells; `class` is what a program catches of each reply that is not OK.
fn play(mut start: Command, class: &dyn Fn(&Reply) -> String) {
    let played = verdict_cells::play(&mut start, cells());
    played.passes();
    let classes: Vec<_> = played.printed.lines().filter_map(|line| line.strip_prefix("class ")).collect();
    let expected: Vec<_> = played.failed.iter().map(class).collect();
    assert_eq!(classes, expected, "what a program catches");
}

/// Its status sounds as if the request had not been executed, and that is not known.
fn denied(reply: &Reply) -> bool {
    reply.outcome == "UNKNOWN" && DENIALS.iter().any(|status| name_of(*status) == reply.status)
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
    play(stage.command(&program), &class);
}

#[test]
fn every_line_of_the_table_in_go() {
    let stage = Stage::new();
    let program = stage.go_build("internal/driver");
    let class = |reply: &Reply| match denied(reply) {
        true => format!("OUTCOME_{}", reply.outcome),
        false => format!("{} OUTCOME_{}", reply.status, reply.outcome),
    };
    play(stage.command(&program), &class);
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
            other => panic!("no response gives {other}"),
        };
        format!("{name}{}", if reply.outcome == "UNKNOWN" { " OutcomeUnknown" } else { "" })
    };
    play(bindings::python("tests/drivers/driver.py"), &class);
}
