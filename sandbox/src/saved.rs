//! The state in a file (`--state`), so that it survives a restart: read at the start, written soon after a change and
//! at the end. The file is a line with version and checksum, then a line with the content: the keys, the data of the
//! service, and what a restart would otherwise repeat. The request log, the deliveries and the fault rules are not.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::sync::watch::Receiver;

use crate::crypto::keys::EncryptionKey;
use crate::faults::Faults;
use crate::service::sandbox::{Changes, Sandbox, Shared};
use crate::state::State;
use crate::util::files::{owner_only, write_owner_only};
use crate::util::json::Json;
use crate::util::seed::{Seed, sha256_hex};
use crate::webhook::behaviour::Behaviour;

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
            Ok(bytes) => Some(read(&bytes).map_err(problem)?),
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
        let content = render(sandbox, &shared)?;
        drop(shared);
        self.write(&mut last, &content)
    }

    /// Writes the state for the last time. No request is executed afterwards: it would be answered, and be lost.
    pub fn close(&self, sandbox: &Sandbox) -> Result<(), String> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = sandbox.lock();
        let content = render(sandbox, &shared)?;
        // Never unlocked.
        std::mem::forget(shared);
        self.write(&mut last, &content)
    }

    fn write(&self, last: &mut String, content: &[u8]) -> Result<(), String> {
        let sha256 = sha256_hex(content);
        if sha256 != *last {
            let bytes = file(content, &sha256);
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

/// With references when it is written.
#[derive(Serialize, Deserialize)]
pub struct Saved<S = State, F = Faults> {
    encryption_key: String,
    is_published: bool,
    last_request_id: u64,
    pub state: S,
    faults: F,
    webhooks: Box<RawValue>,
}

pub fn render(sandbox: &Sandbox, shared: &Shared) -> Result<Vec<u8>, String> {
    let problem = |error: serde_json::Error| format!("could not render the state: {error}");
    let saved = Saved {
        encryption_key: STANDARD.encode(&sandbox.encryption.pkcs8),
        is_published: sandbox.encryption.is_published,
        last_request_id: sandbox.last_request_id(),
        state: &shared.state,
        faults: &shared.faults,
        webhooks: RawValue::from_string(shared.webhooks.behaviour.json().to_string()).map_err(problem)?,
    };
    serde_json::to_vec(&saved).map_err(problem)
}

impl Saved {
    /// The key; flags that ask for another one are refused.
    pub fn encryption(&self, bits: Option<usize>, fresh: bool, seed: Option<u64>) -> Result<EncryptionKey, String> {
        let other =
            |flag: String| format!("it has the keys of a start without {flag}: leave that out, or name another file");
        if let Some(number) = seed.filter(|number| Seed::from_number(*number) != self.state.seed) {
            return Err(other(format!("--seed {number}")));
        }
        if fresh && self.is_published {
            return Err(other("--fresh-key".to_string()));
        }
        let der = STANDARD.decode(&self.encryption_key).map_err(|error| format!("its key cannot be read: {error}"))?;
        let key = EncryptionKey::from_pkcs8(&der, self.is_published)?;
        match bits.filter(|bits| *bits != key.bits()) {
            Some(bits) => Err(other(format!("--key-bits {bits}"))),
            None => Ok(key),
        }
    }

    pub fn behaviour(&self) -> Result<Behaviour, String> {
        let problem = |why: String| format!("its settings of webhooks cannot be read: {why}");
        let json = Json::parse(self.webhooks.get().as_bytes()).map_err(problem)?;
        Behaviour::default().changed(&json).map_err(|error| problem(error.message))
    }

    pub fn restore(self, sandbox: &mut Sandbox, behaviour: Behaviour) {
        sandbox.restore(self.state, self.faults, behaviour, self.last_request_id);
    }
}

/// To be raised when an older program could misread the content.
const VERSION: u64 = 1;

#[derive(Serialize, Deserialize)]
struct Head {
    paysvc_sandbox_state: u64,
    sha256: String,
}

pub fn file(content: &[u8], sha256: &str) -> Vec<u8> {
    let head = format!("{{\"paysvc_sandbox_state\":{VERSION},\"sha256\":\"{sha256}\"}}");
    [head.as_bytes(), b"\n", content, b"\n"].concat()
}

/// A damaged file is an error, never an empty state.
pub fn read(bytes: &[u8]) -> Result<Saved, String> {
    let (head, content) = bytes.split_at(bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len()));
    let Ok(head) = serde_json::from_slice::<Head>(head) else {
        return Err("it is not a state of paysvc-sandbox, or its first line is damaged".to_string());
    };
    if head.paysvc_sandbox_state != VERSION {
        let found = head.paysvc_sandbox_state;
        return Err(format!("its version is {found}, and this paysvc-sandbox reads version {VERSION} only"));
    }
    let content = content.strip_prefix(b"\n").and_then(|content| content.strip_suffix(b"\n")).unwrap_or_default();
    if sha256_hex(content) != head.sha256 {
        return Err("it is damaged: its checksum is another".to_string());
    }
    serde_json::from_slice(content).map_err(|error| format!("it cannot be read: {error}"))
}
