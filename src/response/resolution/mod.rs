//! What became of an earlier request, decided by the answer of a look-up.
//!
//! The first line of the table that fits decides. `docs/verdicts.md` is rendered from its lines. Doubt is UNKNOWN: an answer
//! that contradicts itself, speaks of another request or leaves the question open proves nothing.

use crate::request::references::References;
use crate::response::amounts::Decimal;
use crate::response::facts::{self, Facts};
use crate::response::reply::Reply;
use paysvc_spec::schema::Answer;
use paysvc_spec::status::{Outcome, State, Status};

#[cfg(test)]
mod cells;
mod data;
#[cfg(test)]
mod document;
mod history;
mod price;
mod table;

use history::{Entry, History};
pub use table::LINES;

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Whether the order was charged.
    Charge,
    /// Whether the order was created; it was not to be charged.
    Order,
    /// What became of one attempt to pay.
    Attempt,
    /// Whether all of the order was refunded.
    Refund,
    /// Whether the service accepted the payouts.
    Batch,
    /// Whether there is a virtual account.
    Account,
    /// The final state of the order.
    Final,
}

/// Why no look-up is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unasked {
    ReadsOnly,
    Repeatable,
    /// Money may have moved, and no endpoint tells.
    NobodyKnows,
}

/// What is known of the earlier request.
#[derive(Debug)]
pub struct Asked<'a> {
    pub question: Question,
    /// Of the look-up.
    pub references: References,
    /// What the order must cost: by the request, and by the caller's `expect`.
    pub prices: Vec<Price>,
    /// The reference of the entry, the batch or the account that is asked about.
    pub own_reference: Option<&'a str>,
    /// How many requests for this order have been sent; `None`: not known.
    pub attempts: Option<u32>,
}

/// What an order must cost.
#[derive(Clone, Default, Debug)]
pub struct Price {
    /// Who says so, for messages.
    pub source: &'static str,
    pub amount: Option<Decimal>,
    pub currency: Option<String>,
}

/// What the look-up gave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// It could not be sent, or it was refused in a way that lasts.
    Impossible,
    Failed,
    /// The service does not know what it was asked for.
    Absent,
    Answered,
}

/// What a look-up tells about the earlier request.
pub struct Evidence {
    question: Question,
    look: Look,
    facts: Facts,
    /// The answer says that the state may still change.
    may_change: bool,
    history: History,
    entry: Entry,
    /// Why the price is another one.
    difference: Option<String>,
    /// The answer names the amount that was asked for.
    amount_agrees: bool,
    /// The answer names an account.
    account: bool,
    attempts: Option<u32>,
}

/// A line of the table.
pub struct Line {
    /// For the log.
    pub number: &'static str,
    /// What it is asked about; empty: any.
    pub about: &'static [Question],
    /// The answer of the look-up, in words.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test renders it into docs/verdicts.md"))]
    pub answer: &'static str,
    fits: fn(&Evidence) -> bool,
    pub status: Says,
    pub outcome: Outcome,
    pub state: Keeps,
    /// With `wait`, the look-up is sent again.
    pub again: bool,
    pub explanation: &'static str,
}

/// The status of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Says {
    This(Status),
    /// The look-up's own.
    LookUp,
}

/// The state of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keeps {
    /// None.
    Nothing,
    /// The order's.
    Order,
    /// That of the entry of the history.
    Entry,
    /// The refund's: it was done.
    Done,
}

/// What became of the earlier request.
#[derive(Debug)]
pub struct Decision {
    /// The number of the table's line.
    pub line: &'static str,
    pub status: Status,
    pub outcome: Outcome,
    pub state: State,
    /// Another look may find more.
    pub again: bool,
    pub explanation: &'static str,
    /// What differs, in words that may repeat the service's.
    pub difference: Option<String>,
}

