//! The further steps of a payment that was not complete at once: confirmed, declined, expired, authorized, captured, funded.

use super::attempt::{Outcome, PAID};
use super::magic;
use super::model::{Awaits, Method, Order, Payment, PaymentState};
use super::{RuleError, State};
use crate::util::money::Money;

const DECLINED: Outcome = (PaymentState::Failed, "12", "Declined by the customer");
const EXPIRED: Outcome = (PaymentState::Failed, "04", "The payment has expired");

impl State {
    /// The customer confirms a payment; it is charged now.
    pub fn confirm_payment(&mut self, reference: &str) -> Result<&Order, RuleError> {
        let (order, index) = self.pending_payment(reference)?;
        let known = self.order(&order)?;
        let waits_for_merchant = known.payments[index].awaits == Awaits::Capture;
        if waits_for_merchant || (known.is_paid() && !self.settings.pay_twice) {
            return Err(RuleError::PaymentNotAwaiting);
        }
        Ok(self.conclude(&order, index, PAID))
    }

    pub fn decline_payment(&mut self, reference: &str) -> Result<&Order, RuleError> {
        let (order, index) = self.pending_payment(reference)?;
        Ok(self.conclude(&order, index, DECLINED))
    }

    pub fn expire_payment(&mut self, reference: &str) -> Result<&Order, RuleError> {
        let (order, index) = self.pending_payment(reference)?;
        Ok(self.conclude(&order, index, EXPIRED))
    }

    fn pending_payment(&self, reference: &str) -> Result<(String, usize), RuleError> {
        let (order, index) = self.place_of_payment(reference).ok_or(RuleError::PaymentNotFound)?;
        match self.order(&order)?.payments[index].state {
            PaymentState::Pending => Ok((order, index)),
            _ => Err(RuleError::PaymentNotAwaiting),
        }
    }

    /// The card holder's one-time code, which the merchant passes on. Returns the order and the payment's index.
    pub fn authorize_payment(&mut self, reference: &str, otp: &str) -> Result<(&Order, usize), RuleError> {
        let (order, index) = self.place_of_payment(reference).ok_or(RuleError::AuthorizationNotFound)?;
        let known = self.order(&order)?;
        let payment = &known.payments[index];
        let may = self.may_complete(known, payment);
        if payment.awaits != Awaits::Holder || !may {
            return Err(RuleError::AuthorizationNotAwaiting);
        }
        match magic::otp(otp) {
            Some(magic::Otp::Accepted) => Ok((self.conclude(&order, index, PAID), index)),
            Some(magic::Otp::Expired) => Err(RuleError::CardCodeExpired),
            Some(magic::Otp::Wrong) | None => Err(RuleError::CardCodeWrong),
        }
    }

    /// Charges a reserved amount or a part of it. Returns the order and the payment's index.
    pub fn capture(&mut self, reference: &str, amount: Money) -> Result<(&Order, usize), RuleError> {
        let known = self.order(reference)?;
        let is_reserved = |payment: &Payment| payment.awaits == Awaits::Capture && self.may_complete(known, payment);
        let index = known.payments.iter().rposition(is_reserved).ok_or(RuleError::NothingToCapture)?;
        let reserved = known.amount;
        if amount > reserved {
            return Err(RuleError::CaptureTooLarge { amount, reserved });
        }
        let order = self.orders.get_mut(reference).ok_or(RuleError::OrderNotFound)?;
        order.payments[index].amount = amount;
        Ok((self.conclude(reference, index, PAID), index))
    }

    /// Pending, and no other payment has paid the order; with `pay_twice` also if it succeeded before.
    fn may_complete(&self, order: &Order, payment: &Payment) -> bool {
        match payment.state {
            PaymentState::Pending => self.settings.pay_twice || !order.is_paid(),
            PaymentState::Successful => self.settings.pay_twice,
            _ => false,
        }
    }

    /// Whether a bank transfer was offered this temporary account.
    pub fn is_transfer_account(&self, number: &str) -> bool {
        self.transfer_to(number).is_some()
    }

    /// A transfer to a temporary account arrives, and pays the order. Returns the order and the payment's index.
    pub fn receive_transfer(&mut self, number: &str, amount: Money) -> Result<(&Order, usize), RuleError> {
        let (order, index) = self.transfer_to(number).ok_or(RuleError::VirtualAccountNotFound)?;
        let known = self.order(&order)?;
        if known.payments[index].state != PaymentState::Pending || (known.is_paid() && !self.settings.pay_twice) {
            return Err(RuleError::TransferOver);
        }
        let total = known.amount.plus(known.fee_by(Method::BankTransfer));
        if amount != total {
            return Err(RuleError::TransferDiffers { total, currency: known.currency.clone() });
        }
        Ok((self.conclude(&order, index, PAID), index))
    }

