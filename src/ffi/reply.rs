//! The reply handle. Its texts stay valid until it is freed.

use std::collections::TryReserveError;
use std::ffi::{CStr, CString, c_char, c_int};

use once_cell::race::OnceBox;

use super::boundary::{boundary, text};
use super::types::{paysvc_outcome, paysvc_reply, paysvc_state, paysvc_status};
use crate::response::document::Document;
use crate::response::reply::Reply;
use crate::util::failpoint;
use crate::util::memory;
use paysvc_spec::status::{Outcome, State, Status};

pub struct Handle {
    status: paysvc_status,
    outcome: paysvc_outcome,
    state: paysvc_state,
    http_status: c_int,
    retry_after_ms: c_int,
    attempts: c_int,
    body: Body,
    code: CString,
    message: CString,
    /// The positions of the body's values; if not known already, the first lookup finds them.
    document: OnceBox<Document>,
    /// The texts that lookups returned, by value, so that each lives as long as the reply. Lock-free: a child that is forked
    /// during a lookup of another thread would wait for ever.
    found: OnceBox<Vec<OnceBox<CString>>>,
}

/// The body as text, with a NUL at the end for C.
struct Body(String);

impl Body {
    /// JSON text contains no NUL.
    fn new(mut text: String) -> Body {
        text.push('\0');
        Body(text)
    }

    fn text(&self) -> &str {
        &self.0[..self.0.len() - 1]
    }

    fn as_ptr(&self) -> *const c_char {
        self.0.as_ptr().cast()
    }
}

/// The body of a NULL reply.
const NO_BODY: &CStr = c"{\"status\":false,\"message\":\"reply is NULL\",\"errors\":{}}";

pub fn into_handle(reply: Reply) -> Box<Handle> {
    failpoint::at("reply");
    Box::new(Handle {
        status: reply.status as paysvc_status,
        outcome: reply.outcome as paysvc_outcome,
        state: reply.state.0,
        http_status: c_int::from(reply.http_status),
        retry_after_ms: reply.retry_after_ms.map_or(-1, |ms| c_int::try_from(ms).unwrap_or(c_int::MAX)),
        attempts: c_int::try_from(reply.attempts).unwrap_or(c_int::MAX),
        body: Body::new(reply.body),
        code: c_text(reply.code),
        message: c_text(reply.message),
        document: reply.document.map_or_else(OnceBox::new, |document| OnceBox::with_value(Box::new(document))),
        found: OnceBox::new(),
    })
}

pub fn status(handle: &Handle) -> paysvc_status {
    handle.status
}

/// The pointer for C, to be passed to [`paysvc_reply_free`].
pub fn into_pointer(handle: Box<Handle>) -> *mut paysvc_reply {
    Box::into_raw(handle).cast()
}

/// Codes and messages have no control characters; a NUL would be removed.
fn c_text(text: String) -> CString {
    CString::new(text).unwrap_or_else(|error| {
        let mut bytes = error.into_vec();
        bytes.retain(|&byte| byte != 0);
        CString::new(bytes).unwrap_or_default()
    })
}

/// Reads from a reply; returns the fallback for NULL.
fn read<'a, T>(reply: *const paysvc_reply, fallback: T, read: impl FnOnce(&'a Handle) -> T) -> T {
    if reply.is_null() {
        return fallback;
    }
    // SAFETY: not NULL, so it came from `into_handle` and has not been freed (the rules of the header).
    read(unsafe { &*reply.cast::<Handle>() })
}

/// Status that the function returned with this reply.
///
/// @param reply  NULL: PAYSVC_E_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_reply_status(reply: *const paysvc_reply) -> paysvc_status {
    read(reply, Status::Argument as paysvc_status, |handle| handle.status)
}

/// What the service did with the request: tells whether it may be repeated.
///
/// @param reply  NULL: PAYSVC_OUTCOME_UNKNOWN
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_reply_outcome(reply: *const paysvc_reply) -> paysvc_outcome {
    read(reply, Outcome::Unknown as paysvc_outcome, |handle| handle.outcome)
}

/// State of the payment or refund in the answer; PAYSVC_STATE_NONE if the answer has none, or contradicting ones.
///
/// @param reply  NULL: PAYSVC_STATE_NONE
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_reply_state(reply: *const paysvc_reply) -> paysvc_state {
    read(reply, State::NONE.0, |handle| handle.state)
}

