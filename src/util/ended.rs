//! What messages say about a call that is over.

use paysvc_spec::status::Status;

pub const CANCELLED: &str = "the call was cancelled";
pub const TIME_IS_OVER: &str = "the time is over";

pub fn message(why: Status) -> &'static str {
    if why == Status::Cancelled { CANCELLED } else { TIME_IS_OVER }
}
