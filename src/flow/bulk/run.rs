//! Sends the batches of a list, one after the other.

use std::collections::HashSet;

use super::answer;
use super::list::List;
use super::recipients::{RecipientState, by_another_list, refused};
use super::report::{AROUND, Batch, Identity, Report, Row, most_after, step, word};
use super::rules::{self, Failure, Rules, contained, no_memory};
use super::split::{Item, Splitter};
use super::{INITIATE, WHAT};
use crate::answer::reply::{Reading, Reply};
use crate::call::Call;
use crate::call::log::Level;
use crate::flow::Client;
use crate::flow::engine::{Attempt, Items, ReadyItem, RunEnd, Step};
use crate::flow::patience::Patience;
use crate::json::Given;
use crate::json::decimal::Decimal;
use crate::ledger::row::{By, End};
use crate::ledger::table::{Claims, Decision};
use crate::ledger::{Entry, Journal, Ledger, Snapshot};
use crate::request::{self, Request};
use crate::util::expiry::{self, CANCELLED};
use crate::util::memory;
use crate::util::validation_error::ValidationError;
use paysvc_spec::status::{self, Outcome, Status};

/// Bytes that the service's usual response adds to a row of the report, and to a batch.
const USUAL: usize = 200;
const PAID_BY_OTHERS: &str = "there was no connection, and others have paid some of its recipients meanwhile";

struct UnderWay {
    index: usize,
    recipients: Vec<usize>,
    /// The number of requests sent before it.
    sent_before: u32,
    /// The outcome of its recipients before: REJECTED if it was answered with 429.
    earlier: Outcome,
}

pub struct Run<'a> {
    pub(super) client: &'a Client,
    pub(super) context: &'a Call<'a>,
    pub(super) journal: &'a Journal,
    pub(super) list: List,
    /// The list goes on with what another list has paid.
    pub(super) continues: bool,
    pub(super) report: Report,
    /// For the text of the report.
    room: Vec<u8>,
    /// The max length of that text.
    pub(super) size: usize,
    rules: Rules,
    /// All references that the service has given so far.
    pub(super) references: HashSet<String>,
    /// Recipients that have an outcome.
    pub(super) done: usize,
    /// The journal has been read for everybody.
    pub(super) has_read: bool,
    /// Recipients whose rows may have changed since: another process may be paying them, or a panic ended their batch.
    pub(super) contended: Vec<usize>,
    under_way: Option<UnderWay>,
    /// The last response, as the reply reports it.
    last: Option<(Reading, String)>,
    pub(super) first_failure: Option<Status>,
}

/// The result that the response to a batch proves.
struct BatchVerdict {
    outcome: Outcome,
    status: Status,
    /// The response does not belong to the batch.
    mismatch: Option<Failure>,
}

