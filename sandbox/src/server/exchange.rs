//! Handles one request: reads it, chooses a fault by rule, has it answered and delivers the response.

use std::sync::Arc;

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Incoming as Stream};
use hyper::http::request::Parts;
use hyper::{Request, Version};

use super::connection::Connection;
use super::delivery::{self, Delivered, NoResponse, deliver, whole};
use crate::admin;
use crate::browser::{self, cors};
use crate::faults::fault::OnRequest;
use crate::faults::rules::Subject;
use crate::http::incoming::Incoming;
use crate::service::decide::{self, Decided};
use crate::service::sandbox::Sandbox;

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
        return delivery::events(sandbox);
    }
    if admin::is_admin(&incoming.path) {
        read(&mut incoming, body).await?;
        return whole(match cors::foreign(&incoming) {
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
        return Err(NoResponse);
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
            let decided = tokio::spawn(task).await.map_err(|_| NoResponse)?;
            Decided { answer: decided.answer.map(|answer| cors::allow(&path, answer)), ..decided }
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
async fn read(incoming: &mut Incoming, mut body: Stream) -> Result<(), NoResponse> {
    let mut kept = Vec::new();
    while !body.is_end_stream() && incoming.body_bytes < READ_AT_MOST {
        let Some(frame) = body.frame().await else {
            break;
        };
        // The client disconnected before the end of its request.
        let frame = frame.map_err(|_| NoResponse)?;
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
