//! The endpoints, one file per field: what a request must hold and the shape of its answer. The rules are in `state`.

pub mod banks;
pub mod direct_debit;
pub mod orders;
pub mod pay;
pub mod payouts;
pub mod refunds;
pub mod transactions;
pub mod virtual_accounts;

use crate::json::{Json, object};

/// `{"data":…,"status":"success","statusCode":"00","message":"…"}`, the general success envelope.
fn success(status_code: &str, message: &str, data: Json) -> Json {
    object! { "data": data, "status": "success", "statusCode": status_code, "message": message }
}
