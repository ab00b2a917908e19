//! Webhooks: reads an event, which is not signed, asks the service whether it is true, and returns the service's
//! answer.
//!
//! The reading and the comparing are pure; this file asks. `paysvc_spec::events` says what an event may contain.

mod amounts;
mod body;
mod compare;
mod event;
mod invalid;
mod members;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::value::RawValue;

use self::body::{Findings, Respond, key};
use self::compare::{Authenticity, Expected};
pub use self::event::Event;
use self::event::MAX_LENGTH;
use self::invalid::of_body;
use self::members::Values;
use super::Client;
use crate::answer::reply::{Reply, one_line};
use crate::call::Call;
use crate::call::log::Level;
use crate::json::document::Document;
use crate::json::{self, Members, Type};
use crate::request::{self, validate};
use crate::util::memory;
use crate::util::validation_error::ValidationError;
use paysvc_spec::events::{EXPECTED, Verification};
use paysvc_spec::operations::{self, operation};
use paysvc_spec::schema::Endpoint;
use paysvc_spec::status::{self, Outcome, Status};

const THIS: &operations::Operation = operation("webhook_verify");
const BODY: &str = "body";
const EXPECT: &str = "expect";
const ASK: &str = "ask";
/// An escape of one character takes at most six bytes.
const LONGEST_ESCAPE: usize = 6;

impl Client {
    /// Verifies an event: the service's answer to the question whether it is true.
    pub fn webhook_verify(&self, context: &Call<'_>, json: &str) -> Reply {
        let reply = verify(json, &|| context.bounds.is_over(), |row, member, about| {
            let about = request::text_value(about);
            self.look_up(context, row, vec![(Cow::Borrowed(member), &*about)], None)
        });
        let level = if reply.status == Status::Ok { Level::Info } else { Level::Warn };
        context.log(level, || format!("{}: {}", THIS.name, status::name_of(reply.status)));
        reply
    }
}

/// Reads the request and its event, asks about a row's member with a value, and compares. If there is nothing to ask, the
/// reply says why, and the event is not authentic.
pub fn verify(
    json: &str,
    stop: &dyn Fn() -> bool,
    ask: impl FnOnce(&'static Endpoint, &'static str, &str) -> Reply,
) -> Reply {
    let mut findings = Findings::default();
    let (event, expected, asks) = match read(json, &mut findings, stop) {
        Ok(read) => read,
        Err(error) => return with_findings(Reply::invalid(error), &findings),
    };
    let Some((verification, by)) = event.verification() else {
        let what = event.subject.map(|subject| format!("is about a {} and ", subject.name())).unwrap_or_default();
        let reason = format!("{what}has no reference that the service could be asked about");
        findings.respond = if event.subject.is_some() { Respond::Ok } else { Respond::BadRequest };
        return with_findings(Reply::invalid(of_body(reason)), &findings);
    };
    findings.about = Some(by.to_owned());
    if !asks {
        let reply = Reply::without_body(Status::Ok, Outcome::NotSent, "the event was read; the service was not asked");
        return with_findings(Reply { body: "{}".to_owned(), ..reply }, &findings);
    }
    let reply = ask(paysvc_spec::endpoint(verification.endpoint), verification.member, by);
    judged(reply, &event, verification, by, &expected, findings)
}

/// The event, what is expected of it, and whether the service is asked.
fn read(
    json: &str,
    findings: &mut Findings,
    stop: &dyn Fn() -> bool,
) -> Result<(Event, Expected, bool), ValidationError> {
    let members = validate::object(json, THIS.members, validate::Rules::CLOSED, THIS.name, Status::Argument)?;
    let expected = expected(&members)?;
    findings.matches = (!expected.is_empty()).then_some(false);
    let event = text(&members).and_then(|text| Event::read(&text, stop));
    if event.is_err() && !stop() {
        findings.respond = Respond::BadRequest;
    }
    let event = event?;
    findings.subject = event.subject;
    let asks = json::member(&members, ASK).is_none_or(|ask| ask.get() == "true");
    Ok((event, expected, asks))
}

/// The text of the event: as it was received, or of the object that the caller made of it.
fn text<'m>(members: &Members<'m>) -> Result<Cow<'m, str>, ValidationError> {
    let value: &'m RawValue = json::member(members, BODY).ok_or_else(|| of_body("is required"))?;
    let kind = Type::of(value);
    let longest = if kind == Type::Text { LONGEST_ESCAPE * MAX_LENGTH } else { MAX_LENGTH };
    if value.get().len() > longest {
        return Err(of_body(format!("is longer than {MAX_LENGTH} bytes")));
    }
    match kind {
        Type::Object => Ok(Cow::Borrowed(value.get())),
        Type::Text => json::text(value).ok_or_else(|| of_body("is not valid Unicode text")),
        other => Err(of_body(format!("must be the text of an event or an object, not {}", other.name()))),
    }
}

