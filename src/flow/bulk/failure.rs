//! What ends a run, or the look-ups of one, before its last batch.

use super::WHAT;
use crate::util::memory;
use crate::util::panics::catch_panic;
use crate::util::validation_error::ValidationError;
use paysvc_spec::status::Status;

/// The status and the reason.
pub struct Failure(pub Status, pub String);

impl Failure {
    pub fn of_callback() -> Failure {
        Failure(Status::Cancelled, "the progress callback stopped the call".into())
    }
}

/// There is no memory to pay, or look up, that many recipients, and to report what becomes of them.
pub fn no_memory(recipients: usize) -> ValidationError {
    let text = format!("{WHAT}: {}, for {recipients} recipients", memory::LACK);
    ValidationError::new(Status::Argument, text)
}

/// Runs a part of an operation whose report must survive a panic; the error is its message.
pub fn contained<T>(part: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_panic(part).map_err(|source_line| Failure(Status::Internal, source_line.bug("")))
}
