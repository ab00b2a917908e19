//! The result of a call: the service's response, or the library's own failure.

use std::collections::HashSet;
use std::ffi::CStr;

use crate::answer::facts::Facts;
use crate::answer::paid::{self, Order};
use crate::answer::verdict::Verdict;
use crate::json::Type;
use crate::json::document::Document;
use crate::json::object::{object, object_text};
use crate::util::memory;
pub use crate::util::text::one_line;
use crate::util::validation_error::ValidationError;
use paysvc_spec::operations::Operation;
use paysvc_spec::schema::{Doubt, Endpoint};
use paysvc_spec::status::{Outcome, State, Status};

/// The findings of an exchange, from the reader of the response.
#[derive(Default)]
pub struct Reading {
    /// A byte of the request was written.
    pub sent: bool,
    /// 0: no HTTP response.
    pub http_status: u16,
    /// `None`: not named.
    pub retry_after_ms: Option<u64>,
    /// The number that the service gave to the request, or "".
    pub request_id: String,
    /// The facts of the response, if it could be read.
    pub facts: Option<Box<Facts>>,
    /// The row whose response the body is, perhaps with fields of the library's own.
    pub row: Option<&'static Endpoint>,
}

/// Fields of the library's own in a body: those of an operation.
#[derive(Clone, Copy)]
pub struct OwnMembers {
    pub of: &'static Operation,
    /// They stand in front of a response; otherwise the body has nothing else.
    pub in_front: bool,
}

pub struct Evidence {
    pub reading: Reading,
    pub verdict: Verdict,
}

impl Evidence {
    /// Returns whether a response in words reports what was asked about as active.
    pub fn is_active(&self) -> bool {
        let says_active = self.reading.facts.as_ref().is_some_and(|facts| facts.says_active);
        self.verdict.outcome == Outcome::Confirmed && says_active
    }

    pub fn why_not_paid(&self, ordered: &Order<'_>) -> Option<&'static CStr> {
        paid::why_not(self.verdict.outcome, self.verdict.state, self.reading.facts.as_deref(), ordered)
    }
}

pub struct Reply {
    /// The evidence of the last request.
    pub evidence: Evidence,
    /// Always one JSON document: the service's own bytes, or a failure envelope in its form.
    pub body: String,
    pub code: String,
    /// One line for people.
    pub message: String,
    /// The end of an earlier call with the same key: nothing was sent.
    pub replayed: bool,
    /// The positions of the body's values, if it has been scanned.
    pub document: Option<Document>,
    /// The fields of the library's own that the body has: those of a report, or in front of a response.
    pub own: Option<OwnMembers>,
    /// The request of `resolve` for this request, if something about it is left open.
    pub look_up: Option<String>,
}

impl Reply {
    pub fn status(&self) -> Status {
        self.evidence.verdict.status
    }

    pub fn outcome(&self) -> Outcome {
        self.evidence.verdict.outcome
    }

    pub fn state(&self) -> State {
        self.evidence.verdict.state
    }

    pub fn http_status(&self) -> u16 {
        self.evidence.reading.http_status
    }

    pub fn facts(&self) -> Option<&Facts> {
        self.evidence.reading.facts.as_deref()
    }

    /// A failure without a response: the body is a failure envelope with this message.
    pub fn failed(status: Status, outcome: Outcome, message: impl Into<String>) -> Reply {
        let mut reply = Reply::without_body(status, outcome, message);
        reply.body = failure_envelope(&reply.message, &[]);
        reply
    }

    /// A failure that a table found without a response.
    pub fn of_verdict(verdict: Verdict) -> Reply {
        let mut reply = Reply::failed(verdict.status, verdict.outcome, verdict.explanation.unwrap_or_default());
        reply.evidence.verdict = verdict;
        reply
    }

    /// The caller sets the body.
    pub fn without_body(status: Status, outcome: Outcome, message: impl Into<String>) -> Reply {
        let evidence = Evidence { reading: Reading::default(), verdict: Verdict::of_library(status, outcome) };
        Reply::about(evidence, message)
    }

