//! Sends a prepared request, and sends it again as long as the retry rule allows. It reads in the order in which things
//! happen: the request, its attempts, the exchange and the verdict of each, and whether another one follows.

use std::time::{Duration, Instant};

use ureq::http::{HeaderName, HeaderValue, header};

use super::backoff::random;
use super::retry::{self, Again, Next, PriorAttempts};
use super::{CallContext, Client, JSON};
use crate::answer::reader::{self, AnswerContext, Judged};
use crate::answer::redact::{Redactor, WITHHELD};
use crate::answer::reply::Reply;
use crate::flow::log::{Level, Line, LoggedAttempt, LoggedResult};
use crate::request::Request;
use crate::util::ended::CANCELLED;
use crate::util::failpoint;
use crate::util::limits::MAX_LINE;
use crate::util::memory;
use crate::util::validation_error::ValidationError;
use crate::wire::answer::HttpAnswer;
use crate::wire::{ExchangeResult, Transport, TransportError, WireRequest, trace};
use paysvc_spec::schema::{Method, NO_PRICE, Safety};
use paysvc_spec::status::{self, Outcome, Status};

impl Client {
    /// Sends a request about which earlier attempts may have proved something.
    pub(super) fn send(
        &self,
        context: &CallContext<'_>,
        mut prepared: Result<Request<'_>, ValidationError>,
        prior: PriorAttempts,
    ) -> Reply {
        if let (Ok(prepared), Some(masked)) = (&mut prepared, context.masked()) {
            prepared.secrets.extend(masked);
        }
        let sent_before = context.record.sent();
        let reply = prepared.and_then(|prepared| self.sender(context, &prepared)?.send(prior));
        let reply = reply.unwrap_or_else(Reply::invalid);
        if context.record.sent() == sent_before && reply.outcome == Outcome::NotSent {
            context.log(Level::Warn, || format!("nothing was sent: {}", status::name_of(reply.status)));
        }
        reply
    }

    /// Sends a request once, also where an attempt may be repeated. Returns the answer's date, too.
    pub(super) fn send_once(
        &self,
        context: &CallContext<'_>,
        prepared: &Request<'_>,
    ) -> Result<(Reply, Option<String>), ValidationError> {
        let sender = self.sender(context, prepared)?;
        let request = WireRequest { keep_trace: true, ..sender.request()? };
        let Attempt { judged, trace, .. } = sender.attempt(request, 1, PriorAttempts::NONE);
        let date = trace.into_iter().find(|(name, _)| *name == trace::DATE);
        Ok((judged.reply, date.map(|(_, date)| date)))
    }

    pub(super) fn sender<'a>(
        &'a self,
        context: &'a CallContext<'a>,
        prepared: &'a Request<'a>,
    ) -> Result<Sender<'a>, ValidationError> {
        Ok(Sender { client: self, context, prepared, transport: self.transport("request")? })
    }
}

/// What all attempts to send a request have in common.
pub(super) struct Sender<'a> {
    client: &'a Client,
    context: &'a CallContext<'a>,
    prepared: &'a Request<'a>,
    transport: &'a Transport,
}

/// The result of one attempt.
pub(super) struct Attempt {
    pub judged: Judged,
    pub again: Again,
    /// What the service said about the request besides its answer.
    trace: Trace,
}

