//! Payouts, one batch per request, and the balance.

use super::ledger::Effect;
use super::model::{Batch, NewPayout, Payout};
use super::{RuleError, State};
use crate::magic;
use crate::money::Money;

/// The initial balance of every currency.
const OPENING_BALANCE: Money = Money::whole(1_000_000);

impl NewPayout {
    /// The client's reference; without one, bank, account and amount.
    fn key(&self) -> String {
        let facts = || format!("{}/{}/{}", self.bank_code, self.account_number, self.amount);
        self.client_reference.clone().unwrap_or_else(facts)
    }
}

impl State {
    /// Executes the whole batch or nothing.
    pub fn pay_out(&mut self, new: Vec<NewPayout>) -> Result<&Batch, RuleError> {
        for (index, payout) in new.iter().enumerate() {
            if magic::account(&payout.account_number) == magic::Account::Unknown {
                return Err(RuleError::PayoutAccountNotFound { index });
            }
            let of_currency = new.iter().filter(|other| other.currency == payout.currency);
            let wanted = of_currency.fold(Money::ZERO, |sum, other| sum.plus(other.amount));
            if wanted > self.balance(&payout.currency) {
                return Err(RuleError::BalanceTooLow { index });
            }
        }
        let id = 9000 + self.next("batch id");
        let reference = self.new_reference("PGW-BATCH-");
        let payouts = new.into_iter().map(|details| {
            let reference = self.new_reference("PGW-PAYOUT-");
            self.ledger.commit_money(
                Effect::PayoutMade,
                details.key(),
                &reference,
                details.amount,
                None,
                &details.currency,
            );
            Payout { reference, details }
        });
        let batch = Batch { id, reference: reference.clone(), payouts: payouts.collect() };
        Ok(self.batches.entry(reference).or_insert(batch))
    }

    pub fn batch(&self, reference: &str) -> Result<&Batch, RuleError> {
        self.batches.get(reference).ok_or(RuleError::BatchNotFound)
    }

    /// The opening balance plus incoming and minus outgoing amounts in the ledger.
    pub fn balance(&self, currency: &str) -> Money {
        let of_currency = |entry: &&super::ledger::Entry| entry.currency.as_deref() == Some(currency);
        let sum = |effects: &[Effect]| {
            let entries =
                self.ledger.entries.iter().filter(of_currency).filter(|entry| effects.contains(&entry.effect));
            entries.filter_map(|entry| entry.amount).fold(Money::ZERO, Money::plus)
        };
        let came = OPENING_BALANCE.plus(sum(&[Effect::ChargeMade, Effect::FundingReceived]));
        let came = came.plus(sum(&[Effect::RefundFailed]));
        came.minus(sum(&[Effect::RefundMade, Effect::PayoutMade])).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_state;
    use super::*;

    fn payout(account: &str, amount: i64) -> NewPayout {
        NewPayout {
            client_reference: None,
            account_number: account.into(),
            account_name: "Ada".into(),
            bank_code: "000014".into(),
            amount: Money::hundredths(amount),
            currency: "NGN".into(),
            description: None,
        }
    }

    #[test]
    fn a_batch_is_paid_whole_or_not_at_all() {
        let mut state = test_state();
        assert_eq!(
            state.pay_out(vec![payout("0690000031", 1), payout("0690000003", 1)]).unwrap_err(),
            RuleError::PayoutAccountNotFound { index: 1 }
        );
        assert_eq!(
            state.pay_out(vec![payout("0690000031", 60_000_000), payout("0690000041", 40_000_001)]).unwrap_err(),
            RuleError::BalanceTooLow { index: 0 }
        );
        assert!(state.ledger.entries.is_empty());
        assert_eq!(
            state
                .pay_out(vec![payout("0690000031", 60_000_000), payout("0690000041", 40_000_000)])
                .unwrap()
                .payouts
                .len(),
            2
        );
        assert_eq!(state.balance("NGN"), Money::ZERO);
    }
}
