//! Saved cards.

use super::ledger::Effect;
use super::magic;
use super::model::{PaymentState, SavedCard};
use super::ways_to_pay::hide_all_but_four;
use super::{RuleError, State};

impl State {
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
    use super::super::test_state;
    use super::super::ways_to_pay::CardPay;
    use super::*;

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
