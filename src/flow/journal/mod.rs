//! Requests that the journal records: what is found decides whether a request is sent, and its claim is durable before
//! its first byte.

mod ask;
pub mod cell;
pub(super) mod ends;
mod look_up;
mod people;
mod replay;
#[cfg(test)]
pub(super) mod tests;

use std::cell::RefCell;
use std::time::Duration;

pub(super) use people::no_journal;

use super::backoff::{Backoff, random};
use super::retry::{self, Next, PriorAttempts};
use super::send::{Attempt, Sender};
use super::{CallContext, Client};
use crate::answer::reply::Reply;
use crate::flow::log::Level;
use crate::ledger::row::{Claim, Row};
use crate::ledger::table::{Decision, Found, Wanted};
use crate::ledger::{ClaimResult, Journal, Snapshot, clock, digest};
use crate::request::Request;
use crate::request::record::Record;
use crate::request::secrets::Secrets;
use crate::util::expiry::Expiry;
use crate::util::validation_error::ValidationError;
use crate::wire::call::IdempotencyKey;
use crate::wire::{TransportError, WireRequest};
use ask::Answer;
use look_up::Settled;
use paysvc_spec::journal::{Act, Step};
use paysvc_spec::schema::{Doubt, Endpoint, Safety};
use paysvc_spec::status::{Outcome, Status};

/// A claim that is older is not sent: somebody may have looked up since, and found nothing.
pub(super) const LONGEST_AGE: Duration = Duration::from_secs(5);
/// The wait between two reads of the journal while another call is under way, and before another attempt to claim.
pub(super) const WAITS: Backoff = Backoff { first_ms: 20, longest_ms: 500, growth: 150, jitter: (75, 125) };
/// A call that loses so many races for a key gives up.
pub(super) const MOST_RACES: u32 = 100;

/// A request with its key.
pub struct Keyed {
    pub record: Record,
    pub key: String,
    /// The caller gave the key.
    pub explicit: bool,
    /// As rows name it.
    pub order: Option<String>,
}

impl Keyed {
    /// The order whose rows decide together with those of the key.
    pub fn order_to_read(&self) -> Option<&str> {
        self.order.as_deref().filter(|_| self.record.step.is_of_order())
    }
}

impl Client {
    /// The request as the journal has it; `None` if it is not recorded.
    pub(super) fn recorded(
        &self,
        context: &CallContext<'_>,
        request: &Request<'_>,
    ) -> Result<Option<(&Journal, Keyed)>, ValidationError> {
        let Some((journal, key)) = self.journal_and_key(context, request.name)? else { return Ok(None) };
        let Some(row) = request.row.filter(|row| row.name == request.name) else {
            return recorded_free(journal, request, key);
        };
        match Record::of(request) {
            Some(record) if record.step == Step::Order && key.is_some() => no_key(row.name, true),
            // Nothing is charged, and nothing could be looked up by it.
            Some(record) if record.step == Step::Order && record.order.is_none() => Ok(None),
            Some(record) => keyed(journal, context, row, record, key.as_deref()).map(|keyed| Some((journal, keyed))),
            None => no_key(row.name, key.is_some()),
        }
    }

    /// The journal, if there is one, and the key of the call.
    fn journal_and_key(
        &self,
        context: &CallContext<'_>,
        what: &str,
    ) -> Result<Option<(&Journal, Option<String>)>, ValidationError> {
        let token = context.bounds.token.as_ref();
        let key = match token.map_or(IdempotencyKey::None, |token| token.take_key()) {
            IdempotencyKey::None => None,
            IdempotencyKey::Given(key) => Some(key.to_owned()),
            IdempotencyKey::Used => {
                return Err(invalid(
                    what,
                    "the idempotency key of this call's token was already used for a request: use a new token",
                ));
            }
        };
        match self.journal.get() {
            Some(journal) => Ok(Some((journal, key))),
            None if key.is_some() => {
                let reason = "an idempotency key needs a journal: configure journal, or call client_set_store";
                Err(ValidationError::new(Status::Config, format!("{what}: {reason}")))
            }
            None => Ok(None),
        }
    }

