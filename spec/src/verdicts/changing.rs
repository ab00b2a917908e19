//! Requests that may change something.

use super::answer::{After429, Again, CONTRADICTS, Condition, LINE, Line, SAYS_NOTHING};
use super::{StateRule, StatusRule};
use crate::status::{Outcome, Status};

/// 4xx that are decided before anything is executed (RFC 9110, 15.5; 421, 426, 428, 431: RFC 9110, 6585).
const BEFORE_EXECUTION: &[u16] = &[400, 401, 404, 405, 407, 410, 411, 412, 413, 414, 415, 416, 417, 421, 426, 428, 431];

/// Requests that may change something.
pub const CHANGING: &[Line] = &[
    Line {
        number: "1",
        conditions: &[Condition::NoAnswer { sent: false }],
        status: StatusRule::Transport,
        outcome: Outcome::NotSent,
        state: StateRule::None,
        again: Again::Yes,
        after_429: After429::Rejected,
        ..LINE
    },
    Line {
        number: "2",
        conditions: &[Condition::NoAnswer { sent: true }],
        status: StatusRule::Transport,
        state: StateRule::None,
        ..LINE
    },
    Line { number: "3", conditions: &[Condition::Not(&Condition::HttpClass(&[2, 4, 5]))], ..LINE },
    Line { number: "4", conditions: &[Condition::HttpClass(&[5])], status: StatusRule::Is(Status::Server), ..LINE },
    Line { number: "5", conditions: &[Condition::Http(&[408])], status: StatusRule::Is(Status::Timeout), ..LINE },
    Line {
        number: "6",
        conditions: &[Condition::Unreadable],
        status: StatusRule::Body,
        state: StateRule::None,
        ..LINE
    },
    Line {
        number: "7",
        conditions: &[
            Condition::Not(&Condition::Http(&[429])),
            Condition::Any(&[
                Condition::All(&[Condition::Success, Condition::FailureOrWeakFailure]),
                Condition::DuplicateNames,
                Condition::OtherRequest,
            ]),
        ],
        explanation: Some("the answer contradicts itself or speaks of another request"),
        ..LINE
    },
    Line {
        number: "8",
        conditions: &[
            Condition::Http(&[429]),
            Condition::Any(&[
                Condition::Success,
                Condition::NamesProgress,
                Condition::NamesState,
                Condition::DuplicateNames,
            ]),
        ],
        status: StatusRule::Is(Status::RateLimited),
        explanation: Some("the answer is 429 and speaks of progress"),
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
        conditions: &[Condition::HttpClass(&[4]), Condition::Success],
        explanation: CONTRADICTS,
        ..LINE
    },
    Line {
        number: "11",
        conditions: &[Condition::Failure, Condition::NamesProgress],
        explanation: Some("the answer reports failure, and progress or success beside it"),
        ..LINE
    },
    Line {
        number: "12",
        conditions: &[Condition::ExactFailure],
        status: StatusRule::Refused,
        outcome: Outcome::Rejected,
        after_429: After429::RejectedIf(&[Condition::OwnFailed, Condition::Http(&[401, 405, 413, 415])]),
        ..LINE
    },
    Line {
        number: "13",
        conditions: &[Condition::HttpClass(&[4]), Condition::NamesProgress],
        explanation: Some("the answer is a refusal and speaks of progress or success"),
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
            Condition::ExactSuccess,
            Condition::Any(&[
                Condition::StatesDisagree,
                Condition::StateContradicted,
                Condition::FailedBesideProgress,
                Condition::RefusingCode,
                Condition::ElementFailed,
            ]),
        ],
        state: StateRule::None,
        explanation: CONTRADICTS,
        ..LINE
    },
    Line {
        number: "17",
        conditions: &[Condition::HttpClass(&[2]), Condition::ExactSuccess, Condition::OwnFailed],
        status: StatusRule::Is(Status::Rejected),
        outcome: Outcome::Rejected,
        explanation: Some("the payment failed"),
        ..LINE
    },
    Line {
        number: "18",
        conditions: &[Condition::HttpClass(&[2]), Condition::ExactSuccess, Condition::OrderFailed],
        state: StateRule::None,
        explanation: Some("the order has failed, and the answer does not say what became of this payment"),
        ..LINE
    },
    Line {
        number: "19",
        conditions: &[Condition::HttpClass(&[2]), Condition::ExactSuccess],
        status: StatusRule::Is(Status::Ok),
        outcome: Outcome::Confirmed,
        ..LINE
    },
    Line { number: "20", conditions: &[Condition::Otherwise], explanation: SAYS_NOTHING, ..LINE },
];
