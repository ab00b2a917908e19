//! Orders and refunds.

use super::ledger::Effect;
use super::model::{Customer, Order, Refund};
use super::{ASSUMED_AMOUNT, DEFAULT_CURRENCY, Event, RuleError, State};
use crate::clock::Moment;
use crate::money::Money;

pub struct NewOrder {
    pub reference: String,
    pub amount: Money,
    pub currency: Option<String>,
    pub description: Option<String>,
    pub customer: Option<Customer>,
}

impl Order {
    /// Refuses another amount or currency than the order has.
    pub fn check_price(&self, amount: Money, currency: Option<&str>) -> Result<(), RuleError> {
        match amount == self.amount && currency.is_none_or(|currency| currency == self.currency) {
            true => Ok(()),
            false => Err(RuleError::OrderDiffers { amount: self.amount, currency: self.currency.clone() }),
        }
    }
}

impl State {
    pub fn create_order(&mut self, new: NewOrder) -> Result<&Order, RuleError> {
        if self.orders.contains_key(&new.reference) {
            return Err(RuleError::OrderExists);
        }
        Ok(self.add_order(new, false))
    }

    pub fn order(&self, reference: &str) -> Result<&Order, RuleError> {
        self.orders.get(reference).ok_or(RuleError::OrderNotFound)
    }

    /// The order of a payment; an unknown one is created with the assumed amount.
    pub(super) fn order_to_pay(&mut self, reference: &str) -> &mut Order {
        if !self.orders.contains_key(reference) {
            let new = NewOrder {
                reference: reference.to_string(),
                amount: ASSUMED_AMOUNT,
                currency: None,
                description: None,
                customer: None,
            };
            return self.add_order(new, true);
        }
        self.orders.get_mut(reference).expect("it was there a line ago")
    }

    fn add_order(&mut self, new: NewOrder, assumed: bool) -> &mut Order {
        let id = 5000 + self.next("order id");
        let processor_reference = self.new_reference("PGW-PROCESSOR-");
        let now = Moment::now();
        let currency = new.currency.unwrap_or_else(|| DEFAULT_CURRENCY.to_string());
        self.ledger.commit_money(
            Effect::OrderCreated,
            new.reference.clone(),
            &new.reference,
            new.amount,
            None,
            &currency,
        );
        let order = Order {
            id,
            reference: new.reference.clone(),
            processor_reference,
            amount: new.amount,
            currency,
            assumed,
            description: new.description,
            customer: new.customer,
            payments: Vec::new(),
            refunds: Vec::new(),
            created: now,
            updated: now,
        };
        self.orders.entry(new.reference).or_insert(order)
    }

    /// Refunds `amount`, or the rest of the order's amount. The fee is not refunded.
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
        let left = order.amount.minus(order.refunded()).unwrap_or_default();
        let pay_twice = self.settings.pay_twice;
        if left.is_zero() && !pay_twice {
            return Err(RuleError::OrderRefunded);
        }
        let is_rest = amount.is_none();
        // With `pay_twice`, a repeated request without an amount refunds the same amount again.
        let again =
            order.refunds.iter().rev().find(|refund| refund.is_rest).map_or(order.amount, |refund| refund.amount);
        let amount = amount.unwrap_or(if left.is_zero() { again } else { left });
        if amount > left && !pay_twice {
            return Err(RuleError::RefundTooLarge { amount, left });
        }
        let refund = Refund { reference: self.new_reference("PGW-REFUND-"), amount, reason, is_rest };
        let order = self.orders.get_mut(reference).ok_or(RuleError::OrderNotFound)?;
        // A refund has no reference of its own, so its key consists of order reference and amount.
        let key = format!("{reference}/{amount}");
        self.ledger.commit_money(Effect::RefundMade, key, &refund.reference, amount, None, &order.currency);
        order.updated = Moment::now();
        order.refunds.push(refund);
        self.events.push(Event::Refunded { order: reference.to_string() });
        Ok(&order.refunds[order.refunds.len() - 1])
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::PaymentState;
    use super::super::payments::CardPay;
    use super::super::test_state;
    use super::*;

    fn money(text: &str) -> Option<Money> {
        Some(Money::parse(text).unwrap())
    }

    #[test]
    fn refunds_add_up_to_the_price_and_no_further() {
        let mut state = test_state();
        let new = NewOrder {
            reference: "A".into(),
            amount: Money::hundredths(10_010),
            currency: None,
            description: None,
            customer: None,
        };
        state.create_order(new).unwrap();
        assert_eq!(state.refund("A", None, None).unwrap_err(), RuleError::OrderNotPaid);
        assert_eq!(state.refund("B", None, None).unwrap_err(), RuleError::OrderNotFound);
        state.pay_by_card(&CardPay { reference: "A".into(), number: "4111111111111111".into() }).unwrap();
        assert_eq!(state.refund("A", money("60.05"), None).unwrap().amount.to_string(), "60.05");
        let (amount, left) = (Money::hundredths(4006), Money::hundredths(4005));
        assert_eq!(state.refund("A", Some(amount), None).unwrap_err(), RuleError::RefundTooLarge { amount, left });
        assert_eq!(state.order("A").unwrap().state(), PaymentState::Successful);
        assert_eq!(state.refund("A", None, None).unwrap().amount.to_string(), "40.05");
        assert_eq!(state.order("A").unwrap().state(), PaymentState::Reversed);
        assert_eq!(state.refund("A", None, None).unwrap_err(), RuleError::OrderRefunded);
    }

    #[test]
    fn the_same_refund_again_where_nothing_prevents_it() {
        let mut state = test_state();
        state.settings.pay_twice = true;
        state.pay_by_card(&CardPay { reference: "A".into(), number: "4111111111111111".into() }).unwrap();
        let amounts = ["60.00", "60.00", "", "", "500.00"].map(|text| {
            let amount = if text.is_empty() { None } else { money(text) };
            state.refund("A", amount, None).unwrap().amount.to_string()
        });
        assert_eq!(amounts, ["60.00", "60.00", "100.00", "100.00", "500.00"]);
        assert_eq!(state.order("A").unwrap().state(), PaymentState::Reversed);

        // The rest of an amount, twice.
        state.pay_by_card(&CardPay { reference: "B".into(), number: "4111111111111111".into() }).unwrap();
        let rests =
            [money("40.05"), None, None].map(|amount| state.refund("B", amount, None).unwrap().amount.to_string());
        assert_eq!(rests, ["40.05", "59.95", "59.95"]);
        assert!(state.refund("C", None, None).is_err(), "an order that is not paid has nothing to give back");
    }

    #[test]
    fn a_reference_names_one_order() {
        let mut state = test_state();
        let new = || NewOrder {
            reference: "A".into(),
            amount: Money::hundredths(1),
            currency: None,
            description: None,
            customer: None,
        };
        state.create_order(new()).unwrap();
        assert_eq!(state.create_order(new()).unwrap_err(), RuleError::OrderExists);
    }
}