    fn log_news(&self, context: &CallContext<'_>, journal: &Journal) {
        for text in journal.news(context.bounds.time_left()) {
            context.log(Level::Warn, || text.to_owned());
        }
    }

    /// Sends a request. If the journal records it, only if the journal allows it; otherwise answers with what is
    /// recorded.
    pub(super) fn send_or_replay(
        &self,
        context: &CallContext<'_>,
        request: Result<Request<'_>, ValidationError>,
    ) -> Reply {
        let recorded = request.as_ref().map_or(Ok(None), |request| self.recorded(context, request));
        let (journal, keyed) = match recorded {
            Ok(Some(recorded)) => recorded,
            Ok(None) => return self.send(context, request, PriorAttempts::NONE),
            // The open requests could not be read.
            Err(error) if error.status == Status::Journal => return Reply::invalid(error).about_earlier(),
            Err(error) => return Reply::invalid(error),
        };
        let reply = request.and_then(|request| {
            let sender = self.sender(context, &request)?;
            let (row, secrets) = (request.row, &request.secrets);
            Ok(Recorded { client: self, context, journal, keyed: &keyed, row, secrets, sender }.run())
        });
        reply.unwrap_or_else(Reply::invalid)
    }

    /// Fails for a call of a function that takes no idempotency key, if its token has one.
    pub fn check_no_key(&self, context: &CallContext<'_>) -> Result<(), ValidationError> {
        match context.bounds.token.as_ref().map(|token| token.take_key()) {
            None | Some(IdempotencyKey::None) => Ok(()),
            Some(IdempotencyKey::Given(_) | IdempotencyKey::Used) => {
                let text = "this function takes no idempotency key: use a token without one";
                Err(ValidationError::new(Status::Argument, text))
            }
        }
    }
}

const NEEDS_KEY: &str =
    "with a journal it needs an idempotency key (paysvc_call_set_key): two equal requests may both be intended";

fn invalid(what: &str, reason: &str) -> ValidationError {
    ValidationError::new(Status::Argument, format!("{what}: {reason}"))
}

/// As [`Client::recorded`], of a request that JSON describes: it needs a key.
fn recorded_free<'j>(
    journal: &'j Journal,
    request: &Request<'_>,
    key: Option<String>,
) -> Result<Option<(&'j Journal, Keyed)>, ValidationError> {
    let step = request.row.and_then(|row| Step::of(row, true));
    if let (Some(row), Some(Step::Charge | Step::Authorization)) = (request.row, step) {
        let reason = format!("with a journal, call {}: the journal must know the order", row.name);
        return Err(invalid(request.name, &reason));
    }
    let record = if request.safety == Safety::Moves { Record::of(request) } else { None };
    match (record, key) {
        (Some(record), Some(key)) => {
            let order = record.order.as_deref().map(|order| journal.scope.long(order));
            Ok(Some((journal, Keyed { record, key: journal.scope.explicit(&key), explicit: true, order })))
        }
        (Some(_), None) => Err(invalid(request.name, NEEDS_KEY)),
        (None, key) => no_key(request.name, key.is_some()),
    }
}

/// For a request that is not recorded.
fn no_key<T>(what: &str, has_key: bool) -> Result<Option<T>, ValidationError> {
    if has_key { Err(invalid(what, "takes no idempotency key: it moves no money")) } else { Ok(None) }
}

