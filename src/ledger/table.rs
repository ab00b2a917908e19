//! Decides what a call does with the rows it finds in the journal, by the table of [`paysvc_spec::journal`].

use super::claims::{ClaimRecord, ClaimState};
use super::clock::Moment;
use super::digest;
use super::key::{Accounts, Name};
use super::row::{Kind, Row, Tombstone};
use crate::request::record;
use paysvc_spec::journal::{Entries, LINES, Line, Step};
use paysvc_spec::status::{self, Outcome};

/// The request that is about to be sent.
pub struct Candidate<'a> {
    pub key: &'a Name,
    /// The order that it is about.
    pub order: Option<&'a Name>,
    pub step: Step,
    /// The caller gave the key.
    pub explicit: bool,
    /// The amount of the price that the request names.
    pub amount: Option<&'a str>,
    pub currency: Option<&'a str>,
    /// Paths and values of the fields that determine who pays what to whom.
    pub members: &'a [(String, String)],
    /// This client made the order's reference just now, and has not claimed it.
    pub fresh: bool,
    /// Whose request it is.
    pub accounts: &'a Accounts,
}

/// The rows of the key, and those of the order: each row once, by key and number.
pub struct Claims<'a> {
    claims: Vec<ClaimRecord<'a>>,
    rows: &'a [Row],
}

/// The decision about what the call does.
pub struct Decision<'a> {
    pub line: &'static Line,
    pub end: Option<ClaimRecord<'a>>,
    /// The open claims, which are looked up.
    pub open: Vec<ClaimRecord<'a>>,
    /// The paths of fields that differ from those of the key.
    pub differing: Vec<String>,
    /// Further details that a person needs.
    pub detail: Option<String>,
}

