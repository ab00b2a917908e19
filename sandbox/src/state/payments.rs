//! Payments: what all options have in common, the ways to pay an order, and the further steps of a payment that was
//! not complete at once.

use super::ledger::Effect;
use super::model::{Awaits, Due, Method, Order, Payment, PaymentState, TRANSFER_LIVES};
use super::{DEFAULT_CURRENCY, Event, RuleError, State, currency, magic};
use crate::util::clock::Moment;
use crate::util::money::Money;

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

/// The payment that an admin call makes for an order.
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

    /// Checks that a payment by card with this reference may be added to a new order.
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

    /// Checks that the order may be paid with this option. An unknown order may; paying creates it.
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
            magic::Card::Declined => (BY_ISSUER, Awaits::Nothing),
            magic::Card::Expired => (CARD_EXPIRED, Awaits::Nothing),
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
            magic::Card::Declined => BY_ISSUER,
            magic::Card::Expired => CARD_EXPIRED,
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

const BY_ISSUER: Outcome = (PaymentState::Failed, "12", "Declined by the issuer");
const CARD_EXPIRED: Outcome = (PaymentState::Failed, "04", "The card has expired");

pub(super) fn hide_all_but_four(number: &str) -> String {
    let count = number.chars().count();
    number.chars().enumerate().map(|(place, digit)| if place + 4 < count { '*' } else { digit }).collect()
}

const BY_CUSTOMER: Outcome = (PaymentState::Failed, "12", "Declined by the customer");
const TOO_LATE: Outcome = (PaymentState::Failed, "04", "The payment has expired");

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
        Ok(self.conclude(&order, index, BY_CUSTOMER))
    }

    pub fn expire_payment(&mut self, reference: &str) -> Result<&Order, RuleError> {
        let (order, index) = self.pending_payment(reference)?;
        Ok(self.conclude(&order, index, TOO_LATE))
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

    /// Returns whether a bank transfer was offered this temporary account.
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
    use super::*;
    use crate::state::mandates::NewMandate;
    use crate::state::test_state;

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
        assert_eq!(charges(&state).len(), 1);
        assert_eq!(state.events.len(), 2);
    }

    #[test]
    fn a_paid_order_is_paid_again_where_nothing_prevents_it() {
        let mut state = test_state();
        state.settings.pay_twice = true;
        for _ in 0..2 {
            assert!(state.pay_by_card(&card("A", "4111111111111111")).unwrap().is_paid());
        }
        assert_eq!(charges(&state).len(), 2);
        assert_eq!(state.order("A").unwrap().state(), PaymentState::Successful);
        // A reset keeps the setting.
        state.reset();
        assert!(state.settings.pay_twice);
        // A payment that awaits its holder is charged once, although the order was paid meanwhile.
        let late = state.pay_by_card(&card("B", "4000002500003155")).unwrap().payments[0].reference.clone();
        state.pay_by_card(&card("B", "4111111111111111")).unwrap();
        assert!(state.confirm_payment(&late).is_ok() && state.confirm_payment(&late).is_err());
        assert_eq!(charges(&state).len(), 2);
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
            crate::state::orders::NewOrder {
                currency: Some(currency.into()),
                ..crate::state::orders::NewOrder::of(reference, amount)
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
