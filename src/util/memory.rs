//! Limits on what is accepted from callers and from the service, and allocations that may fail, for sizes that depend on
//! what they sent.
//!
//! Rust ends the process when an allocation fails. Small allocations and those of a fixed size are left to that: a
//! process without a few kilobytes could not report an error either.

use std::cell::Cell;
use std::hint::black_box;

/// Longest URL and longest header. Every server must accept a URL of this length (RFC 9110, 4.1), and it fits the
/// transport's buffer.
pub const MAX_LINE: usize = 8000;

/// Largest request, configuration or answer. 500 mandates take a tenth of a megabyte.
pub const MAX_TEXT: usize = 10 * 1024 * 1024;

/// Largest request for payouts in bulk. A list of 100,000 recipients takes 20 megabytes.
pub const MAX_BULK_TEXT: usize = 256 * 1024 * 1024;

/// Most values of a JSON document. 500 mandates have 3,000; a million take 20 MB as a response, and 100 MB in the builder.
pub const MAX_VALUES: usize = 1_000_000;

/// Max fields that one error names.
pub const MAX_ERRORS: usize = 100;

/// Max characters of a field's name that are repeated. The service's own names are much shorter.
pub const MAX_NAME_CHARS: usize = 100;

/// A larger allocation is never made in a way that ends the process if it fails.
pub const LARGE: usize = 64 * 1024;
/// The words of messages for a text for which there is no memory.
pub const TOO_LARGE: &str = "does not fit into the memory that this process may use";
/// The message of a call that sends nothing because memory is short.
pub const LACK: &str = "there is not enough memory to send a request and to report what becomes of it";

thread_local! {
    static SPENT: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this thread's call has used the memory that was set aside for it: it must end without another request.
pub fn is_spent() -> bool {
    SPENT.get()
}

pub fn set_spent(spent: bool) {
    // A thread that is ending makes no call.
    let _ = SPENT.try_with(|cell| cell.set(spent));
}

/// A smaller size is assumed to be available.
const SMALL: usize = 256 * 1024;
/// Memory for reading a JSON text, in multiples of its size: an unescaped copy, and buffers that grow while it is
/// read, which exist twice while they move (freed memory is wiped, so nothing grows in place).
const COPIES: usize = 5;

/// A buffer for that many bytes, which then does not move; `None` if the system refuses it.
pub fn buffer(size: usize) -> Option<Vec<u8>> {
    list(size)
}

/// A list for that many values, which then does not move; `None` if the system refuses it.
pub fn list<T>(count: usize) -> Option<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).ok()?;
    Some(list)
}

/// Returns whether a text of that length can be read as JSON, which allocates in ways that cannot fail safely. Another thread
/// may take the memory first, so this makes the end of the process unlikely, not impossible.
pub fn can_read(length: usize) -> bool {
    if length < SMALL {
        return true;
    }
    let mut probe = buffer(length.saturating_mul(COPIES));
    // An unused allocation may be optimised away, and would then always succeed.
    black_box(probe.as_mut().map(|probe| probe.as_mut_ptr()));
    probe.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_impossible_size_is_refused_and_does_not_end_the_process() {
        assert!(buffer(isize::MAX as usize).is_none() && buffer(usize::MAX).is_none());
        assert!(!can_read(isize::MAX as usize / COPIES) && !can_read(usize::MAX));
        assert!(can_read(MAX_TEXT) && buffer(MAX_TEXT).unwrap().capacity() >= MAX_TEXT);
    }
}
