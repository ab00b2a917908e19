//! Webhooks: reads an event, which is not signed, asks the service whether it is true, and returns the service's response
//! with the findings in front of it.
//!
//! The same reader, [`crate::answer::facts`], reads event and response, and [`compare`] compares their facts.
//! `paysvc_spec::events` lists what an event may contain.

mod compare;
mod limits;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use self::compare::{Authenticity, Difference, Expected, Statements};
pub use self::limits::Rates;
use self::limits::{Digest, Limits};
use super::Client;
use crate::answer::facts::Facts;
use crate::answer::facts::event::{self, EventFacts};
use crate::answer::reply::{OwnMembers, Reading, Reply, one_line};
use crate::call::log::Level;
use crate::call::{Call, CallRecord};
use crate::json::document::{Document, ScanError};
use crate::json::object::{Object, list, object};
use crate::json::{Fields, Given, Type};
use crate::request::amount::digits;
use crate::request::{self, validate};
use crate::util::memory;
use crate::util::process::{PerProcess, critical_section};
use crate::util::text::hex;
use crate::util::validation_error::ValidationError;
use aws_lc_rs::digest;
use paysvc_spec::events::{
    ADDED, EXPECTED, MAX_LENGTH, RETRY_AFTER_SECONDS, Subject, VERIFICATIONS, Verification, WRAPPER,
};
use paysvc_spec::operations::{self, operation};
use paysvc_spec::schema::{Endpoint, Role};
use paysvc_spec::status::{self, Outcome, State, Status};

const THIS: &operations::Operation = operation("webhook_verify");
const OWN: Option<OwnMembers> = Some(OwnMembers { of: THIS, in_front: true });
const BODY: &str = "body";
const EXPECT: &str = "expect";
const ASK: &str = "ask";
/// Most values of an event.
const MAX_VALUES: usize = 10_000;
/// An escape of one character takes at most six bytes.
const LONGEST_ESCAPE: usize = 6;

impl Client {
    /// Verifies an event: the service's response to the question whether it is true.
    pub fn webhook_verify(&self, context: &Call<'_>, json: &str) -> Reply {
        let reply = verify(json, &|| context.bounds.is_over(), &self.gate, |row, member, about| {
            let _admission = match self.gate.enter(about, context.record) {
                Ok(admission) => admission,
                Err(wait) => return refused(wait),
            };
            let about = request::text_value(about);
            let document = Document::scan_own(&about).expect("a quoted text is JSON");
            self.look_up(context, row, Fields::Named(&[(member, document.root(&about))]), None)
        });
        let level = if reply.status() == Status::Ok { Level::Info } else { Level::Warn };
        context.log(level, || format!("{}: {}", THIS.name, status::name_of(reply.status())));
        reply
    }
}

/// The limits of a client's verifications. A forked child has its own: a thread that it does not have may hold the lock.
pub struct Gate {
    rates: Rates,
    limits: PerProcess<Mutex<Limits>>,
}

impl Gate {
    pub fn new(rates: Rates) -> Gate {
        Gate { rates, limits: PerProcess::new() }
    }

    fn limits(&self) -> MutexGuard<'_, Limits> {
        self.limits.current().1.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `Err`: how long to wait.
    fn enter<'g>(&'g self, about: &'g str, record: &'g CallRecord) -> Result<Admission<'g>, Duration> {
        self.limits().enter(self.rates, about, Instant::now())?;
        Ok(Admission { gate: self, about, record })
    }
}

/// A verification that may send requests. It leaves also if it panics.
struct Admission<'g> {
    gate: &'g Gate,
    about: &'g str,
    record: &'g CallRecord,
}

impl Drop for Admission<'_> {
    fn drop(&mut self) {
        let now = Instant::now();
        self.gate.limits().leave(self.gate.rates, self.about, self.record.sent(), now);
    }
}

