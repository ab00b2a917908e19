//! Sends the batches of a list, one after the other.

use super::answer::{self, Known};
use super::budget::Budget;
use super::failure::{Failure, contained, no_memory};
use super::list::{BatchRequest, List};
use super::paced;
use super::recorded::{self, Payable};
use super::report::{Batch, Identity, Report, Row, is_undone, word};
use super::rules::{self, Rules, Waits};
use super::split::{Item, Splitter};
use super::{INITIATE, WHAT, steps};
use crate::client::log::Level;
use crate::client::{CallContext, Client};
use crate::journal::Journal;
use crate::response::decimal::Decimal;
use crate::response::reply::Reply;
use crate::util::ended::CANCELLED;
use crate::util::limits::MAX_BULK_TEXT;
use crate::util::memory;
use crate::util::validation_error::ValidationError;
use paysvc_spec::status::{self, Outcome, Status};

/// What the service's usual answer adds to a row of the report, and to a batch.
const USUAL: usize = 200;

pub struct Run<'a> {
    pub(super) client: &'a Client,
    pub(super) context: &'a CallContext<'a>,
    list: List,
    /// The recipients of each batch, by their place in the list.
    plan: Vec<Vec<usize>>,
    pub(super) report: Report,
    /// For the text of the report.
    room: Vec<u8>,
    budget: Budget,
    rules: Rules,
    known: Known,
    /// Recipients that have an outcome.
    pub(super) done: usize,
    /// The batch under way, and how many requests had been sent before it.
    under_way: Option<(usize, Vec<usize>, u32)>,
    /// What the reply reports about the last answer.
    last: Option<Reply>,
    pub(super) first_failure: Option<Status>,
}

/// What follows a batch.
enum Sending {
    /// The next one.
    Done,
    /// The same recipients: nothing in the batch was executed.
    Again,
}

