//! Status queries of a call, instead of sending or before: it looks up open claims and writes what that proves, asks the
//! service for an order before it is charged, and replies with recorded ends.

use std::cell::Cell;
use std::time::Instant;

use super::{BETWEEN_LOOK_UPS, Single, Step, end_by, journal_failed};
use crate::answer::facts::Facts;
use crate::answer::facts::stated::PriceMatch;
use crate::answer::reply::Reply;
use crate::answer::resolution::{self, Attempts, Inquiry, Question};
use crate::call::Call;
use crate::call::log::Level;
use crate::flow::Client;
use crate::flow::resolve::watch::{self, LookUpResult};
use crate::flow::resolve::{Arguments, Task};
use crate::json::decimal::Decimal;
use crate::json::document::Document;
use crate::json::object::{object, object_text};
use crate::ledger::claims::{ClaimRecord, ClaimState};
use crate::ledger::clock::Moment;
use crate::ledger::key::Name;
use crate::ledger::row::{By, End, Kind, Row};
use crate::ledger::table::{Claims, Decision};
use crate::ledger::{ClaimResult, Entry, Journal, Snapshot};
use crate::request::secrets::Secrets;
use crate::request::text_value;
use crate::util::validation_error::ValidationError;
use paysvc_spec::ENDPOINTS;
use paysvc_spec::endpoints::payouts::names;
use paysvc_spec::journal::{Ask, Line, REPLAYS, ReplayAnswer, ReplayFacts, Step as JournalStep};
use paysvc_spec::schema::{Doubt, Endpoint, Safety};
use paysvc_spec::status::{Outcome, State, Status};

impl Single<'_> {
    /// Looks up the open claims, and writes what that proves. Returns the last status query's reply, or the step to take.
    pub(super) fn look_up(&mut self, journal: &Journal, open: &[ClaimRecord<'_>]) -> Result<Reply, Step> {
        let mut last = Reply::failed(Status::Unresolved, Outcome::Unknown, "nothing is open");
        for claimed in open {
            let examined = examine(self.client, self.context, journal, claimed, &self.request.secrets);
            let written = examined.and_then(|examination| match examination {
                Examination::Decided(_, end) => journal.end(claimed.row, &end, self.context).map(|_| None),
                Examination::RunEnd(_) => Ok(None),
                Examination::Open(reply) => Ok(Some(reply)),
            });
            match written {
                Ok(Some(reply)) => last = reply,
                Ok(None) => return Err(Step::Reread),
                Err(why) => return Err(self.hold(journal_failed(&why, Outcome::Unknown))),
            }
        }
        Ok(last)
    }

    /// Another call may be under way: it is waited for, and looked up now and then.
    pub(super) fn wait(&mut self, journal: &Journal, entry: &Entry, decision: &Decision<'_>) -> Step {
        let can_be_looked_up = decision.open.iter().all(ClaimRecord::can_be_looked_up);
        let is_due = self.looked_up.is_none_or(|last| last.elapsed() >= BETWEEN_LOOK_UPS);
        if can_be_looked_up && is_due {
            self.looked_up = Some(Instant::now());
            match self.look_up(journal, &decision.open) {
                Ok(reply) => self.held = Some(reply),
                Err(step) => return step,
            }
        }
        if self.held.is_none() {
            self.held = Some(self.refused(entry, decision));
        }
        Step::Wait
    }

    pub(super) fn ask(&mut self, ask: Ask, entry: &Entry, known: &Snapshot, line: &Line) -> Step {
        let look_up = self.request.row.and_then(|row| row.looked_up_by.as_ref());
        let (Some(look_up), Some(reference)) = (look_up, entry.record.order.as_deref()) else { return Step::Send };
        let text = text_value(reference);
        let value = Document::scan_own(&text).expect("a quoted text is JSON");
        let fields = look_up.members.iter().map(|(name, _)| (*name, value.root(&text))).collect();
        let mut secrets = Secrets::default();
        secrets.extend(&self.request.secrets);
        let task = Task {
            what: entry.record.function,
            row: paysvc_spec::endpoint(look_up.endpoint),
            currency_by: None,
            fields,
            asked: Inquiry { question: Question::Charge, prices: Vec::new(), own_reference: None, attempts: None },
            attempts_now: None,
            secrets,
            repeats: false,
            interval_ms: 0,
            reports_progress: false,
        };
        let LookUpResult { reply, decision } = watch::look(self.client, &self.context.expecting_nothing(), &task);
        let nothing = Facts::default();
        let facts = reply.facts().unwrap_or(&nothing);
        // Amounts that contradict each other could not be recorded.
        let differs = entry.record.amount.as_deref().and_then(Decimal::parse).is_some_and(|amount| {
            matches!(facts.compare_price(&amount), PriceMatch::Differs(_)) && facts.amount_and_fee().0.is_none()
        });
        if decision.verdict.outcome == Outcome::Confirmed && !differs {
            if ask == Ask::NotPaid {
                self.context.log(Level::Error, || {
                    "a charge of this order was settled as not done, but the service now says that it is paid"
                        .to_owned()
                });
            }
            return self.record_payment(entry, known, &reply);
        }
        if resolution::allows_charge(ask, reply.http_status(), decision.answered, facts) {
            return Step::Send;
        }
        let explanation =
            if decision.answered { line.explanation } else { decision.verdict.explanation.unwrap_or_default() };
        let text = format!("{explanation}; the status query: {}", reply.message);
        let mut refused = Reply::failed(Status::Unresolved, Outcome::Unknown, text);
        refused.evidence.verdict.state = reply.state();
        self.hold(refused)
    }

    /// Somebody has paid the order: nothing is sent, and the next reading finds it.
    fn record_payment(&mut self, entry: &Entry, known: &Snapshot, reply: &Reply) -> Step {
        let recorded = self.ledger.claim(entry, known, self.context).and_then(|claimed| match claimed {
            ClaimResult::Superseded => Ok(false),
            ClaimResult::Claimed(claim) => {
                let end = End { is_final: true, ..end_by(&claim.id, By::LookUp, entry.record.step, reply) };
                self.ledger.end(&claim, &end, self.context)
            }
        });
        match recorded {
            Ok(_) => Step::Reread,
            Err(why) => self.hold(journal_failed(&why, Outcome::Unknown)),
        }
    }

    /// Returns the recorded end, or a status query's result instead, by the table of [`REPLAYS`].
    pub(super) fn replay(&self, decision: &Decision<'_>) -> Reply {
        let Some(claimed) = &decision.end else {
            return Reply::failed(Status::Internal, Outcome::Unknown, "the journal has no recorded outcome to return");
        };
        let recorded = recorded(claimed, decision.line.explanation).in_doubt(self.context.record.doubt());
        let settled = match claimed.state() {
            ClaimState::SettledAsDone => Some(Outcome::Confirmed),
            ClaimState::SettledAsNotDone => Some(Outcome::Rejected),
            _ => None,
        };
        if recorded.outcome() != Outcome::Confirmed && settled.is_none() {
            return recorded;
        }
        // As if it were the only attempt: then the status query gives REJECTED if it has failed for good.
        let attempts = || Attempts::begun(Some(1));
        let looked_up = resolve(self.client, self.context, claimed.row, &attempts, &self.request.secrets)
            .unwrap_or_else(Reply::invalid);
        let facts = ReplayFacts {
            settled,
            is_final: claimed.state() == ClaimState::Confirmed,
            looked_up: looked_up.outcome(),
            answered: looked_up.http_status() / 100 == 2,
        };
        let line = REPLAYS.iter().find(|line| (line.holds)(&facts)).expect("the last line always holds");
        self.context.log(Level::Debug, || format!("the replay, line {}", line.number));
        match line.answer {
            ReplayAnswer::LookUp => Reply { replayed: true, ..looked_up },
            ReplayAnswer::Contradiction(text) => {
                let mut reply = Reply::failed(Status::Unresolved, Outcome::Unknown, text);
                reply.evidence.verdict.state = looked_up.state();
                named(reply, claimed.row)
            }
            ReplayAnswer::Recorded(news) => {
                if let Some(news) = news {
                    self.context
                        .log(Level::Error, || format!("claim {} {news}: {}", claimed.row.id, looked_up.message));
                }
                recorded
            }
        }
    }
}

