use super::*;

/// As another process would hold the file: its locks are the same for a second connection.
fn held(path: &Path) -> Connection {
    let other = Connection::open(path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    other
}

#[test]
fn no_call_waits_longer_than_it_may() {
    const SHORT: Duration = Duration::from_millis(100);
    let (_folder, path, store) = new();
    append(&store, "k", 1, None, true).unwrap();
    let other = held(&path);
    let row = new_row("k", 2, "{}".to_owned());
    for timeout in [Duration::ZERO, SHORT] {
        let started = Instant::now();
        let Ok(AppendResult::Not(why)) = store.append(&row, &Bounds::new(None, timeout)) else { panic!("written") };
        assert!(why.contains("other processes"), "{why}");
        assert!(started.elapsed() >= timeout && started.elapsed() < Duration::from_secs(20));
    }
    assert_eq!(read(&store, Query::Key("k")).unwrap(), ["k 1"], "reading does not wait for a writer");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| append(&store, "k", 2, None, true));
        std::thread::sleep(SHORT);
        assert!(!waiting.is_finished());
        other.execute_batch("ROLLBACK").unwrap();
        assert_eq!(waiting.join().unwrap(), Ok(AppendResult::Done));
    });
    assert_eq!(store.append(&NewRow { seq: 3, ..row }, &time()), Ok(AppendResult::Done));
}

#[test]
fn a_thread_that_panics_while_it_writes_leaves_the_file_to_others() {
    let (_folder, _, store) = new();
    let (entered, begun) = std::sync::mpsc::channel();
    let panics = move |_: &Transaction<'_>| {
        let _ = entered.send(());
        std::thread::sleep(Duration::from_millis(200));
        panic!("in the work");
    };
    std::thread::scope(|scope| {
        let file = &store.file;
        let leader = scope.spawn(|| file.change(true, &time(), Box::new(panics)));
        begun.recv().unwrap();
        // The next group.
        assert_eq!(append(&store, "k", 1, None, true), Ok(AppendResult::Done));
        assert!(leader.join().is_err());
    });
    assert_eq!(read(&store, Query::Key("k")).unwrap(), ["k 1"]);
}

/// In a process that may write no more than a part of a file: an error, and then what was there before; once there is
/// room, rows again.
#[cfg(unix)]
#[test]
fn a_full_disk_loses_nothing() {
    const NAME: &str = "PAYSVC_TEST_SMALL_FILES";
    if std::env::var_os(NAME).is_none() {
        // Blocks of 512 bytes. Without the trap the signal would end the process.
        let shell = format!("trap '' XFSZ; ulimit -S -f 256; {NAME}=1 exec \"$0\" --exact \"$1\"");
        again(&shell, "limits::a_full_disk_loses_nothing");
        return;
    }
    let (_folder, path, store) = new();
    let json = format!(r#"{{"key":"k","seq":0,"padding":"{}"}}"#, "x".repeat(3000));
    let mut written = 0;
    let error = loop {
        match store.append(&new_row("k", written + 1, json.clone()), &time()) {
            Ok(done) => assert_eq!(done, AppendResult::Done),
            Err(error) => break error,
        }
        written += 1;
        assert!(written < 1000, "the limit is not there");
    };
    assert!(written > 3 && error.contains("limit"), "{written} rows: {error}");
    // The written rows are there; the last one may be.
    let found = |store: &SqliteStore| read(store, Query::Key("k")).map(|rows| rows.len() as u32);
    let now = found(&store);
    assert!(now.as_ref().is_ok_and(|now| (written..=written + 1).contains(now)), "{written} rows, then {now:?}");
    assert_eq!(found(&open(&path, false).unwrap()), now);
    let delete = |transaction: &Transaction<'_>| {
        transaction.execute("DELETE FROM journal_row", [])?;
        Ok(AppendResult::Done)
    };
    store.file.change(true, &time(), Box::new(delete)).unwrap();
    assert_eq!(append(&store, "k", 1, None, true), Ok(AppendResult::Done));
}
