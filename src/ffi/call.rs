//! The call handle.

use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::Arc;

use super::boundary::{Shared, UserData, accepted, boundary, text};
use super::sys;
use super::types::{paysvc_call, paysvc_progress_fn, paysvc_status};
use crate::call::token::{CallToken, Listener};
use crate::util::process;
use paysvc_spec::status::CONTINUE;

/// Runs the body with the token, which stays alive even if another thread frees it. `fallback` is for NULL and for a panic.
///
/// # Safety
/// `call` is NULL, or a handle that has not been freed.
unsafe fn with<T: Copy>(call: *const paysvc_call, fallback: T, body: impl FnOnce(&CallToken) -> T) -> T {
    // SAFETY: what the caller promises, unchanged.
    boundary(fallback, || unsafe { Shared::retain(call) }.map_or(fallback, |call| body(&call)))
}

/// Makes a token with which a request gets a deadline of its own and can be cancelled.
///
/// @return the token: free it with paysvc_call_free(). NULL only after a failure in the library itself.
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_call_new() -> *mut paysvc_call {
    boundary(std::ptr::null_mut(), || {
        // Maps the page now, so that a cancel in a signal handler need not.
        process::generation();
        Shared::give(Arc::new(CallToken::default()))
    })
}

/// Sets the timeout of calls that start with this token from now on. It does not affect a running call.
///
/// @param call  NULL is ignored
/// @param timeout_ms  for the whole call in ms, including retries and waits; 0 or less: the client's timeout_ms
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_call_set_timeout_ms(call: *const paysvc_call, timeout_ms: c_int) {
    // SAFETY: NULL, or a handle that has not been freed.
    unsafe { with(call, (), |call| call.set_timeout_ms(timeout_ms)) }
}

/// Sets the callback for the progress of calls that start with this token from now on: paysvc_payout_bulk() calls it before
/// and after each batch, paysvc_order_wait() after each look. It is called on the
/// thread that makes the call.
///
/// @param call  NULL is ignored
/// @param progress  the callback, which must return; NULL: none
/// @param userdata  passed to every call of the callback; may be NULL. It must stay valid while a call with this token runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_call_set_progress(
    call: *const paysvc_call,
    progress: paysvc_progress_fn,
    userdata: *mut c_void,
) {
    // SAFETY: NULL, or a handle that has not been freed. The program promises that its callback may run with this pointer
    // during a call with this token.
    unsafe { with(call, (), |call| call.set_progress(progress.map(|progress| listener(progress, userdata)))) }
}

/// Keeps the lines of the log of calls with this token, for paysvc_call_next_log(): for languages whose code must not run in
/// a callback. It does not depend on paysvc_client_set_log(), and keeps the same lines. At most 1,024 are kept; of more, only
/// their number.
///
/// @param call  NULL is ignored
/// @param level  the most detailed level to keep: 1 (errors), 2 (warnings), 3 (information) or 4 (debug); 0 or less: none, as
///   before the first call of this function. Lines that are kept already stay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_call_keep_log(call: *const paysvc_call, level: c_int) {
    // SAFETY: NULL, or a handle that has not been freed.
    unsafe { with(call, (), |call| call.set_kept_level(level)) }
}

/// Takes the oldest line that the token has kept, as a JSON object, e.g. {"level":3, "time":1795835388443,
/// "call_id":"3k9v0c2m8q1tz7ha-42", "message":"...", "reference":"ORDER-1", "endpoint":"order_refund", "attempt":1, "status":"OK",
/// "outcome":"CONFIRMED", "http_status":200, "ms":41, "request_id":""}. Every line has level, call_id and message, time
/// (milliseconds since 1970 in UTC) unless it has dropped, and reference if the request of the call names an order; one about an
/// attempt also endpoint (the function's name without paysvc_) and attempt, and when the attempt begins (level 4) "begins":true,
/// when it has ended status, outcome, http_status (0: no response), ms and request_id, see paysvc_reply_request_id(). If lines
/// could not be kept, the last has "dropped": how many.
///
/// It may be called after a call, and in its log and progress callbacks: a line is kept before the log callback gets it. Only
/// one thread may use the lines of a token at a time, and not while a call with the token runs on another.
///
/// @param call  NULL: NULL
/// @return valid until the next call of this function with the token, and until the token is freed. NULL: no line is left.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_call_next_log(call: *const paysvc_call) -> *const c_char {
    // SAFETY: NULL, or a handle that has not been freed.
    unsafe { with(call, std::ptr::null(), CallToken::take_line) }
}

