//! An operation: a call that sends several requests, all with one number in the log, one token and one deadline.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{CallRecord, Client, stop};
use crate::client::log::Level;
use crate::json;
use crate::request;
use crate::request::secrets::Secrets;
use crate::response::redact::Redactor;
use crate::response::reply::Reply;
use crate::transport::call::Call;
use paysvc_spec::schema::Endpoint;
use paysvc_spec::status::Status;

pub(super) struct Operation<'a> {
    pub client: &'a Client,
    pub call: Option<&'a Arc<Call>>,
    pub record: &'a CallRecord,
    /// The call ends here.
    pub deadline: Instant,
    /// The secrets of the request that the look-ups are about: nothing that they write repeats one.
    pub masked: Option<&'a Secrets>,
}

impl<'a> Operation<'a> {
    pub fn new(client: &'a Client, call: Option<&'a Arc<Call>>, record: &'a CallRecord) -> Operation<'a> {
        Operation { client, call, record, deadline: client.deadline(call), masked: None }
    }

    /// Calls an endpoint, until the earlier of that time and the operation's deadline.
    pub fn send(&self, row: &'static Endpoint, json: &str, deadline: Instant) -> Reply {
        self.send_again(row, json, deadline, false)
    }

    /// Calls an endpoint again after answers of 429 to the same request, see [`Client::send_again`].
    pub fn send_again(&self, row: &'static Endpoint, json: &str, deadline: Instant, after_429: bool) -> Reply {
        let deadline = deadline.min(self.deadline);
        let mut prepared = request::prepare(row, json, &self.client.settings, &stop(deadline, self.call));
        if let (Ok(prepared), Some(masked)) = (&mut prepared, self.masked) {
            prepared.secrets.extend(masked);
        }
        self.client.send_again(prepared, deadline, self.call, self.record, after_429)
    }

    /// Masks the secrets of a request in a text of the service, as in a message; `None` if the call ends before that.
    pub fn redact(&self, row: &'static Endpoint, json: &str, text: &str) -> Option<String> {
        let stop = stop(self.deadline, self.call);
        let secrets = Secrets::of_row(&json::members_of(json).ok()?, row.fields, &stop);
        let key = self.client.config.key(self.client.settings.choices.key(row));
        Redactor { secrets: &secrets, key, stop: &stop }.redact(text)
    }

    /// Waits. Returns why the operation must end, if it must.
    pub fn pause(&self, wait: Duration) -> Option<Status> {
        let until = (Instant::now() + wait).min(self.deadline);
        match self.call {
            Some(call) => _ = call.wait_until(until),
            None => std::thread::sleep(until.saturating_duration_since(Instant::now())),
        }
        self.ended()
    }

    /// Why the operation must end: it was cancelled, or its time is over.
    pub fn ended(&self) -> Option<Status> {
        match self.call {
            Some(call) if call.is_cancelled() => Some(Status::Cancelled),
            _ => (Instant::now() >= self.deadline).then_some(Status::Timeout),
        }
    }

    /// A line of the log about the operation.
    pub fn log(&self, level: Level, line: impl FnOnce() -> String) {
        self.client.log.line(self.record.id, self.call, level, line);
    }

    /// Reports progress to the caller; false if the caller wants to stop.
    pub fn report(&self, done: usize, total: usize, step_json: &str) -> bool {
        self.call.is_none_or(|call| call.report_progress(done, total, step_json))
    }
}
