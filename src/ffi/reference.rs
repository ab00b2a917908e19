//! New references.

use std::ffi::{c_char, c_int};

use super::boundary::{self, boundary};
use super::client::retain;
use super::types::paysvc_client;
use crate::util::reference;

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
        false => unsafe { boundary::text(prefix, "prefix") }.ok()?,
    };
    let made = reference::new(prefix)?;
    // SAFETY: `size` bytes may be written there.
    unsafe { write(&made, text, size) }.then(|| (made.clone(), c_int::try_from(made.len()).unwrap_or(0)))
}

/// Writes the text and a NUL, if they fit.
///
/// # Safety
/// `to` has `size` bytes.
pub unsafe fn write(text: &str, to: *mut c_char, size: usize) -> bool {
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