/// Sets the header traceparent (W3C Trace Context) of every request of calls with this token, so that a trace of the caller
/// goes on at the service.
///
/// @param call  NULL: PAYSVC_E_ARGUMENT
/// @param traceparent  e.g. "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01": four parts of lower-case hexadecimal
///   digits; NULL: no such header. paysvc_request() may have one of its own, which is sent instead.
/// @return PAYSVC_OK; PAYSVC_E_ARGUMENT if it has not this form: the one before stays
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_call_set_traceparent(
    call: *const paysvc_call,
    traceparent: *const c_char,
) -> paysvc_status {
    // SAFETY: NULL, or a handle that has not been freed; the text is NULL, or NUL-terminated until this function returns.
    let is_set = unsafe {
        with(call, false, |call| match traceparent.is_null() {
            true => call.set_traceparent(None),
            false => text(traceparent, "traceparent").is_ok_and(|traceparent| call.set_traceparent(Some(traceparent))),
        })
    };
    accepted(is_set)
}

/// Gives the next request with this token an idempotency key: with a journal (`journal`, or paysvc_client_set_store()), all
/// requests with this key, of any process that shares the journal and after a crash, are one request, which is sent at most
/// once. The first one is sent. A later one sends nothing: it returns how the first has ended, see paysvc_reply_replayed(), or
/// PAYSVC_E_UNRESOLVED as long as that is not known; with other fields it is PAYSVC_E_KEY_REUSED.
///
/// A key names one attempt, and a refusal is its end too: another card or another try is a new key. Write the key down before
/// the call, with what it is for. Requests that refund, capture, pay out, or move money in another way need one if there is a
/// journal; a request that charges an order has the key of its order without one.
///
/// A token serves one request once it has a key. A second request with it is PAYSVC_E_ARGUMENT, and a request with a key is
/// PAYSVC_E_CONFIG if the client has no journal: a key is never ignored.
///
/// @param call  NULL: PAYSVC_E_ARGUMENT
/// @param key  1 to 200 bytes, e.g. "refund-2041-line-7": no blank at either end, no control or invisible character, because it
///   must have one spelling. A key that was used by another account (public key, host or mode), or in another case, is refused
/// @return PAYSVC_OK; PAYSVC_E_ARGUMENT if the key is not accepted or the token has one already: nothing is changed
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_call_set_key(call: *const paysvc_call, key: *const c_char) -> paysvc_status {
    // SAFETY: NULL, or a handle that has not been freed; the text is NULL, or NUL-terminated until this function returns.
    accepted(unsafe { with(call, false, |call| text(key, "key").is_ok_and(|key| call.set_key(key))) })
}

/// # Safety
/// `progress` may be called with `userdata` and a text, on any thread, for as long as the listener is used.
unsafe fn listener(
    progress: unsafe extern "C" fn(*mut c_void, usize, usize, *const c_char) -> c_int,
    userdata: *mut c_void,
) -> Listener {
    let userdata = UserData(userdata);
    Arc::new(move |done: usize, total: usize, step: &str| {
        let step = CString::new(step.replace('\0', " ")).unwrap_or_default();
        // SAFETY: `progress` may be called here, as `listener` demands, and the text lives until it returns.
        let answer = unsafe { progress(userdata.get(), done, total, step.as_ptr()) };
        answer == CONTINUE
    })
}

/// Cancels all calls with this token: running ones return promptly with PAYSVC_E_CANCELLED, later ones at once. A call
/// that has already read its response may still return it. May be called from any thread and from a signal handler (it is
/// async-signal-safe).
///
/// @param call  NULL is ignored
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_call_cancel(call: *const paysvc_call) {
    // In a signal handler the count of an `Arc` must not be changed (the last owner frees it) and no thread-local be used
    // (the first access may allocate). So this is not wrapped like other functions; it cannot panic.
    // SAFETY: NULL, or from `paysvc_call_new` and not freed while this runs; a token is shared by threads anyway.
    if let Some(call) = unsafe { call.cast::<CallToken>().as_ref() } {
        sys::preserving_errors(|| call.cancel());
    }
}

/// Frees the token. A call that still uses it continues, and can no longer be cancelled.
///
/// @param call  may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_call_free(call: *mut paysvc_call) {
    boundary((), || {
        // SAFETY: NULL, or from `paysvc_call_new`, and freed once.
        unsafe { Shared::free(call) };
    });
}
