//! Answers with what became of an earlier request with the same key, or for the same order.

use super::{Single, look_up};
use crate::answer::reply::Reply;
use crate::answer::resolution::Attempts;
use crate::call::log::Level;
use crate::json::object::object_text;
use crate::ledger::claims::{ClaimState, Claimed};
use crate::ledger::table::Decision;
use paysvc_spec::endpoints::payouts::names;
use paysvc_spec::status::{Outcome, State, Status};

impl Single<'_> {
    /// The recorded end. If a look-up confirms it, the body is that of the look-up.
    pub(super) fn replay(&self, decision: &Decision<'_>) -> Reply {
        let Some(claimed) = &decision.end else {
            return Reply::failed(Status::Internal, Outcome::Unknown, "the journal has no recorded outcome to return");
        };
        let recorded = recorded(claimed, decision.line.explanation).in_doubt(self.context.record.doubt());
        if recorded.outcome() != Outcome::Confirmed {
            return recorded;
        }
        let looked_up =
            look_up::resolve(self.client, self.context, claimed.row, &Attempts::default, &self.request.secrets);
        match looked_up {
            Ok(reply) if reply.outcome() == Outcome::Confirmed => Reply { replayed: true, ..reply },
            Ok(reply) if claimed.state() == ClaimState::SettledAsDone && reply.http_status() / 100 == 2 => {
                self.context.log(Level::Error, || {
                    format!(
                        "claim {} was settled as done, but a look-up does not confirm it: {}",
                        claimed.row.id, reply.message
                    )
                });
                recorded
            }
            _ => recorded,
        }
    }
}

/// What the journal says, as a reply.
fn recorded(claimed: &Claimed<'_>, explanation: &str) -> Reply {
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
