//! Why no answer came.

use std::io;

use crate::status::Status;

#[derive(Clone, Debug)]
pub struct Fault {
    /// Transport, Timeout, Cancelled, Response or Internal.
    pub status: Status,
    pub message: String,
    /// Trying again cannot help.
    pub permanent: bool,
}

impl Fault {
    pub fn new(status: Status, message: impl Into<String>) -> Fault {
        Fault { status, message: message.into(), permanent: false }
    }

    pub fn permanent(message: impl Into<String>) -> Fault {
        Fault { status: Status::Transport, message: message.into(), permanent: true }
    }

    pub fn cancelled() -> Fault {
        Fault::new(Status::Cancelled, "the call was cancelled")
    }

    pub fn timeout(doing: &str) -> Fault {
        Fault::new(Status::Timeout, format!("the time ran out while {doing}"))
    }

    /// What an I/O error means at this point of the way.
    pub fn io(doing: &str, error: &io::Error) -> Fault {
        match error.kind() {
            io::ErrorKind::TimedOut => Fault::timeout(doing),
            io::ErrorKind::UnexpectedEof => {
                Fault::new(Status::Transport, format!("the connection was closed while {doing}"))
            }
            _ => Fault::new(Status::Transport, format!("the connection broke while {doing}: {error}")),
        }
    }
}
