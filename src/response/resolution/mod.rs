//! What became of an earlier request, decided by the answer of a look-up.
//!
//! The first line of the table that fits decides. `docs/verdicts.md` is rendered from its lines. Doubt is UNKNOWN: an answer
//! that contradicts itself, speaks of another request or leaves the question open proves nothing.

use crate::response::decimal::Decimal;
use crate::response::facts::Facts;
use crate::response::facts::history::AttemptState;
use crate::response::facts::stated::Text;
use crate::response::reply::Reply;
use paysvc_spec::schema::Reference;
use paysvc_spec::status::{Outcome, State, Status};

#[cfg(test)]
mod cells;
mod difference;
#[cfg(test)]
mod document;
#[cfg(test)]
mod properties;
mod table;

use difference::Difference;
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

impl Question {
    /// What the look-up's answer must name.
    fn names(self) -> Reference {
        match self {
            Question::Batch => Reference::Batch,
            Question::Account => Reference::Alias,
            _ => Reference::Order,
        }
    }
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
    /// What the order must cost: by the request, and by the caller's `expect`.
    pub prices: Vec<Price>,
    /// The reference of the attempt, or the Reference of the account, that is asked about.
    pub own_reference: Option<&'a str>,
    /// How many requests that may charge this order were begun; `None`: not known.
    pub attempts: Option<u32>,
}

impl Asked<'_> {
    /// The currency with which the order was made, as the request says.
    pub fn currency_of_order(&self) -> Option<&str> {
        self.prices.iter().filter(|price| price.is_of_order).find_map(|price| price.currency.as_deref())
    }
}

/// What an order must cost.
#[derive(Clone, Default, Debug)]
pub struct Price {
    /// Who says so, for messages.
    pub source: &'static str,
    /// The order was made with this price; an answer that does not name the currency leaves no doubt about it.
    pub is_of_order: bool,
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
pub struct Evidence<'a> {
    question: Question,
    look: Look,
    facts: &'a Facts,
    /// What the history says of the attempt that is asked about.
    attempt: Option<AttemptState>,
    difference: Option<Difference>,
    /// The answer names the amount that was asked for.
    amount_agrees: bool,
    /// The answer is about an account with the Reference that was given.
    is_own_account: bool,
    attempts: Option<u32>,
    /// Of an open question.
    open: Status,
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
    fits: fn(&Evidence<'_>) -> bool,
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
    /// The look-up's own where it failed; E_UNRESOLVED where the service answered it.
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
    /// The service answered the look-up, whatever it said.
    pub answered: bool,
    /// All that is missing is the currency, which another endpoint may tell.
    pub lacks_currency: bool,
}

impl<'a> Evidence<'a> {
    /// What the look-up's reply proves. `currency`: as another endpoint has told it.
    pub fn of(asked: &Asked<'_>, reply: &Reply, facts: &'a Facts, currency: Option<&Text>) -> Evidence<'a> {
        let mut evidence = Evidence {
            question: asked.question,
            look: look(reply, facts),
            facts,
            attempt: None,
            difference: None,
            amount_agrees: false,
            is_own_account: false,
            attempts: asked.attempts,
            open: open(reply),
        };
        if evidence.look == Look::Answered {
            match (asked.question, asked.own_reference) {
                (Question::Account, own) => evidence.is_own_account = facts.account && is_reference_of(facts, own),
                (Question::Attempt, Some(own)) => evidence.attempt = facts.history.of(own),
                _ => {}
            }
            evidence.compare(asked, currency);
        }
        evidence
    }

    /// The answer names what was asked about.
    fn names_it(&self) -> bool {
        self.facts.reference(self.question.names()).is_requested()
    }

    /// The state may no longer change.
    fn is_final(&self) -> bool {
        !self.facts.finality.may_change
            && matches!(self.facts.state, State::FAILED | State::SUCCESSFUL | State::REVERSED)
    }

