//! HTTP status and bytes become status, outcome, code, message and state. Pure.
//!
//! One tolerant reader for all envelope families of the service; numbers stay text, unknown members stay in the body.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::endpoints::Envelope;
use crate::json::{self, Members, Type};
use crate::memory;
use crate::reply::{self, Reply};
use crate::status::{Outcome, State, Status};
use crate::trip;

/// What the wire brought.
pub struct Answer {
    pub http_status: u16,
    pub content_type: Option<String>,
    pub retry_after_ms: Option<u64>,
    pub body: Vec<u8>,
    /// The header names a content encoding; none was asked for, and none is decoded.
    pub encoded: bool,
    /// Neither a length nor chunks: the body ends with its connection, so a cut one looks like a whole one.
    pub close_delimited: bool,
    /// Why the body ends before its end, if it does.
    pub cut: Option<Cut>,
}

/// Why an answer's body is not whole.
pub enum Cut {
    /// The connection broke, or the framing was wrong.
    Broken(String),
    TooLarge(usize),
    /// The system refused the memory for it.
    NoMemory,
    Timeout,
    Cancelled,
}

/// What a body says became of the request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Said {
    Success,
    Failure,
    /// Two members contradict each other.
    Both,
    Nothing,
}

/// What an answer is read with.
pub struct Reading<'a> {
    pub envelope: Envelope,
    /// Masks what no message may repeat.
    pub hush: &'a dyn Fn(String) -> String,
}

pub fn read(reading: &Reading<'_>, mut answer: Answer) -> Reply {
    trip::point("answer");
    if answer.cut.is_none() && !memory::can_read(answer.body.len()) {
        answer.cut = Some(Cut::NoMemory);
    }
    let http_status = answer.http_status;
    let mut reply = match text_of(answer.body) {
        Ok(text) if answer.cut.is_none() => read_text(reading, http_status, text, answer.content_type),
        Ok(text) => unreadable(reading, http_status, text.len(), answer.content_type),
        Err(length) => unreadable(reading, http_status, length, answer.content_type),
    };
    if let Some(cut) = answer.cut {
        reply = cut_off(http_status, cut, reply);
    }
    reply.http_status = http_status;
    reply.retry_after_ms = answer.retry_after_ms;
    reply
}

/// The body as text without a byte order mark, or its length.
fn text_of(body: Vec<u8>) -> Result<String, usize> {
    const MARK: char = '\u{feff}';
    let mut text = String::from_utf8(body).map_err(|error| error.as_bytes().len())?;
    if text.starts_with(MARK) {
        text.drain(..MARK.len_utf8());
    }
    Ok(text)
}

fn read_text(reading: &Reading<'_>, http_status: u16, text: String, content_type: Option<String>) -> Reply {
    let mut reply = match json::members_of(&text) {
        Ok(members) => read_members(reading, http_status, &members, !members.is_empty()),
        Err(error) => match json::document(&text).map(Type::of) {
            Err(_) => return unreadable(reading, http_status, text.len(), content_type),
            Ok(Type::Object) => {
                let (status, outcome) = judge(reading.envelope, http_status, Said::Both, false);
                let message = format!("the service's answer cannot be used: {error}");
                Reply::without_body(status, outcome, (reading.hush)(message))
            }
            Ok(kind) => read_members(reading, http_status, &Vec::new(), kind == Type::Array),
        },
    };
    reply.body = text;
    reply
}

fn read_members(reading: &Reading<'_>, http_status: u16, members: &Members<'_>, has_content: bool) -> Reply {
    let (status, outcome) = judge(reading.envelope, http_status, said(members), has_content);
    let message = message(members).map(reading.hush).unwrap_or_else(|| plain_message(http_status, status));
    let mut reply = Reply::without_body(status, outcome, message);
    reply.code = reply::one_line((reading.hush)(code(members)));
    reply.state = state(members);
    reply
}

