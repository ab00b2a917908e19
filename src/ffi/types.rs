//! The types of the C interface.
#![allow(non_camel_case_types)] // They are C's names.

use std::ffi::{c_char, c_int, c_void};

use super::handle::Handle;
use crate::json::builder::Builder;

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
pub struct paysvc_reply(pub(super) Handle);

/// A request under construction. One thread at a time uses it.
pub struct paysvc_json(pub(super) Builder);

/// Receives one line of the log. `level` is 1 (error), 2 (warning), 3 (information) or 4 (debug). `message` is valid until
/// the callback returns.
pub type paysvc_log_fn = Option<unsafe extern "C" fn(userdata: *mut c_void, level: c_int, message: *const c_char)>;

/// Receives the progress of a call that takes several steps. `done` of `total` are done; a `total` of 0 is not known.
/// `step_json` is one JSON object that describes the step, valid until the callback returns. It returns PAYSVC_CONTINUE;
/// any other value stops the call before its next step, so that a callback that fails by accident stops payouts.
pub type paysvc_progress_fn =
    Option<unsafe extern "C" fn(userdata: *mut c_void, done: usize, total: usize, step_json: *const c_char) -> c_int>;

/// Where the callback `read` of a paysvc_store puts rows, by paysvc_sink_write(). It is valid until the callback returns.
pub struct paysvc_sink {
    _opaque: (),
}

/// A database of the program that keeps the journal, see paysvc_client_set_store(). Set all bytes to 0 first, and then the
/// members. The callbacks return PAYSVC_STORE_DONE, append also PAYSVC_STORE_EXISTS; any other value is a failure, and then
/// nothing that moves money is sent. Their texts are valid until they return. They must return within timeout_ms
/// milliseconds; no exception, no longjmp, no thread exit.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct paysvc_store {
    /// sizeof(paysvc_store)
    pub size: usize,
    /// Inserts a row with the primary key (key, seq), which is durable when it returns: committed, and written to the disk
    /// of the primary. PAYSVC_STORE_EXISTS if there is a row with this key and number; it never replaces one. Its columns for
    /// the queries of `read` are the members "order" (may be missing) and "open" of row_json, which is one JSON object.
    pub append: Option<
        unsafe extern "C" fn(
            userdata: *mut c_void,
            key: *const c_char,
            seq: c_int,
            row_json: *const c_char,
            timeout_ms: c_int,
        ) -> c_int,
    >,
    /// Hands on every row that query_json asks for, by paysvc_sink_write(), and sees everything that was committed before.
    /// It is one of {"key":"..."}: all rows of the key, by seq; {"order":"..."}: all rows with this "order", by key and seq;
    /// {"open":true,"after":"...","limit":n}: of each key above `after` the row with the highest seq, if its "open" is true;
    /// by key, at most n. Keys are compared byte by byte.
    pub read: Option<
        unsafe extern "C" fn(
            userdata: *mut c_void,
            query_json: *const c_char,
            timeout_ms: c_int,
            found: *mut paysvc_sink,
        ) -> c_int,
    >,
    /// Deletes all rows of a key; may be NULL: then rows are kept for ever.
    pub forget: Option<unsafe extern "C" fn(userdata: *mut c_void, key: *const c_char, timeout_ms: c_int) -> c_int>,
    /// Called once, after the last use of the other callbacks, on the thread that ends it; may be NULL.
    pub release: Option<unsafe extern "C" fn(userdata: *mut c_void)>,
}

/// A function of an endpoint. cbindgen leaves it out of the header.
#[doc(hidden)]
pub type paysvc_function = unsafe extern "C" fn(
    client: *const paysvc_client,
    request_json: *const c_char,
    call: *const paysvc_call,
    reply: *mut *mut paysvc_reply,
) -> paysvc_status;
