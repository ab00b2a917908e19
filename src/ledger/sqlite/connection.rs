//! The connection of this process to a journal's file, which all its clients share: the thread that has it, the time
//! from which written rows are durable, and the effects of a fork.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::time::{Duration, Instant};

use once_cell::race::OnceBox;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, MAIN_DB, OpenFlags, Transaction, TransactionBehavior};

use super::failure::{Failure, Unable};
use super::group::{Group, Leader, Turn, Work};
use super::owners::{CONNECTIONS, Connected};
use super::place::Identity;
use super::schema;
use crate::call::Bounds;
use crate::ledger::store::AppendResult;
use crate::util::process::{self, PerProcess, critical_section};

/// The wait between two attempts while another process has the file.
const PAUSE: Duration = Duration::from_millis(2);
/// Max time that the end of the last client waits for other processes, before it leaves the -wal file to them.
const MAX_CLOSING: Duration = Duration::from_millis(100);
/// Other processes may be faster.
const MOST_ANNOUNCEMENTS: u32 = 3;
/// Pages of a copy that are copied at once: a fork waits for them.
const PAGES_AT_ONCE: i32 = 256;
/// Max time that a fork waits for a lock that is held for moments only.
const MAX_FORKING: Duration = Duration::from_millis(500);

/// The file that the clients of a process share; the last of them brings the -wal file into the journal.
pub struct JournalFile(Arc<Shared>);

/// The part of it that a fork needs: dropping this does nothing else.
struct Shared {
    /// Without symbolic links.
    path: PathBuf,
    identity: Identity,
    /// A child begins without a connection: the parent's has locks that the child lacks.
    process: PerProcess<InProcess>,
}

#[derive(Default)]
struct InProcess {
    line: Mutex<Line>,
    /// Locked in critical sections only, so that a fork finds it free.
    session: Mutex<Option<Session>>,
    /// The threads that have something to write.
    writers: Group,
    /// A write or a sync has failed. The rows that it left in the -wal file may be read, but are not durable before a
    /// checkpoint has succeeded.
    in_doubt: AtomicBool,
    /// The process has had a connection.
    was_open: AtomicBool,
}

/// The threads that wait for the connection, in this order: a thread with many operations would keep others from it.
#[derive(Default)]
struct Line {
    is_taken: bool,
    waiting: VecDeque<Arc<Condvar>>,
}

impl Line {
    fn wake_next(&self) {
        if let (false, Some(next)) = (self.is_taken, self.waiting.front()) {
            next.notify_one();
        }
    }
}

/// A thread's hold on the connection.
struct Hold<'a>(&'a InProcess);

impl InProcess {
    /// `None` if another thread has the connection for the whole time.
    fn take(&self, bounds: &Bounds) -> Option<Hold<'_>> {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        if line.is_taken || !line.waiting.is_empty() {
            let own = Arc::new(Condvar::new());
            line.waiting.push_back(Arc::clone(&own));
            while line.is_taken || !line.waiting.front().is_some_and(|first| Arc::ptr_eq(first, &own)) {
                if bounds.is_over() {
                    line.waiting.retain(|one| !Arc::ptr_eq(one, &own));
                    line.wake_next();
                    return None;
                }
                let wait = bounds.wait_to_check(bounds.time_left());
                (line, _) = own.wait_timeout(line, wait).unwrap_or_else(PoisonError::into_inner);
            }
            line.waiting.pop_front();
        }
        line.is_taken = true;
        Some(Hold(self))
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        let mut line = self.0.line.lock().unwrap_or_else(PoisonError::into_inner);
        line.is_taken = false;
        line.wake_next();
    }
}

impl JournalFile {
    /// The file at that path, which other clients of this process may have opened already.
    pub fn find(path: &Path, identity: Identity) -> Arc<JournalFile> {
        process::close_before_forks(close_all);
        let mut files = files();
        files.retain(|known| known.file.strong_count() > 0);
        let is_it = |shared: &Shared| shared.path == path && shared.identity.is(&identity);
        let found = files.iter().find(|known| known.shared.upgrade().is_some_and(|shared| is_it(&shared)));
        if let Some(file) = found.and_then(|known| known.file.upgrade()) {
            return file;
        }
        let shared = Shared { path: path.to_owned(), identity, process: PerProcess::new() };
        let file = Arc::new(JournalFile(Arc::new(shared)));
        files.push(WeakFile::of(&file));
        file
    }

    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// With the connection itself, for what cannot be done in a transaction.
    pub fn prepare<T>(
        self: &Arc<Self>,
        bounds: &Bounds,
        work: impl Fn(&mut Connection) -> Result<T, Failure>,
    ) -> Result<T, Unable> {
        self.attempts(bounds, |session, _| work(&mut session.connection))
    }

