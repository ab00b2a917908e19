//! Looks up the batches of an earlier report. Nothing is called paid unless the answer says so about that very payout.

use super::budget::AROUND;
use super::failure::{Failure, contained, no_memory};
use super::report::{Report, Row, is_undone, state_name};
use super::{STATUS, answer, names, paced, rules, steps};
use crate::client::{CallContext, Client};
use crate::json::Type;
use crate::json::document::Value;
use crate::json::object::{Object, object};
use crate::request::secrets::Secrets;
use crate::response::facts::element;
use crate::response::reply::Reply;
use crate::util::ended;
use crate::util::memory;
use crate::util::validation_error::ValidationError;
use paysvc_spec::schema::Certainty;
use paysvc_spec::status::{Outcome, STATES, State, Status};

/// This many failed look-ups in a row end the call.
const MOST_FAILURES: usize = 3;

pub struct States<'a> {
    client: &'a Client,
    context: &'a CallContext<'a>,
    report: Report,
    /// The accepted recipients of each batch.
    rows: Vec<Vec<usize>>,
    /// For the text of the report.
    room: Vec<u8>,
}

impl<'a> States<'a> {
    pub fn new(
        client: &'a Client,
        context: &'a CallContext<'a>,
        report: Report,
    ) -> Result<States<'a>, ValidationError> {
        let recipients = report.rows.len();
        let room = memory::buffer(report.size() + AROUND).ok_or_else(|| no_memory(recipients))?;
        let mut rows = memory::list(report.batches.len()).ok_or_else(|| no_memory(recipients))?;
        rows.resize(report.batches.len(), Vec::new());
        for (index, row) in report.rows.iter().enumerate().filter(|(_, row)| row.outcome == Outcome::Confirmed) {
            if let Some(batch) = row.batch {
                rows[batch].push(index);
            }
        }
        Ok(States { client, context, report, rows, room })
    }

    pub fn ask(mut self) -> Reply {
        let asked: Vec<usize> = (0..self.report.batches.len())
            .filter(|&index| self.report.batches[index].outcome == Outcome::Confirmed)
            .collect();
        let (mut read, mut failure) = (0, None);
        let ended = contained(|| self.ask_all(&asked, &mut read, &mut failure));
        let failure = failure.or(ended.err());
        let why = format!("{read} of {} batches were looked up{}", asked.len(), self.states());
        match (failure, self.open()) {
            (None, 0) => self.report.reply(self.room, Status::Ok, Outcome::Confirmed, &why),
            (None, open) => {
                let why = format!("{why}; {open} recipients have no final state");
                self.report.reply(self.room, Status::Unresolved, Outcome::Unknown, &why)
            }
            (Some(Failure(status, reason)), _) => {
                let status = rules::status_beside(status, Outcome::Unknown);
                self.report.reply(self.room, status, Outcome::Unknown, &format!("{why}; {reason}"))
            }
        }
    }

    /// How many recipients may have been paid or may be paid yet.
    fn open(&self) -> usize {
        let is_final = |state: State| matches!(state, State::FAILED | State::SUCCESSFUL | State::REVERSED);
        let is_open = |row: &&Row| !is_undone(row.outcome) && !row.settled && !row.state.is_some_and(is_final);
        self.report.rows.iter().filter(is_open).count()
    }

    fn ask_all(&mut self, asked: &[usize], read: &mut usize, failure: &mut Option<Failure>) {
        let rows = std::mem::take(&mut self.rows);
        let mut failures = 0;
        for (done, &batch) in asked.iter().enumerate() {
            if let Some(status) = self.context.bounds.ended() {
                *failure = Some(Failure(status, ended::message(status).into()));
                return;
            }
            let reply = self.look(batch, &rows[batch]);
            let status = reply.status;
            if reply.outcome == Outcome::Confirmed {
                (*read, failures) = (*read + 1, 0);
            } else {
                failures += 1;
                failure.get_or_insert(Failure(status, format!("batch {batch}: {}", reply.message)));
            }
            let goes_on = self.context.report(done + 1, asked.len(), &steps::look(&self.report, batch, status));
            if !goes_on && done + 1 < asked.len() {
                *failure = Some(Failure::of_callback());
                return;
            }
            if failures == MOST_FAILURES || matches!(status, Status::Cancelled | Status::Unauthorized) {
                return;
            }
        }
    }

    /// Asks for one batch, and records the states in the answer.
    fn look(&mut self, batch: usize, rows: &[usize]) -> Reply {
        let reference = self.report.batches[batch].reference.clone().unwrap_or_default();
        let mut request = Vec::new();
        object(&mut request, |object: &mut Object<'_>| object.text(names::BATCH_REFERENCE, &reference));
        let request = String::from_utf8(request).unwrap_or_default();
        let mut accounts = Secrets::default();
        rows.iter().for_each(|&row| accounts.push(&self.report.rows[row].identity.account));
        let context = self.context.masking(&accounts);
        let reply = paced::send(self.client, &context, STATUS, &request);
        if reply.outcome == Outcome::Confirmed {
            let certain = STATUS.answer.certainty != Certainty::Guessed;
            let states = states(certain, &reply, &reference, rows.iter().map(|&row| &self.report.rows[row]));
            let first = states.first().copied().unwrap_or(State::NONE);
            let common = if states.iter().all(|state| *state == first) { first } else { State::NONE };
            self.report.batches[batch].state = Some(common);
            rows.iter().zip(states).for_each(|(&row, state)| self.report.rows[row].state = Some(state));
        }
        reply
    }

    /// How many recipients are in which state, for the message.
    fn states(&self) -> String {
        let count = |state: State| self.report.rows.iter().filter(|row| row.state == Some(state)).count();
        let states = STATES.iter().map(|constant| State(constant.number));
        let found: Vec<String> = states
            .filter(|state| count(*state) > 0)
            .map(|state| format!("{} {}", count(state), state_name(state)))
            .collect();
        if found.is_empty() { String::new() } else { format!(": {}", found.join(", ")) }
    }
}

