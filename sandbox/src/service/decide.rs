//! Answers one request and commits its effects: endpoint, API key, body, fault, handler, log entry. Does no I/O.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::endpoint::{Endpoint, Status};
use super::request_log::LogEntry;
use super::router::Router;
use super::sandbox::{Sandbox, Shared};
use crate::crypto::envelope::{Body, Opened, open_encrypted, open_plain};
use crate::crypto::keys::{KeyKind, KeyRule};
use crate::endpoints::Call;
use crate::faults::fault::{Acts, Fault, OnRequest, RequestFacts};
use crate::faults::magic::{self, Kind, Named};
use crate::faults::rules::Rule;
use crate::faults::{Chosen, Faults};
use crate::http::answer::{Answer, ApiError};
use crate::http::incoming::Incoming;
use crate::http::path_pattern::Values;
use crate::session;
use crate::state::State;
use crate::util::json::Json;

/// The connection of a request.
#[derive(Clone, Copy)]
pub struct Origin {
    pub connection: u64,
    /// Its number on the connection, from 1.
    pub on_connection: u64,
}

/// A response whose effects are committed.
pub struct Decided {
    pub answer: Option<Answer>,
    pub chosen: Option<Chosen>,
    /// The request's position in the log.
    pub position: u64,
    /// The client did not ask to close the connection.
    pub keep_alive: bool,
}

type Ready<'a> = Result<(&'a Endpoint, Call), ApiError>;

/// Answers the request and logs it. Its effects are committed when this returns.
pub async fn decide(
    sandbox: &Sandbox,
    incoming: &Incoming,
    origin: Origin,
    by_rule: Option<Chosen>,
    keep_alive: bool,
) -> Decided {
    let entry = unanswered(sandbox, incoming, origin);
    let key = entry.key;
    let mut notes = Vec::new();
    let (opened, ready) = match admit(&sandbox.router, incoming, key) {
        Ok((endpoint, path)) => {
            notes = tolerated(endpoint, incoming, key);
            let (opened, input) = open(sandbox, endpoint, incoming).await;
            let call = |input| Call {
                input,
                path,
                query: incoming.query_json(),
                base_url: sandbox.base_url.clone(),
                encryption_key: sandbox.encryption_key.clone(),
                ..Call::default()
            };
            (opened, input.map(|input| (endpoint, call(input))))
        }
        Err(error) => (inspect_rejected(incoming), Err(error)),
    };
    let kind = ready.as_ref().map_or(Kind::LookUp, |(endpoint, call)| endpoint.kind(&call.input));
    let request = Request { id: entry.id, incoming, origin, opened: &opened };
    let mut shared = sandbox.lock();
    let done = match sandbox.session.replay() {
        Some(replay) => {
            let (answer, chosen) = replay.answer(&session::asked(incoming, key, &opened), kind == Kind::LookUp);
            Done { answer, chosen, ..Done::default() }
        }
        None => execute(&request, ready, kind, by_rule, &mut shared),
    };
    let Done { answer: decided, chosen, effects, notes: noted } = done;
    notes.extend(noted);
    if let Some(recorder) = sandbox.session.recorder() {
        recorder.request(incoming, key, &opened, chosen, decided.as_ref());
    }
    let answer = match chosen {
        Some(chosen) => {
            let facts = RequestFacts {
                base_url: &sandbox.base_url,
                is_status_boolean: sandbox.router.status_at(&incoming.path) == Status::Boolean,
                target: &incoming.target,
                api_key: incoming.headers.api_key.as_deref(),
                payload: opened.payload.as_ref(),
            };
            chosen.fault.alter(decided, &facts)
        }
        None => decided,
    };
    let entry = LogEntry {
        opened: &opened,
        answer: answer.as_ref(),
        effects: &effects,
        notes: &notes,
        fault: chosen.map(|chosen| chosen.fault),
        ..entry
    };
    let position = shared.requests.add(&entry);
    sandbox.send_events(&mut shared);
    drop(shared);
    if sandbox.is_logging {
        entry.write_line();
    }
    Decided { answer, chosen, position, keep_alive }
}

/// The result of a request. The response is the one before its fault changes it; `None`: it was not executed.
#[derive(Default)]
struct Done {
    answer: Option<Answer>,
    chosen: Option<Chosen>,
    effects: Vec<u64>,
    notes: Vec<String>,
}

