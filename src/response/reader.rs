//! HTTP status and bytes become a reply: facts, verdict, code and message. Pure.
//!
//! One tolerant reader for all envelope families of the service; numbers stay text, unknown members stay in the body.

use std::borrow::Cow;

use crate::request::references::References;
use crate::response::document::{Document, MAX_VALUES, ScanError, Value};
use crate::response::facts::{self, Facts};
use crate::response::redact::WITHHELD;
use crate::response::reply::Reply;
use crate::response::verdict::{self, Answered, Came, Verdict};
use crate::transport::answer::{Cut, HttpAnswer};
use crate::util::failpoint;
use crate::util::json::Type;
use paysvc_spec::schema::{Answer, Safety};
use paysvc_spec::status::Status;

/// As much of a code or a message as is looked at: many times what is passed on, so that a secret that begins within
/// is recognised whole.
const TEXT_READ: usize = 16 * 1024;

/// How much of a member's name is repeated; no name of the interface is nearly as long.
const MAX_NAME_CHARS: usize = 100;

/// What an answer is read with: what is known of the request, and of the call.
pub struct Reading<'a> {
    pub safety: Safety,
    pub expected: &'a Answer,
    pub references: &'a References,
    /// An earlier attempt of this call was answered with 429.
    pub after_429: bool,
    /// Masks what no message may repeat, and makes it one short line; `None` where the call ended before that.
    pub redact: &'a dyn Fn(&str) -> Option<String>,
    /// Why to stop reading, once there is a reason.
    pub stop: &'a dyn Fn() -> Option<Cut>,
}

/// A reply, and what the verdict says beyond it.
pub struct Read {
    pub reply: Reply,
    /// Of the table of verdicts.
    pub line: &'static str,
    pub again: bool,
    /// More than one payment of the history was successful.
    pub paid_twice: bool,
}

/// A body as far as it could be read.
enum Body {
    Json(String, Document),
    /// Empty, a page, or anything else that does not even begin like the service's answers.
    Other(usize),
    /// Why, as an end of "the body of the service's answer ...".
    Broken(Status, String),
}

pub fn read(reading: &Reading<'_>, answer: HttpAnswer) -> Read {
    failpoint::at("answer");
    let HttpAnswer { http_status, content_type, retry_after_ms, .. } = answer;
    let cut = answer.close_delimited || matches!(answer.cut, Some(Cut::Broken(_)));
    let mut body = read_body(reading, answer.body, answer.encoded, answer.close_delimited, answer.cut);
    let mut facts = Facts::default();
    if let Body::Json(text, document) = &body {
        let stop = || (reading.stop)().is_some();
        match facts::read(document, text, reading.expected, reading.references, &stop) {
            Some(found) => facts = found,
            None => body = stopped(reading),
        }
    }
    let payments_made = facts.payments_made;
    let broken = match &body {
        Body::Broken(status, _) => Some(*status),
        _ => None,
    };
    let came = Came::Answer(Answered { http_status, broken, cut, facts });
    let verdict = verdict::decide(reading.safety, &came, reading.after_429);
    let mut notes: Vec<Cow<'_, str>> = verdict.why.map(Cow::Borrowed).into_iter().collect();
    if payments_made > 1 {
        notes.insert(0, format!("paid twice: {payments_made} payments of the history were successful").into());
    }
    let mut reply = reply(reading, http_status, content_type.as_deref(), body, &verdict, &notes);
    reply.http_status = http_status;
    reply.retry_after_ms = retry_after_ms;
    Read { reply, line: verdict.line, again: verdict.again, paid_twice: payments_made > 1 }
}