impl<'a> Run<'a> {
    pub fn new(
        client: &'a Client,
        context: &'a Call<'a>,
        journal: &'a Journal,
        list: List,
        continues: bool,
        rules: Rules,
    ) -> Result<Run<'a>, ValidationError> {
        let report = list.new_report()?;
        let recipients = report.rows.len();
        // All that the run needs after its first request, except what a long answer adds to the report.
        let size = report.size() + AROUND;
        let room = memory::buffer(size + USUAL * 2 * recipients).ok_or_else(|| no_memory(recipients))?;
        let mut references = HashSet::new();
        references.try_reserve(2 * recipients).map_err(|_| no_memory(recipients))?;
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
            references,
            done: 0,
            has_read: false,
            contended: Vec::new(),
            under_way: None,
            last: None,
            first_failure: None,
        })
    }

    /// Sends all batches that may be sent. Whatever happens then, the report has every recipient. Fails, before anything
    /// is sent, if another list has paid some of them.
    pub fn pay(mut self) -> Result<Reply, ValidationError> {
        let begun = contained(|| self.plan()).unwrap_or_else(Err);
        let stop = match begun {
            Ok(plan) => {
                let plan = plan?;
                contained(|| plan.into_iter().find_map(|recipients| self.batch(&recipients).err())).unwrap_or_else(
                    |failure| {
                        self.end_what_is_under_way(Status::Internal, &failure.1);
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

    /// Reads the journal's result of each recipient, and splits the others into batches.
    fn plan(&mut self) -> Result<Result<Vec<Vec<usize>>, ValidationError>, Failure> {
        let count = self.report.rows.len();
        let lacking = || Ok(Err(no_memory(count)));
        let (Some(mut undone), Some(mut plan)) = (memory::list(count), memory::list(count)) else { return lacking() };
        let (mut elsewhere, mut others) = (Vec::new(), 0);
        for recipient in 0..count {
            if let Some(status) = self.context.bounds.ended() {
                return Err(Failure(status, expiry::message(status).into()));
            }
            match self.read_state(recipient)? {
                RecipientState::Payable { alone } => undone.push((recipient, alone)),
                // The batch waits for its end.
                RecipientState::UnderWay(_) => {
                    self.contended.push(recipient);
                    undone.push((recipient, false));
                }
                RecipientState::RunEnd(ending) => self.record(recipient, *ending),
                RecipientState::OfAnotherList(day) => {
                    by_another_list(&mut elsewhere, recipient, &self.report.rows[recipient].identity, &day);
                    others += 1;
                }
            }
        }
        self.has_read = true;
        if others > 0 {
            return Ok(Err(refused(elsewhere, others)));
        }
        let items = undone.iter().map(|&(index, alone)| {
            let recipient = &self.list.recipients[index];
            let Identity { account, amount, .. } = &recipient.identity;
            Item { index, bytes: recipient.payload.len(), account, amount: Decimal::parse(amount), alone }
        });
        plan.extend(Splitter::new(items, self.list.room));
        Ok(Ok(plan))
    }

    /// Returns the reason why a batch must not start now.
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

    fn batch(&mut self, recipients: &[usize]) -> Result<(), Failure> {
        let entries: Vec<Entry> = recipients.iter().map(|&recipient| self.entry(recipient)).collect();
        let (ledger, config) = (Ledger::Journal(self.journal, &entries), &self.client.config);
        let engine = self.client.engine(self.context, ledger).map_err(|error| Failure(error.status, error.message))?;
        let patience = Patience::of_batch(config.max_attempts, config.timeout);
        let mut batch =
            BatchItems { run: self, recipients, waiting: None, verdict: None, obstacle: None, halts: false };
        let ended = engine.run(&mut batch, patience);
        let BatchItems { verdict, obstacle, halts, .. } = batch;
        match ended {
            RunEnd::Held => {
                if let Some(count) = self.under_way.as_ref().map(|begun| begun.recipients.len()) {
                    self.end_what_is_under_way(Status::Transport, PAID_BY_OTHERS);
                    self.done -= count;
                }
                Ok(())
            }
            RunEnd::Attempted(_) => {
                let rule = || verdict.and_then(|(index, verdict)| self.rule(index, verdict));
                obstacle.or_else(rule).or(halts.then(Failure::of_callback)).map_or(Ok(()), Err)
            }
            RunEnd::Stopped(reply) => {
                self.end_what_is_under_way(reply.status(), &reply.message);
                Err(Failure(reply.status(), reply.message))
            }
            RunEnd::Superseded(reply) => {
                self.contended.extend_from_slice(recipients);
                Err(Failure(Status::Journal, reply.message))
            }
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
    fn settle(&mut self, index: usize, recipients: &[usize], outcomes: &[Outcome], reply: &Reply) -> BatchVerdict {
        let (outcome, status) = (reply.outcome(), reply.status());
        let request = self.list.request(recipients);
        let mut ended = Batch { outcome, message: reply.message.clone(), ..Batch::begun(recipients.len()) };
        ended.status = status::name_of(status).to_owned();
        let mut mismatch = None;
        let redact = |text: &str| self.client.redact(self.context, INITIATE, request.text(), text);
        let mut payouts = Vec::new();
        if outcome == Outcome::Confirmed {
            let identities: Vec<&Identity> =
                recipients.iter().map(|&recipient| &self.list.recipients[recipient].identity).collect();
            match answer::accepted(reply, &identities, &self.references, &redact) {
                Ok(accepted) => {
                    self.references.insert(accepted.reference.clone());
                    self.references.extend(accepted.payouts.iter().filter_map(|payout| payout.reference.clone()));
                    (ended.reference, ended.id, payouts) = (Some(accepted.reference), accepted.id, accepted.payouts);
                }
                Err(difference) => {
                    ended.outcome = Outcome::Unknown;
                    ended.status = status::name_of(Status::Response).to_owned();
                    ended.message = format!("the response does not match the batch: {difference}");
                    mismatch = Some(Failure(Status::Response, ended.message.clone()));
                }
            }
        }
        let said = match outcome {
            Outcome::Unknown => answer::refusals(reply, recipients.len(), &redact),
            _ => Vec::new(),
        };
        let in_doubt = payouts.iter().filter(|payout| payout.doubt.is_some()).count();
        if in_doubt == recipients.len() {
            ended.outcome = Outcome::Unknown;
        }
        for (position, &recipient) in recipients.iter().enumerate() {
            let row = &mut self.report.rows[recipient];
            // Without an earlier 429 the same response may prove more.
            row.outcome = if mismatch.is_some() { ended.outcome } else { outcomes[position] };
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
        let Reading { sent, http_status, retry_after_ms, request_id, .. } = &reply.evidence.reading;
        let (sent, http_status, retry_after_ms) = (*sent, *http_status, *retry_after_ms);
        let request_id = request_id.clone();
        let reading = Reading { sent, http_status, retry_after_ms, request_id, ..Reading::default() };
        self.last = Some((reading, reply.code.clone()));
        BatchVerdict { outcome, status, mismatch }
    }

    /// Returns the reason why no other batch may follow.
    fn rule(&mut self, index: usize, BatchVerdict { outcome, status, mismatch }: BatchVerdict) -> Option<Failure> {
        if outcome != Outcome::Confirmed {
            self.first_failure.get_or_insert(status);
        }
        let rule = self.rules.stop(outcome, status);
        let message = &self.report.batches[index].message;
        mismatch.or_else(|| rule.map(|why| Failure(status, format!("{why}; batch {index}: {message}"))))
    }

    /// Something ended the batch before its attempt did: it was not sent if no request was.
    fn end_what_is_under_way(&mut self, status: Status, message: &str) {
        let Some(UnderWay { index, recipients, sent_before, earlier }) = self.under_way.take() else { return };
        let outcome = if self.context.record.sent() == sent_before { earlier } else { Outcome::Unknown };
        for &recipient in &recipients {
            let row = &mut self.report.rows[recipient];
            // The journal may have provided more about it meanwhile.
            if row.batch == Some(index) {
                (row.outcome, row.payout_reference) = (outcome, None);
            }
        }
        self.contended.extend_from_slice(&recipients);
        let (status, message) = (status::name_of(status).to_owned(), message.to_owned());
        self.report.batches[index] = Batch { outcome, status, message, ..Batch::begun(recipients.len()) };
        self.done += recipients.len();
        // The steps are complete, unless reporting them was what panicked.
        let _ = contained(|| self.tell(&step(&self.report, index, &recipients, false), true));
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
            why = "no status query can find out what became of the UNKNOWN payouts: a person must find out, and settle them in the journal".into();
        }
        // An identical list next month would be a resume as well: it must not look like a payment.
        let replayed = self.report.rows.iter().all(|row| row.replayed.is_some());
        if let Some(day) = self.report.rows.iter().filter_map(|row| row.replayed.as_deref()).max().filter(|_| replayed)
        {
            why = format!("nothing was sent: all were accepted by earlier calls, the last on {day}");
        }
        let mut reply = Reply { replayed, ..self.report.reply(self.room, status, outcome, &why) };
        if let Some((reading, code)) = self.last {
            (reply.evidence.reading, reply.code) = (reading, code);
        }
        let level = if status == Status::Ok { Level::Info } else { Level::Warn };
        self.context.log(level, || format!("{WHAT}: {} {}", status::name_of(status), self.report.summary()));
        reply
    }
}

struct BatchItems<'r, 'a> {
    run: &'r mut Run<'a>,
    recipients: &'r [usize],
    /// Another process may be paying one of them.
    waiting: Option<String>,
    /// The verdict on the last response, with the number of its batch.
    verdict: Option<(usize, BatchVerdict)>,
    /// The reason why it was not sent after it had begun.
    obstacle: Option<Failure>,
    /// The caller wants no other batch.
    halts: bool,
}

impl BatchItems<'_, '_> {
    fn recipients_of(&self, ready: &[ReadyItem]) -> Vec<usize> {
        ready.iter().map(|one| self.recipients[one.item]).collect()
    }

    /// Puts the batch into the report, and informs the caller that it begins.
    fn begin(&mut self, recipients: Vec<usize>) -> Result<(), Failure> {
        let run = &mut *self.run;
        let index = run.report.batches.len();
        let earlier = recipients.first().map_or(Outcome::NotSent, |&first| run.report.rows[first].outcome);
        run.report.batches.push(Batch::begun(recipients.len()));
        for &recipient in &recipients {
            let row = &mut run.report.rows[recipient];
            *row = Row { outcome: Outcome::Unknown, batch: Some(index), ..Row::new(row.identity.clone()) };
        }
        let before = step(&run.report, index, &recipients, true);
        let size = run.size + most_after(&before, recipients.len());
        let sent_before = run.context.record.sent();
        run.under_way = Some(UnderWay { index, recipients, sent_before, earlier });
        let has_room = run.has_room(size);
        // The callback may take any time.
        match run.tell(&before, false) {
            _ if !has_room => Err(Failure(Status::Transport, memory::LACK.into())),
            true => run.obstacle().map_or(Ok(()), Err),
            false => Err(Failure::of_callback()),
        }
    }
}

impl Items for BatchItems<'_, '_> {
    fn obstacle(&mut self) -> Option<Reply> {
        let run = &self.run;
        let waited = self.waiting.take().and_then(|why| Some(Failure(run.context.bounds.ended()?, why)));
        // A batch that has begun takes the time that is left.
        let obstacle = || match run.context.bounds.ended() {
            None if run.under_way.is_some() => None,
            _ => run.obstacle(),
        };
        let lacks = || memory::is_spent().then(|| Failure(Status::Transport, memory::LACK.into()));
        let Failure(status, why) = waited.or_else(obstacle).or_else(lacks)?;
        Some(Reply::failed(status, Outcome::NotSent, why))
    }

    fn decide(&mut self, item: usize, _: &Snapshot, found: &Claims<'_>, decision: &Decision<'_>) -> Step {
        match self.run.state(found, decision) {
            RecipientState::Payable { .. } => Step::Send,
            RecipientState::UnderWay(why) => {
                self.waiting = Some(why);
                Step::Wait
            }
            state => {
                self.run.record_state(self.recipients[item], state);
                Step::Hold
            }
        }
    }

    fn send(&mut self, ready: &[ReadyItem], send: &dyn Fn(&Request<'_>) -> Attempt) -> Attempt {
        let recipients = self.recipients_of(ready);
        // A batch that found no connection goes on, unless others have paid some of it meanwhile.
        let begun =
            self.run.under_way.as_ref().map(|UnderWay { recipients: begun, .. }| (*begun == recipients, begun.len()));
        if let Some((false, count)) = begun {
            self.run.end_what_is_under_way(Status::Transport, PAID_BY_OTHERS);
            self.run.done -= count;
        }
        if begun.is_none_or(|(is_same, _)| !is_same)
            && let Err(Failure(status, why)) = self.begin(recipients.clone())
        {
            self.obstacle = Some(Failure(status, why.clone()));
            return Attempt::without_request(Reply::failed(status, Outcome::NotSent, why));
        }
        let Run { client, context, list, .. } = &*self.run;
        let request = list.request(&recipients);
        let bounds = &context.within(client.config.timeout).bounds;
        let given = Given::read(request.text());
        let request = request::prepare(INITIATE, &given, &client.config, &|| bounds.is_over());
        match request {
            Ok(request) => send(&request),
            Err(error) => Attempt::without_request(Reply::invalid(error)),
        }
    }

    fn judge(&mut self, ready: &[ReadyItem], attempt: &Attempt) -> Vec<End> {
        let recipients = self.recipients_of(ready);
        let outcomes: Vec<Outcome> = ready.iter().map(|item| attempt.outcome_for(item)).collect();
        let Some(UnderWay { index, .. }) = self.run.under_way else { return Vec::new() };
        let verdict = self.run.settle(index, &recipients, &outcomes, &attempt.reply);
        self.verdict = Some((index, verdict));
        let report = &self.run.report;
        let end = |&recipient: &usize| {
            let row = &report.rows[recipient];
            End {
                is_final: row.outcome == Outcome::Confirmed,
                http_status: attempt.reply.http_status(),
                payment_reference: row.payout_reference.clone(),
                batch_reference: report.batches[index].reference.clone(),
                recipients: u32::try_from(recipients.len()).unwrap_or(u32::MAX),
                ..End::new("", By::Sender, row.outcome)
            }
        };
        recipients.iter().map(end).collect()
    }

    fn ended(&mut self, again: bool) -> bool {
        let run = &mut *self.run;
        let Some(UnderWay { index, recipients, .. }) = run.under_way.take() else { return true };
        run.done += recipients.len();
        let goes_on = run.tell(&step(&run.report, index, &recipients, false), true);
        if again {
            self.verdict = None;
            run.done -= recipients.len();
        }
        self.halts = !goes_on && (again || run.done < run.report.rows.len());
        goes_on
    }
}

#[cfg(test)]
mod tests;
