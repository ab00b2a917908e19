//! The verdicts as each language sees them: `tests/verdict_lines.json` holds answers for every line of the table of
//! verdicts, a raw server gives them, and the drivers print status, outcome, state, the number of requests, and the class of
//! the exception or error.
//!
//! `PAYSVC_VERDICT_CELLS` names another file of that form, such as `tests/verdict_cells.json`: its cells whose answers are
//! whole are played instead. A cell without a request takes that of its row.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::{Arc, Mutex};

use paysvc_spec::status::{DENIALS, name_of};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::driver::{Driver, Reply};
use crate::support::server::{Connection, Server};
use crate::support::{Link, Stage, bindings, encryption_key, root};

#[derive(Deserialize, Clone)]
struct Cell {
    line: String,
    row: String,
    #[serde(default)]
    request: Option<Value>,
    /// 0: the connection ends without an answer.
    http: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: String,
    /// How an answer is sent that is not whole.
    #[serde(default)]
    framing: Option<String>,
    /// How many times 429 comes first.
    #[serde(default)]
    after_429: i32,
    status: String,
    outcome: String,
    state: i32,
    /// Is the request sent again after this answer?
    again: bool,
    why: String,
}

const MOST_ATTEMPTS: i32 = 3;
const EVERY_LINE: &[&str] = &[
    "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "reading",
];

impl Cell {
    fn attempts(&self) -> i32 {
        if self.again { MOST_ATTEMPTS } else { self.after_429 + 1 }
    }

    fn expected(&self) -> String {
        format!("{} {} state {} after {} requests", self.status, self.outcome, self.state, self.attempts())
    }

    /// What the server writes before it ends the connection.
    fn answer(&self) -> String {
        let mut head = format!("HTTP/1.1 {} Said\r\nconnection: close\r\n", self.http);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let named = |name: &str| self.headers.keys().any(|header| header.eq_ignore_ascii_case(name));
        if !named("content-type") {
            head.push_str("content-type: application/json\r\n");
        }
        if !named("content-length") && !named("transfer-encoding") {
            head.push_str(&format!("content-length: {}\r\n", self.body.len()));
        }
        format!("{head}\r\n{}", self.body)
    }
}

const TOO_MANY: &str = "HTTP/1.1 429 Said\r\nconnection: close\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n";

/// The cell that is asked for now, and how many requests came for it.
#[derive(Default)]
struct Turn {
    cell: Option<Cell>,
    requests: i32,
}

fn serve(mut connection: Connection, turn: &Mutex<Turn>) {
    if connection.read_request().is_none() {
        return;
    }
    let mut turn = turn.lock().unwrap();
    turn.requests += 1;
    let cell = turn.cell.as_ref().expect("a request outside of a call");
    if turn.requests <= cell.after_429 {
        connection.write(TOO_MANY);
    } else if cell.http != 0 {
        connection.write(&cell.answer());
    }
}

fn cells() -> Vec<Cell> {
    let read = |path: &std::path::Path| -> Vec<Cell> {
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap_or_else(|error| panic!("{error}"))
    };
    let own = read(&root().join("tests/verdict_lines.json"));
    let lines: BTreeSet<_> = own.iter().map(|cell| cell.line.as_str()).collect();
    assert_eq!(lines, EVERY_LINE.iter().copied().collect(), "an answer for every line of the table");
    let Some(path) = std::env::var_os("PAYSVC_VERDICT_CELLS") else { return own };
    read(path.as_ref()).into_iter().filter(|cell| cell.framing.is_none()).map(with_request).collect()
}

