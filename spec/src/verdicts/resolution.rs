//! The outcome of an earlier request: the question, and what the response of a status query proves.

use super::StateRule::{self, OfAnswer, OfEntry, Successful};
use super::StatusRule::{self, Failed, Is};
use super::answer::Signs;
use crate::schema::Reference;
use crate::status::Outcome::{self, Confirmed, Rejected, Unknown};
use crate::status::{State, Status};
use Question::{Account, Attempt, Batch, Charge, Final, Order, Refund};

named! {
    /// The question of a status query.
    pub enum Question(words) {
        /// Was the order charged?
        Charge = "charge",
        /// Was the order created? It was not to be charged.
        Order = "order without a charge",
        /// What was the outcome of one attempt to pay?
        Attempt = "one attempt to pay",
        /// Was all of the order refunded?
        Refund = "full refund",
        /// Did the service accept the payouts?
        Batch = "payouts",
        /// Is there a virtual account?
        Account = "virtual account",
        /// What is the final state of the order?
        Final = "`order_wait`",
    }
}

impl Question {
    /// The reference that the status query's response must name.
    pub const fn names(self) -> Reference {
        match self {
            Question::Batch => Reference::Batch,
            Question::Account => Reference::Alias,
            _ => Reference::Order,
        }
    }
}

/// The result of a status query about the earlier request.
#[derive(Clone, Copy, Debug)]
pub struct LookUp {
    pub question: Question,
    /// The signs of the status query and its response.
    pub signs: Signs,
    /// The request of the status query is wrong, or the configuration lacks what it needs.
    pub unsendable: bool,
    /// The service found the queried object and returned it.
    pub answered: bool,
    /// The response names the queried object.
    pub named: bool,
    /// Something in the response differs from the queried object.
    pub differs: bool,
    /// The response names the amount that was asked for.
    pub amount_agrees: bool,
    /// A field shows that the state can still change.
    pub may_change: bool,
    /// Both documented fields show that it cannot.
    pub said_to_be_final: bool,
    /// Every entry of the history has failed, and each has a reference of its own: there is at least one.
    pub every_entry_failed: bool,
    /// Number of requests that may charge the order and were begun; `None`: not known.
    pub attempts: Option<u32>,
    /// The state of the entry in question; NONE without one, and if it contradicts itself.
    pub entry: State,
    /// The same of the entry that the service named in its response to the attempt in question, if the journal has it,
    /// and has an end for every other attempt.
    pub own_entry: State,
    pub has_elements: bool,
    /// A payout in the response was refused, or has failed.
    pub element_refused: bool,
    /// The response is about an account with the Reference that was given.
    pub own_account: bool,
}

impl LookUp {
    fn http(&self, statuses: &[u16]) -> bool {
        statuses.contains(&self.signs.http_status)
    }

    fn state(&self) -> State {
        self.signs.state
    }

    fn is_final(&self) -> bool {
        !self.may_change && (self.state() == State::FAILED || self.state().was_paid())
    }

    /// As `docs/verdicts.md` defines it.
    fn failed_for_good(&self) -> bool {
        self.is_final()
            && self.state() == State::FAILED
            && self.said_to_be_final
            && !self.signs.failed_beside_progress
            && self.every_entry_failed
    }
}

/// A line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// For the log.
    pub number: &'static str,
    /// The questions it is for; empty: any.
    pub about: &'static [Question],
    /// For the documentation: when the line holds.
    pub words: &'static str,
    pub holds: fn(&LookUp) -> bool,
    pub status: StatusRule,
    pub outcome: Outcome,
    pub state: StateRule,
    /// With `wait`, the status query is sent again.
    pub again: bool,
    pub explanation: &'static str,
}

impl Line {
    pub fn is_about(&self, question: Question) -> bool {
        self.about.is_empty() || self.about.contains(&question)
    }

    /// The question, in words.
    pub fn question(&self) -> String {
        let words: Vec<_> = self.about.iter().map(|question| question.words()).collect();
        if words.is_empty() { "any".to_owned() } else { words.join(", ") }
    }
}