/// The key of a request: the caller's, or derived from what it is about.
fn keyed(
    journal: &Journal,
    context: &CallContext<'_>,
    row: &'static Endpoint,
    mut record: Record,
    given: Option<&str>,
) -> Result<Keyed, ValidationError> {
    let scope = &journal.scope;
    if let (Step::Authorization, None, Some(payment)) = (record.step, &record.order, &record.payment) {
        let key = scope.authorization(payment);
        let found = journal.order_of_payment(&key, payment, context.bounds.time_left());
        let found = found.map_err(|why| ValidationError::new(Status::Journal, failed_text(&why)))?;
        if let Some(order) = found {
            record.name_order(row, scope.short(&order));
        }
    }
    let derived = match record.step {
        Step::Charge => record.order.as_deref().map(|order| scope.charge(order)),
        Step::Authorization => record.payment.as_deref().map(|payment| scope.authorization(payment)),
        Step::Order => record.order.as_deref().map(|order| scope.order(order)),
        Step::Other => None,
    };
    let key = match (given, derived) {
        (Some(key), _) => scope.explicit(key),
        (None, Some(key)) => key,
        (None, None) if record.step == Step::Other => {
            return Err(invalid(row.name, NEEDS_KEY));
        }
        (None, None) => return Err(invalid(row.name, "with a journal the request must name its order")),
    };
    let order = record.order.as_deref().map(|order| scope.long(order));
    Ok(Keyed { record, key, explicit: given.is_some(), order })
}

/// One recorded request on its way.
struct Recorded<'a> {
    client: &'a Client,
    context: &'a CallContext<'a>,
    journal: &'a Journal,
    keyed: &'a Keyed,
    row: Option<&'static Endpoint>,
    /// Of the request: the service may repeat them when it is asked about the order.
    secrets: &'a Secrets,
    sender: Sender<'a>,
}

/// What became of the claim of an attempt.
enum Claiming {
    /// The connection failed before.
    NotTried,
    Claimed(Box<Row>),
    Superseded,
    Failed(String),
}