impl Evidence {
    /// Reads the answer of a look-up; `expected` is its row's. `None` if stopped.
    pub fn read(asked: &Asked<'_>, reply: &Reply, expected: &Answer, stop: &dyn Fn() -> bool) -> Option<Evidence> {
        let mut evidence = Evidence {
            question: asked.question,
            look: look(reply),
            facts: Facts::default(),
            may_change: false,
            history: History::default(),
            entry: Entry::Absent,
            difference: None,
            amount_agrees: false,
            account: false,
            attempts: asked.attempts,
        };
        let Some(document) = reply.document.as_ref().filter(|_| reply.http_status / 100 == 2) else {
            return Some(evidence);
        };
        evidence.facts = facts::read(document, &reply.body, expected, &asked.references, stop)?;
        if evidence.facts.other_request && !evidence.facts.duplicate_names {
            // The reading failed because of it.
            evidence.look = Look::Answered;
        }
        if evidence.look == Look::Answered {
            evidence.read_data(asked, document.root(&reply.body));
        }
        Some(evidence)
    }

    /// The state may no longer change.
    fn is_final(&self) -> bool {
        !self.may_change && matches!(self.facts.state, State::FAILED | State::SUCCESSFUL | State::REVERSED)
    }

    /// It is final, and this one.
    fn ended_as(&self, state: State) -> bool {
        self.is_final() && self.facts.state == state
    }

    /// Every payment of the order has failed, and nothing of the answer contradicts it.
    fn all_failed(&self) -> bool {
        self.ended_as(State::FAILED)
            && !self.facts.failed_beside_progress
            && !self.history.doubtful
            && self.history.entries > 0
            && self.history.entries == self.history.failed
    }

    /// The history has an entry for every attempt.
    fn has_every_attempt(&self) -> bool {
        self.attempts.is_some_and(|attempts| attempts > 0 && self.history.entries >= attempts as usize)
    }
}

fn look(reply: &Reply) -> Look {
    match (reply.outcome, reply.http_status) {
        (Outcome::Confirmed, _) => Look::Answered,
        (_, 400 | 401 | 403) => Look::Impossible,
        (_, 404) => Look::Absent,
        _ if matches!(reply.status, Status::Argument | Status::Config | Status::Encrypt) => Look::Impossible,
        _ => Look::Failed,
    }
}

/// What became of the earlier request; `status` is the look-up's own.
pub fn decide(mut evidence: Evidence, status: Status) -> Decision {
    let asks = |line: &&Line| line.about.is_empty() || line.about.contains(&evidence.question);
    let line = LINES.iter().filter(asks).find(|line| (line.fits)(&evidence));
    let line = line.expect("the last line of each question fits everything");
    Decision {
        line: line.number,
        status: match line.status {
            Says::This(status) => status,
            // A look-up that answered is no failure.
            Says::LookUp if status == Status::Ok => Status::Response,
            Says::LookUp => status,
        },
        outcome: line.outcome,
        state: match line.state {
            // A refund's state is never that of the order.
            Keeps::Order if evidence.question == Question::Refund => State::NONE,
            Keeps::Order => evidence.facts.state,
            Keeps::Entry => evidence.entry.state(),
            Keeps::Done => State::SUCCESSFUL,
            Keeps::Nothing => State::NONE,
        },
        again: line.again,
        explanation: line.explanation,
        difference: evidence.difference.take(),
    }
}

/// The call ended before the answer of the look-up was read.
pub fn unread(status: Status) -> Decision {
    let (line, outcome, state) = ("c4", Outcome::Unknown, State::NONE);
    Decision { line, status, outcome, state, again: true, explanation: "the look-up failed", difference: None }
}

/// Where no look-up is made. The outcome of what only reads is no better: nobody asked.
pub fn unasked(why: Unasked) -> Decision {
    Decision {
        line: "c0",
        status: Status::Response,
        outcome: Outcome::Unknown,
        state: State::NONE,
        again: false,
        explanation: match why {
            Unasked::ReadsOnly => "it only reads: call it again",
            Unasked::Repeatable => "no endpoint tells what became of it; it moves no money, so it may be repeated",
            Unasked::NobodyKnows => "no endpoint tells what became of it; a person must find out before it is repeated",
        },
        difference: None,
    }
}
