//! A journal in a folder of its own. Where temporary files are may be a file system that is refused, so that check is
//! left out, except in its own tests.

mod damage;
mod limits;
mod log;
mod queries;
mod refusals;

use super::*;
use rusqlite::Transaction;
use std::time::Instant;

fn time() -> Bounds {
    Bounds::new(None, Duration::from_secs(60))
}

fn open(path: &Path, create: bool) -> Result<SqliteStore, String> {
    SqliteStore::open_if(path, create, None, |_| Ok(()))
}

/// A new journal, in a folder that is removed with it.
fn new() -> (tempfile::TempDir, PathBuf, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.db");
    let store = open(&path, true).unwrap();
    (folder, path, store)
}

fn append(store: &SqliteStore, key: &str, seq: u32, order: Option<&str>, open: bool) -> Result<AppendResult, String> {
    append_after(store, None, key, seq, order, open)
}

fn append_after(
    store: &SqliteStore,
    after: Option<RowCounts>,
    key: &str,
    seq: u32,
    order: Option<&str>,
    open: bool,
) -> Result<AppendResult, String> {
    let json = format!(r#"{{"key":"{key}","seq":{seq}}}"#);
    store.append(&NewRow { order: order.map(str::to_owned), open, after, ..new_row(key, seq, json) }, &time())
}

/// An open one, of no order.
fn new_row(key: &str, seq: u32, json: String) -> NewRow {
    NewRow {
        key: key.to_owned(),
        seq,
        order: None,
        account: "own".to_owned(),
        open: true,
        json,
        durable: true,
        time_ms: 0,
        keep_from_ms: 0,
        after: None,
    }
}

/// The rows found, each as key and number.
fn read(store: &SqliteStore, query: Query<'_>) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    store.read(&[query], &time(), &mut |_, row| {
        let members: serde_json::Value = serde_json::from_str(row).unwrap();
        found.push(format!("{} {}", members["key"].as_str().unwrap(), members["seq"]));
        true
    })?;
    Ok(found)
}

/// Runs one of these tests in another process, by this shell command: "$0" is the program, "$1" the test.
#[cfg(unix)]
fn again(shell: &str, test: &str) {
    let name = format!("{}::{test}", module_path!().split_once("::").unwrap().1);
    let program = std::env::current_exe().unwrap();
    let output = std::process::Command::new("sh").args(["-c", shell]).arg(program).arg(name).output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("1 passed"), "{text}");
}
