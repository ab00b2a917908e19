//! The recipients of a list in the journal: each has a key, its `clientReference`, across lists, processes and machines.

use std::cell::RefCell;

use super::failure::Failure;
use super::list::BatchRequest;
use super::report::{ADDED, Batch, Identity, Row as Recipient};
use super::rules::Waits;
use super::{INITIATE, Run, WHAT, names};
use crate::answer::reply::Reply;
use crate::flow::backoff::random;
use crate::flow::journal::{LONGEST_AGE, WAITS};
use crate::flow::retry::{self, Next, PriorAttempts};
use crate::ledger::claims::{ClaimState, Claimed};
use crate::ledger::row::{By, Claim, End, Row};
use crate::ledger::table::{Found, Wanted};
use crate::ledger::{ClaimResult, Snapshot, clock, digest};
use crate::request;
use crate::util::expiry::Expiry;
use crate::util::limits::MAX_ERRORS;
use crate::util::one_line::shortened;
use crate::util::validation_error::ValidationError;
use crate::wire::{TransportError, WireRequest};
use paysvc_spec::journal::{Act, Step};
use paysvc_spec::status::{self, Outcome, State, Status};

/// The part of a claim that its list is compared by.
const LIST: &str = "list";
/// The member that names the currency of a recipient's amount.
const CURRENCY: &str = "creditCurrency";

/// A recipient that may be paid, and what the journal has about it.
pub struct Payable {
    pub recipient: usize,
    key: String,
    members: Vec<(String, String)>,
    known: Snapshot,
    /// It was refused together with others, one of which may have been the reason.
    pub alone: bool,
    /// The service answered 429 to an earlier request with it.
    after_429: bool,
}

/// What the journal has about a recipient.
pub enum Entry {
    Payable(Payable),
    Ended(Ending),
    /// Another process may be paying it.
    UnderWay(String),
    /// Another list paid it on that day, and this one does not go on with that one.
    OfAnotherList(String),
}

/// What became of a recipient in an earlier run.
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

/// What became of a batch.
pub struct SendResult {
    pub reply: Reply,
    /// The claims of its recipients, which need an end.
    pub claims: Vec<Row>,
    /// Another process wrote one of the keys in the meantime; nothing was sent.
    pub superseded: bool,
}

impl SendResult {
    fn nothing(reply: Reply) -> SendResult {
        SendResult { reply, claims: Vec::new(), superseded: false }
    }
}

enum Claiming {
    NotTried,
    Claimed(Vec<Row>),
    Superseded,
    Failed(String),
}

