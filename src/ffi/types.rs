//! The types of the C interface, its versions, and the names of its numbers.
#![allow(non_camel_case_types)] // They are C's names.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

use once_cell::race::OnceBox;

use super::boundary::boundary;
use super::reply::Handle;
use crate::json::builder::Builder;
use paysvc_spec::status::{self, Constant, OUTCOMES, STATES, STATUSES};

/// Result of a call: PAYSVC_OK or one of PAYSVC_E_... Treat an unknown number as a failure.
pub type paysvc_status = c_int;

/// The effect of the request at the service, as far as is known: one of PAYSVC_OUTCOME_...
pub type paysvc_outcome = c_int;

/// State of the payment or refund in the response, the service's statusId: one of PAYSVC_STATE_..., or a number that
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

/// Results of the functions of the same names, see paysvc_reply_read(). The texts are never NULL, and valid until the
/// reply is freed.
#[repr(C)]
pub struct paysvc_reply_view {
    /// It stands first, so that a size that is too small leaves it out last: 0 is PAYSVC_OUTCOME_NOT_SENT.
    pub outcome: paysvc_outcome,
    pub status: paysvc_status,
    pub state: paysvc_state,
    pub http_status: c_int,
    pub attempts: c_int,
    pub retry_after_ms: c_int,
    pub replayed: c_int,
    pub is_active: c_int,
    pub body: *const c_char,
    pub body_len: usize,
    pub code: *const c_char,
    pub message: *const c_char,
    pub call_id: *const c_char,
    pub request_id: *const c_char,
    /// Why it is not paid, whatever it is compared with; "": paysvc_reply_is_paid() decides whether it is.
    pub why_not: *const c_char,
}

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
/// fields. The callbacks return PAYSVC_STORE_DONE, append also PAYSVC_STORE_EXISTS; any other value is a failure, and then
/// nothing that moves money is sent. Their texts are valid until they return. They must return within timeout_ms
/// milliseconds; no exception, no longjmp, no thread exit.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct paysvc_store {
    /// sizeof(paysvc_store)
    pub size: usize,
    /// Inserts a row with the primary key (key, seq), which is durable when it returns: committed, and written to the disk
    /// of the primary. PAYSVC_STORE_EXISTS if there is a row with this key and number; it never replaces one. Its columns for
    /// the queries of `read` are the fields "order" (may be missing) and "open" of row_json, which is one JSON object.
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
    /// by key, at most n. Keys are compared byte by byte. A row is kept for ever: a key whose rows are deleted is new, and can
    /// be charged again.
    pub read: Option<
        unsafe extern "C" fn(
            userdata: *mut c_void,
            query_json: *const c_char,
            timeout_ms: c_int,
            found: *mut paysvc_sink,
        ) -> c_int,
    >,
    /// Called once, after the last use of the other callbacks, on the thread that ends it; may be NULL.
    pub release: Option<unsafe extern "C" fn(userdata: *mut c_void)>,
}

/// A function that sends requests, such as paysvc_order_create(): for programs that load the library by themselves.
pub type paysvc_function = Option<
    unsafe extern "C" fn(
        client: *const paysvc_client,
        request_json: *const c_char,
        call: *const paysvc_call,
        reply: *mut *mut paysvc_reply,
    ) -> paysvc_status,
>;

/// Version of the library, e.g. "1.2.3".
///
/// @return a static string; do not free it
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_version() -> *const c_char {
    const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("the version holds a NUL"),
    };
    VERSION.as_ptr()
}

/// Version of the loaded library as a number: 300 for 0.3.0, 10203 for 1.2.3. If it is lower than PAYSVC_VERSION_NUMBER, the
/// program was built for a later release, and may use a function that this library lacks.
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_version_number() -> c_int {
    status::VERSION_NUMBER
}

/// Version of the binary interface of the loaded library, which is also the number in its soname. Compare it with
/// PAYSVC_ABI before any other call.
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_abi() -> c_int {
    status::ABI
}

/// Name of a status without its prefix, e.g. "E_TIMEOUT".
///
/// @return a static string, "?" for a number that this version does not have; do not free it
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_status_name(status: paysvc_status) -> *const c_char {
    static NAMES: OnceBox<Names> = OnceBox::new();
    name(&NAMES, STATUSES, "", status)
}

/// Name of an outcome without its prefix, e.g. "UNKNOWN".
///
/// @return a static string, "?" for a number that this version does not have; do not free it
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_outcome_name(outcome: paysvc_outcome) -> *const c_char {
    static NAMES: OnceBox<Names> = OnceBox::new();
    name(&NAMES, OUTCOMES, "OUTCOME_", outcome)
}

/// Name of a payment's state without its prefix, e.g. "SUCCESSFUL".
///
/// @return a static string, "?" for a number that this version does not have; do not free it
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_state_name(state: paysvc_state) -> *const c_char {
    static NAMES: OnceBox<Names> = OnceBox::new();
    name(&NAMES, STATES, "STATE_", state)
}

type Names = Vec<(c_int, CString)>;

/// The names are made once, with the NUL that C needs.
fn name(names: &'static OnceBox<Names>, table: &[Constant], prefix: &str, number: c_int) -> *const c_char {
    boundary(c"?".as_ptr(), || {
        let names = names.get_or_init(|| {
            let text = |constant: &Constant| CString::new(constant.name.trim_start_matches(prefix)).unwrap_or_default();
            Box::new(table.iter().map(|constant| (constant.number, text(constant))).collect())
        });
        names.iter().find(|(known, _)| *known == number).map_or(c"?".as_ptr(), |(_, name)| name.as_ptr())
    })
}
