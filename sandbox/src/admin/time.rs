//! Admin calls for tests that do not wait: the clock, and what would end by itself.

use crate::http::answer::ApiError;
use crate::http::fields::Fields;
use crate::state::State;
use crate::util::clock::{self, Moment};
use crate::util::json::{Json, object};

pub fn show() -> Json {
    object! { "now": Moment::now().millis_utc(), "ahead_ms": clock::ahead_ms() }
}

/// Moves the clock, and does what is due then.
pub fn advance(state: &mut State, body: &Json) -> Result<Json, ApiError> {
    let mut fields = Fields::of(body);
    fields.only(&["advance_ms"]);
    if body.get("advance_ms").is_none() {
        fields.error("advance_ms", "The advance_ms field is required.".to_string());
    }
    let ms = fields.optional_count("advance_ms");
    fields.finish()?;
    let far = || ApiError::field("advance_ms", "The clock cannot be more than ten years ahead.");
    clock::advance(ms.unwrap_or_default()).ok_or_else(far)?;
    state.settle_due();
    Ok(show())
}

pub fn settle(state: &mut State) -> Json {
    let (payouts, refunds) = state.settle_now();
    object! { "payouts": payouts, "refunds": refunds }
}
