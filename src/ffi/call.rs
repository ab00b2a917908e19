//! The call handle.

use std::ffi::c_int;
use std::sync::Arc;

use super::boundary::boundary;
use super::fork;
use super::types::paysvc_call;
use crate::transport::call::Call;
use crate::util::process;

/// The token behind a handle, kept alive while a call uses it; `None` for NULL.
///
/// # Safety
/// `call` is NULL or came from [`paysvc_call_new`] and has not been freed.
pub unsafe fn alive(call: *const paysvc_call) -> Option<Arc<Call>> {
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

/// Makes a token for the deadline and the cancel of one request. NULL only when the library itself failed.
///
/// @return the token: free it with paysvc_call_free()
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_call_new() -> *mut paysvc_call {
    // The page is mapped here, not by a cancel in a signal handler.
    fork::install();
    process::generation();
    boundary(std::ptr::null_mut(), || Arc::into_raw(Arc::new(Call::default())).cast_mut().cast())
}

/// Sets the deadline of calls that start with this token from now on. NULL is ignored.
///
/// @param timeout_ms  for the whole call in ms, retries and waits included; 0 or less: the client's timeout_ms
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_call_set_timeout_ms(call: *const paysvc_call, timeout_ms: c_int) {
    boundary((), || {
        // SAFETY: the rules of the header.
        if let Some(call) = unsafe { alive(call) } {
            call.set_timeout_ms(timeout_ms);
        }
    });
}

/// Cancels, from any thread or a signal handler (it is async-signal-safe): the call with this token returns promptly with
/// PAYSVC_E_CANCELLED, and so does every later one. An answer that has already arrived is still returned. NULL is
/// ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_call_cancel(call: *const paysvc_call) {
    // In a signal handler neither the count of an `Arc` may be touched (the last one frees) nor a thread-local (the
    // first access may allocate), so none of what other functions have is here; and nothing in it panics.
    // SAFETY: NULL, or from `paysvc_call_new` and not freed while this runs.
    if let Some(call) = unsafe { call.cast::<Call>().as_ref() } {
        call.cancel();
    }
}

/// Frees the token. A call that still uses it goes on, and can no longer be cancelled. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_call_free(call: *mut paysvc_call) {
    boundary((), || {
        if !call.is_null() {
            // SAFETY: the handle's own count, given back once.
            drop(unsafe { Arc::from_raw(call.cast_const().cast::<Call>()) });
        }
    });
}