const OPEN: Line = Line {
    number: "",
    about: &[],
    words: "",
    holds: |_| false,
    status: Is(Status::Unresolved),
    outcome: Unknown,
    state: OfAnswer,
    again: true,
    explanation: "",
};
/// A status query that proves nothing.
const FAILED: Line = Line {
    status: Failed("the status query's own, or E_UNRESOLVED where the service answered"),
    state: StateRule::None,
    ..OPEN
};
const CONFIRMED: Line = Line { status: Is(Status::Ok), outcome: Confirmed, again: false, ..OPEN };
const REJECTED: Line = Line { status: Is(Status::Rejected), outcome: Rejected, again: false, ..OPEN };

/// Asked of an order's state and history.
const OF_ORDERS: &[Question] = &[Charge, Order, Attempt, Refund, Final];
const NO_STATE: StateRule = StateRule::None;
const DIFFERS: &str = "the response differs from what was asked for";

/// The outcome of an earlier request.
#[rustfmt::skip]
pub const LINES: &[Line] = &[
    Line { number: "c1", words: "one of: the status query cannot be sent; HTTP 400, 401, 403 or 422",
        holds: |l| l.unsendable || l.http(&[400, 401, 403, 422]), again: false,
        explanation: "the status query is not possible", ..FAILED },
    Line { number: "c2", about: &[Order, Account], words: "HTTP 404", holds: |l| l.http(&[404]),
        explanation: "the service has no record of it; the request moves no money, so it may be sent again", ..FAILED },
    Line { number: "c3", words: "HTTP 404", holds: |l| l.http(&[404]),
        explanation: "the service has no record of it, which proves nothing: the request may still be on its way",
        ..FAILED },
    Line { number: "c4", words: "any other failure of the status query", holds: |l| !l.answered,
        explanation: "the status query failed", ..FAILED },
    Line { number: "c5", words: "a reference that is not the request's, or two of a kind that differ",
        holds: |l| l.signs.other_request, explanation: "the response is about another request", ..OPEN },
    Line { number: "c6", about: OF_ORDERS,
        words: "one of: the status query's subject is missing; the response does not name what was asked about",
        holds: |l| !l.signs.subject || !l.named, state: NO_STATE,
        explanation: "the response does not name the order", ..OPEN },
    Line { number: "c28", about: &[Batch, Account], words: "the response does not name what was asked about",
        holds: |l| !l.named, state: NO_STATE, explanation: "the response does not name what was asked about", ..OPEN },
    Line { number: "c7",
        words: "an amount, a currency or an account's Reference that differs or is missing, and one of: final; what is \
            asked: order without a charge or virtual account",
        holds: |l| l.differs && (l.is_final() || matches!(l.question, Order | Account)), again: false,
        explanation: DIFFERS, ..OPEN },
    Line { number: "c8", words: "an amount, a currency or an account's Reference that differs or is missing",
        holds: |l| l.differs, explanation: DIFFERS, ..OPEN },
    Line { number: "c9",
        words: "one of: states that disagree; a state that the history, the top-level word or a payment response code \
            contradicts",
        holds: |l| l.signs.states_disagree || l.signs.state_contradicted, state: NO_STATE,
        explanation: "the response contradicts itself", ..OPEN },
    Line { number: "c10", about: &[Charge], words: "final, SUCCESSFUL",
        holds: |l| l.is_final() && l.state() == State::SUCCESSFUL,
        explanation: "the order is paid, perhaps by another attempt", ..CONFIRMED },
    Line { number: "c11", about: &[Charge], words: "final, REVERSED",
        holds: |l| l.is_final() && l.state() == State::REVERSED,
        explanation: "the order was paid, perhaps by another attempt, and the payment is reversed", ..CONFIRMED },
    Line { number: "c12", about: &[Charge, Final], words: "failed for good, one attempt",
        holds: |l| l.failed_for_good() && l.attempts == Some(1),
        explanation: "the only attempt to pay the order has failed", ..REJECTED },
    Line { number: "c30", about: &[Charge],
        words: "failed for good, the entry that the journal has of this attempt is FAILED, and it has no other open \
            one",
        holds: |l| l.failed_for_good() && l.own_entry == State::FAILED,
        explanation: "this attempt to pay the order has failed, as has every other", ..REJECTED },
    Line { number: "c13", about: &[Charge, Attempt, Final],
        words: "failed for good, the attempts are not known, and one of: what is asked: charge or `order_wait`; the \
            entry with the request's reference is FAILED",
        holds: |l| l.failed_for_good() && l.attempts.is_none()
            && (matches!(l.question, Charge | Final) || l.entry == State::FAILED),
        explanation: "every attempt that the service knows of has failed; without the number of attempts this proves \
            nothing", ..OPEN },
    Line { number: "c14", about: &[Charge, Final], words: "FAILED", holds: |l| l.state() == State::FAILED,
        explanation: "the order has failed, but another attempt to pay it may be under way", ..OPEN },
    Line { number: "c15", about: &[Order], words: "the response has the amount of the request",
        holds: |l| l.amount_agrees, explanation: "the order was created", ..CONFIRMED },
    Line { number: "c16", about: &[Order], words: "otherwise", holds: |_| true, again: false,
        explanation: "there is such an order, but no amount was given to compare, so it may be a different order",
        ..OPEN },
    Line { number: "c17", about: &[Attempt], words: "the entry with the request's reference is SUCCESSFUL",
        holds: |l| l.entry == State::SUCCESSFUL, state: OfEntry,
        explanation: "this attempt to pay was successful", ..CONFIRMED },
    Line { number: "c18", about: &[Attempt], words: "the entry with the request's reference is REVERSED",
        holds: |l| l.entry == State::REVERSED, state: OfEntry,
        explanation: "this attempt to pay was successful, and the payment is reversed", ..CONFIRMED },
    Line { number: "c19", about: &[Attempt],
        words: "failed for good, the entry with the request's reference is FAILED, one attempt",
        holds: |l| l.failed_for_good() && l.entry == State::FAILED && l.attempts == Some(1), state: OfEntry,
        explanation: "this attempt to pay has failed", ..REJECTED },
    Line { number: "c20", about: &[Attempt], words: "otherwise", holds: |_| true, state: OfEntry,
        explanation: "the history does not show what became of this attempt", ..OPEN },
    Line { number: "c21", about: &[Refund], words: "final, REVERSED",
        holds: |l| l.is_final() && l.state() == State::REVERSED, state: Successful,
        explanation: "the order is reversed, perhaps by another refund", ..CONFIRMED },
    Line { number: "c22", about: &[Refund], words: "otherwise", holds: |_| true, state: NO_STATE,
        explanation: "the order is not reversed, but a refund that was started is not shown", ..OPEN },
    Line { number: "c23", about: &[Batch], words: "payouts in the response, none of them refused or FAILED",
        holds: |l| l.has_elements && !l.element_refused, state: NO_STATE,
        explanation: "the service accepted the payouts, which does not mean that they are paid", ..CONFIRMED },
    Line { number: "c29", about: &[Batch], words: "otherwise", holds: |_| true, state: NO_STATE,
        explanation: "the response does not say that the payouts were accepted: a person must find out before they are \
            repeated", ..OPEN },
    Line { number: "c24", about: &[Account], words: "an account of this alias and this Reference",
        holds: |l| l.own_account, state: NO_STATE, explanation: "there is such an account", ..CONFIRMED },
    Line { number: "c25", about: &[Account], words: "otherwise", holds: |_| true, state: NO_STATE,
        explanation: "the response has no account; the request moves no money, so it may be sent again", ..OPEN },
    Line { number: "c26", about: &[Final], words: "final, SUCCESSFUL or REVERSED",
        holds: |l| l.is_final() && l.state().was_paid(),
        explanation: "the state of the order is final", ..CONFIRMED },
    Line { number: "c27", words: "otherwise", holds: |_| true,
        explanation: "the order is not in a final state", ..OPEN },
];
