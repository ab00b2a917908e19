//! The state of each claim, from all its ends.

use super::clock::Moment;
use super::key::Name;
use super::row::{By, Claim, End, Kind, Row};
use crate::json::decimal::Decimal;
use paysvc_spec::journal::Step;
use paysvc_spec::status::{Outcome, State};

#[derive(Clone, Debug)]
pub struct ClaimRecord<'a> {
    pub row: &'a Row,
    pub claim: &'a Claim,
    /// In the order in which they were written.
    pub ends: Vec<(&'a Row, &'a End)>,
    /// When others found it, each on a clock of its own.
    pub seen: Vec<&'a Moment>,
}

/// The known state of a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClaimState {
    /// No end has been written.
    NoEnd,
    Unknown,
    /// It may still change.
    ConfirmedForNow,
    Confirmed,
    Rejected,
    /// By 401, 403 or 429: the request itself was not refused.
    NotAccepted,
    NotSent,
    SettledAsDone,
    SettledAsNotDone,
}

impl<'a> ClaimRecord<'a> {
    /// The claims among these rows, by key and number.
    pub fn all(rows: &'a [Row]) -> Vec<ClaimRecord<'a>> {
        let mut found: Vec<ClaimRecord<'a>> = Vec::new();
        for row in rows {
            if let Kind::Claim(claim) = &row.kind {
                found.push(ClaimRecord { row, claim, ends: Vec::new(), seen: Vec::new() });
            }
        }
        for row in rows {
            let (Kind::End(End { of, .. }) | Kind::Seen { of, .. }) = &row.kind else { continue };
            let Some(claimed) = found.iter_mut().find(|claimed| claimed.row.id == *of) else { continue };
            match &row.kind {
                Kind::End(end) => claimed.ends.push((row, end)),
                Kind::Seen { at, .. } => claimed.seen.push(at),
                _ => {}
            }
        }
        found
    }

    /// Returns the end that decides its outcome; `None` if there is none.
    ///
    /// A final confirmation outweighs all others; then the proof that it was not executed; then the last of the ends
    /// that prove nothing. An unknown end outweighs nothing. A request that was only accepted may fail later, so a person's
    /// REJECTED outweighs the confirmations before it whose state is not SUCCESSFUL: the person knew these.
    pub fn deciding_end(&self) -> Option<(&'a Row, &'a End)> {
        let by_person = |end: &End| matches!(end.by, By::Person { .. });
        let failed_later = self
            .ends
            .iter()
            .rposition(|(_, end)| self.is_final_once_accepted() && by_person(end) && end.outcome == Outcome::Rejected);
        let is_outweighed = |index: usize, end: &End| {
            failed_later.is_some_and(|failed| index < failed) && end.state != State::SUCCESSFUL
        };
        let is_final = |end: &End| end.outcome == Outcome::Confirmed && end.is_final && !by_person(end);
        let mut ends = self.ends.iter().copied();
        ends.clone()
            .enumerate()
            .find_map(|(index, (row, end))| (is_final(end) && !is_outweighed(index, end)).then_some((row, end)))
            .or_else(|| {
                ends.clone()
                    .find(|(_, end)| matches!(end.outcome, Outcome::NotSent | Outcome::Rejected) && !by_person(end))
            })
            .or_else(|| ends.clone().rfind(|(_, end)| end.outcome == Outcome::Confirmed || by_person(end)))
            .or_else(|| ends.next_back())
    }

    pub fn state(&self) -> ClaimState {
        let Some((_, end)) = self.deciding_end() else { return ClaimState::NoEnd };
        let by_person = matches!(end.by, By::Person { .. });
        match end.outcome {
            Outcome::Confirmed if by_person => ClaimState::SettledAsDone,
            Outcome::Rejected if by_person => ClaimState::SettledAsNotDone,
            Outcome::Confirmed if end.is_final => ClaimState::Confirmed,
            Outcome::Confirmed => ClaimState::ConfirmedForNow,
            Outcome::Rejected if matches!(end.http_status, 401 | 403 | 429) => ClaimState::NotAccepted,
            Outcome::Rejected => ClaimState::Rejected,
            Outcome::NotSent => ClaimState::NotSent,
            Outcome::Unknown => ClaimState::Unknown,
        }
    }

    /// It charged another amount than this, with or without its fee: by the service's response, else by the request.
    pub fn differs_in_amount(&self, wanted: &str) -> bool {
        let end = self.deciding_end().map(|(_, end)| end).filter(|end| end.amount.is_some());
        let Some(charged) = end.map_or(&self.claim.amount, |end| &end.amount) else { return false };
        let decimal = |text: &str| Decimal::parse(text.trim());
        let fee = end.and_then(|end| decimal(end.fee.as_ref()?));
        // A text that is no decimal equals nothing.
        !decimal(wanted).zip(decimal(charged)).is_some_and(|(price, total)| price.is_charged_as(&total, fee.as_ref()))
    }

    pub fn differs_in_currency(&self, wanted: &str) -> bool {
        let end = self.deciding_end().and_then(|(_, end)| end.currency.as_ref());
        end.or(self.claim.currency.as_ref()).is_some_and(|charged| !charged.eq_ignore_ascii_case(wanted))
    }

    /// The last settlement.
    pub fn settled_by(&self) -> Option<(&'a Row, &'a End)> {
        self.ends.iter().copied().rfind(|(_, end)| matches!(end.by, By::Person { .. }))
    }

    /// A refund, a capture or a payout: it may fail after it was accepted.
    fn is_final_once_accepted(&self) -> bool {
        !matches!(self.claim.step, Step::Charge | Step::Authorization | Step::Order)
    }

    /// The service accepted it without saying that it was done, and it may have failed since.
    pub fn may_have_failed_later(&self) -> bool {
        let is_accepted = |(_, end): (&Row, &End)| end.state != State::SUCCESSFUL;
        self.is_final_once_accepted()
            && matches!(self.state(), ClaimState::Confirmed | ClaimState::ConfirmedForNow)
            && self.deciding_end().is_some_and(is_accepted)
    }

    /// The service's name for the attempt to pay, in its response to the claim's sender.
    pub fn named_by_service(&self) -> Option<&'a str> {
        self.ends.iter().filter(|(_, end)| end.by == By::Sender).find_map(|(_, end)| end.payment_reference.as_deref())
    }

