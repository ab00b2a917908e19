//! Sends the batches of a list, one after the other.

use super::answer::{self, Known};
use super::failure::{Failure, contained, no_memory};
use super::list::{BatchRequest, List};
use super::recorded::{Entry, Payable, by_another_list};
use super::report::{AROUND, Batch, Identity, Report, Row, most_after, word};
use super::rules::{self, Rules, Waits};
use super::split::{Item, Splitter};
use super::{INITIATE, WHAT, steps};
use crate::answer::decimal::Decimal;
use crate::answer::reply::Reply;
use crate::flow::journal::MOST_RACES;
use crate::flow::log::Level;
use crate::flow::{CallContext, Client};
use crate::ledger::Journal;
use crate::util::ended::{self, CANCELLED};
use crate::util::memory;
use crate::util::validation_error::ValidationError;
use paysvc_spec::status::{self, Outcome, Status};

/// What the service's usual answer adds to a row of the report, and to a batch.
const USUAL: usize = 200;

/// What the caller allows.
pub struct Options {
    /// The list goes on with what another list has paid.
    pub continues: bool,
    /// A batch whose outcome is UNKNOWN does not end the run.
    pub continues_after_unknown: bool,
}

pub struct Run<'a> {
    pub(super) client: &'a Client,
    pub(super) context: &'a CallContext<'a>,
    pub(super) journal: &'a Journal,
    pub(super) list: List,
    pub(super) continues: bool,
    pub(super) report: Report,
    /// For the text of the report.
    room: Vec<u8>,
    /// How long that text can be.
    pub(super) size: usize,
    rules: Rules,
    pub(super) known: Known,
    /// Recipients that have an outcome.
    pub(super) done: usize,
    /// The journal has been read for everybody.
    pub(super) has_read: bool,
    /// Recipients whose rows may have changed since: another process may be paying them, or a panic ended their batch.
    pub(super) contended: Vec<usize>,
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

/// What the answer to a batch proves.
struct BatchVerdict {
    outcome: Outcome,
    status: Status,
    /// The answer does not belong to the batch.
    mismatch: Option<Failure>,
}

