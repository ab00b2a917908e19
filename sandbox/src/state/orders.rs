//! Orders, and what belongs to one: its payments and refunds, and the mandates for it.

use super::ledger::{Effect, Entry};
use super::model::{Customer, Mandate, Order};
use super::{ASSUMED_AMOUNT, DEFAULT_CURRENCY, RuleError, State, currency, magic};
use crate::util::clock::Moment;
use crate::util::money::Money;

pub struct NewOrder {
    pub reference: String,
    pub amount: Money,
    pub currency: Option<String>,
    pub description: Option<String>,
    pub customer: Option<Customer>,
    pub redirect_url: Option<String>,
}

impl NewOrder {
    /// An order about which nothing else is known.
    pub fn of(reference: &str, amount: Money) -> NewOrder {
        let reference = reference.to_string();
        NewOrder { reference, amount, currency: None, description: None, customer: None, redirect_url: None }
    }
}

impl Order {
    /// Refuses an amount or currency that differs from the order's.
    pub fn check_price(&self, amount: Money, currency: Option<&str>) -> Result<(), RuleError> {
        match amount == self.amount && currency.is_none_or(|currency| currency.eq_ignore_ascii_case(&self.currency)) {
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
        let currency = new.currency.as_deref().unwrap_or(DEFAULT_CURRENCY);
        let currency = Some(currency::known(currency).ok_or(RuleError::CurrencyUnknown)?.to_string());
        Ok(self.add_order(NewOrder { currency, ..new }, false))
    }

    /// Creates the order, or opens one that is unpaid again: a customer who closed the checkout comes back.
    pub fn open_order(&mut self, new: NewOrder) -> Result<&Order, RuleError> {
        match self.orders.get_mut(&new.reference).filter(|known| !known.is_paid()) {
            Some(known) => {
                known.check_price(new.amount, new.currency.as_deref())?;
                known.redirect_url = new.redirect_url.or(known.redirect_url.take());
                self.order(&new.reference)
            }
            None => self.create_order(new),
        }
    }

    /// The currency that the order has, or that a payment of an unknown one would have.
    pub(super) fn currency_of(&self, reference: &str) -> &str {
        self.orders.get(reference).map_or(DEFAULT_CURRENCY, |order| order.currency.as_str())
    }

    pub fn order_by_id(&self, id: u64) -> Result<&Order, RuleError> {
        self.orders.values().find(|order| order.id == id).ok_or(RuleError::OrderNotFound)
    }

    pub fn order(&self, reference: &str) -> Result<&Order, RuleError> {
        self.orders.get(reference).ok_or(RuleError::OrderNotFound)
    }

    /// Refuses a reference that neither an order nor a mandate has. One for a fault is its own order.
    pub fn check_named(&self, reference: &str) -> Result<(), RuleError> {
        let has_mandate = || self.mandates.values().any(|mandate| mandate.order_reference == reference);
        let is_named = self.orders.contains_key(reference) || reference.starts_with(magic::FAULT) || has_mandate();
        if is_named || self.settings.any_reference { Ok(()) } else { Err(RuleError::OrderNotFound) }
    }

    /// The order of a payment; an unknown one is created with the assumed amount.
    pub(super) fn order_to_pay(&mut self, reference: &str) -> &mut Order {
        if !self.orders.contains_key(reference) {
            let new = NewOrder::of(reference, ASSUMED_AMOUNT);
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
            fee_rule: self.settings.fee,
            assumed,
            description: new.description,
            customer: new.customer,
            redirect_url: new.redirect_url,
            payments: Vec::new(),
            refunds: Vec::new(),
            created: now,
            updated: now,
        };
        self.orders.entry(new.reference).or_insert(order)
    }
}

impl Order {
    /// All references of the order, its payments and its refunds.
    pub fn references(&self) -> Vec<String> {
        let own = [&self.reference, &self.processor_reference].map(String::clone);
        let payments = self.payments.iter().flat_map(|payment| [&payment.reference, &payment.detail_reference]);
        let refunds = self.refunds.iter().map(|refund| &refund.reference);
        own.into_iter().chain(payments.chain(refunds).cloned()).collect()
    }
}

impl Mandate {
    pub fn references(&self) -> Vec<String> {
        vec![self.code.clone(), self.order_reference.clone()]
    }
}

impl Entry {
    /// Its key, also without what follows the order in it, and the reference of its object.
    pub fn references(&self) -> Vec<String> {
        let is_refund = matches!(self.effect, Effect::RefundMade | Effect::RefundFailed);
        let order = self.key.rsplit_once('/').filter(|_| is_refund).map(|(order, _)| order.to_string());
        [self.key.clone(), self.reference.clone()].into_iter().chain(order).collect()
    }
}

impl State {
    /// The reference and, if it is one of an order's, all others of that order, with the codes of its mandates.
    pub fn related(&self, reference: &str) -> Vec<String> {
        let mut related = vec![reference.to_string()];
        let known = self.orders.get(reference);
        let order =
            known.or_else(|| self.orders.values().find(|order| order.references().iter().any(|it| it == reference)));
        if let Some(order) = order {
            let mandates = self.mandates.values().filter(|mandate| mandate.order_reference == order.reference);
            related.extend(order.references().into_iter().chain(mandates.map(|mandate| mandate.code.clone())));
        }
        related
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::payments::Made;
    use crate::state::test_state;

    fn new(reference: &str, currency: Option<&str>) -> NewOrder {
        let currency = currency.map(str::to_string);
        NewOrder { currency, ..NewOrder::of(reference, Money::hundredths(1)) }
    }

    #[test]
    fn a_reference_names_one_order() {
        let mut state = test_state();
        state.create_order(new("A", None)).unwrap();
        assert_eq!(state.create_order(new("A", None)).unwrap_err(), RuleError::OrderExists);
        state.create_order(new("B", None)).unwrap();
        assert_ne!(state.orders["B"].processor_reference, state.orders["A"].processor_reference);
    }

    #[test]
    fn a_currency_is_one_that_exists() {
        let mut state = test_state();
        assert_eq!(state.create_order(new("A", Some("eur"))).unwrap().currency, "EUR");
        assert_eq!(state.create_order(new("B", Some("NG"))).unwrap_err(), RuleError::CurrencyUnknown);
        assert!(state.orders["A"].check_price(Money::hundredths(1), Some("Eur")).is_ok());
        assert!(state.orders["A"].check_price(Money::hundredths(1), Some("NGN")).is_err());
    }

    #[test]
    fn every_reference_of_an_order_leads_to_all_of_them() {
        let mut state = test_state();
        for reference in ["A", "B"] {
            state.create_order(NewOrder::of(reference, Money::whole(5))).unwrap();
            state.make_payment(reference, Made::Paid, None).unwrap();
        }
        let payment = state.orders["A"].payments[0].reference.clone();
        state.refund("A", Some(Money::whole(1)), None).unwrap();
        let sorted = |reference: &str| {
            let mut related = state.related(reference);
            related.sort();
            related.dedup();
            related
        };
        assert_eq!(sorted("A"), sorted(&payment));
        assert_eq!(sorted("A").len(), 5);
        assert_eq!(state.related("C"), ["C"]);
        let refund = state.ledger.entries.last().unwrap();
        assert_eq!((refund.key.as_str(), refund.references()[2].as_str()), ("A/1.00", "A"));
    }
}
