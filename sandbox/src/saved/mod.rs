//! The state in a file (`--state`), so that it survives a restart: read at the start, written soon after a change and at
//! the end.

pub mod content;
mod format;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::watch::Receiver;

use crate::service::changes::Changes;
use crate::service::sandbox::Sandbox;
use crate::util::files::{owner_only, write_owner_only};
use crate::util::seed::sha256_hex;
use content::Saved;

/// From a change to its writing; what a killed process loses at most.
const PAUSE: Duration = Duration::from_secs(1);

pub struct Store {
    path: PathBuf,
    /// The checksum of what was written last; locked from the rendering to the writing, so that the newest state is
    /// written last.
    last: Mutex<String>,
    /// Locked as long as the process lives. Not the file itself, which is replaced.
    _lock: File,
}

impl Store {
    /// Reads the file; `None`: there is none yet. A second sandbox with the same file is refused.
    pub fn open(path: &Path) -> Result<(Store, Option<Saved>), String> {
        let problem = |why: String| format!("--state {}: {why}", path.display());
        let mut lock_path = path.as_os_str().to_owned();
        lock_path.push(".lock");
        let lock = owner_only(OpenOptions::new().write(true).create(true).truncate(false), 0o600).open(&lock_path);
        let lock = lock.map_err(|error| problem(format!("could not make its lock file: {error}")))?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => problem("another sandbox uses this file".to_string()),
            TryLockError::Error(error) => problem(format!("could not lock it: {error}")),
        })?;
        let saved = match std::fs::read(path) {
            Ok(bytes) => Some(format::read(&bytes).map_err(problem)?),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(problem(error.to_string())),
        };
        let path = std::path::absolute(path).map_err(|error| problem(error.to_string()))?;
        Ok((Store { path, last: Mutex::default(), _lock: lock }, saved))
    }

    /// Writes the state, unless it is in the file already.
    pub fn save(&self, sandbox: &Sandbox) -> Result<(), String> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = sandbox.lock();
        let content = content::render(sandbox, &shared)?;
        drop(shared);
        self.write(&mut last, &content)
    }

    /// Writes the state for the last time. No request is executed afterwards: it would be answered, and be lost.
    pub fn close(&self, sandbox: &Sandbox) -> Result<(), String> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = sandbox.lock();
        let content = content::render(sandbox, &shared)?;
        // Never unlocked.
        std::mem::forget(shared);
        self.write(&mut last, &content)
    }

    fn write(&self, last: &mut String, content: &[u8]) -> Result<(), String> {
        let sha256 = sha256_hex(content);
        if sha256 != *last {
            let bytes = format::file(content, &sha256);
            write_owner_only(&self.path, &bytes).map_err(|problem| format!("--state: {problem}"))?;
            *last = sha256;
        }
        Ok(())
    }
}

/// Writes changes until the sandbox is dropped.
pub async fn run(store: Arc<Store>, sandbox: Weak<Sandbox>, mut changes: Receiver<Changes>) {
    while changes.changed().await.is_ok() {
        tokio::time::sleep(PAUSE).await;
        changes.mark_unchanged();
        let Some(sandbox) = sandbox.upgrade() else { return };
        let store = Arc::clone(&store);
        // A full disk may have space later.
        if let Ok(Err(problem)) = tokio::task::spawn_blocking(move || store.save(&sandbox)).await {
            eprintln!("paysvc-sandbox: {problem}");
        }
    }
}