impl Run<'_> {
    /// Those of these recipients that may be paid. What the journal has about the others goes into the report.
    pub(super) fn payable(&mut self, recipients: Vec<usize>) -> Result<Vec<Payable>, Failure> {
        let mut payable = Vec::new();
        for recipient in recipients {
            match self.wait_for_entry(recipient)? {
                Entry::Payable(one) => payable.push(one),
                other => self.record_entry(recipient, other),
            }
        }
        Ok(payable)
    }

    /// What the journal has about the recipient. Waits while another process pays it.
    fn wait_for_entry(&self, recipient: usize) -> Result<Entry, Failure> {
        for waits in 0.. {
            let entry = self.read_entry(recipient)?;
            let Entry::UnderWay(why) = &entry else { return Ok(entry) };
            if let Some(status) = self.context.bounds.pause(WAITS.wait(waits, random)) {
                return Err(Failure(status, why.clone()));
            }
        }
        unreachable!("the wait ends with the call")
    }

    pub(super) fn read_entry(&self, recipient: usize) -> Result<Entry, Failure> {
        let key = self.journal.scope.payout(&self.report.rows[recipient].identity.client_reference);
        let members = self.list.recipients[recipient].members();
        let wanted = Wanted { key: &key, step: Step::Other, explicit: false, members: &members, fresh: false };
        let known = self.journal.snapshot(&key, None, self.context.bounds.time_left()).map_err(failed)?;
        let found = Found::of(&known.rows);
        let decision = found.decide(&wanted, clock::now_ms());
        // Before the members are compared: the reference belongs to another list, not to a changed payout of this one.
        if let Some(day) = found.claims().iter().find_map(|claimed| self.paid_elsewhere(claimed))
            && !self.continues
        {
            return Ok(Entry::OfAnotherList(day));
        }
        let mut why = decision.line.explanation.to_owned();
        if !decision.differing.is_empty() {
            why = format!("{why}; the members that differ: {}", decision.differing.join(", "));
        }
        if let Some(open) = decision.open.last() {
            why = format!("{why} (claim {} in the journal)", open.row.id);
        }
        let last = found.claims().last();
        match decision.line.act {
            Act::Wait => Ok(Entry::UnderWay(why)),
            Act::Refuse | Act::LookUp => Ok(Entry::Ended(Ending::unknown(decision.line.status, why))),
            Act::Replay => {
                let deciding = decision.end.as_ref().and_then(Claimed::deciding_end);
                let message = "accepted earlier, according to the journal".to_owned();
                let (outcome, status) = (Outcome::Confirmed, Status::Ok);
                let day = deciding.map(|(row, _)| clock::day(row.time_ms));
                let end = deciding.map(|(_, end)| end.clone());
                Ok(Entry::Ended(Ending { outcome, status, message, end, day }))
            }
            Act::Send | Act::Ask(_) => {
                let recipients = last.and_then(Claimed::deciding_end).map_or(0, |(_, end)| end.recipients);
                let alone = last.is_some_and(|last| last.state() == ClaimState::Rejected) && recipients > 1;
                let limited = |claimed: &Claimed<'_>| {
                    claimed.ends.iter().any(|(_, end)| end.outcome == Outcome::Rejected && end.http_status == 429)
                };
                let after_429 = found.claims().iter().any(limited);
                Ok(Entry::Payable(Payable { recipient, key, members, known, alone, after_429 }))
            }
        }
    }

    /// The day on which another list paid the recipient of this claim. A claim without a list counts as one of another.
    fn paid_elsewhere(&self, claimed: &Claimed<'_>) -> Option<String> {
        let is_paid =
            matches!(claimed.state(), ClaimState::Confirmed | ClaimState::ConfirmedForNow | ClaimState::SettledAsDone);
        let own = digest::digest(&claimed.row.id, LIST, &self.list.digest);
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
            match if ended { None } else { self.read_entry(recipient).ok() } {
                Some(Entry::Payable(_)) => {}
                Some(entry) => self.record_entry(recipient, entry),
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

    /// Puts an entry into the report of a run that does not pay the recipient.
    fn record_entry(&mut self, recipient: usize, entry: Entry) {
        match entry {
            Entry::Payable(_) => {}
            Entry::Ended(ending) => self.record(recipient, ending),
            Entry::UnderWay(why) => self.record(recipient, Ending::unknown(Status::Unresolved, why)),
            // It was paid after this run began.
            Entry::OfAnotherList(day) => {
                let message = paid_elsewhere(&self.report.rows[recipient].identity, &day);
                self.record(recipient, Ending::unknown(Status::KeyReused, message));
            }
        }
    }

    /// Puts what the journal has into the report.
    pub(super) fn record(&mut self, recipient: usize, ending: Ending) {
        let Ending { outcome, status, message, end, day } = ending;
        let is_unknown = outcome == Outcome::Unknown;
        let settled = !is_unknown && end.as_ref().is_some_and(|end| matches!(end.by, By::Person { .. }));
        let of_row = is_unknown.then(|| message.clone());
        let (reference, payout_reference) =
            end.map_or((None, None), |end| (end.batch_reference, end.payment_reference));
        if let Some(payout) = &payout_reference {
            self.known.add(payout);
        }
        // A list has many batches: those that are new are not searched for.
        let is_new = reference.as_deref().is_none_or(|reference| self.known.add(reference));
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
        let identity = row.identity.clone();
        let replayed = day;
        *row = Recipient {
            outcome,
            batch,
            payout_reference,
            settled,
            replayed,
            message: of_row,
            ..Recipient::new(identity)
        };
        self.size += 2 * ADDED;
        self.done += 1;
        if is_unknown {
            self.first_failure.get_or_insert(status);
        }
    }

    /// Claims the keys of all recipients and sends the batch.
    pub(super) fn send(&self, payable: &[Payable], request: &BatchRequest) -> SendResult {
        let context = &self.context.within(self.client.config.timeout);
        let invalid = |error| SendResult::nothing(Reply::invalid(error));
        let prepared =
            match request::prepare(INITIATE, request.text(), &self.client.settings, &|| context.bounds.is_over()) {
                Ok(prepared) => prepared,
                Err(error) => return invalid(error),
            };
        let sender = match self.client.sender(context, &prepared) {
            Ok(sender) => sender,
            Err(error) => return invalid(error),
        };
        let claiming = RefCell::new(Claiming::NotTried);
        let before_sending = || {
            let send_until = Expiry::after(LONGEST_AGE);
            let result = self.claim_all(payable);
            let why = match &result {
                Claiming::Superseded => Some("another process wrote a recipient's key to the journal in the meantime"),
                Claiming::Failed(_) => Some("the journal could not be written"),
                Claiming::Claimed(_) | Claiming::NotTried => None,
            };
            claiming.replace(result);
            why.map_or(Ok(send_until), |why| Err(TransportError::new(Status::Transport, why)))
        };
        let prior = if payable.iter().any(|one| one.after_429) { PriorAttempts::REFUSED } else { PriorAttempts::NONE };
        for number in 1.. {
            if let Some(reply) = sender.obstacle() {
                return SendResult::nothing(reply);
            }
            let request = match sender.request() {
                Ok(request) => WireRequest { before_sending: Some(&before_sending), ..request },
                Err(error) => return invalid(error),
            };
            let attempt = sender.attempt(request, number, prior);
            let reply = attempt.judged.reply;
            match claiming.replace(Claiming::NotTried) {
                Claiming::Claimed(claims) => return SendResult { reply, claims, superseded: false },
                Claiming::Superseded => return SendResult { superseded: true, ..SendResult::nothing(reply) },
                Claiming::Failed(why) => {
                    let Failure(status, why) = failed(why);
                    return SendResult::nothing(Reply::failed(status, Outcome::NotSent, why));
                }
                // There was no connection.
                Claiming::NotTried => {}
            }
            let left = context.bounds.time_left();
            match retry::next(attempt.again, number, self.client.config.max_attempts, left, random) {
                Next::After(wait) => _ = context.bounds.pause(wait),
                Next::GiveUp | Next::TooLate(_) => return SendResult::nothing(reply),
            }
        }
        unreachable!("the attempts end at max_attempts")
    }

    /// All of them or none: if one cannot be claimed, those claimed before it are ended as not sent.
    fn claim_all(&self, payable: &[Payable]) -> Claiming {
        let mut claimed = Vec::new();
        let timeout = self.client.config.timeout;
        for one in payable {
            let until_ms = clock::now_ms() + u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX / 2);
            let identity = &self.report.rows[one.recipient].identity;
            let make = |id: &str| Claim {
                step: Step::Other,
                function: INITIATE.name.to_owned(),
                explicit: false,
                has_page: false,
                until_ms,
                digests: digest::digests(id, &one.members),
                list: Some(digest::digest(id, LIST, &self.list.digest)),
                request: String::new(),
                amount: Some(identity.amount.clone()),
                currency: one.members.iter().find(|(name, _)| name == CURRENCY).map(|(_, text)| text.clone()),
            };
            debug_assert!(self.journal.scope.has(&one.key));
            let result = match self.journal.claim(&one.known, None, make, timeout) {
                Ok(ClaimResult::Claimed(row)) => {
                    claimed.push(*row);
                    continue;
                }
                Ok(ClaimResult::Superseded) => Claiming::Superseded,
                Err(why) => Claiming::Failed(why),
            };
            claimed
                .iter()
                .for_each(|row| self.client.write_end(self.context, self.journal, row, &End::not_sent(&row.id)));
            return result;
        }
        Claiming::Claimed(claimed)
    }

    /// What became of the recipients of a batch, in their order.
    pub(super) fn write_ends(&self, recipients: &[usize], claims: &[Row], http_status: u16) {
        for (&recipient, claim) in recipients.iter().zip(claims) {
            let row = &self.report.rows[recipient];
            let batch = row.batch.and_then(|index| self.report.batches.get(index));
            let end = End {
                of: claim.id.clone(),
                by: By::Sender,
                outcome: row.outcome,
                state: State::NONE,
                is_final: row.outcome == Outcome::Confirmed,
                http_status,
                payment_reference: row.payout_reference.clone(),
                batch_reference: batch.and_then(|batch| batch.reference.clone()),
                recipients: u32::try_from(recipients.len()).unwrap_or(u32::MAX),
            };
            self.client.write_end(self.context, self.journal, claim, &end);
        }
    }

    /// How long to wait until a batch that was answered with 429 is sent again; `None` to give up.
    pub(super) fn wait_after_429(&self, waits: &mut Waits, reply: &Reply) -> Option<std::time::Duration> {
        if (reply.status, reply.outcome) != (Status::RateLimited, Outcome::Rejected) {
            return None;
        }
        let left = self.context.bounds.time_left().saturating_sub(self.client.config.timeout);
        waits.next(reply.retry_after_ms, left, random)
    }
}

fn failed(why: String) -> Failure {
    Failure(Status::Journal, format!("the journal failed, nothing was sent: {why}"))
}