/// Returns the claim's record in the journal as a reply.
fn recorded(claimed: &ClaimRecord<'_>, explanation: &str) -> Reply {
    let end = claimed.deciding_end().map(|(_, end)| end);
    let (status, outcome) = match claimed.state() {
        ClaimState::Confirmed | ClaimState::ConfirmedForNow | ClaimState::SettledAsDone => {
            (Status::Ok, Outcome::Confirmed)
        }
        ClaimState::Rejected | ClaimState::SettledAsNotDone => (Status::Rejected, Outcome::Rejected),
        _ => (Status::Unresolved, Outcome::Unknown),
    };
    let mut reply = Reply::without_body(status, outcome, explanation);
    reply.evidence.verdict.state = end.map_or(State::NONE, |end| end.state);
    reply.replayed = true;
    reply.body = object_text(|body| {
        body.literal("status", outcome == Outcome::Confirmed);
        body.text("message", &reply.message);
        body.optional(names::BATCH_REFERENCE, end.and_then(|end| end.batch_reference.as_deref()));
    });
    reply
}

/// The result of a status query, not written yet.
pub enum Examination {
    /// The status query proves this end.
    Decided(Reply, Box<End>),
    /// Somebody else has ended the claim in the meantime.
    RunEnd(Reply),
    Open(Reply),
}

