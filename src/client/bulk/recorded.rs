//! Payouts with a journal: each recipient has a key, its `clientReference`, across lists, processes and machines.

use std::cell::RefCell;

use super::failure::Failure;
use super::list::BatchRequest;
use super::report::{Batch, Row as Recipient};
use super::rules::Waits;
use super::{INITIATE, Run, names};
use crate::client::backoff::random;
use crate::client::journal::{LONGEST_AGE, MOST_RACES, WAITS};
use crate::client::retry::{self, Next, PriorAttempts};
use crate::journal::claims::Claimed;
use crate::journal::row::{By, Claim, End, Row};
use crate::journal::table::{Found, Wanted};
use crate::journal::{ClaimResult, Journal, Snapshot, clock, digest};
use crate::request;
use crate::request::record::normal_amount;
use crate::response::reply::Reply;
use crate::transport::{TransportError, WireRequest};
use crate::util::expiry::Expiry;
use paysvc_spec::journal::{Act, Step};
use paysvc_spec::status::{self, Outcome, State, Status};

/// A recipient that may be paid, and what the journal has about it.
pub struct Payable {
    pub recipient: usize,
    key: String,
    members: Vec<(String, String)>,
    known: Snapshot,
    /// It was refused together with others, one of which may have been the reason.
    pub alone: bool,
}

struct FoundOfRecipient {
    what: What,
    payable: Payable,
}

/// What the journal has about a recipient.
enum What {
    MayBePaid,
    Known((Outcome, Status, String), Option<End>),
    /// Another process may be paying it.
    UnderWay(String),
}

/// What became of a batch.
pub struct Sent {
    pub reply: Reply,
    /// The claims of its recipients, which need an end.
    pub claims: Vec<Row>,
    /// Another process wrote one of the keys in the meantime; nothing was sent.
    pub superseded: bool,
}

enum Claiming {
    NotTried,
    Claimed(Vec<Row>),
    Superseded,
    Failed(String),
}