    /// In a transaction: all of it sees the same state, and the file is locked once.
    pub fn read<T>(
        self: &Arc<Self>,
        bounds: &Bounds,
        work: impl Fn(&Connection) -> Result<T, Failure>,
    ) -> Result<T, Unable> {
        self.attempts(bounds, |session, _| {
            let transaction = session.connection.transaction()?;
            schema::check(&transaction)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })
    }

    /// In a transaction, which it may share with other threads. It is durable once this has returned `Ok`, if that is wanted.
    pub fn change(self: &Arc<Self>, durable: bool, bounds: &Bounds, work: Work) -> Result<AppendResult, Unable> {
        let (_, process) = self.0.process.current();
        let own = process.writers.join(work, durable);
        match process.writers.wait(&own, bounds) {
            // Also if the leader panicked after it had written: the row may be read, and is not durable.
            Turn::Done(done) => done.inspect_err(|_| process.in_doubt.store(true, Ordering::SeqCst)),
            Turn::Lead(mut leader) => {
                let led = self.lead(process, &mut leader, bounds);
                match (leader.own(), led) {
                    (Some(done), _) => done,
                    (None, Err(unable)) => Err(unable),
                    (None, Ok(())) => unreachable!("a leader writes its own work, too"),
                }
            }
            Turn::Withdrawn => Err(self.busy("threads")),
            Turn::Late => Err(self.failed("deadline exceeded before what was written was on the disk")),
        }
    }

