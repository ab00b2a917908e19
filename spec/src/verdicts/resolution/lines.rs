//! The lines of the table, in the order in which they are tried.

use super::Question::{Account, Attempt, Batch, Charge, Final, Order, Refund};
use super::{Condition, Line, Question};
use crate::status::{Outcome, State, Status};
use crate::verdicts::{StateRule, StatusRule};

/// Asked of an order's state and history.
const OF_ORDERS: &[Question] = &[Charge, Order, Attempt, Refund, Final];

/// The defaults of a line.
const LINE: Line = Line {
    number: "",
    about: &[],
    conditions: &[],
    status: StatusRule::Is(Status::Unresolved),
    outcome: Outcome::Unknown,
    state: StateRule::OfAnswer,
    again: true,
    explanation: "",
};

/// A look-up that proves nothing.
const FAILED_LOOK_UP: Line = Line { status: StatusRule::LookUp, state: StateRule::None, ..LINE };

/// What is settled.
const CONFIRMED: Line = Line { status: StatusRule::Is(Status::Ok), outcome: Outcome::Confirmed, again: false, ..LINE };
const REJECTED: Line =
    Line { status: StatusRule::Is(Status::Rejected), outcome: Outcome::Rejected, again: false, ..LINE };

const DIFFERS: &str = "the answer differs from what was asked for";

/// Every payment of the order has failed for good, and nothing in the answer contradicts it.
const ALL_FAILED: Condition = Condition::All(&[
    Condition::Final,
    Condition::State(&[State::FAILED]),
    Condition::SaidToBeFinal,
    Condition::NoProgress,
    Condition::EveryEntryFailed,
]);

