//! Sends a prepared request, and again as long as the retry rule allows it.

use std::time::{Duration, Instant};

use ureq::http::{HeaderName, HeaderValue, header};

use super::retry::{self, Attempt, Next};
use super::{CallContext, Client, JSON};
use crate::client::log::{Level, Line, LoggedAttempt, LoggedResult};
use crate::request::Prepared;
use crate::response::reader::{self, AnswerContext, ReadAnswer};
use crate::response::redact::Redactor;
use crate::response::reply::Reply;
use crate::response::verdict::{self, AttemptResult};
use crate::transport::answer::{BodyError, HttpAnswer};
use crate::transport::{ExchangeResult, WireRequest, trace};
use crate::util::failpoint;
use crate::util::limits::MAX_LINE;
use crate::util::memory;
use crate::util::process::critical_section;
use crate::util::validation_error::ValidationError;
use paysvc_spec::schema::{Method, Safety};
use paysvc_spec::status::{self, Outcome, Status};

impl Client {
    /// Sends a request that may have been sent before. `after_429`: every answer to it was a 429 that proved that it was not
    /// executed. The verdicts go on from there.
    pub(super) fn send(
        &self,
        context: &CallContext<'_>,
        prepared: Result<Prepared, ValidationError>,
        after_429: bool,
    ) -> Reply {
        let reply = prepared.and_then(|prepared| self.send_with_retries(context, &prepared, after_429));
        let reply = reply.unwrap_or_else(Reply::invalid);
        if reply.attempts == 0 && reply.outcome == Outcome::NotSent {
            context.log(Level::Warn, || format!("nothing was sent: {}", status::name_of(reply.status)));
        }
        reply
    }