    /// Returns whether its outcome is unknown or may still change. An authorization that is confirmed may be followed by
    /// the next step, so it is not open.
    pub fn is_open(&self) -> bool {
        match self.state() {
            ClaimState::NoEnd | ClaimState::Unknown => true,
            ClaimState::ConfirmedForNow => self.claim.step == Step::Charge,
            _ => false,
        }
    }

    /// Its sender may still be sending it, or waiting for the response. An end UNKNOWN of the sender ends no lease: what it
    /// sent may still be on the way.
    pub fn may_be_under_way(&self, now: &Moment) -> bool {
        let has_ended = |(_, end): &(&Row, &End)| end.by == By::Sender && end.outcome != Outcome::Unknown;
        let is_over = |from: &Moment| from.passed_ms(now).is_some_and(|passed| passed > self.claim.lease.for_ms);
        !self.ends.iter().any(has_ended) && !is_over(&self.claim.lease.from) && !self.seen.iter().any(|at| is_over(at))
    }

    /// Its sender's end may still come; or it has written one that proves nothing, and the service's response is proof only
    /// once the lease is over.
    pub fn is_waited_for(&self, now: &Moment) -> bool {
        let has_ended = self.ends.iter().any(|(_, end)| end.by == By::Sender);
        self.may_be_under_way(now) && (!has_ended || self.can_be_looked_up())
    }

    /// Returns whether a status query can resolve it. The service shows no partial refund.
    pub fn can_be_looked_up(&self) -> bool {
        let is_partial_refund = self.claim.step == Step::Refund && self.claim.amount.is_some();
        !self.claim.request.is_empty() && !is_partial_refund
    }

    /// Nothing that was written about it can be compared with this clock, on which its lease is to be measured.
    pub fn is_new_to(&self, now: &Moment) -> bool {
        self.is_open()
            && self.may_be_under_way(now)
            && self.claim.lease.from.passed_ms(now).is_none()
            && self.seen.iter().all(|at| at.passed_ms(now).is_none())
    }
}

/// The service answered 429 to an earlier request with the key, or to an earlier charge if this is one: `claims` are
/// those of the key and of its order.
pub fn is_after_429(claims: &[ClaimRecord<'_>], key: &Name, step: Step) -> bool {
    let counts = |claimed: &&ClaimRecord<'_>| {
        claimed.row.key == *key || step == Step::Charge && claimed.claim.step == Step::Charge
    };
    let was_limited = |(_, end): &(&Row, &End)| end.outcome == Outcome::Rejected && end.http_status == 429;
    claims.iter().filter(counts).any(|claimed| claimed.ends.iter().any(was_limited))
}