/// Looks up one claim. An absence proves something only if the claim's lease was over before the service was asked.
/// `secrets`: those of the request that asks.
pub fn examine(
    client: &Client,
    context: &Call<'_>,
    journal: &Journal,
    claimed: &ClaimRecord<'_>,
    secrets: &Secrets,
) -> Result<Examination, String> {
    let (claim, is_under_way) = (claimed.row, claimed.may_be_under_way(&Moment::now()));
    let (was_open, failure) = (Cell::new(true), Cell::new(None));
    // Read after the status query was answered: the response is about what is in the journal then.
    let attempts_now = || match journal.snapshot(&claim.key, claim.order.as_ref(), context) {
        Ok(known) => {
            let found = Claims::of(&known.rows);
            let Some(own) = found.claims().iter().find(|claimed| claimed.row.id == claim.id) else {
                return Attempts::default();
            };
            was_open.set(own.is_open());
            if is_under_way {
                return Attempts::default();
            }
            let (begun, own_entry) = journal.attempts(&found, own);
            Attempts { begun, own_entry: own_entry.map(str::to_owned) }
        }
        Err(why) => {
            failure.set(Some(why));
            Attempts::default()
        }
    };
    let reply = resolve(client, context, claim, &attempts_now, secrets).unwrap_or_else(Reply::invalid).about_earlier();
    if let Some(why) = failure.take() {
        return Err(why);
    }
    if !was_open.get() {
        return Ok(Examination::RunEnd(with_claim(reply, claim)));
    }
    match reply.outcome() {
        Outcome::Confirmed => {}
        Outcome::Rejected if !is_under_way => {}
        Outcome::Rejected => {
            let text = format!("{}; but its call may still be under way", reply.message);
            return Ok(Examination::Open(named(Reply::failed(Status::Unresolved, Outcome::Unknown, text), claim)));
        }
        Outcome::Unknown | Outcome::NotSent => return Ok(Examination::Open(named(reply, claim))),
    }
    let end = End {
        is_final: reply.outcome() == Outcome::Confirmed,
        ..end_by(&claim.id, By::LookUp, claimed.claim.step, &reply)
    };
    Ok(Examination::Decided(with_claim(reply, claim), Box::new(end)))
}

/// Names the claim, so that a person can settle it.
pub fn named(reply: Reply, claim: &Row) -> Reply {
    let message = format!("{} (claim {} in the journal)", reply.message, claim.id);
    with_claim(reply.with_message(message), claim)
}

/// The reply, whose body has the claim in the field `journal`.
pub fn with_claim(reply: Reply, claim: &Row) -> Reply {
    let Kind::Claim(of) = &claim.kind else { return with_key(reply, &claim.key) };
    reply.with_field(JOURNAL, |out| {
        object(out, |fields| {
            fields.text("claim", &claim.id);
            fields.text("key", &claim.key.given);
            fields.text("step", of.step.name());
            fields.optional("order", claim.order.as_ref().map(|order| &*order.given));
            fields.optional("amount", of.amount.as_deref());
            fields.optional("currency", of.currency.as_deref());
        });
    })
}

/// The same, if the claim cannot be read.
pub fn with_key(reply: Reply, key: &Name) -> Reply {
    reply.with_field(JOURNAL, |out| object(out, |fields| fields.text("key", &key.given)))
}

/// Names the key in a reply that names no claim.
pub fn with_key_at_least(reply: Reply, key: &Name) -> Reply {
    let is_named = Document::scan_own(&reply.body).is_ok_and(|read| read.root(&reply.body).member(JOURNAL).is_some());
    if is_named { reply } else { with_key(reply, key) }
}

/// The field of a reply's body that identifies the claim that the reply is about.
const JOURNAL: &str = "journal";

/// Returns the meaning of an UNKNOWN of the claim's request.
pub fn doubt(claim: &Row) -> Doubt {
    match &claim.kind {
        Kind::Claim(of) if of.step == JournalStep::Order => Doubt::None,
        Kind::Claim(of) => {
            ENDPOINTS.iter().find(|row| row.name == of.function).map_or(Doubt::Money, Endpoint::in_doubt)
        }
        _ => Doubt::Money,
    }
}

/// Looks up the outcome of the claim's request without writing it. The journal has none of its secrets, but the request
/// that asks is usually the same again: its `secrets` are masked if the service repeats them.
pub fn resolve(
    client: &Client,
    context: &Call<'_>,
    claim: &Row,
    attempts_now: &dyn Fn() -> Attempts,
    secrets: &Secrets,
) -> Result<Reply, ValidationError> {
    let Kind::Claim(of) = &claim.kind else {
        return Err(ValidationError::new(Status::Internal, "an end is no claim"));
    };
    if of.request.is_empty() {
        return Ok(Reply::of_verdict(resolution::without_look_up(Safety::Moves)));
    }
    let unreadable = |_| ValidationError::new(Status::Internal, "the journal has a request that is no JSON");
    let request = Document::scan_own(&of.request).map_err(unreadable)?;
    let arguments = Arguments::of_record(&of.function, request.root(&of.request), of.step != JournalStep::Order)?;
    let safety = arguments.row.safety;
    Ok(match arguments.task(&|| context.bounds.is_over())? {
        Some(mut task) => {
            task.secrets.extend(secrets);
            watch::watch(client, context, &Task { attempts_now: Some(attempts_now), ..task })
        }
        None => Reply::of_verdict(resolution::without_look_up(safety)),
    })
}
