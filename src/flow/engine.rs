//! The one loop that sends, for a single call and for a batch: reads the ledger and decides, connects, claims every item,
//! sends, judges the response, ends every claim, and sends again or stops. One memory has what earlier attempts proved.

use std::time::{Duration, Instant};

use ureq::http::{HeaderName, HeaderValue, header};

use super::Client;
use super::patience::{Again, Backoff, Next, Patience, PriorAttempts, random};
use crate::answer::reader::{self, AnswerContext, Judgement};
use crate::answer::redact::Redactor;
use crate::answer::reply::{Evidence, Reply};
use crate::answer::verdict::Verdict;
use crate::call::Call;
use crate::call::log::{Level, Line};
use crate::json::object::Object;
use crate::ledger::row::{End, Row};
use crate::ledger::table::{Claims, Decision};
use crate::ledger::{ClaimResult, Ledger, MAX_END, Snapshot, claims};
use crate::request::Request;
use crate::util::expiry::Expiry;
use crate::util::memory::MAX_LINE;
use crate::util::panics::failpoint;
use crate::util::validation_error::ValidationError;
use crate::wire::answer::{DATE, HttpAnswer, TRACEPARENT};
use crate::wire::{ExchangeResult, Transport, TransportError, Usage, WireRequest};
use paysvc_spec::schema::{Method, NO_PRICE, Safety};
use paysvc_spec::status::{self, Outcome, Status};

/// A claim that is older is not sent: somebody may have looked up since, and found nothing.
const MAX_AGE: Duration = Duration::from_secs(5);
/// The wait between two reads of the journal while another call is under way, and before another attempt to claim.
const WAITS: Backoff = Backoff { first_ms: 20, longest_ms: 500, growth: 150, jitter: (75, 125) };
/// A run that loses so many races for a key gives up.
const MAX_RACES: u32 = 100;

/// The items of a run: one request, or the recipients of a batch. Only items with an entry in the ledger have a number.
pub trait Items {
    /// Returns the reason why no attempt may begin now.
    fn obstacle(&mut self) -> Option<Reply>;

    /// Decides the next step for an item by its rows in the ledger.
    fn decide(&mut self, item: usize, known: &Snapshot, found: &Claims<'_>, decision: &Decision<'_>) -> Step;

