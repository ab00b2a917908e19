//! Admin calls that end what is pending: payments and refunds.

use crate::http::answer::ApiError;
use crate::state::State;
use crate::util::json::{Json, object};

/// Confirms, declines or expires a payment, by either of its references.
pub fn end(state: &mut State, reference: &str, how: &str) -> Result<Json, ApiError> {
    let order = match how {
        "confirm" => state.confirm_payment(reference)?,
        "decline" => state.decline_payment(reference)?,
        _ => state.expire_payment(reference)?,
    };
    Ok(object! { "paymentReference": reference, "reference": &order.reference, "status": order.state().name() })
}

/// Completes or fails a refund by its reference, or all pending ones of an order.
pub fn end_refunds(state: &mut State, reference: &str, how: &str) -> Result<Json, ApiError> {
    let order = state.end_refunds(reference, how == "complete")?;
    let refunds = order.refunds.iter().map(|refund| {
        object! {
            "reference": &refund.reference, "amount": refund.amount.to_string(), "status": refund.state.name(),
        }
    });
    Ok(object! {
        "reference": &order.reference,
        "status": order.state().name(),
        "refunds": refunds.collect::<Vec<_>>(),
    })
}
