//! Saved cards: save one, charge one.

use super::payment_answer::answer_newest;
use super::{Call, new_order};
use crate::http::answer::{Answer, ApiError};
use crate::http::fields::Fields;
use crate::state::State;
use crate::state::model::PaymentState;
use crate::util::json::object;

/// Saves the card that paid an order.
pub fn save(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let reference = fields.required("reference");
    fields.finish()?;
    let card = state.save_card(&reference)?;
    let data = object! { "reference": reference, "cardToken": &card.token, "cardNumber": &card.number };
    Ok(Answer::ok(&object! {
        "data": data,
        "status": PaymentState::Successful.name(),
        "statusCode": "00",
        "message": "Card saved successfully",
    }))
}

/// Creates an order and charges it to a saved card.
pub fn charge(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let token = fields.required("authorization.cardToken");
    let new = new_order::read(&call.input);
    fields.finish()?;
    let new = new?;
    if !state.saved_cards.contains_key(&token) {
        return Err(ApiError::not_found("authorization.cardToken", "Saved card"));
    }
    let reference = new.reference.clone();
    new_order::prepare_card_payment(state, new)?;
    answer_newest(state.pay_by_saved_card(&reference, &token)?, call)
}
