//! Looks up what is open, and writes what that proves.

use std::cell::Cell;

use super::{Single, Step, journal_failed};
use crate::answer::reply::Reply;
use crate::answer::resolution::{self, Attempts};
use crate::call::Call;
use crate::flow::Client;
use crate::flow::resolve::earlier::{Arguments, Earlier};
use crate::flow::resolve::task::Task;
use crate::flow::resolve::watch;
use crate::json;
use crate::ledger::Journal;
use crate::ledger::claims::Claimed;
use crate::ledger::row::{End, Kind, Row};
use crate::ledger::table::Found;
use crate::request::secrets::Secrets;
use crate::util::validation_error::ValidationError;
use paysvc_spec::ENDPOINTS;
use paysvc_spec::journal::Step as JournalStep;
use paysvc_spec::schema::{Doubt, Endpoint, Safety};
use paysvc_spec::status::{Outcome, Status};

impl Single<'_> {
    /// Looks up what is open. The error: it stays open.
    pub(super) fn look_up(&self, journal: &Journal, open: &[Claimed<'_>]) -> Result<Step, Reply> {
        let mut last = Reply::failed(Status::Unresolved, Outcome::Unknown, "nothing is open");
        for claimed in open {
            match settle(self.client, self.context, journal, claimed.row, &self.request.secrets) {
                // An end was written, or somebody else wrote one.
                Ok(Finding::Settled(_)) => return Ok(Step::Reread),
                Ok(Finding::Open(reply)) => last = reply,
                Err(why) => return Err(journal_failed(&why, Outcome::Unknown)),
            }
        }
        Err(last)
    }
}

/// What a look-up found about a claim.
pub enum Finding {
    /// The reply with the outcome that was written, or what somebody else wrote in the meantime.
    Settled(Reply),
    Open(Reply),
}

/// Looks up one claim; what the answer proves is written. `secrets`: those of the request that asks.
pub fn settle(
    client: &Client,
    context: &Call<'_>,
    journal: &Journal,
    claim: &Row,
    secrets: &Secrets,
) -> Result<Finding, String> {
    let (was_open, failure) = (Cell::new(true), Cell::new(None));
    // Read after the look-up was answered: the answer is about what is in the journal then.
    let attempts_now = || match journal.snapshot(&claim.key, claim.order.as_deref(), context) {
        Ok(known) => {
            let found = Found::of(&known.rows);
            let Some(own) = found.claims().iter().find(|claimed| claimed.row.id == claim.id) else {
                return Attempts::default();
            };
            was_open.set(own.is_open());
            let (begun, own_entry) = journal.attempts(found.claims(), own);
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
        return Ok(Finding::Settled(reply));
    }
    if !matches!(reply.outcome(), Outcome::Confirmed | Outcome::Rejected) {
        return Ok(Finding::Open(named(reply, claim)));
    }
    let end = End {
        is_final: reply.outcome() == Outcome::Confirmed,
        ..End::by_look_up(claim, reply.outcome(), reply.state(), reply.http_status())
    };
    journal.end(claim, &end, context)?;
    Ok(Finding::Settled(reply))
}

/// Names the claim, so that a person can settle it.
fn named(reply: Reply, claim: &Row) -> Reply {
    Reply { message: format!("{} (claim {} in the journal)", reply.message, claim.id), ..reply }
}

/// What an UNKNOWN of the claim's request means.
pub fn doubt(claim: &Row) -> Doubt {
    match &claim.kind {
        Kind::Claim(of) if of.step == JournalStep::Order => Doubt::None,
        Kind::Claim(of) => {
            ENDPOINTS.iter().find(|row| row.name == of.function).map_or(Doubt::Money, Endpoint::in_doubt)
        }
        _ => Doubt::Money,
    }
}

/// What became of the claim's request, without writing it. The journal has none of its secrets, but the request that asks
/// is usually the same again: what the service repeats of its `secrets` is masked.
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
        let verdict = resolution::without_look_up(Safety::Moves);
        return Ok(Reply::failed(verdict.status, verdict.outcome, verdict.explanation.unwrap_or_default()));
    }
    let unreadable = |_| ValidationError::new(Status::Internal, "the journal has a request that is no JSON");
    let request = json::parse(&of.request).map_err(unreadable)?;
    let arguments = Arguments::of_record(&of.function, request, of.step != JournalStep::Order)?;
    arguments.ask(&|| context.bounds.is_over(), |earlier| match earlier {
        Earlier::Asks(mut task) => {
            task.secrets.extend(secrets);
            watch::watch(client, context, &Task { attempts_now: Some(attempts_now), ..task })
        }
        Earlier::NoLookUp(row) => {
            let verdict = resolution::without_look_up(row.safety);
            Reply::failed(verdict.status, verdict.outcome, verdict.explanation.unwrap_or_default())
        }
    })
}