    /// Writes for all that wait, and hands them the results. The error is of the leader's own work, if that has not
    /// begun.
    fn lead(self: &Arc<Self>, process: &InProcess, leader: &mut Leader<'_>, bounds: &Bounds) -> Result<(), Unable> {
        let written = self.attempts(bounds, |session, process| {
            leader.begin();
            let all = |transaction: &Transaction<'_>| {
                leader.members.iter().map(|member| (member.work)(transaction)).collect::<Result<Vec<_>, _>>()
            };
            let written = session.commit(all).inspect_err(|failure| match failure {
                Failure::Busy => leader.give_back(),
                Failure::Other(_) => process.in_doubt.store(true, Ordering::SeqCst),
            })?;
            // A later call repeats it if it fails. SQLite's own checkpoints do not shrink the file, and the next process
            // would read all of it.
            let is_synced = session.log.metadata().is_ok_and(|log| log.len() > schema::MAX_WAL_BYTES)
                && schema::checkpoint(&session.connection).is_ok();
            Ok((written, (!is_synced).then(|| Arc::clone(&session.log))))
        });
        let (written, log) = written.inspect_err(|unable| leader.finish(|_, _| Some(Err(unable.clone()))))?;
        leader.finish(|index, member| (!member.durable).then(|| Ok(written[index].clone())));
        let wanted = log.filter(|_| leader.members.iter().any(|member| member.durable));
        let synced = wanted.map_or(Ok(()), |log| log.sync_data()).map_err(|error| {
            process.in_doubt.store(true, Ordering::SeqCst);
            self.failed(&format!("its disk reports a failure; check the disk ({error})"))
        });
        leader.finish(|index, member| member.durable.then(|| synced.clone().map(|()| written[index].clone())));
        Ok(())
    }

    fn busy(&self, others: &str) -> Unable {
        Unable::Busy(format!(
            "the journal {} was in use by other {others} for the whole time limit",
            self.path().display()
        ))
    }

    fn failed(&self, why: &str) -> Unable {
        Unable::Failed(format!("the journal {}: {why}", self.path().display()))
    }

    /// Copies what has been committed by now to an empty file. A child that is forked meanwhile cannot use a journal.
    pub fn copy_to(self: &Arc<Self>, new: &Path, bounds: &Bounds) -> Result<(), Failure> {
        self.read(bounds, |_| Ok(())).map_err(|unable| Failure::Other(unable.why()))?;
        let open = |path: &Path| Ok::<_, Failure>((CONNECTIONS.enter().map_err(Failure::Other)?, connect(path)?));
        let ((_counted, from), (_also, mut to)) =
            critical_section(|| Ok::<_, Failure>((open(self.path())?, open(new)?)))?;
        critical_section(|| {
            from.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            // All steps copy the same state.
            from.execute_batch("BEGIN")?;
            schema::check(&from)
        })?;
        {
            let backup = critical_section(|| Backup::new(&from, &mut to))?;
            loop {
                if bounds.is_over() {
                    return Err(Failure::Other("the call was over before the copy was complete".to_owned()));
                }
                if critical_section(|| backup.step(PAGES_AT_ONCE))? == StepResult::Done {
                    break;
                }
            }
        }
        critical_section(|| {
            // Requests may be sent after this, which the copy lacks.
            to.execute("UPDATE journal_about SET present = expected, home = ''", [])?;
            to.close().map_err(|(_, error)| error)?;
            drop(from);
            Ok(())
        })
    }

    /// Repeats until an attempt succeeds, fails for a reason other than another process using the file, or the call is
    /// over. The system's reads, writes and syncs of the file cannot be interrupted.
    fn attempts<T>(
        self: &Arc<Self>,
        bounds: &Bounds,
        mut attempt: impl FnMut(&mut Session, &InProcess) -> Result<T, Failure>,
    ) -> Result<T, Unable> {
        let (_, process) = self.0.process.current();
        let Some(_hold) = process.take(bounds) else { return Err(self.busy("threads")) };
        loop {
            let done = critical_section(|| {
                let mut session = process.session.lock().unwrap_or_else(|poisoned| {
                    // A panic may have left a transaction in it.
                    let mut session = poisoned.into_inner();
                    *session = None;
                    session
                });
                process.session.clear_poison();
                attempt(self.ready(process, &mut session)?, process)
            });
            match done {
                Ok(done) => return Ok(done),
                Err(Failure::Other(error)) => return Err(self.failed(&error)),
                Err(Failure::Busy) if bounds.is_over() => return Err(self.busy("processes")),
                Err(Failure::Busy) => _ = bounds.pause(PAUSE),
            }
        }
    }

    /// The connection to the file that was opened first, not to another file that is now at its path.
    fn ready<'s>(
        self: &Arc<Self>,
        process: &InProcess,
        session: &'s mut Option<Session>,
    ) -> Result<&'s mut Session, Failure> {
        let Shared { path, identity, .. } = &*self.0;
        identity.check(path).map_err(Failure::Other)?;
        let in_doubt = process.in_doubt.load(Ordering::SeqCst);
        if in_doubt {
            *session = None;
        }
        if session.is_none() {
            register(self);
            process.was_open.store(true, Ordering::SeqCst);
            *session = Some(Session::open(path)?);
        }
        let Some(session) = session else { return Err(Failure::Busy) };
        session.log_identity.check(&log_of(path)).map_err(|_| {
            Failure::Other(
                "its -wal file was removed or replaced while it was open: stop all programs that use it, and \
                            restore it from a copy"
                    .to_owned(),
            )
        })?;
        if in_doubt {
            schema::checkpoint(&session.connection)?;
            process.in_doubt.store(false, Ordering::SeqCst);
        }
        Ok(session)
    }

    /// Brings the content of the -wal file into the journal, so that a copy of that file alone has everything.
    fn close(&self) {
        let Shared { path, identity, process } = &*self.0;
        let (_, process) = process.current();
        let is_in_doubt = process.in_doubt.load(Ordering::SeqCst);
        if !process.was_open.load(Ordering::SeqCst) || is_in_doubt || identity.check(path).is_err() {
            return;
        }
        let deadline = Instant::now() + MAX_CLOSING;
        while !critical_section(|| {
            let mut session = process.session.lock().unwrap_or_else(PoisonError::into_inner);
            if session.is_none() {
                // A fork has closed it.
                *session = Session::open(path).ok();
            }
            let done = session.as_mut().is_none_or(|session| !matches!(session.merge(), Err(Failure::Busy)));
            if done {
                *session = None;
            }
            done
        }) && Instant::now() < deadline
        {
            std::thread::sleep(PAUSE);
        }
    }
}

impl Drop for JournalFile {
    fn drop(&mut self) {
        self.close();
    }
}

