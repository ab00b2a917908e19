//! Sends one request, and waits and sends it again as long as the service answers 429 and there is time.

use std::time::{Duration, Instant};

use super::super::operation::Operation;
use super::super::send::random;
use super::rules::Waits;
use crate::response::reply::Reply;
use paysvc_spec::schema::Endpoint;
use paysvc_spec::status::{Outcome, Status};

/// `timeout` bounds each time that it is sent, with the attempts of a call; the operation bounds all.
pub fn send(operation: &Operation<'_>, row: &'static Endpoint, json: &str, timeout: Duration) -> Reply {
    let mut waits = Waits::default();
    loop {
        let reply = operation.send_again(row, json, Instant::now() + timeout, waits.any());
        if (reply.status, reply.outcome) != (Status::RateLimited, Outcome::Rejected) {
            return reply;
        }
        let left = time_left(operation).saturating_sub(timeout);
        let Some(wait) = waits.next(reply.retry_after_ms, left, random) else { return reply };
        // The batch has still been refused if the wait ends the call.
        if let Some(status) = operation.pause(wait) {
            return Reply { status, ..reply };
        }
    }
}

pub fn time_left(operation: &Operation<'_>) -> Duration {
    operation.deadline.saturating_duration_since(Instant::now())
}
