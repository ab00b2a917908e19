//! What all payment options have in common: the checks, the new payment, and its charge in the ledger.

use super::ledger::Effect;
use super::magic;
use super::model::{Awaits, Method, Order, Payment, PaymentState};
use super::{DEFAULT_CURRENCY, Event, RuleError, State, currency};
use crate::util::clock::Moment;

/// State, code and message of a payment.
pub(super) type Outcome = (PaymentState, &'static str, &'static str);

pub(super) const PAID: Outcome = (PaymentState::Successful, "00", "Approved");
pub(super) const AWAITS_HOLDER: Outcome = (PaymentState::Pending, "02", "pending-authenticaion");
pub(super) const RESERVED: Outcome = (PaymentState::Pending, "02", "Amount reserved, awaiting capture");

/// A payment to be added to an order.
pub(super) struct Attempt {
    pub method: Method,
    pub outcome: Outcome,
    pub awaits: Awaits,
    pub payer: Option<String>,
    pub instrument: String,
    pub card: Option<magic::Card>,
    /// `None`: a new reference is made.
    pub reference: Option<String>,
}

impl Attempt {
    pub fn new(method: Method, outcome: Outcome, instrument: String) -> Attempt {
        Attempt { method, outcome, awaits: Awaits::Nothing, payer: None, instrument, card: None, reference: None }
    }
}

/// What an admin call does to the payment of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    Paid,
    /// A card that awaits its holder.
    Pending,
    /// A card with a reserved amount.
    Preauthorized,
}

impl State {
    /// Adds a payment by card without its number, for admin calls and the hosted checkout.
    pub fn make_payment(&mut self, order: &str, made: Made, reference: Option<String>) -> Result<&Order, RuleError> {
        self.check_payable(order, Method::Card)?;
        let (outcome, awaits, instrument) = match made {
            Made::Paid => (PAID, Awaits::Nothing, "made paid"),
            Made::Pending => (AWAITS_HOLDER, Awaits::Holder, "made pending"),
            Made::Preauthorized => (RESERVED, Awaits::Capture, "made reserved"),
        };
        let card = Some(magic::Card::Accepted);
        let attempt = Attempt::new(Method::Card, outcome, instrument.to_string());
        Ok(self.add_payment(order, Attempt { awaits, card, reference, ..attempt }))
    }

    /// Whether a payment by card with this reference may be added to a new order.
    pub fn check_new_payment(&self, currency: Option<&str>, reference: Option<&str>) -> Result<(), RuleError> {
        if reference.is_some_and(|reference| self.place_of_payment(reference).is_some()) {
            return Err(RuleError::PaymentReferenceExists);
        }
        self.check_new(Method::Card, currency)
    }

    /// The same for an order that does not exist yet; without a currency it has the default one.
    pub fn check_new(&self, method: Method, currency: Option<&str>) -> Result<(), RuleError> {
        let currency = currency::known(currency.unwrap_or(DEFAULT_CURRENCY)).ok_or(RuleError::CurrencyUnknown)?;
        self.check_offered(method, currency)
    }

    /// The options that the merchant can be paid with in a currency.
    pub fn offered_in(&self, currency: &str) -> impl Iterator<Item = Method> {
        Method::of_currency(currency).filter(|_| self.settings.currencies.contain(currency))
    }

    fn check_offered(&self, method: Method, currency: &str) -> Result<(), RuleError> {
        match self.offered_in(currency).any(|offered| offered == method) {
            true => Ok(()),
            false => Err(RuleError::OptionNotOffered { option: method.code(), currency: currency.to_string() }),
        }
    }

    /// Whether the order may be paid with this option. An unknown order may; paying creates it.
    pub fn check_payable(&self, reference: &str, method: Method) -> Result<(), RuleError> {
        if self.orders.get(reference).is_some_and(Order::is_paid) && !self.settings.pay_twice {
            return Err(RuleError::OrderPaid);
        }
        self.check_offered(method, self.currency_of(reference))
    }

    pub(super) fn add_payment(&mut self, order: &str, attempt: Attempt) -> &Order {
        let reference = attempt.reference.unwrap_or_else(|| self.new_reference("PGW-PAYREF-"));
        let detail_reference = self.new_reference("PGW-PAYMENT-");
        let (state, code, message) = attempt.outcome;
        let now = Moment::now();
        let order = self.order_to_pay(order);
        let payment = Payment {
            reference: reference.clone(),
            detail_reference,
            method: attempt.method,
            state,
            awaits: attempt.awaits,
            code,
            message,
            amount: order.amount,
            payer: attempt.payer,
            instrument: attempt.instrument,
            card: attempt.card,
            created: now,
            updated: now,
        };
        order.payments.push(payment);
        let (order, index) = (order.reference.clone(), order.payments.len() - 1);
        self.settle_payment(&order, index)
    }

    /// The order and the index of a payment, by either of its references.
    pub(super) fn place_of_payment(&self, reference: &str) -> Option<(String, usize)> {
        self.orders.values().find_map(|order| {
            let is_it = |payment: &Payment| payment.reference == reference || payment.detail_reference == reference;
            Some((order.reference.clone(), order.payments.iter().position(is_it)?))
        })
    }

    /// Changes the outcome of a payment.
    pub(super) fn conclude(&mut self, order: &str, index: usize, outcome: Outcome) -> &Order {
        let payment = &mut self.orders.get_mut(order).expect("its place was just found").payments[index];
        (payment.state, payment.code, payment.message) = outcome;
        payment.updated = Moment::now();
        self.settle_payment(order, index)
    }

    /// Commits the charge of a successful payment to the ledger, and adds an event for a final state.
    fn settle_payment(&mut self, order: &str, index: usize) -> &Order {
        let order = self.orders.get_mut(order).expect("the caller has just used it");
        order.updated = Moment::now();
        let payment = &order.payments[index];
        if payment.state == PaymentState::Successful {
            let (key, fee) = (order.reference.clone(), Some(order.fee_of(payment)));
            let (reference, amount) = (&payment.reference, payment.amount);
            self.ledger.commit_money(Effect::ChargeMade, key, reference, amount, fee, &order.currency);
        }
        if payment.state.is_final() && order.state().is_final() {
            self.events.push(Event::PaymentFinal { order: order.reference.clone() });
        }
        order
    }
}
