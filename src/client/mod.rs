//! The client: prepares a request, sends it, reads the answer, and retries where the verdict allows it.
//!
//! Imports `util`, `request`, `transport` and `response`.

pub mod config;
pub mod log;
pub mod retry;
#[cfg(test)]
mod secrecy_tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use ureq::http::{HeaderMap, HeaderName, HeaderValue, header};

use self::retry::{Next, Try};
use crate::client::config::Config;
use crate::client::log::{Level, Log};
use crate::request::settings::Settings;
use crate::request::{self, Prepared, body, raw};
use crate::response::reader::{self, Read, Reading};
use crate::response::redact::Mask;
use crate::response::reply::Reply;
use crate::response::verdict::{self, Came};
use crate::transport::answer::{Cut, HttpAnswer};
use crate::transport::call::Call;
use crate::transport::{Exchange, Exchanged, Transport};
use crate::util::failpoint;
use crate::util::limits::MAX_LINE;
use crate::util::process::section;
use crate::util::validation_error::ValidationError;
use paysvc_spec::schema::{ApiKey, Endpoint, Method};
use paysvc_spec::settings;
use paysvc_spec::status::{Outcome, Status};

const JSON: &str = "application/json";

/// Configuration and connections, shared by threads.
pub struct Client {
    config: Config,
    settings: Settings,
    transport: Option<Transport>,
    /// What all requests with a key have in common, in the form that goes to the wire.
    headers: [Option<HeaderMap>; 2],
    pub log: Log,
}

/// What outlives a panic: how many requests had left.
#[derive(Default)]
pub struct Progress(AtomicU32);

