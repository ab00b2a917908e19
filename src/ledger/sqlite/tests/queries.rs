use super::*;

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
        assert_eq!(append(&store, key, seq, order, is_open), Ok(Appended::Done));
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
    store.read(Query::Key("c"), TIME, &mut |_| std::mem::replace(&mut seen, 2) == 0).unwrap();
    assert_eq!(seen, 2, "reading stops where it is told to");
    store.forget("c", TIME).unwrap();
    assert!(read(&store, Query::Key("c")).unwrap().is_empty());
    assert_eq!(read(&store, Query::Open { after: "", limit: 9 }).unwrap(), ["a 1", "d 1"]);
}

#[test]
fn a_number_is_given_once() {
    let (_folder, _, store) = new();
    assert_eq!(append(&store, "k", 1, None, true), Ok(Appended::Done));
    assert_eq!(append(&store, "k", 1, Some("R"), false), Ok(Appended::Exists));
    assert!(read(&store, Query::Order("R")).unwrap().is_empty());
    assert_eq!(read(&store, Query::Open { after: "", limit: 9 }).unwrap(), ["k 1"]);
    // Rows that are missing are noticed.
    append(&store, "gap", 2, None, false).unwrap();
    assert!(read(&store, Query::Key("gap")).unwrap_err().contains("missing"));
}

#[test]
fn of_two_stores_that_race_one_writes_each_row() {
    let (_folder, path, first) = new();
    let second = open(&path, false).unwrap();
    let write = |store: &SqliteStore| {
        (1..=100).filter(|&seq| append(store, "k", seq, None, true).unwrap() == Appended::Done).count()
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
                    assert_eq!(append(store, &key, 1, Some("R"), true), Ok(Appended::Done));
                    assert_eq!(read(store, Query::Key(&key)).unwrap().len(), 1);
                }
            });
        }
    });
    assert_eq!(read(&open(&path, false).unwrap(), Query::Order("R")).unwrap().len(), THREADS * EACH);
}

#[test]
fn keys_that_were_closed_long_ago_are_removed_with_new_ones() {
    const DAY: u64 = 1000;
    let (_folder, _, store) = new();
    let write = |key: &str, seq, order: Option<&str>, open, time_ms, keep_from_ms| {
        let row = NewRow { key, seq, order, open, time_ms, json: "{}", keep_from_ms };
        assert_eq!(store.append(&row, TIME), Ok(Appended::Done));
    };
    for number in 0..10 {
        write(&format!("old {number}"), 1, None, true, 0, 0);
        write(&format!("old {number}"), 2, None, false, 1, 0);
    }
    write("open", 1, None, true, 0, 0);
    write("its order has a newer one", 1, Some("R"), false, 0, 0);
    write("newer", 1, Some("R"), false, DAY, 0);
    let keys = || -> Vec<String> {
        let list = "SELECT DISTINCT key FROM journal_row ORDER BY key";
        let read = |connection: &Connection| connection.prepare(list)?.query_map([], |row| row.get(0))?.collect();
        store.read_rows(TIME, read).unwrap()
    };
    write("z0", 1, None, false, DAY, DAY);
    assert!((11..16).contains(&keys().len()), "a few at a time: {:?}", keys());
    (1..9).for_each(|number| write(&format!("z{number}"), 1, None, false, DAY, DAY));
    let mut expected = vec!["its order has a newer one", "newer", "open"];
    expected.extend(["z0", "z1", "z2", "z3", "z4", "z5", "z6", "z7", "z8"]);
    assert_eq!(keys(), expected);
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
