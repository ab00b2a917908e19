//! Rows in a file of SQLite, which several programs of a machine may share.
//!
//! Each call opens the file and closes it. So no connection is there when the program forks (see `turns`), a failed
//! sync is never followed by a commit of the same connection, and a file that was replaced is noticed.

mod failure;
mod home;
mod place;
mod schema;
mod sweep;
#[cfg(test)]
mod tests;
mod turns;

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, MAIN_DB, OpenFlags, Transaction, TransactionBehavior, params};

use self::failure::Failure;
use self::place::{Identity, JournalPath};
use self::turns::{CONNECTIONS, Turns, deadline};
use super::row::Tombstone;
use super::store::{Appended, NewRow, Query, Store};
use crate::util::process::critical_section;
use crate::util::unique;

/// How long opening may wait for other processes.
const MAX_OPENING: Duration = Duration::from_secs(10);

/// Between two attempts while another process has the file.
const PAUSE: Duration = Duration::from_millis(2);

pub struct SqliteStore {
    /// Without symbolic links.
    path: PathBuf,
    identity: Identity,
    turns: Turns,
    /// A write has failed. What it left in the -wal file may be read, but is not durable before a checkpoint has
    /// succeeded.
    in_doubt: AtomicBool,
    is_elsewhere: bool,
    accounts: Vec<String>,
}

impl SqliteStore {
    /// Opens a journal. A missing one is an error unless `create` says to make it: a volume that is not mounted must
    /// not look like a journal without rows.
    pub fn open(path: &Path, create: bool) -> Result<SqliteStore, String> {
        SqliteStore::open_if(path, create, place::check_file_system)
    }

    fn open_if(path: &Path, create: bool, fits: fn(&Path) -> Result<(), String>) -> Result<SqliteStore, String> {
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
        let identity = Identity::of(&path)?;
        let (turns, in_doubt) = (Turns::new(), AtomicBool::new(false));
        let store = SqliteStore { path, identity, turns, in_doubt, is_elsewhere: false, accounts: Vec::new() };
        let (is_elsewhere, accounts) = store.attempts(MAX_OPENING, |store| {
            store.connected(|connection| {
                schema::open(connection)?;
                let mut accounts = connection.prepare("SELECT account FROM journal_account")?;
                let accounts = accounts.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
                Ok((home::is_elsewhere(connection, &store.path).map_err(Failure::Other)?, accounts))
            })
        })?;
        Ok(SqliteStore { is_elsewhere, accounts, ..store })
    }

    /// Repeats until an attempt succeeds, fails for a reason other than another process using the file, or the time is
    /// over. The system's reads, writes and syncs of the file cannot be interrupted.
    fn attempts<T>(
        &self,
        timeout: Duration,
        attempt: impl Fn(&SqliteStore) -> Result<T, Failure>,
    ) -> Result<T, String> {
        let deadline = deadline(timeout);
        let path = self.path.display();
        let Some(_turn) = self.turns.take(deadline) else {
            return Err(format!("the journal {path} was in use by other threads for the whole time limit"));
        };
        loop {
            match critical_section(|| attempt(self)) {
                Ok(done) => return Ok(done),
                Err(Failure::Other(error)) => return Err(format!("the journal {path}: {error}")),
                Err(Failure::Busy) if Instant::now() >= deadline => {
                    return Err(format!("the journal {path} was in use by other processes for the whole time limit"));
                }
                Err(Failure::Busy) => std::thread::sleep(PAUSE),
            }
        }
    }

    fn read_rows<T>(&self, timeout: Duration, work: impl Fn(&Connection) -> rusqlite::Result<T>) -> Result<T, String> {
        self.attempts(timeout, |store| {
            store.connected(|connection| {
                store.ready(connection)?;
                Ok(work(connection)?)
            })
        })
    }

    /// In a transaction, which is durable once this has returned `Ok`.
    fn change<T>(&self, timeout: Duration, work: impl Fn(&Transaction) -> Result<T, Failure>) -> Result<T, String> {
        let attempt = |store: &SqliteStore| {
            let done = store.connected(|connection| {
                store.ready(connection)?;
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let done = work(&transaction)?;
                transaction.commit()?;
                // A later call repeats whatever fails here. SQLite's own checkpoints do not shrink the file, and the
                // next connection would read all of it.
                let wal = fs::metadata(beside(&store.path, "-wal"));
                if wal.is_ok_and(|wal| wal.len() > schema::MAX_WAL_BYTES) {
                    let _ = schema::checkpoint(connection);
                }
                Ok(done)
            });
            if matches!(done, Err(Failure::Other(_))) {
                store.in_doubt.store(true, Ordering::SeqCst);
            }
            done
        };
        self.attempts(timeout, attempt)
    }

    fn ready(&self, connection: &Connection) -> Result<(), Failure> {
        schema::check(connection)?;
        if self.in_doubt.load(Ordering::SeqCst) {
            schema::checkpoint(connection)?;
            self.in_doubt.store(false, Ordering::SeqCst);
        }
        Ok(())
    }

