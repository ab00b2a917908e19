//! Input: three digits of HTTP status, a byte whose bits choose the request and what cut the body off, the content type
//! up to a line break, the body. `200@application/json` is a whole response to a request that moves money.
//!
//! Here and not in `fuzz/`, because the reader of answers is private.

use serde::de::IgnoredAny;

use super::{check_failure_envelope, check_texts, first_line, json};
use crate::answer::reader::{self, AnswerContext};
use crate::answer::reply::Reply;
use crate::json::Given;
use crate::request::names::{References, RequestFields, of_row};
use crate::util::text::one_line;
use crate::wire::answer::HttpAnswer;
use crate::wire::error::TransportError;
use paysvc_spec::schema::Reference;
use paysvc_spec::schema::{Answer, Endpoint, Envelope, Member, Safety};
use paysvc_spec::status::{Outcome, Status};

pub fn answer(input: &[u8]) {
    let reply = answer_of(input);
    check_texts(&reply);
    assert_eq!(reply.http_status(), http_status(first_line(input).0));
    check(input, &reply);
}

/// Returns the library's reply for it.
fn answer_of(input: &[u8]) -> Reply {
    let (head, body) = first_line(input);
    let content_type = String::from_utf8(head.get(4..).unwrap_or_default().to_vec());
    let answer = HttpAnswer {
        content_type: content_type.ok().filter(|text| !text.is_empty()),
        body_error: cut(head),
        ..whole(http_status(head), body)
    };
    let request = request(head);
    let references = vec![(Reference::Order, "R-1".into())];
    let fields = RequestFields { row: &[], names: &["reference".to_owned(), "amount".to_owned()] };
    read(request.safety, &request.expected, &references, fields, request.after_429, answer)
}

/// A response that came in one piece.
fn whole(http_status: u16, body: &[u8]) -> HttpAnswer {
    HttpAnswer {
        http_status,
        content_type: None,
        retry_after_ms: None,
        trace: Vec::new(),
        body: body.to_vec(),
        encoded: false,
        close_delimited: false,
        body_error: None,
    }
}

/// Returns the reply for that response to a request of the row, without a connection.
pub fn of_body(row: &Endpoint, request: &str, http_status: u16, body: &[u8]) -> Reply {
    let given = Given::read(request);
    let given = given.fields().expect("the request of the fuzzer");
    let fields = RequestFields { row: row.fields, names: &[] };
    read(row.safety, &row.answer, &of_row(given, row.fields), fields, false, whole(http_status, body))
}

fn read(
    safety: Safety,
    expected: &Answer,
    references: &References<'_>,
    fields: RequestFields<'_>,
    after_429: bool,
    answer: HttpAnswer,
) -> Reply {
    let redact = |text: &str| Some(one_line(text.to_owned()));
    let context = AnswerContext { safety, expected, references, fields, after_429, redact: &redact, ended: &|| None };
    reader::read(&context, answer).reply
}

struct Request {
    safety: Safety,
    expected: Answer,
    after_429: bool,
}

fn request(head: &[u8]) -> Request {
    let choice = choice(head);
    const BARE: &[Member] = &[Member::text("x", ""), Member::text("customerName", "")];
    let bare = Answer { envelope: Envelope::Bare, members: BARE, ..*Answer::UNKNOWN };
    let subject = Answer { subject: Some("/data/statusId"), ..*Answer::UNKNOWN };
    let (safety, expected) = match (choice & 1, choice >> 4 & 1) {
        (0, 0) => (Safety::Moves, *Answer::UNKNOWN),
        (0, _) => (Safety::Repeatable, *Answer::UNKNOWN),
        (_, 0) => (Safety::ReadOnly, bare),
        (_, _) => (Safety::ReadOnly, subject),
    };
    Request { safety, expected, after_429: choice >> 5 & 1 == 1 }
}

fn http_status(head: &[u8]) -> u16 {
    head.iter().take(3).fold(0, |status, digit| status * 10 + u16::from(digit.wrapping_sub(b'0') % 10))
}

fn choice(head: &[u8]) -> u8 {
    head.get(3).copied().unwrap_or(b'@')
}

fn cut(head: &[u8]) -> Option<TransportError> {
    match choice(head) >> 1 & 7 {
        1 => Some(TransportError::new(Status::Transport, "it\r\nbroke\0off")),
        2 => Some(TransportError::framing("9")),
        3 => Some(TransportError::timeout("reading")),
        4 => Some(TransportError::cancelled()),
        _ => None,
    }
}

fn check(input: &[u8], reply: &Reply) {
    let (head, body) = first_line(input);
    let whole = cut(head).is_none();
    let body = body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body);
    let text = std::str::from_utf8(body).ok().filter(|text| serde_json::from_str::<IgnoredAny>(text).is_ok());
    match text.filter(|_| whole) {
        Some(text) => assert_eq!(reply.body, text, "the service's own bytes, unchanged"),
        None => check_failure_envelope(reply),
    }
    assert_eq!(reply.status() == Status::Ok, reply.outcome() == Outcome::Confirmed);
    assert_ne!(reply.outcome(), Outcome::NotSent, "a response to a request that was not sent");
    let decided = matches!(reply.outcome(), Outcome::Confirmed | Outcome::Rejected);
    assert!(whole || !decided, "decided by a body that is not whole");
    if reply.outcome() == Outcome::Confirmed {
        assert!(text.is_some(), "confirmed by a body that is not JSON");
    }
    if text.is_some_and(|text| json::scan(text).named_twice) {
        assert!(!decided, "decided by a body that names a field twice");
    }
    // The rules of RFC 9110 alone; `verdicts.rs` compares every verdict with a second reader's.
    let class = reply.http_status() / 100;
    assert!(class == 2 || reply.outcome() != Outcome::Confirmed, "confirmed by HTTP {}", reply.http_status());
    let refuses = matches!(class, 2 | 4) && reply.http_status() != 408;
    assert!(refuses || reply.outcome() != Outcome::Rejected, "rejected by HTTP {}", reply.http_status());
    // Losing bytes never makes a verdict stronger.
    if let Some(text) = text.filter(|text| whole && text.starts_with('{') && text.ends_with('}')) {
        let shorter = answer_of(&input[..input.len() - 1]);
        assert_eq!(shorter.outcome(), Outcome::Unknown, "without its last byte: {text}");
    }
}

/// The first line of an input determines its meaning.
#[test]
fn the_first_line_is_the_status_and_the_request() {
    for (input, http_status, outcome) in [
        ("200@application/json\n{\"status\":true}", 200, Outcome::Confirmed),
        ("400@application/json\n{\"status\":false}", 400, Outcome::Rejected),
        ("200Bapplication/json\n{\"status\":true}", 200, Outcome::Unknown),
        ("200Aapplication/json\n{\"customerName\":\"A\"}", 200, Outcome::Confirmed),
    ] {
        let reply = answer_of(input.as_bytes());
        assert_eq!((reply.http_status(), reply.outcome()), (http_status, outcome), "{input}");
    }
}
