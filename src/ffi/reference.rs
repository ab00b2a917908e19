//! New references.

use std::ffi::{c_char, c_int};

use super::boundary::{self, boundary};
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
    boundary(0, || {
        if text.is_null() || size == 0 {
            return 0;
        }
        // SAFETY: not NULL, and the caller promises that `size` bytes may be written.
        unsafe { text.write(0) };
        let prefix = match prefix.is_null() {
            true => Ok(""),
            // SAFETY: not NULL, and NUL-terminated until this function returns.
            false => unsafe { boundary::text(prefix, "prefix") },
        };
        let made = prefix.ok().and_then(reference::new).filter(|made| made.len() < size);
        let Some(made) = made else { return 0 };
        // SAFETY: `size` bytes may be written there, and the text is shorter; it is ours, so they do not overlap.
        unsafe {
            text.copy_from_nonoverlapping(made.as_ptr().cast(), made.len());
            text.add(made.len()).write(0);
        }
        c_int::try_from(made.len()).unwrap_or(0)
    })
}
