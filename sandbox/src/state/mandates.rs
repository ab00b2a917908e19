//! Direct debit mandates with their one-time codes, and saved cards.

use super::ledger::Effect;
use super::model::{Mandate, OneTimeCode, PaymentState, SavedCard};
use super::payments::hide_all_but_four;
use super::{ASSUMED_AMOUNT, Activation, RuleError, State, magic};
use crate::util::clock::Moment;

pub struct NewMandate {
    pub order_reference: String,
    pub bank_name: String,
    pub bank_code: String,
    pub account_number: String,
}

impl State {
    pub fn create_mandate(&mut self, new: NewMandate) -> Result<&Mandate, RuleError> {
        let account = magic::account(&new.account_number);
        if account == magic::Account::Unknown {
            return Err(RuleError::BankAccountNotFound);
        }
        let active = self.settings.activation == Activation::Auto && account != magic::Account::StaysPending;
        let code = self.new_mandate_code();
        Ok(self.add_mandate(code, active, new))
    }

    /// A mandate with a given code and state, for admin calls.
    pub fn make_mandate(&mut self, code: String, active: bool, new: NewMandate) -> Result<&Mandate, RuleError> {
        if self.mandates.contains_key(&code) {
            return Err(RuleError::MandateExists);
        }
        Ok(self.add_mandate(code, active, new))
    }

    fn add_mandate(&mut self, code: String, active: bool, new: NewMandate) -> &Mandate {
        let amount = self.orders.get(&new.order_reference).map_or(ASSUMED_AMOUNT, |order| order.amount);
        let direct_debit_id = 1000 + self.next("direct debit id");
        self.ledger.commit(Effect::MandateCreated, new.order_reference.clone(), &code);
        let mandate = Mandate {
            code: code.clone(),
            direct_debit_id,
            order_reference: new.order_reference,
            bank_name: new.bank_name,
            bank_code: new.bank_code,
            account_number: new.account_number,
            amount,
            active,
            created: Moment::now(),
            otp: None,
            codes_sent: 0,
        };
        self.mandates.entry(code).or_insert(mandate)
    }

    /// A new code such as `MDTC-987654`.
    fn new_mandate_code(&mut self) -> String {
        loop {
            let number = self.next("mandate");
            // Six digits as in the service's samples; eight when most of them are used.
            let digits = if self.mandates.len() < 100_000 { 6 } else { 8 };
            let code = format!("MDTC-{}", self.seed.digits("mandate", number, digits));
            if !self.mandates.contains_key(&code) {
                return code;
            }
        }
    }

    pub fn mandate(&self, code: &str) -> Result<&Mandate, RuleError> {
        self.mandates.get(code).ok_or(RuleError::MandateNotFound)
    }

    pub fn activate_mandate(&mut self, code: &str) -> Result<&Mandate, RuleError> {
        let mandate = self.mandates.get_mut(code).ok_or(RuleError::MandateNotFound)?;
        mandate.active = true;
        Ok(mandate)
    }

    /// Generates a new code, which replaces the previous one.
    pub fn send_otp(&mut self, code: &str) -> Result<(), RuleError> {
        let mandate = self.mandates.get_mut(code).ok_or(RuleError::MandateNotFound)?;
        mandate.codes_sent += 1;
        let purpose = format!("one-time code {code}");
        // A generated code must not be a magic one.
        let digits = (0..).map(|retry| self.seed.digits(&purpose, mandate.codes_sent * 1000 + retry, 6));
        let otp = digits.into_iter().find(|digits| magic::otp(digits).is_none()).unwrap_or_default();
        mandate.otp = Some(OneTimeCode { code: otp, used: false });
        self.ledger.commit(Effect::OtpSent, code.to_string(), code);
        Ok(())
    }

    /// Checks the code and marks it as used. With `pay_twice` a used code is accepted again.
    pub(super) fn take_otp(&mut self, mandate_code: &str, given: &str) -> Result<(), RuleError> {
        match magic::otp(given) {
            Some(magic::Otp::Accepted) => return Ok(()),
            Some(magic::Otp::Wrong) => return Err(RuleError::OtpWrong),
            Some(magic::Otp::Expired) => return Err(RuleError::OtpExpired),
            None => {}
        }
        let reusable = self.settings.pay_twice;
        match self.mandates.get_mut(mandate_code).and_then(|mandate| mandate.otp.as_mut()) {
            Some(sent) if sent.code != given => Err(RuleError::OtpWrong),
            Some(sent) if sent.used && !reusable => Err(RuleError::OtpUsed),
            Some(sent) => {
                sent.used = true;
                Ok(())
            }
            None => Err(RuleError::OtpNotSent),
        }
    }

