//! The journal: which requests it records, under which key, and what a call does with what it finds there.
//!
//! The library evaluates [`LINES`], and `docs/journal.md` shows them: the words of a condition stand beside it. The
//! first line whose conditions all hold decides.

use crate::schema::{Endpoint, Safety, Settles};
use crate::status::{Outcome, Status};

/// What a request is to the journal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// May charge an order. Its key is the order's, unless the caller gives one.
    Charge,
    /// Completes a charge. Its key is that of the attempt to pay, unless the caller gives one.
    Authorization,
    /// Makes an order and charges nothing. It is recorded, and never held back because of its own records.
    Order,
    /// Moves money in another way. Only the caller can give it a key: two equal partial refunds are two refunds.
    Other,
}

impl Step {
    pub const ALL: &[Step] = &[Step::Charge, Step::Authorization, Step::Order, Step::Other];

    /// As rows of the journal have it.
    pub const fn name(self) -> &'static str {
        match self {
            Step::Charge => "charge",
            Step::Authorization => "authorization",
            Step::Order => "order",
            Step::Other => "other",
        }
    }

    /// Of a row of the table; `None` if the journal does not record it. `charges`: its request has a member that makes
    /// it a charge.
    pub const fn of(row: &Endpoint, charges: bool) -> Option<Step> {
        let settles = match &row.looked_up_by {
            Some(look_up) => Some(look_up.settles),
            None => None,
        };
        match (row.safety, settles) {
            (Safety::ReadOnly, _) => None,
            (_, Some(Settles::Charge)) => Some(Step::Charge),
            (_, Some(Settles::ChargeOrOrder)) if charges => Some(Step::Charge),
            (_, Some(Settles::ChargeOrOrder | Settles::Order)) => Some(Step::Order),
            (_, Some(Settles::Attempt)) => Some(Step::Authorization),
            (Safety::Repeatable, _) => None,
            (Safety::Moves, _) => Some(Step::Other),
        }
    }

    /// Whether requests of the order's other steps matter to it.
    pub const fn is_of_order(self) -> bool {
        !matches!(self, Step::Other)
    }
}

/// What a call does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// Answers with the recorded end; nothing is sent.
    Replay,
    /// Reads the journal again until the sender has written its end, or the time of its call is over.
    Wait,
    /// Looks up what is open, writes what that proves, and reads the journal again.
    LookUp,
    /// Asks the service for the order, and sends unless the answer forbids it.
    Ask(Ask),
    /// Claims and sends.
    Send,
    /// Answers with the line's status; nothing is sent.
    Refuse,
}

impl Act {
    pub const fn words(self) -> &'static str {
        match self {
            Act::Replay => "replays",
            Act::Wait => "waits",
            Act::LookUp => "looks up",
            Act::Ask(Ask::NoEntry) => "asks; sends if the service knows of no attempt to pay the order",
            Act::Ask(Ask::NoneInProgress) => "asks; sends if every attempt to pay the order has failed",
            Act::Ask(Ask::NotPaid) => "asks; sends unless the order is paid",
            Act::Send => "sends",
            Act::Refuse => "sends nothing",
        }
    }
}

/// What the history of the order must not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ask {
    /// Any attempt to pay: this journal knows of none.
    NoEntry,
    /// A payment, or an attempt in progress.
    NoneInProgress,
    /// A payment.
    NotPaid,
}

/// Conditions on what was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// The request is one of these steps.
    Is(&'static [Step]),
    /// The caller gave the key, and it belongs to a request with other members; or it is a recipient's reference, and one
    /// that is open or confirmed has other members.
    OtherMembers,
    /// The caller gave the key, other than a recipient's reference, and the request that it names was refused or
    /// settled as not done, or is an authorization that was confirmed: it is never sent again. A next step has another
    /// key.
    ExplicitEnded,
    /// The request, or another charge or authorization of its order, is confirmed for good, or settled as done.
    Confirmed,
    /// One of them is open, and its call may still be under way.
    Running,
    /// One of them is open.
    Open,
    /// A charge of the order is open, which an authorization completes.
    OpenCharge,
    /// A charge or an authorization of the order is open or confirmed for good.
    PaymentOpenOrConfirmed,
    /// Every charge of the order was NOT_SENT, or there is none.
    NothingSent,
    /// This client made the reference since it opened the journal.
    Fresh,
    /// A person settled a charge of the order as not done.
    Settled,
    /// Always.
    Otherwise,
}