/// The request of a cell that has none of its own: whole references are those that the answers name.
fn with_request(cell: Cell) -> Cell {
    let request = cell.request.unwrap_or_else(|| match cell.row.as_str() {
        "order_pay" => {
            let debit = json!({"otp": "1234", "mandateCode": "M-1", "accountName": "Ada", "bankCode": "044"});
            json!({"paymentOption": "NDD", "reference": "R-1", "directDebitPaymentRequest": debit})
        }
        "order_create" => json!({"order": {"reference": "R-1"}}),
        "direct_debit_create" => json!({"orderReference": "R-1"}),
        "direct_debit_otp" | "direct_debit_status" => json!({"mandateCode": "M-1"}),
        "virtual_account_generate" => json!({"Alias": "A-1"}),
        "transaction_details" => json!({"sessionId": "S-1"}),
        "direct_debit_history" => json!({"emailAddress": "a@example.com"}),
        "request POST" => json!({"method": "POST", "path": "/made/up", "key": "secret", "body": {"reference": "R-1"}}),
        "request GET" => json!({"method": "GET", "path": "/made/up", "key": "public", "query": {"sessionId": "S-1"}}),
        _ => json!({"reference": "R-1"}),
    });
    let row = cell.row.split(' ').next().unwrap_or_default().to_owned();
    Cell { request: Some(request), row, ..cell }
}

/// Plays all cells; what differs from what they expect.
fn play(mut start: Command, class: Option<&dyn Fn(&Reply) -> String>) -> Vec<String> {
    let turn = Arc::new(Mutex::new(Turn::default()));
    let server = Server::start({
        let turn = Arc::clone(&turn);
        move |connection| serve(connection, &turn)
    });
    let mut config = server.config();
    config["encryption_key"] = json!(encryption_key());
    config["max_attempts"] = json!(MOST_ATTEMPTS);
    let mut driver = Driver::start(&mut start, &config);
    assert_eq!(driver.created.status, "OK", "{}", driver.created.message);
    let cells = cells();
    let (mut wrong, mut failed) = (Vec::new(), Vec::new());
    for cell in &cells {
        *turn.lock().unwrap() = Turn { cell: Some(cell.clone()), requests: 0 };
        let reply = driver.call(&cell.row, cell.request.as_ref().expect("a request for its row"));
        let seen = turn.lock().unwrap().requests;
        assert_eq!(reply.attempts, seen, "line {}: the reply counts other requests: {reply:?}", cell.line);
        let found = format!("{} {} state {} after {seen} requests", reply.status, reply.outcome, reply.state);
        if found != cell.expected() {
            let why = &cell.why;
            wrong.push(format!("line {} ({}, {why}): {found}, not {}", cell.line, cell.row, cell.expected()));
        } else if reply.status == "OK" && cell.http != 0 {
            assert_eq!(reply.body, cell.body, "line {}", cell.line);
        }
        if reply.status != "OK" {
            failed.push(reply);
        }
    }
    let printed = driver.finish();
    let classes: Vec<_> = printed.lines().filter_map(|line| line.strip_prefix("class ")).collect();
    let expected: Vec<_> = class.map_or(Vec::new(), |class| failed.iter().map(class).collect());
    assert_eq!(classes, expected, "what a program catches");
    wrong
}

/// Its status sounds as if the request had not been executed, and that is not known.
fn denied(reply: &Reply) -> bool {
    reply.outcome == "UNKNOWN" && DENIALS.iter().any(|status| name_of(*status) == reply.status)
}

fn passes(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} verdicts differ from the table:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_line_of_the_table_in_c() {
    let stage = Stage::new();
    let program = stage.cc(&root().join("tests/c/driver.c"), Link::Shared, &["-std=c89", "-pedantic"]);
    passes(&play(stage.command(&program), None));
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
    passes(&play(stage.command(&program), Some(&class)));
}

#[test]
fn every_line_of_the_table_in_go() {
    let stage = Stage::new();
    let program = stage.go_build("internal/driver");
    let class = |reply: &Reply| match denied(reply) {
        true => format!("OUTCOME_{}", reply.outcome),
        false => format!("{} OUTCOME_{}", reply.status, reply.outcome),
    };
    passes(&play(stage.command(&program), Some(&class)));
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
    passes(&play(bindings::python("tests/drivers/driver.py"), Some(&class)));
}
