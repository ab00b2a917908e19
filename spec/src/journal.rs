//! The journal: which requests it records, under which key, and what a call does with what it finds there.
//!
//! The first of [`LINES`] that holds decides; `docs/journal.md` shows them.

use crate::schema::{Endpoint, Reference, Safety, Settles};
use crate::status::{Outcome, Status};

named! {
    /// The role of a request in the journal.
    pub enum Step(name) {
        /// May charge an order. Its key is the order's, unless the caller gives one.
        Charge = "charge",
        /// Completes a charge. Its key is that of the attempt to pay, unless the caller gives one.
        Authorization = "authorization",
        /// Makes an order and charges nothing. It is recorded, and never held back because of its own records.
        Order = "order",
        /// Gives back what an order paid, in full or in part. Only the caller can give it a key: two equal partial
        /// refunds are two refunds.
        Refund = "refund",
        /// Charges what was only authorized before. Only the caller can give it a key.
        Capture = "capture",
        /// Moves money in another way. Only the caller can give it a key.
        Other = "other",
    }
}

impl Step {
    /// The step of a row of the table; `None` if it is not journaled. `charges`: the request has a field that makes it
    /// a charge.
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
            (_, Some(Settles::Refund)) => Some(Step::Refund),
            (Safety::Repeatable, _) => None,
            (Safety::Moves, None) if names_order(row) && row.answer.is_of_payment => Some(Step::Capture),
            (Safety::Moves, _) => Some(Step::Other),
        }
    }

    /// Nothing else names the request.
    pub const fn needs_key(self) -> bool {
        matches!(self, Step::Refund | Step::Capture | Step::Other)
    }

    /// Returns whether requests of the order's other steps matter to it.
    pub const fn is_of_order(self) -> bool {
        !matches!(self, Step::Other)
    }
}

const fn names_order(row: &Endpoint) -> bool {
    let mut index = 0;
    while index < row.fields.len() {
        if matches!(row.fields[index].reference, Some(Reference::Order)) {
            return true;
        }
        index += 1;
    }
    false
}

/// The action of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// Answers with the recorded end; nothing is sent.
    Replay,
    /// Reads the journal again until the sender has written its end, or the time of its call is over.
    Wait,
    /// Looks up what is open, writes what that proves, and reads the journal again.
    LookUp,
    /// Asks the service for the order, and sends unless the response forbids it.
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

/// The entries that the history of the order must not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ask {
    /// Any attempt to pay: this journal has none.
    NoEntry,
    /// A payment, or an attempt in progress.
    NoneInProgress,
    /// A payment.
    NotPaid,
}

/// The journal's entries about a request.
#[derive(Clone, Copy, Debug)]
pub struct Entries {
    pub step: Step,
    /// A row of the key or of the order belongs to another account.
    pub other_account: bool,
    /// A row has the key or the order in another spelling.
    pub other_spelling: bool,
    /// The key was closed so long ago that its details are gone; or a payment of the order was, or for a refund another
    /// one of it, and was CONFIRMED.
    pub ended_long_ago: bool,
    /// The caller gave the key, and it belongs to a request with other fields; or it is a recipient's reference, and
    /// one that is open or confirmed has other fields.
    pub members_differ: bool,
    /// The caller gave the key, other than a recipient's reference, and the request that it names was refused or
    /// settled as not done, or is an authorization that was confirmed: it is never sent again. A next step has another
    /// key.
    pub explicit_ended: bool,
    /// The request, or another charge or authorization of its order, is confirmed for good, or settled as done; so is a
    /// full refund of the order, of another one.
    pub confirmed: bool,
    /// A charge of the order that is confirmed has another price.
    pub price_differs: bool,
    /// The request is a full refund, and a partial one of the order is confirmed.
    pub partly_refunded: bool,
    /// The request is a partial refund, and a full one of the order is confirmed.
    pub fully_refunded: bool,
    /// One of them, another capture of the order, or a refund of it that is full, beside a full one or of the same
    /// amount, is open, its call may still be under way, and it has written no end or can be looked up.
    pub under_way: bool,
    /// One of them is open.
    pub open: bool,
    /// A charge of the order is open, which an authorization completes.
    pub open_charge: bool,
    /// A charge or an authorization of the order is open or confirmed for good.
    pub open_or_paid: bool,
    /// Every charge of the order was NOT_SENT, or there is none.
    pub nothing_sent: bool,
    /// This client made the reference less than ten minutes ago, and has not claimed it yet.
    pub fresh: bool,
    /// A person settled a charge of the order as not done.
    pub settled: bool,
}

/// A line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// For the log.
    pub number: &'static str,
    /// For the documentation: when the line holds.
    pub words: &'static str,
    pub holds: fn(&Entries) -> bool,
    pub act: Act,
    /// If nothing is sent, or what is done settles nothing.
    pub status: Status,
    pub outcome: Outcome,
    pub explanation: &'static str,
}

