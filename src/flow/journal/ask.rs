//! Asks the service for an order before it is charged: whether it knows of attempts to pay it that rule out another
//! charge.

use std::borrow::Cow;

use super::{Recorded, journal_failed};
use crate::answer::facts::Facts;
use crate::answer::reply::Reply;
use crate::answer::resolution::{self, Asked, Question};
use crate::flow::log::Level;
use crate::flow::resolve::task::Task;
use crate::flow::resolve::watch::{self, LookUpResult};
use crate::ledger::row::{By, End};
use crate::ledger::{ClaimResult, Snapshot};
use crate::request::secrets::Secrets;
use crate::request::text_value;
use paysvc_spec::journal::{Ask, Line};
use paysvc_spec::status::{Outcome, Status};

pub enum Answer {
    /// Nothing forbids it.
    Send,
    /// The order is paid, and the journal has it now.
    Recorded,
    Refuse(Reply),
}

impl Recorded<'_> {
    pub(super) fn ask(&self, ask: Ask, known: &Snapshot, line: &Line) -> Answer {
        let Some(look_up) = self.row.and_then(|row| row.looked_up_by.as_ref()) else { return Answer::Send };
        let Some(reference) = self.keyed.record.order.as_deref() else { return Answer::Send };
        let value = text_value(reference);
        let members = look_up.members.iter().map(|(name, _)| (Cow::Borrowed(*name), &*value)).collect();
        let mut secrets = Secrets::default();
        secrets.extend(self.secrets);
        let task = Task {
            what: self.keyed.record.function,
            row: paysvc_spec::endpoint(look_up.endpoint),
            currency_by: None,
            members,
            asked: Asked { question: Question::Charge, prices: Vec::new(), own_reference: None, attempts: None },
            attempts_now: None,
            secrets,
            repeats: false,
            interval_ms: 0,
            reports_progress: false,
        };
        let LookUpResult { reply, decision } = watch::look(self.client, self.context, &task);
        if decision.verdict.outcome == Outcome::Confirmed {
            if ask == Ask::NotPaid {
                self.context.log(Level::Error, || {
                    "a charge of this order was settled as not done, but the service now says that it is paid"
                        .to_owned()
                });
            }
            return self.record_payment(known, &reply);
        }
        let nothing = Facts::default();
        let facts = reply.facts.as_deref().unwrap_or(&nothing);
        if resolution::allows_charge(ask, reply.http_status, decision.answered, facts) {
            return Answer::Send;
        }
        let explanation =
            if decision.answered { line.explanation } else { decision.verdict.explanation.unwrap_or_default() };
        let text = format!("{explanation}; the look-up: {}", reply.message);
        Answer::Refuse(Reply { state: reply.state, ..Reply::failed(Status::Unresolved, Outcome::Unknown, text) })
    }

    /// Somebody has paid the order: nothing is sent, and the next call finds it.
    fn record_payment(&self, known: &Snapshot, reply: &Reply) -> Answer {
        let left = self.context.bounds.time_left();
        let claimed = match self.claim(known) {
            Ok(ClaimResult::Claimed(row)) => row,
            Ok(ClaimResult::Superseded) => return Answer::Recorded,
            Err(why) => return Answer::Refuse(journal_failed(&why, Outcome::Unknown)),
        };
        let end = End {
            of: claimed.id.clone(),
            by: By::LookUp,
            outcome: Outcome::Confirmed,
            state: reply.state,
            is_final: true,
            http_status: reply.http_status,
            payment_reference: None,
            batch_reference: None,
            recipients: 0,
        };
        match self.journal.end(&claimed, &end, left) {
            Ok(_) => Answer::Recorded,
            Err(why) => Answer::Refuse(journal_failed(&why, Outcome::Unknown)),
        }
    }
}
