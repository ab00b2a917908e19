//! Input: the name of an endpoint, with ` keep` behind it where the peer keeps the connection open, and a line break;
//! then the bytes that the peer answers, over a real socket, to two calls that follow one another. In them `00000000`
//! becomes the identifier of the request that is answered.

use std::ffi::CString;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use nix::poll::{PollFd, PollFlags, poll};
use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::{Endpoint, Field, Kind};
use serde_json::{Value, json};

use super::check_environment;
use crate::ffi::caller::{Client, Reply};
use crate::ffi::{
    PAYSVC_E_ENCRYPT, PAYSVC_E_INTERNAL, PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED, PAYSVC_OUTCOME_NOT_SENT,
    PAYSVC_OUTCOME_REJECTED, PAYSVC_OUTCOME_UNKNOWN,
};
use crate::fuzzing::answer::of_body;
use crate::fuzzing::{choose, first_line};

pub fn wire(input: &[u8]) {
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    check_environment();
    let (head, answer) = first_line(input);
    let name = choose(endpoint(input), ENDPOINTS.iter().map(|row| row.name));
    let row = paysvc_spec::endpoint(name);
    peer().answer(answer, head.ends_with(KEEP));
    let first = NUMBER.fetch_add(2, Ordering::Relaxed) % 99_999_000;
    let ids = [first, first + 1].map(|number| format!("{number:08}"));
    call(row, &ids[0], &ids[1], answer);
    call(row, &ids[1], &ids[0], answer);
    // An encrypted request shows no identifier to the peer.
    for id in ids.iter().filter(|_| !row.encrypted) {
        assert!(peer().seen(id) <= 1, "{} was sent twice", row.name);
    }
}

const KEEP: &[u8] = b" keep";

/// The text of the input that names the endpoint.
pub fn endpoint(input: &[u8]) -> &[u8] {
    let (head, _) = first_line(input);
    head.strip_suffix(KEEP).unwrap_or(head)
}

fn call(row: &Endpoint, id: &str, other: &str, answer: &[u8]) {
    static CLIENT: OnceLock<Client> = OnceLock::new();
    let client = CLIENT.get_or_init(|| Client::new(&peer().config(peer().port)));
    let request = acceptable(row, id);
    let reply = client.call(row.name, &request);
    check(row, &request.to_string(), &reply, answer);
    assert!(!reply.body().contains(other), "another request's response: {}", reply.body());
}

fn check(row: &Endpoint, request: &str, reply: &Reply, answer: &[u8]) {
    for text in [reply.message(), reply.code()] {
        let line_break = |c: char| c.is_control() || c == '\u{2028}' || c == '\u{2029}';
        assert!(text.chars().count() <= 500 && !text.contains(line_break), "{text:?}");
    }
    assert_ne!(reply.status(), PAYSVC_E_ENCRYPT, "the request of the fuzzer is not sent: {}", reply.message());
    let (outcome, http_status, attempts) = (reply.outcome(), reply.http_status(), reply.attempts());
    assert_eq!(reply.status() == PAYSVC_OK, outcome == PAYSVC_OUTCOME_CONFIRMED);
    assert!(attempts <= 1 && reply.status() != PAYSVC_E_INTERNAL, "{}", reply.message());
    assert_eq!(attempts == 0, outcome == PAYSVC_OUTCOME_NOT_SENT, "{}", reply.message());
    match outcome {
        PAYSVC_OUTCOME_CONFIRMED => {
            let success = |line: &[u8]| line.starts_with(b"HTTP/1.") && line.get(8..10) == Some(b" 2");
            assert!(answer.split(|&byte| byte == b'\n').any(success), "confirmed, and no status line of success");
        }
        PAYSVC_OUTCOME_NOT_SENT => assert_eq!(http_status, 0),
        _ => assert!([PAYSVC_OUTCOME_REJECTED, PAYSVC_OUTCOME_UNKNOWN].contains(&outcome), "outcome {outcome}"),
    }
    assert!(serde_json::from_str::<serde::de::IgnoredAny>(reply.body()).is_ok(), "{}", reply.body());
    // The wire can only add doubt: read alone, the body of a reply that is decided gives the same.
    if [PAYSVC_OUTCOME_CONFIRMED, PAYSVC_OUTCOME_REJECTED].contains(&outcome) {
        let http_status = u16::try_from(http_status).expect("an HTTP status");
        let alone = of_body(row, request, http_status, reply.body().as_bytes());
        assert_eq!(
            (outcome, reply.state()),
            (alone.outcome() as i32, alone.state().0),
            "HTTP {http_status} {}",
            reply.body()
        );
    }
}

// The peer of the targets that go over a real socket: it answers with the bytes that the input gives.