    /// Saves the card that paid an order; the same card again for the same order.
    pub fn save_card(&mut self, order: &str) -> Result<&SavedCard, RuleError> {
        let order = self.order(order)?;
        let paid = order.payments.iter().filter(|payment| payment.state == PaymentState::Successful);
        let mut by_card = paid.filter_map(|payment| Some((payment, payment.card?)));
        let (payment, behaviour) = by_card.next().ok_or(RuleError::NoCardToSave)?;
        let token = format!("PGW-CARD-{}", self.seed.hex32("saved card", order.id));
        let card = SavedCard {
            token: token.clone(),
            number: payment.instrument.clone(),
            behaviour,
            email: order.customer.as_ref().and_then(|customer| customer.email.clone()),
        };
        if !self.saved_cards.contains_key(&token) {
            self.ledger.commit(Effect::CardSaved, order.reference.clone(), &token);
        }
        Ok(self.saved_cards.entry(token).or_insert(card))
    }

    /// A saved card with a given token, for admin calls.
    pub fn make_card(&mut self, token: String, number: &str, email: Option<String>) -> Result<&SavedCard, RuleError> {
        if self.saved_cards.contains_key(&token) {
            return Err(RuleError::CardExists);
        }
        let (behaviour, number) = (magic::card(number), hide_all_but_four(number));
        let card = SavedCard { token: token.clone(), number, behaviour, email };
        self.ledger.commit(Effect::CardSaved, token.clone(), &token);
        Ok(self.saved_cards.entry(token).or_insert(card))
    }

    pub fn saved_cards_of(&self, email: &str) -> impl Iterator<Item = &SavedCard> {
        let is_theirs = move |card: &&SavedCard| card.email.as_deref().is_some_and(|of| of.eq_ignore_ascii_case(email));
        self.saved_cards.values().filter(is_theirs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::payments::CardPay;
    use crate::state::test_state;

    fn mandate(state: &mut State, account: &str) -> Result<String, RuleError> {
        let new = NewMandate {
            order_reference: "A".into(),
            bank_name: "Bank".into(),
            bank_code: "058".into(),
            account_number: account.into(),
        };
        state.create_mandate(new).map(|mandate| mandate.code.clone())
    }

    #[test]
    fn a_code_works_once_and_only_the_newest() {
        let mut state = test_state();
        let code = mandate(&mut state, "0690000031").unwrap();
        assert_eq!(state.take_otp(&code, "123456"), Err(RuleError::OtpNotSent));
        state.send_otp(&code).unwrap();
        let first = state.mandates[&code].otp.clone().unwrap().code;
        state.send_otp(&code).unwrap();
        let second = state.mandates[&code].otp.clone().unwrap().code;
        assert_ne!(first, second);
        assert_eq!(state.take_otp(&code, &first), Err(RuleError::OtpWrong));
        state.take_otp(&code, &second).unwrap();
        assert_eq!(state.take_otp(&code, &second), Err(RuleError::OtpUsed));
        state.take_otp(&code, "000000").unwrap();
        assert_eq!(state.take_otp(&code, "222222"), Err(RuleError::OtpExpired));
    }

    #[test]
    fn the_card_of_a_paid_order_is_saved_once() {
        let mut state = test_state();
        assert_eq!(state.save_card("A").unwrap_err(), RuleError::OrderNotFound);
        state.pay_by_card(&CardPay::of("A", "4000000000000002")).unwrap();
        assert_eq!(state.save_card("A").unwrap_err(), RuleError::NoCardToSave);
        state.pay_by_card(&CardPay::of("A", "4111111111111111")).unwrap();
        let token = state.save_card("A").unwrap().token.clone();
        assert_eq!(state.save_card("A").unwrap().token, token);
        assert_eq!(state.ledger.entries.iter().filter(|entry| entry.effect == Effect::CardSaved).count(), 1);
        assert!(state.pay_by_saved_card("B", &token).unwrap().is_paid());
        assert_eq!(state.pay_by_saved_card("C", "none").unwrap_err(), RuleError::CardNotFound);
        state.make_card("poor".into(), "4000000000000002", None).unwrap();
        assert_eq!(state.pay_by_saved_card("C", "poor").unwrap().state(), PaymentState::Failed);
    }
}
