//! The C boundary: no panic crosses it, no NULL is dereferenced, every out-pointer is set.

use std::ffi::{CStr, c_char};

use super::reserve::Reserve;
use super::types::{paysvc_reply, paysvc_status};
use super::{handle, sys};
use crate::answer::reply::Reply;
use crate::call::CallRecord;
use crate::util::memory;
use crate::util::panics::catch_panic;
use crate::util::validation_error::ValidationError;
use paysvc_spec::schema::Doubt;
use paysvc_spec::status::{Outcome, Status};

/// Runs the body; returns the fallback if it panics. `errno` and its like stay as they were.
pub fn boundary<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    sys::preserving_errors(|| {
        sys::install();
        catch_panic(body).unwrap_or(fallback)
    })
}

/// Runs the body and delivers its reply. A panic becomes a reply too, whose outcome tells whether anything had been
/// sent. `errno` and its like stay as they were.
///
/// # Safety
/// `out` is NULL or points to memory for one pointer.
pub unsafe fn deliver(out: *mut *mut paysvc_reply, body: impl FnOnce(&CallRecord) -> Reply) -> paysvc_status {
    // SAFETY: `out` is what the caller promises, unchanged.
    sys::preserving_errors(|| unsafe { deliver_reply(out, (Outcome::NotSent, Doubt::None), body) })
}

/// As [`deliver`], for a call about an earlier request. If this call sent nothing, the earlier request may still have been
/// executed, so the outcome is UNKNOWN instead of NOT_SENT.
///
/// # Safety
/// As [`deliver`].
pub unsafe fn deliver_about_earlier(
    out: *mut *mut paysvc_reply,
    body: impl FnOnce(&CallRecord) -> Reply,
) -> paysvc_status {
    let body = |record: &CallRecord| body(record).about_earlier();
    // SAFETY: `out` is what the caller promises, unchanged.
    sys::preserving_errors(|| unsafe { deliver_reply(out, (Outcome::Unknown, Doubt::Money), body) })
}

/// # Safety
/// As [`deliver`].
unsafe fn deliver_reply(
    out: *mut *mut paysvc_reply,
    (nothing_sent, doubt): (Outcome, Doubt),
    body: impl FnOnce(&CallRecord) -> Reply,
) -> paysvc_status {
    if !out.is_null() {
        // SAFETY: not NULL, and the caller promises that it may be written.
        unsafe { out.write(std::ptr::null_mut()) };
    }
    sys::install();
    let record = CallRecord::new();
    record.set_doubt(doubt);
    let reserve = Reserve::take();
    let body = |record: &CallRecord| match reserve {
        Some(_) => body(record),
        None => Reply::failed(Status::Transport, nothing_sent, memory::LACK),
    };
    let handle = catch_panic(|| handle::new(body(&record).in_doubt(record.doubt()), &record)).or_else(|source_line| {
        catch_panic(|| {
            let outcome = if record.sent() > 0 { Outcome::Unknown } else { nothing_sent };
            let reply = Reply::failed(Status::Internal, outcome, source_line.bug(""));
            handle::new(reply.in_doubt(record.doubt()), &record)
        })
    });
    // Making the reply panicked as well: it stays NULL, which stands for the outcome UNKNOWN.
    let Ok(handle) = handle else { return Status::Internal as paysvc_status };
    let status = handle.0.status;
    if !out.is_null() {
        // SAFETY: not NULL, and still the caller's memory for one pointer.
        unsafe { out.write(Box::into_raw(handle)) };
    }
    status
}

/// A C string as text. `what` names it in the error.
///
/// # Safety
/// `text` is NULL or NUL-terminated, and lives through `'a`.
pub unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<&'a str, ValidationError> {
    if text.is_null() {
        return Err(ValidationError::new(Status::Argument, format!("{what} is NULL")));
    }
    // SAFETY: not NULL, so it is NUL-terminated and lives through `'a`, as the caller promises.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|error| {
        ValidationError::new(
            Status::Argument,
            format!("{what} is not UTF-8: the byte at {} is wrong", error.valid_up_to()),
        )
    })
}
