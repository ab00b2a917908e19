//! Input: three digits of HTTP status, a byte that chooses the row and what cut the body off, the content type up to a
//! line break, the body. `200@application/json` is a whole answer to a request that moves money.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::{check_failure_envelope, check_texts, oracle};
use crate::request::references::Reference;
use crate::response::reader::{self, AnswerContext};
use crate::response::reply::Reply;
use crate::transport::answer::{BodyError, HttpAnswer};
use crate::util::one_line;
use paysvc_spec::schema::{Answer, Envelope, Member, Safety};
use paysvc_spec::status::{Outcome, State, Status};

pub fn answer(input: &[u8]) {
    let reply = answer_of(input);
    check_texts(&reply);
    assert_eq!(reply.http_status, http_status(split(input).0));
    check(input, &reply);
}

/// What the library makes of it.
pub fn answer_of(input: &[u8]) -> Reply {
    let (head, body) = split(input);
    let content_type = String::from_utf8(head.get(4..).unwrap_or_default().to_vec());
    let answer = HttpAnswer {
        http_status: http_status(head),
        content_type: content_type.ok().filter(|text| !text.is_empty()),
        retry_after_ms: None,
        body: body.to_vec(),
        encoded: false,
        close_delimited: false,
        body_error: cut(head),
    };
    let row = row(head);
    let context = AnswerContext {
        safety: row.safety,
        expected: &row.expected,
        references: &vec![(Reference::Order, "R-1".to_owned())],
        after_429: row.after_429,
        redact: &|text| Some(one_line::one_line(text.to_owned())),
        stop: &|| None,
    };
    reader::read(&context, answer).reply
}

struct Row {
    safety: Safety,
    expected: Answer,
    after_429: bool,
}

fn row(head: &[u8]) -> Row {
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
    Row { safety, expected, after_429: choice >> 5 & 1 == 1 }
}

/// The line in front, and the body.
fn split(input: &[u8]) -> (&[u8], &[u8]) {
    let end = input.iter().position(|&byte| byte == b'\n').unwrap_or(input.len());
    (&input[..end], input.get(end + 1..).unwrap_or_default())
}

fn http_status(head: &[u8]) -> u16 {
    head.iter().take(3).fold(0, |status, digit| status * 10 + u16::from(digit % 10))
}

fn choice(head: &[u8]) -> u8 {
    head.get(3).copied().unwrap_or(b'@')
}

fn cut(head: &[u8]) -> Option<BodyError> {
    match choice(head) >> 1 & 7 {
        1 => Some(BodyError::Broken("it\r\nbroke\0off".into())),
        2 => Some(BodyError::TooLarge(9)),
        3 => Some(BodyError::Timeout),
        4 => Some(BodyError::Cancelled),
        _ => None,
    }
}

fn check(input: &[u8], reply: &Reply) {
    let (head, body) = split(input);
    let (row, whole) = (row(head), cut(head).is_none());
    let body = body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body);
    let text = std::str::from_utf8(body).ok().filter(|text| serde_json::from_str::<IgnoredAny>(text).is_ok());
    match text.filter(|_| whole) {
        Some(text) => assert_eq!(reply.body, text, "the service's own bytes, unchanged"),
        None => check_failure_envelope(reply),
    }
    let said = text.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let twice = text.is_some_and(|text| oracle::walk(text).twice.is_some());
    assert_eq!(reply.status == Status::Ok, reply.outcome == Outcome::Confirmed);
    match (reply.outcome, reply.http_status) {
        (Outcome::NotSent, _) => panic!("an answer to what was not sent"),
        (Outcome::Confirmed, 200..=299) => {
            assert!(whole && text.is_some() && !twice, "confirmed by a body that is not whole or not clear");
            let subject = row.expected.subject.is_some();
            let denies = said.as_ref().is_some_and(oracle::denies);
            assert!(subject || !denies, "confirmed against the answer's own words: {}", reply.body);
        }
        (Outcome::Rejected, 200..=299) => assert!(whole && text.is_some() && !twice),
        (Outcome::Rejected, 408) => panic!("408 proves nothing"),
        (Outcome::Rejected, 400..=499) => assert!(whole && (!twice || reply.http_status == 429)),
        (Outcome::Unknown, _) => {}
        (outcome, http_status) => panic!("{outcome:?} from HTTP {http_status}"),
    }
    // Losing bytes never makes a verdict stronger.
    if let Some(text) = text.filter(|text| whole && text.starts_with('{') && text.ends_with('}')) {
        let shorter = answer_of(&input[..input.len() - 1]);
        assert_eq!(shorter.outcome, Outcome::Unknown, "cut by a byte: {text}");
    }
    if row.safety == Safety::Moves && reply.state == State::SUCCESSFUL {
        assert_ne!(reply.outcome, Outcome::Rejected, "refused, and paid: {}", reply.body);
    }
}