impl Run<'_> {
    /// Those of these recipients that may be paid. What the journal has about the others goes into the report.
    pub(super) fn payable(&mut self, journal: &Journal, recipients: Vec<usize>) -> Result<Vec<Payable>, Failure> {
        let mut payable = Vec::new();
        for recipient in recipients {
            let found = self.ask_until_ended(journal, recipient)?;
            match found.what {
                What::MayBePaid => payable.push(found.payable),
                What::Known(result, end) => {
                    self.record(recipient, result, end);
                    self.done += 1;
                }
                What::UnderWay(_) => unreachable!("it was waited for"),
            }
        }
        Ok(payable)
    }

    /// What the journal has about the recipient. Waits while another process pays it.
    fn ask_until_ended(&self, journal: &Journal, recipient: usize) -> Result<FoundOfRecipient, Failure> {
        for waits in 0.. {
            let found = self.ask_journal(journal, recipient)?;
            let What::UnderWay(why) = &found.what else { return Ok(found) };
            if let Some(status) = self.context.bounds.pause(WAITS.wait(waits, random)) {
                return Err(Failure(status, why.clone()));
            }
        }
        unreachable!("the wait ends with the call")
    }

    fn ask_journal(&self, journal: &Journal, recipient: usize) -> Result<FoundOfRecipient, Failure> {
        let identity = self.report.rows[recipient].identity.clone();
        let key = journal.scope.payout(&identity.client_reference);
        let members = vec![
            ("function".to_owned(), INITIATE.name.to_owned()),
            (names::ACCOUNT.to_owned(), identity.account),
            (names::BANK.to_owned(), identity.bank),
            (names::AMOUNT.to_owned(), normal_amount(&identity.amount)),
        ];
        let wanted = Wanted { key: &key, step: Step::Other, explicit: false, members: &members, fresh: false };
        let known = journal.snapshot(&key, None, self.context.bounds.time_left()).map_err(failed)?;
        let found = Found::of(&known.rows);
        let decision = found.decide(&wanted, clock::now_ms());
        let mut why = decision.line.explanation.to_owned();
        if !decision.differing.is_empty() {
            why = format!("{why}; the members that differ: {}", decision.differing.join(", "));
        }
        if let Some(open) = decision.open.last() {
            why = format!("{why} (claim {} in the journal)", open.row.id);
        }
        let end = decision.end.as_ref().and_then(|claimed| claimed.deciding_end()).map(|(_, end)| end.clone());
        let what = match decision.line.act {
            Act::Send | Act::Ask(_) => What::MayBePaid,
            Act::Wait => What::UnderWay(why),
            Act::Replay => {
                let message = "accepted earlier, according to the journal".to_owned();
                What::Known((Outcome::Confirmed, Status::Ok, message), end)
            }
            Act::Refuse | Act::LookUp => What::Known((Outcome::Unknown, decision.line.status, why), end),
        };
        let last = found.claims().last().and_then(Claimed::deciding_end);
        let alone = last.is_some_and(|(_, end)| end.outcome == Outcome::Rejected && end.recipients > 1);
        Ok(FoundOfRecipient { what, payable: Payable { recipient, key, members, known, alone } })
    }

    /// What an earlier run, or another process, did for the recipients that this run did not pay. The fact that this
    /// run sent nothing for them proves nothing: they are UNKNOWN if the journal can no longer be read.
    pub(super) fn read_the_rest(&mut self, journal: &Journal) {
        let not_sent: Vec<usize> =
            (0..self.report.rows.len()).filter(|&row| self.report.rows[row].outcome == Outcome::NotSent).collect();
        let mut unread = Vec::new();
        for recipient in not_sent {
            let ended = self.context.bounds.ended().is_some();
            match if ended { None } else { self.ask_journal(journal, recipient).ok() } {
                Some(FoundOfRecipient { what: What::MayBePaid, .. }) => {}
                Some(FoundOfRecipient { what: What::Known(result, end), .. }) => self.record(recipient, result, end),
                Some(FoundOfRecipient { what: What::UnderWay(why), .. }) => {
                    self.record(recipient, (Outcome::Unknown, Status::Unresolved, why), None);
                }
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

    /// Puts what the journal has into the report.
    fn record(&mut self, recipient: usize, (outcome, status, message): (Outcome, Status, String), end: Option<End>) {
        let is_unknown = outcome == Outcome::Unknown;
        let settled = !is_unknown && end.as_ref().is_some_and(|end| matches!(end.by, By::Person { .. }));
        let of_row = is_unknown.then(|| message.clone());
        let (reference, payout_reference) =
            end.map_or((None, None), |end| (end.batch_reference, end.payment_reference));
        let batches = &mut self.report.batches;
        let batch = match batches.iter().position(|batch| reference.is_some() && batch.reference == reference) {
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
        *row = Recipient { outcome, batch, payout_reference, settled, message: of_row, ..Recipient::new(identity) };
        if is_unknown {
            self.first_failure.get_or_insert(status);
        }
    }

    /// Claims the keys of all recipients and sends the batch, again as long as the service answers 429 and there is
    /// time.
    pub(super) fn send_recorded(&self, journal: &Journal, payable: &[Payable], request: &BatchRequest) -> Sent {
        let context = &self.context.within(self.client.config.timeout);
        let invalid = |error| Sent { reply: Reply::invalid(error), claims: Vec::new(), superseded: false };
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
            let result = self.claim_all(journal, payable);
            let why = match &result {
                Claiming::Superseded => Some("another process wrote a recipient's key to the journal in the meantime"),
                Claiming::Failed(_) => Some("the journal could not be written"),
                Claiming::Claimed(_) | Claiming::NotTried => None,
            };
            claiming.replace(result);
            why.map_or(Ok(send_until), |why| Err(TransportError::new(Status::Transport, why)))
        };
        for number in 1.. {
            if let Some(reply) = sender.obstacle() {
                return Sent { reply, claims: Vec::new(), superseded: false };
            }
            let request = match sender.request() {
                Ok(request) => WireRequest { before_sending: Some(&before_sending), ..request },
                Err(error) => return invalid(error),
            };
            let attempt = sender.attempt(request, number, PriorAttempts::NONE);
            let reply = attempt.judged.reply;
            match claiming.replace(Claiming::NotTried) {
                Claiming::Claimed(claims) => return Sent { reply, claims, superseded: false },
                Claiming::Superseded => return Sent { reply, claims: Vec::new(), superseded: true },
                Claiming::Failed(why) => {
                    let Failure(status, why) = failed(why);
                    let reply = Reply::failed(status, Outcome::NotSent, why);
                    return Sent { reply, claims: Vec::new(), superseded: false };
                }
                // There was no connection.
                Claiming::NotTried => {}
            }
            let left = context.bounds.time_left();
            match retry::next(attempt.again, number, self.client.config.max_attempts, left, random) {
                Next::After(wait) => _ = context.bounds.pause(wait),
                Next::GiveUp | Next::TooLate(_) => return Sent { reply, claims: Vec::new(), superseded: false },
            }
        }
        unreachable!("the attempts end at max_attempts")
    }

    /// All of them or none: if one cannot be claimed, those claimed before it are ended as not sent.
    fn claim_all(&self, journal: &Journal, payable: &[Payable]) -> Claiming {
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
                request: String::new(),
                amount: Some(identity.amount.clone()),
                currency: None,
            };
            debug_assert!(journal.scope.has(&one.key));
            let result = match journal.claim(&one.known, None, make, timeout) {
                Ok(ClaimResult::Claimed(row)) => {
                    claimed.push(*row);
                    continue;
                }
                Ok(ClaimResult::Superseded) => Claiming::Superseded,
                Err(why) => Claiming::Failed(why),
            };
            claimed.iter().for_each(|row| self.client.write_end(self.context, journal, row, &End::not_sent(&row.id)));
            return result;
        }
        Claiming::Claimed(claimed)
    }

    /// What became of the recipients of a batch, in their order.
    pub(super) fn write_ends(&self, journal: &Journal, recipients: &[usize], claims: &[Row], http_status: u16) {
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
            self.client.write_end(self.context, journal, claim, &end);
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

/// How often a batch is begun again because others wrote its keys.
pub const MOST_BEGINNINGS: u32 = MOST_RACES;
