//! Refunds: accepted at once, complete later.

use super::ledger::Effect;
use super::model::{Due, Order, Refund, RefundState};
use super::{Event, RuleError, State};
use crate::util::clock::Moment;
use crate::util::money::Money;

impl State {
    /// Accepts a refund of `amount`, or of the rest of what was charged. The fee is not refunded.
    pub fn refund(
        &mut self,
        reference: &str,
        amount: Option<Money>,
        reason: Option<String>,
    ) -> Result<&Refund, RuleError> {
        let order = self.order(reference)?;
        if !order.is_paid() {
            return Err(RuleError::OrderNotPaid);
        }
        let left = order.charged().minus(order.refunded()).unwrap_or_default();
        let pay_twice = self.settings.pay_twice;
        if left.is_zero() && !pay_twice {
            return Err(RuleError::OrderRefunded);
        }
        let is_rest = amount.is_none();
        // With `pay_twice`, a repeated request without an amount refunds the same amount again.
        let again =
            order.refunds.iter().rev().find(|refund| refund.is_rest).map_or(order.charged(), |refund| refund.amount);
        let amount = amount.unwrap_or(if left.is_zero() { again } else { left });
        if amount > left && !pay_twice {
            return Err(RuleError::RefundTooLarge { amount, left });
        }
        let state = RefundState::Pending;
        let refund = Refund { reference: self.new_reference("PGW-REFUND-"), amount, reason, state, is_rest };
        if let Some(delay) = self.settings.settle {
            let due = Due::Refund { order: reference.to_string(), refund: refund.reference.clone() };
            self.agenda.add(Moment::now().after(delay), due);
        }
        let order = self.orders.get_mut(reference).ok_or(RuleError::OrderNotFound)?;
        // A refund has no reference of its own, so its key consists of order reference and amount.
        let key = format!("{reference}/{amount}");
        self.ledger.commit_money(Effect::RefundMade, key, &refund.reference, amount, None, &order.currency);
        order.updated = Moment::now();
        order.refunds.push(refund);
        Ok(&order.refunds[order.refunds.len() - 1])
    }

    /// The order is looked at: its refunds are complete now, unless time decides. Every look shows the same.
    pub fn refunds_looked_at(&mut self, order: &str) {
        if self.settings.settle.is_none() {
            // Without a pending refund there is nothing to end.
            let _ = self.end_refunds(order, true);
        }
    }

    /// Ends pending refunds: one by its own reference, or all of an order.
    pub fn end_refunds(&mut self, reference: &str, succeeds: bool) -> Result<&Order, RuleError> {
        let is_named = |refund: &Refund| refund.reference == reference;
        let order = self.orders.get(reference);
        let order = order.or_else(|| self.orders.values().find(|order| order.refunds.iter().any(is_named)));
        let order = order.ok_or(RuleError::RefundNotFound)?;
        let by_order = order.reference == reference;
        let pending = order.refunds.iter().filter(|refund| refund.state == RefundState::Pending);
        let ended: Vec<String> =
            pending.filter(|refund| by_order || is_named(refund)).map(|refund| refund.reference.clone()).collect();
        if ended.is_empty() {
            return Err(RuleError::RefundNotPending);
        }
        let order = order.reference.clone();
        for refund in ended {
            match succeeds {
                true => self.complete_refund(&order, &refund),
                false => self.fail_refund(&order, &refund),
            }
        }
        self.order(&order)
    }

    /// Does nothing if the refund is not pending.
    pub(super) fn complete_refund(&mut self, order: &str, refund: &str) {
        let Some(order) = self.end_refund(order, refund, RefundState::Completed) else {
            return;
        };
        let event = Event::RefundEnded { order: order.reference.clone() };
        self.events.push(event);
    }

    fn fail_refund(&mut self, order: &str, refund: &str) {
        let Some(order) = self.end_refund(order, refund, RefundState::Failed) else {
            return;
        };
        let failed = order.refunds.iter().find(|made| made.reference == refund);
        let Some((amount, currency)) = failed.map(|failed| (failed.amount, order.currency.clone())) else {
            return;
        };
        let key = format!("{}/{amount}", order.reference);
        let event = Event::RefundEnded { order: order.reference.clone() };
        self.ledger.commit_money(Effect::RefundFailed, key, refund, amount, None, &currency);
        self.events.push(event);
    }