struct Session {
    connection: Connection,
    /// A descriptor of our own: SQLite has no locks on the -wal file that closing this would drop.
    log: Arc<File>,
    log_identity: Identity,
    _counted: Connected<'static>,
}

impl Session {
    fn open(path: &Path) -> Result<Session, Failure> {
        let counted = CONNECTIONS.enter().map_err(Failure::Other)?;
        // Connecting makes a log.
        if let Some(loss) = lost_log(path)? {
            return Err(Failure::Other(format!(
                "its -wal file is gone, and requests that were sent with it: put that file back beside it, or restore both \
                 from a copy that was made together. If there is none, set journal_accept_lost_log to {loss}"
            )));
        }
        let connection = connect(path)?;
        // The content of the -wal file stays there, also when a fork closes this connection.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        if is_cut(path) {
            return Err(Failure::Other("it has been cut; restore it from a copy".to_owned()));
        }
        schema::check(&connection)?;
        let (expected, present) = schema::changes(&connection)?;
        // Once a change was made, its announcement is in the journal itself.
        let is_older = || {
            expected == present && alone(path, |it| Ok(schema::changes(it)?)).is_ok_and(|(alone, _)| alone < expected)
        };
        // It may have been written while it was read.
        if is_older() && {
            std::thread::sleep(PAUSE);
            is_older()
        } {
            return Err(Failure::Other(
                "an older copy of it was put back beside a newer -wal file: restore both from a copy that was made together"
                    .to_owned(),
            ));
        }
        // Makes the -wal file.
        schema::use_wal(&connection)?;
        let log = log_of(path);
        let file = OpenOptions::new().read(true).write(true).open(&log).map_err(|error| log_fails(&error))?;
        let log_identity = Identity::of(&log).map_err(Failure::Other)?;
        Ok(Session { connection, log: Arc::new(file), log_identity, _counted: counted })
    }

    /// Before the first change in an empty -wal file, the journal itself gets the number of that change, so that it is seen
    /// when that file is gone.
    fn commit<T>(&mut self, work: impl Fn(&Transaction<'_>) -> Result<T, Failure>) -> Result<T, Failure> {
        for _ in 0..MOST_ANNOUNCEMENTS {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            schema::check(&transaction)?;
            let is_empty = self.log.metadata().map_err(|error| log_fails(&error))?.len() == 0;
            let (expected, present) = schema::changes(&transaction)?;
            if (expected == present) != is_empty {
                if expected != present {
                    transaction.execute("UPDATE journal_about SET present = expected", [])?;
                }
                let done = work(&transaction)?;
                transaction.commit()?;
                return Ok(done);
            }
            if is_empty {
                transaction.execute("UPDATE journal_about SET expected = present + 1", [])?;
            }
            transaction.commit()?;
            schema::checkpoint(&self.connection)?;
        }
        Err(Failure::Busy)
    }

    /// Brings the content of the -wal file into the journal.
    fn merge(&mut self) -> Result<(), Failure> {
        schema::checkpoint(&self.connection)?;
        // A change that was announced and not made is not to be missed.
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if transaction.execute("UPDATE journal_about SET present = expected WHERE present <> expected", [])? == 0 {
            return Ok(());
        }
        transaction.commit()?;
        schema::checkpoint(&self.connection)
    }
}

/// If there is no -wal file, but the journal needs one: the name of that loss. It is read without making one:
/// the next opening is to see the same.
fn lost_log(path: &Path) -> Result<Option<String>, Failure> {
    if log_of(path).exists() {
        return Ok(None);
    }
    alone(path, |connection| {
        schema::check(connection)?;
        let (expected, present) = schema::changes(connection)?;
        // Another process may have opened it meanwhile.
        if expected == present || log_of(path).exists() {
            return Ok(None);
        }
        let id: String = connection.query_row("SELECT id FROM journal_about", [], |row| row.get(0))?;
        Ok(Some(format!("{id}.{expected}")))
    })
}

/// Reads the journal without its -wal file, which it does not open. Nothing is locked.
fn alone<T>(path: &Path, read: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    read(&Connection::open_with_flags(immutable(path), flags)?)
}

