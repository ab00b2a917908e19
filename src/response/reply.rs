//! All that came back from a call, or what the library has to say instead. Pure.

use std::collections::HashSet;

use crate::response::document::Document;
use crate::util::json;
pub use crate::util::one_line::one_line;
use crate::util::validation_error::ValidationError;
use paysvc_spec::status::{Outcome, State, Status};

pub struct Reply {
    pub status: Status,
    pub outcome: Outcome,
    pub state: State,
    /// 0: no HTTP answer.
    pub http_status: u16,
    /// Always one JSON document: the service's own bytes, or a failure envelope of its form.
    pub body: String,
    pub code: String,
    /// One line for a person.
    pub message: String,
    /// `None`: not said.
    pub retry_after_ms: Option<u64>,
    /// Requests put on the wire.
    pub attempts: u32,
    /// Where the values of the body stand, if it was read already.
    pub document: Option<Document>,
}

impl Reply {
    /// Nothing came back: the body is a failure envelope with this message.
    pub fn failed(status: Status, outcome: Outcome, message: impl Into<String>) -> Reply {
        let mut reply = Reply::without_body(status, outcome, message);
        reply.body = failure_envelope(&reply.message, &[]);
        reply
    }

    /// The body is still to be put in.
    pub fn without_body(status: Status, outcome: Outcome, message: impl Into<String>) -> Reply {
        Reply {
            status,
            outcome,
            state: State::NONE,
            http_status: 0,
            body: String::new(),
            code: String::new(),
            message: one_line(message.into()),
            retry_after_ms: None,
            attempts: 0,
            document: None,
        }
    }

    /// The library refused before anything was sent.
    pub fn refused(refusal: ValidationError) -> Reply {
        let mut reply = Reply::without_body(refusal.status, Outcome::NotSent, refusal.message);
        reply.body = failure_envelope(&reply.message, &refusal.errors);
        reply
    }

    /// Done without the network.
    pub fn local(body: String) -> Reply {
        Reply { body, ..Reply::without_body(Status::Ok, Outcome::NotSent, "done, nothing was sent") }
    }
}

/// The service's own form of a failure: `status` false, `message`, `errors` by member.
pub fn failure_envelope(message: &str, errors: &[(String, String)]) -> String {
    let mut out = br#"{"status":false,"message":"#.to_vec();
    json::quote(message, &mut out);
    out.extend_from_slice(br#","errors":{"#);
    let mut named = HashSet::new();
    for (member, text) in errors {
        // A member can be wrong in two ways; the envelope names it once.
        if !named.insert(member) {
            continue;
        }
        if named.len() > 1 {
            out.push(b',');
        }
        json::quote(member, &mut out);
        out.push(b':');
        json::quote(text, &mut out);
    }
    out.extend_from_slice(b"}}");
    String::from_utf8(out).expect("JSON made of text is UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_have_the_form_of_the_service() {
        let errors = vec![
            ("a\"b".to_owned(), "is required".to_owned()),
            ("a\"b".to_owned(), "twice".to_owned()),
            ("c".into(), "x".into()),
        ];
        let reply = Reply::refused(ValidationError::of_members(Status::Argument, "order_pay", errors));
        assert_eq!(
            reply.body,
            r#"{"status":false,"message":"order_pay: a\"b is required (and 2 more, see errors)","errors":{"a\"b":"is required","c":"x"}}"#
        );
        assert_eq!((reply.outcome, reply.attempts, reply.http_status), (Outcome::NotSent, 0, 0));
    }
}
