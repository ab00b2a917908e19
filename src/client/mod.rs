//! The client: prepares a request, sends it, reads the answer, and retries where the verdict allows it.
//!
//! Imports `util`, `request`, `transport` and `response`.

mod bulk;
mod check;
pub mod config;
pub mod log;
mod operation;
mod resolve;
pub mod retry;
#[cfg(test)]
mod secrecy_tests;
mod send;
pub mod webhook;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use ureq::http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::client::config::Config;
use crate::client::log::{Level, Log};
use crate::request::settings::Settings;
use crate::request::{self, body, raw};
use crate::response::reply::Reply;
use crate::transport::Transport;
use crate::transport::call::Call;
use crate::util::call_id::CallId;
use crate::util::validation_error::ValidationError;
use paysvc_spec::schema::{ApiKey, Endpoint};
use paysvc_spec::settings;
use paysvc_spec::status::{self, Outcome, Status};

const JSON: &str = "application/json";
/// The reply of [`Client::warm`].
const WARM: &str = r#"{"status":true,"message":"a connection is ready for the next request that moves money"}"#;

/// Configuration and connections, shared by threads.
pub struct Client {
    config: Config,
    settings: Settings,
    /// `None` without a base URL.
    transport: Option<Transport>,
    /// By API key, the headers that all requests have in common. `None` without the key.
    headers: [Option<HeaderMap>; 2],
    pub log: Log,
}

/// What is known of a call from its beginning, and how many requests of it have been sent; it survives a panic.
pub struct CallRecord {
    pub id: CallId,
    attempts: AtomicU32,
}

impl CallRecord {
    /// Of a new call.
    pub fn new() -> CallRecord {
        CallRecord { id: CallId::new(), attempts: AtomicU32::new(0) }
    }

    pub fn attempts(&self) -> u32 {
        self.attempts.load(Ordering::SeqCst)
    }
}

impl Client {
    /// `json` is `None` to configure all from the environment.
    pub fn new(json: Option<&str>, env: &dyn Fn(&str) -> Option<String>) -> Result<Client, ValidationError> {
        let config = Config::parse(json, env)?;
        let settings = config.for_requests()?;
        let transport = config.for_transport().map(Transport::new).transpose();
        let transport = transport.map_err(|error| config.name_variable(error))?;
        let headers = [ApiKey::Public, ApiKey::Secret].map(|key| common_headers(&config, key));
        Ok(Client { config, settings, transport, headers, log: Log::default() })
    }

    /// Calls an endpoint of the table with one flat JSON object.
    pub fn call(&self, row: &'static Endpoint, json: &str, call: Option<&Arc<Call>>, record: &CallRecord) -> Reply {
        let deadline = self.deadline(call);
        let prepared = request::prepare(row, json, &self.settings, &stop(deadline, call));
        self.send(prepared, deadline, call, record)
    }

    /// Sends a request that JSON describes.
    pub fn request(&self, json: &str, call: Option<&Arc<Call>>, record: &CallRecord) -> Reply {
        let deadline = self.deadline(call);
        let prepared = raw::prepare(json, &self.settings, &stop(deadline, call));
        self.send(prepared, deadline, call, record)
    }

    /// Encrypts a payload without sending anything.
    pub fn encrypt(&self, json: &str) -> Reply {
        self.encrypted(json).map_or_else(Reply::invalid, Reply::local)
    }

    fn encrypted(&self, json: &str) -> Result<String, ValidationError> {
        self.settings.require_encryption_key("encrypt")?.encrypt(&body::payload(json)?)
    }

    /// Connects, for the next request that does more than read.
    pub fn warm(&self, call: Option<&Arc<Call>>, record: &CallRecord) -> Reply {
        let transport = match self.transport("client_warm") {
            Ok(transport) if self.config.max_idle_connections > 0 => transport,
            Ok(_) => {
                let reason = "is 0: no connection can be kept for the next request";
                return Reply::invalid(ValidationError::of_member(
                    Status::Config,
                    "client_warm",
                    "max_idle_connections",
                    reason,
                ));
            }
            Err(error) => return Reply::invalid(error),
        };
        let result = transport.warm(self.deadline(call), call);
        let (level, status) = match &result {
            Ok(()) => (Level::Info, Status::Ok),
            Err(error) => (Level::Warn, error.status),
        };
        self.log.line(record.id, call, level, || format!("client_warm: {}, nothing was sent", status::name_of(status)));
        match result {
            Ok(()) => Reply::local(WARM.to_owned()),
            Err(error) => Reply::failed(
                error.status,
                Outcome::NotSent,
                format!("no connection was made ahead, so the next request makes its own: {}", error.message),
            ),
        }
    }

    fn transport(&self, asked_by: &str) -> Result<&Transport, ValidationError> {
        self.transport.as_ref().ok_or_else(|| {
            ValidationError::of_member(Status::Config, asked_by, "base_url", settings::not_configured("base_url"))
        })
    }

    fn deadline(&self, call: Option<&Arc<Call>>) -> Instant {
        Instant::now() + call.and_then(|call| call.timeout()).unwrap_or(self.config.timeout)
    }
}

/// Made once: ureq would make each of these anew for every request. `None` without the key.
fn common_headers(config: &Config, key: ApiKey) -> Option<HeaderMap> {
    let mut headers = HeaderMap::with_capacity(8);
    let mut value = HeaderValue::from_str(config.key(key)?.expose()).ok()?;
    value.set_sensitive(true);
    headers.insert(HeaderName::from_static("api-key"), value);
    headers.insert(header::HOST, HeaderValue::from_str(&config.base_url.as_ref()?.host_header()).ok()?);
    headers.insert(header::USER_AGENT, HeaderValue::from_str(&config.user_agent).ok()?);
    headers.insert(header::ACCEPT, HeaderValue::from_static(JSON));
    Some(headers)
}

/// Whether the call's deadline has passed or it was cancelled.
fn stop(deadline: Instant, call: Option<&Arc<Call>>) -> impl Fn() -> bool {
    move || call.is_some_and(|call| call.is_cancelled()) || Instant::now() >= deadline
}
