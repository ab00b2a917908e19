//! The recipients of a list in the journal: each has a key, its `clientReference`, across lists, processes and machines.

use super::report::{ADDED, Batch, Identity, Row as Recipient};
use super::rules::Failure;
use super::{INITIATE, Run, WHAT, names};
use crate::flow::engine::journal_failed_text;
use crate::flow::journal::refusal_text;
use crate::ledger::claims::{ClaimRecord, ClaimState};
use crate::ledger::row::{By, End};
use crate::ledger::table::{Claims, Decision};
use crate::ledger::{Entry, clock, digest, key};
use crate::request::record::Record;
use crate::util::memory::MAX_ERRORS;
use crate::util::text::shortened;
use crate::util::validation_error::ValidationError;
use paysvc_spec::journal::Act;
use paysvc_spec::status::{self, Outcome, Status};

/// The field that names the currency of a recipient's amount.
const CURRENCY: &str = "creditCurrency";

/// The state of a recipient in the journal.
pub enum RecipientState {
    /// `alone`: it was refused together with others, one of which may have been the reason.
    Payable {
        alone: bool,
    },
    RunEnd(Box<Ending>),
    /// Another process may be paying it.
    UnderWay(String),
    /// Another list paid it on that day, and this one does not go on with that one.
    OfAnotherList(String),
}

/// The result of a recipient in an earlier run.
pub struct Ending {
    outcome: Outcome,
    status: Status,
    message: String,
    end: Option<End>,
    /// When it was accepted.
    day: Option<String>,
}

impl Ending {
    fn unknown(status: Status, message: String) -> Ending {
        Ending { outcome: Outcome::Unknown, status, message, end: None, day: None }
    }
}

/// Adds a recipient to the errors of a list that does not go on with the one that paid it.
pub fn by_another_list(errors: &mut Vec<(String, String)>, recipient: usize, identity: &Identity, day: &str) {
    if errors.len() < MAX_ERRORS {
        let path = format!("{}.{recipient}.{}", names::LIST, names::CLIENT_REFERENCE);
        errors.push((path, paid_elsewhere(identity, day)));
    }
}

fn paid_elsewhere(identity: &Identity, day: &str) -> String {
    format!("{} was paid on {day} by another list", shortened(&identity.client_reference))
}

/// The error of a whole list; `count`: how many recipients were paid by another one.
pub fn refused(errors: Vec<(String, String)>, count: usize) -> ValidationError {
    let first = errors.first().map(|(_, text)| text.as_str()).unwrap_or_default();
    let more = if count == 1 { String::new() } else { format!(", as were {} more (see errors)", count - 1) };
    let message = format!(
        "{WHAT}: nothing was sent: {first}{more}; employee numbers are no clientReferences: give each payout a new one, \
         or, if this list goes on with that one, corrected or longer, \"continue\": true"
    );
    ValidationError { status: Status::KeyReused, message, errors }
}

