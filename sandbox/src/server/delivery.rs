//! How a response is sent: by hyper, or by the script of a fault.

use http_body_util::{Either, Full};
use hyper::Response;
use hyper::body::Bytes;

use super::connection::{Connection, Takeover};
use crate::browser::events::{Events, MOST_SUBSCRIBERS};
use crate::faults::Chosen;
use crate::faults::script::Sending;
use crate::http::answer::{Answer, ApiError};
use crate::http::render::response;
use crate::service::decide::Decided;
use crate::service::request_log::Answered;
use crate::service::sandbox::Sandbox;
use crate::util::json::Json;

/// Hyper sends nothing: the client disconnected, or a script takes over.
#[derive(Debug)]
pub struct NoResponse;

impl std::fmt::Display for NoResponse {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("no response goes through HTTP")
    }
}

impl std::error::Error for NoResponse {}

/// A whole response, or events without end.
pub type Sent = Either<Full<Bytes>, Events>;
pub type Delivered = Result<Response<Sent>, NoResponse>;

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
        return Err(NoResponse);
    }
    let answer = answer.ok_or(NoResponse)?;
    sandbox.lock().requests.answered(position, Answered::Whole);
    whole(answer)
}