/// Status and outcome from the HTTP status and what the body says.
fn judge(envelope: Envelope, http_status: u16, said: Said, has_content: bool) -> (Status, Outcome) {
    match (http_status, said) {
        (200..=299, Said::Success) => (Status::Ok, Outcome::Confirmed),
        (200..=299, Said::Failure) => (Status::Rejected, Outcome::Rejected),
        (200..=299, Said::Nothing) if envelope == Envelope::Bare && has_content => (Status::Ok, Outcome::Confirmed),
        (200..=299, _) => (Status::Response, Outcome::Unknown),
        // A refusal that claims success at the same time proves neither.
        (400..=499, Said::Success) => (Status::Response, Outcome::Unknown),
        _ => judge_http(http_status),
    }
}

/// What the HTTP status alone proves.
fn judge_http(http_status: u16) -> (Status, Outcome) {
    match http_status {
        401 | 403 => (Status::Unauthorized, Outcome::Rejected),
        // The server gave up waiting, perhaps after it had passed the request on.
        408 => (Status::Timeout, Outcome::Unknown),
        429 => (Status::RateLimited, Outcome::Rejected),
        400..=499 => (Status::Rejected, Outcome::Rejected),
        500..=599 => (Status::Server, Outcome::Unknown),
        _ => (Status::Response, Outcome::Unknown),
    }
}

/// The HTTP status decides alone; the body is replaced by a failure envelope.
fn unreadable(reading: &Reading<'_>, http_status: u16, length: usize, content_type: Option<String>) -> Reply {
    let (status, outcome) = judge_http(http_status);
    let what = match (length, http_status) {
        (_, 300..=399) => "a redirect, which is never followed".to_owned(),
        (0, _) => "an empty body".to_owned(),
        _ => format!(
            "{length} bytes of {} that are not JSON",
            content_type.map_or_else(|| "an unnamed type".into(), reading.hush)
        ),
    };
    Reply::failed(status, outcome, format!("the service answered HTTP {http_status} with {what}"))
}

/// A body that is not whole: what the HTTP status proves alone still holds, everything else is unknown.
fn cut_off(http_status: u16, cut: Cut, bare: Reply) -> Reply {
    let (status, why) = match cut {
        Cut::Broken(why) => (Status::Response, format!("was cut off: {why}")),
        Cut::TooLarge(limit) => (Status::Response, format!("is larger than {limit} bytes")),
        Cut::NoMemory => (Status::Response, "does not fit into the memory that this process may have".to_owned()),
        Cut::Timeout => (Status::Timeout, "did not arrive in time".to_owned()),
        Cut::Cancelled => (Status::Cancelled, "was not awaited: the call was cancelled".to_owned()),
    };
    let status = if bare.status == Status::Response { status } else { bare.status };
    Reply::failed(status, bare.outcome, format!("the body of the service's answer (HTTP {http_status}) {why}"))
}

fn plain_message(http_status: u16, status: Status) -> String {
    match status {
        Status::Response => {
            format!("the service answered HTTP {http_status} without saying what became of the request")
        }
        _ => format!("the service answered HTTP {http_status}"),
    }
}

/// Reads every member that can say success or failure, so that a contradiction is noticed.
fn said(members: &Members<'_>) -> Said {
    let mut votes = [false, false];
    let mut vote = |success: bool| votes[usize::from(success)] = true;
    for (name, value) in members {
        let kind = Type::of(value);
        match (name.as_ref(), kind) {
            ("status" | "isSuccess", Type::Bool) => vote(value.get() == "true"),
            ("status", Type::Text) if is_one_of(value, &["success", "successful", "pending"]) => vote(true),
            ("status", Type::Text) if is_one_of(value, &["failed", "failure", "error"]) => vote(false),
            ("error", Type::Object) => vote(false),
            ("error", Type::Bool) if value.get() == "true" => vote(false),
            ("error" | "errors", Type::Text) if !is_one_of(value, &[""]) => vote(false),
            // What cannot be read (named twice, no memory for it) is not taken for empty.
            ("error" | "errors", Type::Array) if json::items(value).map_or(true, |errors| !errors.is_empty()) => {
                vote(false);
            }
            ("errors", Type::Object) if json::members(value).map_or(true, |errors| !errors.is_empty()) => vote(false),
            _ => {}
        }
    }
    match votes {
        [false, false] => Said::Nothing,
        [false, true] => Said::Success,
        [true, false] => Said::Failure,
        [true, true] => Said::Both,
    }
}

