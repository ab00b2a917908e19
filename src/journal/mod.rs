//! The journal: what is recorded of requests that move money, and what a call may do after what it finds there. Rows are
//! appended and never changed.
//!
//! Imports `util` and `json`.

pub mod claims;
pub mod digest;
pub mod row;
#[cfg(feature = "journal")]
pub mod sqlite;
pub mod store;
pub mod table;

use std::path::Path;

/// Opens the store in a file of this machine, as `sqlite::SqliteStore::open` does.
#[cfg(feature = "journal")]
pub fn open_file(path: &Path, create: bool) -> Result<Box<dyn store::Store>, String> {
    Ok(Box::new(sqlite::SqliteStore::open(path, create)?))
}

#[cfg(not(feature = "journal"))]
pub fn open_file(_: &Path, _: bool) -> Result<Box<dyn store::Store>, String> {
    Err("this build has no journal file".to_owned())
}
