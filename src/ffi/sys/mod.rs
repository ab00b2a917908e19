//! What differs between systems at the C boundary: forks, what the system keeps for a thread (`errno`), and staying loaded.
//!
//! `install` comes first in every function of the C interface that may use `util::process`, and `watch_forks` when a client
//! is made. `preserving_errors` runs a body and restores what the system keeps of a thread's last error.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;