impl<'a> Claims<'a> {
    pub fn of(rows: &'a [Row]) -> Claims<'a> {
        Claims { claims: ClaimRecord::all(rows), rows }
    }

    pub fn claims(&self) -> &[ClaimRecord<'a>] {
        &self.claims
    }

    fn tombstones(&self) -> impl Iterator<Item = (&'a Row, &'a Tombstone)> {
        self.rows.iter().filter_map(|row| match &row.kind {
            Kind::Tombstone(ended) => Some((row, ended)),
            _ => None,
        })
    }

    /// Something of it ended so long ago that its details are gone.
    pub fn has_tombstone(&self) -> bool {
        self.tombstones().next().is_some()
    }

    pub fn decide(&self, wanted: &Candidate<'_>, now: &Moment) -> Decision<'a> {
        let step = wanted.step;
        let pays = matches!(step, Step::Charge | Step::Authorization);
        let own = || self.claims.iter().filter(|claimed| claimed.row.key == *wanted.key);
        let charges = || self.claims.iter().filter(|claimed| claimed.claim.step == Step::Charge);
        let payments = || self.claims.iter().filter(|claimed| is_payment(claimed));
        let is_own = |claimed: &ClaimRecord<'_>| claimed.row.key == *wanted.key;
        let is_full = |amount: Option<&str>| amount.is_none();
        let others = |of: Step| self.claims.iter().filter(move |claimed| claimed.claim.step == of && !is_own(claimed));
        let refunds = || others(Step::Refund).filter(|_| step == Step::Refund);
        // Another refund may be this one, unless both are of a part and the parts differ.
        let may_be_it = |claimed: &ClaimRecord<'_>| {
            let (one, other) = (wanted.amount, claimed.claim.amount.as_deref());
            one.zip(other).is_none_or(|(one, other)| record::is_same_amount(one, other))
        };
        // The claims that decide together with the request.
        let decides = |claimed: &&ClaimRecord<'_>| match step {
            Step::Charge | Step::Authorization | Step::Order => is_payment(claimed),
            _ if is_own(claimed) => true,
            Step::Refund if claimed.claim.step == step => {
                let both_full = is_full(wanted.amount) && is_full(claimed.claim.amount.as_deref());
                claimed.is_open() && may_be_it(claimed) || both_full
            }
            Step::Capture => claimed.claim.step == step && claimed.is_open(),
            _ => false,
        };
        let together = || self.claims.iter().filter(decides);
        // Claims that must be resolved before the request is sent. An authorization completes a charge that is open.
        let completes = |claimed: &ClaimRecord<'_>| step == Step::Authorization && claimed.claim.step == Step::Charge;
        let open: Vec<_> = together().filter(|claimed| claimed.is_open() && !completes(claimed)).cloned().collect();
        // The caller's own key always names the same request. A recipient that was not paid may be corrected.
        let is_compared = |claimed: &&ClaimRecord<'_>| {
            wanted.explicit || step == Step::Other && (claimed.is_open() || is_confirmed(claimed))
        };
        let mut differing = own()
            .filter(|claimed| claimed.state() != ClaimState::NotSent)
            .find(is_compared)
            .map_or_else(Vec::new, |first| digest::differing(&first.row.id, &first.claim.digests, wanted.members));
        // The request's order or key in another spelling.
        let spelt = self.rows.iter().find_map(|row| {
            let is_other = |found: &Name, own: &Name| found == own && found.given != own.given;
            let order = row.order.as_ref().zip(wanted.order).filter(|(found, own)| is_other(found, own));
            let key = (&row.key, wanted.key);
            order.or(Some(key).filter(|(found, own)| is_other(found, own)))
        });
        let of_other = self.rows.iter().find(|row| !wanted.accounts.has(&row.account));
        // The amount of a refund is gone with its details.
        let closed = self.tombstones().find(|(row, ended)| {
            let decides = match ended.step {
                Step::Charge | Step::Authorization => pays || step == Step::Order,
                Step::Refund => step == Step::Refund,
                _ => false,
            };
            row.is_of_key(&wanted.key.index) || decides && ended.outcome == Outcome::Confirmed
        });
        let members_differ = !differing.is_empty();
        if step == Step::Charge && !members_differ && payments().any(is_confirmed) {
            // One that is open may be what an authorization has completed.
            for payment in payments().filter(|payment| payment.is_open() || is_confirmed(payment)) {
                let amount = wanted.amount.is_some_and(|amount| payment.differs_in_amount(amount));
                let currency = wanted.currency.is_some_and(|currency| payment.differs_in_currency(currency));
                let found = [(amount, "amount"), (currency, "currency")].into_iter().filter(|(differs, _)| *differs);
                differing.extend(found.map(|(_, name)| name.to_owned()));
            }
            differing.dedup();
        }
        let refunded =
            |full: bool| refunds().find(move |it| is_confirmed(it) && is_full(it.claim.amount.as_deref()) == full);
        let partly = refunded(false).filter(|_| is_full(wanted.amount));
        let entries = Entries {
            other_account: of_other.is_some(),
            other_spelling: spelt.is_some(),
            ended_long_ago: closed.is_some(),
            step,
            members_differ,
            price_differs: !members_differ && !differing.is_empty(),
            partly_refunded: partly.is_some(),
            fully_refunded: !is_full(wanted.amount) && refunded(true).is_some(),
            explicit_ended: wanted.explicit && own().next_back().is_some_and(has_ended),
            confirmed: together().any(is_confirmed),
            under_way: open.iter().any(|claimed| claimed.is_waited_for(now)),
            open: !open.is_empty(),
            open_charge: charges().any(ClaimRecord::is_open),
            open_or_paid: payments().any(|payment| payment.is_open() || is_confirmed(payment)),
            nothing_sent: charges().all(|charge| charge.state() == ClaimState::NotSent),
            fresh: wanted.fresh,
            settled: charges().any(|charge| charge.state() == ClaimState::SettledAsNotDone),
        };
        let line = LINES.iter().find(|line| (line.holds)(&entries)).expect("the last line always holds");
        let ended = own().rfind(|claimed| wanted.explicit && has_ended(claimed));
        let confirmed = |claimed: &&ClaimRecord<'_>| is_confirmed(claimed);
        let end = ended.or_else(|| own().find(confirmed)).or_else(|| together().find(confirmed)).cloned();
        let detail = if entries.other_account {
            of_other.map(|row| format!("it belongs to the account {}", row.account))
        } else if entries.other_spelling {
            spelt.map(|(found, own)| format!("{} and {} differ only in case", found.given, own.given))
        } else if let Some(partly) = partly {
            partly.claim.amount.as_ref().map(|amount| format!("{amount} is refunded already"))
        } else {
            closed.map(|(_, ended)| format!("its outcome was {}", status::name_of_outcome(ended.outcome)))
        };
        Decision { line, end, open, differing, detail }
    }
}

fn is_payment(claimed: &ClaimRecord<'_>) -> bool {
    matches!(claimed.claim.step, Step::Charge | Step::Authorization)
}

fn is_confirmed(claimed: &ClaimRecord<'_>) -> bool {
    match claimed.state() {
        ClaimState::Confirmed | ClaimState::SettledAsDone => true,
        // It has no states.
        ClaimState::ConfirmedForNow => claimed.claim.step.needs_key(),
        _ => false,
    }
}

fn has_ended(claimed: &ClaimRecord<'_>) -> bool {
    match claimed.state() {
        ClaimState::Rejected | ClaimState::SettledAsNotDone => true,
        // It is not open, because a next step, with a different key, may follow.
        ClaimState::ConfirmedForNow => claimed.claim.step == Step::Authorization,
        _ => false,
    }
}

// The model is a Python program, which Wine does not have.
#[cfg(all(test, unix))]
mod model_tests;
#[cfg(test)]
mod tests;
