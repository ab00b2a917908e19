//! What became of each claim, from all its ends.

use super::row::{By, Claim, End, Kind, Row};
use paysvc_spec::journal::Step;
use paysvc_spec::status::Outcome;

/// A claim and its ends.
#[derive(Clone, Debug)]
pub struct ClaimRecord<'a> {
    pub row: &'a Row,
    pub claim: &'a Claim,
    /// In the order in which they were written.
    pub ends: Vec<(&'a Row, &'a End)>,
}

/// What is known about a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClaimState {
    /// No end has been written.
    NoEnd,
    Unknown,
    /// It may still change.
    ConfirmedForNow,
    Confirmed,
    Rejected,
    /// By 401 or 429: the request itself was not refused.
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
            match &row.kind {
                Kind::Claim(claim) => found.push(ClaimRecord { row, claim, ends: Vec::new() }),
                Kind::End(_) => {}
            }
        }
        for row in rows {
            if let Kind::End(end) = &row.kind
                && let Some(claimed) = found.iter_mut().find(|claimed| claimed.row.id == end.of)
            {
                claimed.ends.push((row, end));
            }
        }
        found
    }

    /// The end that decides what became of it; `None` if there is none.
    ///
    /// A final confirmation outweighs all others; then the proof that it was not executed; then the last of the ends
    /// that prove nothing. An unknown end outweighs nothing.
    pub fn deciding_end(&self) -> Option<(&'a Row, &'a End)> {
        let by_person = |end: &End| matches!(end.by, By::Person { .. });
        let mut ends = self.ends.iter().copied();
        ends.clone()
            .find(|(_, end)| end.outcome == Outcome::Confirmed && end.is_final && !by_person(end))
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
            Outcome::Rejected if matches!(end.http_status, 401 | 429) => ClaimState::NotAccepted,
            Outcome::Rejected => ClaimState::Rejected,
            Outcome::NotSent => ClaimState::NotSent,
            Outcome::Unknown => ClaimState::Unknown,
        }
    }

    /// The service's name for the attempt to pay, in its answer to the claim's sender.
    pub fn named_by_service(&self) -> Option<&'a str> {
        self.ends.iter().filter(|(_, end)| end.by == By::Sender).find_map(|(_, end)| end.payment_reference.as_deref())
    }

    /// Nobody knows what became of it, or it may still change. An authorization that is confirmed may be followed by
    /// the next step, so it is not open.
    pub fn is_open(&self) -> bool {
        match self.state() {
            ClaimState::NoEnd | ClaimState::Unknown => true,
            ClaimState::ConfirmedForNow => self.claim.step == Step::Charge,
            _ => false,
        }
    }

    /// Its sender may still be sending it, or waiting for the answer.
    pub fn may_be_under_way(&self, now_ms: u64) -> bool {
        now_ms < self.claim.until_ms && !self.ends.iter().any(|(_, end)| end.by == By::Sender)
    }
}

/// The service answered 429 to an earlier request with the key, or to an earlier charge if this is one: `claims` are
/// those of the key and of its order.
pub fn is_after_429(claims: &[ClaimRecord<'_>], key: &str, step: Step) -> bool {
    let counts = |claimed: &&ClaimRecord<'_>| {
        claimed.row.key == key || step == Step::Charge && claimed.claim.step == Step::Charge
    };
    let was_limited = |(_, end): &(&Row, &End)| end.outcome == Outcome::Rejected && end.http_status == 429;
    claims.iter().filter(counts).any(|claimed| claimed.ends.iter().any(was_limited))
}

/// Whether a key is open after these rows, which are all of the key.
pub fn is_open(rows: &[Row]) -> bool {
    ClaimRecord::all(rows).iter().any(ClaimRecord::is_open)
}
