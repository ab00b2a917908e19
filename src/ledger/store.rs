//! Where rows are kept: a file on this machine, or a database of the program.

use std::time::Duration;

/// What [`Store::append`] did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Appended {
    /// The row is durable.
    Done,
    /// There is a row with this key and number: nothing was written.
    Exists,
}

/// Which rows to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query<'a> {
    /// All of a key, by their numbers.
    Key(&'a str),
    /// All of an order, of every key, by key and number.
    Order(&'a str),
    /// The last row of each key that is open after it, in the order of keys: at most this many after this key.
    Open { after: &'a str, limit: u32 },
}

/// Rows that are appended and never changed, with the primary key (key, number). A failure is a text for people.
pub trait Store: Send + Sync {
    /// Writes a row, durably. After a failure it may or may not be there.
    fn append(&self, row: &NewRow<'_>, timeout: Duration) -> Result<Appended, String>;

    /// Hands on the rows as JSON, until `found` returns false.
    fn read(&self, query: Query<'_>, timeout: Duration, found: &mut dyn FnMut(&str) -> bool) -> Result<(), String>;

    /// The journal was written elsewhere: it is a copy, or was moved. The original may have sent requests that are not
    /// here.
    fn is_elsewhere(&self) -> bool {
        false
    }

    /// Removes all rows of a key.
    fn forget(&self, key: &str, timeout: Duration) -> Result<(), String>;
}

/// A row, and what a database needs to find it again.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "journal"), allow(dead_code))]
pub struct NewRow<'a> {
    pub key: &'a str,
    /// From 1, without gaps.
    pub seq: u32,
    pub order: Option<&'a str>,
    /// The key is open once this row is written.
    pub open: bool,
    pub time_ms: u64,
    pub json: &'a str,
    /// Keys that were closed before then need not be kept.
    pub keep_from_ms: u64,
}
