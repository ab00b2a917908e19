use super::*;
use crate::ledger::key::Name;
use crate::ledger::row::{By, Claim, End, Kind, Row};
use paysvc_spec::journal::Step;
use paysvc_spec::status::Outcome;

const PAGE: usize = schema::PAGE_BYTES as usize;

/// A journal of some pages, all in the file itself, and the rows of its queries.
fn filled() -> (tempfile::TempDir, PathBuf, Vec<u8>) {
    let (folder, path, store) = new();
    for number in 0..60 {
        let json = format!(r#"{{"key":"k{number}","seq":1,"padding":"{}"}}"#, "x".repeat(600));
        let row = new_row(&format!("k{number}"), 1, json);
        store.append(&NewRow { order: Some("R".to_owned()), open: number % 2 == 0, ..row }, &time()).unwrap();
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
    let whole = everything(&open(&path, false).unwrap()).unwrap();
    for page in 0..bytes.len() / PAGE {
        let mut damaged = bytes.clone();
        damaged[page * PAGE..(page + 1) * PAGE].fill(0);
        // One that was open before, which reads no more than it needs, and one that checks all.
        put(&path, &bytes);
        let store = open(&path, false).unwrap();
        fs::write(&path, &damaged).unwrap();
        let read = everything(&store);
        assert!(read.is_err() || read.as_ref() == Ok(&whole), "page {page} of {}: {read:?}", bytes.len() / PAGE);
        drop(store);
        put(&path, &damaged);
        let error = open(&path, false).map(drop).unwrap_err();
        assert!(error.contains("damaged") || error.contains("not a journal"), "page {page}: {error}");
    }
    put(&path, &bytes);
    assert_eq!(everything(&open(&path, false).unwrap()).unwrap(), whole);
}

/// The rows of a query, read as a call does.
fn rows_of(store: &SqliteStore, query: Query<'_>) -> Result<Vec<Row>, String> {
    let (mut rows, mut wrong) = (Vec::new(), None);
    store.read(&[query], &time(), &mut |_, text| {
        match Row::parse(text) {
            Ok(row) => rows.push(row),
            Err(why) => wrong = Some(why),
        }
        true
    })?;
    wrong.map_or(Ok(rows), Err)
}

/// The key, the step and the order of requests; each has an end, the last one an UNKNOWN.
const REQUESTS: [(&str, Step, Option<&str>); 4] = [
    ("key a", Step::Refund, Some("ORD-1")),
    ("charge ord-1", Step::Charge, Some("ORD-1")),
    ("key b", Step::Other, None),
    ("key c", Step::Other, None),
];

/// A journal with these requests.
fn with_requests() -> (tempfile::TempDir, PathBuf) {
    let (folder, path, store) = new();
    for (key, step, order) in &REQUESTS {
        let claim = Kind::Claim(Claim::of(*step));
        let end =
            Kind::End(End::new("1", By::Sender, if *key == "key c" { Outcome::Unknown } else { Outcome::Confirmed }));
        for (seq, kind) in [(1, claim), (2, end)] {
            let open = seq == 1 || *key == "key c";
            let row = Row { order: order.map(Name::new), open, ..Row::of(key, seq, kind) };
            let new = NewRow::of(&row, true, 0, None).unwrap();
            assert_eq!(store.append(&new, &time()), Ok(AppendResult::Done));
        }
    }
    // Opening empties the -wal file.
    drop(open(&path, false).unwrap());
    (folder, path)
}

#[test]
fn a_row_that_its_queries_do_not_find_is_an_error() {
    let (_folder, path) = with_requests();
    let bytes = fs::read(&path).unwrap();
    for change in ["key = 'key d'", "seq = 3", "order_ref = NULL", "account = 'other'", "open = 1 - open"] {
        put(&path, &bytes);
        open(&path, false).unwrap();
        let connection = rusqlite::Connection::open(&path).unwrap();
        let changed =
            connection.execute(&format!("UPDATE journal_row SET {change} WHERE seq = 2 AND key = 'key a'"), []);
        assert_eq!(changed, Ok(1), "{change}");
        drop(connection);
        let error = open(&path, false).map(drop).unwrap_err();
        assert!(error.contains("is another one"), "{change}: {error}");
    }
}

/// The rows are found by key and order, or the file or the row is refused. Every bit in `make harden`.
#[test]
fn a_bit_that_was_flipped_is_an_error_and_never_fewer_rows() {
    let stride: usize = std::env::var("TEST_BIT_STRIDE").map_or(211, |text| text.parse().unwrap());
    let (_folder, path) = with_requests();
    let everything = |store: &SqliteStore| {
        let mut found: Vec<_> = REQUESTS.iter().map(|(key, _, _)| rows_of(store, Query::Key(key))).collect();
        found.push(rows_of(store, Query::Order("ord-1")));
        found.push(rows_of(store, Query::Open { after: "", limit: 9 }));
        found
    };
    let whole = everything(&open(&path, false).unwrap());
    assert!(whole.iter().all(Result::is_ok) && whole[4].as_ref().unwrap().len() == 4, "{whole:?}");
    let bytes = fs::read(&path).unwrap();
    let [mut refused, mut damaged, mut nothing] = [0; 3];
    for bit in (0..8 * bytes.len()).step_by(stride) {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        put(&path, &flipped);
        let Ok(store) = open(&path, false) else {
            refused += 1;
            continue;
        };
        let found = everything(&store);
        for (found, whole) in found.iter().zip(&whole) {
            assert!(found.is_err() || found == whole, "bit {} of byte {:#x}: {found:?}", bit % 8, bit / 8);
        }
        *if found.iter().any(Result::is_err) { &mut damaged } else { &mut nothing } += 1;
    }
    println!(
        "of {} bits: {refused} files refused, {damaged} rows, {nothing} changed nothing",
        refused + damaged + nothing
    );
    assert!(refused > 0 && damaged > 0 && nothing > 0);
}

#[test]
fn a_file_that_was_cut_is_an_error() {
    let (_folder, path, bytes) = filled();
    let whole = everything(&open(&path, false).unwrap()).unwrap();
    for length in (0..bytes.len()).step_by(PAGE / 2).chain([1, 99, 100, bytes.len() - 1]) {
        put(&path, &bytes);
        let store = open(&path, false).unwrap();
        fs::write(&path, &bytes[..length]).unwrap();
        let read = everything(&store);
        assert!(read.is_err() || read.as_ref() == Ok(&whole), "{length} of {} bytes: {read:?}", bytes.len());
        drop(store);
        put(&path, &bytes[..length]);
        assert!(open(&path, true).is_err(), "{length} of {} bytes", bytes.len());
    }
}

/// A power cut leaves all rows of the -wal file before the last one, which is there or not.
#[test]
fn of_a_torn_write_the_rows_before_it_are_left() {
    let (_folder, path, _) = filled();
    let store = open(&path, false).unwrap();
    append(&store, "first", 1, None, true).unwrap();
    let wal = PathBuf::from(format!("{}-wal", path.display()));
    let before = fs::metadata(&wal).unwrap().len() as usize;
    append(&store, "second", 1, None, true).unwrap();
    let (bytes, whole) = (fs::read(&path).unwrap(), fs::read(&wal).unwrap());
    drop(store);
    for length in (before..whole.len()).step_by(512) {
        for torn in [whole[..length].to_vec(), [&whole[..length], &vec![0; whole.len() - length]].concat()] {
            put(&path, &bytes);
            fs::write(&wal, torn).unwrap();
            let store = open(&path, false).unwrap();
            assert_eq!(read(&store, Query::Key("first")).unwrap(), ["first 1"], "{length}");
            assert!(read(&store, Query::Key("second")).unwrap().is_empty(), "{length}");
            assert_eq!(append(&store, "second", 1, None, true), Ok(AppendResult::Done));
        }
    }
}