    fn end_refund(&mut self, order: &str, refund: &str, state: RefundState) -> Option<&Order> {
        let order = self.orders.get_mut(order)?;
        let is_it = |made: &&mut Refund| made.reference == refund && made.state == RefundState::Pending;
        order.refunds.iter_mut().find(is_it)?.state = state;
        order.updated = Moment::now();
        Some(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::model::PaymentState;
    use crate::state::orders::NewOrder;
    use crate::state::payments::CardPay;
    use crate::state::test_state;
    use std::time::Duration;

    fn money(text: &str) -> Option<Money> {
        Some(Money::parse(text).unwrap())
    }

    fn pay(state: &mut State, reference: &str) {
        state.pay_by_card(&CardPay::of(reference, "4111111111111111")).unwrap();
    }

    fn state_of(state: &State, reference: &str) -> PaymentState {
        state.order(reference).unwrap().state()
    }

    #[test]
    fn refunds_add_up_to_the_price_and_no_further() {
        let mut state = test_state();
        state.create_order(NewOrder::of("A", Money::hundredths(10_010))).unwrap();
        assert_eq!(state.refund("A", None, None).unwrap_err(), RuleError::OrderNotPaid);
        assert_eq!(state.refund("B", None, None).unwrap_err(), RuleError::OrderNotFound);
        pay(&mut state, "A");
        assert_eq!(state.refund("A", money("60.05"), None).unwrap().amount.to_string(), "60.05");
        let (amount, left) = (Money::hundredths(4006), Money::hundredths(4005));
        assert_eq!(state.refund("A", Some(amount), None).unwrap_err(), RuleError::RefundTooLarge { amount, left });
        assert_eq!(state.refund("A", None, None).unwrap().amount.to_string(), "40.05");
        assert_eq!(state.refund("A", None, None).unwrap_err(), RuleError::OrderRefunded);
    }

    #[test]
    fn an_order_is_reversed_when_its_refunds_are_complete() {
        let mut state = test_state();
        state.settings.settle = Some(Duration::from_secs(3600));
        pay(&mut state, "A");
        let part = state.refund("A", money("60"), None).unwrap().reference.clone();
        state.refund("A", None, None).unwrap();
        state.end_refunds(&part, true).unwrap();
        assert_eq!(state_of(&state, "A"), PaymentState::Successful);
        assert_eq!(state.end_refunds(&part, true).unwrap_err(), RuleError::RefundNotPending);
        state.settle_agenda(Moment::now());
        assert_eq!(state_of(&state, "A"), PaymentState::Successful);
        state.settle_agenda(Moment::now().after(Duration::from_secs(3600)));
        assert_eq!(state_of(&state, "A"), PaymentState::Reversed);
        assert_eq!(state.end_refunds("A", true).unwrap_err(), RuleError::RefundNotPending);
        assert_eq!(state.end_refunds("Z", true).unwrap_err(), RuleError::RefundNotFound);
    }

    #[test]
    fn a_look_completes_a_refund_where_no_time_was_set() {
        let mut state = test_state();
        pay(&mut state, "A");
        state.refund("A", None, None).unwrap();
        let events = state.events.len();
        assert_eq!(state_of(&state, "A"), PaymentState::Successful);
        state.refunds_looked_at("A");
        assert_eq!(state_of(&state, "A"), PaymentState::Reversed);
        assert_eq!(state.events[events..], [Event::RefundEnded { order: "A".into() }]);
    }

    #[test]
    fn the_same_refund_again_where_nothing_prevents_it() {
        let mut state = test_state();
        state.settings.pay_twice = true;
        pay(&mut state, "A");
        let amounts = ["60.00", "60.00", "", "", "500.00"].map(|text| {
            let amount = if text.is_empty() { None } else { money(text) };
            state.refund("A", amount, None).unwrap().amount.to_string()
        });
        assert_eq!(amounts, ["60.00", "60.00", "100.00", "100.00", "500.00"]);
        state.end_refunds("A", true).unwrap();
        assert_eq!(state_of(&state, "A"), PaymentState::Reversed);

        // The rest of an amount, twice.
        pay(&mut state, "B");
        let rests =
            [money("40.05"), None, None].map(|amount| state.refund("B", amount, None).unwrap().amount.to_string());
        assert_eq!(rests, ["40.05", "59.95", "59.95"]);
        assert!(state.refund("C", None, None).is_err(), "an order that is not paid has nothing to give back");
    }
}