impl Run<'_> {
    /// Returns the journal entry of a recipient.
    pub(super) fn entry(&self, recipient: usize) -> Entry {
        let identity = &self.report.rows[recipient].identity;
        let members = self.list.recipients[recipient].members();
        let currency = members.iter().find(|(name, _)| name == CURRENCY).map(|(_, text)| text.clone());
        let record = Record::of_part(INITIATE.name, members, Some(identity.amount.clone()), currency);
        let key = key::payout(&identity.client_reference);
        Entry { record, key, explicit: false, order: None, list: Some(self.list.digest.clone()) }
    }

    /// Reads the current state of the recipient from the journal.
    pub(super) fn read_state(&self, recipient: usize) -> Result<RecipientState, Failure> {
        let entry = self.entry(recipient);
        let known = self.journal.read(&entry, self.context);
        let known = known.map_err(|why| Failure(Status::Journal, journal_failed_text(&why)))?;
        let found = Claims::of(&known.rows);
        Ok(self.state(&found, &self.journal.decide(&entry, &found)))
    }

    /// Returns the state of a recipient by its rows.
    pub(super) fn state(&self, found: &Claims<'_>, decision: &Decision<'_>) -> RecipientState {
        // Before the fields are compared: the reference belongs to another list, not to a changed payout of this one.
        if let Some(day) = found.claims().iter().find_map(|claimed| self.paid_elsewhere(claimed))
            && !self.continues
        {
            return RecipientState::OfAnotherList(day);
        }
        let mut why = refusal_text(decision);
        if let Some(open) = decision.open.last() {
            why = format!("{why} (claim {} in the journal)", open.row.id);
        }
        match decision.line.act {
            Act::Wait => RecipientState::UnderWay(why),
            Act::Refuse | Act::LookUp => RecipientState::RunEnd(Box::new(Ending::unknown(decision.line.status, why))),
            Act::Replay => {
                let deciding = decision.end.as_ref().and_then(ClaimRecord::deciding_end);
                RecipientState::RunEnd(Box::new(Ending {
                    outcome: Outcome::Confirmed,
                    status: Status::Ok,
                    message: "accepted earlier, according to the journal".to_owned(),
                    end: deciding.map(|(_, end)| end.clone()),
                    day: deciding.map(|(row, _)| clock::day(row.time_ms)),
                }))
            }
            Act::Send | Act::Ask(_) => {
                let last = found.claims().last();
                let recipients = last.and_then(ClaimRecord::deciding_end).map_or(0, |(_, end)| end.recipients);
                let alone = last.is_some_and(|last| last.state() == ClaimState::Rejected) && recipients > 1;
                RecipientState::Payable { alone }
            }
        }
    }

    /// The day on which another list paid the recipient of this claim. A claim without a list counts as one of another.
    fn paid_elsewhere(&self, claimed: &ClaimRecord<'_>) -> Option<String> {
        let is_paid =
            matches!(claimed.state(), ClaimState::Confirmed | ClaimState::ConfirmedForNow | ClaimState::SettledAsDone);
        let own = digest::list(&claimed.row.id, &self.list.digest);
        let is_own = claimed.claim.list.as_deref() == Some(own.as_str());
        let (end, _) = claimed.deciding_end().filter(|_| is_paid && !is_own)?;
        Some(clock::day(end.time_ms))
    }

    /// The recipients about which the journal was not read when the run began, or has changed since. The fact that this
    /// run sent nothing for them proves nothing: they are UNKNOWN if the journal cannot be read.
    pub(super) fn read_the_rest(&mut self) {
        let mut unread = Vec::new();
        for recipient in 0..self.report.rows.len() {
            let is_known = self.has_read && !self.contended.contains(&recipient);
            if is_known || self.report.rows[recipient].outcome != Outcome::NotSent {
                continue;
            }
            let ended = self.context.bounds.ended().is_some();
            match if ended { None } else { self.read_state(recipient).ok() } {
                Some(RecipientState::Payable { .. }) => {}
                Some(state) => self.record_state(recipient, state),
                None => unread.push(recipient),
            }
        }
        if unread.is_empty() {
            return;
        }
        let message = "this run did not send it, and did not read its entries in the journal".to_owned();
        let status = status::name_of(Status::Unresolved).to_owned();
        let batch = Some(self.report.batches.len());
        self.report.batches.push(Batch { status, message, ..Batch::begun(unread.len()) });
        for recipient in unread {
            let row = &mut self.report.rows[recipient];
            *row = Recipient { outcome: Outcome::Unknown, batch, ..Recipient::new(row.identity.clone()) };
        }
    }

    /// Puts into the report why the run does not pay the recipient.
    pub(super) fn record_state(&mut self, recipient: usize, state: RecipientState) {
        match state {
            RecipientState::Payable { .. } => {}
            RecipientState::RunEnd(ending) => self.record(recipient, *ending),
            RecipientState::UnderWay(why) => self.record(recipient, Ending::unknown(Status::Unresolved, why)),
            // It was paid after this run began.
            RecipientState::OfAnotherList(day) => {
                let message = paid_elsewhere(&self.report.rows[recipient].identity, &day);
                self.record(recipient, Ending::unknown(Status::KeyReused, message));
            }
        }
    }

    /// Puts the journal's results into the report.
    pub(super) fn record(&mut self, recipient: usize, ending: Ending) {
        let Ending { outcome, status, message, end, day } = ending;
        let is_unknown = outcome == Outcome::Unknown;
        let settled = !is_unknown && end.as_ref().is_some_and(|end| matches!(end.by, By::Person { .. }));
        let of_row = is_unknown.then(|| message.clone());
        let (reference, payout_reference) =
            end.map_or((None, None), |end| (end.batch_reference, end.payment_reference));
        self.references.extend(payout_reference.clone());
        // A list has many batches: those that are new are not searched for.
        let is_new = reference.as_deref().is_none_or(|reference| self.references.insert(reference.to_owned()));
        let batches = &mut self.report.batches;
        let batch = match batches.iter().rposition(|batch| !is_new && batch.reference == reference) {
            _ if settled => None,
            Some(index) => {
                batches[index].recipients += 1;
                Some(index)
            }
            None => {
                let status = status::name_of(status).to_owned();
                batches.push(Batch { outcome, status, reference, message, ..Batch::begun(1) });
                Some(batches.len() - 1)
            }
        };
        let row = &mut self.report.rows[recipient];
        let (identity, replayed, message) = (row.identity.clone(), day, of_row);
        *row = Recipient { identity, outcome, batch, payout_reference, settled, replayed, message };
        self.size += 2 * ADDED;
        self.done += 1;
        if is_unknown {
            self.first_failure.get_or_insert(status);
        }
    }
}