/// HTTP status of the answer to the last attempt; 0 if there was no answer.
///
/// @param reply  NULL: 0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_reply_http_status(reply: *const paysvc_reply) -> c_int {
    read(reply, 0, |handle| handle.http_status)
}

/// One JSON document: the service's own bytes if it answered with JSON (100.10 stays 100.10), otherwise a failure in the
/// same form: {"status":false,"message":"...","errors":{"emailAddress":"is required"}}.
///
/// @param reply  NULL: a failure
/// @return never NULL; valid until the reply is freed
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_reply_body(reply: *const paysvc_reply) -> *const c_char {
    read(reply, NO_BODY.as_ptr(), |handle| handle.body.as_ptr())
}

/// Length of paysvc_reply_body() in bytes, without the NUL at its end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_reply_body_len(reply: *const paysvc_reply) -> usize {
    read(reply, NO_BODY.count_bytes(), |handle| handle.body.text().len())
}

/// One value of the body as text: strings unescaped, everything else as it is written in the JSON. A string that contains
/// U+0000 or an unpaired surrogate stays as it is written, without its quotes.
///
/// @param pointer  a JSON pointer (RFC 6901), e.g. "/data/mandateCode"; "" is the whole body
/// @return valid until the reply is freed. NULL if the value is absent or null, if a name in the path is there twice, if
///   the pointer is NULL, malformed or has more than 128 steps, or if there is no memory for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_reply_get(reply: *const paysvc_reply, pointer: *const c_char) -> *const c_char {
    boundary(std::ptr::null(), || {
        read(reply, std::ptr::null(), |handle| {
            // SAFETY: NULL or NUL-terminated.
            unsafe { text(pointer, "pointer") }.ok().and_then(|pointer| handle.get(pointer)).unwrap_or(std::ptr::null())
        })
    })
}

impl Handle {
    fn get(&self, pointer: &str) -> Option<*const c_char> {
        let body = self.body.text();
        // A body that the library made is short, and is scanned only for a lookup.
        let document = self.document.get_or_try_init(|| Document::scan(body, &|| false).map(Box::new)).ok()?;
        let value = document.root(body).find(pointer)?;
        let plain = value.plain()?;
        let found = self.found.get_or_try_init(|| {
            let mut slots = Vec::new();
            slots.try_reserve_exact(document.len())?;
            slots.resize_with(document.len(), OnceBox::new);
            Ok::<_, TryReserveError>(Box::new(slots))
        });
        let text = found.ok()?.get(value.index())?.get_or_try_init(|| {
            let mut text = memory::buffer(plain.len() + 1).ok_or(())?;
            text.extend_from_slice(plain.as_bytes());
            CString::new(text).map(Box::new).map_err(|_| ())
        });
        text.ok().map(|text| text.as_ptr())
    }
}

/// Code of the answer ("statusCode", "status_code", "code", or the "code" of "error"), or "".
///
/// @param reply  NULL: ""
/// @return valid until the reply is freed
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_reply_code(reply: *const paysvc_reply) -> *const c_char {
    read(reply, c"".as_ptr(), |handle| handle.code.as_ptr())
}

/// One line for people: the service's message, or the library's. Secrets of the request are masked in it.
///
/// @param reply  NULL: a message that says so
/// @return valid until the reply is freed
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_reply_message(reply: *const paysvc_reply) -> *const c_char {
    read(reply, c"reply is NULL".as_ptr(), |handle| handle.message.as_ptr())
}

/// How long to wait before a retry, in ms: what the service asked for (Retry-After), or the library's own wait that would
/// have passed the deadline. -1 if not known.
///
/// @param reply  NULL: -1
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_reply_retry_after_ms(reply: *const paysvc_reply) -> c_int {
    read(reply, -1, |handle| handle.retry_after_ms)
}

/// How many times the request was sent, including retries.
///
/// @param reply  NULL: 0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_reply_attempts(reply: *const paysvc_reply) -> c_int {
    read(reply, 0, |handle| handle.attempts)
}

/// Frees the reply and every text that its functions returned.
///
/// @param reply  may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_reply_free(reply: *mut paysvc_reply) {
    boundary((), || {
        if !reply.is_null() {
            // SAFETY: came from `into_handle`, given back once.
            drop(unsafe { Box::from_raw(reply.cast::<Handle>()) });
        }
    });
}