impl Condition {
    pub fn words(self) -> String {
        match self {
            Condition::Is(steps) => {
                let names: Vec<_> = steps.iter().map(|step| step.name()).collect();
                format!("the step is {}", names.join(" or "))
            }
            Condition::OtherMembers => {
                "the caller's key names a request with different members; or a recipient's does, and it is open or CONFIRMED"
                    .to_owned()
            }
            Condition::ExplicitEnded => {
                "the caller's key names a request that is REJECTED or settled as not done, or an authorization that is \
                 CONFIRMED"
                    .to_owned()
            }
            Condition::Confirmed => {
                "it, or a charge or an authorization of its order, is CONFIRMED for good, or settled as done".to_owned()
            }
            Condition::Running => "one of them is open, and its call may still be under way".to_owned(),
            Condition::Open => "one of them is open".to_owned(),
            Condition::OpenCharge => "a charge of the order is open".to_owned(),
            Condition::PaymentOpenOrConfirmed => {
                "a charge or an authorization of the order is open, or CONFIRMED for good".to_owned()
            }
            Condition::NothingSent => "no charge of the order is recorded, or each was NOT_SENT".to_owned(),
            Condition::Fresh => "this client has made the reference since it opened the journal".to_owned(),
            Condition::Settled => "a person settled a charge of the order as not done".to_owned(),
            Condition::Otherwise => "otherwise".to_owned(),
        }
    }
}

/// A line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// For the log.
    pub number: &'static str,
    /// All of them must hold.
    pub conditions: &'static [Condition],
    pub act: Act,
    /// Of a refusal.
    pub status: Status,
    pub outcome: Outcome,
    pub explanation: &'static str,
}

impl Line {
    pub fn words(&self) -> String {
        let words: Vec<_> = self.conditions.iter().map(|condition| condition.words()).collect();
        words.join(", ")
    }
}

const LINE: Line = Line {
    number: "",
    conditions: &[],
    act: Act::Refuse,
    status: Status::Unresolved,
    outcome: Outcome::Unknown,
    explanation: "",
};

use Condition::{
    Confirmed, ExplicitEnded, Fresh, Is, NothingSent, Open, OpenCharge, OtherMembers, Otherwise,
    PaymentOpenOrConfirmed, Running, Settled,
};

pub const LINES: &[Line] = &[
    Line {
        number: "j1",
        conditions: &[OtherMembers],
        status: Status::KeyReused,
        explanation: "the key belongs to a request with different members; nothing was sent",
        ..LINE
    },
    Line {
        number: "j2",
        conditions: &[ExplicitEnded],
        act: Act::Replay,
        explanation: "the answer to an earlier attempt with this key; nothing was sent, so a different card or code was not tried",
        ..LINE
    },
    Line {
        number: "j3",
        conditions: &[Is(&[Step::Order]), PaymentOpenOrConfirmed],
        explanation: "a charge or an authorization of this order is open or has been paid; nothing was sent",
        ..LINE
    },
    Line { number: "j4", conditions: &[Is(&[Step::Order])], act: Act::Send, ..LINE },
    Line {
        number: "j5",
        conditions: &[Confirmed],
        act: Act::Replay,
        explanation: "already done by an earlier request; nothing was sent",
        ..LINE
    },
    Line {
        number: "j6",
        conditions: &[Running],
        act: Act::Wait,
        explanation: "another call with this key or for this order is under way; nothing was sent",
        ..LINE
    },
    Line {
        number: "j7",
        conditions: &[Open],
        act: Act::LookUp,
        explanation: "an earlier request with this key or for this order is open; nothing was sent",
        ..LINE
    },
    Line { number: "j8", conditions: &[Is(&[Step::Authorization]), OpenCharge], act: Act::Send, ..LINE },
    Line {
        number: "j9",
        conditions: &[Is(&[Step::Authorization])],
        explanation: "the journal has no open charge with this orderPaymentReference; nothing was sent",
        ..LINE
    },
    Line { number: "j10", conditions: &[Is(&[Step::Charge]), NothingSent, Fresh], act: Act::Send, ..LINE },
    Line {
        number: "j11",
        conditions: &[Is(&[Step::Charge]), NothingSent],
        act: Act::Ask(Ask::NoEntry),
        explanation: "the service has an attempt to pay this order that the journal does not know; nothing was sent",
        ..LINE
    },
    Line {
        number: "j12",
        conditions: &[Is(&[Step::Charge]), Settled],
        act: Act::Ask(Ask::NotPaid),
        explanation: "the service could not say whether this order is paid; nothing was sent",
        ..LINE
    },
    Line {
        number: "j13",
        conditions: &[Is(&[Step::Charge])],
        act: Act::Ask(Ask::NoneInProgress),
        explanation: "the service has an attempt to pay this order in progress; nothing was sent",
        ..LINE
    },
    Line { number: "j14", conditions: &[Otherwise], act: Act::Send, ..LINE },
];
