//! Requests that the journal records: the entry of a request, and what a call does with the rows that it finds: it replies
//! with the recorded end, looks up, or asks. The engine sends.

mod look_up;
mod people;
#[cfg(test)]
pub(super) mod tests;

pub(super) use people::no_journal;

use std::time::{Duration, Instant};

use once_cell::race::OnceBox;

use super::Client;
use super::engine::{Attempt, Items, ReadyItem, RunEnd, Step, journal_failed, journal_failed_text};
use super::patience::Patience;
use crate::answer::facts::Facts;
use crate::answer::redact::Redactor;
use crate::answer::reply::Reply;
use crate::call::Call;
use crate::call::log::Level;
use crate::call::token::IdempotencyKey;
use crate::json::decimal::Decimal;
use crate::ledger::key::{self, Name};
use crate::ledger::row::{By, End, Row};
use crate::ledger::table::{Claims, Decision};
use crate::ledger::{Entry, Journal, Ledger, Snapshot, digest};
use crate::request::record::Record;
use crate::request::{Request, raw};
use crate::util::expiry::CANCELLED;
use crate::util::memory;
use crate::util::text::shortened;
use crate::util::validation_error::ValidationError;
use paysvc_spec::journal::{Act, Step as JournalStep};
use paysvc_spec::schema::{Doubt, Endpoint, Reference, Safety};
use paysvc_spec::status::{self, Outcome, State, Status};

/// The journal of a client: set before its first call, or never. Lock-free: a child that is forked while another thread
/// holds a lock would wait for ever.
#[derive(Default)]
pub struct JournalCell(OnceBox<Option<Journal>>);

impl JournalCell {
    /// Fails with the reason.
    pub fn set(&self, journal: Journal) -> Result<(), &'static str> {
        self.0.set(Box::new(Some(journal))).map_err(|_| match self.get() {
            Some(_) => "the client already has a store",
            None => "the client has already begun its first call: set the store before that call",
        })
    }

    /// The journal. If there is none, none can be set from now on.
    pub fn get(&self) -> Option<&Journal> {
        self.0.get_or_init(Box::default).as_ref()
    }
}

impl Client {
    /// The request as the journal has it; `None` if it is not recorded.
    pub(super) fn recorded(
        &self,
        context: &Call<'_>,
        request: &Request<'_>,
    ) -> Result<Option<(&Journal, Entry)>, ValidationError> {
        let Some((journal, key)) = self.journal_and_key(context, request.name)? else { return Ok(None) };
        let Some(row) = request.row.filter(|row| row.name == request.name) else {
            return recorded_free(journal, request, key);
        };
        match Record::of(request) {
            Some(record) if record.step == JournalStep::Order && key.is_some() => no_key(row.name, true),
            // Nothing is charged, and nothing could be looked up by it.
            Some(record) if record.step == JournalStep::Order && record.order.is_none() => Ok(None),
            Some(record) => entry(journal, context, row, record, key.as_deref()).map(|entry| Some((journal, entry))),
            None => no_key(row.name, key.is_some()),
        }
    }