fn read_body(reading: &Reading<'_>, body: Vec<u8>, encoded: bool, close_delimited: bool, cut: Option<Cut>) -> Body {
    if let Some(cut) = cut {
        return cut_off(cut);
    }
    let broken = |why: &str| Body::Broken(Status::Response, why.to_owned());
    if encoded {
        return broken("is encoded, although no encoding was asked for");
    }
    let not_json = |bytes: &[u8]| match bytes {
        _ if close_delimited => broken("ended with its connection and is not whole JSON, so it may have been cut off"),
        _ if begins_as_json(bytes) => broken("is not one JSON document"),
        _ => Body::Other(bytes.len()),
    };
    let text = match text_of(body) {
        Ok(text) => text,
        Err(bytes) => return not_json(&bytes),
    };
    match Document::scan(&text, &|| (reading.stop)().is_some()) {
        // Its last digits may be missing.
        Ok(document) if close_delimited && document.root(&text).kind() == Type::Number => not_json(text.as_bytes()),
        Ok(document) => Body::Json(text, document),
        Err(ScanError::Syntax) => not_json(text.as_bytes()),
        Err(ScanError::NoMemory) => cut_off(Cut::NoMemory),
        Err(ScanError::Stopped) => stopped(reading),
        Err(ScanError::TooMany) => broken(&format!("holds more than {MAX_VALUES} values")),
    }
}

/// The body as text without a byte order mark, or its bytes.
fn text_of(body: Vec<u8>) -> Result<String, Vec<u8>> {
    const MARK: char = '\u{feff}';
    let mut text = String::from_utf8(body).map_err(std::string::FromUtf8Error::into_bytes)?;
    if text.starts_with(MARK) {
        text.drain(..MARK.len_utf8());
    }
    Ok(text)
}

/// Behind blanks and byte order marks.
fn begins_as_json(mut bytes: &[u8]) -> bool {
    loop {
        bytes = bytes.trim_ascii_start();
        match bytes.strip_prefix("\u{feff}".as_bytes()) {
            Some(rest) => bytes = rest,
            None => return matches!(bytes.first(), Some(b'{' | b'[')),
        }
    }
}

/// The call ended while the answer was read.
fn stopped(reading: &Reading<'_>) -> Body {
    cut_off((reading.stop)().unwrap_or(Cut::Timeout))
}

fn cut_off(cut: Cut) -> Body {
    let (status, why) = match cut {
        Cut::Broken(why) => (Status::Response, format!("was cut off: {why}")),
        Cut::Framing(why) => (Status::Response, format!("is framed wrongly: {why}")),
        Cut::TooLarge(limit) => (Status::Response, format!("is larger than {limit} bytes")),
        Cut::NoMemory => (Status::Response, "does not fit into the memory that this process may have".to_owned()),
        Cut::Timeout => (Status::Timeout, "was not read in time".to_owned()),
        Cut::Cancelled => (Status::Cancelled, "was not read: the call was cancelled".to_owned()),
    };
    Body::Broken(status, why)
}

fn reply(
    reading: &Reading<'_>,
    http_status: u16,
    content_type: Option<&str>,
    body: Body,
    verdict: &Verdict,
    notes: &[Cow<'_, str>],
) -> Reply {
    let advice = verdict::advice(reading.safety, verdict.outcome);
    let notes: Vec<&str> = notes.iter().map(Cow::as_ref).chain(advice).collect();
    let said = |text: String| match notes.is_empty() {
        true => text,
        false => format!("{}; {text}", notes.join("; ")),
    };
    match body {
        Body::Json(text, document) => {
            let root = document.root(&text);
            let redacted = |text: Cow<'_, str>| (reading.redact)(&text).unwrap_or_else(|| WITHHELD.to_owned());
            let message = match message(root).map(redacted) {
                Some(message) if notes.is_empty() => message,
                Some(message) => said(format!("the service wrote: {message}")),
                None => said(format!("the service answered HTTP {http_status}")),
            };
            let mut reply = Reply::without_body(verdict.status, verdict.outcome, message);
            reply.code = code(root).and_then(|code| (reading.redact)(&code)).unwrap_or_default();
            reply.state = verdict.state;
            reply.body = text;
            reply.document = Some(document);
            reply
        }
        Body::Other(length) => {
            let what = match (length, http_status) {
                (_, 300..=399) => "a redirect, which is never followed".to_owned(),
                (0, _) => "an empty body".to_owned(),
                _ => {
                    let kind = content_type.and_then(reading.redact).filter(|kind| !kind.is_empty());
                    format!("{length} bytes of {} that are not JSON", kind.as_deref().unwrap_or("an unnamed type"))
                }
            };
            let message = said(format!("the service answered HTTP {http_status} with {what}"));
            Reply::failed(verdict.status, verdict.outcome, message)
        }
        Body::Broken(_, why) => {
            let message = said(format!("the body of the service's answer (HTTP {http_status}) {why}"));
            Reply::failed(verdict.status, verdict.outcome, message)
        }
    }
}

/// Text or number of a member; nothing for null and the rest.
fn plain<'d>(object: Value<'d>, name: &str) -> Option<Cow<'d, str>> {
    let value = object.member(name)?;
    match value.kind() {
        Type::Text => value.text_start(TEXT_READ).filter(|text| !text.is_empty()),
        Type::Number => value.raw().get(..value.raw().len().min(TEXT_READ)).map(Cow::Borrowed),
        _ => None,
    }
}

