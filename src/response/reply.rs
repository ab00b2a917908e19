//! The result of a call: the service's answer, or the library's own failure.

use std::collections::HashSet;

use crate::json::document::Document;
use crate::json::object::{object, object_text};
use crate::response::facts::Facts;
pub use crate::util::one_line::one_line;
use crate::util::validation_error::ValidationError;
use paysvc_spec::status::{Outcome, State, Status};

pub struct Reply {
    pub status: Status,
    pub outcome: Outcome,
    pub state: State,
    /// 0: no HTTP answer.
    pub http_status: u16,
    /// Always one JSON document: the service's own bytes, or a failure envelope in its form.
    pub body: String,
    pub code: String,
    /// One line for people.
    pub message: String,
    /// The end of an earlier call with the same key: nothing was sent.
    pub replayed: bool,
    /// `None`: unknown.
    pub retry_after_ms: Option<u64>,
    /// The number that the service gave to the last request, or "".
    pub request_id: String,
    /// The positions of the body's values, if it has been scanned.
    pub document: Option<Document>,
    /// What the service's answer says, if it could be read.
    pub facts: Option<Box<Facts>>,
}

impl Reply {
    /// A failure without an answer: the body is a failure envelope with this message.
    pub fn failed(status: Status, outcome: Outcome, message: impl Into<String>) -> Reply {
        let mut reply = Reply::without_body(status, outcome, message);
        reply.body = failure_envelope(&reply.message, &[]);
        reply
    }

    /// The caller sets the body.
    pub fn without_body(status: Status, outcome: Outcome, message: impl Into<String>) -> Reply {
        Reply {
            status,
            outcome,
            state: State::NONE,
            http_status: 0,
            body: String::new(),
            code: String::new(),
            message: one_line(message.into()),
            replayed: false,
            retry_after_ms: None,
            request_id: String::new(),
            document: None,
            facts: None,
        }
    }

    /// The request or the configuration is invalid; nothing was sent.
    pub fn invalid(error: ValidationError) -> Reply {
        let mut reply = Reply::without_body(error.status, Outcome::NotSent, error.message);
        reply.body = failure_envelope(&reply.message, &error.errors);
        reply
    }

    /// For a call about an earlier request: if nothing was sent now, that proves nothing about that request.
    pub fn about_earlier(self) -> Reply {
        match self.outcome {
            Outcome::NotSent => Reply { outcome: Outcome::Unknown, ..self },
            _ => self,
        }
    }

    /// The result of something done without the network.
    pub fn local(body: String) -> Reply {
        Reply { body, ..Reply::without_body(Status::Ok, Outcome::NotSent, "done, nothing was sent") }
    }
}

/// A failure in the service's form: `status` false, `message`, `errors` by member.
pub fn failure_envelope(message: &str, errors: &[(String, String)]) -> String {
    object_text(|envelope| {
        envelope.literal("status", false);
        envelope.text("message", message);
        envelope.raw("errors", |out| {
            object(out, |listed| {
                let mut named = HashSet::new();
                // A member may have two errors; the envelope has room for one.
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
    fn validation_errors_have_the_form_of_the_service() {
        let errors = vec![
            ("a\"b".to_owned(), "is required".to_owned()),
            ("a\"b".to_owned(), "twice".to_owned()),
            ("c".into(), "x".into()),
        ];
        let reply = Reply::invalid(ValidationError::of_members(Status::Argument, "order_pay", errors));
        assert_eq!(
            reply.body,
            r#"{"status":false,"message":"order_pay: a\"b is required (and 2 more, see errors)","errors":{"a\"b":"is required","c":"x"}}"#
        );
        assert_eq!((reply.outcome, reply.http_status), (Outcome::NotSent, 0));
    }
}