/// The service's date and numbers of the request, by their names.
type Trace = Vec<(&'static str, String)>;

impl<'a> Sender<'a> {
    /// One attempt after the other, until one settles the question, or there are too many, or the time is over.
    fn send(&self, mut prior: PriorAttempts) -> Result<Reply, ValidationError> {
        failpoint::at("client");
        for number in 1.. {
            // Fails only before the first attempt, because all attempts send the same request.
            let request = self.request()?;
            let (mut reply, next) = match self.obstacle() {
                Some(reply) => (reply, Next::GiveUp),
                None => {
                    let Attempt { judged, again, .. } = self.attempt(request, number, prior);
                    let left = self.context.bounds.time_left();
                    (judged.reply, retry::next(again, number, self.client.config.max_attempts, left, random))
                }
            };
            prior.add(&mut reply);
            match next {
                Next::GiveUp => return Ok(reply),
                Next::TooLate(wait) => {
                    reply.retry_after_ms = u64::try_from(wait.as_millis()).ok();
                    return Ok(reply);
                }
                Next::After(wait) => {
                    self.context
                        .log(Level::Info, || format!("{} again in {} ms", self.prepared.label(), wait.as_millis()));
                    // A cancel ends the wait, and is an obstacle to the next attempt.
                    self.context.bounds.pause(wait);
                }
            }
        }
        unreachable!("the attempts end at max_attempts")
    }

    pub(super) fn request(&self) -> Result<WireRequest<'a>, ValidationError> {
        let unsendable = |what: &str| {
            ValidationError::new(Status::Argument, format!("{what} cannot be sent: it is too long or malformed"))
        };
        if self.prepared.url.len() > MAX_LINE {
            return Err(unsendable("the URL made of the request"));
        }
        let uri = self.prepared.url.parse().map_err(|_| unsendable("the URL made of the request"))?;
        let common = self.client.headers[self.prepared.key as usize].clone();
        let mut headers = common.ok_or_else(|| unsendable(self.prepared.key.setting()))?;
        match (&self.prepared.body, self.prepared.method) {
            (Some(_), _) => {
                headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
            }
            // These are expected to have content (RFC 9110, 8.6). Without a length ureq would send them chunked.
            (None, Method::Post | Method::Put) => {
                headers.insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
            }
            (None, _) => {}
        }
        if let Some(traceparent) = self.context.bounds.token.as_ref().and_then(|token| token.traceparent()) {
            headers.insert(trace::TRACEPARENT, traceparent);
        }
        for (name, value) in &self.prepared.headers {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unsendable("a header"))?;
            headers.insert(name, HeaderValue::from_str(value).map_err(|_| unsendable("a header"))?);
        }
        let body = self.prepared.body.as_ref().map(|body| body.as_slice());
        Ok(WireRequest {
            method: self.prepared.method,
            uri,
            headers,
            body,
            read_only: self.prepared.safety == Safety::ReadOnly,
            bounds: &self.context.bounds,
            before_sending: None,
            keep_trace: self.context.wants(Level::Warn),
        })
    }

    /// Why no attempt may begin.
    pub(super) fn obstacle(&self) -> Option<Reply> {
        if self.context.bounds.is_cancelled() {
            return Some(Reply::failed(Status::Cancelled, Outcome::NotSent, CANCELLED));
        }
        memory::is_spent().then(|| Reply::failed(Status::Transport, Outcome::NotSent, memory::LACK))
    }

    pub(super) fn attempt(&self, request: WireRequest<'_>, number: u32, prior: PriorAttempts) -> Attempt {
        if number == 1 && self.prepared.lacks_price {
            self.context.log(Level::Warn, || format!("{}: {NO_PRICE}", self.prepared.label()));
        }
        self.log_begin(number);
        let started = Instant::now();
        let ExchangeResult { sent, reused, note, result } = self.transport.exchange(request);
        self.context.record.count(sent, self.prepared.safety);
        if let Some(note) = note.and_then(|note| self.redactor(&|| false).redact(&note)) {
            self.context.log(Level::Warn, || format!("{} attempt {number}: {note}", self.prepared.label()));
        }
        let attempt = match result {
            Ok(answer) => self.answered(answer, prior),
            Err(error) => self.unanswered(error, sent, reused, prior),
        };
        self.log_attempt(number, &attempt, started.elapsed());
        attempt
    }

    /// Masks the secrets of the request.
    fn redactor<'r>(&'r self, stop: &'r dyn Fn() -> bool) -> Redactor<'r> {
        Redactor { secrets: &self.prepared.secrets, key: self.client.config.key(self.prepared.key), stop }
    }

    fn answered(&self, answer: HttpAnswer, prior: PriorAttempts) -> Attempt {
        let bounds = &self.context.bounds;
        let stop = || bounds.is_over();
        let redactor = self.redactor(&stop);
        // With every secret masked: it may repeat one anywhere.
        let trace = answer.trace.iter().filter_map(|(name, value)| Some((*name, redactor.redact(value)?)));
        let trace: Trace = trace.collect();
        let mut judged = reader::read(
            &AnswerContext {
                safety: self.prepared.safety,
                expected: self.prepared.answer,
                references: &self.prepared.references,
                fields: self.prepared.fields(),
                after_429: prior.after_429,
                redact: &|text| redactor.redact(text),
                ended: &|| bounds.ended(),
            },
            answer,
        );
        let request_id = trace.iter().find(|(name, _)| *name != trace::DATE);
        judged.reply.request_id = request_id.map(|(_, id)| id.clone()).unwrap_or_default();
        let again = if judged.verdict.again { Again::Later(judged.reply.retry_after_ms) } else { Again::No };
        Attempt { judged, again, trace }
    }

    fn unanswered(&self, error: TransportError, sent: bool, reused: bool, prior: PriorAttempts) -> Attempt {
        // Only such a message repeats a part of the answer.
        let message = match error.status {
            Status::Response => self.redactor(&|| false).redact(&error.message).unwrap_or(WITHHELD.into()),
            _ => error.message.clone(),
        };
        let judged = reader::unanswered(self.prepared.safety, prior.after_429, sent, error.status, &message);
        let again = match judged.verdict.again && error.is_transient() {
            // A kept connection had been closed: a new one helps, and waiting does not.
            true if error.status == Status::Transport && reused && !sent => Again::AtOnce,
            true => Again::Later(None),
            false => Again::No,
        };
        Attempt { judged, again, trace: Trace::new() }
    }

    fn log_begin(&self, number: u32) {
        self.context.log(Level::Debug, || Line {
            text: format!("{} attempt {number} begins", self.prepared.label()),
            attempt: Some(LoggedAttempt { endpoint: self.prepared.name, number, result: None }),
        });
    }

    fn log_attempt(&self, number: u32, attempt: &Attempt, took: Duration) {
        let Attempt { judged: Judged { reply, verdict, paid_twice }, again, trace } = attempt;
        if *paid_twice {
            self.context.log(Level::Error, || {
                format!("{}: the history in the answer says that it was paid twice", self.prepared.label())
            });
        }
        let level = if reply.status == Status::Ok { Level::Info } else { Level::Warn };
        self.context.log(level, || {
            let trace: String = trace.iter().map(|(name, value)| format!("; {name} {value}")).collect();
            let text = format!(
                "{} attempt {number}: {} {} HTTP {} in {} ms, verdict {}{}{trace}",
                self.prepared.label(),
                status::name_of(reply.status),
                status::name_of_outcome(reply.outcome),
                reply.http_status,
                took.as_millis(),
                verdict.line,
                if *again == Again::AtOnce { " (kept connection was closed)" } else { "" },
            );
            let result = LoggedResult {
                status: reply.status,
                outcome: reply.outcome,
                http_status: reply.http_status,
                took,
                request_id: &reply.request_id,
            };
            let attempt = LoggedAttempt { endpoint: self.prepared.name, number, result: Some(result) };
            Line { text, attempt: Some(attempt) }
        });
    }
}
