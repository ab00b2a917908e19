//! The endpoints, one file per field: what a request must hold and the shape of its answer. The rules are in `state`.

pub mod banks;
pub mod direct_debit;
pub mod orders;
pub mod pay;
pub mod payouts;
pub mod refunds;
mod rule_errors;
pub mod transactions;
pub mod virtual_accounts;

use crate::json::{Json, object};

/// A request as a handler sees it: opened and checked, but for its members.
pub struct Call {
    /// The members of the opened body, or of the query.
    pub input: Json,
    /// The part of the path that is a value.
    pub path_value: String,
    pub base_url: String,
}

/// `{"data":…,"status":"success","statusCode":"00","message":"…"}`, the general success envelope.
fn success(status_code: &str, message: &str, data: Json) -> Json {
    object! { "data": data, "status": "success", "statusCode": status_code, "message": message }
}
