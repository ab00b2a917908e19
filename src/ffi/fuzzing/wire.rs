//! Input: the name of an endpoint, with ` keep` behind it where the peer keeps the connection open, and a line break;
//! then the bytes that the peer answers, over a real socket, to two calls that follow one another. In them `00000000`
//! becomes the identifier of the request that is answered.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::Endpoint;

use super::check_environment;
use super::peer::{acceptable, peer};
use crate::ffi::caller::{Client, Reply};
use crate::ffi::{
    PAYSVC_E_ENCRYPT, PAYSVC_E_INTERNAL, PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED, PAYSVC_OUTCOME_NOT_SENT,
    PAYSVC_OUTCOME_REJECTED, PAYSVC_OUTCOME_UNKNOWN,
};
use crate::fuzzing::answer::of_body;
use crate::fuzzing::choice::{choose, first_line};

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
    assert!(!reply.body().contains(other), "another request's answer: {}", reply.body());
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
    // What the wire adds can only be doubt: read alone, the body of a reply that is decided says the same.
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