    /// The caller sets the body.
    pub fn about(evidence: Evidence, message: impl Into<String>) -> Reply {
        let (message, replayed) = (one_line(message.into()), false);
        let (body, code) = (String::new(), String::new());
        Reply { evidence, body, code, message, replayed, document: None, own: None, look_up: None }
    }

    /// The request or the configuration is invalid; nothing was sent.
    pub fn invalid(error: ValidationError) -> Reply {
        let mut reply = Reply::without_body(error.status, Outcome::NotSent, error.message);
        reply.body = failure_envelope(&reply.message, &error.errors);
        reply
    }

    /// The call failed, or the state that the service named can change.
    pub fn leaves_open(&self) -> bool {
        self.status() != Status::Ok || self.state().may_change()
    }

    /// Begins the message of an UNKNOWN with what it means for the person who reads it, once.
    pub fn in_doubt(self, doubt: Doubt) -> Reply {
        if self.outcome() != Outcome::Unknown || self.status() == Status::Ok {
            return self;
        }
        let message = in_doubt(doubt, &self.message);
        if message == self.message { self } else { self.with_message(message) }
    }

    /// For a call about an earlier request: this call sent nothing, and the earlier request may still have been executed.
    pub fn about_earlier(mut self) -> Reply {
        if self.outcome() == Outcome::NotSent {
            self.evidence.verdict.outcome = Outcome::Unknown;
        }
        self
    }

    /// Another message, also in the body if that is an envelope of the library's own.
    pub fn with_message(mut self, message: String) -> Reply {
        let message = one_line(message);
        let (old, new) = (envelope_start(&self.message), envelope_start(&message));
        // The service's own answer stays as it is.
        if let Some(rest) = self.body.strip_prefix(&old).filter(|_| self.document.is_none()) {
            self.body = new + rest;
        }
        Reply { message, ..self }
    }

    /// The same, with a field of the library's own at the end of its body. If that is a response which cannot hold the
    /// field, because it is no object or has one of that name, the body is a failure envelope.
    pub fn with_field(self, name: &str, value: impl FnOnce(&mut Vec<u8>)) -> Reply {
        let field = object_text(|field| field.raw(name, value));
        let whole = |body: &str, is_empty: bool| {
            let start = body.trim_end().strip_suffix('}')?;
            let mut whole = memory::buffer(body.len() + field.len() + 1)?;
            whole.extend_from_slice(start.as_bytes());
            whole.extend_from_slice(if is_empty { b"" } else { b"," });
            whole.extend_from_slice(&field.as_bytes()[1..]);
            String::from_utf8(whole).ok()
        };
        let answer = self.document.as_ref().and_then(|document| {
            let root = document.root(&self.body);
            let fits = root.kind() == Type::Object && root.member(name).is_none();
            fits.then(|| whole(&self.body, root.children().next().is_none())).flatten()
        });
        // One that the library made is scanned when a program asks for its values.
        let document = answer.as_deref().and_then(|body| Document::scan_own(body).ok());
        let own = || match self.document {
            None => whole(&self.body, self.body == "{}"),
            Some(_) => whole(&failure_envelope(&self.message, &[]), false),
        };
        let body = answer.or_else(own);
        match body {
            Some(body) => Reply { body, document, ..self },
            None => self,
        }
    }

