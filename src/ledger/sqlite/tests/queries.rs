use super::*;
use crate::ledger::key::Name;
use crate::ledger::row::{By, Claim, End, Kind, Row};
use paysvc_spec::journal::Step;
use paysvc_spec::status::{Outcome, State};

#[test]
fn rows_are_found_by_key_order_and_whether_they_are_open() {
    let (_folder, path, store) = new();
    for (key, seq, order, is_open) in [
        ("b", 1, Some("R1"), true),
        ("a", 1, Some("R1"), true),
        ("c", 1, Some("R2"), true),
        ("b", 2, Some("R1"), false),
        ("c", 2, Some("R2"), false),
        ("c", 3, Some("R2"), true),
        ("d", 1, None, true),
        ("é\"'", 1, None, false),
    ] {
        assert_eq!(append(&store, key, seq, order, is_open), Ok(AppendResult::Done));
    }
    // A store that is opened later finds them as well.
    for store in [&store, &open(&path, false).unwrap()] {
        assert_eq!(read(store, Query::Key("c")).unwrap(), ["c 1", "c 2", "c 3"]);
        assert!(read(store, Query::Key("C")).unwrap().is_empty());
        assert_eq!(read(store, Query::Order("R1")).unwrap(), ["a 1", "b 1", "b 2"]);
        assert!(read(store, Query::Order("")).unwrap().is_empty());
        assert_eq!(read(store, Query::Open { after: "", limit: 9 }).unwrap(), ["a 1", "c 3", "d 1"]);
        assert_eq!(read(store, Query::Open { after: "", limit: 2 }).unwrap(), ["a 1", "c 3"]);
        assert_eq!(read(store, Query::Open { after: "a", limit: 1 }).unwrap(), ["c 3"]);
        assert!(read(store, Query::Open { after: "d", limit: 9 }).unwrap().is_empty());
    }
    let mut seen = 0;
    store.read(&[Query::Key("c")], &time(), &mut |_, _| std::mem::replace(&mut seen, 2) == 0).unwrap();
    assert_eq!(seen, 2, "reading stops where it is told to");
}

#[test]
fn a_number_is_given_once() {
    let (_folder, _, store) = new();
    assert_eq!(append(&store, "k", 1, None, true), Ok(AppendResult::Done));
    assert_eq!(append(&store, "k", 1, Some("R"), false), Ok(AppendResult::Exists));
    assert!(read(&store, Query::Order("R")).unwrap().is_empty());
    assert_eq!(read(&store, Query::Open { after: "", limit: 9 }).unwrap(), ["k 1"]);
}

#[test]
fn a_claim_is_written_only_after_the_rows_that_it_was_decided_on() {
    let (_folder, _, store) = new();
    let claim = |key, seq, of_key, order: Option<&str>, of_order| {
        let after = Some(RowCounts { of_key, order: order.map(str::to_owned), of_order });
        append_after(&store, after, key, seq, Some("R"), true)
    };
    assert_eq!(claim("k", 1, 0, Some("R"), 0), Ok(AppendResult::Alone));
    assert_eq!(claim("other", 1, 0, Some("R"), 0), Ok(AppendResult::Exists), "the order has a row");
    assert_eq!(claim("k", 2, 0, Some("R"), 1), Ok(AppendResult::Exists), "the key has a row");
    assert_eq!(claim("k", 2, 2, Some("R"), 1), Ok(AppendResult::Exists), "a row is gone");
    assert_eq!(read(&store, Query::Order("R")).unwrap(), ["k 1"]);
    assert_eq!(claim("k", 2, 1, Some("R"), 1), Ok(AppendResult::Alone));
    assert_eq!(claim("other", 1, 0, None, 0), Ok(AppendResult::Alone), "only the key was read");
}

#[test]
fn of_two_stores_that_race_one_writes_each_row() {
    let (_folder, path, first) = new();
    let second = open(&path, false).unwrap();
    let write = |store: &SqliteStore| {
        (1..=100).filter(|&seq| append(store, "k", seq, None, true).unwrap() == AppendResult::Done).count()
    };
    let written = std::thread::scope(|scope| {
        let threads = [scope.spawn(|| write(&first)), scope.spawn(|| write(&second))];
        threads.map(|thread| thread.join().unwrap())
    });
    assert_eq!(written[0] + written[1], 100, "{written:?}");
    assert_eq!(read(&first, Query::Key("k")).unwrap().len(), 100);
}

