//! What is open in the journal.

use std::ffi::{CStr, c_char};

use super::boundary::deliver_about_earlier;
use super::client::retain;
use super::pointer::Shared;
use super::reference::write;
use super::types::{paysvc_call, paysvc_client, paysvc_reply, paysvc_status};
use crate::answer::reply::Reply;
use crate::call::CallRecord;
use crate::util::validation_error::ValidationError;
use paysvc_spec::status::{Outcome, Status};

/// Finds out what became of the next request that is open in the journal: its sender wrote no end, the outcome was
/// UNKNOWN, or a charge is not final. Call it when the program starts, in a loop, until `key` is "". It asks the read-only
/// endpoint that knows, as paysvc_resolve() does, writes to the journal what that proves, and moves no money.
///
/// @param client  one with a journal
/// @param key  the key to go on after, "" for the first; receives the next open key, or "" if none is left: the kind and
///   the name, e.g. "charge ORDER-1". Unchanged with PAYSVC_E_JOURNAL; "" if the next
///   one has no room (PAYSVC_E_ARGUMENT)
/// @param size  of key in bytes: 256 is enough unless references are longer
/// @param call  deadline and cancel of this call; may be NULL
/// @param reply  may be NULL; otherwise *reply is always set: free it with paysvc_reply_free(). It is about the request of
///   that key, as that of paysvc_resolve(); its message names the claim, for paysvc_journal_settle()
/// @return PAYSVC_OK: CONFIRMED, or no key is left (then key is "", and the outcome UNKNOWN); PAYSVC_E_REJECTED;
///   PAYSVC_E_UNRESOLVED: it stays open; PAYSVC_E_ARGUMENT if an argument is NULL or the key does not fit;
///   PAYSVC_E_CONFIG without a journal; PAYSVC_E_JOURNAL; the look-up's own status if that failed. The outcome is never
///   NOT_SENT.
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
        match unsafe { retain(client).and_then(|client| Ok((client, key_text(key, size)?, Shared::retain(call)))) } {
            Ok((client, after, call)) => {
                let (next, found) = client.journal_next(&client.begin(call, record), &after);
                // SAFETY: not NULL, and `size` bytes may be written there.
                match next.is_none_or(|next| unsafe { write(&next, key, size) }) {
                    true => found,
                    false => {
                        // A loop until key is "" must end.
                        // SAFETY: as above; a text was read from it, so there is room for its NUL.
                        unsafe { write("", key, size) };
                        Reply::failed(Status::Argument, Outcome::Unknown, "key is too small for the next open key")
                    }
                }
            }
            Err(error) => Reply::invalid(error),
        }
    };
    // SAFETY: `reply` is NULL or points to memory for one pointer.
    unsafe { deliver_about_earlier(reply, body) }
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