    /// The result of something done without the network.
    pub fn local(body: String) -> Reply {
        Reply { body, ..Reply::without_body(Status::Ok, Outcome::NotSent, "done, nothing was sent") }
    }
}

/// A message about an UNKNOWN, beginning with what that means.
pub fn in_doubt(doubt: Doubt, message: &str) -> String {
    match doubt.words() {
        Some(words) if !message.starts_with(words) => one_line(format!("{words}: {message}")),
        _ => message.to_owned(),
    }
}

/// Returns the beginning of an envelope of the library's own failures.
fn envelope_start(message: &str) -> String {
    let mut start = object_text(|envelope| {
        envelope.literal("status", false);
        envelope.text("message", message);
    });
    start.pop();
    start
}

/// A failure in the service's form: `status` false, `message`, `errors` by field.
pub fn failure_envelope(message: &str, errors: &[(String, String)]) -> String {
    object_text(|envelope| {
        envelope.literal("status", false);
        envelope.text("message", message);
        envelope.raw("errors", |out| {
            object(out, |listed| {
                let mut named = HashSet::new();
                // A field may have two errors; the envelope has room for one.
                for (member, text) in errors.iter().filter(|(member, _)| named.insert(member)) {
                    listed.text(member, text);
                }
            });
        });
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_begins_once_with_what_it_means() {
        let said = |reply: Reply| {
            let reply = reply.in_doubt(Doubt::Refund).in_doubt(Doubt::Refund);
            (reply.message, reply.body)
        };
        let failed = |status, outcome| Reply::failed(status, outcome, "no response");
        let message = "the refund may have been made; do not repeat it: no response";
        assert_eq!(
            said(failed(Status::Timeout, Outcome::Unknown)),
            (message.into(), format!(r#"{{"status":false,"message":"{message}","errors":{{}}}}"#))
        );
        for outcome in [Outcome::NotSent, Outcome::Rejected, Outcome::Confirmed] {
            assert_eq!(said(failed(Status::Timeout, outcome)).0, "no response");
        }
        assert_eq!(said(failed(Status::Ok, Outcome::Unknown)).0, "no response");
        assert_eq!(failed(Status::Timeout, Outcome::Unknown).in_doubt(Doubt::None).message, "no response");
        let errors = vec![("a".to_owned(), "is wrong".to_owned())];
        let earlier = Reply::invalid(ValidationError::of_members(Status::Argument, "resolve", errors)).about_earlier();
        assert!(said(earlier).1.contains(r#"it: resolve: a is wrong","errors":{"a":"is wrong"}}"#));
        let of_service = r#"{"status":false,"message":"no response","errors":{}}"#;
        let document = Document::scan(of_service, &|| false).ok();
        assert!(document.is_some());
        let answer = Reply { document, body: of_service.into(), ..failed(Status::Server, Outcome::Unknown) };
        assert_eq!(said(answer), (message.into(), of_service.into()));
    }

    #[test]
    fn a_field_of_the_library_stands_at_the_end_of_a_body_that_can_hold_it() {
        let with = |body: &str, is_answer: bool| {
            let document = is_answer.then(|| Document::scan(body, &|| false).ok()).flatten();
            assert_eq!(document.is_some(), is_answer);
            let reply =
                Reply { document, body: body.into(), ..Reply::without_body(Status::Server, Outcome::Unknown, "m") };
            reply.with_field("journal", |out| out.extend_from_slice(b"1")).with_message("n".into())
        };
        for (answer, body) in [
            (r#" {"a":[1]} "#, r#" {"a":[1],"journal":1}"#),
            ("{ }", r#"{ "journal":1}"#),
            ("[1]", r#"{"status":false,"message":"n","errors":{},"journal":1}"#),
            (r#"{"journal":null}"#, r#"{"status":false,"message":"n","errors":{},"journal":1}"#),
        ] {
            let reply = with(answer, true);
            assert_eq!((&*reply.body, &*reply.message), (body, "n"));
            assert!(Document::scan_own(body).is_ok_and(|read| read.root(body).find("/journal").is_some()));
            assert!(reply.document.is_none_or(|read| read.root(body).find("/journal").is_some()), "{answer}");
        }
        assert_eq!(
            with(&failure_envelope("m", &[]), false).body,
            r#"{"status":false,"message":"n","errors":{},"journal":1}"#
        );
    }

    #[test]
    fn validation_errors_have_the_form_of_the_service() {
        let errors = vec![
            ("a\"b".to_owned(), "is required".to_owned()),
            ("a\"b".to_owned(), "twice".to_owned()),
            ("c".into(), "x".into()),
        ];
        let reply = Reply::invalid(ValidationError::of_members(Status::Argument, "order_pay", errors));
        assert_eq!(
            reply.body,
            r#"{"status":false,"message":"order_pay: a\"b is required (and a\"b, c, see errors)","errors":{"a\"b":"is required","c":"x"}}"#
        );
        assert_eq!((reply.outcome(), reply.http_status()), (Outcome::NotSent, 0));
    }
}
