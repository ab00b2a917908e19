//! How an answer is sent: by hyper, or by the script of a fault.

use http_body_util::Full;
use hyper::Response;
use hyper::body::Bytes;

use super::connection::{Connection, Takeover};
use crate::faults::Chosen;
use crate::faults::script::Sending;
use crate::http::render::response;
use crate::service::decide::Decided;
use crate::service::request_log::Answered;
use crate::service::sandbox::Sandbox;

/// Hyper sends nothing: the client disconnected, or a script takes over.
#[derive(Debug)]
pub struct NoResponse;

impl std::fmt::Display for NoResponse {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("no answer goes through HTTP")
    }
}

impl std::error::Error for NoResponse {}

pub type Delivered = Result<Response<Full<Bytes>>, NoResponse>;

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
    Ok(response(answer))
}
