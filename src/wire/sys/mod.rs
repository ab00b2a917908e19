//! Differences between systems beneath the transport: sockets, how long they wait, and how a cancel ends a wait. Every
//! system has the same functions:
//!
//! - `start` begins to connect a socket that no child process inherits and that raises no signal; `connected_or_failed`
//!   waits for such sockets, of which there are at most `MAX_CONNECTING`; `prepare` is for the one that has connected.
//! - `Waits` bounds the waits of a socket, and how long the system tries to deliver what was written: `limit` comes before
//!   each read and write, and `wait` after one that would have
//!   blocked, whereupon it is repeated. `read_ready` reads without waiting.
//! - `abort` drops what has not been delivered, at the socket's close at the latest.
//! - `sent_nothing` is what the system promises about a write that failed.
//! - `Waker` ends the waits of a call that is cancelled. `attach` comes before the check for a cancel.
//! - `out_of_descriptors` and `without_signals` are for the thread that looks names up.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
#[allow(unsafe_code)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;

/// The interval at which a wait that a cancel cannot wake checks for one.
pub const CANCEL_CHECK: std::time::Duration = std::time::Duration::from_millis(20);
