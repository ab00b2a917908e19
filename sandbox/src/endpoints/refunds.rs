//! Refund: all of an order or a part of it.

use super::Call;
use crate::http::answer::{Answer, ApiError};
use crate::http::fields::Fields;
use crate::state::State;
use crate::util::json::object;

pub fn refund(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let reference = fields.required("reference");
    let reason = fields.optional("reason");
    // The service's template lists `Amount` with an empty text, which counts as absent.
    let amount = fields.optional_amount("amount");
    fields.no_amount_but_at(&["amount"], "the amount of a partial refund is read at amount");
    fields.finish()?;
    let refund = state.refund(&reference, amount, reason)?;
    Ok(Answer::ok(&object! {
        "status": true,
        "message": "Refund has been initiated",
        "data": object! {
            "reference": reference,
            "amount_refunded": refund.amount.to_string(),
            "status": refund.state.name(),
        },
    }))
}
