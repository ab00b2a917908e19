//! Where C becomes Rust: no panic crosses, no NULL is followed, every out-pointer is set.

use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::reply;
use super::types::{paysvc_reply, paysvc_status};
use crate::client::Progress;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::status::{Outcome, Status};

/// Runs the body; a panic in it becomes the fallback.
pub fn boundary<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(fallback)
}

/// Runs what makes a reply and hands it out. A panic becomes a reply too, and its outcome tells whether anything had
/// been sent.
///
/// # Safety
/// `out` is NULL or points to memory for one pointer.
pub unsafe fn deliver(out: *mut *mut paysvc_reply, body: impl FnOnce(&Progress) -> Reply) -> paysvc_status {
    if !out.is_null() {
        // SAFETY: not NULL, and the caller promises that it may be written.
        unsafe { out.write(std::ptr::null_mut()) };
    }
    let progress = Progress::default();
    let reply = catch_unwind(AssertUnwindSafe(|| body(&progress))).unwrap_or_else(|_| {
        let outcome = if progress.sent() { Outcome::Unknown } else { Outcome::NotSent };
        Reply {
            attempts: u32::from(progress.sent()),
            ..Reply::failed(Status::Internal, outcome, "a bug in the library was caught; please report it")
        }
    });
    let status = reply.status as paysvc_status;
    if !out.is_null() {
        // SAFETY: as above.
        unsafe { out.write(reply::into_handle(reply)) };
    }
    status
}

/// A C string as text.
///
/// # Safety
/// `text` is NULL or NUL-terminated, and lives through `'a`.
pub unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<&'a str, Refusal> {
    if text.is_null() {
        return Err(Refusal::new(Status::Argument, format!("{what} is NULL")));
    }
    // SAFETY: not NULL, and the caller promises the rest.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|error| {
        Refusal::new(Status::Argument, format!("{what} is not UTF-8: the byte at {} is wrong", error.valid_up_to()))
    })
}
