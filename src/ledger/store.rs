//! The store that keeps the rows: a file on this machine, or a database of the program.

use super::row::Row;
use crate::call::Bounds;
use std::fmt::{self, Display};
use std::path::Path;

/// The result of [`Store::append`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AppendResult {
    Done,
    /// The row is there, and was written after [`NewRow::after`] and nothing else.
    Alone,
    /// Nothing was written: there is a row with this key and number, or something else was written after
    /// [`NewRow::after`].
    Exists,
    /// Nothing was written, and nothing will be, for this reason.
    Not(String),
}

/// The rows to read. Keys and orders are those by which rows are found: with ASCII case folded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query<'a> {
    /// All of a key, by their numbers.
    Key(&'a str),
    /// All of an order, of every key, by key and number.
    Order(&'a str),
    /// The last row of each key that is open after it, in the order of keys: at most this many after this key.
    Open { after: &'a str, limit: u32 },
}

/// For messages.
impl Display for Query<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Query::Key(key) => write!(f, "key {key}"),
            Query::Order(order) => write!(f, "order {order}"),
            Query::Open { after, .. } => write!(f, "open keys after \"{after}\""),
        }
    }
}

/// Gets each row, with the index of its query; false: no more rows.
pub type RowVisitor<'a> = dyn FnMut(usize, &str) -> bool + 'a;

/// Rows that are appended and never changed, with the primary key (key, number). A failure is a text for people.
pub trait Store: Send + Sync {
    /// Writes a row. After a failure it may or may not be there.
    fn append(&self, row: &NewRow, bounds: &Bounds) -> Result<AppendResult, String>;

    /// Hands on the rows as JSON, until `found` returns false. A store that can do so reads them all in one transaction.
    fn read(&self, queries: &[Query<'_>], bounds: &Bounds, found: &mut RowVisitor<'_>) -> Result<(), String>;

    /// Copies all rows to a new file.
    fn back_up(&self, _to: &Path, _bounds: &Bounds) -> Result<(), String> {
        Err("the journal is a store of the program: back up its database".to_owned())
    }

    /// The journal was written elsewhere: it is a copy, or was moved. The original may have sent requests that are not
    /// here.
    fn is_elsewhere(&self) -> bool {
        false
    }

    /// Whose rows it had when it was opened, as far as that is known.
    fn accounts(&self) -> &[String] {
        &[]
    }
}

/// A row, and what a database needs to find it again.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "journal"), allow(dead_code))]
pub struct NewRow {
    pub key: String,
    /// From 1, without gaps.
    pub seq: u32,
    pub order: Option<String>,
    pub account: String,
    /// The key is open once this row is written.
    pub open: bool,
    /// It must outlive a power cut once [`Store::append`] has returned.
    pub durable: bool,
    pub time_ms: u64,
    pub json: String,
    /// Keys of the account that were closed before then need no details any more.
    pub keep_from_ms: u64,
    /// The rows that the row was decided on. A store that cannot compare them in one transaction with writing ignores this,
    /// and does not return [`AppendResult::Alone`].
    pub after: Option<RowCounts>,
}

impl NewRow {
    pub fn of(row: &Row, durable: bool, keep_from_ms: u64, after: Option<RowCounts>) -> Result<NewRow, String> {
        Ok(NewRow {
            key: row.key.index.clone(),
            seq: row.seq,
            order: row.order.as_ref().map(|order| order.index.clone()),
            account: row.account.clone(),
            open: row.open,
            durable,
            time_ms: row.time_ms,
            json: row.to_json()?,
            keep_from_ms,
            after,
        })
    }
}

/// The number of rows of the row's key, and of this order.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(not(feature = "journal"), allow(dead_code))]
pub struct RowCounts {
    pub of_key: usize,
    pub order: Option<String>,
    pub of_order: usize,
}