impl Progress {
    pub fn attempts(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

impl Client {
    /// `json` `None`: all from the environment.
    pub fn new(json: Option<&str>, env: &dyn Fn(&str) -> Option<String>) -> Result<Client, ValidationError> {
        let config = Config::parse(json, env)?;
        let settings = config.for_requests()?;
        let transport = config.for_transport().map(Transport::new).transpose();
        let transport = transport.map_err(|error| config.name_variable(error))?;
        let headers = [ApiKey::Public, ApiKey::Secret].map(|key| common_headers(&config, key));
        Ok(Client { config, settings, transport, headers, log: Log::default() })
    }

    /// Calls an endpoint of the table with one flat JSON object.
    pub fn call(&self, row: &'static Endpoint, json: &str, call: Option<&Arc<Call>>, progress: &Progress) -> Reply {
        let deadline = self.deadline(call);
        let prepared = request::prepare(row, json, &self.settings);
        self.send(prepared, deadline, call, progress)
    }

    /// Sends a request that JSON describes.
    pub fn request(&self, json: &str, call: Option<&Arc<Call>>, progress: &Progress) -> Reply {
        let deadline = self.deadline(call);
        let prepared = raw::prepare(json, &self.settings, &stop(deadline, call));
        self.send(prepared, deadline, call, progress)
    }

    /// Encrypts a payload without sending anything.
    pub fn encrypt(&self, json: &str) -> Reply {
        self.encrypted(json).map_or_else(Reply::refused, Reply::local)
    }

    fn encrypted(&self, json: &str) -> Result<String, ValidationError> {
        self.settings.require_encryption_key("encrypt")?.encrypt(&body::payload(json)?)
    }

    fn deadline(&self, call: Option<&Arc<Call>>) -> Instant {
        Instant::now() + call.and_then(|call| call.timeout()).unwrap_or(self.config.timeout)
    }

    fn send(
        &self,
        prepared: Result<Prepared, ValidationError>,
        deadline: Instant,
        call: Option<&Arc<Call>>,
        progress: &Progress,
    ) -> Reply {
        let reply = prepared.and_then(|prepared| self.repeat(&prepared, deadline, call, progress));
        let reply = reply.unwrap_or_else(Reply::refused);
        if reply.attempts == 0 && reply.outcome == Outcome::NotSent {
            self.log.line(Level::Warn, || format!("nothing was sent: {}", paysvc_spec::status::name_of(reply.status)));
        }
        reply
    }

    /// One try, in the form that goes to the wire.
    fn exchange<'a>(
        &self,
        prepared: &'a Prepared,
        deadline: Instant,
        call: Option<&'a Arc<Call>>,
    ) -> Result<Exchange<'a>, ValidationError> {
        let unsendable = |what: &str| {
            ValidationError::new(Status::Argument, format!("{what} cannot be sent: it is too long or malformed"))
        };
        if prepared.url.len() > MAX_LINE {
            return Err(unsendable("the URL made of the request"));
        }
        let uri = prepared.url.parse().map_err(|_| unsendable("the URL made of the request"))?;
        let common = self.headers[prepared.key as usize].clone();
        let mut headers = common.ok_or_else(|| unsendable(prepared.key.setting()))?;
        match (&prepared.body, prepared.method) {
            (Some(_), _) => {
                headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
            }
            // These are expected to have content (RFC 9110, 8.6); without a length they would go out chunked.
            (None, Method::Post | Method::Put) => {
                headers.insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
            }
            (None, _) => {}
        }
        for (name, value) in &prepared.headers {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unsendable("a header"))?;
            headers.insert(name, HeaderValue::from_str(value).map_err(|_| unsendable("a header"))?);
        }
        let body = prepared.body.as_ref().map(|body| body.as_slice());
        Ok(Exchange { method: prepared.method, uri, headers, body, deadline, call })
    }

    /// Tries until the retry rule says stop.
    fn repeat(
        &self,
        prepared: &Prepared,
        deadline: Instant,
        call: Option<&Arc<Call>>,
        progress: &Progress,
    ) -> Result<Reply, ValidationError> {
        let Some(transport) = &self.transport else {
            return Err(ValidationError::of_member(
                Status::Config,
                "request",
                "base_url",
                settings::not_configured("base_url"),
            ));
        };
        failpoint::at("client");
        // What earlier attempts left behind, when a later one sends nothing.
        let mut earlier = Outcome::NotSent;
        let (mut attempts, mut after_429) = (0, false);
        for index in 0.. {
            // What cannot be sent is refused here before the first try, and no later one differs from it.
            let exchange = self.exchange(prepared, deadline, call)?;
            if call.is_some_and(|call| call.is_cancelled()) {
                let reply = Reply::failed(Status::Cancelled, earlier, "the call was cancelled");
                return Ok(Reply { attempts, ..reply });
            }
            let started = Instant::now();
            let exchanged = transport.exchange(exchange);
            attempts += u32::from(exchanged.sent);
            progress.0.store(attempts, Ordering::SeqCst);
            let (mut reply, mut tried) = self.judge(prepared, exchanged, after_429, deadline, call);
            self.log_try(prepared, index + 1, &reply, &tried, started.elapsed());
            after_429 |= reply.http_status == 429;
            if reply.outcome == Outcome::NotSent {
                reply.outcome = earlier;
            }
            earlier = reply.outcome;
            reply.attempts = attempts;
            tried.index = index;
            let left = deadline.saturating_duration_since(Instant::now());
            match retry::next(&tried, self.config.max_attempts, left, random) {
                Next::Stop => return Ok(reply),
                Next::TooLate(wait) => {
                    reply.retry_after_ms = u64::try_from(wait.as_millis()).ok();
                    return Ok(reply);
                }
                Next::After(wait) => {
                    self.log.line(Level::Info, || format!("{} again in {} ms", prepared.label(), wait.as_millis()));
                    pause(wait, call);
                }
            }
        }
        unreachable!("the attempts end at max_attempts")
    }

    /// What one exchange proves.
    fn judge(
        &self,
        prepared: &Prepared,
        exchanged: Exchanged,
        after_429: bool,
        deadline: Instant,
        call: Option<&Arc<Call>>,
    ) -> (Reply, Try) {
        let Exchanged { sent, reused, result } = exchanged;
        let (reply, line, again, permanent, broken) = match result {
            Ok(answer) => {
                let read = self.read(prepared, answer, after_429, deadline, call);
                (read.reply, read.line, read.again, false, false)
            }
            Err(fault) => {
                let came = Came::Nothing { sent, status: fault.status };
                let verdict = verdict::decide(prepared.safety, &came, after_429);
                let advice = verdict::advice(prepared.safety, verdict.outcome);
                let message = match verdict.why.or(advice) {
                    Some(note) => format!("{note}; {}", fault.message),
                    None => fault.message,
                };
                let reply = Reply::failed(verdict.status, verdict.outcome, message);
                // A call that was cancelled, or a bug in here, is not a reason to try again.
                let transient = matches!(fault.status, Status::Transport | Status::Timeout);
                (reply, verdict.line, verdict.again && transient, fault.permanent, fault.status == Status::Transport)
            }
        };
        let tried = Try {
            index: 0,
            line,
            again,
            outcome: reply.outcome,
            permanent,
            stale: broken && reused && !sent,
            retry_after_ms: reply.retry_after_ms,
        };
        (reply, tried)
    }

    fn read(
        &self,
        prepared: &Prepared,
        answer: HttpAnswer,
        after_429: bool,
        deadline: Instant,
        call: Option<&Arc<Call>>,
    ) -> Read {
        let why = || match call {
            Some(call) if call.is_cancelled() => Some(Cut::Cancelled),
            _ => (Instant::now() >= deadline).then_some(Cut::Timeout),
        };
        let stop = stop(deadline, call);
        let mask = Mask { secrets: &prepared.secrets, key: self.config.key(prepared.key), stop: &stop };
        let read = reader::read(
            &Reading {
                safety: prepared.safety,
                expected: prepared.answer,
                references: &prepared.references,
                after_429,
                redact: &|text| mask.text(text),
                stop: &why,
            },
            answer,
        );
        if read.paid_twice {
            self.log.line(Level::Error, || format!("{}: paid twice, says the answer's history", prepared.label()));
        }
        read
    }

    fn log_try(&self, prepared: &Prepared, number: u32, reply: &Reply, tried: &Try, took: Duration) {
        let level = if reply.status == Status::Ok { Level::Info } else { Level::Warn };
        self.log.line(level, || {
            format!(
                "{} try {number}: {} {} HTTP {} in {} ms, verdict {}{}",
                prepared.label(),
                paysvc_spec::status::name_of(reply.status),
                paysvc_spec::status::name_of_outcome(tried.outcome),
                reply.http_status,
                took.as_millis(),
                tried.line,
                if tried.stale { " (kept connection was closed)" } else { "" },
            )
        });
    }
}

/// `None` without the key. ureq would make each of these anew for every request.
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

/// Whether the call has come to its end.
fn stop(deadline: Instant, call: Option<&Arc<Call>>) -> impl Fn() -> bool {
    move || call.is_some_and(|call| call.is_cancelled()) || Instant::now() >= deadline
}

/// For the jitter of the back-off; without randomness the wait is the shortest.
fn random() -> u64 {
    let mut bytes = [0; 8];
    match section(|| aws_lc_rs::rand::fill(&mut bytes)) {
        Ok(()) => u64::from_ne_bytes(bytes),
        Err(_) => 0,
    }
}

/// A cancel ends the pause; the next try then notices it.
fn pause(wait: Duration, call: Option<&Arc<Call>>) {
    match call {
        Some(call) => {
            call.wait_until(Instant::now() + wait);
        }
        None => std::thread::sleep(wait),
    }
}
