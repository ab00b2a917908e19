//! Handles one request of a connection: reads it, chooses a fault by rule, has it answered and delivers the response.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use http_body_util::{BodyExt, Either, Full};
use hyper::body::{Body, Bytes, Incoming as Stream};
use hyper::http::request::Parts;
use hyper::{Request, Response, Version};

use crate::admin;
use crate::browser;
use crate::browser::events::{Events, MOST_SUBSCRIBERS};
use crate::faults::Chosen;
use crate::faults::fault::{Fault, OnRequest, Script, Sending};
use crate::faults::rules::Subject;
use crate::http::answer::{Answer, ApiError, response};
use crate::http::incoming::Incoming;
use crate::service::decide::{self, Decided, Origin};
use crate::service::request_log::Answered;
use crate::service::sandbox::Sandbox;
use crate::util::json::Json;

const LARGEST_BODY: usize = 1 << 20;
/// A larger body is read up to this size, so that the client can receive the error.
const READ_AT_MOST: usize = 16 << 20;

pub async fn exchange(sandbox: &Arc<Sandbox>, connection: &Connection, request: Request<Stream>) -> Delivered {
    let origin = connection.next_request();
    let (head, body) = request.into_parts();
    let mut incoming = Incoming::new(&head);
    if let Err(error) = sandbox.hosts.check(&head) {
        read(&mut incoming, body).await?;
        if admin::is_admin(&incoming.path) {
            return whole(error.into_answer());
        }
        return deliver(decide::refuse(sandbox, &incoming, origin, error), sandbox, connection);
    }
    if let Some(answer) = browser::answer(&incoming) {
        read(&mut incoming, body).await?;
        return whole(answer);
    }
    if incoming.method == "GET" && incoming.path == browser::events::PATH {
        return events(sandbox);
    }
    if admin::is_admin(&incoming.path) {
        read(&mut incoming, body).await?;
        return whole(match browser::foreign(&incoming) {
            Some(refusal) => refusal,
            None => admin::answer(sandbox, &incoming).await,
        });
    }
    let by_rule = match sandbox.session.replay() {
        Some(replay) => replay.unread(&incoming),
        None => {
            let (method, path) = (&incoming.method, &incoming.path);
            let subject = Subject::Request { method, path, on_connection: origin.on_connection };
            sandbox.lock().faults.choose(&subject)
        }
    };
    let unread = by_rule.filter(|chosen| matches!(chosen.fault.request, OnRequest::Unread));
    if unread.is_none() && read(&mut incoming, body).await.is_err() {
        decide::log_incomplete(sandbox, &incoming, origin, by_rule.map(|chosen| chosen.fault));
        return Err(NO_RESPONSE);
    }
    let ended = incoming.body.is_some();
    let keep_alive = ended && wants_keep_alive(&head);
    let decided = match unread {
        Some(chosen) => {
            let position = decide::log_incomplete(sandbox, &incoming, origin, Some(chosen.fault));
            if let Some(recorder) = sandbox.session.recorder() {
                recorder.unread(&incoming, chosen);
            }
            Decided { answer: None, chosen: unread, position, keep_alive }
        }
        None => {
            let sandbox = Arc::clone(sandbox);
            let path = incoming.path.clone();
            // A task of its own, so that a client that leaves does not end a request that was read.
            let task = async move { decide::decide(&sandbox, &incoming, origin, by_rule, keep_alive).await };
            let decided = tokio::spawn(task).await.map_err(|_| NO_RESPONSE)?;
            Decided { answer: decided.answer.map(|answer| browser::allow(&path, answer)), ..decided }
        }
    };
    deliver(decided, sandbox, connection)
}

fn wants_keep_alive(head: &Parts) -> bool {
    let connection = head.headers.get_all("connection");
    let mut options = connection.iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    head.version == Version::HTTP_11 && !options.any(|option| option.trim().eq_ignore_ascii_case("close"))
}

/// Reads the body and counts its bytes; a body that is too large is not kept.
async fn read(incoming: &mut Incoming, mut body: Stream) -> Result<(), &'static str> {
    let mut kept = Vec::new();
    while !body.is_end_stream() && incoming.body_bytes < READ_AT_MOST {
        let Some(frame) = body.frame().await else {
            break;
        };
        // The client disconnected before the end of its request.
        let frame = frame.map_err(|_| NO_RESPONSE)?;
        if let Some(bytes) = frame.data_ref() {
            incoming.body_bytes += bytes.len();
            if incoming.body_bytes <= LARGEST_BODY {
                kept.extend_from_slice(bytes);
            }
        }
    }
    incoming.body = (incoming.body_bytes <= LARGEST_BODY).then(|| Bytes::from(kept));
    Ok(())
}

/// Hyper sends nothing: the client disconnected, or a script takes over.
const NO_RESPONSE: &str = "no response goes through HTTP";

/// A whole response, or events without end.
pub type Sent = Either<Full<Bytes>, Events>;
pub type Delivered = Result<Response<Sent>, &'static str>;

pub fn whole(answer: Answer) -> Delivered {
    Ok(response(answer).map(Either::Left))
}

/// A stream of server-sent events.
pub fn events(sandbox: &Sandbox) -> Delivered {
    let Some(events) = Events::subscribe(sandbox) else {
        return whole(ApiError::new(503, format!("There are {MOST_SUBSCRIBERS} subscribers already.")).into_answer());
    };
    let head = Answer { content_type: "text/event-stream".into(), body: Vec::new(), ..Answer::ok(&Json::Null) };
    Ok(response(head.header("cache-control", "no-store")).map(|_| Either::Right(events)))
}

pub fn deliver(decided: Decided, sandbox: &Sandbox, connection: &Connection) -> Delivered {
    let Decided { answer, chosen, position, keep_alive } = decided;
    if let Some(Chosen { fault, delay }) = chosen
        && let Some(script) = fault.script(answer.as_ref(), &Sending { delay, keep_alive })
    {
        connection.take_over(Takeover { script, fault, position });
        return Err(NO_RESPONSE);
    }
    let answer = answer.ok_or(NO_RESPONSE)?;
    sandbox.lock().requests.answered(position, Answered::Whole);
    whole(answer)
}

/// A script and the request that it answers.
#[derive(Debug)]
pub struct Takeover {
    pub script: Script,
    pub fault: &'static Fault,
    /// The request's position in the log.
    pub position: u64,
}

#[derive(Debug)]
pub struct Connection {
    pub id: u64,
    requests: AtomicU64,
    /// True if the next bytes are the head of a request.
    pub awaits_head: Arc<AtomicBool>,
    takeover: Mutex<Option<Takeover>>,
}

impl Connection {
    pub fn new(id: u64) -> Arc<Connection> {
        let (requests, awaits_head) = (AtomicU64::new(0), Arc::default());
        Arc::new(Connection { id, requests, awaits_head, takeover: Mutex::new(None) })
    }

    /// Counts the requests of this connection, from 1.
    pub fn next_request(&self) -> Origin {
        Origin { connection: self.id, on_connection: self.requests.fetch_add(1, Ordering::Relaxed) + 1 }
    }

    /// Run when hyper has released the connection.
    pub fn take_over(&self, by: Takeover) {
        *self.takeover.lock().unwrap_or_else(PoisonError::into_inner) = Some(by);
    }

    pub fn takeover(&self) -> Option<Takeover> {
        self.takeover.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
