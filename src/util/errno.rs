//! The C library's `errno`, which belongs to the program.

use nix::errno::Errno;

/// Runs the body and restores `errno`: system calls beneath it change it.
pub fn preserving_errno<T>(body: impl FnOnce() -> T) -> T {
    let before = Errno::last_raw();
    let result = body();
    Errno::set_raw(before);
    result
}