fn refused(wait: Duration) -> Reply {
    let message = "too many events: the client's limits of webhooks leave no request for this one";
    let mut reply = Reply::failed(Status::RateLimited, Outcome::NotSent, message);
    reply.evidence.reading.retry_after_ms = u64::try_from(wait.as_nanos().div_ceil(1_000_000)).ok();
    reply
}

/// Reads the request and its event, asks about a row's field with a value, and compares. If there is nothing to ask, the
/// reply gives the reason, and the event is not authentic.
pub fn verify(
    json: &str,
    stop: &dyn Fn() -> bool,
    gate: &Gate,
    ask: impl FnOnce(&'static Endpoint, &'static str, &str) -> Reply,
) -> Reply {
    let mut findings = Findings::default();
    let (event, expected, asks, digest) = match read(json, &mut findings, stop) {
        Ok(read) => read,
        Err(error) => return with_findings(Reply::invalid(error), &findings),
    };
    let Some((verification, by)) = event.verification() else {
        let what = event.subject().map(|subject| format!("is about a {} and ", subject.name())).unwrap_or_default();
        let reason = format!("{what}has no reference that the service could be asked about");
        findings.respond = if event.subject().is_some() { Respond::Ok } else { Respond::BadRequest };
        return with_findings(Reply::invalid(of_body(reason)), &findings);
    };
    findings.about = Some(by.to_owned());
    if !asks {
        return with_findings(unasked("the event was read; the service was not asked"), &findings);
    }
    if gate.limits().is_forged(&digest, Instant::now()) {
        findings.respond = Respond::Ok;
        let message = "the event is not authentic: the service's response said so less than a minute ago";
        return with_findings(unasked(message), &findings);
    }
    let reply = ask(paysvc_spec::endpoint(verification.endpoint), verification.member, by);
    let reply = judged(reply, &event, verification, by, &expected, &mut findings);
    let reply = with_findings(reply, &findings);
    // Only a response that contradicts the event: a response about a payout is news each time.
    if verification.confirms && reply.status() == Status::Ok && findings.key.is_none() {
        gate.limits().found_forged(digest, Instant::now());
    }
    reply
}

fn unasked(message: &str) -> Reply {
    Reply { message: message.to_owned(), ..Reply::local("{}".to_owned()) }
}

/// Errors name the field, or the whole body, and repeat no part of it.
fn of_body(reason: impl Into<String>) -> ValidationError {
    ValidationError::of_member(Status::Argument, THIS.name, BODY, reason)
}

fn of_member(member: &str, reason: &str) -> ValidationError {
    ValidationError::of_member(Status::Argument, THIS.name, &format!("{BODY}.{member}"), reason)
}

