//! Asks the service for an order before it is charged: whether it knows of attempts to pay it that rule out another
//! charge.

use std::borrow::Cow;

use super::{Single, Step, journal_failed};
use crate::answer::facts::Facts;
use crate::answer::reply::Reply;
use crate::answer::resolution::{self, Asked, Question};
use crate::call::log::Level;
use crate::flow::resolve::task::Task;
use crate::flow::resolve::watch::{self, LookUpResult};
use crate::ledger::row::End;
use crate::ledger::{ClaimResult, Entry, Snapshot};
use crate::request::secrets::Secrets;
use crate::request::text_value;
use paysvc_spec::journal::{Ask, Line};
use paysvc_spec::status::{Outcome, Status};

impl Single<'_> {
    pub(super) fn ask(&self, ask: Ask, entry: &Entry, known: &Snapshot, line: &Line) -> Result<Step, Reply> {
        let look_up = self.request.row.and_then(|row| row.looked_up_by.as_ref());
        let (Some(look_up), Some(reference)) = (look_up, entry.record.order.as_deref()) else { return Ok(Step::Send) };
        let value = text_value(reference);
        let members = look_up.members.iter().map(|(name, _)| (Cow::Borrowed(*name), &*value)).collect();
        let mut secrets = Secrets::default();
        secrets.extend(&self.request.secrets);
        let task = Task {
            what: entry.record.function,
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
            return self.record_payment(entry, known, &reply);
        }
        let nothing = Facts::default();
        let facts = reply.facts().unwrap_or(&nothing);
        if resolution::allows_charge(ask, reply.http_status(), decision.answered, facts) {
            return Ok(Step::Send);
        }
        let explanation =
            if decision.answered { line.explanation } else { decision.verdict.explanation.unwrap_or_default() };
        let text = format!("{explanation}; the look-up: {}", reply.message);
        let mut refused = Reply::failed(Status::Unresolved, Outcome::Unknown, text);
        refused.evidence.verdict.state = reply.state();
        Err(refused)
    }

    /// Somebody has paid the order: nothing is sent, and the next reading finds it.
    fn record_payment(&self, entry: &Entry, known: &Snapshot, reply: &Reply) -> Result<Step, Reply> {
        let failed = |why: String| journal_failed(&why, Outcome::Unknown);
        if let ClaimResult::Claimed(claim) = self.ledger.claim(entry, known, self.context).map_err(failed)? {
            let end =
                End { is_final: true, ..End::by_look_up(&claim, reply.outcome(), reply.state(), reply.http_status()) };
            self.ledger.end(&claim, &end, self.context).map_err(failed)?;
        }
        Ok(Step::Reread)
    }
}
