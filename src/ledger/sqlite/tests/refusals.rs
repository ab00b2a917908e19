use super::*;

fn refused(path: &Path, create: bool, words: &[&str]) {
    let error = open(path, create).map(drop).unwrap_err();
    let path = path.file_name().unwrap().to_str().unwrap();
    for word in words.iter().chain([&path]) {
        assert!(error.contains(word), "{error:?} does not say {word:?}");
    }
}

/// Changes the file as somebody else would.
fn change(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn a_missing_file_is_made_only_if_that_was_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.db");
    refused(&path, false, &["missing", "mounted", "journal_create"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was made");
    append(&open(&path, true).unwrap(), "k", 1, None, true).unwrap();
    assert_eq!(read(&open(&path, true).unwrap(), Query::Key("k")).unwrap(), ["k 1"], "one that is there is kept");
    refused(&folder.path().join("missing").join("journal.db"), true, &["folder", "mounted"]);
}

#[test]
fn what_is_no_journal_is_refused_and_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("folder")).unwrap();
    refused(&at("folder"), true, &["is a folder"]);
    fs::write(at("empty"), "").unwrap();
    refused(&at("empty"), true, &["is empty"]);
    fs::write(at("text"), "key,seq\n".repeat(1000)).unwrap();
    refused(&at("text"), true, &["damaged or not a journal"]);
    assert_eq!(fs::read(at("text")).unwrap().len(), 8000);
    change(&at("other"), "CREATE TABLE journal_row (key TEXT)");
    refused(&at("other"), true, &["not a journal of this library"]);
    assert!(!at("other-wal").exists(), "nothing was written");
}

#[test]
fn another_version_is_refused() {
    let (_folder, path, store) = new();
    append(&store, "k", 1, None, true).unwrap();
    change(&path, "PRAGMA user_version = 2");
    refused(&path, false, &["version 2", "no migration", "make a new journal"]);
    change(&path, "PRAGMA user_version = 4");
    refused(&path, false, &["version 4", "later version of the library"]);
    // Also if a later library has migrated it meanwhile.
    assert!(append(&store, "k", 2, None, true).unwrap_err().contains("version 4"));
    assert!(read(&store, Query::Key("k")).unwrap_err().contains("version 4"));
    for damaged in [0, -1] {
        change(&path, &format!("PRAGMA user_version = {damaged}"));
        refused(&path, false, &["damaged"]);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_was_removed_or_replaced_is_an_error() {
    let (folder, path, store) = new();
    append(&store, "k", 1, None, true).unwrap();
    let moved = folder.path().join("moved.db");
    for file in ["", "-wal", "-shm"] {
        fs::rename(path.with_file_name(format!("journal.db{file}")), moved.with_file_name(format!("moved.db{file}")))
            .unwrap();
    }
    assert!(append(&store, "k", 2, None, true).unwrap_err().contains("removed or renamed"));
    assert!(read(&store, Query::Key("k")).unwrap_err().contains("removed or renamed"));
    assert!(!path.exists());
    drop(open(&path, true).unwrap());
    assert!(append(&store, "k", 2, None, true).unwrap_err().contains("another file"));
    assert!(read(&store, Query::Key("k")).unwrap_err().contains("another file"));
    assert!(read(&open(&path, false).unwrap(), Query::Key("k")).unwrap().is_empty());
    assert_eq!(read(&open(&moved, false).unwrap(), Query::Key("k")).unwrap(), ["k 1"]);
}

#[cfg(windows)]
#[test]
fn a_file_in_use_can_neither_be_removed_nor_replaced() {
    let (folder, path, store) = new();
    let other = folder.path().join("other.db");
    drop(open(&other, true).unwrap());
    append(&store, "k", 1, None, true).unwrap();
    assert!(fs::remove_file(&path).is_err());
    assert!(fs::rename(&path, folder.path().join("moved.db")).is_err());
    assert!(fs::rename(&other, &path).is_err());
    assert_eq!(read(&store, Query::Key("k")).unwrap(), ["k 1"]);
    drop(store);
    fs::rename(&other, &path).unwrap();
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_it_and_links_are_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (folder, path, store) = new();
    append(&store, "k", 1, None, true).unwrap();
    for file in fs::read_dir(folder.path()).unwrap().map(Result::unwrap) {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", file.file_name());
    }
    let link = folder.path().join("link.db");
    symlink("journal.db", &link).unwrap();
    assert_eq!(read(&open(&link, false).unwrap(), Query::Key("k")).unwrap(), ["k 1"]);
    assert!(!folder.path().join("link.db-wal").exists());
    fs::remove_file(&path).unwrap();
    refused(&link, true, &["symbolic link", "mounted"]);
    assert!(!path.exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_system_in_memory_is_refused() {
    let Some(memory) = paysvc_test_common::left_out::folder_in_memory() else { return };
    let folder = tempfile::tempdir_in(memory).unwrap();
    let error = SqliteStore::open(&folder.path().join("journal.db"), true, None).map(drop).unwrap_err();
    assert!(error.contains("memory") && error.contains("local disk"), "{error}");
    // A link to it, too.
    let links = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(folder.path(), links.path().join("data")).unwrap();
    assert!(SqliteStore::open(&links.path().join("data/journal.db"), true, None).is_err());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// In a process of a user who is not root, whom nothing is refused.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    if nix::unistd::access("/etc/shadow", nix::unistd::AccessFlags::W_OK).is_ok() {
        again(
            // By its number: the user might not be allowed to read its folder.
            "exec 9<\"$0\"; exec setpriv --reuid=65534 --regid=65534 --clear-groups /proc/self/fd/9 --exact \"$1\"",
            "refusals::what_cannot_be_written_is_refused",
        );
        return;
    }
    let (folder, path, store) = new();
    append(&store, "k", 1, None, true).unwrap();
    drop(store);
    for file in ["-wal", "-shm"] {
        fs::remove_file(beside(&path, file)).unwrap();
    }
    set(folder.path(), 0o500);
    refused(&path, false, &["folder", "writable"]);
    refused(&folder.path().join("new.db"), true, &["folder", "writable"]);
    set(folder.path(), 0o000);
    refused(&path, false, &["cannot be opened"]);
    set(folder.path(), 0o700);
    set(&path, 0o400);
    refused(&path, false, &["read-only", "writable"]);
    set(&path, 0o000);
    refused(&path, false, &["readable and writable"]);
    set(&path, 0o600);
    assert_eq!(read(&open(&path, false).unwrap(), Query::Key("k")).unwrap(), ["k 1"]);
}