    fn wire_request<'a>(
        &self,
        context: &'a CallContext<'_>,
        prepared: &'a Prepared,
    ) -> Result<WireRequest<'a>, ValidationError> {
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
            // These are expected to have content (RFC 9110, 8.6). Without a length ureq would send them chunked.
            (None, Method::Post | Method::Put) => {
                headers.insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
            }
            (None, _) => {}
        }
        if let Some(traceparent) = context.bounds.token.as_ref().and_then(|token| token.traceparent()) {
            headers.insert(trace::TRACEPARENT, traceparent);
        }
        for (name, value) in &prepared.headers {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unsendable("a header"))?;
            headers.insert(name, HeaderValue::from_str(value).map_err(|_| unsendable("a header"))?);
        }
        let body = prepared.body.as_ref().map(|body| body.as_slice());
        Ok(WireRequest {
            method: prepared.method,
            uri,
            headers,
            body,
            read_only: prepared.safety == Safety::ReadOnly,
            bounds: &context.bounds,
            keep_trace: context.wants(Level::Warn),
        })
    }

    fn send_with_retries(
        &self,
        context: &CallContext<'_>,
        prepared: &Prepared,
        mut after_429: bool,
    ) -> Result<Reply, ValidationError> {
        let transport = self.transport("request")?;
        failpoint::at("client");
        // The outcome of earlier attempts stands when a later one sends nothing.
        let mut earlier_outcome = if after_429 { Outcome::Rejected } else { Outcome::NotSent };
        // A call may send several requests.
        let earlier_requests = context.record.attempts();
        for index in 0.. {
            // Fails before the first attempt or never: all attempts send the same request.
            let request = self.wire_request(context, prepared)?;
            let attempts = context.record.attempts() - earlier_requests;
            if context.bounds.is_cancelled() {
                let reply = Reply::failed(Status::Cancelled, earlier_outcome, "the call was cancelled");
                return Ok(Reply { attempts, ..reply });
            }
            if memory::is_spent() {
                let reply = Reply::failed(Status::Transport, earlier_outcome, memory::LACK);
                return Ok(Reply { attempts, ..reply });
            }
            self.log_begin(context, prepared, index + 1);
            let started = Instant::now();
            let result = transport.exchange(request);
            context.record.count(result.sent);
            let judged = self.judge(context, prepared, result, after_429);
            self.log_attempt(context, prepared, index + 1, &judged, started.elapsed());
            let Judged { mut reply, mut attempt, .. } = judged;
            after_429 |= reply.http_status == 429;
            if reply.outcome == Outcome::NotSent {
                reply.outcome = earlier_outcome;
            }
            earlier_outcome = reply.outcome;
            reply.attempts = context.record.attempts() - earlier_requests;
            attempt.index = index;
            let left = context.bounds.time_left();
            match retry::next(&attempt, self.config.max_attempts, left, random) {
                Next::Stop => return Ok(reply),
                Next::TooLate(wait) => {
                    reply.retry_after_ms = u64::try_from(wait.as_millis()).ok();
                    return Ok(reply);
                }
                Next::After(wait) => {
                    context.log(Level::Info, || format!("{} again in {} ms", prepared.label(), wait.as_millis()));
                    // A cancel ends it, which the next attempt notices.
                    context.bounds.pause(wait);
                }
            }
        }
        unreachable!("the attempts end at max_attempts")
    }

    /// Sends a request once, also where an attempt may be repeated. Returns the answer's date, too.
    pub(super) fn send_once(
        &self,
        context: &CallContext<'_>,
        prepared: &Prepared,
    ) -> Result<(Reply, Option<String>), ValidationError> {
        let request = WireRequest { keep_trace: true, ..self.wire_request(context, prepared)? };
        self.log_begin(context, prepared, 1);
        let started = Instant::now();
        let result = self.transport("request")?.exchange(request);
        context.record.count(result.sent);
        let answer = result.result.as_ref().ok();
        let date = answer.and_then(|answer| answer.trace.iter().find(|(name, _)| *name == trace::DATE));
        let date = date.map(|(_, date)| date.clone());
        let judged = self.judge(context, prepared, result, false);
        self.log_attempt(context, prepared, 1, &judged, started.elapsed());
        Ok((judged.reply, date))
    }

    /// What one attempt proves.
    fn judge(&self, context: &CallContext<'_>, prepared: &Prepared, result: ExchangeResult, after_429: bool) -> Judged {
        let ExchangeResult { sent, reused, result } = result;
        let (mut trace, mut paid_twice) = (Vec::new(), false);
        let (reply, line, again, permanent, broken) = match result {
            Ok(answer) => {
                let (read, read_trace) = self.read(context, prepared, answer, after_429);
                trace = read_trace;
                paid_twice = read.paid_twice;
                (read.reply, read.line, read.again, false, false)
            }
            Err(error) => {
                let result = AttemptResult::NoAnswer { sent, status: error.status };
                let verdict = verdict::decide(prepared.safety, &result, after_429);
                let advice = verdict::advice(prepared.safety, verdict.outcome);
                let message = match verdict.explanation.or(advice) {
                    Some(explanation) => format!("{explanation}; {}", error.message),
                    None => error.message,
                };
                let reply = Reply::failed(verdict.status, verdict.outcome, message);
                // A cancelled call and a bug in this library are no reason to retry.
                let transient = matches!(error.status, Status::Transport | Status::Timeout);
                (reply, verdict.line, verdict.again && transient, error.permanent, error.status == Status::Transport)
            }
        };
        let attempt = Attempt {
            index: 0,
            line,
            again,
            outcome: reply.outcome,
            permanent,
            stale: broken && reused && !sent,
            retry_after_ms: reply.retry_after_ms,
        };
        Judged { reply, attempt, paid_twice, trace }
    }

    fn read(
        &self,
        context: &CallContext<'_>,
        prepared: &Prepared,
        answer: HttpAnswer,
        after_429: bool,
    ) -> (ReadAnswer, Trace) {
        let end_of_call = || match context.bounds.ended()? {
            Status::Cancelled => Some(BodyError::Cancelled),
            _ => Some(BodyError::Timeout),
        };
        let stop = || context.bounds.is_over();
        let redactor = Redactor { secrets: &prepared.secrets, key: self.config.key(prepared.key), stop: &stop };
        let trace = masked(&answer.trace, &redactor);
        let mut read = reader::read(
            &AnswerContext {
                safety: prepared.safety,
                expected: prepared.answer,
                references: &prepared.references,
                after_429,
                redact: &|text| redactor.redact(text),
                stop: &end_of_call,
            },
            answer,
        );
        let number = trace.iter().find(|(name, _)| *name != trace::DATE);
        read.reply.request_id = number.map(|(_, number)| number.clone()).unwrap_or_default();
        (read, trace)
    }

    fn log_begin(&self, context: &CallContext<'_>, prepared: &Prepared, number: u32) {
        context.log(Level::Debug, || Line {
            text: format!("{} attempt {number} begins", prepared.label()),
            attempt: Some(LoggedAttempt { endpoint: prepared.name, number, result: None }),
        });
    }

    fn log_attempt(
        &self,
        context: &CallContext<'_>,
        prepared: &Prepared,
        number: u32,
        judged: &Judged,
        took: Duration,
    ) {
        let Judged { reply, attempt, paid_twice, trace } = judged;
        if *paid_twice {
            context.log(Level::Error, || format!("{}: paid twice, says the answer's history", prepared.label()));
        }
        let level = if reply.status == Status::Ok { Level::Info } else { Level::Warn };
        context.log(level, || {
            let trace: String = trace.iter().map(|(name, value)| format!("; {name} {value}")).collect();
            let text = format!(
                "{} attempt {number}: {} {} HTTP {} in {} ms, verdict {}{}{trace}",
                prepared.label(),
                status::name_of(reply.status),
                status::name_of_outcome(attempt.outcome),
                reply.http_status,
                took.as_millis(),
                attempt.line,
                if attempt.stale { " (kept connection was closed)" } else { "" },
            );
            let result = LoggedResult {
                status: reply.status,
                outcome: attempt.outcome,
                http_status: reply.http_status,
                took,
                request_id: &reply.request_id,
            };
            Line { text, attempt: Some(LoggedAttempt { endpoint: prepared.name, number, result: Some(result) }) }
        });
    }
}

/// What one attempt proves, and what its line of the log says besides.
struct Judged {
    reply: Reply,
    attempt: Attempt,
    paid_twice: bool,
    trace: Trace,
}

/// The service's date and numbers of the request, by their names.
type Trace = Vec<(&'static str, String)>;

/// What the service said of the request besides its answer, with every secret masked: it may repeat one anywhere.
fn masked(trace: &Trace, redactor: &Redactor<'_>) -> Trace {
    trace.iter().filter_map(|(name, value)| Some((*name, redactor.redact(value)?))).collect()
}

/// For the jitter of the back-off. If the system has no randomness, the wait is zero.
pub(super) fn random() -> u64 {
    let mut bytes = [0; 8];
    match critical_section(|| aws_lc_rs::rand::fill(&mut bytes)) {
        Ok(()) => u64::from_ne_bytes(bytes),
        Err(_) => 0,
    }
}
