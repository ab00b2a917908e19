//! The C boundary: no panic crosses it, no NULL is dereferenced, every out-pointer is set.
//!
//! The type of a parameter shows who owns what it points to, so that the compiler refuses to free a handle as another kind:
//!
//! * `Option<Box<T>>`: the caller gives it back, once. `None` is NULL.
//! * `Option<&T>`, `Option<&mut T>`: the caller's until the function returns, and nobody frees it meanwhile.
//! * `*const T` where `T` is [`Shared`]: one thread may free it while others use it; the first thing to do is
//!   [`Shared::retain`].

use std::ffi::{CStr, c_char, c_void};
use std::ptr;
use std::sync::Arc;

use super::reserve::Reserve;
use super::types::{paysvc_call, paysvc_client, paysvc_reply, paysvc_status};
use super::{reply, sys};
use crate::answer::reply::Reply;
use crate::call::{CallRecord, CallToken};
use crate::flow::Client;
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

/// PAYSVC_OK if the arguments were accepted.
pub fn accepted(is_accepted: bool) -> paysvc_status {
    (if is_accepted { Status::Ok } else { Status::Argument }) as paysvc_status
}

/// The request that an outcome is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    OfThisCall,
    /// One that an earlier call sent. If this call sent nothing, that one may still have been executed, so the outcome is
    /// UNKNOWN instead of NOT_SENT.
    Earlier,
}

/// Runs the body and delivers its reply. A panic becomes a reply too, whose outcome shows whether anything had been
/// sent. `errno` and its like stay as they were.
///
/// # Safety
/// `out` is NULL or points to memory for one pointer.
pub unsafe fn deliver(
    out: *mut *mut paysvc_reply,
    subject: Subject,
    body: impl FnOnce(&CallRecord) -> Result<Reply, ValidationError>,
) -> paysvc_status {
    sys::preserving_errors(|| {
        if !out.is_null() {
            // SAFETY: not NULL, and the caller promises that it may be written.
            unsafe { out.write(ptr::null_mut()) };
        }
        sys::install();
        let (nothing_sent, doubt) = match subject {
            Subject::OfThisCall => (Outcome::NotSent, Doubt::None),
            Subject::Earlier => (Outcome::Unknown, Doubt::Money),
        };
        let record = CallRecord::new();
        record.set_doubt(doubt);
        let reserve = Reserve::take();
        let body = |record: &CallRecord| match (&reserve, subject) {
            (None, _) => Reply::failed(Status::Transport, nothing_sent, memory::LACK),
            (Some(_), Subject::OfThisCall) => body(record).unwrap_or_else(Reply::invalid),
            (Some(_), Subject::Earlier) => body(record).unwrap_or_else(Reply::invalid).about_earlier(),
        };
        let handle =
            catch_panic(|| reply::handle(body(&record).in_doubt(record.doubt()), &record)).or_else(|source_line| {
                catch_panic(|| {
                    let outcome = if record.sent() > 0 { Outcome::Unknown } else { nothing_sent };
                    let failed = Reply::failed(Status::Internal, outcome, source_line.bug(""));
                    reply::handle(failed.in_doubt(record.doubt()), &record)
                })
            });
        // Making the reply panicked as well: it stays NULL, which stands for the outcome UNKNOWN.
        let Ok(handle) = handle else { return Status::Internal as paysvc_status };
        let status = handle.0.status();
        if !out.is_null() {
            // SAFETY: not NULL, and still the caller's memory for one pointer.
            unsafe { out.write(Box::into_raw(handle)) };
        }
        status
    })
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

/// A handle that is one of the owners of a value.
pub trait Shared: Sized {
    type Value;

    /// A handle for C, to be given to [`Shared::free`].
    fn give(value: Arc<Self::Value>) -> *mut Self {
        Arc::into_raw(value).cast_mut().cast()
    }

    /// The value, kept alive even if the handle is freed meanwhile; `None` for NULL.
    ///
    /// # Safety
    /// The handle is NULL, or came from [`Shared::give`] and has not been freed.
    unsafe fn retain(handle: *const Self) -> Option<Arc<Self::Value>> {
        let value = handle.cast::<Self::Value>();
        // SAFETY: not NULL, so it is an `Arc` whose count the caller has until it frees the handle.
        (!handle.is_null()).then(|| unsafe {
            Arc::increment_strong_count(value);
            Arc::from_raw(value)
        })
    }

    /// Gives the handle's count back; NULL is ignored.
    ///
    /// # Safety
    /// The handle is NULL, or came from [`Shared::give`] and is freed once.
    unsafe fn free(handle: *mut Self) {
        if !handle.is_null() {
            // SAFETY: not NULL, so it has a count, and the caller gives that back.
            drop(unsafe { Arc::from_raw(handle.cast_const().cast::<Self::Value>()) });
        }
    }
}

impl Shared for paysvc_client {
    type Value = Client;
}

impl Shared for paysvc_call {
    type Value = CallToken;
}

/// The program's pointer, which any calling thread passes back.
pub struct UserData(pub *mut c_void);

// SAFETY: it is only carried, never dereferenced. The program answers for its callback's use of it on any thread, as the
// header states.
unsafe impl Send for UserData {}
// SAFETY: as for `Send`: a shared reference gives no more than a copy of the pointer.
unsafe impl Sync for UserData {}

impl UserData {
    pub fn get(&self) -> *mut c_void {
        self.0
    }
}
