//! The types of the C interface.
#![allow(non_camel_case_types)] // They are C's names.

use std::ffi::{c_char, c_int, c_void};

/// Result of a call: PAYSVC_OK or one of PAYSVC_E_... Treat an unknown number as a failure.
pub type paysvc_status = c_int;

/// What the service did with the request, as far as is known: one of PAYSVC_OUTCOME_...
pub type paysvc_outcome = c_int;

/// State of the payment or refund in the answer, the service's statusId: one of PAYSVC_STATE_..., or a number that
/// the service has added since. Paid means both PAYSVC_OUTCOME_CONFIRMED and PAYSVC_STATE_SUCCESSFUL.
pub type paysvc_state = c_int;

/// Configuration and connections. Any number of threads may use it at once.
pub struct paysvc_client {
    _opaque: (),
}

/// Deadline and cancel of a request. Any number of threads may use it at once.
pub struct paysvc_call {
    _opaque: (),
}

/// Result of a call. Any number of threads may read it at once; one of them frees it.
pub struct paysvc_reply {
    _opaque: (),
}

/// A request under construction. One thread at a time uses it.
pub struct paysvc_json {
    _opaque: (),
}

/// Receives one line of the log. `level` is 1 (error), 2 (warning), 3 (information) or 4 (debug). `message` is valid until
/// the callback returns.
pub type paysvc_log_fn = Option<unsafe extern "C" fn(userdata: *mut c_void, level: c_int, message: *const c_char)>;

/// Receives the progress of a call that takes several steps. `done` of `total` are done; a `total` of 0 is not known.
/// `step_json` is one JSON object that describes the step, valid until the callback returns. It returns PAYSVC_CONTINUE;
/// any other value stops the call before its next step, so that a callback that fails by accident stops payouts.
pub type paysvc_progress_fn =
    Option<unsafe extern "C" fn(userdata: *mut c_void, done: usize, total: usize, step_json: *const c_char) -> c_int>;

/// A function of an endpoint. cbindgen leaves it out of the header.
#[doc(hidden)]
pub type paysvc_function = unsafe extern "C" fn(
    client: *const paysvc_client,
    request_json: *const c_char,
    call: *const paysvc_call,
    reply: *mut *mut paysvc_reply,
) -> paysvc_status;