/// In a response, becomes the identifier of the request that it answers.
const ID: &str = "00000000";

/// The peer's wait for a request's next bytes before it closes the connection. Most of a run's time is this.
const PATIENCE_MS: u16 = 2;

#[derive(Default)]
struct Script {
    answer: Vec<u8>,
    keep: bool,
    seen: Vec<String>,
}

pub struct Peer {
    pub port: u16,
    /// Where nothing listens.
    pub dead_port: u16,
    script: Arc<Mutex<Script>>,
}

pub fn peer() -> &'static Peer {
    static PEER: OnceLock<Peer> = OnceLock::new();
    PEER.get_or_init(|| {
        let (listener, dead) = (TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
        let script = Arc::new(Mutex::new(Script::default()));
        let peer = Peer { port: port(&listener), dead_port: port(&dead), script: Arc::clone(&script) };
        std::thread::spawn(move || listener.incoming().flatten().for_each(|socket| serve(socket, &script)));
        peer
    })
}

fn port(listener: &TcpListener) -> u16 {
    listener.local_addr().unwrap().port()
}

impl Peer {
    /// The response from now on, and whether the connection is kept afterwards; forgets the requests seen.
    pub fn answer(&self, answer: &[u8], keep: bool) {
        *lock(&self.script) = Script { answer: answer.to_vec(), keep, seen: Vec::new() };
    }

    /// Returns the number of requests seen that hold this identifier.
    pub fn seen(&self, id: &str) -> usize {
        lock(&self.script).seen.iter().filter(|request| request.contains(id)).count()
    }

    /// The configuration of a client that goes where nothing listens, as C hands it over; made once.
    pub fn dead_config(&self) -> CString {
        static CONFIG: OnceLock<CString> = OnceLock::new();
        CONFIG.get_or_init(|| CString::new(self.config(self.dead_port).to_string()).unwrap()).clone()
    }

    pub fn config(&self, port: u16) -> Value {
        // A key that carries every field of every row in one request.
        let key = include_str!("../../../tests/vectors/rsa8192-spki.pem");
        json!({
            "base_url": format!("http://127.0.0.1:{port}"),
            "public_key": "public-canary",
            "secret_key": "secret-canary",
            "encryption_key": key,
            "timeout_ms": 100,
            "max_attempts": 1,
        })
    }
}

fn lock(script: &Mutex<Script>) -> std::sync::MutexGuard<'_, Script> {
    script.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One connection to its end; one at a time is enough, because the client's calls follow one another.
fn serve(mut socket: TcpStream, script: &Mutex<Script>) {
    socket.set_nodelay(true).unwrap();
    while let Some(request) = read_request(&mut socket) {
        let (answer, keep) = {
            let mut script = lock(script);
            script.seen.push(request.clone());
            (script.answer.clone(), script.keep)
        };
        let id = id_of(&request).unwrap_or(ID);
        let answer = replace(&answer, ID.as_bytes(), id.as_bytes());
        if socket.write_all(&answer).is_err() || !keep {
            return;
        }
    }
}

/// Returns head and body, once the body is as long as the head requires.
fn read_request(socket: &mut TcpStream) -> Option<String> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        // A socket's own time limit is coarser than a poll's.
        poll(&mut [PollFd::new(socket.as_fd(), PollFlags::POLLIN)], PATIENCE_MS).ok().filter(|ready| *ready > 0)?;
        let count = socket.read(&mut buffer).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.to_ascii_lowercase();
            let length = length.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
            if body.len() >= length.unwrap_or(0) {
                return Some(text.into_owned());
            }
        }
    }
}

/// Eight digits behind `id-`.
fn id_of(request: &str) -> Option<&str> {
    request.split_once("id-")?.1.get(..ID.len())
}

fn replace(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for start in 0..out.len().saturating_sub(from.len() - 1) {
        if out[start..].starts_with(from) {
            out[start..start + to.len()].copy_from_slice(to);
        }
    }
    out
}

/// A request that this row accepts; every text in it holds the identifier.
pub fn acceptable(row: &Endpoint, id: &str) -> Value {
    fn object(fields: &[Field], id: &str) -> Value {
        fields.iter().map(|field| (field.name.to_owned(), value(field, id))).collect()
    }
    fn value(field: &Field, id: &str) -> Value {
        match field.kind {
            Kind::Text | Kind::Any => json!(format!("id-{id}")),
            Kind::Integer => json!(7),
            Kind::Amount(_) => json!("100.10"),
            Kind::Flag => json!(true),
            Kind::Object(fields) => object(fields, id),
            Kind::List(fields) => json!([object(fields, id)]),
        }
    }
    object(row.fields, id)
}
