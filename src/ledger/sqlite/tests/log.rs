//! The -wal file: what it has, what is seen when it is gone, and who may have it.

use super::*;

fn wal(path: &Path) -> PathBuf {
    beside(path, "-wal")
}

/// Without the files beside it.
fn copy(path: &Path, name: &str) -> PathBuf {
    let copy = path.with_file_name(name);
    fs::copy(path, &copy).unwrap();
    copy
}

#[test]
fn after_the_last_client_the_file_alone_has_everything() {
    let (_folder, path, store) = new();
    let second = open(&path, false).unwrap();
    assert!(Arc::ptr_eq(&store.file, &second.file), "a process has one connection");
    append(&store, "k", 1, None, true).unwrap();
    drop(store);
    append(&second, "k", 2, None, true).unwrap();
    assert!(fs::metadata(wal(&path)).unwrap().len() > 0);
    drop(second);
    for file in ["-wal", "-shm"] {
        let _ = fs::remove_file(beside(&path, file));
    }
    for path in [copy(&path, "copy.db"), path] {
        assert_eq!(read(&open(&path, false).unwrap(), Query::Key("k")).unwrap(), ["k 1", "k 2"]);
    }
}

#[test]
fn a_log_that_is_gone_with_its_rows_is_seen() {
    let (_folder, path, store) = new();
    for number in 1..=3 {
        append(&store, "k", number, None, true).unwrap();
        let copy = copy(&path, &format!("copy% {number}#.db"));
        for _ in 0..2 {
            let error = open(&copy, false).map(drop).unwrap_err();
            assert!(error.contains("-wal file is gone"), "{error}");
        }
    }
    // A caller that accepts the loss may go on without the file; the next loss is another one.
    let path_of = |number: u32| path.with_file_name(format!("copy% {number}#.db"));
    let open_with = |path: &Path, accepted: &str| SqliteStore::open_if(path, false, Some(accepted), |_| Ok(()));
    let error = open(&path_of(1), false).map(drop).unwrap_err();
    let loss = error.rsplit(' ').next().unwrap();
    assert!(open_with(&path_of(1), "another").is_err());
    let accepted = open_with(&path_of(1), loss).unwrap();
    assert!(accepted.is_elsewhere() && read(&accepted, Query::Key("k")).unwrap().is_empty());
    append(&accepted, "other", 1, None, true).unwrap();
    let again = copy(&path_of(1), "again.db");
    assert!(open_with(&again, loss).is_err());
    drop(accepted);
    assert!(open(&path_of(1), false).unwrap().is_elsewhere());
    // With its log a copy is whole.
    let whole = copy(&path, "whole.db");
    fs::copy(wal(&path), wal(&whole)).unwrap();
    assert_eq!(read(&open(&whole, false).unwrap(), Query::Key("k")).unwrap().len(), 3);
    // Then its rows are in the journal, and the next change is announced again.
    drop(open(&path, false).unwrap());
    assert_eq!(read(&open(&copy(&path, "merged.db"), false).unwrap(), Query::Key("k")).unwrap().len(), 3);
    append(&store, "k", 4, None, true).unwrap();
    assert!(open(&copy(&path, "later.db"), false).is_err());
}

#[test]
fn an_older_copy_beside_a_newer_log_is_refused() {
    let (_folder, path, store) = new();
    append(&store, "k", 1, None, true).unwrap();
    drop(store);
    let old = fs::read(&path).unwrap();
    let store = open(&path, false).unwrap();
    append(&store, "k", 2, None, true).unwrap();
    let log = fs::read(wal(&path)).unwrap();
    let restored = path.with_file_name("restored.db");
    fs::write(&restored, old).unwrap();
    fs::write(wal(&restored), log).unwrap();
    for _ in 0..2 {
        let error = open(&restored, false).map(drop).unwrap_err();
        assert!(error.contains("older copy"), "{error}");
    }
    assert_eq!(read(&store, Query::Key("k")).unwrap(), ["k 1", "k 2"]);
}

#[test]
fn a_copy_has_all_that_was_written_before_and_is_seen_to_be_one() {
    let (_folder, path, store) = new();
    let to = path.with_file_name("copy.db");
    append(&store, "k", 1, None, true).unwrap();
    store.back_up(&to, &time()).unwrap();
    append(&store, "k", 2, None, true).unwrap();
    let error = store.back_up(&to, &time()).unwrap_err();
    assert!(error.contains("is there already"), "{error}");
    let files: Vec<_> = fs::read_dir(to.parent().unwrap()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert!(files.iter().all(|name| !name.to_str().unwrap().starts_with("copy.db-")), "{files:?}");
    assert!(!store.is_elsewhere());
    let copy = open(&to, false).unwrap();
    assert!(copy.is_elsewhere());
    assert_eq!(read(&copy, Query::Key("k")).unwrap(), ["k 1"]);
    assert_eq!(read(&store, Query::Key("k")).unwrap(), ["k 1", "k 2"]);
    let over = Bounds::new(None, Duration::ZERO);
    assert!(store.back_up(&path.with_file_name("late.db"), &over).is_err());
    assert!(!path.with_file_name("late.db").exists());
}

#[cfg(unix)]
#[test]
fn a_log_that_is_removed_while_it_is_open_ends_the_use_of_the_journal() {
    let (_folder, path, store) = new();
    append(&store, "k", 1, None, true).unwrap();
    fs::remove_file(wal(&path)).unwrap();
    for _ in 0..2 {
        assert!(append(&store, "k", 2, None, true).unwrap_err().contains("removed or replaced"));
        assert!(read(&store, Query::Key("k")).unwrap_err().contains("removed or replaced"));
    }
}

#[cfg(unix)]
#[test]
fn a_file_with_a_second_name_is_refused() {
    let (_folder, path, store) = new();
    append(&store, "k", 1, None, true).unwrap();
    let link = path.with_file_name("link.db");
    fs::hard_link(&path, &link).unwrap();
    for path in [&path, &link] {
        let error = open(path, false).map(drop).unwrap_err();
        assert!(error.contains("hard link"), "{error}");
    }
    assert!(append(&store, "k", 2, None, true).unwrap_err().contains("hard link"));
    fs::remove_file(&link).unwrap();
    assert_eq!(append(&store, "k", 2, None, true), Ok(AppendResult::Done));
}
