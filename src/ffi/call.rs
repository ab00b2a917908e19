//! The call handle.

use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::Arc;

use super::PAYSVC_CONTINUE;
use super::boundary::boundary;
use super::sys;
use super::types::{paysvc_call, paysvc_progress_fn};
use super::userdata::UserData;
use crate::transport::call::{Call, Listener};
use crate::util::process;

/// The token of a handle, kept alive while a call uses it; `None` for NULL.
///
/// # Safety
/// `call` is NULL or came from [`paysvc_call_new`] and has not been freed.
pub unsafe fn retain(call: *const paysvc_call) -> Option<Arc<Call>> {
    if call.is_null() {
        return None;
    }
    let call = call.cast::<Call>();
    // SAFETY: a handle is an `Arc<Call>` that gave up its count to the caller.
    unsafe {
        Arc::increment_strong_count(call);
        Some(Arc::from_raw(call))
    }
}

/// Makes a token with which a request gets a deadline of its own and can be cancelled.
///
/// @return the token: free it with paysvc_call_free(). NULL only after a failure in the library itself.
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_call_new() -> *mut paysvc_call {
    boundary(std::ptr::null_mut(), || {
        // Maps the page now, so that a cancel in a signal handler need not.
        process::generation();
        Arc::into_raw(Arc::new(Call::default())).cast_mut().cast()
    })
}

/// Sets the timeout of calls that start with this token from now on. It does not affect a running call.
///
/// @param call  NULL is ignored
/// @param timeout_ms  for the whole call in ms, including retries and waits; 0 or less: the client's timeout_ms
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_call_set_timeout_ms(call: *const paysvc_call, timeout_ms: c_int) {
    boundary((), || {
        // SAFETY: the rules of the header.
        if let Some(call) = unsafe { retain(call) } {
            call.set_timeout_ms(timeout_ms);
        }
    });
}

/// Sets the callback for the progress of calls that start with this token from now on: paysvc_payout_bulk() calls it before
/// and after each batch, or after each batch that it looks up, paysvc_order_wait() after each look. It is called on the
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
    boundary((), || {
        // SAFETY: the rules of the header.
        if let Some(call) = unsafe { retain(call) } {
            call.set_progress(progress.map(|progress| listener(progress, UserData(userdata))));
        }
    });
}

fn listener(
    progress: unsafe extern "C" fn(*mut c_void, usize, usize, *const c_char) -> c_int,
    userdata: UserData,
) -> Listener {
    Arc::new(move |done: usize, total: usize, step: &str| {
        let step = CString::new(step.replace('\0', " ")).unwrap_or_default();
        // SAFETY: the caller's function with the caller's pointer; the text lives until it returns.
        let answer = unsafe { progress(userdata.get(), done, total, step.as_ptr()) };
        answer == PAYSVC_CONTINUE
    })
}

/// Cancels all calls with this token: running ones return promptly with PAYSVC_E_CANCELLED, later ones at once. A call
/// that has already read its answer may still return it. May be called from any thread and from a signal handler (it is
/// async-signal-safe).
///
/// @param call  NULL is ignored
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_call_cancel(call: *const paysvc_call) {
    // In a signal handler the count of an `Arc` must not be changed (the last owner frees it) and no thread-local be used
    // (the first access may allocate). So this is not wrapped like other functions; it cannot panic.
    // SAFETY: NULL, or from `paysvc_call_new` and not freed while this runs.
    if let Some(call) = unsafe { call.cast::<Call>().as_ref() } {
        sys::preserving_errors(|| call.cancel());
    }
}

/// Frees the token. A call that still uses it continues, and can no longer be cancelled.
///
/// @param call  may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_call_free(call: *mut paysvc_call) {
    boundary((), || {
        if !call.is_null() {
            // SAFETY: the handle's own count, given back once.
            drop(unsafe { Arc::from_raw(call.cast_const().cast::<Call>()) });
        }
    });
}
