//! The lines of the table, in the order in which they are tried.

use super::Question::{Account, Attempt, Batch, Charge, Final, Order, Refund};
use super::{Keeps, Line, Look, Question, Says};
use paysvc_spec::status::{Outcome, State, Status};

/// Asked of an order's state and history.
const OF_ORDERS: &[Question] = &[Charge, Order, Attempt, Refund, Final];

/// The defaults of a line.
const LINE: Line = Line {
    number: "",
    about: &[],
    answer: "",
    fits: |_| false,
    status: Says::This(Status::Unresolved),
    outcome: Outcome::Unknown,
    state: Keeps::Order,
    again: true,
    explanation: "",
};

const DIFFERS: &str = "the answer differs from what was asked for";

/// What became of an earlier request.
pub const LINES: &[Line] = &[
    Line {
        number: "c1",
        answer: "the look-up cannot be sent, or is refused with 400, 401, 403 or 422",
        fits: |evidence| evidence.look == Look::Impossible,
        status: Says::LookUp,
        state: Keeps::Nothing,
        again: false,
        explanation: "the look-up is not possible",
        ..LINE
    },
    Line {
        number: "c2",
        about: &[Order, Account],
        answer: "404",
        fits: |evidence| evidence.look == Look::Absent,
        status: Says::LookUp,
        state: Keeps::Nothing,
        explanation: "the service does not know it; it moves no money, so the same request may be sent again",
        ..LINE
    },
    Line {
        number: "c3",
        answer: "404",
        fits: |evidence| evidence.look == Look::Absent,
        status: Says::LookUp,
        state: Keeps::Nothing,
        explanation: "the service does not know it, which proves nothing: the request may still be on its way",
        ..LINE
    },
    Line {
        number: "c4",
        answer: "any other failure of the look-up",
        fits: |evidence| evidence.look == Look::Failed,
        status: Says::LookUp,
        state: Keeps::Nothing,
        explanation: "the look-up failed",
        ..LINE
    },
    Line {
        number: "c5",
        answer: "a reference of another request",
        fits: |evidence| evidence.facts.other_request,
        explanation: "the answer speaks of another request",
        ..LINE
    },
    Line {
        number: "c6",
        about: OF_ORDERS,
        answer: "it does not name the order",
        fits: |evidence| !evidence.facts.subject || !evidence.names_it(),
        state: Keeps::Nothing,
        explanation: "the answer does not name the order",
        ..LINE
    },
    Line {
        number: "c28",
        about: &[Batch, Account],
        answer: "it does not name the batch, or the alias",
        fits: |evidence| !evidence.names_it(),
        state: Keeps::Nothing,
        explanation: "the answer does not name what was asked about",
        ..LINE
    },
    Line {
        number: "c7",
        answer: "an amount, a currency or an account's Reference that differs, or none to compare; final, or asked of an order without a charge or an account",
        fits: |evidence| {
            evidence.difference.is_some() && (evidence.is_final() || matches!(evidence.question, Order | Account))
        },
        again: false,
        explanation: DIFFERS,
        ..LINE
    },
    Line {
        number: "c8",
        answer: "the same, not final",
        fits: |evidence| evidence.difference.is_some(),
        explanation: DIFFERS,
        ..LINE
    },
    Line {
        number: "c9",
        answer: "states that disagree, or one that the history, the top-level word or a payment response code contradicts",
        fits: |evidence| evidence.facts.states_disagree || evidence.facts.state_contradicted,
        state: Keeps::Nothing,
        explanation: "the answer contradicts itself",
        ..LINE
    },
    Line {
        number: "c10",
        about: &[Charge],
        answer: "final, SUCCESSFUL",
        fits: |evidence| evidence.ended_as(State::SUCCESSFUL),
        status: Says::This(Status::Ok),
        outcome: Outcome::Confirmed,
        again: false,
        explanation: "the order is paid, perhaps by another attempt",
        ..LINE
    },
    Line {
        number: "c11",
        about: &[Charge],
        answer: "final, REVERSED",
        fits: |evidence| evidence.ended_as(State::REVERSED),
        status: Says::This(Status::Ok),
        outcome: Outcome::Confirmed,
        again: false,
        explanation: "the order was paid, perhaps by another attempt, and the payment is reversed",
        ..LINE
    },
    Line {
        number: "c12",
        about: &[Charge, Final],
        answer: "FAILED, said to be final, every entry of the history FAILED with a reference of its own, and one attempt",
        fits: |evidence| evidence.all_failed() && evidence.attempts == Some(1),
        status: Says::This(Status::Rejected),
        outcome: Outcome::Rejected,
        again: false,
        explanation: "the only attempt to pay the order has failed",
        ..LINE
    },
    Line {
        number: "c13",
        about: &[Charge, Attempt, Final],
        answer: "the same, and the attempts are not known",
        fits: |evidence| evidence.all_failed() && evidence.attempts.is_none(),
        explanation: "every attempt that the service knows has failed; without the number of attempts this proves nothing",
        ..LINE
    },
    Line {
        number: "c14",
        about: &[Charge, Final],
        answer: "FAILED otherwise",
        fits: |evidence| evidence.facts.state == State::FAILED,
        explanation: "the order has failed, but another attempt to pay it may be under way",
        ..LINE
    },
    Line {
        number: "c15",
        about: &[Order],
        answer: "the order, with the amount of the request",
        fits: |evidence| evidence.amount_agrees,
        status: Says::This(Status::Ok),
        outcome: Outcome::Confirmed,
        again: false,
        explanation: "the order was created",
        ..LINE
    },
    Line {
        number: "c16",
        about: &[Order],
        answer: "the order, and no amount was given to compare",
        fits: |_| true,
        again: false,
        explanation: "there is such an order, but its amount was not given, so it may be another one",
        ..LINE
    },
    Line {
        number: "c17",
        about: &[Attempt],
        answer: "the entry with the request's reference SUCCESSFUL",
        fits: |evidence| evidence.attempt_is(State::SUCCESSFUL),
        status: Says::This(Status::Ok),
        outcome: Outcome::Confirmed,
        state: Keeps::Entry,
        again: false,
        explanation: "this attempt to pay was successful",
    },
    Line {
        number: "c18",
        about: &[Attempt],
        answer: "that entry REVERSED",
        fits: |evidence| evidence.attempt_is(State::REVERSED),
        status: Says::This(Status::Ok),
        outcome: Outcome::Confirmed,
        state: Keeps::Entry,
        again: false,
        explanation: "this attempt to pay was successful, and the payment is reversed",
    },
    Line {
        number: "c19",
        about: &[Attempt],
        answer: "that entry FAILED, and all that line c12 asks for",
        fits: |evidence| evidence.all_failed() && evidence.attempts == Some(1),
        status: Says::This(Status::Rejected),
        outcome: Outcome::Rejected,
        state: Keeps::Entry,
        again: false,
        explanation: "this attempt to pay has failed",
    },
    Line {
        number: "c20",
        about: &[Attempt],
        answer: "no such entry, two of them, or anything else",
        fits: |_| true,
        state: Keeps::Entry,
        explanation: "the history does not tell what became of this attempt",
        ..LINE
    },
    Line {
        number: "c21",
        about: &[Refund],
        answer: "final, REVERSED",
        fits: |evidence| evidence.ended_as(State::REVERSED),
        status: Says::This(Status::Ok),
        outcome: Outcome::Confirmed,
        state: Keeps::Done,
        again: false,
        explanation: "the order is reversed, perhaps by another refund",
    },
    Line {
        number: "c22",
        about: &[Refund],
        answer: "anything else",
        fits: |_| true,
        state: Keeps::Nothing,
        explanation: "the order is not reversed, and a refund that was started is not shown",
        ..LINE
    },
    Line {
        number: "c23",
        about: &[Batch],
        answer: "its payouts, none of them refused or FAILED",
        fits: |evidence| evidence.facts.elements > 0 && !evidence.facts.element_refused,
        status: Says::This(Status::Ok),
        outcome: Outcome::Confirmed,
        state: Keeps::Nothing,
        again: false,
        explanation: "the service accepted the payouts, which does not mean that they are paid",
    },
    Line {
        number: "c29",
        about: &[Batch],
        answer: "anything else",
        fits: |_| true,
        state: Keeps::Nothing,
        explanation: "the answer does not say that the payouts were accepted: a person must find out before they are repeated",
        ..LINE
    },
    Line {
        number: "c24",
        about: &[Account],
        answer: "an account of this alias and this Reference",
        fits: |evidence| evidence.is_own_account,
        status: Says::This(Status::Ok),
        outcome: Outcome::Confirmed,
        state: Keeps::Nothing,
        again: false,
        explanation: "there is such an account",
    },
    Line {
        number: "c25",
        about: &[Account],
        answer: "anything else",
        fits: |_| true,
        state: Keeps::Nothing,
        explanation: "the answer names no account; it moves no money, so the same request may be sent again",
        ..LINE
    },
    Line {
        number: "c26",
        about: &[Final],
        answer: "final, SUCCESSFUL or REVERSED",
        fits: |evidence| evidence.ended_as(State::SUCCESSFUL) || evidence.ended_as(State::REVERSED),
        status: Says::This(Status::Ok),
        outcome: Outcome::Confirmed,
        again: false,
        explanation: "the state of the order is final",
        ..LINE
    },
    Line {
        number: "c27",
        answer: "anything else: in progress, no state",
        fits: |_| true,
        explanation: "the order is not in a final state",
        ..LINE
    },
];