const LINE: Line = Line {
    number: "",
    words: "",
    holds: |_| false,
    act: Act::Refuse,
    status: Status::Unresolved,
    outcome: Outcome::Unknown,
    explanation: "",
};

#[rustfmt::skip]
pub const LINES: &[Line] = &[
    Line { number: "j01", words: "the key or the order has a row of another account", holds: |e| e.other_account,
        status: Status::Config,
        explanation: "the request belongs to another account; nothing was sent: use a journal for each account, or name \
            the account's earlier public key in former_public_keys", ..LINE },
    Line { number: "j02", words: "the key or the order was recorded in another spelling",
        holds: |e| e.other_spelling, status: Status::KeyReused,
        explanation: "nothing was sent: spell it as before, or use another one; it is not known whether the service \
            tells them apart", ..LINE },
    Line { number: "j03",
        words: "the key, or a CONFIRMED payment (for a refund: refund) of the order, ended so long ago that its details \
            are gone",
        holds: |e| e.ended_long_ago, status: Status::KeyReused,
        explanation: "it ended long ago; nothing was sent", ..LINE },
    Line { number: "j1",
        words: "the caller's key names a request with different fields; or a recipient's does, and it is open or \
            CONFIRMED",
        holds: |e| e.members_differ, status: Status::KeyReused,
        explanation: "the key belongs to a request with different fields; nothing was sent", ..LINE },
    Line { number: "j2",
        words: "the caller's key names a request that is REJECTED or settled as not done, or an authorization that is \
            CONFIRMED",
        holds: |e| e.explicit_ended, act: Act::Replay,
        explanation: "the response to an earlier attempt with this key; nothing was sent, so a different card or code \
            was not tried", ..LINE },
    Line { number: "j3",
        words: "the step is order, a charge or an authorization of the order is open, or CONFIRMED for good",
        holds: |e| e.step == Step::Order && e.open_or_paid,
        explanation: "a charge or an authorization of this order is open or has been paid; nothing was sent", ..LINE },
    Line { number: "j4", words: "the step is order", holds: |e| e.step == Step::Order, act: Act::Send, ..LINE },
    Line { number: "j04", words: "the order is paid with another amount or currency than the request names",
        holds: |e| e.confirmed && e.price_differs, status: Status::KeyReused,
        explanation: "the order is paid, with another amount or currency; nothing was sent", ..LINE },
    Line { number: "j5",
        words: "it, a charge or an authorization of its order, or the full refund that it is, too, is CONFIRMED for good, \
            or settled as done",
        holds: |e| e.confirmed, act: Act::Replay,
        explanation: "already done by an earlier request; nothing was sent", ..LINE },
    Line { number: "j6", words: "one of them, another capture, or a refund of \
            the order that may be the same is open, and its call may still be under way",
        holds: |e| e.under_way, act: Act::Wait,
        explanation: "another call with this key or for this order is under way; nothing was sent", ..LINE },
    Line { number: "j7", words: "one of them is open", holds: |e| e.open, act: Act::LookUp,
        explanation: "an earlier request with this key or for this order is open; nothing was sent", ..LINE },
    Line { number: "j05", words: "the request is a full refund, a partial refund of the order is CONFIRMED",
        holds: |e| e.partly_refunded, status: Status::Argument, outcome: Outcome::NotSent,
        explanation: "a part of the order is refunded already; nothing was sent: name the amount that is left", ..LINE },
    Line { number: "j06", words: "the request is a partial refund, a full refund of the order is CONFIRMED",
        holds: |e| e.fully_refunded, status: Status::KeyReused,
        explanation: "the order is refunded in full; nothing was sent", ..LINE },
    Line { number: "j8", words: "the step is authorization, a charge of the order is open",
        holds: |e| e.step == Step::Authorization && e.open_charge, act: Act::Send, ..LINE },
    Line { number: "j9", words: "the step is authorization", holds: |e| e.step == Step::Authorization,
        explanation: "the journal has no open charge with this orderPaymentReference; nothing was sent", ..LINE },
    Line { number: "j10",
        words: "the step is charge, no charge of the order is recorded, or each was NOT_SENT, this client made the \
            reference less than ten minutes ago and has not claimed it yet",
        holds: |e| e.step == Step::Charge && e.nothing_sent && e.fresh, act: Act::Send, ..LINE },
    Line { number: "j11", words: "the step is charge, no charge of the order is recorded, or each was NOT_SENT",
        holds: |e| e.step == Step::Charge && e.nothing_sent, act: Act::Ask(Ask::NoEntry),
        explanation: "the service has an attempt to pay this order that the journal does not know; nothing was sent",
        ..LINE },
    Line { number: "j12", words: "the step is charge, a person settled a charge of the order as not done",
        holds: |e| e.step == Step::Charge && e.settled, act: Act::Ask(Ask::NotPaid),
        explanation: "the service could not say whether this order is paid; nothing was sent", ..LINE },
    Line { number: "j13", words: "the step is charge", holds: |e| e.step == Step::Charge,
        act: Act::Ask(Ask::NoneInProgress),
        explanation: "the service has an attempt to pay this order in progress; nothing was sent", ..LINE },
    Line { number: "j14", words: "otherwise", holds: |_| true, act: Act::Send, ..LINE },
];