#[test]
fn of_stores_that_make_the_file_at_once_all_have_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.db");
    std::thread::scope(|scope| {
        for number in 0..8 {
            let path = &path;
            scope.spawn(move || append(&open(path, true).unwrap(), &format!("k{number}"), 1, Some("R"), true).unwrap());
        }
    });
    assert_eq!(read(&open(&path, false).unwrap(), Query::Order("R")).unwrap().len(), 8);
    let left = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let other: Vec<_> = left.filter(|name| !name.starts_with("journal.db") || name.contains("new")).collect();
    assert!(other.is_empty(), "{other:?}");
}

#[test]
fn many_threads_write_at_once() {
    const THREADS: usize = 32;
    const EACH: usize = 10;
    let (_folder, path, store) = new();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let store = &store;
            scope.spawn(move || {
                for number in 0..EACH {
                    let key = format!("{thread}/{number}");
                    assert_eq!(append(store, &key, 1, Some("R"), true), Ok(AppendResult::Done));
                    assert_eq!(read(store, Query::Key(&key)).unwrap().len(), 1);
                }
            });
        }
    });
    assert_eq!(read(&open(&path, false).unwrap(), Query::Order("R")).unwrap().len(), THREADS * EACH);
}

/// An ended key stays known, whatever the clock: only its details go.
#[test]
fn a_tombstone_stands_for_a_key_that_was_closed_long_ago() {
    const DAY: u64 = 1000;
    let (_folder, path, store) = new();
    let write = |mut row: Row, order: Option<&str>, open, time_ms, keep_from_ms| {
        (row.order, row.open, row.time_ms) = (order.map(Name::new), open, time_ms);
        let new = NewRow::of(&row, true, keep_from_ms, None).unwrap();
        assert_eq!(store.append(&new, &time()), Ok(AppendResult::Done));
    };
    let claim = |key: &str| Row::of(key, 1, Kind::Claim(Claim::of(Step::Charge)));
    let end = |key: &str| Row::of(key, 2, Kind::End(End::new("1", By::Sender, Outcome::Confirmed)));
    let old = |name: &str, order: Option<&str>| {
        write(claim(name), order, true, 0, 0);
        write(end(name), order, false, 1, 0);
    };
    (0..10).for_each(|number| old(&format!("Old {number}"), Some(&format!("ORD {number}"))));
    write(claim("open"), None, true, 0, 0);
    old("its order has a newer one", Some("R"));
    write(claim("newer"), Some("R"), false, DAY, 0);
    write(Row { account: "another".into(), ..claim("other") }, None, false, 0, 0);
    let keys = || -> Vec<String> {
        let list = "SELECT DISTINCT key FROM journal_row WHERE key NOT LIKE 'z%' ORDER BY key";
        let read = |connection: &Connection| -> rusqlite::Result<Vec<String>> {
            connection.prepare(list)?.query_map([], |row| row.get(0))?.collect()
        };
        store.file.read(&time(), |connection| Ok(read(connection)?)).unwrap()
    };
    (0..12).for_each(|number| write(claim(&format!("z{number}")), None, true, DAY, DAY));
    let left = ["its order has a newer one", "newer", "open", "other"];
    let is_tombstone = |key: &String| key.starts_with("ended ");
    assert_eq!(keys().iter().filter(|key| !is_tombstone(key)).collect::<Vec<_>>(), left);
    assert_eq!(keys().iter().filter(|key| is_tombstone(key)).count(), 10);
    let later = open(&path, false).unwrap();
    assert_eq!(later.accounts().len(), 2, "{:?}", later.accounts());
    for store in [&store, &later] {
        for query in [Query::Key("old 3"), Query::Order("ord 3")] {
            let mut found = Vec::new();
            store
                .read(&[query], &time(), &mut |_, row| {
                    found.push(Row::parse(row).unwrap());
                    true
                })
                .unwrap();
            let [row] = &found[..] else { panic!("{found:?}") };
            let expected = Tombstone { step: Step::Charge, outcome: Outcome::Confirmed, state: State::NONE };
            assert!(
                row.kind == Kind::Tombstone(expected) && row.is_of_key("old 3") && row.is_of_order("ord 3"),
                "{row:?}"
            );
            assert!(!row.open && !row.to_json().unwrap().to_lowercase().contains("old 3"));
        }
    }
}

#[cfg(unix)]
#[test]
fn a_copy_knows_that_it_is_one() {
    let (folder, path, store) = new();
    assert!(!store.is_elsewhere() && !open(&path, false).unwrap().is_elsewhere());
    let copy = folder.path().join("copy.db");
    fs::copy(&path, &copy).unwrap();
    assert!(open(&copy, false).unwrap().is_elsewhere());
    let renamed = folder.path().join("renamed.db");
    fs::rename(&path, &renamed).unwrap();
    assert!(!open(&renamed, false).unwrap().is_elsewhere());
}
