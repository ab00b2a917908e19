//! What belongs together: an order, its payments and refunds, and the mandates for it.

use super::State;
use super::ledger::{Effect, Entry};
use super::model::{Mandate, Order};

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
    use super::super::test_state;
    use crate::state::attempt::Made;
    use crate::state::orders::NewOrder;
    use crate::util::money::Money;

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