impl Recorded<'_> {
    /// Reads the journal and does what its table says, until there is an answer.
    fn run(&self) -> Reply {
        self.context.record.set_changes();
        self.client.log_news(self.context, self.journal);
        let (mut prior, mut number, mut races) = (PriorAttempts::NONE, 1, 0);
        // Before the journal was read, the fact that this call sent nothing proves nothing about others.
        let (mut waits, mut nothing_open) = (0, false);
        loop {
            if let Some(reply) = self.sender.obstacle() {
                let reply = self.at_the_end(reply, prior);
                return if nothing_open { reply } else { reply.about_earlier() };
            }
            let known = match self.snapshot() {
                Ok(known) => known,
                Err(why) => return journal_failed(&why, Outcome::Unknown),
            };
            let found = Found::of(&known.rows);
            let decision = found.decide(&self.wanted(), clock::now_ms());
            self.context.log(Level::Debug, || format!("the journal, line {}", decision.line.number));
            match decision.line.act {
                Act::Refuse => return self.refused(&decision),
                Act::Replay => return self.replay(&decision),
                Act::Wait => {
                    let wait = WAITS.wait(waits, random);
                    waits += 1;
                    if self.context.bounds.pause(wait).is_some() {
                        return self.refused(&decision);
                    }
                    continue;
                }
                Act::LookUp => match self.look_up(&decision.open) {
                    Settled::Something => continue,
                    Settled::Nothing(reply) => return reply,
                },
                Act::Ask(question) => match self.ask(question, &known, decision.line) {
                    Answer::Send => {}
                    Answer::Recorded => continue,
                    Answer::Refuse(reply) => return reply,
                },
                Act::Send => {}
            }
            nothing_open = true;
            let (Attempt { judged, again, .. }, claiming) = match self.attempt(&known, number, prior) {
                Ok(attempted) => attempted,
                Err(error) => return Reply::invalid(error),
            };
            let mut reply = judged.reply;
            match claiming {
                Claiming::Superseded => {
                    // If many came back at once, all but one would lose the race again.
                    _ = self.context.bounds.pause(WAITS.wait(races, random));
                    (races, nothing_open) = (races + 1, false);
                    match races {
                        MOST_RACES => return reply.about_earlier(),
                        _ => continue,
                    }
                }
                Claiming::Failed(why) => return self.at_the_end(journal_failed(&why, Outcome::NotSent), prior),
                Claiming::Claimed(claim) => self.write_end(&claim, &reply),
                Claiming::NotTried => {}
            }
            prior.add(&mut reply);
            let left = self.context.bounds.time_left();
            match retry::next(again, number, self.client.config.max_attempts, left, random) {
                Next::GiveUp => return reply,
                Next::TooLate(wait) => {
                    reply.retry_after_ms = u64::try_from(wait.as_millis()).ok();
                    return reply;
                }
                Next::After(wait) => _ = self.context.bounds.pause(wait),
            }
            number += 1;
        }
    }

    fn wanted(&self) -> Wanted<'_> {
        let Keyed { record, key, explicit, .. } = self.keyed;
        let fresh = record.order.as_deref().is_some_and(|order| self.journal.minted.has(order));
        Wanted { key, step: record.step, explicit: *explicit, members: &record.members, fresh }
    }

    fn snapshot(&self) -> Result<Snapshot, String> {
        self.journal.snapshot(&self.keyed.key, self.keyed.order_to_read(), self.context.bounds.time_left())
    }

    /// Claims once the connection is ready, and sends.
    fn attempt(
        &self,
        known: &Snapshot,
        number: u32,
        prior: PriorAttempts,
    ) -> Result<(Attempt, Claiming), ValidationError> {
        let claiming = RefCell::new(Claiming::NotTried);
        let before_sending = || {
            let send_until = Expiry::after(LONGEST_AGE);
            let (result, why) = match self.claim(known) {
                Ok(ClaimResult::Claimed(row)) => (Claiming::Claimed(row), None),
                Ok(ClaimResult::Superseded) => {
                    (Claiming::Superseded, Some("another call wrote to the journal in the meantime"))
                }
                Err(why) => (Claiming::Failed(why), Some("the journal could not be written")),
            };
            claiming.replace(result);
            why.map_or(Ok(send_until), |why| Err(TransportError::new(Status::Transport, why)))
        };
        let request = WireRequest { before_sending: Some(&before_sending), ..self.sender.request()? };
        let attempt = self.sender.attempt(request, number, prior);
        Ok((attempt, claiming.into_inner()))
    }

    fn claim(&self, known: &Snapshot) -> Result<ClaimResult, String> {
        let Keyed { record, explicit, order, .. } = self.keyed;
        let left = self.context.bounds.time_left();
        let until_ms = clock::now_ms().saturating_add(u64::try_from(left.as_millis()).unwrap_or(u64::MAX));
        let make = |id: &str| Claim {
            step: record.step,
            function: record.function.to_owned(),
            explicit: *explicit,
            has_page: record.has_page,
            until_ms,
            digests: digest::digests(id, &record.members),
            list: None,
            request: record.kept(),
            amount: record.amount.clone(),
            currency: record.currency.clone(),
        };
        self.journal.claim(known, order.as_deref(), make, left)
    }

    /// The call ends before another attempt.
    fn at_the_end(&self, mut reply: Reply, mut prior: PriorAttempts) -> Reply {
        prior.add(&mut reply);
        reply
    }

    fn refused(&self, decision: &Decision<'_>) -> Reply {
        let line = decision.line;
        if self.keyed.record.step == Step::Order {
            // What stands in the way is a charge of the same order.
            self.context.record.set_doubt(Doubt::Charge);
        }
        let mut parts = vec![line.explanation.to_owned()];
        if !decision.differing.is_empty() {
            parts.push(format!("the members that differ: {}", decision.differing.join(", ")));
        }
        if self.context.bounds.is_cancelled() {
            return Reply::failed(
                Status::Cancelled,
                Outcome::Unknown,
                format!("the call was cancelled; {}", parts.join("; ")),
            );
        }
        Reply::failed(line.status, Outcome::Unknown, parts.join("; "))
    }
}

fn failed_text(why: &str) -> String {
    format!("the journal failed, nothing was sent: {why}")
}

/// The journal cannot be read or written; nothing was sent.
fn journal_failed(why: &str, outcome: Outcome) -> Reply {
    Reply::failed(Status::Journal, outcome, failed_text(why))
}