/// Reads the body of a webhook, which anybody may have sent: bounded, in every form that the service uses.
fn read_event(text: &str, stop: &dyn Fn() -> bool) -> Result<EventFacts, ValidationError> {
    if text.len() > MAX_LENGTH {
        return Err(of_body(format!("is {} bytes; an event has at most {MAX_LENGTH}", text.len())));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document = Document::scan(text, stop).map_err(|error| match error {
        ScanError::Syntax => of_body("is not JSON"),
        ScanError::TooMany => of_body("holds too many values"),
        ScanError::NoMemory => of_body(memory::TOO_LARGE),
        ScanError::Stopped => of_body("was not read in time"),
    })?;
    if document.len() > MAX_VALUES {
        return Err(of_body(format!("holds {} values; an event has at most {MAX_VALUES}", document.len())));
    }
    if document.has_duplicate_names() {
        return Err(of_body("gives a field twice"));
    }
    let root = document.root(text);
    if root.kind() != Type::Object {
        return Err(of_body(format!("must be an object, not {}", root.kind().name())));
    }
    let is_wrapper = |name: &str| name.eq_ignore_ascii_case(WRAPPER);
    let mut wrappers = root.children().filter(|member| member.name().is_some_and(|name| is_wrapper(&name)));
    let wrapped = wrappers.next();
    if wrappers.next().is_some() {
        return Err(of_member(WRAPPER, "is given twice, in different cases"));
    }
    let wrapped = wrapped.filter(|wrapped| !wrapped.is_empty());
    if let Some(other) = wrapped.filter(|wrapped| wrapped.kind() != Type::Object) {
        return Err(of_member(WRAPPER, &format!("must be an object, not {}", other.kind().name())));
    }
    let objects: Vec<_> = std::iter::once(root).chain(wrapped).collect();
    event::read(&objects).map_err(|(member, reason)| of_member(member, reason))
}

impl EventFacts {
    /// The first subject that fits; `None`: it names nothing that could be verified.
    fn subject(&self) -> Option<Subject> {
        let fits = |known: &&Verification| known.names.iter().any(|role| self.roles.contains(role));
        VERIFICATIONS.iter().find(fits).map(|known| known.subject)
    }

    /// Returns its verification, and the reference to ask about. `None`: the service cannot be asked.
    fn verification(&self) -> Option<(&'static Verification, &str)> {
        let of_subject = VERIFICATIONS.iter().find(|known| Some(known.subject) == self.subject())?;
        let text = &self.facts.reference(of_subject.by).text;
        text.clear().map(|text| (of_subject, &**text))
    }
}

/// Returns the event, the caller's expectation, whether the service is asked, and the digest of the event's text.
fn read(
    json: &str,
    findings: &mut Findings,
    stop: &dyn Fn() -> bool,
) -> Result<(EventFacts, Expected, bool, Digest), ValidationError> {
    let given = Given::read(json);
    let no_object = |error| ValidationError::new(Status::Argument, format!("{} {error}", THIS.name));
    // The content of the body is not checked here: somebody else has written it.
    let given = given.fields().map_err(no_object)?;
    let given = validate::fields(given, THIS.members, validate::Rules::CLOSED, THIS.name, Status::Argument)?;
    let expected = expected(given)?;
    findings.matches = (!expected.is_empty()).then_some(false);
    let event = text(given).and_then(|text| Ok((read_event(&text, stop)?, sha256(&text))));
    if event.is_err() && !stop() {
        findings.respond = Respond::BadRequest;
    }
    let (event, digest) = event?;
    findings.subject = event.subject();
    let asks = given.flag(ASK).unwrap_or(true);
    Ok((event, expected, asks, digest))
}

/// The text of the event: as it was received, or of the object that the caller made of it.
fn text(given: Fields<'_>) -> Result<Cow<'_, str>, ValidationError> {
    let value = given.get(BODY).ok_or_else(|| of_body("is required"))?;
    let kind = value.kind();
    let longest = if kind == Type::Text { LONGEST_ESCAPE * MAX_LENGTH } else { MAX_LENGTH };
    if value.raw().len() > longest {
        return Err(of_body(format!("is longer than {MAX_LENGTH} bytes")));
    }
    match kind {
        Type::Object => Ok(Cow::Borrowed(value.raw())),
        Type::Text => value.text().ok_or_else(|| of_body("is not valid Unicode text")),
        other => Err(of_body(format!("must be the text of an event or an object, not {}", other.name()))),
    }
}

/// Reads the caller's expectation. An object without fields would match every event, so it is refused.
fn expected(given: Fields<'_>) -> Result<Expected, ValidationError> {
    let Some(value) = given.get(EXPECT) else { return Ok(Vec::new()) };
    let each = EXPECTED.iter().filter_map(|name| Some((*name, digits(value.member(name)?)?)));
    let expected: Expected = each.map(|(name, text)| (name, text.trim().to_owned())).collect();
    if expected.is_empty() {
        let reason = "must have a field: without one every event would match";
        return Err(ValidationError::of_member(Status::Argument, THIS.name, EXPECT, reason));
    }
    Ok(expected)
}

/// Records the findings of the status query's response about the event, and returns the reply.
fn judged(
    mut reply: Reply,
    event: &EventFacts,
    verification: &Verification,
    by: &str,
    expected: &Expected,
    findings: &mut Findings,
) -> Reply {
    if reply.status() != Status::Ok {
        let is_refused = reply.status() == Status::Rejected && reply.outcome() == Outcome::Rejected;
        match verification.confirms {
            // The event may have overtaken what the service answers from.
            true if is_refused => reply = ahead(reply, findings),
            // No later response could confirm it, or it names something that nobody could ask about.
            false if is_refused => findings.respond = Respond::Ok,
            _ if reply.status() == Status::Argument => findings.respond = Respond::Ok,
            _ => {}
        }
        return reply;
    }
    findings.respond = Respond::Ok;
    let nothing = Facts::default();
    let facts = reply.facts().filter(|_| verification.confirms).unwrap_or(&nothing);
    let service = Statements::of_answer(facts, verification.by, by);
    let mut authenticity = Authenticity::Forged;
    if verification.confirms {
        (findings.differences, authenticity) = compare::with_service(event, &service, reply.state());
    }
    if findings.matches.is_some() {
        let matches = compare::with_expected(expected, event, &service, &mut findings.differences);
        findings.matches = Some(matches);
    }
    let about = service.text(Role::Reference(verification.by)).clear().map_or(by.to_owned(), |about| about.0.clone());
    match authenticity {
        Authenticity::Ahead => {
            findings.respond = Respond::Unavailable;
            reply = ahead(reply, findings);
        }
        Authenticity::Forged => reply.message = note("the event is not authentic", findings, &reply.message),
        Authenticity::Authentic => {
            findings.key = Some(key(verification.subject, verification.endpoint, reply.state(), &about));
            if findings.matches == Some(false) {
                reply.message = note("the payment is not the expected one", findings, &reply.message);
            }
        }
    }
    reply
}

/// The reply about an event that the service does not confirm yet. The status query's state and body stay.
fn ahead(reply: Reply, findings: &Findings) -> Reply {
    let message = note("the service does not confirm the event yet: verify it again later", findings, &reply.message);
    let mut reply = Reply { message, ..reply };
    let verdict = &mut reply.evidence.verdict;
    (verdict.status, verdict.outcome) = (Status::Unresolved, Outcome::Unknown);
    reply
}

/// Returns a message that names the differences; the values are in the body.
fn note(what: &str, findings: &Findings, message: &str) -> String {
    let names = findings.names();
    let names = if names.is_empty() { "the response confirms nothing" } else { &names };
    one_line(format!("{what} ({names}); the service wrote: {message}"))
}

/// The reply with the findings in front of its body. If its body cannot hold them, nothing is known about the event.
fn with_findings(reply: Reply, findings: &Findings) -> Reply {
    let made = match &reply.document {
        Some(document) => findings.before(&reply.body, document, reply.evidence.reading.retry_after_ms),
        None => match Document::scan(&reply.body, &|| false) {
            Ok(document) => findings.before(&reply.body, &document, reply.evidence.reading.retry_after_ms),
            Err(_) => Err(format!("the response {}", memory::TOO_LARGE)),
        },
    };
    let unusable = match made {
        Ok(body) => return Reply { body, document: None, own: OWN, ..reply },
        Err(unusable) => unusable,
    };
    let mut failed = Reply::failed(Status::Response, Outcome::Unknown, unusable);
    let retry_after_ms = reply.evidence.reading.retry_after_ms;
    failed.evidence.reading = Reading { facts: None, row: None, ..reply.evidence.reading };
    let (matches, about) = (findings.matches.map(|_| false), findings.about.clone());
    let nothing = Findings { matches, subject: findings.subject, about, ..Findings::default() };
    let document = Document::scan(&failed.body, &|| false).ok();
    match document.and_then(|document| nothing.before(&failed.body, &document, retry_after_ms).ok()) {
        Some(body) => Reply { body, own: OWN, ..failed },
        None => failed,
    }
}

/// The receiver's HTTP status for the sender of the event, once it has handled the event if it is authentic.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Respond {
    Ok = 200,
    /// It is no event.
    BadRequest = 400,
    /// Nothing is decided, so that the event must be sent again.
    #[default]
    Unavailable = 503,
}

#[derive(Default)]
struct Findings {
    respond: Respond,
    /// `None` if nothing was expected.
    matches: Option<bool>,
    differences: Vec<Difference>,
    /// `None` if the event could not be read, or names nothing that could be verified.
    subject: Option<Subject>,
    /// The reference that the service was asked for.
    about: Option<String>,
    /// The key of an authentic event.
    key: Option<String>,
}

impl Findings {
    /// An object's text with the findings in front of its fields, or why it cannot be returned with them.
    /// `retry_after_ms`: as the service asked for.
    fn before(&self, body: &str, document: &Document, retry_after_ms: Option<u64>) -> Result<String, String> {
        let root = document.root(body);
        if root.kind() != Type::Object {
            return Err("the service's response is not an object".to_owned());
        }
        let names = || root.children().filter_map(|member| member.name());
        if let Some(taken) = ADDED.iter().find(|added| names().any(|name| name.eq_ignore_ascii_case(added))) {
            return Err(format!("the service's response already has a field named {taken}"));
        }
        let mut out = self.members(retry_after_ms);
        if root.children().next().is_some() {
            out.push(b',');
        }
        // As it was received, without its opening brace. One byte more, for the NUL at the end of a C string.
        let rest = &root.raw()[1..];
        let mut whole =
            memory::buffer(out.len() + rest.len() + 1).ok_or_else(|| format!("the response {}", memory::TOO_LARGE))?;
        whole.extend_from_slice(&out);
        whole.extend_from_slice(rest.as_bytes());
        Ok(String::from_utf8(whole).expect("two texts are UTF-8"))
    }

    /// An opening brace and the fields.
    fn members(&self, retry_after_ms: Option<u64>) -> Vec<u8> {
        let mut out = Vec::new();
        object(&mut out, |members| {
            members.literal("authentic", self.key.is_some());
            if let Some(matches) = self.matches {
                members.literal("match", matches);
            }
            members.raw("differences", |out| list(out, &self.differences, push));
            members.text("event", self.subject.map_or("unknown", Subject::name));
            members.optional("about", self.about.as_deref());
            members.optional("key", self.key.as_deref());
            members.literal("respond", self.respond as u16);
            if self.respond == Respond::Unavailable {
                members
                    .literal("retry_after", retry_after_ms.map_or(RETRY_AFTER_SECONDS, |ms| ms.div_ceil(1000).max(1)));
            }
        });
        out.pop();
        out
    }

    fn names(&self) -> String {
        let names: Vec<_> = self.differences.iter().map(|difference| difference.member).collect();
        names.join(", ")
    }
}

fn push(out: &mut Vec<u8>, difference: &Difference) {
    let value = |members: &mut Object<'_>, name: &str, value: &Option<String>| {
        members.literal(name, value.as_deref().unwrap_or("null"));
    };
    object(out, |members| {
        members.text("member", difference.member);
        value(members, "event", &difference.event);
        value(members, "service", &difference.service);
        members.optional("expected", difference.expected.as_deref());
    });
}

/// A key of a verified event: the same for each delivery, another one for a later state. `about` is the service's own
/// reference or session; anything else in a later response does not change the key. A digest, so that it has the same
/// length whatever the reference is.
fn key(subject: Subject, endpoint: &str, state: State, about: &str) -> String {
    // References are compared without regard to case and blanks around them.
    let text = format!("{endpoint}\n{}\n{}", state.0, about.trim().to_lowercase());
    format!("{}-{}-{}", subject.name(), state.0, hex(&sha256(&text)[..20]))
}

fn sha256(text: &str) -> Digest {
    let digest = critical_section(|| digest::digest(&digest::SHA256, text.as_bytes()));
    digest.as_ref().try_into().expect("a digest of SHA-256 has 32 bytes")
}