/// Compares without case and blanks.
fn is_one_of(value: &RawValue, words: &[&str]) -> bool {
    let text = json::text(value).unwrap_or_default();
    words.iter().any(|word| text.trim().eq_ignore_ascii_case(word))
}

fn object<'a>(members: &Members<'a>, name: &str) -> Option<Members<'a>> {
    json::member(members, name).and_then(|value| json::members(value).ok())
}

/// Text or number of a member; nothing for null and the rest.
fn plain<'a>(members: &Members<'a>, name: &str) -> Option<Cow<'a, str>> {
    let value = json::member(members, name)?;
    match Type::of(value) {
        Type::Text => json::text(value).filter(|text| !text.is_empty()),
        Type::Number => Some(Cow::Borrowed(value.get())),
        _ => None,
    }
}

/// A copy with room for the NUL that C wants put behind it.
fn owned(text: Cow<'_, str>) -> String {
    let mut copy = String::with_capacity(text.len() + 1);
    copy.push_str(&text);
    copy
}

fn code(members: &Members<'_>) -> String {
    let own = ["statusCode", "status_code", "code"].iter().find_map(|name| plain(members, name));
    own.or_else(|| plain(&object(members, "error")?, "code")).map(owned).unwrap_or_default()
}

fn message(members: &Members<'_>) -> Option<String> {
    plain(members, "message")
        .or_else(|| {
            let error = object(members, "error")?;
            plain(&error, "message").or_else(|| plain(&error, "description"))
        })
        .or_else(|| plain(members, "error"))
        .map(owned)
        .or_else(|| {
            let errors = object(members, "errors")?;
            let (member, text) = errors.first()?;
            Some(format!("{member}: {}", json::text(text)?))
        })
}

/// The payment's `statusId` wherever the families have it; without one, the payment's or refund's state as a word
/// in `data`.
fn state(members: &Members<'_>) -> State {
    let Some(data) = object(members, "data") else { return State::NONE };
    let nested = ["orderPayment", "orderSummary", "order"].iter().filter_map(|name| object(&data, name));
    let mut ids = nested.filter_map(|level| plain(&level, "statusId"));
    let id = plain(&data, "statusId").or_else(|| ids.next());
    match id.and_then(|id| id.parse::<i32>().ok()) {
        Some(id) if id > 0 => State(id),
        _ => json::member(&data, "status").map_or(State::NONE, state_of_word),
    }
}

