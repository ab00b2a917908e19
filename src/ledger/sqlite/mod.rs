//! Rows in a file of SQLite, which several programs of a machine may share.

mod connection;
mod failure;
mod group;
mod home;
mod owners;
mod place;
mod schema;
mod sweep;
#[cfg(test)]
mod tests;

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rusqlite::{Connection, Transaction, params};

use self::connection::{JournalFile, connected};
use self::failure::{Failure, Unable};
use self::place::{Identity, JournalPath};
use super::row::Tombstone;
use super::store::{AppendResult, NewRow, Query, RowCounts, RowVisitor, Store};
use crate::call::Bounds;
use crate::util::process::critical_section;
use crate::util::unique;

/// Max time that opening waits for other processes.
const MAX_OPENING: Duration = Duration::from_secs(10);
/// Max time that a journal which another process makes may have two names.
const MAX_MAKING: Duration = Duration::from_secs(1);

pub struct SqliteStore {
    file: Arc<JournalFile>,
    is_elsewhere: bool,
    accounts: Vec<String>,
    new_keys: Arc<AtomicU32>,
}

impl SqliteStore {
    /// Opens a journal. A missing one is an error unless `create` is set: a volume that is not mounted must
    /// not look like a journal without rows. `accepted`: the loss of a -wal file that is not refused.
    pub fn open(path: &Path, create: bool, accepted: Option<&str>) -> Result<SqliteStore, String> {
        SqliteStore::open_if(path, create, accepted, place::check_file_system)
    }

    fn open_if(
        path: &Path,
        create: bool,
        accepted: Option<&str>,
        fits: fn(&Path) -> Result<(), String>,
    ) -> Result<SqliteStore, String> {
        let path = match place::find(path)? {
            JournalPath::File(path) => path,
            JournalPath::Nothing(path) if create => {
                fits(folder_of(&path))?;
                make(&path)?;
                path
            }
            JournalPath::Nothing(_) => {
                return Err(format!(
                    "the journal {} is missing: is its volume mounted? To make a new one, set journal_create to true",
                    path.display()
                ));
            }
        };
        fits(&path)?;
        fits(folder_of(&path))?;
        place::wait_for_one_link(&path, &Bounds::new(None, MAX_MAKING))?;
        if let Some(accepted) = accepted {
            connection::accept_lost_log(&path, accepted)?;
        }
        let bounds = Bounds::new(None, MAX_OPENING);
        let file = JournalFile::find(&path, Identity::of(&path)?);
        let open = |connection: &mut Connection| {
            schema::open(connection)?;
            let mut accounts = connection.prepare("SELECT account FROM journal_account")?;
            let accounts = accounts.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            Ok((home::is_elsewhere(connection, file.path()).map_err(Failure::Other)?, accounts))
        };
        let (is_elsewhere, accounts) = file.prepare(&bounds, open).map_err(Unable::why)?;
        Ok(SqliteStore { file, is_elsewhere, accounts, new_keys: Arc::default() })
    }
}