    /// Makes the request of these items and hands it to `send`; without one, the attempt has the reason.
    fn send(&mut self, ready: &[ReadyItem], send: &dyn Fn(&Request<'_>) -> Attempt) -> Attempt;

    /// Returns the end of each of these items, as this attempt and those before it prove it.
    fn judge(&mut self, ready: &[ReadyItem], attempt: &Attempt) -> Vec<End>;

    /// The ends are written. `again`: the items are to be sent again. False: the caller wants to stop.
    fn ended(&mut self, _again: bool) -> bool {
        true
    }
}

/// The next step for an item.
pub enum Step {
    Send,
    /// Another call with it is under way.
    Wait,
    /// Something was written to the ledger: it is read again.
    Reread,
    Hold,
}

/// An item that may be sent.
pub struct ReadyItem {
    pub item: usize,
    known: Snapshot,
    /// An earlier request with it was answered with 429, whichever call sent it.
    pub after_429: bool,
}

pub enum RunEnd {
    /// The last attempt, and what all attempts have proved.
    Attempted(Reply),
    /// Something kept it from an attempt.
    Stopped(Reply),
    /// Others kept writing to the journal.
    Superseded(Reply),
    /// The ledger lets none of the items be sent.
    Held,
}

pub struct Attempt {
    pub reply: Reply,
    /// The verdict on items that no earlier 429 concerns.
    pub first_verdict: Verdict,
    again: Again,
    claiming: Claiming,
    label: [&'static str; 2],
    /// The service's date and numbers of the request, by their names.
    trace: Vec<(&'static str, String)>,
}

impl Attempt {
    /// The claim of its first item.
    pub fn claim(&self) -> Option<&Row> {
        match &self.claiming {
            Claiming::Claimed(claims) => claims.first(),
            _ => None,
        }
    }

    /// Returns the outcome that it proves for the item.
    pub fn outcome_for(&self, item: &ReadyItem) -> Outcome {
        if item.after_429 { self.reply.outcome() } else { self.first_verdict.outcome }
    }
}

/// The result of writing the claims of an attempt.
enum Claiming {
    /// There was no connection, or no request.
    NotTried,
    /// In the order of the items; none if the ledger is empty.
    Claimed(Vec<Row>),
    Superseded,
    Failed(String),
}

/// The next round of a run, by its reading of the ledger.
enum Round {
    Ready(Vec<ReadyItem>),
    Wait,
    Reread,
}

impl Client {
    pub(super) fn engine<'a>(&'a self, call: &'a Call<'a>, ledger: Ledger<'a>) -> Result<Engine<'a>, ValidationError> {
        Ok(Engine { client: self, call, transport: self.transport("request")?, ledger })
    }

    /// Sends a request once, also where an attempt may be repeated. Returns the response's date, too.
    pub(super) fn send_once(
        &self,
        call: &Call<'_>,
        prepared: &Request<'_>,
    ) -> Result<(Reply, Option<String>), ValidationError> {
        let engine = self.engine(call, Ledger::Empty)?;
        let request = WireRequest { keep_trace: true, ..engine.wire_request(prepared)? };
        let Attempt { reply, trace, .. } = engine.attempt(call, prepared, request, &[], 1, false);
        let date = trace.into_iter().find(|(name, _)| *name == DATE);
        Ok((reply, date.map(|(_, date)| date)))
    }
}

/// The state that all attempts of a run share.
pub struct Engine<'a> {
    client: &'a Client,
    call: &'a Call<'a>,
    transport: &'a Transport,
    ledger: Ledger<'a>,
}

impl<'a> Engine<'a> {
    /// Sends the items until an attempt settles the question, the ledger lets none be sent, the patience is over, or the
    /// call.
    pub fn run(&self, items: &mut dyn Items, mut patience: Patience) -> RunEnd {
        failpoint::at("client");
        let bounds = &self.call.bounds;
        let mut rest: Vec<usize> = (0..self.ledger.entries().len()).collect();
        let is_recorded = !rest.is_empty();
        let (mut prior, mut races, mut waits) = (PriorAttempts::NONE, 0, 0);
        // Before the ledger was read, the fact that this run sent nothing proves nothing about others.
        let mut nothing_open = !is_recorded;
        for number in 1.. {
            let ready = loop {
                if let Some(mut reply) = items.obstacle() {
                    prior.add(&mut reply);
                    return RunEnd::Stopped(if nothing_open { reply } else { reply.about_earlier() });
                }
                match self.read(items, &mut rest) {
                    Ok(Round::Ready(ready)) => break ready,
                    Ok(Round::Reread) => {}
                    Ok(Round::Wait) => {
                        nothing_open = false;
                        bounds.pause(WAITS.wait(waits, random));
                        waits += 1;
                    }
                    Err(why) => return RunEnd::Stopped(journal_failed(&why, Outcome::Unknown)),
                }
            };
            if is_recorded && rest.is_empty() {
                return RunEnd::Held;
            }
            nothing_open = true;
            let after_429 = prior.after_429 || ready.iter().any(|item| item.after_429);
            let send = |request: &Request<'_>| self.send(&patience, request, &ready, number, after_429);
            let mut attempt = items.send(&ready, &send);
            prior.add(&mut attempt.reply);
            let next = match &attempt.claiming {
                Claiming::Superseded => {
                    (races, nothing_open) = (races + 1, false);
                    // If many came back at once, all but one would lose the race again.
                    if races == MAX_RACES { Next::GiveUp } else { Next::After(WAITS.wait(races - 1, random)) }
                }
                _ => patience.next(attempt.again, bounds.time_left(), random),
            };
            let again = matches!(next, Next::After(_));
            let mut goes_on = true;
            if !again || !matches!(attempt.claiming, Claiming::NotTried) {
                let ends = items.judge(&ready, &attempt);
                if let Claiming::Claimed(claims) = &attempt.claiming {
                    claims
                        .iter()
                        .zip(ends)
                        .for_each(|(claim, end)| self.write_end(claim, end, attempt.reply.evidence.reading.sent));
                }
                goes_on = items.ended(again);
            }
            let Attempt { mut reply, label: [method, path], .. } = attempt;
            match next {
                // A cancel ends the wait, and is an obstacle to the next attempt.
                Next::After(wait) if goes_on => {
                    self.call.log(Level::Info, || format!("{method} {path} again in {} ms", wait.as_millis()));
                    bounds.pause(wait);
                    continue;
                }
                Next::TooLate(wait) => reply.evidence.reading.retry_after_ms = u64::try_from(wait.as_millis()).ok(),
                _ => {}
            }
            return if nothing_open { RunEnd::Attempted(reply) } else { RunEnd::Superseded(reply.about_earlier()) };
        }
        unreachable!("the attempts end with the patience")
    }

    /// Reads the ledger's rows of each item, and decides what follows. An item that is not sent is removed.
    fn read(&self, items: &mut dyn Items, rest: &mut Vec<usize>) -> Result<Round, String> {
        let mut ready = Vec::new();
        let mut index = 0;
        let Ledger::Journal(journal, entries) = self.ledger else { return Ok(Round::Ready(ready)) };
        while let Some(&item) = rest.get(index) {
            let entry = &entries[item];
            let known = journal.read(entry, self.call)?;
            let found = Claims::of(&known.rows);
            let decision = journal.decide(entry, &found);
            self.call.log(Level::Debug, || format!("the journal, line {}", decision.line.number));
            let after_429 = claims::is_after_429(found.claims(), &entry.key, entry.record.step);
            match items.decide(item, &known, &found, &decision) {
                Step::Send => {
                    ready.push(ReadyItem { item, known, after_429 });
                    index += 1;
                }
                Step::Wait => return Ok(Round::Wait),
                Step::Reread => return Ok(Round::Reread),
                Step::Hold => _ = rest.remove(index),
            }
        }
        Ok(Round::Ready(ready))
    }

    fn send(
        &self,
        patience: &Patience,
        prepared: &Request<'_>,
        ready: &[ReadyItem],
        number: u32,
        after_429: bool,
    ) -> Attempt {
        let request = match self.wire_request(prepared) {
            Ok(request) => request,
            Err(error) => return Attempt::without_request(Reply::invalid(error)),
        };
        match patience.max_attempt {
            None => self.attempt(self.call, prepared, request, ready, number, after_429),
            Some(most) => self.attempt(&self.call.within(most), prepared, request, ready, number, after_429),
        }
    }

    fn wire_request<'p>(&self, prepared: &'p Request<'_>) -> Result<WireRequest<'p>, ValidationError> {
        let unsendable = |what: &str| {
            ValidationError::new(Status::Argument, format!("{what} cannot be sent: it is too long or malformed"))
        };
        if prepared.url.len() > MAX_LINE {
            return Err(unsendable("the URL made of the request"));
        }
        let uri = self.transport.uri(&prepared.url).ok_or_else(|| unsendable("the URL made of the request"))?;
        let common = self.client.headers[prepared.key as usize].clone();
        let mut headers = common.ok_or_else(|| unsendable(prepared.key.setting()))?;
        if prepared.body.is_none() {
            headers.remove(header::CONTENT_TYPE);
            // These are expected to have content (RFC 9110, 8.6). Without a length ureq would send them chunked.
            if matches!(prepared.method, Method::Post | Method::Put) {
                headers.insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
            }
        }
        if let Some(traceparent) = self.call.bounds.token.as_ref().and_then(|token| token.traceparent()) {
            headers.insert(TRACEPARENT, traceparent);
        }
        for (name, value) in &prepared.headers {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unsendable("a header"))?;
            headers.insert(name, HeaderValue::from_str(value).map_err(|_| unsendable("a header"))?);
        }
        let body = prepared.body.as_ref().map(|body| body.as_slice());
        Ok(WireRequest { method: prepared.method, uri, headers, body, keep_trace: self.call.wants(Level::Warn) })
    }

    /// Connects, claims and sends; the call may be a part of the run's.
    fn attempt(
        &self,
        call: &Call<'_>,
        prepared: &Request<'_>,
        request: WireRequest<'_>,
        ready: &[ReadyItem],
        number: u32,
        after_429: bool,
    ) -> Attempt {
        let label = [prepared.method.name(), prepared.log_path];
        if number == 1 && prepared.lacks_price {
            call.log(Level::Warn, || format!("{}: {NO_PRICE}", prepared.label()));
        }
        call.log(Level::Debug, || Line {
            text: format!("{} attempt {number} begins", prepared.label()),
            fields: Some(Box::new(move |line| {
                line.text("endpoint", prepared.name);
                line.literal("attempt", number);
                line.literal("begins", true);
            })),
        });
        let started = Instant::now();
        let nothing = |why: &str| ExchangeResult::not_sent(TransportError::new(Status::Transport, why));
        let (claiming, result) = match self.transport.connection(prepared.safety == Safety::ReadOnly, call) {
            Err(error) => (Claiming::NotTried, ExchangeResult::not_sent(error)),
            Ok(connection) => {
                let send_until = (!ready.is_empty()).then(|| Expiry::after(MAX_AGE.min(call.time_left())));
                match self.claim(call, ready) {
                    Claiming::Superseded => {
                        (Claiming::Superseded, nothing("another call wrote to the journal in the meantime"))
                    }
                    Claiming::Failed(why) => (Claiming::Failed(why), nothing("the journal could not be written")),
                    claimed => (claimed, connection.exchange(request, send_until)),
                }
            }
        };
        let ExchangeResult { usage: Usage { sent, reused, note }, result } = result;
        call.record.count(sent, prepared.safety);
        let stop = || call.bounds.is_over();
        let key = self.client.config.key(prepared.key);
        let redactor = Redactor { secrets: &prepared.secrets, key, stop: &stop };
        let at_any_time = Redactor { stop: &|| false, ..redactor };
        if let Some(note) = note.and_then(|note| at_any_time.redact(&note)) {
            call.log(Level::Warn, || format!("{} attempt {number}: {note}", prepared.label()));
        }
        let mut trace = Vec::new();
        let (judged, again) = match result {
            Ok(answer) => {
                let judged = answered(call, prepared, answer, after_429, &redactor, &mut trace);
                let Evidence { reading, verdict } = &judged.reply.evidence;
                let retry_after_ms = reading.retry_after_ms;
                let again = match reading.http_status {
                    _ if !verdict.again => Again::No,
                    429 => Again::Busy(retry_after_ms),
                    _ => Again::Later(retry_after_ms),
                };
                (judged, again)
            }
            Err(error) => {
                let judged = reader::unanswered(prepared.safety, after_429, sent, error.status, &error.message);
                let again = match judged.reply.evidence.verdict.again && error.is_transient() {
                    // A kept connection had been closed: a new one helps, and waiting does not.
                    true if error.status == Status::Transport && reused && !sent => Again::AtOnce,
                    true => Again::Later(None),
                    false => Again::No,
                };
                (judged, again)
            }
        };
        let Judgement { reply, first_verdict, paid_twice } = judged;
        if paid_twice {
            call.log(Level::Error, || {
                format!("{}: the history in the response says that it was paid twice", prepared.label())
            });
        }
        let mut attempt = Attempt { reply, first_verdict, again, claiming, label, trace };
        attempt.log(call, prepared, number, started.elapsed());
        if let Claiming::Failed(why) = &attempt.claiming {
            (attempt.reply, attempt.again) = (journal_failed(why, Outcome::NotSent), Again::No);
        }
        attempt
    }

    /// All items or none: if one cannot be claimed, those claimed before it are ended as not sent.
    fn claim(&self, call: &Call<'_>, ready: &[ReadyItem]) -> Claiming {
        let mut claims = Vec::new();
        for ReadyItem { item, known, .. } in ready {
            let failed = match self.ledger.claim(&self.ledger.entries()[*item], known, call) {
                Ok(ClaimResult::Claimed(row)) => {
                    claims.push(*row);
                    continue;
                }
                Ok(ClaimResult::Superseded) => Claiming::Superseded,
                Err(why) => Claiming::Failed(why),
            };
            claims.iter().for_each(|claim| self.write_end(claim, End::not_sent(""), false));
            return failed;
        }
        Claiming::Claimed(claims)
    }

    /// Writes an end, and logs if that fails: the key stays open, and the reply does not change. `sent`: a byte of the
    /// claim's request.
    fn write_end(&self, claim: &Row, mut end: End, sent: bool) {
        if !sent {
            // The proof of an earlier attempt is in its own end.
            end.outcome = Outcome::NotSent;
        }
        let (id, name) = (&claim.id, status::name_of_outcome(end.outcome));
        end.of.clone_from(id);
        // A list has no deadline.
        let call = self.call.within(self.client.config.timeout).at_least(MAX_END);
        match self.ledger.end(claim, &end, &call) {
            Ok(false) => {}
            Ok(true) => self.call.log(Level::Error, || {
                format!("claim {id} was settled by a person, but the service's response is now {name}")
            }),
            Err(why) => self.call.log(Level::Error, || {
                format!("the journal could not record {name} of claim {id}, which stays open: {why}")
            }),
        }
    }
}

/// Reads the response, with every secret masked: it may repeat one anywhere.
fn answered(
    call: &Call<'_>,
    prepared: &Request<'_>,
    answer: HttpAnswer,
    after_429: bool,
    redactor: &Redactor<'_>,
    trace: &mut Vec<(&'static str, String)>,
) -> Judgement {
    trace.extend(answer.trace.iter().filter_map(|(name, value)| Some((*name, redactor.redact(value)?))));
    let context = AnswerContext {
        safety: prepared.safety,
        expected: prepared.answer,
        references: &prepared.references,
        fields: prepared.fields(),
        after_429,
        redact: &|text| redactor.redact(text),
        ended: &|| call.bounds.ended(),
    };
    let mut judged = reader::read(&context, answer);
    let request_id = trace.iter().find(|(name, _)| *name != DATE);
    let reading = &mut judged.reply.evidence.reading;
    reading.request_id = request_id.map(|(_, id)| id.clone()).unwrap_or_default();
    reading.row = prepared.row.filter(|_| reading.facts.is_some());
    judged
}

impl Attempt {
    /// There is no request to send.
    pub fn without_request(reply: Reply) -> Attempt {
        let (first_verdict, claiming, trace) = (reply.evidence.verdict, Claiming::NotTried, Vec::new());
        Attempt { reply, first_verdict, again: Again::No, claiming, label: ["", ""], trace }
    }

    fn log(&self, call: &Call<'_>, prepared: &Request<'_>, number: u32, took: Duration) {
        let Attempt { reply, again, trace, .. } = self;
        let Evidence { reading, verdict } = &reply.evidence;
        let level = match verdict.status {
            Status::Ok => Level::Info,
            Status::Rejected if call.expects_nothing => Level::Debug,
            _ => Level::Warn,
        };
        call.log(level, || {
            let trace: String = trace.iter().map(|(name, value)| format!("; {name} {value}")).collect();
            let (status, outcome) = (status::name_of(verdict.status), status::name_of_outcome(verdict.outcome));
            let text = format!(
                "{} attempt {number}: {status} {outcome} HTTP {} in {} ms, verdict {}{}{trace}",
                prepared.label(),
                reading.http_status,
                took.as_millis(),
                verdict.line,
                if *again == Again::AtOnce { " (kept connection was closed)" } else { "" },
            );
            let fields = Box::new(move |line: &mut Object<'_>| {
                line.text("endpoint", prepared.name);
                line.literal("attempt", number);
                line.text("status", status);
                line.text("outcome", outcome);
                line.literal("http_status", reading.http_status);
                line.literal("ms", took.as_millis());
                line.text("request_id", &reading.request_id);
            });
            Line { text, fields: Some(fields) }
        });
    }
}

/// The journal cannot be read or written; nothing was sent.
pub fn journal_failed(why: &str, outcome: Outcome) -> Reply {
    Reply::failed(Status::Journal, outcome, journal_failed_text(why))
}

pub fn journal_failed_text(why: &str) -> String {
    format!("the journal failed, nothing was sent: {why}")
}