    /// It is final, and this one.
    fn ended_as(&self, state: State) -> bool {
        self.is_final() && self.facts.state == state
    }

    /// The attempt that is asked about has this state.
    fn attempt_is(&self, state: State) -> bool {
        self.attempt == Some(AttemptState::Is(state))
    }

    /// Every payment of the order has failed for good, and nothing of the answer contradicts it.
    fn all_failed(&self) -> bool {
        let finality = self.facts.finality;
        self.ended_as(State::FAILED)
            && finality.is_final
            && finality.needs_no_requery
            && !self.facts.failed_beside_progress
            && self.facts.history.all_failed()
            && (self.question != Question::Attempt || self.attempt_is(State::FAILED))
    }
}

/// The Reference of the account is the one that was given, also if none was.
fn is_reference_of(facts: &Facts, own: Option<&str>) -> bool {
    let named = &facts.reference(Reference::Account).text;
    match own {
        Some(own) => named.clear().is_some_and(|named| *named == Text::from(own)),
        None => named.is_absent(),
    }
}

fn look(reply: &Reply, facts: &Facts) -> Look {
    match (reply.outcome, reply.http_status) {
        (Outcome::Confirmed, _) => Look::Answered,
        // The reading failed because of it.
        (_, 200..=299) if facts.other_request && !facts.duplicate_names => Look::Answered,
        (_, 400 | 401 | 403 | 422) => Look::Impossible,
        (_, 404) => Look::Absent,
        _ if matches!(reply.status, Status::Argument | Status::Config | Status::Encrypt) => Look::Impossible,
        _ => Look::Failed,
    }
}

/// The status of a question that stays open: the look-up's own where that failed.
fn open(reply: &Reply) -> Status {
    let unreadable = reply.facts.is_none();
    match reply.http_status {
        0 | 401 | 403 | 408 | 429 | 500..=599 => reply.status,
        200..=399 if unreadable => reply.status,
        _ if matches!(reply.status, Status::Timeout | Status::Cancelled | Status::Internal) => reply.status,
        _ => Status::Unresolved,
    }
}

/// What became of the earlier request.
pub fn decide(evidence: Evidence<'_>) -> Decision {
    let asks = |line: &&Line| line.about.is_empty() || line.about.contains(&evidence.question);
    let line = LINES.iter().filter(asks).find(|line| (line.fits)(&evidence));
    let line = line.expect("the last line of each question fits everything");
    Decision {
        line: line.number,
        status: match line.status {
            Says::This(status) => status,
            Says::LookUp => evidence.open,
        },
        outcome: line.outcome,
        state: match line.state {
            // A refund's state is never that of the order.
            Keeps::Order if evidence.question == Question::Refund => State::NONE,
            Keeps::Order => evidence.facts.state,
            Keeps::Entry => evidence.attempt.map_or(State::NONE, AttemptState::state),
            Keeps::Done => State::SUCCESSFUL,
            Keeps::Nothing => State::NONE,
        },
        again: line.again,
        explanation: line.explanation,
        answered: matches!(evidence.look, Look::Answered | Look::Absent),
        lacks_currency: evidence.difference == Some(Difference::NoCurrency),
        difference: evidence.difference.map(Difference::text),
    }
}

/// Where no look-up is made. The outcome of what only reads is no better: nobody asked.
pub fn unasked(why: Unasked) -> Decision {
    Decision {
        line: "c0",
        status: Status::Unresolved,
        outcome: Outcome::Unknown,
        state: State::NONE,
        again: false,
        explanation: match why {
            Unasked::ReadsOnly => "it only reads: call it again",
            Unasked::Repeatable => "no endpoint tells what became of it; it moves no money, so it may be repeated",
            Unasked::NobodyKnows => "no endpoint tells what became of it; a person must find out before it is repeated",
        },
        answered: false,
        lacks_currency: false,
        difference: None,
    }
}