/// The state of each payout of a batch. NONE if the answer does not state it for this very payout, and if the place of
/// states is only guessed: a person may pay a FAILED payout again.
fn states<'r>(certain: bool, reply: &Reply, reference: &str, rows: impl Iterator<Item = &'r Row>) -> Vec<State> {
    let root = reply.document.as_ref().map(|document| document.root(&reply.body));
    // An answer about another batch says nothing.
    let same = |root: &Value<'_>| {
        root.member(names::BATCH_REFERENCE).is_none_or(|own| own.is_empty() || own.text().as_deref() == Some(reference))
    };
    let data = root
        .filter(|root| certain && same(root))
        .and_then(|root| root.member(names::PAYOUTS))
        .filter(|data| data.kind() == Type::Array);
    rows.map(|row| data.map_or(State::NONE, |data| state_in(data, row))).collect()
}

fn state_in(data: Value<'_>, row: &Row) -> State {
    let own = |element: &Value<'_>| {
        row.payout_reference.is_some()
            && answer::text(*element, names::PAYOUT_REFERENCE).as_deref() == row.payout_reference.as_deref()
    };
    let mut found = data.children().filter(own);
    match (found.next(), found.next()) {
        (Some(element), None) if is_of(element, row) => element::state(element),
        _ => State::NONE,
    }
}

/// Account and amount, where the answer has them, are the recipient's.
fn is_of(element: Value<'_>, row: &Row) -> bool {
    let absent = |name: &str| element.member(name).is_none_or(Value::is_empty);
    (absent(names::ACCOUNT) || answer::is_account(element, &row.identity))
        && (absent(names::AMOUNT) || answer::is_amount(element, &row.identity))
}

#[cfg(test)]
mod tests;