impl<'a> Run<'a> {
    pub fn new(
        client: &'a Client,
        context: &'a CallContext<'a>,
        journal: &'a Journal,
        list: List,
        options: Options,
    ) -> Result<Run<'a>, ValidationError> {
        let report = list.new_report()?;
        let recipients = report.rows.len();
        // All that the run needs after its first request, except what a long answer adds to the report.
        let size = report.size() + AROUND;
        let room = memory::buffer(size + USUAL * 2 * recipients);
        let (Some(room), Some(known)) = (room, Known::with_room(2 * recipients)) else {
            return Err(no_memory(recipients));
        };
        let Options { continues, continues_after_unknown } = options;
        let rules = Rules::new(continues_after_unknown);
        let (under_way, last, first_failure) = (None, None, None);
        Ok(Run {
            client,
            context,
            journal,
            list,
            continues,
            report,
            room,
            size,
            rules,
            known,
            done: 0,
            has_read: false,
            contended: Vec::new(),
            under_way,
            last,
            first_failure,
        })
    }

    /// Sends all batches that may be sent. Whatever happens then, the report has every recipient. Fails, before anything
    /// is sent, if another list has paid some of them.
    pub fn pay(mut self) -> Result<Reply, ValidationError> {
        let begun = contained(|| self.plan()).unwrap_or_else(Err);
        let stop = match begun {
            Ok(plan) => {
                let plan = plan?;
                contained(|| plan.into_iter().find_map(|recipients| self.batch(recipients).err())).unwrap_or_else(
                    |failure| {
                        self.end_what_is_under_way(&failure.1);
                        Some(failure)
                    },
                )
            }
            Err(failure) => Some(failure),
        };
        if stop.is_some() {
            let _ = contained(|| self.read_the_rest());
        }
        Ok(self.reply(stop))
    }

    /// Reads what the journal has for each recipient, and splits the others into batches.
    fn plan(&mut self) -> Result<Result<Vec<Vec<usize>>, ValidationError>, Failure> {
        let count = self.report.rows.len();
        let lacking = || Ok(Err(no_memory(count)));
        let (Some(mut undone), Some(mut plan)) = (memory::list(count), memory::list(count)) else { return lacking() };
        let (mut elsewhere, mut others) = (Vec::new(), 0);
        for recipient in 0..count {
            if let Some(status) = self.context.bounds.ended() {
                return Err(Failure(status, ended::message(status).into()));
            }
            match self.read_entry(recipient)? {
                Entry::Payable(payable) => undone.push((recipient, payable.alone)),
                // The batch waits for its end.
                Entry::UnderWay(_) => {
                    self.contended.push(recipient);
                    undone.push((recipient, false));
                }
                Entry::Ended(ending) => self.record(recipient, ending),
                Entry::OfAnotherList(day) => {
                    by_another_list(&mut elsewhere, recipient, &self.report.rows[recipient].identity, &day);
                    others += 1;
                }
            }
        }
        self.has_read = true;
        if others > 0 {
            return Ok(Err(super::recorded::refused(elsewhere, others)));
        }
        let items = undone.iter().map(|&(index, alone)| {
            let recipient = &self.list.recipients[index];
            let Identity { account, amount, .. } = &recipient.identity;
            Item { index, bytes: recipient.payload.len(), account, amount: Decimal::parse(amount), alone }
        });
        plan.extend(Splitter::new(items, self.list.room));
        Ok(Ok(plan))
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
        let mut waits = Waits::default();
        for _ in 0..MOST_RACES {
            if let Some(stop) = self.obstacle() {
                return Err(stop);
            }
            let payable = self.payable(recipients)?;
            if payable.is_empty() {
                return Ok(());
            }
            recipients = payable.iter().map(|one| one.recipient).collect();
            match self.send_batch(&recipients, &payable, &mut waits)? {
                Sending::Done => return Ok(()),
                Sending::Again => self.done -= recipients.len(),
            }
        }
        Err(Failure(Status::Journal, "other processes keep writing the keys of this batch".into()))
    }

    fn send_batch(&mut self, recipients: &[usize], payable: &[Payable], waits: &mut Waits) -> Result<Sending, Failure> {
        let index = self.report.batches.len();
        self.report.batches.push(Batch::begun(recipients.len()));
        for &recipient in recipients {
            let row = &mut self.report.rows[recipient];
            *row = Row { outcome: Outcome::Unknown, batch: Some(index), ..Row::new(row.identity.clone()) };
        }
        self.under_way = Some((index, recipients.to_vec(), self.context.record.sent()));
        let before = steps::before(&self.report, index, recipients);
        let has_room = self.has_room(self.size + most_after(&before, recipients.len()));
        // The callback may take any time.
        let obstacle = match self.tell(&before, false) {
            _ if !has_room => Some(Failure(Status::Transport, memory::LACK.into())),
            true => self.obstacle(),
            false => Some(Failure::of_callback()),
        };
        let request = self.list.request(recipients);
        let (mut claims, mut superseded) = (Vec::new(), false);
        let (reply, stop) = match obstacle {
            Some(Failure(status, why)) => {
                (Reply::failed(status, Outcome::NotSent, why.clone()), Some(Failure(status, why)))
            }
            None => {
                let sent = self.send(payable, &request);
                (claims, superseded) = (sent.claims, sent.superseded);
                (sent.reply, None)
            }
        };
        let http_status = reply.http_status;
        let wait = self.wait_after_429(waits, &reply);
        let verdict = self.settle(index, recipients, &request, reply);
        self.write_ends(recipients, &claims, http_status);
        self.under_way = None;
        self.done += recipients.len();
        let goes_on = self.tell(&steps::after(&self.report, index, recipients), true);
        let again = superseded || wait.is_some();
        let stop = stop.or_else(|| if again { None } else { self.rule(index, verdict) });
        match stop {
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
        // The report has what stands in the steps after the batches.
        self.size += if is_after { step.len() } else { 0 };
        self.context.report(self.done, self.report.rows.len(), step)
    }

    /// Records what a reply proves about its batch.
    fn settle(&mut self, index: usize, recipients: &[usize], request: &BatchRequest, reply: Reply) -> BatchVerdict {
        let Reply { outcome, status, .. } = reply;
        let mut ended = Batch { outcome, message: reply.message.clone(), ..Batch::begun(recipients.len()) };
        ended.status = status::name_of(status).to_owned();
        let mut mismatch = None;
        let redact = |text: &str| self.client.redact(self.context, INITIATE, request.text(), text);
        let mut payouts = Vec::new();
        if outcome == Outcome::Confirmed {
            let identities: Vec<&Identity> =
                recipients.iter().map(|&recipient| &self.list.recipients[recipient].identity).collect();
            match answer::accepted(&reply, &identities, &self.known, &redact) {
                Ok(accepted) => {
                    self.known.add(&accepted.reference);
                    let references = accepted.payouts.iter().filter_map(|payout| payout.reference.as_deref());
                    references.for_each(|reference| _ = self.known.add(reference));
                    (ended.reference, ended.id, payouts) = (Some(accepted.reference), accepted.id, accepted.payouts);
                }
                Err(difference) => {
                    ended.outcome = Outcome::Unknown;
                    ended.status = status::name_of(Status::Response).to_owned();
                    ended.message = format!("the answer does not match the batch: {difference}");
                    mismatch = Some(Failure(Status::Response, ended.message.clone()));
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
        let status = if mismatch.is_some() || in_doubt > 0 { Status::Response } else { status };
        let outcome = if in_doubt > 0 { Outcome::Unknown } else { ended.outcome };
        self.context.log(Level::Info, || {
            format!("{WHAT}: batch {index} of {} recipients: {}", recipients.len(), word(outcome))
        });
        self.report.batches[index] = ended;
        self.last = Some(reply);
        BatchVerdict { outcome, status, mismatch }
    }

    /// Why no other batch may follow.
    fn rule(&mut self, index: usize, BatchVerdict { outcome, status, mismatch }: BatchVerdict) -> Option<Failure> {
        if outcome != Outcome::Confirmed {
            self.first_failure.get_or_insert(status);
        }
        let rule = self.rules.stop(outcome, status);
        let message = &self.report.batches[index].message;
        mismatch.or_else(|| rule.map(|why| Failure(status, format!("{why}; batch {index}: {message}"))))
    }

    /// A panic ended the batch: it was not sent if no request was.
    fn end_what_is_under_way(&mut self, message: &str) {
        let Some((index, recipients, attempts)) = self.under_way.take() else { return };
        let outcome = if self.context.record.sent() == attempts { Outcome::NotSent } else { Outcome::Unknown };
        recipients.iter().for_each(|&recipient| {
            let row = &mut self.report.rows[recipient];
            (row.outcome, row.payout_reference) = (outcome, None);
        });
        self.contended.extend_from_slice(&recipients);
        let status = status::name_of(Status::Internal).to_owned();
        let message = message.to_owned();
        self.report.batches[index] = Batch { outcome, status, message, ..Batch::begun(recipients.len()) };
        self.done += recipients.len();
        // The steps are complete, unless reporting them was what panicked.
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
            why = "no look-up can find out what became of the UNKNOWN payouts: a person must find out, and settle them in the journal".into();
        }
        // An identical list next month would be a resume as well: it must not look like a payment.
        let replayed = self.report.rows.iter().all(|row| row.replayed.is_some());
        if let Some(day) = self.report.rows.iter().filter_map(|row| row.replayed.as_deref()).max().filter(|_| replayed)
        {
            why = format!("nothing was sent: all were accepted by earlier calls, the last on {day}");
        }
        let mut reply = Reply { replayed, ..self.report.reply(self.room, status, outcome, &why) };
        if let Some(last) = self.last {
            let Reply { http_status, code, retry_after_ms, request_id, .. } = last;
            reply = Reply { http_status, code, retry_after_ms, request_id, ..reply };
        }
        let level = if status == Status::Ok { Level::Info } else { Level::Warn };
        self.context.log(level, || format!("{WHAT}: {} {}", status::name_of(status), self.report.summary()));
        reply
    }
}

#[cfg(test)]
mod tests;