/// Chooses the fault and runs the handler, unless the fault prevents it.
fn execute(request: &Request, ready: Ready, kind: Kind, by_rule: Option<Chosen>, shared: &mut Shared) -> Done {
    let (mut ready, named) = by_magic(ready, by_rule.is_some());
    let named = named.filter(|named| shared.faults.meets(named, kind));
    let chosen = request.choose(by_rule, named, &mut shared.faults);
    let ahead = chosen.filter(|chosen| matches!(chosen.fault.request, OnRequest::NextConnection));
    if let Some(Chosen { fault, .. }) = ahead {
        shared.faults.add(Rule::of_next_connection(fault));
    }
    let is_done = ahead.is_some() || chosen.is_none_or(|chosen| chosen.fault.committed);
    shared.calls += 1;
    shared.state.settle_due();
    shared.state.ledger.begin(Some(request.id));
    if let (Ok((_, call)), Some(OnRequest::Payload(change))) = (&mut ready, chosen.map(|chosen| chosen.fault.request)) {
        change(&mut call.input);
    }
    let (answer, notes) = is_done.then(|| answer(ready, &mut shared.state)).unzip();
    Done { answer, chosen, effects: shared.state.ledger.end(), notes: notes.unwrap_or_default() }
}

/// Logs a request that no fault may act on, and answers it with this error.
pub fn refuse(sandbox: &Sandbox, incoming: &Incoming, origin: Origin, error: ApiError) -> Decided {
    let answer = error.into_answer();
    let entry = LogEntry { answer: Some(&answer), ..unanswered(sandbox, incoming, origin) };
    if sandbox.is_logging {
        entry.write_line();
    }
    let position = sandbox.lock().requests.add(&entry);
    Decided { answer: Some(answer), chosen: None, position, keep_alive: true }
}

/// Logs a request that was not read completely; returns its position in the log.
pub fn log_incomplete(sandbox: &Sandbox, incoming: &Incoming, origin: Origin, fault: Option<&'static Fault>) -> u64 {
    let entry = LogEntry { fault, ..unanswered(sandbox, incoming, origin) };
    if sandbox.is_logging {
        entry.write_line();
    }
    sandbox.lock().requests.add(&entry)
}

/// The log entry of a request that has just been received.
fn unanswered<'a>(sandbox: &Sandbox, incoming: &'a Incoming, origin: Origin) -> LogEntry<'a> {
    let key = sandbox.keys.kind(incoming.headers.api_key.as_deref());
    LogEntry::unanswered(sandbox.next_request_id(), (origin.connection, origin.on_connection), incoming, key)
}

/// The response, and the handler's notes for the log.
fn answer(ready: Ready, state: &mut State) -> (Answer, Vec<String>) {
    let (endpoint, call) = match ready {
        Ok(ready) => ready,
        Err(error) => return (error.into_answer(), Vec::new()),
    };
    let handled = catch_unwind(AssertUnwindSafe(|| endpoint.handle(state, &call)));
    let result =
        handled.unwrap_or_else(|_| Err(ApiError::new(500, "The sandbox failed: this is a bug of the sandbox.")));
    (result.unwrap_or_else(ApiError::into_answer), call.take_notes())
}

/// The fault that the request names by magic input; an unknown name is an error, unless a rule has chosen the fault.
fn by_magic(ready: Ready<'_>, is_chosen: bool) -> (Ready<'_>, Option<Named>) {
    let (endpoint, call) = match ready {
        Ok(ready) => ready,
        Err(error) => return (Err(error), None),
    };
    match magic::find(&call.input, &call.path) {
        Ok(named) => (Ok((endpoint, call)), named),
        Err(_) if is_chosen => (Ok((endpoint, call)), None),
        Err(error) => (Err(error), None),
    }
}

struct Request<'a> {
    id: u64,
    incoming: &'a Incoming,
    origin: Origin,
    opened: &'a Opened,
}