    fn journal_and_key(
        &self,
        context: &Call<'_>,
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

    fn log_news(&self, context: &Call<'_>, journal: &Journal) {
        for (level, text) in journal.news(context) {
            context.log(level, || text.to_owned());
        }
    }

    /// Sends a request. If the journal records it, only if the journal allows it; otherwise replies with the recorded
    /// end.
    pub(super) fn send_or_replay(&self, context: &Call<'_>, request: Result<Request<'_>, ValidationError>) -> Reply {
        match request.as_ref().map_or(Ok(None), |request| self.recorded(context, request)) {
            Ok(recorded) => self.send(context, request, recorded),
            // The open requests could not be read.
            Err(error) if error.status == Status::Journal => Reply::invalid(error).about_earlier(),
            Err(error) => Reply::invalid(error),
        }
    }

    pub(super) fn send(
        &self,
        context: &Call<'_>,
        request: Result<Request<'_>, ValidationError>,
        recorded: Option<(&Journal, Entry)>,
    ) -> Reply {
        let sent_before = context.record.sent();
        let reply = request.and_then(|request| {
            context.name_order(|| self.order_of(context, &request));
            let ledger = match &recorded {
                None => Ledger::Empty,
                Some((journal, entry)) => {
                    context.record.set_changes();
                    self.log_news(context, journal);
                    Ledger::Journal(journal, std::slice::from_ref(entry))
                }
            };
            let mut item =
                Single { client: self, context, ledger, request: &request, held: None, looked_up: None, claim: None };
            let ended = self.engine(context, ledger)?.run(&mut item, Patience::of_call(self.config.max_attempts));
            Ok(match ended {
                RunEnd::Attempted(reply) if reply.outcome() == Outcome::Unknown => match &item.claim {
                    Some(claim) => look_up::with_claim(reply, claim),
                    None => reply,
                },
                RunEnd::Attempted(reply) | RunEnd::Stopped(reply) | RunEnd::Superseded(reply) => reply,
                RunEnd::Held => item.held.unwrap_or_else(|| journal_failed("it has no reason", Outcome::Unknown)),
            })
        });
        let mut reply = reply.unwrap_or_else(Reply::invalid);
        if let (Some((_, entry)), Outcome::Unknown) = (&recorded, reply.outcome()) {
            reply = look_up::with_key_at_least(reply, &entry.key);
        }
        if context.record.sent() == sent_before && reply.outcome() == Outcome::NotSent {
            context.log(Level::Warn, || format!("nothing was sent: {}", status::name_of(reply.status())));
        }
        reply
    }

    /// The order that the request names, without the secrets of the request.
    fn order_of(&self, context: &Call<'_>, request: &Request<'_>) -> Option<String> {
        let order = request.references.iter().find(|(kind, _)| *kind == Reference::Order)?;
        let stop = || context.bounds.is_over();
        let key = self.config.key(request.key);
        Redactor { secrets: &request.secrets, key, stop: &stop }.redact(&shortened(&order.1))
    }

    /// Fails for a call of a function that takes no idempotency key, if its token has one.
    pub fn check_no_key(&self, context: &Call<'_>) -> Result<(), ValidationError> {
        match context.bounds.token.as_ref().map(|token| token.take_key()) {
            None | Some(IdempotencyKey::None) => Ok(()),
            Some(IdempotencyKey::Given(_) | IdempotencyKey::Used) => {
                let text = "this function takes no idempotency key: use a token without one";
                Err(ValidationError::new(Status::Argument, text))
            }
        }
    }
}

/// Between two status queries of a request whose call may still be under way.
const BETWEEN_LOOK_UPS: Duration = Duration::from_secs(5);

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
) -> Result<Option<(&'j Journal, Entry)>, ValidationError> {
    let is_of_order = |row: &&Endpoint| {
        JournalStep::of(row, true).is_some_and(|step| step.is_of_order() && step != JournalStep::Order)
    };
    if let Some(row) = request.row.filter(is_of_order) {
        let reason = format!("with a journal, call {}: the journal must know the order", row.name);
        return Err(invalid(request.name, &reason));
    }
    let mut record = if request.safety == Safety::Moves { Record::of(request) } else { None };
    if let (Some(record), Some(body)) = (&mut record, raw::plain_body(request)?) {
        let text = str::from_utf8(&body).expect("compact JSON is UTF-8");
        record.members.push(("body".to_owned(), digest::digest("request", "body", text)));
    }
    match (record, key) {
        (Some(record), Some(key)) => {
            let (key, order) = (key::explicit(&key), record.order.as_deref().map(Name::new));
            let entry = Entry { record, key, explicit: true, order, list: None };
            fits(journal, request.name, entry).map(|entry| Some((journal, entry)))
        }
        (Some(_), None) => Err(invalid(request.name, NEEDS_KEY)),
        (None, key) => no_key(request.name, key.is_some()),
    }
}

/// Fails if the journal could not read what it would write about the request.
fn fits(journal: &Journal, what: &str, entry: Entry) -> Result<Entry, ValidationError> {
    match journal.check(&entry) {
        Ok(()) => Ok(entry),
        Err(why) => Err(invalid(what, &format!("the journal cannot record it: {why}; shorten its texts or its key"))),
    }
}

/// Makes the end of the claim `of` from the reply. Only a payment's charged amount is the request's own.
fn end_by(of: &str, by: By, step: JournalStep, reply: &Reply) -> End {
    let facts = reply.facts().filter(|_| matches!(step, JournalStep::Charge | JournalStep::Authorization));
    let (amount, fee) = facts.map_or((None, None), Facts::amount_and_fee);
    let text = |amount: Option<Decimal>| amount.map(|amount| amount.to_string());
    End {
        state: reply.state(),
        http_status: reply.http_status(),
        amount: text(amount),
        fee: text(fee),
        currency: facts.and_then(|facts| facts.currency.clear()).map(|currency| currency.0.clone()),
        ..End::new(of, by, reply.outcome())
    }
}

/// For a request that is not recorded.
fn no_key<T>(what: &str, has_key: bool) -> Result<Option<T>, ValidationError> {
    if has_key { Err(invalid(what, "takes no idempotency key: it moves no money")) } else { Ok(None) }
}

/// The key of a request: the caller's, or derived from what it is about.
fn entry(
    journal: &Journal,
    context: &Call<'_>,
    row: &'static Endpoint,
    mut record: Record,
    given: Option<&str>,
) -> Result<Entry, ValidationError> {
    if let (JournalStep::Authorization, None, Some(payment)) = (record.step, &record.order, &record.payment) {
        let found = journal.order_of_payment(&key::derived(record.step, payment), context);
        let found = found.map_err(|why| ValidationError::new(Status::Journal, journal_failed_text(&why)))?;
        if let Some(order) = found {
            record.name_order(row, &order.given);
        }
    }
    let about = match record.step {
        JournalStep::Charge | JournalStep::Order => &record.order,
        JournalStep::Authorization => &record.payment,
        JournalStep::Refund | JournalStep::Capture | JournalStep::Other => &None,
    };
    let derived = about.as_deref().map(|about| key::derived(record.step, about));
    let key = match (given, derived) {
        (Some(key), _) => key::explicit(key),
        (None, Some(key)) => key,
        (None, None) if record.step.needs_key() => {
            return Err(invalid(row.name, NEEDS_KEY));
        }
        (None, None) => return Err(invalid(row.name, "with a journal the request must name its order")),
    };
    let order = record.order.as_deref().map(Name::new);
    fits(journal, row.name, Entry { record, key, explicit: given.is_some(), order, list: None })
}