/// The recorded end of a request that is replayed, and the result of a status query about it now.
#[derive(Clone, Copy, Debug)]
pub struct ReplayFacts {
    /// The outcome as which a person settled it.
    pub settled: Option<Outcome>,
    /// The service confirmed it for good.
    pub is_final: bool,
    /// The outcome that the status query proves.
    pub looked_up: Outcome,
    /// The service answered the status query.
    pub answered: bool,
}

/// The reply that a replay returns.
#[derive(Clone, Copy, Debug)]
pub enum ReplayAnswer {
    /// The recorded end. The text is logged about the claim, as an error.
    Recorded(Option<&'static str>),
    /// The reply of the status query.
    LookUp,
    /// E_UNRESOLVED, UNKNOWN, with that text and the claim.
    Contradiction(&'static str),
}

impl ReplayAnswer {
    pub const fn words(self) -> &'static str {
        match self {
            ReplayAnswer::Recorded(None) => "the recorded end",
            ReplayAnswer::Recorded(Some(_)) => "the recorded end; an error in the log",
            ReplayAnswer::LookUp => "that of the status query",
            ReplayAnswer::Contradiction(_) => "E_UNRESOLVED UNKNOWN",
        }
    }
}

/// A line of the table of replays.
#[derive(Clone, Copy, Debug)]
pub struct ReplayLine {
    /// For the log.
    pub number: &'static str,
    /// For the documentation: when the line holds.
    pub words: &'static str,
    pub holds: fn(&ReplayFacts) -> bool,
    pub answer: ReplayAnswer,
}

/// The first line that holds decides. REJECTED by a status query is what has failed for good.
#[rustfmt::skip]
pub const REPLAYS: &[ReplayLine] = &[
    ReplayLine { number: "r1", words: "settled as not done, the status query: CONFIRMED",
        holds: |f| f.settled == Some(Outcome::Rejected) && f.looked_up == Outcome::Confirmed,
        answer: ReplayAnswer::Recorded(Some("was settled as not done, but a status query says that it was done")) },
    ReplayLine { number: "r2", words: "settled as not done",
        holds: |f| f.settled == Some(Outcome::Rejected), answer: ReplayAnswer::Recorded(None) },
    ReplayLine { number: "r3", words: "the status query: CONFIRMED",
        holds: |f| f.looked_up == Outcome::Confirmed, answer: ReplayAnswer::LookUp },
    ReplayLine { number: "r4", words: "CONFIRMED for good by the service, the status query: failed for good",
        holds: |f| f.settled.is_none() && f.is_final && f.looked_up == Outcome::Rejected,
        answer: ReplayAnswer::Contradiction(
            "the service confirmed it, and says now that it has failed for good; nothing was sent") },
    ReplayLine { number: "r5", words: "settled as done, the service answered the status query",
        holds: |f| f.settled == Some(Outcome::Confirmed) && f.answered,
        answer: ReplayAnswer::Recorded(Some("was settled as done, but a status query does not confirm it")) },
    ReplayLine { number: "r6", words: "otherwise", holds: |_| true, answer: ReplayAnswer::Recorded(None) },
];

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Confirmed, NotSent, Rejected, Unknown};

    #[test]
    fn a_replay_is_the_recorded_end_unless_the_service_confirms_or_refutes_it() {
        let of_service = ReplayFacts { settled: None, is_final: true, looked_up: Unknown, answered: true };
        let done = ReplayFacts { settled: Some(Confirmed), is_final: false, ..of_service };
        let not_done = ReplayFacts { settled: Some(Rejected), ..done };
        let mut met = Vec::new();
        for (facts, looked_up, number) in [
            (not_done, Confirmed, "r1"),
            (not_done, Rejected, "r2"),
            (not_done, Unknown, "r2"),
            (of_service, Confirmed, "r3"),
            (done, Confirmed, "r3"),
            (of_service, Rejected, "r4"),
            (done, Rejected, "r5"),
            (done, Unknown, "r5"),
            (ReplayFacts { answered: false, ..done }, Unknown, "r6"),
            (of_service, Unknown, "r6"),
            (of_service, NotSent, "r6"),
            (ReplayFacts { is_final: false, ..of_service }, Rejected, "r6"),
        ] {
            let facts = ReplayFacts { looked_up, ..facts };
            let line = REPLAYS.iter().find(|line| (line.holds)(&facts)).unwrap();
            assert_eq!(line.number, number, "{facts:?}");
            met.push(number);
        }
        assert!(REPLAYS.iter().all(|line| met.contains(&line.number)), "{met:?}");
    }
}
