//! Requests that may change something.

use super::answer::{After429, Again, CONTRADICTS, Condition, Fact, LINE, Line, SAYS_NOTHING};
use super::{StateRule, StatusRule};
use crate::refusals::REFUSING;
use crate::status::{Outcome, Status};

/// 4xx that are decided before anything is executed (RFC 9110, 15.5; 421, 426, 428, 431: RFC 9110, 6585).
const BEFORE_EXECUTION: &[u16] = &[400, 401, 404, 405, 407, 410, 411, 412, 413, 414, 415, 416, 417, 421, 426, 428, 431];

/// Requests that may change something.
pub const CHANGING: &[Line] = &[
    Line {
        number: "1",
        conditions: &[Condition::Is(Fact::NothingSent)],
        status: StatusRule::Transport,
        outcome: Outcome::NotSent,
        state: StateRule::None,
        again: Again::Yes,
        after_429: After429::Rejected,
        ..LINE
    },
    Line {
        number: "2",
        conditions: &[Condition::Is(Fact::NoAnswer)],
        status: StatusRule::Transport,
        state: StateRule::None,
        ..LINE
    },
    Line { number: "3", conditions: &[Condition::Not(&Condition::HttpClass(&[2, 4, 5]))], ..LINE },
    Line { number: "4", conditions: &[Condition::HttpClass(&[5])], status: StatusRule::Is(Status::Server), ..LINE },
    Line { number: "5", conditions: &[Condition::Http(&[408])], status: StatusRule::Is(Status::Timeout), ..LINE },
    Line {
        number: "6",
        conditions: &[Condition::Is(Fact::Unreadable)],
        status: StatusRule::Body,
        state: StateRule::None,
        ..LINE
    },
    Line {
        number: "7",
        conditions: &[
            Condition::Not(&Condition::Http(&[429])),
            Condition::Any(&[
                Condition::All(&[Condition::Is(Fact::Success), Condition::Is(Fact::FailureOrWeakFailure)]),
                Condition::Is(Fact::DuplicateNames),
                Condition::Is(Fact::OtherRequest),
            ]),
        ],
        explanation: Some("the answer contradicts itself or is about another request"),
        ..LINE
    },
    Line {
        number: "8",
        conditions: &[
            Condition::Http(&[429]),
            Condition::Any(&[
                Condition::Is(Fact::Success),
                Condition::Is(Fact::NamesProgress),
                Condition::Is(Fact::NamesState),
                Condition::Is(Fact::DuplicateNames),
            ]),
        ],
        status: StatusRule::Is(Status::RateLimited),
        explanation: Some("the answer is 429 and mentions progress"),
        ..LINE
    },
    Line {
        number: "9",
        conditions: &[Condition::Http(&[429]), Condition::Otherwise],
        status: StatusRule::Is(Status::RateLimited),
        outcome: Outcome::Rejected,
        again: Again::Yes,
        ..LINE
    },
    Line {
        number: "10",
        conditions: &[Condition::HttpClass(&[4]), Condition::Is(Fact::Success)],
        explanation: CONTRADICTS,
        ..LINE
    },
    Line {
        number: "11",
        conditions: &[Condition::Is(Fact::Failure), Condition::Is(Fact::NamesProgress)],
        explanation: Some("the answer reports failure, and progress or success beside it"),
        ..LINE
    },
    Line {
        number: "12",
        conditions: &[
            Condition::Is(Fact::ExactFailure),
            Condition::Any(&[
                Condition::All(&[Condition::HttpClass(&[2]), Condition::Is(Fact::RefusalProven)]),
                Condition::Http(REFUSING),
            ]),
        ],
        status: StatusRule::Refused,
        outcome: Outcome::Rejected,
        after_429: After429::RejectedIf(&[Condition::Is(Fact::OwnFailed), Condition::Http(&[401, 405, 413, 415])]),
        ..LINE
    },
    Line {
        number: "12b",
        conditions: &[Condition::Is(Fact::ExactFailure), Condition::Otherwise],
        explanation: Some("the answer reports failure, and does not prove that nothing was done"),
        ..LINE
    },
    Line {
        number: "13",
        conditions: &[Condition::HttpClass(&[4]), Condition::Is(Fact::NamesProgress)],
        explanation: Some("the answer is a refusal and mentions progress or success"),
        ..LINE
    },
    Line {
        number: "14",
        conditions: &[Condition::Http(BEFORE_EXECUTION)],
        status: StatusRule::Refused,
        outcome: Outcome::Rejected,
        after_429: After429::RejectedIf(&[Condition::Not(&Condition::Http(&[400, 404, 410, 412]))]),
        ..LINE
    },
    Line {
        number: "15",
        conditions: &[Condition::HttpClass(&[4]), Condition::Otherwise],
        explanation: Some("something between here and the service may have answered, after the service had acted"),
        ..LINE
    },
    Line {
        number: "16",
        conditions: &[
            Condition::HttpClass(&[2]),
            Condition::Is(Fact::ExactSuccess),
            Condition::Any(&[
                Condition::Is(Fact::StatesDisagree),
                Condition::Is(Fact::StateContradicted),
                Condition::Is(Fact::FailedBesideProgress),
                Condition::Is(Fact::RefusingCode),
                Condition::Is(Fact::ElementFailed),
            ]),
        ],
        state: StateRule::None,
        explanation: CONTRADICTS,
        ..LINE
    },
    Line {
        number: "17",
        conditions: &[Condition::HttpClass(&[2]), Condition::Is(Fact::ExactSuccess), Condition::Is(Fact::OwnFailed)],
        status: StatusRule::Is(Status::Rejected),
        outcome: Outcome::Rejected,
        explanation: Some("the payment failed"),
        ..LINE
    },
    Line {
        number: "18",
        conditions: &[Condition::HttpClass(&[2]), Condition::Is(Fact::ExactSuccess), Condition::Is(Fact::OrderFailed)],
        state: StateRule::None,
        explanation: Some("the order has failed, and the answer does not say what became of this payment"),
        ..LINE
    },
    Line {
        number: "19",
        conditions: &[Condition::HttpClass(&[2]), Condition::Is(Fact::ExactSuccess)],
        status: StatusRule::Is(Status::Ok),
        outcome: Outcome::Confirmed,
        ..LINE
    },
    Line { number: "20", conditions: &[Condition::Otherwise], explanation: SAYS_NOTHING, ..LINE },
];