fn state_of_word(value: &RawValue) -> State {
    let words = [
        ("initiated", State::INITIATED),
        ("pending", State::PENDING),
        ("failed", State::FAILED),
        ("successful", State::SUCCESSFUL),
        ("reversed", State::REVERSED),
        ("processing", State::PROCESSING),
    ];
    words.iter().find(|(word, _)| is_one_of(value, &[word])).map_or(State::NONE, |(_, state)| *state)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(http_status: u16, body: &str) -> Answer {
        Answer {
            http_status,
            content_type: Some("application/json".into()),
            retry_after_ms: None,
            body: body.into(),
            encoded: false,
            close_delimited: false,
            cut: None,
        }
    }
    fn read_as(envelope: Envelope, answer: Answer) -> Reply {
        read(&Reading { envelope, hush: &|text| text.replace("4111", "***") }, answer)
    }
    fn said_by(http_status: u16, body: &str) -> Reply {
        read_as(Envelope::Said, answer(http_status, body))
    }
    fn verdict(reply: &Reply) -> (Status, Outcome) {
        (reply.status, reply.outcome)
    }
    const OK: (Status, Outcome) = (Status::Ok, Outcome::Confirmed);
    const NO: (Status, Outcome) = (Status::Rejected, Outcome::Rejected);
    const UNCLEAR: (Status, Outcome) = (Status::Response, Outcome::Unknown);

    #[test]
    fn every_family_is_read() {
        for (http, body, expected, code, state, message) in [
            (
                200,
                r#"{"data":{"orderPayment":{"statusId":1,"totalAmount":100.10}},"status":"success","statusCode":"02","message":"made"}"#,
                OK,
                "02",
                1,
                "made",
            ),
            (
                200,
                r#"{"status":"pending","status_code":"02","message":"wait","data":{"statusId":2}}"#,
                OK,
                "02",
                2,
                "wait",
            ),
            (
                200,
                r#"{"status":"failed","statusCode":"12","message":"declined","data":{"orderPayment":{"statusId":4}}}"#,
                NO,
                "12",
                4,
                "declined",
            ),
            (200, r#"{"message":"m","code":"200","status":true,"data":{"mandateCode":"MDTC-1"}}"#, OK, "200", 0, "m"),
            (
                200,
                r#"{"message":"m","code":null,"status":true,"data":{"statusId":5,"status":"Successful","statusCode":"00"}}"#,
                OK,
                "",
                5,
                "m",
            ),
            (
                200,
                r#"{"message":"m","code":"00","status":true,"data":{"orderSummary":{"statusId":6}}}"#,
                OK,
                "00",
                6,
                "m",
            ),
            (200, r#"{"status":true,"message":"m","accountNumber":"1","bankCode":"2"}"#, OK, "", 0, "m"),
            (200, r#"{"status":true,"message":"m","data":{"reference":"r","status":"pending"}}"#, OK, "", 2, "m"),
            (200, r#"{"isSuccess":true,"redirectUrl":"u","message":"m"}"#, OK, "", 0, "m"),
            (200, r#"{"isSuccess":false,"message":"m"}"#, NO, "", 0, "m"),
            (400, r#"{"status":false,"message":"bad","errors":{"a":"b"}}"#, NO, "", 0, "bad"),
            (400, r#"{"status":false,"errors":{"a":"b"}}"#, NO, "", 0, "a: b"),
            (400, r#"{"error":{"code":"E1","message":"bad","description":"d"}}"#, NO, "E1", 0, "bad"),
            (200, r#"{"error":{"code":7,"description":"d"}}"#, NO, "7", 0, "d"),
            (200, r#"{"data":{"statusId":9},"status":"success"}"#, OK, "", 9, "the service answered HTTP 200"),
        ] {
            let reply = said_by(http, body);
            assert_eq!(verdict(&reply), expected, "{body}");
            assert_eq!((reply.code.as_str(), reply.state.0, reply.message.as_str()), (code, state, message), "{body}");
            assert_eq!((reply.body.as_str(), reply.http_status), (body, http));
        }
    }

    #[test]
    fn bare_answers_succeed_by_their_content_only_where_the_row_says_so() {
        let history = r#"{"customerName":"A","hasExistingDebitMandate":false,"directDebitMandates":[]}"#;
        assert_eq!(verdict(&read_as(Envelope::Bare, answer(200, history))), OK);
        assert_eq!(verdict(&read_as(Envelope::Bare, answer(200, "[]"))), OK);
        assert_eq!(verdict(&read_as(Envelope::Bare, answer(200, "{}"))), UNCLEAR);
        assert_eq!(verdict(&read_as(Envelope::Bare, answer(200, "7"))), UNCLEAR);
        assert_eq!(verdict(&read_as(Envelope::Bare, answer(200, r#"{"status":false,"x":1}"#))), NO);
        assert_eq!(verdict(&said_by(200, history)), UNCLEAR);
    }

    #[test]
    fn an_error_of_any_form_is_a_failure_and_an_empty_one_is_none() {
        let with = |error: &str, first: &str| format!(r#"{{{first},{error}}}"#);
        for error in
            [r#""error":true"#, r#""error":["a"]"#, r#""errors":["a"]"#, r#""errors":"a""#, r#""errors":{"a":1,"a":2}"#]
        {
            assert_eq!(verdict(&read_as(Envelope::Bare, answer(200, &with(error, r#""x":1"#)))), NO, "{error}");
            assert_eq!(verdict(&said_by(200, &with(error, r#""status":true"#))), UNCLEAR, "{error}");
        }
        for none in [r#""error":null"#, r#""error":"""#, r#""error":[]"#, r#""error":false"#, r#""errors":{}"#] {
            assert_eq!(verdict(&said_by(200, &with(none, r#""status":true"#))), OK, "{none}");
        }
    }

    #[test]
    fn contradictions_are_unknown() {
        for (http, body) in [
            (200, r#"{"status":true,"error":{"code":"1"}}"#),
            (200, r#"{"status":true,"status":false}"#),
            (200, r#"{"status":"success","isSuccess":false}"#),
            (400, r#"{"status":"success"}"#),
        ] {
            let reply = said_by(http, body);
            assert_eq!(verdict(&reply), UNCLEAR, "{body}");
            assert_eq!(reply.body, body);
        }
    }

    #[test]
    fn http_statuses_without_json_decide_alone() {
        for (http, expected) in [
            (200, UNCLEAR),
            (204, UNCLEAR),
            (302, UNCLEAR),
            (400, NO),
            (401, (Status::Unauthorized, Outcome::Rejected)),
            (403, (Status::Unauthorized, Outcome::Rejected)),
            (404, NO),
            (408, (Status::Timeout, Outcome::Unknown)),
            (429, (Status::RateLimited, Outcome::Rejected)),
            (500, (Status::Server, Outcome::Unknown)),
            (502, (Status::Server, Outcome::Unknown)),
            (999, UNCLEAR),
        ] {
            for body in ["", "<html>502</html>", "{\"status\":tr"] {
                let reply = said_by(http, body);
                assert_eq!(verdict(&reply), expected, "{http} {body}");
                let envelope: serde_json::Value = serde_json::from_str(&reply.body).unwrap();
                assert_eq!(envelope["status"], false);
                assert_eq!(envelope["message"], reply.message.as_str());
            }
        }
    }

    #[test]
    fn a_server_error_stays_unknown_whatever_its_body_says() {
        for body in [r#"{"status":false,"message":"m"}"#, r#"{"status":true}"#, r#"{"error":{"code":"x"}}"#] {
            assert_eq!(verdict(&said_by(500, body)), (Status::Server, Outcome::Unknown), "{body}");
        }
    }

    #[test]
    fn a_cut_answer_is_never_success_and_a_cut_refusal_is_still_one() {
        let cut = |http: u16, cut: Cut| {
            read_as(Envelope::Said, Answer { cut: Some(cut), ..answer(http, r#"{"status":true}"#) })
        };
        assert_eq!(verdict(&cut(200, Cut::Broken("reset".into()))), UNCLEAR);
        assert_eq!(verdict(&cut(200, Cut::TooLarge(9))), UNCLEAR);
        assert_eq!(verdict(&cut(200, Cut::NoMemory)), UNCLEAR);
        assert_eq!(verdict(&cut(404, Cut::NoMemory)), NO);
        assert_eq!(verdict(&cut(200, Cut::Timeout)), (Status::Timeout, Outcome::Unknown));
        assert_eq!(verdict(&cut(200, Cut::Cancelled)), (Status::Cancelled, Outcome::Unknown));
        assert_eq!(verdict(&cut(400, Cut::Broken("reset".into()))), NO);
        assert_eq!(verdict(&cut(401, Cut::Timeout)), (Status::Unauthorized, Outcome::Rejected));
        assert_eq!(verdict(&cut(500, Cut::Broken("x".into()))), (Status::Server, Outcome::Unknown));
    }

    #[test]
    fn text_that_is_not_utf8_and_byte_order_marks() {
        let reply = read_as(Envelope::Said, Answer { body: vec![0xff, 0xfe], ..answer(200, "") });
        assert_eq!(verdict(&reply), UNCLEAR);
        let reply = said_by(200, "\u{feff}{\"status\":true}");
        assert_eq!((verdict(&reply), reply.body.as_str()), (OK, r#"{"status":true}"#));
    }
}
