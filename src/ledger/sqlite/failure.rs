//! Failures of an attempt, and what to do then.

use rusqlite::ErrorCode;

/// The reason why an attempt failed.
#[derive(Debug)]
pub enum Failure {
    /// Another process has the file.
    Busy,
    /// The fault of the journal, and what to do.
    Other(String),
}

/// The reason why nothing was done.
#[derive(Clone, PartialEq, Debug)]
pub enum Unable {
    /// The time was over before anything was written.
    Busy(String),
    /// Something may have been written.
    Failed(String),
}

impl Unable {
    pub fn why(self) -> String {
        let (Unable::Busy(why) | Unable::Failed(why)) = self;
        why
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        let advice = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
                return Failure::Busy;
            }
            Some(ErrorCode::NotADatabase) => {
                "it is damaged or not a journal; restore it from a copy, or give another path"
            }
            Some(ErrorCode::DatabaseCorrupt) => "it is damaged; restore it from a copy",
            Some(ErrorCode::DiskFull) => "its disk is full, or a limit was reached; make room",
            Some(ErrorCode::ReadOnly) => {
                "it, or its folder, is read-only; both must be writable for the user of this program"
            }
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                "it, its -wal or its -shm file cannot be opened; they and their folder must be readable and writable \
                 for the user of this program"
            }
            Some(ErrorCode::SystemIoFailure) => "its disk reports a failure, or a limit was reached; check the disk",
            _ => "it cannot be used",
        };
        let code = error.sqlite_error().map_or(0, |error| error.extended_code);
        Failure::Other(format!("{advice} ({error}, {code})"))
    }
}