    fn transfer_to(&self, number: &str) -> Option<(String, usize)> {
        self.orders.values().find_map(|order| {
            let is_it = |payment: &Payment| payment.awaits == Awaits::Transfer && payment.instrument == number;
            Some((order.reference.clone(), order.payments.iter().position(is_it)?))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::due::TRANSFER_LIVES;
    use super::super::ledger::Effect;
    use super::super::test_state;
    use super::super::ways_to_pay::CardPay;
    use super::*;
    use crate::util::clock::Moment;

    fn charges(state: &State) -> Vec<String> {
        let charges = state.ledger.entries.iter().filter(|entry| entry.effect == Effect::ChargeMade);
        charges.filter_map(|entry| entry.amount).map(|amount| amount.to_string()).collect()
    }

    fn pending(state: &mut State, order: &str) -> String {
        state.pay_by_card(&CardPay::of(order, "4000002500003155")).unwrap().payments[0].reference.clone()
    }

    fn money(text: &str) -> Money {
        Money::parse(text).unwrap()
    }

    #[test]
    fn a_card_is_charged_when_its_holder_confirms_and_once() {
        let mut state = test_state();
        let awaiting = pending(&mut state, "A");
        assert!(charges(&state).is_empty());
        assert!(state.confirm_payment(&awaiting).unwrap().is_paid());
        assert!(state.confirm_payment(&awaiting).is_err());
        assert_eq!(charges(&state), ["100.00"]);

        // The order was paid by another payment, so the confirmation is refused.
        let late = pending(&mut state, "B");
        state.pay_by_card(&CardPay::of("B", "4111111111111111")).unwrap();
        assert!(state.confirm_payment(&late).is_err());
        assert_eq!(charges(&state).len(), 2);
    }

    #[test]
    fn a_declined_payment_has_failed_for_good() {
        let mut state = test_state();
        let awaiting = pending(&mut state, "A");
        // Either reference names it.
        let other = state.orders["A"].payments[0].detail_reference.clone();
        assert_ne!(other, awaiting);
        assert_eq!(state.decline_payment(&other).unwrap().state(), PaymentState::Failed);
        assert_eq!(state.confirm_payment(&awaiting).unwrap_err(), RuleError::PaymentNotAwaiting);
        assert_eq!(state.authorize_payment(&awaiting, "000000").unwrap_err(), RuleError::AuthorizationNotAwaiting);
        assert!(charges(&state).is_empty());
    }

    #[test]
    fn a_code_authorizes_a_card() {
        let mut state = test_state();
        let awaiting = pending(&mut state, "A");
        assert_eq!(state.authorize_payment(&awaiting, "111111").unwrap_err(), RuleError::CardCodeWrong);
        assert_eq!(state.authorize_payment(&awaiting, "222222").unwrap_err(), RuleError::CardCodeExpired);
        assert_eq!(state.authorize_payment("X", "000000").unwrap_err(), RuleError::AuthorizationNotFound);
        assert!(state.authorize_payment(&awaiting, "000000").unwrap().0.is_paid());
        assert_eq!(state.authorize_payment(&awaiting, "000000").unwrap_err(), RuleError::AuthorizationNotAwaiting);
        assert_eq!(charges(&state).len(), 1);
        state.settings.pay_twice = true;
        state.authorize_payment(&awaiting, "000000").unwrap();
        assert_eq!((charges(&state).len(), state.ledger.duplicates().len()), (2, 1));
    }

    #[test]
    fn a_reserved_amount_is_captured_in_full_or_in_part() {
        let mut state = test_state();
        let reserve = |state: &mut State, order: &str| {
            let pay = CardPay { is_reserved: true, ..CardPay::of(order, "4111111111111111") };
            state.pay_by_card(&pay).unwrap().payments[0].reference.clone()
        };
        let reserved = reserve(&mut state, "A");
        assert_eq!(state.confirm_payment(&reserved).unwrap_err(), RuleError::PaymentNotAwaiting);
        let too_large = RuleError::CaptureTooLarge { amount: money("100.01"), reserved: money("100") };
        assert_eq!(state.capture("A", money("100.01")).unwrap_err(), too_large);
        let (order, _) = state.capture("A", money("40")).unwrap();
        assert_eq!((order.amount, order.charged(), order.total()), (money("100"), money("40"), money("41")));
        assert_eq!(state.capture("A", money("40")).unwrap_err(), RuleError::NothingToCapture);
        assert_eq!(state.refund("A", None, None).unwrap().amount, money("40"));
        assert_eq!(charges(&state), ["40.00"]);
        reserve(&mut state, "B");
        state.settings.pay_twice = true;
        for _ in 0..2 {
            state.capture("B", money("100")).unwrap();
        }
        assert_eq!(charges(&state), ["40.00", "100.00", "100.00"]);
    }

    #[test]
    fn a_transfer_pays_exactly_and_in_time() {
        let mut state = test_state();
        let account =
            |state: &mut State, order: &str| state.pay_by_transfer(order).unwrap().payments[0].instrument.clone();
        let (first, second) = (account(&mut state, "A"), account(&mut state, "B"));
        assert!(state.is_transfer_account(&first) && first != second);
        assert!(matches!(state.receive_transfer(&first, money("100")), Err(RuleError::TransferDiffers { .. })));
        assert!(state.receive_transfer(&first, money("120")).unwrap().0.is_paid());
        assert_eq!(state.receive_transfer(&first, money("120")).unwrap_err(), RuleError::TransferOver);
        state.settle_agenda(Moment::now());
        assert_eq!(state.order("B").unwrap().state(), PaymentState::Pending);
        state.settle_agenda(Moment::now().after(TRANSFER_LIVES));
        assert_eq!(state.order("B").unwrap().state(), PaymentState::Failed);
        assert_eq!(state.order("A").unwrap().state(), PaymentState::Successful);
        assert_eq!(state.receive_transfer(&second, money("120")).unwrap_err(), RuleError::TransferOver);
        assert_eq!(charges(&state).len(), 1);
    }
}
