//! Turns an HTTP response into a reply: reads the body, extracts the facts, decides the verdict, and makes the message.
//!
//! One reader for all envelopes of the service. Numbers stay text, and unknown fields stay in the body.

use std::borrow::Cow;

use crate::answer::facts::refusal::{self, MAX_SEARCHED};
use crate::answer::facts::{self, Facts};
use crate::answer::redact::WITHHELD;
use crate::answer::reply::{Reading, Reply};
use crate::answer::texts;
use crate::answer::verdict::{self, AttemptResult, Verdict};
use crate::json::document::{Document, ScanError, Value};
use crate::json::{MAX_VALUES, Type};
use crate::request::names::{References, RequestFields};
use crate::util::expiry::CANCELLED;
use crate::util::memory;
use crate::util::panics::failpoint;
use crate::wire::answer::HttpAnswer;
use crate::wire::error::TransportError;
use paysvc_spec::schema::{Answer, Safety};
use paysvc_spec::status::{Outcome, Status};

/// The known facts about the request and the call when a response is read.
pub struct AnswerContext<'a> {
    pub safety: Safety,
    pub expected: &'a Answer,
    pub references: &'a References<'a>,
    pub fields: RequestFields<'a>,
    /// An earlier attempt of this call was answered with 429.
    pub after_429: bool,
    /// Masks the secrets in a text of the service and makes it one short line; `None` if the call ends before that.
    pub redact: &'a dyn Fn(&str) -> Option<String>,
    /// The reason why the call is over, as soon as it is.
    pub ended: &'a dyn Fn() -> Option<Status>,
}

pub struct Judgement {
    pub reply: Reply,
    /// The verdict without an earlier attempt.
    pub first_verdict: Verdict,
    /// More than one payment of the history was successful.
    pub paid_twice: bool,
}

/// A body as far as it could be read.
enum Body {
    Json(String, Document),
    /// Empty, a page, or anything else that is JSON neither by its beginning nor by its type; with its content type.
    Other(Vec<u8>, Option<String>),
    /// The reason follows "the body of the service's response ..." in the message.
    Unreadable(Status, String),
}

pub fn read(context: &AnswerContext<'_>, answer: HttpAnswer) -> Judgement {
    failpoint::at("answer");
    let HttpAnswer { http_status, retry_after_ms, .. } = answer;
    let may_be_truncated =
        answer.close_delimited || answer.body_error.as_ref().is_some_and(|error| error.status == Status::Transport);
    let mut body = read_body(context, answer);
    let stop = || (context.ended)().is_some();
    let found = match &body {
        Body::Json(text, document) => facts::read(document, text, context.expected, context.references, &stop)
            .and_then(|facts| with_texts(context, http_status, facts, document.root(text), &stop)),
        Body::Other(bytes, _) => Some(facts_of_text(context, http_status, bytes)),
        Body::Unreadable(..) => Some(Box::default()),
    };
    let facts = found.unwrap_or_else(|| {
        body = stopped(context);
        Box::default()
    });
    let payments_made = facts.history.successful;
    let unreadable = match &body {
        Body::Unreadable(status, _) => Some(*status),
        _ => None,
    };
    let result = AttemptResult::Answer { http_status, unreadable, may_be_truncated, facts: &facts };
    let (verdict, first_verdict) = verdicts(context.safety, &result, context.after_429);
    let mut notes: Vec<Cow<'_, str>> = verdict.explanation.map(Cow::Borrowed).into_iter().collect();
    if payments_made > 1 {
        notes.insert(0, format!("paid twice: {payments_made} payments in the history were successful").into());
    }
    let is_json = matches!(body, Body::Json(..));
    let mut reply = reply(context, http_status, body, &verdict, &notes);
    let facts = is_json.then_some(facts);
    reply.evidence.reading = Reading { sent: true, http_status, retry_after_ms, facts, ..Reading::default() };
    reply.evidence.verdict = verdict;
    Judgement { reply, first_verdict, paid_twice: payments_made > 1 }
}

/// For an attempt without a response. `sent`: a byte of the request was written; `status` and `reason` are the
/// transport's.
pub fn unanswered(safety: Safety, after_429: bool, sent: bool, status: Status, reason: &str) -> Judgement {
    let (verdict, first_verdict) = verdicts(safety, &AttemptResult::NoAnswer { sent, status }, after_429);
    let message = match verdict.explanation.or(verdict::advice(safety, verdict.outcome)) {
        Some(explanation) => format!("{explanation}; {reason}"),
        None => reason.to_owned(),
    };
    let mut reply = Reply::failed(verdict.status, verdict.outcome, message);
    (reply.evidence.reading.sent, reply.evidence.verdict) = (sent, verdict);
    Judgement { reply, first_verdict, paid_twice: false }
}

/// With and without what an earlier 429 changes.
fn verdicts(safety: Safety, result: &AttemptResult<'_>, after_429: bool) -> (Verdict, Verdict) {
    let verdict = verdict::decide(safety, result, after_429);
    (verdict, if after_429 { verdict::decide(safety, result, false) } else { verdict })
}

/// Reads the texts where the verdict depends on them: a success without a vote for failure is no refusal, so no text makes
/// it doubtful.
fn with_texts(
    context: &AnswerContext<'_>,
    http_status: u16,
    mut facts: Box<Facts>,
    root: Value<'_>,
    stop: &dyn Fn() -> bool,
) -> Option<Box<Facts>> {
    let may_be_refused = facts.signs.failure.any_case || !facts.signs.success.any_case && http_status / 100 == 4;
    if may_be_refused && context.safety != Safety::ReadOnly {
        refusal::read(&mut facts, root, context.fields, stop)?;
    }
    Some(facts)
}

