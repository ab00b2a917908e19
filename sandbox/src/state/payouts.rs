//! Payouts: a batch is accepted as a whole; each of its payouts is paid or fails later. And what else is due.

use super::ledger::{Effect, Entry};
use super::model::{Batch, Due, NewPayout, Payout, PayoutState, RefundState};
use super::{Event, RuleError, State, magic};
use crate::util::clock::Moment;
use crate::util::money::Money;

/// The initial balance of every currency.
const OPENING_BALANCE: Money = Money::whole(1_000_000);

impl NewPayout {
    /// The client's reference; without one, bank, account and amount.
    pub fn key(&self) -> String {
        let facts = || format!("{}/{}/{}", self.bank_code, self.account_number, self.amount);
        self.client_reference.clone().unwrap_or_else(facts)
    }

    /// The state in which the payout ends by itself; `None`: it stays pending.
    fn end(&self) -> Option<PayoutState> {
        match magic::account(&self.account_number) {
            magic::Account::StaysPending => None,
            magic::Account::NoFunds => Some(PayoutState::Failed),
            magic::Account::Ordinary | magic::Account::Unknown => Some(PayoutState::Successful),
        }
    }
}

impl State {
    /// Accepts the whole batch or nothing. The ledger counts a payout when it is accepted.
    pub fn pay_out(&mut self, new: Vec<NewPayout>, reference: Option<String>) -> Result<&Batch, RuleError> {
        if reference.as_ref().is_some_and(|reference| self.batches.contains_key(reference)) {
            return Err(RuleError::BatchExists);
        }
        let unknown = |payout: &NewPayout| magic::account(&payout.account_number) == magic::Account::Unknown;
        if let Some(index) = new.iter().position(unknown) {
            return Err(RuleError::PayoutAccountNotFound { index });
        }
        if let Some(index) = self.first_too_dear(&new) {
            return Err(RuleError::BalanceTooLow { index });
        }
        let id = 9000 + self.next("batch id");
        let reference = reference.unwrap_or_else(|| self.new_reference("PGW-BATCH-"));
        let payouts = new.into_iter().map(|details| {
            let reference = self.new_reference("PGW-PAYOUT-");
            let (key, now) = (details.key(), Moment::now());
            self.ledger.commit_money(Effect::PayoutMade, key, &reference, details.amount, None, &details.currency);
            Payout { reference, details, state: PayoutState::Pending, created: now, updated: now }
        });
        let payouts = payouts.collect();
        let batch = Batch { id, reference: reference.clone(), payouts, accepted: Moment::now() };
        self.batches.insert(reference.clone(), batch);
        self.settle_payouts();
        Ok(&self.batches[&reference])
    }

    /// The first payout of a currency whose sum is more than the balance.
    fn first_too_dear(&self, new: &[NewPayout]) -> Option<usize> {
        let mut checked: Vec<&str> = Vec::new();
        new.iter().position(|payout| {
            if checked.contains(&payout.currency.as_str()) {
                return false;
            }
            checked.push(&payout.currency);
            let same = new.iter().filter(|other| other.currency == payout.currency);
            same.fold(Money::ZERO, |sum, other| sum.plus(other.amount)) > self.balance(&payout.currency)
        })
    }

    pub fn batch(&self, reference: &str) -> Result<&Batch, RuleError> {
        self.batches.get(reference).ok_or(RuleError::BatchNotFound)
    }

    /// A status call has shown the batch: its pending payouts end now, unless time decides.
    pub fn settle_shown(&mut self, reference: &str) {
        if self.settings.settle.is_none() {
            self.settle_batch(reference);
        }
    }

    /// Ends the payouts whose time has come.
    pub(super) fn settle_payouts(&mut self) {
        let Some(delay) = self.settings.settle else {
            return;
        };
        let now = Moment::now();
        let is_due = |batch: &&Batch| batch.accepted.after(delay) <= now;
        let has_pending = |batch: &&Batch| {
            batch.payouts.iter().any(|it| it.state == PayoutState::Pending && it.details.end().is_some())
        };
        let due = self.batches.values().filter(has_pending).filter(is_due);
        for reference in due.map(|batch| batch.reference.clone()).collect::<Vec<_>>() {
            self.settle_batch(&reference);
        }
    }

    pub(super) fn settle_batch(&mut self, reference: &str) {
        let payouts = self.batches.get(reference).map(|batch| batch.payouts.as_slice()).unwrap_or_default();
        let ends = payouts.iter().map(|payout| (payout.reference.clone(), payout.details.end())).collect::<Vec<_>>();
        for (payout, end) in ends {
            if let Some(end) = end {
                self.end_payout(reference, &payout, end);
            }
        }
    }

    /// Ends the pending payouts of a batch, or one payout, for admin calls; returns those that it has ended.
    pub fn end_payouts(&mut self, reference: &str, end: PayoutState) -> Result<Vec<&Payout>, RuleError> {
        let is_meant = |batch: &Batch, payout: &Payout| batch.reference == reference || payout.reference == reference;
        let all = self.batches.values().flat_map(|batch| batch.payouts.iter().map(move |payout| (batch, payout)));
        let meant: Vec<_> = all
            .filter(|(batch, payout)| is_meant(batch, payout))
            .map(|(batch, payout)| (batch.reference.clone(), payout.reference.clone()))
            .collect();
        let (batch, _) = meant.first().cloned().ok_or(RuleError::PayoutNotFound)?;
        let ended: Vec<_> = meant.into_iter().filter(|(batch, payout)| self.end_payout(batch, payout, end)).collect();
        if ended.is_empty() {
            return Err(RuleError::PayoutFinal);
        }
        let is_ended = |payout: &&Payout| ended.iter().any(|(_, reference)| *reference == payout.reference);
        Ok(self.batches[&batch].payouts.iter().filter(is_ended).collect())
    }

