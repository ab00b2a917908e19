//! The types of the C interface.
#![allow(non_camel_case_types)] // They are C's names.

use std::ffi::{c_char, c_int, c_void};

/// Why a call ended as it did: PAYSVC_OK or one of PAYSVC_E_... An unknown number is a failure.
pub type paysvc_status = c_int;

/// What is known of the service's side: one of PAYSVC_OUTCOME_...
pub type paysvc_outcome = c_int;

/// State of the payment or refund in the answer, the service's own statusId: one of PAYSVC_STATE_..., or a number
/// that the service has added since. Paid means PAYSVC_OUTCOME_CONFIRMED and PAYSVC_STATE_SUCCESSFUL, both.
pub type paysvc_state = c_int;

/// Configuration and connections; any threads at once.
pub struct paysvc_client {
    _opaque: (),
}

/// Deadline and cancel of one request; any threads at once.
pub struct paysvc_call {
    _opaque: (),
}

/// All that came back; read by many threads, freed by one.
pub struct paysvc_reply {
    _opaque: (),
}

/// Receives one line of the log: level 1 (error), 2 (warning), 3 (information) or 4 (debug). The message lives until the
/// callback returns.
pub type paysvc_log_fn = Option<unsafe extern "C" fn(userdata: *mut c_void, level: c_int, message: *const c_char)>;

/// A function of an endpoint. Not for C, where cbindgen leaves it out.
#[doc(hidden)]
pub type paysvc_function = unsafe extern "C" fn(
    client: *const paysvc_client,
    request_json: *const c_char,
    call: *const paysvc_call,
    reply: *mut *mut paysvc_reply,
) -> paysvc_status;