/// A text that is no page is read as one of the service's; from pages, nothing is concluded.
fn facts_of_text(context: &AnswerContext<'_>, http_status: u16, bytes: &[u8]) -> Box<Facts> {
    let mut facts = Box::default();
    let is_page = bytes.trim_ascii_start().starts_with(b"<");
    if http_status / 100 == 4 && context.safety != Safety::ReadOnly && !is_page {
        refusal::read_text(&mut facts, &String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_SEARCHED + 1)]));
    }
    facts
}

/// Returns whether one of the content types is JSON: `application/json; charset=utf-8`, `application/problem+json`.
fn is_json_type(content_types: &str) -> bool {
    let is_json = |kind: &str| kind.split(';').next().is_some_and(|kind| kind.to_ascii_lowercase().contains("json"));
    content_types.split(',').any(is_json)
}

fn read_body(context: &AnswerContext<'_>, answer: HttpAnswer) -> Body {
    let HttpAnswer { content_type, body, encoded, close_delimited, body_error, .. } = answer;
    if let Some(cut) = body_error {
        return incomplete(cut);
    }
    let unreadable = |reason: &str| Body::Unreadable(Status::Response, reason.to_owned());
    if encoded {
        return unreadable("is encoded, although no encoding was requested");
    }
    let not_json = |bytes: Vec<u8>| match bytes {
        _ if close_delimited => {
            unreadable("ended when its connection closed and is not complete JSON, so it may have been cut off")
        }
        _ if content_type.as_deref().is_some_and(is_json_type) || begins_as_json(&bytes) => {
            unreadable("is not exactly one JSON document")
        }
        _ => Body::Other(bytes, content_type),
    };
    let text = match text_of(body) {
        Ok(text) => text,
        Err(bytes) => return not_json(bytes),
    };
    match Document::scan(&text, &|| (context.ended)().is_some()) {
        // A number's last digits may be missing.
        Ok(document) if close_delimited && document.root(&text).kind() == Type::Number => not_json(text.into_bytes()),
        Ok(document) => Body::Json(text, document),
        Err(ScanError::Syntax) => not_json(text.into_bytes()),
        Err(ScanError::NoMemory) => unreadable(memory::TOO_LARGE),
        Err(ScanError::Stopped) => stopped(context),
        Err(ScanError::TooMany) => unreadable(&format!("holds more than {MAX_VALUES} values")),
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

/// Returns whether the body begins like a JSON object or array, after blanks and byte order marks.
fn begins_as_json(mut bytes: &[u8]) -> bool {
    loop {
        bytes = bytes.trim_ascii_start();
        match bytes.strip_prefix("\u{feff}".as_bytes()) {
            Some(rest) => bytes = rest,
            None => return matches!(bytes.first(), Some(b'{' | b'[')),
        }
    }
}

/// The call has ended while the response was read.
fn stopped(context: &AnswerContext<'_>) -> Body {
    unread((context.ended)().unwrap_or(Status::Timeout))
}

fn unread(why: Status) -> Body {
    let reason = match why {
        Status::Cancelled => format!("was not read: {CANCELLED}"),
        _ => "was not read in time".to_owned(),
    };
    Body::Unreadable(why, reason)
}

fn incomplete(error: TransportError) -> Body {
    match error.status {
        Status::Timeout | Status::Cancelled => unread(error.status),
        Status::Response => Body::Unreadable(Status::Response, error.message),
        _ => Body::Unreadable(Status::Response, format!("was cut off: {}", error.message)),
    }
}

fn reply(
    context: &AnswerContext<'_>,
    http_status: u16,
    body: Body,
    verdict: &Verdict,
    notes: &[Cow<'_, str>],
) -> Reply {
    let advice = verdict::advice(context.safety, verdict.outcome);
    let notes: Vec<&str> = notes.iter().map(Cow::as_ref).chain(advice).collect();
    let with_notes = |text: String| match notes.is_empty() {
        true => text,
        false => format!("{}; {text}", notes.join("; ")),
    };
    match body {
        Body::Json(text, document) => {
            let root = document.root(&text);
            let redacted = |text: Cow<'_, str>| (context.redact)(&text).unwrap_or_else(|| WITHHELD.to_owned());
            let message = match texts::message(root).map(redacted) {
                Some(message) if notes.is_empty() && verdict.outcome != Outcome::Unknown => message,
                Some(message) => with_notes(format!("the service wrote: {message}")),
                None => with_notes(format!("the service answered HTTP {http_status}")),
            };
            let mut reply = Reply::without_body(verdict.status, verdict.outcome, message);
            reply.code = texts::code(root, context.expected.envelope)
                .and_then(|code| (context.redact)(&code))
                .unwrap_or_default();
            reply.body = text;
            reply.document = Some(document);
            reply
        }
        Body::Other(bytes, content_type) => {
            let length = bytes.len();
            let what = match (length, http_status) {
                (_, 300..=399) => "a redirect, which is never followed".to_owned(),
                (0, _) => "an empty body".to_owned(),
                _ => {
                    let kind = content_type.and_then(|kind| (context.redact)(&kind)).filter(|kind| !kind.is_empty());
                    format!("{length} bytes of {} that are not JSON", kind.as_deref().unwrap_or("an unnamed type"))
                }
            };
            let message = with_notes(format!("the service answered HTTP {http_status} with {what}"));
            Reply::failed(verdict.status, verdict.outcome, message)
        }
        Body::Unreadable(_, reason) => {
            let message = with_notes(format!("the body of the service's response (HTTP {http_status}) {reason}"));
            Reply::failed(verdict.status, verdict.outcome, message)
        }
    }
}

#[cfg(test)]
mod tests;
