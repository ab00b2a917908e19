//! The content of the file.

use rusqlite::{Connection, TransactionBehavior};

use super::failure::Failure;
use crate::ledger::row::{Place, Row};

/// "pays": distinguishes a journal from any other database.
const APPLICATION_ID: i32 = 0x7061_7973;

/// The version of the schema. Earlier ones were never published.
const VERSION: i32 = 3;

/// The size of every page of the file.
pub const PAGE_BYTES: u64 = 4096;

/// Max size of the -wal file before its pages go into the journal itself. A program reads all of it when it begins.
pub const MAX_WAL_BYTES: u64 = 1024 * PAGE_BYTES;

/// The size up to which the whole journal is checked when it is opened, because that takes time. In a larger one, damage in
/// a row is found when it is read, and a row that its query does not find is missed.
const MAX_CHECKED_PAGES: i64 = 8192;

/// Applies settings that the file does not keep. SQLite syncs at checkpoints only (see `group`); no temporary file
/// is made; damaged pages are errors; the schema cannot make SQLite do anything else.
pub fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "PRAGMA synchronous = NORMAL;
        PRAGMA checkpoint_fullfsync = ON;
        PRAGMA wal_autocheckpoint = 0;
        PRAGMA journal_size_limit = {MAX_WAL_BYTES};
        PRAGMA temp_store = MEMORY;
        PRAGMA mmap_size = 0;
        PRAGMA cell_size_check = ON;
        PRAGMA trusted_schema = OFF;
        PRAGMA foreign_keys = OFF;"
    ))
}

/// Makes the schema in an empty file. The content of the -wal file must be brought into it before it is used.
pub fn make(connection: &mut Connection) -> Result<(), Failure> {
    connection.pragma_update(None, "page_size", PAGE_BYTES as u32)?;
    use_wal(connection)?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(include_str!("schema.sql"))?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    Ok(transaction.commit()?)
}

/// Fails unless the file is a journal of this version.
pub fn check(connection: &Connection) -> Result<(), Failure> {
    let number = |of: &str| connection.prepare_cached(of)?.query_row([], |row| row.get::<_, i32>(0));
    let id = number("PRAGMA application_id")?;
    if id != APPLICATION_ID {
        if connection.pragma_query_value(None, "page_count", |row| row.get::<_, u32>(0))? == 0 {
            let error = "it is empty: restore it from a copy, or remove it if it never was a journal";
            return Err(Failure::Other(error.to_owned()));
        }
        return Err(Failure::Other("it is not a journal of this library: give another path".to_owned()));
    }
    let version = number("PRAGMA user_version")?;
    let advice = match version {
        VERSION => return Ok(()),
        i32::MIN..=0 => "it has no schema: it is damaged; restore it from a copy".to_owned(),
        1..VERSION => format!(
            "it has version {version}, which was made by a library before 0.4 and has no migration: resolve what is open \
             with that library, and then make a new journal"
        ),
        _ => format!(
            "it has version {version}, and this library knows version {VERSION}: use a later version of the library"
        ),
    };
    Err(Failure::Other(advice))
}

/// Fails unless the file is a journal of this version, and each query would find all rows that it is about. A row with
/// damage in itself concerns only the calls that need it.
pub fn open(connection: &mut Connection) -> Result<(), Failure> {
    check(connection)?;
    let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
    if pages <= MAX_CHECKED_PAGES {
        let damaged = |what: &str| Err(Failure::Other(format!("it is damaged ({what}); restore it from a copy")));
        let found: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
        if found != "ok" {
            return damaged(&found);
        }
        if let Some(row) = misplaced(connection)? {
            return damaged(&format!("row {} of {} is another one", row.seq, row.key));
        }
    }
    use_wal(connection)?;
    // Tests whether the folder can be written.
    connection.transaction_with_behavior(TransactionBehavior::Immediate)?.commit()?;
    // Brings in what an earlier process left in the -wal file, unless somebody is reading it.
    match checkpoint(connection) {
        Err(Failure::Busy) => Ok(()),
        done => done,
    }
}

/// The number of the first change in the -wal file of now, as the journal itself announces it, and as the change has it.
pub fn changes(connection: &Connection) -> rusqlite::Result<(i64, i64)> {
    let mut about = connection.prepare_cached("SELECT expected, present FROM journal_about")?;
    about.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// A row that is not in the place that its JSON names: a query for it would find nothing, as if nothing had been sent.
fn misplaced(connection: &Connection) -> rusqlite::Result<Option<TableRow>> {
    let all = "SELECT row, key, seq, order_ref, account, open FROM journal_row NOT INDEXED ORDER BY key, seq";
    let mut all = connection.prepare(all)?;
    let (mut all, mut before) = (all.query([])?, None::<TableRow>);
    loop {
        let next = all.next()?.map(TableRow::read).transpose()?;
        let is_last = |row: &TableRow| next.as_ref().is_none_or(|next| next.key != row.key);
        if let Some(row) = before.take_if(|row| !row.is_in_place(is_last(row))) {
            return Ok(Some(row));
        }
        if next.is_none() {
            return Ok(None);
        }
        before = next;
    }
}

struct TableRow {
    json: String,
    key: String,
    seq: u32,
    order: Option<String>,
    account: String,
    is_open: bool,
}

impl TableRow {
    fn read(found: &rusqlite::Row<'_>) -> rusqlite::Result<TableRow> {
        // Invalid UTF-8 is damage in the row.
        let json = String::from_utf8_lossy(found.get_ref(0)?.as_bytes()?).into_owned();
        let (key, seq, order) = (found.get(1)?, found.get(2)?, found.get(3)?);
        Ok(TableRow { json, key, seq, order, account: found.get(4)?, is_open: found.get(5)? })
    }

    fn is_in_place(&self, is_last: bool) -> bool {
        // Only the last row of a key is marked as open.
        let opens: &[bool] = match (is_last, self.is_open) {
            (true, true) => &[true],
            (true, false) => &[false],
            (false, false) => &[true, false],
            (false, true) => &[],
        };
        let (key, seq, order, account) = (&self.key, self.seq, self.order.as_deref(), &self.account);
        Row::is_of_place(&self.json, &Place { key, seq, order, account, opens })
    }
}

/// Brings all rows from the -wal file into the journal, durably.
pub fn checkpoint(connection: &Connection) -> Result<(), Failure> {
    let busy: bool = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy { Err(Failure::Busy) } else { Ok(()) }
}

pub fn use_wal(connection: &Connection) -> Result<(), Failure> {
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode == "wal" {
        return Ok(());
    }
    Err(Failure::Other(format!(
        "its file system does not support a write-ahead log (SQLite says: {mode}); use another one"
    )))
}