    /// Whether the last page is incomplete; SQLite would fill it with zeros. That can also be a checkpoint which a
    /// power cut has ended; then the page is in the -wal file.
    fn is_cut(&self) -> bool {
        let length = |path: &Path| fs::metadata(path).map_or(0, |about| about.len());
        !length(&self.path).is_multiple_of(schema::PAGE_BYTES) && length(&beside(&self.path, "-wal")) == 0
    }

    /// With a connection to the file that was opened first, not to another file that is now at its path.
    fn connected<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T, Failure>) -> Result<T, Failure> {
        self.identity.check(&self.path).map_err(Failure::Other)?;
        let done = connected(&self.path, |connection| {
            // What is in the -wal file stays there, so that most calls sync once.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            if self.is_cut() {
                return Err(Failure::Other("it has been cut; restore it from a copy".to_owned()));
            }
            work(connection)
        })?;
        self.identity.check(&self.path).map_err(Failure::Other)?;
        Ok(done)
    }
}

impl Store for SqliteStore {
    fn append(&self, row: &NewRow<'_>, timeout: Duration) -> Result<Appended, String> {
        self.change(timeout, |transaction| {
            let time_ms = i64::try_from(row.time_ms).unwrap_or(i64::MAX);
            let values = params![row.key, row.seq, row.order, row.open, time_ms, row.account, row.json];
            if transaction.execute(INSERT, values)? == 0 {
                return Ok(Appended::Exists);
            }
            transaction.execute(KEEP_OPEN_ONLY_LAST, [row.key])?;
            if row.seq == 1 {
                transaction.execute("INSERT INTO journal_account VALUES (?1) ON CONFLICT DO NOTHING", [row.account])?;
                sweep::sweep(transaction, row)?;
            }
            Ok(Appended::Done)
        })
    }

    fn read(&self, query: Query<'_>, timeout: Duration, found: &mut dyn FnMut(&str) -> bool) -> Result<(), String> {
        let rows = self.read_rows(timeout, |connection| match query {
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
        })?;
        let _all = rows.iter().all(|(_, row)| found(row));
        Ok(())
    }

    fn is_elsewhere(&self) -> bool {
        self.is_elsewhere
    }

    fn accounts(&self) -> &[String] {
        &self.accounts
    }
}

const INSERT: &str = "INSERT INTO journal_row (key, seq, order_ref, open, time_ms, account, row)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING";

const KEEP_OPEN_ONLY_LAST: &str = "UPDATE journal_row SET open = 0
    WHERE key = ?1 AND open = 1 AND seq < (SELECT max(seq) FROM journal_row WHERE key = ?1)";

/// The numbers and the JSON of rows.
fn rows(connection: &Connection, which: &str, values: impl rusqlite::Params) -> rusqlite::Result<Vec<(u32, String)>> {
    let mut statement = connection.prepare(&format!("SELECT seq, row FROM journal_row {which}"))?;
    statement.query_map(values, |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

/// With a new connection, which is closed afterwards. Nothing else in this process may open the file: closing it would
/// drop the locks of all connections.
fn connected<T>(path: &Path, work: impl FnOnce(&mut Connection) -> Result<T, Failure>) -> Result<T, Failure> {
    let _connected = CONNECTIONS.enter().map_err(Failure::Other)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    // Before it makes -wal and -shm files that are read-only as well.
    if connection.is_readonly(MAIN_DB)? {
        return Err(Failure::Other("it is read-only: make it writable for the user of this program".to_owned()));
    }
    // Nobody waits within a critical section.
    connection.busy_timeout(Duration::ZERO)?;
    schema::configure(&connection)?;
    let done = work(&mut connection)?;
    connection.close().map_err(|(_, error)| error)?;
    Ok(done)
}

/// Makes a journal beside its final path and moves it there as a whole, so that nobody ever finds a part of one. If
/// another process is faster, its journal stays.
fn make(path: &Path) -> Result<(), String> {
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
    let made = critical_section(|| {
        connected(&new, |connection| {
            schema::make(connection)?;
            home::write(connection, &new).map_err(Failure::Other)?;
            schema::checkpoint(connection)
        })
    });
    let placed = made.map_err(|failure| match failure {
        Failure::Busy => format!("the journal {shown} cannot be made: another process has opened {}", new.display()),
        Failure::Other(error) => format!("the journal {shown} cannot be made: {error}"),
    });
    let placed = placed.and_then(|()| match fs::hard_link(&new, path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(cannot(error)),
        _ => Ok(()),
    });
    match fs::remove_file(&new) {
        // Another process has already opened the journal, so Windows cannot remove one of its names now.
        Err(_) if cfg!(windows) && placed.is_ok() => {}
        removed => placed.and(removed.map_err(cannot))?,
    }
    place::sync_folder_of(path)
}

/// The path with something added to the file's name.
fn beside(path: &Path, added: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(added);
    name.into()
}