/// What the caller expects. An object without members would match every event, so it is refused.
fn expected(members: &Members<'_>) -> Result<Expected, ValidationError> {
    let Some(value) = json::member(members, EXPECT) else { return Ok(Vec::new()) };
    let fault = |reason: String| ValidationError::of_member(Status::Argument, THIS.name, EXPECT, reason);
    let given = json::members(value).map_err(|error| fault(error.to_string()))?;
    let text = |value| match Type::of(value) {
        Type::Number => Some(Cow::Borrowed(value.get())),
        _ => json::text(value),
    };
    let each = EXPECTED.iter().filter_map(|(name, meaning)| Some((*meaning, text(json::member(&given, name)?)?)));
    let expected: Expected = each.map(|(meaning, text)| (meaning, text.trim().to_owned())).collect();
    match expected.is_empty() {
        true => Err(fault("must have a member: without one every event would match".into())),
        false => Ok(expected),
    }
}

/// The look-up's reply with what its answer says about the event.
fn judged(
    mut reply: Reply,
    event: &Event,
    verification: &Verification,
    by: &str,
    expected: &Expected,
    mut findings: Findings,
) -> Reply {
    if reply.status != Status::Ok {
        let is_refused = reply.status == Status::Rejected && reply.outcome == Outcome::Rejected;
        match verification.answer {
            // The event may have overtaken what the service answers from.
            Some(_) if is_refused => reply = ahead(reply, &findings),
            // No later answer could confirm it, or it names something that nobody could ask about.
            None if is_refused => findings.respond = Respond::Ok,
            _ if reply.status == Status::Argument => findings.respond = Respond::Ok,
            _ => {}
        }
        return with_findings(reply, &findings);
    }
    findings.respond = Respond::Ok;
    let object = verification.answer.and_then(|at| reply.document.as_ref()?.root(&reply.body).find(at));
    let mut service = object.map(Values::of_answer).unwrap_or_default();
    if let Some(facts) = reply.facts.as_deref().filter(|_| verification.answer.is_some()) {
        service.add_facts(facts);
    }
    // The answer is to this question, whether it repeats it or not.
    service.set_if_absent(verification.by, by);
    let mut authenticity = Authenticity::Forged;
    if verification.answer.is_some() {
        let may_change = reply.facts.as_deref().is_some_and(|facts| facts.finality.may_change);
        let comparison = compare::with_service(&event.values, &service, reply.state, may_change);
        authenticity = comparison.authenticity();
        findings.differences = comparison.differences;
    }
    if findings.matches.is_some() {
        let matches = compare::with_expected(expected, &event.values, &service, &mut findings.differences);
        findings.matches = Some(matches);
    }
    match authenticity {
        Authenticity::Ahead => {
            findings.respond = Respond::Unavailable;
            reply = ahead(reply, &findings);
        }
        Authenticity::Forged => reply.message = note("the event is not authentic", &findings, &reply.message),
        Authenticity::Authentic => {
            let about = service.get(verification.by).unwrap_or(by);
            findings.key = Some(key(verification.subject, verification.endpoint, reply.state, about));
            if findings.matches == Some(false) {
                reply.message = note("the payment is not the expected one", &findings, &reply.message);
            }
        }
    }
    with_findings(reply, &findings)
}

/// The reply about an event that the service does not confirm yet. The look-up's state and body stay.
fn ahead(reply: Reply, findings: &Findings) -> Reply {
    let message = note("the service does not confirm the event yet: verify it again later", findings, &reply.message);
    Reply { status: Status::Unresolved, outcome: Outcome::Unknown, message, ..reply }
}

/// A message that names what differs; the values are in the body.
fn note(what: &str, findings: &Findings, message: &str) -> String {
    let names = findings.names();
    let names = if names.is_empty() { "the answer confirms nothing" } else { &names };
    one_line(format!("{what} ({names}); the service wrote: {message}"))
}

/// The reply with the findings in front of its body. If its body cannot hold them, nothing is known about the event.
fn with_findings(reply: Reply, findings: &Findings) -> Reply {
    let made = match &reply.document {
        Some(document) => findings.before(&reply.body, document, reply.retry_after_ms),
        None => match Document::scan(&reply.body, &|| false) {
            Ok(document) => findings.before(&reply.body, &document, reply.retry_after_ms),
            Err(_) => Err(format!("the answer {}", memory::TOO_LARGE)),
        },
    };
    let unusable = match made {
        Ok(body) => return Reply { body, document: None, ..reply },
        Err(unusable) => unusable,
    };
    let failed = Reply::failed(Status::Response, Outcome::Unknown, unusable);
    let Reply { http_status, retry_after_ms, request_id, .. } = reply;
    let failed = Reply { http_status, retry_after_ms, request_id, ..failed };
    let (matches, about) = (findings.matches.map(|_| false), findings.about.clone());
    let nothing = Findings { matches, subject: findings.subject, about, ..Findings::default() };
    let document = Document::scan(&failed.body, &|| false).ok();
    match document.and_then(|document| nothing.before(&failed.body, &document, retry_after_ms).ok()) {
        Some(body) => Reply { body, ..failed },
        None => failed,
    }
}
