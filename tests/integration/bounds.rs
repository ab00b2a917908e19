//! A peer that never ends: a constant limits whatever it sends without end, and slower ones are cut off by the
//! call's deadline and its cancel. The memory that each takes is measured in a process of its own;
//! `cargo test --test integration bounds:: -- --nocapture` prints the table.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::server::{Connection, Server, response};
use crate::support::tls::Authority;
use crate::support::{Link, Stage, root, run};

/// The bytes that a peer repeats for ever, and those that it sends before.
struct Endless {
    name: &'static str,
    before: &'static str,
    again: &'static str,
    /// The bound that ends it.
    says: &'static str,
}

const fn endless(name: &'static str, before: &'static str, again: &'static str, says: &'static str) -> Endless {
    Endless { name, before, again, says }
}

const HEADERS: &str = "the headers of the response are too large";
const CHUNKS: &str = "65536 bytes that are not part of it came between or after its chunks";
const TOO_MANY: &str = "too many headers";
const BODY: &str = "is larger than 10485760 bytes";
const CHUNKED: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n";
const LAST: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n0\r\n";
const UNFINISHED: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"a\":";

const ALL: &[Endless] = &[
    endless("empty_lines", "", "\r\n", HEADERS),
    endless("status_line", "HTTP/1.1 200 O", "K", HEADERS),
    endless("one_header", "HTTP/1.1 200 OK\r\nx: ", "y", HEADERS),
    endless("headers", "HTTP/1.1 200 OK\r\n", "x: y\r\n", TOO_MANY),
    endless("continue", "", "HTTP/1.1 100 Continue\r\n\r\n", HEADERS),
    endless("interim", "", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n", HEADERS),
    endless("chunk_size", CHUNKED, "0", CHUNKS),
    endless("chunk_extension", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;", "a", CHUNKS),
    endless("no_end_of_chunk", UNFINISHED, "x", CHUNKS),
    endless("one_trailer", LAST, "x", CHUNKS),
    endless("trailers", LAST, "x: y\r\n", CHUNKS),
    endless("chunks", CHUNKED, "20\r\n                                \r\n", BODY),
    endless("body", "HTTP/1.1 200 OK\r\n\r\n", " ", BODY),
    endless("sized", "HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n", " ", BODY),
];

/// Most work a byte: ten million of these take longer than a test should.
static TINY: Endless = endless("tiny_chunks", CHUNKED, "1\r\n \r\n", BODY);

fn asked(request: &str) -> (&'static Endless, bool) {
    if request.contains(TINY.name) {
        return (&TINY, false);
    }
    let found = ALL.iter().rfind(|one| request.contains(&format!("\"{}\"", one.name)));
    let slow = ALL.iter().rfind(|one| request.contains(&format!("\"{}-slow\"", one.name)));
    found.map(|one| (one, false)).or(slow.map(|one| (one, true))).unwrap_or_else(|| panic!("{request}"))
}

/// Sends what was asked for until the client has gone.
fn flood(request: &str, out: &mut dyn std::io::Write) {
    let (endless, slow) = asked(request);
    let many = if slow { endless.again.to_owned() } else { endless.again.repeat(60_000 / endless.again.len()) };
    let mut sent = out.write_all(endless.before.as_bytes());
    while sent.is_ok() {
        sent = out.write_all(many.as_bytes()).and_then(|()| out.flush());
        if slow {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

fn serve(mut c: Connection) {
    if let Some(request) = c.read_request() {
        if request.contains("warm_up") {
            return c.write(&response("200 OK", "connection: close\r\n", crate::support::server::OK));
        }
        flood(&request, &mut c);
    }
}

struct Line {
    name: String,
    verdict: String,
    kb: i64,
    ms: u64,
    message: String,
}

/// The measurements of `tests/c/bounds.c`.
fn measure(stage: &Stage, config: &Value, calls: &[(String, u32, u32)]) -> Vec<Line> {
    let program = stage.cc(&root().join("tests/c/bounds.c"), Link::Shared, &["-pthread"]);
    let mut command = stage.command(&program);
    command.arg(config.to_string()).stdin(Stdio::null());
    for (name, limit, cancel) in calls {
        command.args([name, &limit.to_string(), &cancel.to_string()]);
    }
    let text = String::from_utf8(run(&mut command).stdout).unwrap();
    let line = |line: &str| {
        let parts: Vec<_> = line.split('\t').collect();
        Line {
            name: parts[0].into(),
            verdict: format!("{} {}", parts[1], parts[2]),
            kb: parts[3].parse().unwrap(),
            ms: parts[4].parse().unwrap(),
            message: parts[5].into(),
        }
    };
    let lines: Vec<_> = text.lines().map(line).collect();
    assert_eq!(lines.len(), calls.len(), "{text}");
    lines
}

/// Each flood, until its bound.
fn floods(transport: &str, config: &Value) {
    let mut calls = vec![("warm_up".to_owned(), 30_000, 0)];
    calls.extend(ALL.iter().map(|one| (one.name.to_owned(), 30_000, 0)));
    let lines = measure(&Stage::new(), config, &calls);
    assert_eq!(lines[0].verdict, "OK CONFIRMED", "{}", lines[0].message);
    println!("{:16} {:9} {:>9} {:>7}", "endless", "over", "memory/kB", "time/ms");
    for (line, endless) in lines[1..].iter().zip(ALL) {
        println!("{:16} {transport:9} {:9} {:7}", line.name, line.kb, line.ms);
        assert_eq!(line.verdict, "E_RESPONSE UNKNOWN", "{}: {}", line.name, line.message);
        assert!(line.message.contains(endless.says), "{}: {}", line.name, line.message);
        let is_body = endless.says == BODY;
        // A body of the limit may be there twice when it grows.
        let most = if is_body { 64 * 1024 } else { 4 * 1024 };
        assert!(line.kb < most, "{}: {} kB", line.name, line.kb);
    }
}

#[test]
fn every_flood_ends_at_its_bound_over_plain_http() {
    let server = Server::start(serve);
    floods("http", &server.config());
}

#[test]
fn every_flood_ends_at_its_bound_over_tls() {
    let authority = Authority::new();
    let config = Authority::server(&authority.leaf(&["127.0.0.1"]), rustls::ALL_VERSIONS, None);
    let server = Server::start_tls(config, serve);
    floods(
        "https",
        &json!({"base_url": format!("https://127.0.0.1:{}", server.port), "secret_key": "s", "ca_file": authority.file()}),
    );
}

/// Bytes that come too slowly to reach a bound end with the call: a byte now and then does not prolong it.
#[test]
fn what_never_reaches_a_bound_ends_with_the_deadline_and_a_cancel() {
    let server = Server::start(serve);
    let slow = |limit, cancel| ALL.iter().map(move |one| (format!("{}-slow", one.name), limit, cancel));
    let calls: Vec<_> = slow(100, 0).chain(slow(30_000, 60)).collect();
    let lines = measure(&Stage::new(), &server.config(), &calls);
    for (index, line) in lines.iter().enumerate() {
        let verdict = if index < ALL.len() { "E_TIMEOUT UNKNOWN" } else { "E_CANCELLED UNKNOWN" };
        assert_eq!(line.verdict, verdict, "{}: {}", line.name, line.message);
        assert!(line.ms < 5_000 && line.kb < 16 * 1024, "{}: {} ms, {} kB", line.name, line.ms, line.kb);
    }
}

/// A body that comes as fast as the machine can send it does not outrun the clock or a cancel.
#[test]
fn what_comes_fast_ends_with_the_deadline_and_a_cancel() {
    let server = Server::start(serve);
    let calls: Vec<_> =
        (1..=8).flat_map(|ms| [(TINY.name.to_owned(), ms, 0), (TINY.name.to_owned(), 30_000, ms)]).collect();
    let lines = measure(&Stage::new(), &server.config(), &calls);
    for (line, (_, limit, cancel)) in lines.iter().zip(&calls) {
        // A machine that stops for a moment may come too late to send anything.
        let verdict = if *cancel == 0 { "E_TIMEOUT" } else { "E_CANCELLED" };
        assert!(line.verdict.starts_with(verdict), "{limit} {cancel}: {} {}", line.verdict, line.message);
        assert!(line.ms < 5_000, "{limit} {cancel}: {} ms", line.ms);
    }
}

/// Headers of nearly the largest size are read.
#[test]
fn large_headers_within_the_bound_are_read() {
    let server = Server::start(|mut c| {
        while c.read_request().is_some() {
            let interim = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(100);
            let header = format!("x: {}\r\n", "y".repeat(56 * 1024));
            c.write(&(interim + &response("200 OK", &header, crate::support::server::OK)));
        }
    });
    let config = crate::support::capi::with(server.config(), json!({"connection_reuse": "all"}));
    let client = crate::support::capi::Client::new(&config);
    for _ in 0..3 {
        client.call("order_refund", &crate::support::capi::refund()).expect("OK CONFIRMED");
    }
    assert_eq!(server.connections(), 1);
}

/// Whole responses of nearly the largest size: how each is made, and the verdict.
type Whole = (&'static str, fn() -> String, &'static str);

const SIZE: usize = 10 * 1024 * 1024 - 1024;

const WHOLE: &[Whole] = &[
    ("whole_text", || format!(r#"{{"status":true,"message":"{}"}}"#, "x".repeat(SIZE)), "OK CONFIRMED"),
    ("whole_escapes", || format!(r#"{{"status":true,"message":"{}"}}"#, "\\n".repeat(SIZE / 2)), "OK CONFIRMED"),
    ("whole_blanks", || format!("{{\"status\":true{}}}", " ".repeat(SIZE)), "OK CONFIRMED"),
    ("whole_members", || format!(r#"{{{}"status":true}}"#, members(SIZE / 11)), "OK CONFIRMED"),
    (
        "whole_nesting",
        || format!(r#"{{"status":true,"a":{}{}}}"#, "[".repeat(900_000), "]".repeat(900_000)),
        "OK CONFIRMED",
    ),
    ("whole_values", || format!("[{}0]", "0,".repeat(SIZE / 2)), "E_RESPONSE UNKNOWN"),
];

/// Names that all differ: the most work for a search for duplicates.
fn members(count: usize) -> String {
    (0..count).map(|index| format!("\"{index:06}\":0,")).collect()
}

/// Reading a response of the largest size takes a bounded amount of memory beside it, and ends with the call's limit.
#[test]
fn the_largest_answers_are_read_within_their_bounds() {
    let server = Server::start(|mut c| {
        while let Some(request) = c.read_request() {
            let body = WHOLE.iter().find(|(name, ..)| request.contains(name)).map(|(_, made, _)| made());
            c.write(&response("200 OK", "", body.as_deref().unwrap_or(crate::support::server::OK)));
        }
    });
    let whole = |limit| WHOLE.iter().map(move |(name, ..)| (name.to_string(), limit, 0));
    let warm = [("warm_up".to_owned(), 30_000, 0)];
    let lines = measure(&Stage::new(), &server.config(), &warm.into_iter().chain(whole(60_000)).collect::<Vec<_>>());
    println!("{:16} {:9} {:>9} {:>7}", "whole", "over", "memory/kB", "time/ms");
    for (line, (name, _, verdict)) in lines[1..].iter().zip(WHOLE) {
        println!("{name:16} {:9} {:9} {:7}", "http", line.kb, line.ms);
        assert_eq!(line.verdict, *verdict, "{name}: {}", line.message);
        // The body with what it grew from, twenty bytes a value, and the names of its fields.
        assert!(line.kb < 160 * 1024, "{name}: {} kB", line.kb);
    }
    for limit in [20, 40, 80] {
        for line in measure(&Stage::new(), &server.config(), &whole(limit).collect::<Vec<_>>()) {
            println!("{:16} {:9} {:9} {:7} of a limit of {limit} ms", line.name, "http", line.kb, line.ms);
            assert!(line.ms < 5_000, "{}: {} ms for a limit of {limit}", line.name, line.ms);
        }
    }
}