/// One request on its way.
struct Single<'a> {
    client: &'a Client,
    context: &'a Call<'a>,
    ledger: Ledger<'a>,
    request: &'a Request<'a>,
    /// The reply if the journal does not let it be sent, or while another call is waited for.
    held: Option<Reply>,
    /// The time of the last status query about calls under way.
    looked_up: Option<Instant>,
    /// The claim of the last attempt.
    claim: Option<Row>,
}

impl Items for Single<'_> {
    fn obstacle(&mut self) -> Option<Reply> {
        if self.context.bounds.is_over()
            && let Some(held) = self.held.take()
        {
            return Some(self.or_cancelled(held));
        }
        if self.context.bounds.is_cancelled() {
            return Some(Reply::failed(Status::Cancelled, Outcome::NotSent, CANCELLED));
        }
        memory::is_spent().then(|| Reply::failed(Status::Transport, Outcome::NotSent, memory::LACK))
    }

    fn decide(&mut self, _: usize, known: &Snapshot, _: &Claims<'_>, decision: &Decision<'_>) -> Step {
        let Ledger::Journal(journal, [entry]) = self.ledger else { return Step::Send };
        match decision.line.act {
            Act::Send => Step::Send,
            Act::Refuse => self.hold(self.or_cancelled(self.refused(entry, decision))),
            Act::Replay => self.hold(self.replay(decision)),
            Act::Wait => self.wait(journal, entry, decision),
            Act::LookUp => match self.look_up(journal, &decision.open) {
                Ok(reply) => self.hold(reply),
                Err(step) => step,
            },
            Act::Ask(question) => self.ask(question, entry, known, decision.line),
        }
    }

    fn send(&mut self, _: &[ReadyItem], send: &dyn Fn(&Request<'_>) -> Attempt) -> Attempt {
        self.held = None;
        send(self.request)
    }

    fn judge(&mut self, _: &[ReadyItem], attempt: &Attempt) -> Vec<End> {
        let Ledger::Journal(_, [entry]) = self.ledger else { return Vec::new() };
        let reply = &attempt.reply;
        self.claim = attempt.claim().cloned();
        // The response's reference of the attempt to pay, or of the batch.
        let named = |what| reply.facts()?.reference(what).text.clear().map(|text| text.0.clone());
        vec![End {
            is_final: is_final(entry.record.step, reply),
            payment_reference: named(Reference::Payment),
            batch_reference: named(Reference::Batch),
            ..end_by("", By::Sender, entry.record.step, reply)
        }]
    }
}

impl Single<'_> {
    fn refused(&self, entry: &Entry, decision: &Decision<'_>) -> Reply {
        let line = decision.line;
        if entry.record.step == JournalStep::Order {
            // A charge of the same order stands in the way.
            self.context.record.set_doubt(Doubt::Charge);
        }
        let reply = Reply::failed(line.status, line.outcome, refusal_text(decision));
        match (decision.open.last(), &decision.end) {
            (Some(open), _) => look_up::named(reply, open.row),
            (None, Some(ended)) if line.outcome == Outcome::Unknown => look_up::with_claim(reply, ended.row),
            _ => reply,
        }
    }

    /// The item is not sent, and this is the reply.
    fn hold(&mut self, reply: Reply) -> Step {
        self.held = Some(reply);
        Step::Hold
    }

    fn or_cancelled(&self, reply: Reply) -> Reply {
        match self.context.bounds.is_cancelled() {
            true => Reply::failed(Status::Cancelled, reply.outcome(), format!("{CANCELLED}; {}", reply.message)),
            false => reply,
        }
    }
}

/// Returns the reason why the table of the journal lets nothing be sent.
pub(super) fn refusal_text(decision: &Decision<'_>) -> String {
    let explanation = decision.line.explanation;
    match (&decision.detail, &decision.differing[..]) {
        (Some(detail), _) => format!("{explanation} ({detail})"),
        (None, []) => explanation.to_owned(),
        (None, differing) => format!("{explanation}; the fields that differ: {}", differing.join(", ")),
    }
}

/// CONFIRMED, and nothing later changes it.
fn is_final(step: JournalStep, reply: &Reply) -> bool {
    let is_paid = matches!(reply.state(), State::SUCCESSFUL | State::REVERSED);
    let may_change = reply.facts().is_none_or(|facts| facts.finality.may_change);
    reply.outcome() == Outcome::Confirmed
        && match step {
            JournalStep::Charge | JournalStep::Authorization => is_paid && !may_change,
            _ => true,
        }
}
