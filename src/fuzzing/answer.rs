//! Input: three digits of HTTP status, a byte that chooses the envelope family and what cut the body off, the content
//! type up to a line break, the body. `200@application/json` is a whole answer of the usual family.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::{check_failure_envelope, check_texts, oracle};
use crate::answer::{self, Answer, Cut, Reading};
use crate::endpoints::Envelope;
use crate::reply::Reply;
use crate::status::{Outcome, Status};

pub fn answer(input: &[u8]) {
    let reply = answer_of(input);
    check_texts(&reply);
    let (head, body) = split(input);
    assert_eq!(reply.http_status, http_status(head));
    check(&reply, body, cut(head).is_none());
}

/// What the library makes of it.
pub fn answer_of(input: &[u8]) -> Reply {
    let (head, body) = split(input);
    let content_type = String::from_utf8(head.get(4..).unwrap_or_default().to_vec());
    let answer = Answer {
        http_status: http_status(head),
        content_type: content_type.ok().filter(|text| !text.is_empty()),
        retry_after_ms: None,
        body: body.to_vec(),
        encoded: false,
        close_delimited: false,
        cut: cut(head),
    };
    let envelope = if choice(head) & 1 == 0 { Envelope::Said } else { Envelope::Bare };
    answer::read(&Reading { envelope, hush: &|text| text }, answer)
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

fn cut(head: &[u8]) -> Option<Cut> {
    match choice(head) >> 1 & 7 {
        1 => Some(Cut::Broken("it\r\nbroke\0off".into())),
        2 => Some(Cut::TooLarge(9)),
        3 => Some(Cut::Timeout),
        4 => Some(Cut::Cancelled),
        _ => None,
    }
}

fn check(reply: &Reply, body: &[u8], whole: bool) {
    let body = body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body);
    let text = std::str::from_utf8(body).ok().filter(|text| serde_json::from_str::<IgnoredAny>(text).is_ok());
    match text.filter(|_| whole) {
        Some(text) => assert_eq!(reply.body, text, "the service's own bytes, unchanged"),
        None => check_failure_envelope(reply),
    }
    let said = text.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let failure = said.as_ref().is_some_and(oracle::says_failure);
    let ambiguous = || text.is_some_and(|text| oracle::walk(text).twice == Some(1));
    assert_eq!(reply.status == Status::Ok, reply.outcome == Outcome::Confirmed);
    match (reply.outcome, reply.http_status) {
        (Outcome::NotSent, _) => panic!("an answer to what was not sent"),
        (Outcome::Confirmed, 200..=299) => {
            assert!(whole && text.is_some(), "confirmed by a body that is not whole");
            assert!(!failure && !ambiguous(), "confirmed against the answer's own words: {}", reply.body);
        }
        (Outcome::Rejected, 200..=299) => assert!(whole && text.is_some() && !ambiguous()),
        (Outcome::Rejected, 408) => panic!("408 proves nothing"),
        (Outcome::Rejected, 400..=499) | (Outcome::Unknown, _) => {}
        (outcome, http_status) => panic!("{outcome:?} from HTTP {http_status}"),
    }
    if matches!(reply.http_status, 400..=499) && reply.http_status != 408 && reply.outcome == Outcome::Unknown {
        // What serde_json cannot hold, it cannot judge either.
        let claims = said
            .as_ref()
            .map_or(whole && text.is_some(), |said| said["status"] != Value::Null || said["isSuccess"] == true);
        assert!(claims, "a refusal stays one unless its body claims success: {}", reply.body);
    }
}