impl<'a> Run<'a> {
    /// `report`: what is known about the list; whatever it proves undone is to be sent.
    pub fn new(
        client: &'a Client,
        context: &'a CallContext<'a>,
        list: List,
        report: Report,
        budget: Budget,
        continue_after_unknown: bool,
    ) -> Result<Run<'a>, ValidationError> {
        let mut report = report;
        let recipients = report.rows.len();
        let plan = plan(&list, &report).ok_or_else(|| no_memory(recipients))?;
        // All that the run needs after its first request, except what a long answer adds to the report.
        let batches = report.batches.len() + plan.len();
        let room = memory::buffer(budget.report("", 0) + USUAL * (recipients + plan.len()));
        let known = Known::with_room(recipients + batches);
        let (Some(room), Some(mut known), Ok(())) = (room, known, report.batches.try_reserve_exact(plan.len())) else {
            return Err(no_memory(recipients));
        };
        let references = report.rows.iter().filter_map(|row| row.payout_reference.as_deref());
        references.chain(report.batches.iter().filter_map(|batch| batch.reference.as_deref())).for_each(|reference| {
            known.add(reference);
        });
        let done = report.rows.len() - plan.iter().map(Vec::len).sum::<usize>();
        let rules = Rules::new(continue_after_unknown);
        let (under_way, last, first_failure) = (None, None, None);
        Ok(Run {
            client,
            context,
            list,
            plan,
            report,
            room,
            budget,
            rules,
            known,
            done,
            under_way,
            last,
            first_failure,
        })
    }

    /// The request of the first batch, if there is any.
    pub fn first_request(&self) -> Option<BatchRequest> {
        self.plan.first().map(|batch| self.list.request(batch))
    }

    /// Sends all batches that may be sent. Whatever happens, the report has every recipient.
    pub fn pay(mut self) -> Reply {
        let stop = contained(|| self.send_all()).unwrap_or_else(|failure| {
            self.end_what_is_under_way(&failure.1);
            Some(failure)
        });
        if let Some(journal) = self.client.journal.get() {
            let _ = contained(|| self.read_the_rest(journal));
        }
        self.reply(stop)
    }

    fn send_all(&mut self) -> Option<Failure> {
        for recipients in std::mem::take(&mut self.plan) {
            if let Err(stop) = self.batch(recipients) {
                return Some(stop);
            }
        }
        None
    }

    /// Why a batch must not start now.
    fn obstacle(&self) -> Option<Failure> {
        let (left, timeout) = (self.context.bounds.time_left(), self.client.config.timeout);
        match self.context.bounds.ended() {
            Some(Status::Cancelled) => Some(Failure(Status::Cancelled, CANCELLED.into())),
            _ if left < timeout => {
                let (left, needed) = (left.as_millis(), timeout.as_millis());
                let text = format!("the call has {left} ms left, but a batch may take {needed} ms (timeout_ms)");
                Some(Failure(Status::Timeout, text))
            }
            _ => None,
        }
    }

    fn batch(&mut self, mut recipients: Vec<usize>) -> Result<(), Failure> {
        let Some(journal) = self.client.journal.get() else {
            return self.send_batch(recipients, None).map(|_| ());
        };
        let mut waits = Waits::default();
        for _ in 0..recorded::MOST_BEGINNINGS {
            if let Some(stop) = self.obstacle() {
                return Err(stop);
            }
            let payable = self.payable(journal, recipients)?;
            if payable.is_empty() {
                return Ok(());
            }
            if payable.len() > 1 && payable.iter().any(|one| one.alone) {
                let (alone, others): (Vec<_>, Vec<_>) = payable.iter().partition(|one| one.alone);
                for one in alone {
                    self.batch(vec![one.recipient])?;
                }
                recipients = others.iter().map(|one| one.recipient).collect();
                continue;
            }
            recipients = payable.iter().map(|one| one.recipient).collect();
            match self.send_batch(recipients.clone(), Some((journal, &payable, &mut waits)))? {
                Sending::Done => return Ok(()),
                Sending::Again => self.done -= recipients.len(),
            }
        }
        Err(Failure(Status::Journal, "other processes keep writing the keys of this batch".into()))
    }

    fn send_batch(
        &mut self,
        recipients: Vec<usize>,
        mut recorded: Option<(&Journal, &[Payable], &mut Waits)>,
    ) -> Result<Sending, Failure> {
        if let Some(stop) = self.obstacle() {
            return Err(stop);
        }
        let index = self.report.batches.len();
        self.report.batches.push(Batch::begun(recipients.len()));
        for &recipient in &recipients {
            let row = &mut self.report.rows[recipient];
            *row = Row { outcome: Outcome::Unknown, batch: Some(index), ..Row::new(row.identity.clone()) };
        }
        self.under_way = Some((index, recipients.clone(), self.context.record.sent()));
        let before = steps::before(&self.report, index, &recipients);
        let fits = self.budget.allows(&before, recipients.len());
        let has_room = self.has_room(self.budget.report(&before, recipients.len()));
        let goes_on = self.tell(&before, false);
        // The callback may have taken any time.
        let obstacle = match goes_on {
            _ if !fits => Some(too_long()),
            _ if !has_room => Some(Failure(Status::Transport, memory::LACK.into())),
            true => self.obstacle(),
            false => Some(Failure::of_callback()),
        };
        let request = self.list.request(&recipients);
        let (mut claims, mut superseded) = (Vec::new(), false);
        let (reply, stop) = match obstacle {
            Some(Failure(status, why)) => {
                (Reply::failed(status, Outcome::NotSent, why.clone()), Some(Failure(status, why)))
            }
            None => match &recorded {
                None => (paced::send(self.client, self.context, INITIATE, request.text()), None),
                Some((journal, payable, _)) => {
                    let result = self.send_recorded(journal, payable, &request);
                    (claims, superseded) = (result.claims, result.superseded);
                    (result.reply, None)
                }
            },
        };
        let http_status = reply.http_status;
        let wait = recorded.as_mut().and_then(|(_, _, waits)| self.wait_after_429(waits, &reply));
        let mut rule = self.settle(index, &recipients, &request, reply);
        if let Some((journal, ..)) = recorded {
            self.write_ends(journal, &recipients, &claims, http_status);
        }
        self.under_way = None;
        self.done += recipients.len();
        let goes_on = self.tell(&steps::after(&self.report, index, &recipients), true);
        let again = superseded || wait.is_some();
        if again {
            rule = None;
        }
        match stop.or(rule) {
            Some(stop) => Err(stop),
            None if !goes_on && (again || self.done < self.report.rows.len()) => Err(Failure::of_callback()),
            None if again => {
                self.context.bounds.pause(wait.unwrap_or_default());
                Ok(Sending::Again)
            }
            None => Ok(Sending::Done),
        }
    }

    /// Sets memory aside for a report of that length.
    fn has_room(&mut self, report: usize) -> bool {
        // One byte more, for the NUL at the end of a C string.
        if self.room.capacity() <= report {
            match memory::buffer(report + report / 8 + 1) {
                Some(room) => self.room = room,
                None => return false,
            }
        }
        true
    }

    fn tell(&mut self, step: &str, is_after: bool) -> bool {
        self.budget.add(step, is_after);
        self.context.report(self.done, self.report.rows.len(), step)
    }

    /// Records what a reply proves about its batch, and decides whether another one may follow.
    fn settle(&mut self, index: usize, recipients: &[usize], request: &BatchRequest, reply: Reply) -> Option<Failure> {
        let Reply { outcome, status, .. } = reply;
        let mut ended = Batch { outcome, message: reply.message.clone(), ..Batch::begun(recipients.len()) };
        ended.status = status::name_of(status).to_owned();
        let mut stop = None;
        let redact = |text: &str| self.client.redact(self.context, INITIATE, request.text(), text);
        let mut payouts = Vec::new();
        if outcome == Outcome::Confirmed {
            let identities: Vec<&Identity> =
                recipients.iter().map(|&recipient| &self.list.recipients[recipient].identity).collect();
            match answer::accepted(&reply, &identities, &self.known, &redact) {
                Ok(accepted) => {
                    self.known.add(&accepted.reference);
                    let references = accepted.payouts.iter().filter_map(|payout| payout.reference.as_deref());
                    references.for_each(|reference| self.known.add(reference));
                    (ended.reference, ended.id, payouts) = (Some(accepted.reference), accepted.id, accepted.payouts);
                }
                Err(difference) => {
                    ended.outcome = Outcome::Unknown;
                    ended.status = status::name_of(Status::Response).to_owned();
                    ended.message = format!("the answer does not match the batch: {difference}");
                    stop = Some(Failure(Status::Response, ended.message.clone()));
                }
            }
        }
        let said = match outcome {
            Outcome::Unknown => answer::refusals(&reply, recipients.len(), &redact),
            _ => Vec::new(),
        };
        let in_doubt = payouts.iter().filter(|payout| payout.doubt.is_some()).count();
        if in_doubt == recipients.len() {
            ended.outcome = Outcome::Unknown;
        }
        for (position, &recipient) in recipients.iter().enumerate() {
            let row = &mut self.report.rows[recipient];
            row.outcome = ended.outcome;
            row.message = said.get(position).cloned().flatten();
            if let Some(payout) = payouts.get_mut(position) {
                (row.payout_reference, row.message) = (payout.reference.take(), payout.doubt.take());
                row.outcome = if row.message.is_some() { Outcome::Unknown } else { Outcome::Confirmed };
            }
        }
        let status = if stop.is_some() || in_doubt > 0 { Status::Response } else { status };
        let outcome = if in_doubt > 0 { Outcome::Unknown } else { ended.outcome };
        if outcome != Outcome::Confirmed {
            self.first_failure.get_or_insert(status);
        }
        self.context.log(Level::Info, || {
            format!("{WHAT}: batch {index} of {} recipients: {}", recipients.len(), word(outcome))
        });
        let rule = self.rules.stop(outcome, status);
        let stop = stop.or_else(|| rule.map(|why| Failure(status, format!("{why}; batch {index}: {}", ended.message))));
        self.report.batches[index] = ended;
        self.last = Some(reply);
        stop
    }

    /// A panic ended the batch: it was not sent if no request was.
    fn end_what_is_under_way(&mut self, message: &str) {
        let Some((index, recipients, attempts)) = self.under_way.take() else { return };
        let outcome = if self.context.record.sent() == attempts { Outcome::NotSent } else { Outcome::Unknown };
        recipients.iter().for_each(|&recipient| {
            let row = &mut self.report.rows[recipient];
            (row.outcome, row.payout_reference) = (outcome, None);
        });
        let status = status::name_of(Status::Internal).to_owned();
        let message = message.to_owned();
        self.report.batches[index] = Batch { outcome, status, message, ..Batch::begun(recipients.len()) };
        self.done += recipients.len();
        // The journal is complete, unless reporting it was what panicked.
        let _ = contained(|| self.tell(&steps::after(&self.report, index, &recipients), true));
    }

    fn reply(self, stop: Option<Failure>) -> Reply {
        let outcome = self.report.outcome();
        let (status, mut why) = match stop {
            _ if outcome == Outcome::Confirmed => (Status::Ok, String::new()),
            Some(Failure(status, why)) => (status, why),
            None => (self.first_failure.unwrap_or(Status::Response), String::new()),
        };
        let status = rules::status_beside(status, outcome);
        if why.is_empty() && self.report.count(Outcome::Unknown) > 0 {
            why = "no look-up can find out what became of the UNKNOWN payouts: a person must find out".into();
        }
        let mut reply = self.report.reply(self.room, status, outcome, &why);
        if let Some(last) = self.last {
            let Reply { http_status, code, retry_after_ms, request_id, .. } = last;
            reply = Reply { http_status, code, retry_after_ms, request_id, ..reply };
        }
        let level = if status == Status::Ok { Level::Info } else { Level::Warn };
        self.context.log(level, || format!("{WHAT}: {} {}", status::name_of(status), self.report.summary()));
        reply
    }
}

fn too_long() -> Failure {
    let text = format!(
        "the report could become longer than {MAX_BULK_TEXT} bytes, the most that earlier accepts: split the list"
    );
    Failure(Status::Argument, text)
}

/// The batches of all recipients that are proved undone.
fn plan(list: &List, report: &Report) -> Option<Vec<Vec<usize>>> {
    // One of several that were refused together may have been the reason.
    let refused_with_others = |batch: &Batch| {
        batch.recipients > 1 && batch.outcome == Outcome::Rejected && batch.status == status::name_of(Status::Rejected)
    };
    let undone = report.rows.iter().enumerate().filter(|(_, row)| is_undone(row.outcome));
    let items = undone.map(|(index, row)| {
        let recipient = &list.recipients[index];
        Item {
            index,
            bytes: recipient.payload.len(),
            account: &recipient.identity.account,
            amount: Decimal::parse(&recipient.identity.amount),
            alone: row.batch.is_some_and(|batch| refused_with_others(&report.batches[batch])),
        }
    });
    let mut plan = memory::list(list.recipients.len())?;
    plan.extend(Splitter::new(items, list.room));
    Some(plan)
}

#[cfg(test)]
mod tests;
