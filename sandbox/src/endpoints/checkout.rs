//! Hosted checkout: creates an order and answers with the page where the customer pays it.

use super::{Call, new_order};
use crate::http::answer::{Answer, ApiError};
use crate::state::State;
use crate::util::json::object;

pub fn create(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let order = state.create_order(new_order::read(&call.input)?)?;
    Ok(Answer::ok(&object! {
        "isSuccess": true,
        "redirectUrl": format!("{}/sandbox/checkout/{}", call.base_url, order.id),
        "orderId": order.id,
        "message": "Order created successfully, please proceed to url",
    }))
}