fn code(root: Value<'_>) -> Option<Cow<'_, str>> {
    let own = ["statusCode", "status_code", "code"].iter().find_map(|name| plain(root, name));
    own.or_else(|| plain(root.member("error")?, "code"))
}

fn message(root: Value<'_>) -> Option<Cow<'_, str>> {
    plain(root, "message")
        .or_else(|| {
            let error = root.member("error")?;
            plain(error, "message").or_else(|| plain(error, "description"))
        })
        .or_else(|| plain(root, "error"))
        .or_else(|| {
            let first = root.member("errors")?.children().next()?;
            let text = first.text_start(TEXT_READ)?;
            Some(match first.name() {
                Some(name) => Cow::Owned(format!("{}: {text}", name.chars().take(MAX_NAME_CHARS).collect::<String>())),
                None => text,
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use paysvc_spec::status::Outcome;

    fn answer(http_status: u16, body: &str) -> HttpAnswer {
        HttpAnswer {
            http_status,
            content_type: Some("application/json".into()),
            retry_after_ms: None,
            body: body.into(),
            encoded: false,
            close_delimited: false,
            cut: None,
        }
    }

    fn read_as(safety: Safety, answer: HttpAnswer) -> Read {
        let reading = Reading {
            safety,
            expected: Answer::UNKNOWN,
            references: &Vec::new(),
            after_429: false,
            redact: &|text| Some(text.replace("4111", "***")),
            stop: &|| None,
        };
        read(&reading, answer)
    }

    fn reply(http_status: u16, body: &str) -> Reply {
        read_as(Safety::Moves, answer(http_status, body)).reply
    }

    #[test]
    fn code_and_message_of_every_family() {
        for (http, body, code, message) in [
            (200, r#"{"status":"success","statusCode":"02","message":"made"}"#, "02", "made"),
            (200, r#"{"status":"pending","status_code":2,"message":"wait","data":{"statusId":2}}"#, "2", "wait"),
            (200, r#"{"message":"m","code":null,"status":true}"#, "", "m"),
            (200, r#"{"data":{"statusId":9},"status":"success"}"#, "", "the service answered HTTP 200"),
            (400, r#"{"status":false,"errors":{"a":"b"}}"#, "", "a: b"),
            (400, r#"{"error":{"code":"E1","message":"bad","description":"d"}}"#, "E1", "bad"),
            (200, r#"{"error":{"code":7,"description":"d"}}"#, "7", "d"),
            (400, r#"{"status":false,"message":"4111 refused","code":"4111"}"#, "***", "*** refused"),
        ] {
            let reply = reply(http, body);
            assert_eq!((reply.code.as_str(), reply.message.as_str()), (code, message), "{body}");
            assert_eq!((reply.body.as_str(), reply.http_status), (body, http));
        }
    }

    #[test]
    fn a_message_says_what_the_answer_does_not() {
        let contradicts = reply(200, r#"{"status":true,"error":{"code":"1","message":"no 4111"}}"#);
        assert_eq!(contradicts.message, "the answer contradicts itself; the service wrote: no ***");
        let silent = reply(200, r#"{"x":1}"#);
        assert!(silent.message.contains("does not say what became of the request"), "{}", silent.message);
        let page = reply(403, "<html>4111</html>");
        assert!(page.message.contains("17 bytes of application/json that are not JSON"), "{}", page.message);
        assert!(page.message.contains("something between here and the service"), "{}", page.message);
        let kind = HttpAnswer { content_type: Some("text/4111".into()), ..answer(400, "x") };
        let kind = read_as(Safety::Moves, kind).reply;
        assert!(kind.message.contains("text/***") && kind.body.contains("text/***"), "{}", kind.message);
        let repeatable = read_as(Safety::Repeatable, answer(500, "")).reply;
        assert!(repeatable.message.contains("may be repeated") && repeatable.body.contains("may be repeated"));
        assert!(!reply(500, "").message.contains("may be repeated"));
        let twice = r#"{"status":true,"data":{"statusId":5,"orderPayments":[{"statusId":5},{"statusId":5}]}}"#;
        let twice = read_as(Safety::Moves, answer(200, twice));
        assert!(twice.paid_twice && twice.reply.message.starts_with("paid twice"), "{}", twice.reply.message);
    }

    #[test]
    fn what_is_not_whole_is_named_and_proves_nothing() {
        let whole = r#"{"status":false}"#;
        for (answer, status, part) in [
            (
                HttpAnswer { cut: Some(Cut::Broken("reset".into())), ..answer(400, whole) },
                Status::Response,
                "cut off: reset",
            ),
            (HttpAnswer { cut: Some(Cut::TooLarge(9)), ..answer(400, whole) }, Status::Response, "larger than 9 bytes"),
            (HttpAnswer { cut: Some(Cut::NoMemory), ..answer(404, whole) }, Status::Response, "memory"),
            (HttpAnswer { cut: Some(Cut::Timeout), ..answer(401, whole) }, Status::Timeout, "in time"),
            (HttpAnswer { cut: Some(Cut::Cancelled), ..answer(200, whole) }, Status::Cancelled, "cancelled"),
            (HttpAnswer { encoded: true, ..answer(400, whole) }, Status::Response, "encoded"),
            (HttpAnswer { close_delimited: true, ..answer(400, "<html>") }, Status::Response, "not whole JSON"),
            (answer(400, r#"{"status":fal"#), Status::Response, "not one JSON document"),
            (answer(400, "\u{feff}\u{feff} {}"), Status::Response, "not one JSON document"),
            (answer(400, "[1] []"), Status::Response, "not one JSON document"),
            (
                HttpAnswer { body: b"{\"m\":\"\xff\"}".to_vec(), ..answer(400, "") },
                Status::Response,
                "not one JSON document",
            ),
        ] {
            let reply = read_as(Safety::Moves, answer).reply;
            assert_eq!((reply.status, reply.outcome), (status, Outcome::Unknown), "{}", reply.message);
            assert!(reply.message.contains(part), "{}", reply.message);
            let envelope: serde_json::Value = serde_json::from_str(&reply.body).unwrap();
            assert_eq!((&envelope["status"], envelope["message"].as_str()), (&false.into(), Some(&*reply.message)));
        }
        let stopped = Reading {
            safety: Safety::Moves,
            expected: Answer::UNKNOWN,
            references: &Vec::new(),
            after_429: false,
            redact: &|text| Some(text.to_owned()),
            stop: &|| Some(Cut::Cancelled),
        };
        let long = format!(r#"{{"status":true,"m":"{}"}}"#, "x".repeat(1 << 20));
        let reply = read(&stopped, answer(200, &long)).reply;
        assert_eq!((reply.status, reply.outcome), (Status::Cancelled, Outcome::Unknown));
    }

    #[test]
    fn one_byte_order_mark_is_no_part_of_the_body() {
        let marked = reply(200, "\u{feff}{\"status\":true}");
        assert_eq!((marked.outcome, marked.body.as_str()), (Outcome::Confirmed, r#"{"status":true}"#));
        let page = read_as(Safety::Moves, HttpAnswer { body: vec![0xff, 0xfe], ..answer(400, "") }).reply;
        assert_eq!(page.outcome, Outcome::Rejected, "a page, and 400 decides alone");
    }
}
