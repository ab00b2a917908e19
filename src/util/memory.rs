//! Memory that the system may refuse, asked for first where its size follows from what a caller or the service sent.
//!
//! Rust ends the process when an allocation fails. What is small or of a fixed size is left to that: a process that
//! cannot have a few kilobytes cannot be told so either.

use std::hint::black_box;

/// What is less is taken for granted.
const SMALL: usize = 256 * 1024;
/// Copies that reading a text as JSON may make of it: one unescaped, and one that grows while it is read, which is there
/// twice when it moves (what is freed is wiped, so nothing grows in place).
const COPIES: usize = 5;

/// A buffer that holds that many bytes without moving; `None` when the system refuses it.
pub fn buffer(size: usize) -> Option<Vec<u8>> {
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(size).ok()?;
    Some(buffer)
}

/// Whether a text of that length can be read as JSON, which takes memory in ways that cannot be refused. Another
/// thread may take the memory first: this makes the end of the process unlikely, not impossible.
pub fn can_read(length: usize) -> bool {
    if length < SMALL {
        return true;
    }
    let mut probe = buffer(length.saturating_mul(COPIES));
    // An allocation that nobody looks at may be optimised away, and would then always succeed.
    black_box(probe.as_mut().map(|probe| probe.as_mut_ptr()));
    probe.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::limits::MAX_TEXT;

    #[test]
    fn what_no_system_has_is_refused_instead_of_ending_the_process() {
        assert!(buffer(isize::MAX as usize).is_none() && buffer(usize::MAX).is_none());
        assert!(!can_read(isize::MAX as usize / COPIES) && !can_read(usize::MAX));
        assert!(can_read(MAX_TEXT) && buffer(MAX_TEXT).unwrap().capacity() >= MAX_TEXT);
    }
}
