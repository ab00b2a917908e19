//! Payments of orders: by mandate and by card.

use super::ledger::Effect;
use super::model::{Method, Order, Payment, PaymentState};
use super::{Event, RuleError, State};
use crate::clock::Moment;
use crate::magic;

pub struct MandatePay {
    pub reference: String,
    pub mandate_code: String,
    pub otp: String,
    pub account_name: String,
}

pub struct CardPay {
    pub reference: String,
    pub number: String,
}

/// State, code and message of a new payment.
type Outcome = (PaymentState, &'static str, &'static str);

const PAID: Outcome = (PaymentState::Successful, "00", "Approved");

impl State {
    pub fn pay_by_mandate(&mut self, pay: &MandatePay) -> Result<&Order, RuleError> {
        let mandate = self.mandates.get(&pay.mandate_code);
        let mandate = mandate.ok_or(RuleError::PayingMandateNotFound)?;
        if !mandate.active {
            return Err(RuleError::PayingMandateInactive);
        }
        let account = mandate.account_number.clone();
        self.check_not_paid(&pay.reference)?;
        self.take_otp(&pay.mandate_code, &pay.otp)?;
        let outcome = match magic::account(&account) {
            magic::Account::NoFunds => (PaymentState::Failed, "04", "Insufficient funds"),
            _ => PAID,
        };
        let instrument = hide_all_but_four(&account);
        Ok(self.add_payment(&pay.reference, Method::DirectDebit, outcome, Some(pay.account_name.clone()), instrument))
    }

    pub fn pay_by_card(&mut self, pay: &CardPay) -> Result<&Order, RuleError> {
        self.check_not_paid(&pay.reference)?;
        let outcome = match magic::card(&pay.number) {
            magic::Card::Accepted => PAID,
            magic::Card::Declined => (PaymentState::Failed, "12", "Declined by the issuer"),
            magic::Card::Expired => (PaymentState::Failed, "04", "The card has expired"),
            magic::Card::Redirects => (PaymentState::Awaiting, "02", "Awaiting confirmation by the card holder"),
        };
        Ok(self.add_payment(&pay.reference, Method::Card, outcome, None, hide_all_but_four(&pay.number)))
    }

    /// Marks an order as paid, for admin calls.
    pub fn pay_without_card(&mut self, reference: &str) -> Result<&Order, RuleError> {
        self.check_not_paid(reference)?;
        Ok(self.add_payment(reference, Method::Card, PAID, None, "made paid".to_string()))
    }

    /// The card holder confirms a payment that was answered with a redirect; it is charged now.
    pub fn confirm_card(&mut self, payment_reference: &str) -> Result<&Order, RuleError> {
        let pay_twice = self.settings.pay_twice;
        let holds = |order: &&mut Order| order.payments.iter().any(|payment| payment.reference == payment_reference);
        let order = self.orders.values_mut().find(holds).ok_or(RuleError::PaymentNotFound)?;
        let too_late = order.is_paid() && !pay_twice;
        let awaiting = order.payments.iter_mut().find(|payment| payment.reference == payment_reference);
        let awaiting = awaiting.filter(|payment| payment.state == PaymentState::Awaiting && !too_late);
        let payment = awaiting.ok_or(RuleError::PaymentNotAwaiting)?;
        (payment.state, payment.code, payment.message) = PAID;
        payment.updated = Moment::now();
        let order = order.reference.clone();
        Ok(self.settle(&order, payment_reference))
    }

    fn check_not_paid(&self, reference: &str) -> Result<(), RuleError> {
        match self.orders.get(reference) {
            Some(order) if order.is_paid() && !self.settings.pay_twice => Err(RuleError::OrderPaid),
            _ => Ok(()),
        }
    }

    fn add_payment(
        &mut self,
        order: &str,
        method: Method,
        outcome: Outcome,
        payer: Option<String>,
        instrument: String,
    ) -> &Order {
        let reference = self.new_reference("PGW-PAYREF-");
        let (state, code, message) = outcome;
        let now = Moment::now();
        let payment = Payment {
            reference: reference.clone(),
            method,
            state,
            code,
            message,
            payer,
            instrument,
            created: now,
            updated: now,
        };
        self.order_to_pay(order).payments.push(payment);
        self.settle(order, &reference)
    }

    /// Commits the charge of a successful payment to the ledger, and adds an event for a final state.
    fn settle(&mut self, order: &str, payment_reference: &str) -> &Order {
        let order = self.orders.get_mut(order).expect("the caller has just used it");
        order.updated = Moment::now();
        let paid =
            |payment: &Payment| payment.reference == payment_reference && payment.state == PaymentState::Successful;
        if order.payments.iter().any(paid) {
            let (key, fee) = (order.reference.clone(), Some(order.fee()));
            self.ledger.commit_money(Effect::ChargeMade, key, payment_reference, order.amount, fee, &order.currency);
        }
        if order.state().is_final() {
            self.events.push(Event::PaymentFinal { order: order.reference.clone() });
        }
        order
    }
}

fn hide_all_but_four(number: &str) -> String {
    let count = number.chars().count();
    number.chars().enumerate().map(|(place, digit)| if place + 4 < count { '*' } else { digit }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::mandates::NewMandate;
    use super::super::test_state;
    use super::*;

    fn charges(state: &State) -> usize {
        state.ledger.entries.iter().filter(|entry| entry.effect == Effect::ChargeMade).count()
    }

    fn card(reference: &str, number: &str) -> CardPay {
        CardPay { reference: reference.into(), number: number.into() }
    }

    #[test]
    fn a_paid_order_is_not_paid_again() {
        let mut state = test_state();
        assert!(!state.pay_by_card(&card("A", "4000000000000002")).unwrap().is_paid());
        let order = state.pay_by_card(&card("A", "4111111111111111")).unwrap();
        assert_eq!(
            (order.amount.to_string(), order.total().to_string(), order.assumed),
            ("100.00".into(), "101.50".into(), true)
        );
        assert_eq!(state.pay_by_card(&card("A", "4111111111111111")).unwrap_err(), RuleError::OrderPaid);
        assert_eq!(charges(&state), 1);
        assert_eq!(state.events.len(), 2);
    }

    #[test]
    fn a_redirected_card_is_charged_when_confirmed_and_once() {
        let mut state = test_state();
        let awaiting = state.pay_by_card(&card("A", "4000002500003155")).unwrap().payments[0].reference.clone();
        assert_eq!(charges(&state), 0);
        assert!(state.confirm_card(&awaiting).unwrap().is_paid());
        assert!(state.confirm_card(&awaiting).is_err());
        assert_eq!(charges(&state), 1);

        // The order was paid by another payment, so the confirmation is refused.
        let late = state.pay_by_card(&card("B", "4000002500003155")).unwrap().payments[0].reference.clone();
        state.pay_by_card(&card("B", "4111111111111111")).unwrap();
        assert!(state.confirm_card(&late).is_err());
        assert_eq!(charges(&state), 2);
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
        // A payment that awaits confirmation is charged once, although the order was paid meanwhile.
        let late = state.pay_by_card(&card("B", "4000002500003155")).unwrap().payments[0].reference.clone();
        state.pay_by_card(&card("B", "4111111111111111")).unwrap();
        assert!(state.confirm_card(&late).is_ok() && state.confirm_card(&late).is_err());
        assert_eq!(charges(&state), 2);
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
