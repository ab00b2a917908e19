//! Read-only requests.

use super::answer::{Again, CONTRADICTS, Condition, Fact, LINE, Line, SAYS_NOTHING};
use super::{StateRule, StatusRule};
use crate::status::{Outcome, Status};

const IF_TRUNCATED: Again = Again::If(&[Condition::Is(Fact::MayBeTruncated), Condition::Http(&[429])]);

/// The outcome is that of the reading, never that of the payment.
const READ: Line = Line { state: StateRule::None, ..LINE };

/// Read-only requests.
pub const READING: &[Line] = &[
    Line {
        number: "r1",
        conditions: &[Condition::Is(Fact::NothingSent)],
        status: StatusRule::Transport,
        outcome: Outcome::NotSent,
        again: Again::Yes,
        ..READ
    },
    Line {
        number: "r2",
        conditions: &[Condition::Is(Fact::NoAnswer)],
        status: StatusRule::Transport,
        again: Again::Yes,
        ..READ
    },
    Line {
        number: "r3",
        conditions: &[Condition::Not(&Condition::HttpClass(&[2, 4, 5]))],
        again: IF_TRUNCATED,
        ..READ
    },
    Line {
        number: "r4",
        conditions: &[Condition::HttpClass(&[5])],
        status: StatusRule::Is(Status::Server),
        again: Again::Yes,
        ..READ
    },
    Line {
        number: "r5",
        conditions: &[Condition::Http(&[408])],
        status: StatusRule::Is(Status::Timeout),
        again: Again::Yes,
        ..READ
    },
    Line {
        number: "r6",
        conditions: &[Condition::Is(Fact::Unreadable)],
        status: StatusRule::Body,
        again: IF_TRUNCATED,
        ..READ
    },
    Line {
        number: "r7",
        conditions: &[Condition::Not(&Condition::Http(&[429])), Condition::Is(Fact::OtherRequest)],
        explanation: Some("the answer is about another request"),
        ..READ
    },
    Line {
        number: "r8",
        conditions: &[Condition::Not(&Condition::Http(&[429])), Condition::Is(Fact::DuplicateNames)],
        again: IF_TRUNCATED,
        explanation: CONTRADICTS,
        ..READ
    },
    Line {
        number: "r9",
        conditions: &[Condition::Http(&[429]), Condition::Is(Fact::DuplicateNames)],
        status: StatusRule::Is(Status::RateLimited),
        again: Again::Yes,
        explanation: CONTRADICTS,
        ..READ
    },
    Line {
        number: "r10",
        conditions: &[Condition::Http(&[429]), Condition::Otherwise],
        status: StatusRule::Is(Status::RateLimited),
        outcome: Outcome::Rejected,
        again: Again::Yes,
        ..READ
    },
    Line {
        number: "r11",
        conditions: &[Condition::HttpClass(&[2]), Condition::Is(Fact::Subject)],
        status: StatusRule::Is(Status::Ok),
        outcome: Outcome::Confirmed,
        state: StateRule::OfAnswer,
        ..READ
    },
    Line {
        number: "r12",
        conditions: &[Condition::Is(Fact::ExactSuccess), Condition::Is(Fact::FailureOrWeakFailure)],
        explanation: CONTRADICTS,
        ..READ
    },
    Line {
        number: "r13",
        conditions: &[Condition::Any(&[Condition::HttpClass(&[4]), Condition::Is(Fact::Failure)])],
        status: StatusRule::Refused,
        outcome: Outcome::Rejected,
        ..READ
    },
    Line {
        number: "r14",
        conditions: &[Condition::Any(&[Condition::Is(Fact::ExactSuccess), Condition::Is(Fact::Bare)])],
        status: StatusRule::Is(Status::Ok),
        outcome: Outcome::Confirmed,
        ..READ
    },
    Line { number: "r15", conditions: &[Condition::Otherwise], explanation: SAYS_NOTHING, ..READ },
];
