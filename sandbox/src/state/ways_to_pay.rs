//! The ways to pay an order.

use super::attempt::{AWAITS_HOLDER, Attempt, Outcome, PAID, RESERVED};
use super::due::{Due, TRANSFER_LIVES};
use super::magic;
use super::model::{Awaits, Method, Order, PaymentState};
use super::{RuleError, State};
use crate::util::clock::Moment;

pub struct MandatePay {
    pub reference: String,
    pub mandate_code: String,
    pub otp: String,
    pub account_name: String,
}

pub struct CardPay {
    pub reference: String,
    /// Digits only.
    pub number: String,
    /// Reserves the amount; capture charges it.
    pub is_reserved: bool,
    /// Any card needs its holder's consent.
    pub needs_holder: bool,
}

impl CardPay {
    #[cfg(test)]
    pub fn of(reference: &str, number: &str) -> CardPay {
        CardPay { reference: reference.into(), number: number.into(), is_reserved: false, needs_holder: false }
    }
}

impl State {
    pub fn pay_by_mandate(&mut self, pay: &MandatePay) -> Result<&Order, RuleError> {
        let mandate = self.mandates.get(&pay.mandate_code);
        let mandate = mandate.ok_or(RuleError::PayingMandateNotFound)?;
        if !mandate.active {
            return Err(RuleError::PayingMandateInactive);
        }
        let account = mandate.account_number.clone();
        self.check_payable(&pay.reference, Method::DirectDebit)?;
        self.take_otp(&pay.mandate_code, &pay.otp)?;
        let outcome = match magic::account(&account) {
            magic::Account::NoFunds => (PaymentState::Failed, "04", "Insufficient funds"),
            _ => PAID,
        };
        let payer = Some(pay.account_name.clone());
        let attempt = Attempt { payer, ..Attempt::new(Method::DirectDebit, outcome, hide_all_but_four(&account)) };
        Ok(self.add_payment(&pay.reference, attempt))
    }

    pub fn pay_by_card(&mut self, pay: &CardPay) -> Result<&Order, RuleError> {
        self.check_payable(&pay.reference, Method::Card)?;
        let behaviour = magic::card(&pay.number);
        let (outcome, awaits) = match behaviour {
            magic::Card::Declined => (DECLINED, Awaits::Nothing),
            magic::Card::Expired => (EXPIRED, Awaits::Nothing),
            magic::Card::NeedsHolder => (AWAITS_HOLDER, Awaits::Holder),
            magic::Card::Accepted if pay.is_reserved => (RESERVED, Awaits::Capture),
            magic::Card::Accepted if pay.needs_holder => (AWAITS_HOLDER, Awaits::Holder),
            magic::Card::Accepted => (PAID, Awaits::Nothing),
        };
        let attempt = Attempt::new(Method::Card, outcome, hide_all_but_four(&pay.number));
        Ok(self.add_payment(&pay.reference, Attempt { awaits, card: Some(behaviour), ..attempt }))
    }

    /// Charges a saved card, without its holder.
    pub fn pay_by_saved_card(&mut self, reference: &str, token: &str) -> Result<&Order, RuleError> {
        let saved = self.saved_cards.get(token).ok_or(RuleError::CardNotFound)?;
        let (behaviour, number) = (saved.behaviour, saved.number.clone());
        self.check_payable(reference, Method::Card)?;
        let outcome = match behaviour {
            magic::Card::Declined => DECLINED,
            magic::Card::Expired => EXPIRED,
            magic::Card::NeedsHolder | magic::Card::Accepted => PAID,
        };
        Ok(self
            .add_payment(reference, Attempt { card: Some(behaviour), ..Attempt::new(Method::Card, outcome, number) }))
    }

    /// Offers a temporary account; a transfer to it pays the order.
    pub fn pay_by_transfer(&mut self, reference: &str) -> Result<&Order, RuleError> {
        self.check_payable(reference, Method::BankTransfer)?;
        let account = self.new_transfer_account();
        let outcome = (PaymentState::Pending, "02", "Awaiting the transfer");
        let attempt = Attempt::new(Method::BankTransfer, outcome, account);
        let order = self.add_payment(reference, Attempt { awaits: Awaits::Transfer, ..attempt });
        let payment = order.payments.last().map(|payment| payment.reference.clone()).unwrap_or_default();
        self.agenda.add(Moment::now().after(TRANSFER_LIVES), Due::Expiry { payment });
        self.order(reference)
    }

    /// An option that the customer confirms elsewhere.
    pub fn pay_elsewhere(&mut self, reference: &str, method: Method) -> Result<&Order, RuleError> {
        self.check_payable(reference, method)?;
        let outcome = (PaymentState::Pending, "02", "Awaiting the customer's confirmation");
        let attempt = Attempt::new(method, outcome, method.name().to_string());
        Ok(self.add_payment(reference, Attempt { awaits: Awaits::Customer, ..attempt }))
    }

