//! Answers for the tables of verdicts, given by a raw server to a driver of any language, which must report the verdict that
//! is written beside each.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde::Deserialize;
use serde_json::{Value, json};

use super::driver::{Driver, Reply};
use super::long_encryption_key;
use super::server::{Connection, Server, closed_port};

#[derive(Deserialize, Clone)]
pub struct Cell {
    pub line: String,
    pub row: String,
    /// Its JSON, or the same as a text.
    pub request: Value,
    pub http: u16,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    #[serde(default)]
    pub body: String,
    /// The same, if it may be no text.
    #[serde(skip)]
    pub bytes: Option<Vec<u8>>,
    /// The framing of the response. "length", "chunked" and "close" are whole; "cut", "cut chunks" and "stall" end within the
    /// body, and "none", "reset", "interim" and "mute" before it; with "refused" nobody listens.
    #[serde(default = "length")]
    pub framing: String,
    /// The number of 429s that come first.
    #[serde(default)]
    pub after_429: i32,
    pub status: String,
    pub outcome: String,
    pub state: i32,
    /// Is the request sent again after this response?
    pub again: bool,
    pub why: String,
}

fn length() -> String {
    "length".to_owned()
}

pub const MOST_ATTEMPTS: i32 = 3;
/// For answers that do not come.
const LATE_MS: &str = "600";
const TOO_MANY: &str = "HTTP/1.1 429 Said\r\nconnection: close\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n";

impl Cell {
    /// The requests that reach the server.
    fn attempts(&self) -> i32 {
        match self.framing.as_str() {
            "refused" => self.after_429,
            _ if self.again => MOST_ATTEMPTS,
            _ => self.after_429 + 1,
        }
    }

    fn expected(&self) -> String {
        format!("{} {} state {} after {} requests", self.status, self.outcome, self.state, self.attempts())
    }

    fn body(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or(self.body.as_bytes())
    }

    /// The bytes that the server writes before it ends the connection.
    fn answer(&self) -> Vec<u8> {
        let body = self.body();
        let mut head = format!("HTTP/1.1 {} Said\r\nconnection: close\r\nretry-after: 0\r\n", self.http);
        for (name, value) in self.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("retry-after")) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let named = |name: &str| self.headers.keys().any(|header| header.eq_ignore_ascii_case(name));
        // A response that claims to be JSON, and is not, is line 6.
        let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok();
        if is_json && !named("content-type") {
            head.push_str("content-type: application/json\r\n");
        }
        let chunked = matches!(self.framing.as_str(), "chunked" | "cut chunks");
        match self.framing.as_str() {
            _ if chunked => head.push_str("transfer-encoding: chunked\r\n"),
            "close" => {}
            _ if named("content-length") || named("transfer-encoding") || matches!(self.http, 204 | 304) => {}
            "cut" | "stall" => head.push_str(&format!("content-length: {}\r\n", body.len() + 7)),
            _ => head.push_str(&format!("content-length: {}\r\n", body.len())),
        }
        let mut answer = format!("{head}\r\n").into_bytes();
        if chunked {
            // Short chunks, so that every response has several.
            for part in body.chunks(7) {
                let _ = write!(answer, "{:x}\r\n", part.len());
                answer.extend_from_slice(part);
                answer.extend_from_slice(b"\r\n");
            }
            if self.framing == "chunked" {
                answer.extend_from_slice(b"0\r\n\r\n");
            }
        } else {
            answer.extend_from_slice(body);
        }
        answer
    }

    fn serve(&self, mut connection: Connection) {
        match self.framing.as_str() {
            "none" => {}
            "reset" => connection.reset(),
            "interim" => connection.write("HTTP/1.1 100 Continue\r\n\r\n"),
            "mute" => connection.hold(),
            framing => {
                let _ = connection.socket.write_all(&self.answer());
                if framing == "stall" {
                    connection.hold();
                }
            }
        }
    }
}

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
    let cell = {
        let mut turn = turn.lock().unwrap();
        turn.requests += 1;
        let cell = turn.cell.clone().expect("a request outside of a call");
        (turn.requests > cell.after_429).then_some(cell)
    };
    match cell {
        Some(cell) => cell.serve(connection),
        None => connection.write(TOO_MANY),
    }
}

/// Answers this many requests with 429; then nobody listens there.
fn refusing(answers: i32) -> Server {
    Server::start(move |mut connection| {
        if connection.read_request().is_some() {
            if connection.index + 1 == answers as usize {
                connection.stop_accepting();
            }
            connection.write(TOO_MANY);
        }
    })
}

/// The results of all cells.
pub struct Played {
    /// The differences from the expected verdicts.
    pub wrong: Vec<String>,
    /// The replies that are not OK, in their order.
    pub failed: Vec<Reply>,
    /// The driver's standard error.
    pub printed: String,
}

impl Played {
    pub fn passes(&self) {
        assert!(
            self.wrong.is_empty(),
            "{} verdicts differ from the table:\n{}",
            self.wrong.len(),
            self.wrong.join("\n")
        );
    }
}

pub fn play(start: &mut Command, cells: impl IntoIterator<Item = Cell>) -> Played {
    let turn = Arc::new(Mutex::new(Turn::default()));
    let server = Server::start({
        let turn = Arc::clone(&turn);
        move |connection| serve(connection, &turn)
    });
    let mut config = server.config();
    config["encryption_key"] = json!(long_encryption_key());
    config["max_attempts"] = json!(MOST_ATTEMPTS);
    let mut driver = Driver::start(start, &config);
    assert_eq!(driver.created.status, "OK", "{}", driver.created.message);
    let (mut wrong, mut failed) = (Vec::new(), Vec::new());
    for cell in cells {
        *turn.lock().unwrap() = Turn { cell: Some(cell.clone()), requests: 0 };
        let late = matches!(cell.framing.as_str(), "stall" | "mute");
        if late {
            driver.tell("timeout", LATE_MS);
        }
        let refused = cell.framing == "refused";
        let gone;
        if refused {
            let mut nobody = config.clone();
            gone = (cell.after_429 > 0).then(|| refusing(cell.after_429));
            let port = gone.as_ref().map_or_else(closed_port, |server| server.port);
            nobody["base_url"] = json!(format!("http://127.0.0.1:{port}"));
            driver.call("client", &nobody);
        }
        let request = cell.request.as_str().map_or_else(|| cell.request.to_string(), str::to_owned);
        let function = cell.row.split(' ').next().unwrap_or_default();
        let reply = driver.call_text(function, &request);
        if refused {
            driver.call("client", &config);
        }
        if late {
            driver.tell("timeout", "0");
        }
        let seen = if refused { reply.attempts } else { turn.lock().unwrap().requests };
        assert_eq!(reply.attempts, seen, "line {}: the reply counts other requests: {reply:?}", cell.line);
        let found = format!("{} {} state {} after {seen} requests", reply.status, reply.outcome, reply.state);
        if found != cell.expected() {
            let why = &cell.why;
            wrong.push(format!("line {} ({}, {why}): {found}, not {}", cell.line, cell.row, cell.expected()));
        } else if reply.status == "OK" {
            let sent = String::from_utf8_lossy(cell.body());
            assert_eq!(reply.body, sent.trim_start_matches('\u{feff}'), "line {}", cell.line);
        }
        if reply.status != "OK" {
            failed.push(reply);
        }
    }
    Played { wrong, failed, printed: driver.finish() }
}