/// If that is what the journal has lost, it is used without. It is then as one that was moved: another one may have sent
/// requests that it does not have.
pub fn accept_lost_log(path: &Path, accepted: &str) -> Result<(), String> {
    let accepted = critical_section(|| match lost_log(path)? {
        Some(loss) if loss == accepted => connected(path, |connection| {
            connection.execute("UPDATE journal_about SET present = expected, home = ''", [])?;
            schema::checkpoint(connection)
        }),
        _ => Ok(()),
    });
    accepted.map_err(|failure| {
        let why = match failure {
            Failure::Busy => "it is in use by another process".to_owned(),
            Failure::Other(why) => why,
        };
        format!("the journal {}: {why}", path.display())
    })
}

/// The URI with which SQLite reads the file alone.
fn immutable(path: &Path) -> String {
    let path = path.as_os_str().as_encoded_bytes();
    let (start, path) = match path.strip_prefix(br"\\?\") {
        Some(drive) if cfg!(windows) => ("file:///", drive),
        _ => ("file:", path),
    };
    let mut uri = start.to_owned();
    for byte in path {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => uri.push(char::from(*byte)),
            b'\\' if cfg!(windows) => uri.push('/'),
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri + "?immutable=1"
}

/// Returns whether the last page is incomplete; SQLite would fill it with zeros. A checkpoint which a power cut has ended
/// can also be the cause; then the page is in the -wal file.
fn is_cut(path: &Path) -> bool {
    let length = |path: &Path| fs::metadata(path).map_or(0, |about| about.len());
    !length(path).is_multiple_of(schema::PAGE_BYTES) && length(&log_of(path)) == 0
}

fn log_fails(error: &std::io::Error) -> Failure {
    Failure::Other(format!("its -wal file cannot be opened: {error}"))
}

fn log_of(path: &Path) -> PathBuf {
    super::beside(path, "-wal")
}

fn connect(path: &Path) -> Result<Connection, Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    // Before it makes -wal and -shm files that are read-only as well.
    if connection.is_readonly(MAIN_DB)? {
        return Err(Failure::Other("it is read-only: make it writable for the user of this program".to_owned()));
    }
    // Nobody waits within a critical section.
    connection.busy_timeout(Duration::ZERO)?;
    // Statements are not prepared anew for other values.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    schema::configure(&connection)?;
    Ok(connection)
}

/// With a connection of its own, to a file that nothing else in this process has open: closing it would drop the locks of
/// the others.
pub fn connected<T>(path: &Path, work: impl FnOnce(&mut Connection) -> Result<T, Failure>) -> Result<T, Failure> {
    let _counted = CONNECTIONS.enter().map_err(Failure::Other)?;
    let mut connection = connect(path)?;
    let done = work(&mut connection)?;
    connection.close().map_err(|(_, error)| error)?;
    Ok(done)
}

/// The files of which this process may have a connection.
static FILES: OnceBox<PerProcess<Mutex<Vec<WeakFile>>>> = OnceBox::new();

struct WeakFile {
    file: Weak<JournalFile>,
    shared: Weak<Shared>,
}

impl WeakFile {
    fn of(file: &Arc<JournalFile>) -> WeakFile {
        WeakFile { file: Arc::downgrade(file), shared: Arc::downgrade(&file.0) }
    }
}

fn all_files() -> &'static Mutex<Vec<WeakFile>> {
    FILES.get_or_init(|| Box::new(PerProcess::new())).current().1
}

fn files() -> MutexGuard<'static, Vec<WeakFile>> {
    all_files().lock().unwrap_or_else(PoisonError::into_inner)
}

/// In a child, a file of its parent becomes one of its own.
fn register(file: &Arc<JournalFile>) {
    let mut files = files();
    if !files.iter().any(|known| std::ptr::eq(known.file.as_ptr(), Arc::as_ptr(file))) {
        files.push(WeakFile::of(file));
    }
}

/// Before a fork, when no thread is in a critical section. A connection that cannot be closed stays counted, so that the
/// child is refused.
fn close_all() {
    let deadline = Instant::now() + MAX_FORKING;
    let Some(files) = lock_until(all_files(), deadline) else { return };
    for shared in files.iter().filter_map(|known| known.shared.upgrade()) {
        if let Some(mut session) = lock_until(&shared.process.current().1.session, deadline) {
            *session = None;
        }
    }
}

fn lock_until<T>(mutex: &Mutex<T>, deadline: Instant) -> Option<MutexGuard<'_, T>> {
    loop {
        match mutex.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return None,
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_micros(50)),
        }
    }
}
