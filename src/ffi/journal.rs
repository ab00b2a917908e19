//! New references, and open claims of the journal.

use std::ffi::{CStr, c_char, c_int};

use super::boundary::{Shared, Subject, boundary, deliver, text as text_of};
use super::client::retain;
use super::types::{paysvc_call, paysvc_client, paysvc_reply, paysvc_status};
use crate::answer::reply::Reply;
use crate::call::CallRecord;
use crate::util::unique;
use crate::util::validation_error::ValidationError;
use paysvc_spec::status::{Outcome, Status};

/// Makes a reference that no other has: of no thread, process or machine, with any prefix. References with one prefix sort by
/// the time at which they were made. The service has no idempotency key: the reference is what an order is found by, so
/// store it before the first request.
///
/// @param prefix  what the reference begins with, e.g. the number of the till: at most 32 letters, digits, '-', '_' or '.'.
///   NULL or "": none
/// @param text  receives the prefix, '-' and 26 digits and capital letters, e.g. "T7-01ARZ3NDEKTSV4RRFFQ69G5FAV", and a
///   NUL at the end
/// @param size  of text in bytes: 60 is enough for every prefix
/// @return the length of the reference without the NUL; 0 if it does not fit or text is NULL, if the prefix is not
///   accepted, or if the system has no randomness. Then text, if it has room, is "".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_reference_new(prefix: *const c_char, text: *mut c_char, size: usize) -> c_int {
    // SAFETY: the arguments are what the caller promises.
    boundary(0, || unsafe { made(prefix, text, size) }.map_or(0, |(_, length)| length))
}

/// As paysvc_reference_new(), and the client remembers that it made the reference: an order with it is charged without
/// asking the service for earlier attempts first. The client remembers its last 10,000.
///
/// @param client  one with a journal
/// @return as paysvc_reference_new(); 0 also if client is NULL or has no journal
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_journal_reference_new(
    client: *const paysvc_client,
    prefix: *const c_char,
    text: *mut c_char,
    size: usize,
) -> c_int {
    boundary(0, || {
        // SAFETY: NULL, or a handle that has not been freed, which is kept alive from here on; the rest is promised.
        let (client, made) = unsafe { (retain(client), made(prefix, text, size)) };
        let (Ok(client), Some((reference, length))) = (client, made) else { return 0 };
        if client.remember_reference(&reference) {
            return length;
        }
        // SAFETY: `made` has written there.
        unsafe { text.write(0) };
        0
    })
}

/// Writes a new reference; gives it and its length.
///
/// # Safety
/// `prefix` is NULL or NUL-terminated, `text` is NULL or has `size` bytes.
unsafe fn made(prefix: *const c_char, text: *mut c_char, size: usize) -> Option<(String, c_int)> {
    if text.is_null() || size == 0 {
        return None;
    }
    // SAFETY: not NULL, and the caller promises that `size` bytes may be written.
    unsafe { text.write(0) };
    let prefix = match prefix.is_null() {
        true => "",
        // SAFETY: not NULL, and NUL-terminated until this function returns.
        false => unsafe { text_of(prefix, "prefix") }.ok()?,
    };
    let made = unique::reference(prefix)?;
    // SAFETY: `size` bytes may be written there.
    unsafe { write(&made, text, size) }.then(|| (made.clone(), c_int::try_from(made.len()).unwrap_or(0)))
}

/// Writes the text and a NUL, if they fit.
///
/// # Safety
/// `to` has `size` bytes.
unsafe fn write(text: &str, to: *mut c_char, size: usize) -> bool {
    if text.len() >= size {
        return false;
    }
    // SAFETY: `size` bytes may be written there, and the text is shorter; it is ours, so they do not overlap.
    unsafe {
        to.copy_from_nonoverlapping(text.as_ptr().cast(), text.len());
        to.add(text.len()).write(0);
    }
    true
}

/// Looks up the outcome of the next request that is open in the journal: its sender wrote no end, the outcome was
/// UNKNOWN, or a charge is not final. Call it when the program starts, in a loop, until `key` is "" or unchanged, and again
/// every minute. It sends the status query, as paysvc_resolve() does, and moves no money. Record what it
/// returns before the next call: what the service's response proves is written to the journal when this client calls it again
/// with that key, so that a program which is killed in between hears of the payment again.
///
/// @param client  one with a journal
/// @param key  the key to go on after, "" for the first; receives the next open key, or "" if none is left: the kind and
///   the name, e.g. "charge ORDER-1". With PAYSVC_E_JOURNAL it is unchanged: stop; or it is the name of a damaged key: go on
///   after that. "" if the next one has no room (PAYSVC_E_ARGUMENT)
/// @param size  of key in bytes: 256 is enough unless references are longer
/// @param call  deadline and cancel of this call; may be NULL. To bound a whole loop, set its timeout to what is left, at least
///   1 ms, before each call: a key that there is no time to ask about is returned as it is, UNKNOWN
/// @param reply  may be NULL; otherwise *reply is always set: free it with paysvc_reply_free(). It is about the request of
///   that key, as that of paysvc_resolve(). Its body names the claim, for paysvc_journal_settle(), in the object journal, as
///   that of every UNKNOWN reply about a claim does: claim (the id), key, step, order, amount and currency, as far as known
/// @return PAYSVC_OK: CONFIRMED, or no key is left (then key is "", and the outcome UNKNOWN); PAYSVC_E_REJECTED;
///   PAYSVC_E_UNRESOLVED: it stays open; PAYSVC_E_ARGUMENT if an argument is NULL or the key does not fit;
///   PAYSVC_E_CONFIG without a journal; PAYSVC_E_JOURNAL; the status query's own status if that failed, or PAYSVC_E_TIMEOUT. The
///   outcome is never NOT_SENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_journal_next(
    client: *const paysvc_client,
    key: *mut c_char,
    size: usize,
    call: *const paysvc_call,
    reply: *mut *mut paysvc_reply,
) -> paysvc_status {
    let body = |record: &CallRecord| {
        // SAFETY: each is what the caller promises; client and token are kept alive from here on.
        let (client, after, call) = unsafe { (retain(client)?, key_text(key, size)?, Shared::retain(call)) };
        let (next, found) = client.journal_next(&client.begin(call, record), &after);
        // SAFETY: not NULL, and `size` bytes may be written there.
        if next.is_none_or(|next| unsafe { write(&next, key, size) }) {
            return Ok(found);
        }
        // A loop until key is "" must end.
        // SAFETY: as above; a text was read from it, so there is room for its NUL.
        unsafe { write("", key, size) };
        Ok(Reply::failed(Status::Argument, Outcome::Unknown, "key is too small for the next open key"))
    };
    // SAFETY: `reply` is NULL or points to memory for one pointer.
    unsafe { deliver(reply, Subject::Earlier, body) }
}

/// # Safety
/// `key` is NULL or has `size` bytes.
unsafe fn key_text(key: *const c_char, size: usize) -> Result<String, ValidationError> {
    let wrong = |reason: &str| ValidationError::new(Status::Argument, format!("key {reason}"));
    if key.is_null() {
        return Err(wrong("is NULL"));
    }
    // SAFETY: not NULL, and the caller promises that `size` bytes may be read; none behind a NUL is.
    if !(0..size).any(|index| unsafe { *key.add(index) } == 0) {
        return Err(wrong("has no NUL at its end"));
    }
    // SAFETY: there is a NUL.
    let text = unsafe { CStr::from_ptr(key) };
    text.to_str().map(str::to_owned).map_err(|_| wrong("is not UTF-8"))
}