impl Store for SqliteStore {
    fn append(&self, row: &NewRow, bounds: &Bounds) -> Result<AppendResult, String> {
        let durable = row.durable;
        let (row, new_keys) = (row.clone(), Arc::clone(&self.new_keys));
        let append = move |transaction: &Transaction<'_>| {
            if let Some(RowCounts { of_key, order, of_order }) = &row.after {
                let mut count = transaction.prepare_cached(COUNT)?;
                let now = count.query_row(params![row.key, order], |row| Ok([row.get::<_, u32>(0)?, row.get(1)?]))?;
                if now.map(|count| count as usize) != [*of_key, *of_order] {
                    return Ok(AppendResult::Exists);
                }
            }
            let time_ms = i64::try_from(row.time_ms).unwrap_or(i64::MAX);
            let values = params![row.key, row.seq, row.order, row.open, time_ms, row.account, row.json];
            if transaction.prepare_cached(INSERT)?.execute(values)? == 0 {
                return Ok(AppendResult::Exists);
            }
            if row.seq > 1 {
                transaction.prepare_cached(KEEP_OPEN_ONLY_LAST)?.execute([&row.key])?;
            } else {
                transaction.prepare_cached(ACCOUNT)?.execute([&row.account])?;
                if new_keys.fetch_add(1, Ordering::Relaxed).is_multiple_of(sweep::EVERY) {
                    sweep::sweep(transaction, &row)?;
                }
            }
            Ok(if row.after.is_some() { AppendResult::Alone } else { AppendResult::Done })
        };
        match self.file.change(durable, bounds, Box::new(append)) {
            Err(Unable::Busy(why)) => Ok(AppendResult::Not(why)),
            appended => appended.map_err(Unable::why),
        }
    }

    fn read(&self, queries: &[Query<'_>], bounds: &Bounds, found: &mut RowVisitor<'_>) -> Result<(), String> {
        let read = |connection: &Connection, query: &Query<'_>| match *query {
            Query::Key(key) => {
                let values = [key, &Tombstone::name_of(key)];
                rows(connection, "WHERE key = ?1 OR key = ?2 ORDER BY key, seq", values)
            }
            Query::Order(order) => {
                let values = [order, &Tombstone::name_of(order)];
                rows(connection, "WHERE order_ref = ?1 OR order_ref = ?2 ORDER BY key, seq", values)
            }
            Query::Open { after, limit } => {
                let values = params![after, limit];
                rows(connection, "WHERE open = 1 AND key > ?1 ORDER BY key LIMIT ?2", values)
            }
        };
        let all = |connection: &Connection| queries.iter().map(|query| Ok(read(connection, query)?)).collect();
        let rows: Vec<_> = self.file.read(bounds, all).map_err(Unable::why)?;
        let mut rows = rows.iter().enumerate().flat_map(|(index, rows)| rows.iter().map(move |(_, row)| (index, row)));
        let _all = rows.all(|(index, row)| found(index, row));
        Ok(())
    }

    fn back_up(&self, to: &Path, bounds: &Bounds) -> Result<(), String> {
        let to = match place::find(to)? {
            JournalPath::Nothing(path) => path,
            JournalPath::File(_) => return Err(exists(to)),
        };
        let copied = place_new(&to, |new| self.file.copy_to(new, bounds));
        if copied? { Ok(()) } else { Err(exists(&to)) }
    }

    fn is_elsewhere(&self) -> bool {
        self.is_elsewhere
    }

    fn accounts(&self) -> &[String] {
        &self.accounts
    }
}

const COUNT: &str = "SELECT (SELECT count(*) FROM journal_row WHERE key = ?1),
    (SELECT count(*) FROM journal_row WHERE order_ref = ?2)";

const INSERT: &str = "INSERT INTO journal_row (key, seq, order_ref, open, time_ms, account, row)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING";

const ACCOUNT: &str = "INSERT INTO journal_account VALUES (?1) ON CONFLICT DO NOTHING";

const KEEP_OPEN_ONLY_LAST: &str = "UPDATE journal_row SET open = 0
    WHERE key = ?1 AND open = 1 AND seq < (SELECT max(seq) FROM journal_row WHERE key = ?1)";

/// The numbers and the JSON of rows.
fn rows(connection: &Connection, which: &str, values: impl rusqlite::Params) -> rusqlite::Result<Vec<(u32, String)>> {
    let mut statement = connection.prepare_cached(&format!("SELECT seq, row FROM journal_row {which}"))?;
    statement.query_map(values, |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

fn exists(path: &Path) -> String {
    format!("{} is there already: give the path of a new file", path.display())
}

/// If another process is faster, its journal stays.
fn make(path: &Path) -> Result<(), String> {
    let make = |new: &Path| {
        critical_section(|| {
            connected(new, |connection| {
                schema::make(connection)?;
                home::write(connection, new).map_err(Failure::Other)?;
                schema::checkpoint(connection)
            })
        })
    };
    place_new(path, make).map(drop)
}

/// Makes a journal beside its final path and moves it there as a whole, so that nobody ever finds a part of one. False if
/// there is a file already.
fn place_new(path: &Path, make: impl FnOnce(&Path) -> Result<(), Failure>) -> Result<bool, String> {
    let shown = path.display();
    let cannot = |error: std::io::Error| {
        format!("the journal {shown} cannot be made: {error}; its folder must be writable for the user of this program")
    };
    let random = unique::reference("").ok_or("the system has no randomness")?;
    let new = beside(path, &format!("-new-{random}"));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    drop(options.open(&new).map_err(cannot)?);
    let made = make(&new).map_err(|failure| match failure {
        Failure::Busy => format!("the journal {shown} cannot be made: another process has opened {}", new.display()),
        Failure::Other(error) => format!("the journal {shown} cannot be made: {error}"),
    });
    let is_placed = made.and_then(|()| match fs::hard_link(&new, path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(cannot(error)),
    });
    let removed = fs::remove_file(&new);
    let is_placed = is_placed?;
    // Where another process has already opened the journal, Windows cannot remove one of its names now.
    if !cfg!(windows) {
        removed.map_err(cannot)?;
    }
    place::sync_folder_of(path)?;
    Ok(is_placed)
}

/// The path with something added to the file's name.
fn beside(path: &Path, added: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(added);
    name.into()
}