    /// Ten digits that differ from those of virtual accounts.
    fn new_transfer_account(&mut self) -> String {
        let number = self.next("transfer account");
        format!("98{}", self.seed.digits("transfer account", number, 8))
    }
}

const DECLINED: Outcome = (PaymentState::Failed, "12", "Declined by the issuer");
const EXPIRED: Outcome = (PaymentState::Failed, "04", "The card has expired");

pub(super) fn hide_all_but_four(number: &str) -> String {
    let count = number.chars().count();
    number.chars().enumerate().map(|(place, digit)| if place + 4 < count { '*' } else { digit }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::ledger::Effect;
    use super::super::mandates::NewMandate;
    use super::super::test_state;
    use super::*;

    fn charges(state: &State) -> usize {
        state.ledger.entries.iter().filter(|entry| entry.effect == Effect::ChargeMade).count()
    }

    fn card(reference: &str, number: &str) -> CardPay {
        CardPay::of(reference, number)
    }

    #[test]
    fn a_paid_order_is_not_paid_again() {
        let mut state = test_state();
        assert!(!state.pay_by_card(&card("A", "4000000000000002")).unwrap().is_paid());
        let order = state.pay_by_card(&card("A", "4111111111111111")).unwrap();
        assert_eq!(
            (order.amount.to_string(), order.total().to_string(), order.assumed),
            ("100.00".into(), "102.00".into(), true)
        );
        assert_eq!(state.pay_by_card(&card("A", "4111111111111111")).unwrap_err(), RuleError::OrderPaid);
        assert_eq!(state.pay_by_transfer("A").unwrap_err(), RuleError::OrderPaid);
        assert_eq!(charges(&state), 1);
        assert_eq!(state.events.len(), 2);
    }

    #[test]
    fn a_paid_order_is_paid_again_where_nothing_prevents_it() {
        let mut state = test_state();
        state.settings.pay_twice = true;
        for _ in 0..2 {
            assert!(state.pay_by_card(&card("A", "4111111111111111")).unwrap().is_paid());
        }
        assert_eq!(charges(&state), 2);
        assert_eq!(state.order("A").unwrap().state(), PaymentState::Successful);
        // A reset keeps the setting.
        state.reset();
        assert!(state.settings.pay_twice);
        // A payment that awaits its holder is charged once, although the order was paid meanwhile.
        let late = state.pay_by_card(&card("B", "4000002500003155")).unwrap().payments[0].reference.clone();
        state.pay_by_card(&card("B", "4111111111111111")).unwrap();
        assert!(state.confirm_payment(&late).is_ok() && state.confirm_payment(&late).is_err());
        assert_eq!(charges(&state), 2);
    }

    #[test]
    fn an_order_is_pending_as_long_as_one_payment_is() {
        let mut state = test_state();
        let transfer = state.pay_by_transfer("A").unwrap().payments[0].reference.clone();
        assert_eq!(state.pay_by_card(&card("A", "4000000000000002")).unwrap().state(), PaymentState::Pending);
        assert_eq!(state.expire_payment(&transfer).unwrap().state(), PaymentState::Failed);
    }

    #[test]
    fn an_option_is_paid_with_only_in_its_currencies() {
        let mut state = test_state();
        let new = |reference: &str, currency: &str| {
            let amount = crate::util::money::Money::hundredths(500);
            super::super::orders::NewOrder {
                currency: Some(currency.into()),
                ..super::super::orders::NewOrder::of(reference, amount)
            }
        };
        state.create_order(new("USD", "USD")).unwrap();
        state.create_order(new("EUR", "EUR")).unwrap();
        let refused = |option, currency: &str| RuleError::OptionNotOffered { option, currency: currency.into() };
        assert_eq!(state.pay_by_transfer("USD").unwrap_err(), refused("BANK-TRANSFER", "USD"));
        assert_eq!(state.pay_by_card(&card("EUR", "4111111111111111")).unwrap_err(), refused("C", "EUR"));
        assert!(state.pay_by_card(&card("USD", "4111111111111111")).unwrap().is_paid());
    }

    #[test]
    fn a_refused_payment_changes_nothing() {
        let mut state = test_state();
        let new = NewMandate {
            order_reference: "A".into(),
            bank_name: "Bank".into(),
            bank_code: "058".into(),
            account_number: "0690000031".into(),
        };
        let code = state.create_mandate(new).unwrap().code.clone();
        let pay = |otp: &str| MandatePay {
            reference: "A".into(),
            mandate_code: code.clone(),
            otp: otp.into(),
            account_name: "Ada".into(),
        };
        assert!(state.pay_by_mandate(&pay("111111")).is_err());
        assert!(state.orders.is_empty());
        assert!(state.pay_by_mandate(&pay("000000")).unwrap().is_paid());
        assert_eq!(state.orders["A"].payments[0].instrument, "******0031");
    }
}
