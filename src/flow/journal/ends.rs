//! What became of a claim, as its sender writes it.

use std::time::Duration;

use super::Recorded;
use crate::answer::reply::Reply;
use crate::flow::log::Level;
use crate::flow::{CallContext, Client};
use crate::ledger::Journal;
use crate::ledger::row::{By, End, Row};
use paysvc_spec::journal::Step;
use paysvc_spec::schema::Reference;
use paysvc_spec::status::{self, Outcome, State};

/// The time to write an end when the call's time is over: the end is known only now.
const LONGEST_END: Duration = Duration::from_secs(1);

impl Recorded<'_> {
    /// A failure never changes the reply: the key stays open, and is looked up later.
    pub(super) fn write_end(&self, claim: &Row, reply: &Reply) {
        let end = End {
            of: claim.id.clone(),
            by: By::Sender,
            outcome: reply.outcome,
            state: reply.state,
            is_final: is_final(self.keyed.record.step, reply),
            http_status: reply.http_status,
            payment_reference: named(reply, Reference::Payment),
            batch_reference: named(reply, Reference::Batch),
            recipients: 0,
        };
        self.client.write_end(self.context, self.journal, claim, &end);
    }
}

impl Client {
    /// Writes an end, and logs if that fails: the key stays open, and the reply does not change.
    pub(in crate::flow) fn write_end(&self, context: &CallContext<'_>, journal: &Journal, claim: &Row, end: &End) {
        let timeout = context.bounds.time_left().clamp(LONGEST_END, self.config.timeout.max(LONGEST_END));
        let name = status::name_of_outcome(end.outcome);
        match journal.end(claim, end, timeout) {
            Ok(false) => {}
            Ok(true) => context.log(Level::Error, || {
                format!("claim {} was settled by a person, but the service's answer is now {name}", claim.id)
            }),
            Err(why) => context.log(Level::Error, || {
                format!("the journal could not record {name} of claim {}, which stays open: {why}", claim.id)
            }),
        }
    }
}

/// CONFIRMED, and nothing later changes it.
pub fn is_final(step: Step, reply: &Reply) -> bool {
    let is_paid = matches!(reply.state, State::SUCCESSFUL | State::REVERSED);
    let may_change = reply.facts.as_deref().is_none_or(|facts| facts.finality.may_change);
    reply.outcome == Outcome::Confirmed
        && match step {
            Step::Charge | Step::Authorization => is_paid && !may_change,
            Step::Order | Step::Other => true,
        }
}

/// How the answer names the attempt to pay, or the batch.
fn named(reply: &Reply, what: Reference) -> Option<String> {
    reply.facts.as_deref()?.reference(what).text.clear().map(|text| text.0.clone())
}
