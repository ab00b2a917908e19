//! Authorize and capture: the steps after a payment that was not complete at once.

use super::Call;
use super::payment_answer::answer;
use crate::http::answer::{Answer, ApiError};
use crate::http::fields::Fields;
use crate::state::State;

/// The one-time code of the card holder.
pub fn authorize(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let reference = fields.required("orderPaymentReference");
    let otp = fields.required("otp");
    fields.optional("message");
    fields.no_amount_but_at(&[], "the price is that of the order");
    fields.finish()?;
    let (order, index) = state.authorize_payment(&reference, &otp)?;
    answer(order, index, call)
}

/// Charges a reserved amount.
pub fn capture(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let reference = fields.required("reference");
    let amount = fields.required_amount("Amount");
    fields.no_amount_but_at(&["Amount"], "the amount is read at Amount");
    fields.finish()?;
    let (order, index) = state.capture(&reference, amount)?;
    answer(order, index, call)
}
