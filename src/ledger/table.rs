//! What a call does with what it finds in the journal: evaluates the table of [`paysvc_spec::journal`].

use super::claims::{ClaimState, Claimed};
use super::digest;
use super::row::Row;
use paysvc_spec::journal::{Condition, LINES, Line, Step};

/// The request that is about to be sent.
pub struct Wanted<'a> {
    pub key: &'a str,
    pub step: Step,
    /// The caller gave the key.
    pub explicit: bool,
    /// Paths and values of the members that say who pays what to whom.
    pub members: &'a [(String, String)],
    /// This client made the order's reference since it opened the journal.
    pub fresh: bool,
}

/// The rows of the key, and those of the order: each row once, by key and number.
pub struct Found<'a> {
    claims: Vec<Claimed<'a>>,
}

/// What the call does.
pub struct Decision<'a> {
    pub line: &'static Line,
    /// What is replayed.
    pub end: Option<Claimed<'a>>,
    /// What is open and looked up.
    pub open: Vec<Claimed<'a>>,
    /// The paths of members that differ from those of the key.
    pub differing: Vec<String>,
}

impl<'a> Found<'a> {
    pub fn of(rows: &'a [Row]) -> Found<'a> {
        Found { claims: Claimed::all(rows) }
    }

    pub fn claims(&self) -> &[Claimed<'a>] {
        &self.claims
    }

    pub fn decide(&self, wanted: &Wanted<'_>, now_ms: u64) -> Decision<'a> {
        let view = View { wanted, now_ms, claims: &self.claims };
        let all = |line: &&Line| line.conditions.iter().all(|condition| view.holds(*condition));
        let line = LINES.iter().find(all).expect("the last line always holds");
        let confirmed = || view.together().find(|claimed| is_confirmed(claimed));
        let ended = || view.own().rfind(|claimed| has_ended(claimed));
        let end = if wanted.explicit { ended().or_else(confirmed) } else { confirmed() };
        Decision { line, end: end.cloned(), open: view.open().cloned().collect(), differing: view.differing() }
    }
}

struct View<'v, 'a> {
    wanted: &'v Wanted<'v>,
    now_ms: u64,
    claims: &'v [Claimed<'a>],
}

fn is_payment(claimed: &Claimed<'_>) -> bool {
    matches!(claimed.claim.step, Step::Charge | Step::Authorization)
}

fn is_confirmed(claimed: &Claimed<'_>) -> bool {
    match claimed.state() {
        ClaimState::Confirmed | ClaimState::SettledAsDone => true,
        // It has no states.
        ClaimState::ConfirmedForNow => claimed.claim.step == Step::Other,
        _ => false,
    }
}

fn has_ended(claimed: &Claimed<'_>) -> bool {
    match claimed.state() {
        ClaimState::Rejected | ClaimState::SettledAsNotDone => true,
        // It is not open, because a next step, with a different key, may follow.
        ClaimState::ConfirmedForNow => claimed.claim.step == Step::Authorization,
        _ => false,
    }
}

impl<'v, 'a> View<'v, 'a> {
    /// Those of the key.
    fn own(&self) -> impl DoubleEndedIterator<Item = &'v Claimed<'a>> {
        self.claims.iter().filter(|claimed| claimed.row.key == self.wanted.key)
    }

    fn of_order(&self, step: Step) -> impl Iterator<Item = &'v Claimed<'a>> {
        self.claims.iter().filter(move |claimed| claimed.claim.step == step)
    }

    /// The order's charges and authorizations.
    fn payments(&self) -> impl Iterator<Item = &'v Claimed<'a>> {
        self.claims.iter().filter(|claimed| is_payment(claimed))
    }

    /// The claims that decide together with the request: for a charge and an authorization, all of the order's.
    fn together(&self) -> impl Iterator<Item = &'v Claimed<'a>> {
        self.claims.iter().filter(|claimed| match self.wanted.step {
            Step::Charge | Step::Authorization => is_payment(claimed),
            Step::Order | Step::Other => claimed.row.key == self.wanted.key,
        })
    }

    /// What must be known before the request is sent. An authorization completes a charge that is open.
    fn open(&self) -> impl Iterator<Item = &'v Claimed<'a>> {
        let completes = self.wanted.step == Step::Authorization;
        self.together().filter(move |claimed| claimed.is_open() && !(completes && claimed.claim.step == Step::Charge))
    }

    fn differing(&self) -> Vec<String> {
        // The caller's own key always names the same request. A recipient that was not paid may be corrected.
        let is_compared = |claimed: &&Claimed<'_>| {
            let may_be_done = claimed.is_open() || is_confirmed(claimed);
            self.wanted.explicit || self.wanted.step == Step::Other && may_be_done
        };
        let Some(first) = self.own().find(is_compared) else { return Vec::new() };
        digest::differing(&first.row.id, &first.claim.digests, self.wanted.members)
    }

    fn holds(&self, condition: Condition) -> bool {
        let mut charges = self.of_order(Step::Charge);
        match condition {
            Condition::Is(steps) => steps.contains(&self.wanted.step),
            Condition::OtherMembers => !self.differing().is_empty(),
            Condition::ExplicitEnded => self.wanted.explicit && self.own().next_back().is_some_and(has_ended),
            Condition::Confirmed => self.together().any(is_confirmed),
            Condition::Running => self.open().any(|claimed| claimed.may_be_under_way(self.now_ms)),
            Condition::Open => self.open().next().is_some(),
            Condition::OpenCharge => charges.any(Claimed::is_open),
            Condition::PaymentOpenOrConfirmed => {
                self.payments().any(|payment| payment.is_open() || is_confirmed(payment))
            }
            Condition::NothingSent => charges.all(|charge| charge.state() == ClaimState::NotSent),
            Condition::Fresh => self.wanted.fresh,
            Condition::Settled => charges.any(|charge| charge.state() == ClaimState::SettledAsNotDone),
            Condition::Otherwise => true,
        }
    }
}

// The model is a Python program, which Wine does not have.
#[cfg(all(test, unix))]
mod model_tests;
#[cfg(test)]
mod tests;