impl Request<'_> {
    fn choose(&self, by_rule: Option<Chosen>, named: Option<Named>, faults: &mut Faults) -> Option<Chosen> {
        let chosen = by_rule.or(named.as_ref().map(|named| Chosen::new(named.fault, None)))?;
        if chosen.fault.acts == Acts::Reused && self.origin.on_connection == 1 {
            return None;
        }
        if matches!(chosen.fault.request, OnRequest::First) && !faults.is_first(self.key(named.as_ref())) {
            return None;
        }
        Some(chosen)
    }

    /// Identifies repetitions of a request: by the value that names the fault, else by the whole payload.
    fn key(&self, named: Option<&Named>) -> String {
        let said = || self.opened.sha256.clone().unwrap_or_else(|| self.incoming.target.clone());
        let what = named.map_or_else(said, |named| named.value.clone());
        format!("{} {} {what}", self.incoming.method, self.incoming.path)
    }
}

/// Finds the endpoint and checks the API key.
fn admit<'a>(router: &'a Router, incoming: &Incoming, key: KeyKind) -> Result<(&'a Endpoint, Values), ApiError> {
    let (endpoint, path) = router.find(&incoming.method, &incoming.path)?;
    let problem = match key {
        _ if endpoint.key.takes(key) => return Ok((endpoint, path)),
        KeyKind::Missing => "api-key was not passed in the header.",
        KeyKind::Wrong => "api-key is not valid.",
        KeyKind::Public => "api-key is the public key; this endpoint takes the secret key.",
        KeyKind::Secret => "api-key is the secret key; this endpoint takes the public key.",
    };
    Err(ApiError::unauthorized(problem))
}

/// Notes on input that is accepted because integrations differ.
fn tolerated(endpoint: &Endpoint, incoming: &Incoming, key: KeyKind) -> Vec<String> {
    let mut notes = Vec::new();
    if endpoint.key == KeyRule::Either {
        notes.push(format!("api-key: the {} key; either is accepted, because the evidence conflicts", key.name()));
    }
    if endpoint.key == KeyRule::SecretOrPublic && key == KeyKind::Public {
        notes.push(
            "api-key: the public key; the secret key is documented, and four integrations send the public one".into(),
        );
    }
    if endpoint.body == Body::EncryptedHeaderOptional {
        let sent = if incoming.headers.encryption.is_some() { "sent" } else { "not sent" };
        notes.push(format!("encryption header: {sent}; either is accepted, because the evidence conflicts"));
    }
    notes
}

pub async fn open(sandbox: &Sandbox, endpoint: &Endpoint, incoming: &Incoming) -> (Opened, Result<Json, ApiError>) {
    let body = match incoming.body() {
        Ok(body) => body,
        Err(error) => return (Opened::NONE, Err(error)),
    };
    if endpoint.body == Body::None {
        return (Opened::NONE, Ok(incoming.query_json()));
    }
    let (opened, input) = match endpoint.body {
        Body::Plain | Body::None => open_plain(body),
        Body::Encrypted | Body::EncryptedWithHeader | Body::EncryptedHeaderOptional => {
            open_encrypted(&sandbox.encryption, body).await
        }
    };
    if !is_json(incoming.headers.content_type.as_deref()) {
        let error = ApiError::field("Content-Type", "The Content-Type header must be application/json.");
        return (opened, Err(error.with_status(415)));
    }
    let encryption = incoming.headers.encryption.as_deref().unwrap_or_default();
    if endpoint.body == Body::EncryptedWithHeader && !encryption.eq_ignore_ascii_case("RSA") {
        return (opened, Err(ApiError::field("encryption", "The encryption header is required and its value is RSA.")));
    }
    (opened, input)
}

/// The body as logged for a request that was rejected before its body was needed.
pub fn inspect_rejected(incoming: &Incoming) -> Opened {
    match &incoming.body {
        Some(body) if !body.is_empty() => {
            let opened = open_plain(body).0;
            let encrypted =
                opened.payload.as_ref().is_some_and(|payload| payload.get("data").and_then(Json::as_text).is_some());
            if encrypted { Opened { envelope: "encrypted", ..Opened::NONE } } else { opened }
        }
        _ => Opened::NONE,
    }
}

fn is_json(content_type: Option<&str>) -> bool {
    let media = content_type.and_then(|value| value.split(';').next()).unwrap_or_default();
    media.trim().eq_ignore_ascii_case("application/json")
}