/// What became of an earlier request.
pub const LINES: &[Line] = &[
    Line {
        number: "c1",
        conditions: &[Condition::Any(&[Condition::Unsendable, Condition::Http(&[400, 401, 403, 422])])],
        again: false,
        explanation: "the look-up is not possible",
        ..FAILED_LOOK_UP
    },
    Line {
        number: "c2",
        about: &[Order, Account],
        conditions: &[Condition::Http(&[404])],
        explanation: "the service has no record of it; the request moves no money, so it may be sent again",
        ..FAILED_LOOK_UP
    },
    Line {
        number: "c3",
        conditions: &[Condition::Http(&[404])],
        explanation: "the service has no record of it, which proves nothing: the request may still be on its way",
        ..FAILED_LOOK_UP
    },
    Line { number: "c4", conditions: &[Condition::LookUpFailed], explanation: "the look-up failed", ..FAILED_LOOK_UP },
    Line {
        number: "c5",
        conditions: &[Condition::OtherRequest],
        explanation: "the answer is about another request",
        ..LINE
    },
    Line {
        number: "c6",
        about: OF_ORDERS,
        conditions: &[Condition::Any(&[Condition::NoSubject, Condition::Unnamed])],
        state: StateRule::None,
        explanation: "the answer does not name the order",
        ..LINE
    },
    Line {
        number: "c28",
        about: &[Batch, Account],
        conditions: &[Condition::Unnamed],
        state: StateRule::None,
        explanation: "the answer does not name what was asked about",
        ..LINE
    },
    Line {
        number: "c7",
        conditions: &[Condition::Differs, Condition::Any(&[Condition::Final, Condition::Asks(&[Order, Account])])],
        again: false,
        explanation: DIFFERS,
        ..LINE
    },
    Line { number: "c8", conditions: &[Condition::Differs], explanation: DIFFERS, ..LINE },
    Line {
        number: "c9",
        conditions: &[Condition::Any(&[Condition::StatesDisagree, Condition::StateContradicted])],
        state: StateRule::None,
        explanation: "the answer contradicts itself",
        ..LINE
    },
    Line {
        number: "c10",
        about: &[Charge],
        conditions: &[Condition::Final, Condition::State(&[State::SUCCESSFUL])],
        explanation: "the order is paid, perhaps by another attempt",
        ..CONFIRMED
    },
    Line {
        number: "c11",
        about: &[Charge],
        conditions: &[Condition::Final, Condition::State(&[State::REVERSED])],
        explanation: "the order was paid, perhaps by another attempt, and the payment is reversed",
        ..CONFIRMED
    },
    Line {
        number: "c12",
        about: &[Charge, Final],
        conditions: &[ALL_FAILED, Condition::OneAttempt],
        explanation: "the only attempt to pay the order has failed",
        ..REJECTED
    },
    Line {
        number: "c30",
        about: &[Charge],
        conditions: &[ALL_FAILED, Condition::OwnEntry(State::FAILED)],
        explanation: "this attempt to pay the order has failed, as has every other",
        ..REJECTED
    },
    Line {
        number: "c13",
        about: &[Charge, Attempt, Final],
        conditions: &[
            ALL_FAILED,
            Condition::AttemptsUnknown,
            Condition::Any(&[Condition::Asks(&[Charge, Final]), Condition::Entry(State::FAILED)]),
        ],
        explanation: "every attempt that the service knows of has failed; without the number of attempts this \
                      proves nothing",
        ..LINE
    },
    Line {
        number: "c14",
        about: &[Charge, Final],
        conditions: &[Condition::State(&[State::FAILED])],
        explanation: "the order has failed, but another attempt to pay it may be under way",
        ..LINE
    },
    Line {
        number: "c15",
        about: &[Order],
        conditions: &[Condition::AmountAgrees],
        explanation: "the order was created",
        ..CONFIRMED
    },
    Line {
        number: "c16",
        about: &[Order],
        conditions: &[Condition::Otherwise],
        again: false,
        explanation: "there is such an order, but no amount was given to compare, so it may be a different order",
        ..LINE
    },
    Line {
        number: "c17",
        about: &[Attempt],
        conditions: &[Condition::Entry(State::SUCCESSFUL)],
        state: StateRule::OfEntry,
        explanation: "this attempt to pay was successful",
        ..CONFIRMED
    },
    Line {
        number: "c18",
        about: &[Attempt],
        conditions: &[Condition::Entry(State::REVERSED)],
        state: StateRule::OfEntry,
        explanation: "this attempt to pay was successful, and the payment is reversed",
        ..CONFIRMED
    },
    Line {
        number: "c19",
        about: &[Attempt],
        conditions: &[ALL_FAILED, Condition::Entry(State::FAILED), Condition::OneAttempt],
        state: StateRule::OfEntry,
        explanation: "this attempt to pay has failed",
        ..REJECTED
    },
    Line {
        number: "c20",
        about: &[Attempt],
        conditions: &[Condition::Otherwise],
        state: StateRule::OfEntry,
        explanation: "the history does not show what became of this attempt",
        ..LINE
    },
    Line {
        number: "c21",
        about: &[Refund],
        conditions: &[Condition::Final, Condition::State(&[State::REVERSED])],
        state: StateRule::Successful,
        explanation: "the order is reversed, perhaps by another refund",
        ..CONFIRMED
    },
    Line {
        number: "c22",
        about: &[Refund],
        conditions: &[Condition::Otherwise],
        state: StateRule::None,
        explanation: "the order is not reversed, but a refund that was started is not shown",
        ..LINE
    },
    Line {
        number: "c23",
        about: &[Batch],
        conditions: &[Condition::HasElements, Condition::NoElementRefused],
        state: StateRule::None,
        explanation: "the service accepted the payouts, which does not mean that they are paid",
        ..CONFIRMED
    },
    Line {
        number: "c29",
        about: &[Batch],
        conditions: &[Condition::Otherwise],
        state: StateRule::None,
        explanation: "the answer does not say that the payouts were accepted: a person must find out before they are \
                      repeated",
        ..LINE
    },
    Line {
        number: "c24",
        about: &[Account],
        conditions: &[Condition::OwnAccount],
        state: StateRule::None,
        explanation: "there is such an account",
        ..CONFIRMED
    },
    Line {
        number: "c25",
        about: &[Account],
        conditions: &[Condition::Otherwise],
        state: StateRule::None,
        explanation: "the answer has no account; the request moves no money, so it may be sent again",
        ..LINE
    },
    Line {
        number: "c26",
        about: &[Final],
        conditions: &[Condition::Final, Condition::State(&[State::SUCCESSFUL, State::REVERSED])],
        explanation: "the state of the order is final",
        ..CONFIRMED
    },
    Line {
        number: "c27",
        conditions: &[Condition::Otherwise],
        explanation: "the order is not in a final state",
        ..LINE
    },
];