    /// Ends a pending payout; a failed one gives its amount back to the balance. Returns whether it was pending.
    fn end_payout(&mut self, batch: &str, payout: &str, end: PayoutState) -> bool {
        let payouts = self.batches.get_mut(batch).map(|batch| batch.payouts.as_mut_slice()).unwrap_or_default();
        let pending = |it: &&mut Payout| it.reference == payout && it.state == PayoutState::Pending;
        let Some(found) = payouts.iter_mut().find(pending) else {
            return false;
        };
        (found.state, found.updated) = (end, Moment::now());
        if end == PayoutState::Failed {
            let NewPayout { amount, currency, .. } = &found.details;
            self.ledger.commit_money(Effect::PayoutReturned, found.details.key(), payout, *amount, None, currency);
        }
        self.events.push(Event::PayoutFinal { batch: batch.to_string(), payout: payout.to_string() });
        true
    }

    /// The opening balance plus incoming and minus outgoing amounts in the ledger.
    pub fn balance(&self, currency: &str) -> Money {
        let of_currency = |entry: &&Entry| entry.currency.as_deref() == Some(currency);
        let sum = |effects: &[Effect]| {
            let entries =
                self.ledger.entries.iter().filter(of_currency).filter(|entry| effects.contains(&entry.effect));
            entries.filter_map(|entry| entry.amount).fold(Money::ZERO, Money::plus)
        };
        let back = [Effect::RefundFailed, Effect::PayoutReturned];
        let came = OPENING_BALANCE.plus(sum(&[Effect::ChargeMade, Effect::FundingReceived])).plus(sum(&back));
        came.minus(sum(&[Effect::RefundMade, Effect::PayoutMade])).unwrap_or_default()
    }

    /// Ends everything whose time has come.
    pub fn settle_due(&mut self) {
        self.settle_payouts();
        self.settle_agenda(Moment::now());
    }

    /// Ends payouts and refunds that would end by themselves, whenever that is. Payments that wait for the customer are
    /// left alone. Returns how many payouts and refunds have ended.
    pub fn settle_now(&mut self) -> (usize, usize) {
        let pending = |state: &State| {
            let payouts = state.batches.values().flat_map(|batch| &batch.payouts);
            payouts.filter(|payout| payout.state == PayoutState::Pending).count()
        };
        let before = pending(self);
        for batch in self.batches.keys().cloned().collect::<Vec<_>>() {
            self.settle_batch(&batch);
        }
        let refunds = self.orders.values().flat_map(|order| order.refunds.iter().map(move |refund| (order, refund)));
        let refunds = refunds.filter(|(_, refund)| refund.state == RefundState::Pending);
        let refunds: Vec<_> =
            refunds.map(|(order, refund)| (order.reference.clone(), refund.reference.clone())).collect();
        refunds.iter().for_each(|(order, refund)| self.complete_refund(order, refund));
        (before - pending(self), refunds.len())
    }

    /// Whatever a call has ended in the meantime is left alone.
    pub(super) fn settle_agenda(&mut self, now: Moment) {
        while let Some(due) = self.agenda.take(now) {
            match due {
                Due::Refund { order, refund } => self.complete_refund(&order, &refund),
                Due::Expiry { payment } => _ = self.expire_payment(&payment),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::test_state;
    use std::time::Duration;

    fn payout(account: &str, amount: i64) -> NewPayout {
        NewPayout {
            client_reference: None,
            account_number: account.into(),
            account_name: "Ada".into(),
            bank_code: "000014".into(),
            amount: Money::hundredths(amount),
            currency: "NGN".into(),
            credit_currency: "NGN".into(),
            description: None,
        }
    }

    fn states(state: &State, batch: &str) -> Vec<PayoutState> {
        state.batch(batch).unwrap().payouts.iter().map(|payout| payout.state).collect()
    }

    #[test]
    fn a_batch_is_accepted_whole_or_not_at_all() {
        let mut state = test_state();
        assert_eq!(
            state.pay_out(vec![payout("0690000031", 1), payout("0690000003", 1)], None).unwrap_err(),
            RuleError::PayoutAccountNotFound { index: 1 }
        );
        let sums = |first| vec![payout("0690000031", first), payout("0690000041", 40_000_000)];
        assert_eq!(state.pay_out(sums(60_000_001), None).unwrap_err(), RuleError::BalanceTooLow { index: 0 });
        assert!(state.ledger.entries.is_empty());
        assert_eq!(state.pay_out(sums(60_000_000), None).unwrap().payouts.len(), 2);
        assert_eq!(state.balance("NGN"), Money::ZERO);
    }

    #[test]
    fn payouts_end_by_time() {
        let mut state = test_state();
        state.settings.settle = Some(Duration::from_secs(3600));
        state.pay_out(vec![payout("0690000031", 1)], Some("B".into())).unwrap();
        state.settle_payouts();
        state.settle_shown("B");
        assert_eq!(states(&state, "B"), [PayoutState::Pending]);
        state.settings.settle = Some(Duration::ZERO);
        state.settle_payouts();
        assert_eq!(states(&state, "B"), [PayoutState::Successful]);
    }
}
