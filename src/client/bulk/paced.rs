//! Sends one request, and waits and sends it again as long as the service answers 429 and there is time.

use super::rules::Waits;
use crate::client::backoff::random;
use crate::client::retry::PriorAttempts;
use crate::client::{CallContext, Client};
use crate::response::reply::Reply;
use paysvc_spec::schema::Endpoint;
use paysvc_spec::status::{Outcome, Status};

/// The client's timeout limits each sending, with all attempts; the call's limits all of them.
pub fn send(client: &Client, context: &CallContext<'_>, row: &'static Endpoint, json: &str) -> Reply {
    let timeout = client.config.timeout;
    let mut waits = Waits::default();
    let mut prior = PriorAttempts::NONE;
    loop {
        let reply = client.call_again(&context.within(timeout), row, json, prior);
        if (reply.status, reply.outcome) != (Status::RateLimited, Outcome::Rejected) {
            return reply;
        }
        let left = context.bounds.time_left().saturating_sub(timeout);
        let Some(wait) = waits.next(reply.retry_after_ms, left, random) else { return reply };
        prior = PriorAttempts::REFUSED;
        // The batch has still been refused if the wait ends the call.
        if let Some(status) = context.bounds.pause(wait) {
            return Reply { status, ..reply };
        }
    }
}
