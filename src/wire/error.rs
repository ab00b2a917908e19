//! The reasons why there is no response, or not all of it.

use std::io;

use crate::call::Bounds;
use crate::util::expiry::CANCELLED;
use crate::util::memory;
use paysvc_spec::status::Status;

#[derive(Clone, Debug)]
pub struct TransportError {
    /// Transport, Timeout, Cancelled, Response or Internal.
    pub status: Status,
    pub message: String,
    /// A retry cannot help.
    pub permanent: bool,
}

impl TransportError {
    pub fn new(status: Status, message: impl Into<String>) -> TransportError {
        TransportError { status, message: message.into(), permanent: false }
    }

    pub fn permanent(message: impl Into<String>) -> TransportError {
        TransportError { status: Status::Transport, message: message.into(), permanent: true }
    }

    /// For a body that is not framed as HTTP requires.
    pub fn framing(reason: &str) -> TransportError {
        TransportError::new(Status::Response, format!("is framed wrongly: {reason}"))
    }

    /// For a body for which the system refused memory.
    pub fn no_memory() -> TransportError {
        TransportError::new(Status::Response, memory::TOO_LARGE)
    }

    pub fn cancelled() -> TransportError {
        TransportError::new(Status::Cancelled, CANCELLED)
    }

    pub fn closed(doing: &str) -> TransportError {
        TransportError::new(Status::Transport, format!("the connection was closed while {doing}"))
    }

    pub fn timeout(doing: &str) -> TransportError {
        TransportError::new(Status::Timeout, format!("timed out while {doing}"))
    }

    /// Returns whether another attempt may help: not after a cancel or a bug in this library.
    pub fn is_transient(&self) -> bool {
        !self.permanent && matches!(self.status, Status::Transport | Status::Timeout)
    }

    /// An I/O error, with what was being done.
    pub fn io(doing: &str, error: &io::Error) -> TransportError {
        match error.kind() {
            // The system's comes from the limit that it was given, which is not longer than the call.
            io::ErrorKind::TimedOut => TransportError::timeout(doing),
            io::ErrorKind::UnexpectedEof => TransportError::closed(doing),
            _ => TransportError::new(Status::Transport, format!("the connection broke while {doing}: {error}")),
        }
    }
}

/// Fails if the call is over. `doing`: what it was doing.
pub fn check(bounds: &Bounds, doing: &str) -> Result<(), TransportError> {
    match bounds.ended() {
        None => Ok(()),
        Some(Status::Cancelled) => Err(TransportError::cancelled()),
        Some(_) => Err(TransportError::timeout(doing)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permanent_error_and_a_cancel_are_no_reason_for_another_attempt() {
        assert!(
            TransportError::new(Status::Transport, "").is_transient() && TransportError::timeout("").is_transient()
        );
        assert!(!TransportError::permanent("").is_transient() && !TransportError::cancelled().is_transient());
        assert!(!TransportError::new(Status::Internal, "").is_transient());
    }
}
