//! The C interface, and the only `unsafe` code. It converts pointers to values and back, and knows no rule of payments.
//!
//! `cargo xtask gen` renders constants and endpoints (`exports.rs`) from the tables, and `include/paysvc.h` from this module.
//!
//! Imports `flow`, `json`, `util`, of `wire` the call token, of `answer` the reply, and of `ledger` the store.

// Rules 1 to 3 of the header are the safety section of every exported function: a handle is NULL, or is freed only once
// and after the last function got it (a reply: after the last has returned); a text is NULL, or NUL-terminated until
// the function returns; a result goes nowhere (NULL) or to memory for it; one thread at a time uses a `paysvc_json`. What
// the types of the parameters say of this is in `pointer.rs`.
#![allow(clippy::missing_safety_doc)]

mod aws_lc;
mod boundary;
mod call;
#[cfg(any(fuzzing, test))]
#[doc(hidden)]
pub mod caller;
mod client;
#[rustfmt::skip] // Rendered.
mod exports;
#[cfg(all(any(fuzzing, test), unix))]
#[doc(hidden)]
pub mod fuzzing;
mod handle;
mod journal;
mod json;
mod names;
#[cfg(test)]
mod panic_tests;
mod pointer;
mod reference;
mod reply;
mod requests;
pub mod reserve;
mod sink;
mod store;
mod sys;
mod texts;
mod types;

pub use call::{
    paysvc_call_cancel, paysvc_call_free, paysvc_call_keep_log, paysvc_call_new, paysvc_call_next_log,
    paysvc_call_set_key, paysvc_call_set_progress, paysvc_call_set_timeout_ms, paysvc_call_set_traceparent,
};
pub use client::{paysvc_client_free, paysvc_client_set_log, paysvc_client_warm, paysvc_encrypt};
pub use exports::*;
pub use journal::paysvc_journal_next;
pub use json::{
    paysvc_json_error, paysvc_json_free, paysvc_json_new, paysvc_json_set_bool, paysvc_json_set_cp1252,
    paysvc_json_set_json, paysvc_json_set_number, paysvc_json_set_string, paysvc_json_text,
};
pub use names::{
    paysvc_abi, paysvc_outcome_name, paysvc_state_name, paysvc_status_name, paysvc_version, paysvc_version_number,
};
pub use reference::{paysvc_journal_reference_new, paysvc_reference_new};
pub use reply::{
    paysvc_reply_attempts, paysvc_reply_body, paysvc_reply_body_len, paysvc_reply_call_id, paysvc_reply_code,
    paysvc_reply_count, paysvc_reply_free, paysvc_reply_get, paysvc_reply_get_cp1252, paysvc_reply_http_status,
    paysvc_reply_is_active, paysvc_reply_is_paid, paysvc_reply_message, paysvc_reply_name, paysvc_reply_outcome,
    paysvc_reply_replayed, paysvc_reply_request_id, paysvc_reply_retry_after_ms, paysvc_reply_state,
    paysvc_reply_status, paysvc_reply_type,
};
pub use store::{paysvc_client_set_store, paysvc_sink_write};
pub use types::*;
