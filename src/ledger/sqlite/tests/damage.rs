use super::*;

const PAGE: usize = 4096;

/// A journal of some pages, all in the file itself, and the rows of its queries.
fn filled() -> (tempfile::TempDir, PathBuf, Vec<u8>) {
    let (folder, path, store) = new();
    for number in 0..60 {
        let json = format!(r#"{{"key":"k{number}","seq":1,"padding":"{}"}}"#, "x".repeat(600));
        let row = NewRow {
            key: &format!("k{number}"),
            seq: 1,
            order: Some("R"),
            account: "own",
            open: number % 2 == 0,
            json: &json,
            time_ms: 0,
            keep_from_ms: 0,
        };
        store.append(&row, TIME).unwrap();
    }
    // Opening empties the -wal file.
    drop(open(&path, false).unwrap());
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.len() >= 12 * PAGE);
    (folder, path, bytes)
}

/// All that the journal has, if no part of it is damaged.
fn everything(store: &SqliteStore) -> Result<Vec<Vec<String>>, String> {
    let keys: Vec<_> = (0..60).map(|number| format!("k{number}")).collect();
    let mut found = keys.iter().map(|key| read(store, Query::Key(key))).collect::<Result<Vec<_>, _>>()?;
    found.push(read(store, Query::Order("R"))?);
    found.push(read(store, Query::Open { after: "", limit: 100 })?);
    Ok(found)
}

/// Puts other content into the same file.
fn put(path: &Path, bytes: &[u8]) {
    for file in ["-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{file}", path.display()));
    }
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_page_of_zeros_is_an_error_and_never_fewer_rows() {
    let (_folder, path, bytes) = filled();
    let store = open(&path, false).unwrap();
    let whole = everything(&store).unwrap();
    for page in 0..bytes.len() / PAGE {
        let mut damaged = bytes.clone();
        damaged[page * PAGE..(page + 1) * PAGE].fill(0);
        put(&path, &damaged);
        // One that was open before, which reads no more than it needs, and one that checks all.
        let read = everything(&store);
        assert!(read.is_err() || read.as_ref() == Ok(&whole), "page {page} of {}: {read:?}", bytes.len() / PAGE);
        let error = open(&path, false).map(drop).unwrap_err();
        assert!(error.contains("damaged") || error.contains("not a journal"), "page {page}: {error}");
    }
    put(&path, &bytes);
    assert_eq!(everything(&store).unwrap(), whole);
}

#[test]
fn a_file_that_was_cut_is_an_error() {
    let (_folder, path, bytes) = filled();
    let store = open(&path, false).unwrap();
    for length in (0..bytes.len()).step_by(PAGE / 2).chain([1, 99, 100, bytes.len() - 1]) {
        put(&path, &bytes[..length]);
        assert!(everything(&store).is_err(), "{length} of {} bytes", bytes.len());
        assert!(append(&store, "new", 1, None, true).is_err(), "{length} of {} bytes", bytes.len());
        assert!(open(&path, true).is_err(), "{length} of {} bytes", bytes.len());
    }
}

/// What a power cut leaves of the -wal file: all rows before the last one, which is there or not.
#[test]
fn of_a_torn_write_the_rows_before_it_are_left() {
    let (_folder, path, bytes) = filled();
    let store = open(&path, false).unwrap();
    append(&store, "first", 1, None, true).unwrap();
    let wal = PathBuf::from(format!("{}-wal", path.display()));
    let before = fs::metadata(&wal).unwrap().len() as usize;
    append(&store, "second", 1, None, true).unwrap();
    let whole = fs::read(&wal).unwrap();
    for length in (before..whole.len()).step_by(512) {
        for torn in [whole[..length].to_vec(), [&whole[..length], &vec![0; whole.len() - length]].concat()] {
            put(&path, &bytes);
            fs::write(&wal, torn).unwrap();
            assert_eq!(read(&store, Query::Key("first")).unwrap(), ["first 1"], "{length}");
            assert!(read(&store, Query::Key("second")).unwrap().is_empty(), "{length}");
            assert_eq!(append(&store, "second", 1, None, true), Ok(Appended::Done));
        }
    }
}
