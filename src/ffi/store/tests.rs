use std::ffi::CStr;
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::AtomicU32;
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::*;
use crate::ffi::caller::{Client, Reply};
use crate::ffi::{PAYSVC_E_ARGUMENT, PAYSVC_E_CONFIG, PAYSVC_E_INTERNAL, PAYSVC_OK, PAYSVC_OUTCOME_NOT_SENT};
use crate::util::panics::failpoint;

/// The behaviour of a test's callbacks, and a record of their calls.
struct Database {
    answer: c_int,
    rows: Vec<&'static [u8]>,
    seen: Mutex<Vec<String>>,
    /// The result of the last write of `read`.
    wanted: AtomicU32,
    released: AtomicU32,
}

fn answers() -> Database {
    Database {
        answer: STORE_DONE,
        rows: Vec::new(),
        seen: Mutex::new(Vec::new()),
        wanted: AtomicU32::new(7),
        released: AtomicU32::new(0),
    }
}

/// SAFETY of all below: the userdata is a `Database` that outlives the store, and texts are those of the library.
unsafe fn database<'a>(userdata: *mut c_void) -> &'a Database {
    unsafe { &*userdata.cast::<Database>() }
}

unsafe fn told(text: *const c_char) -> String {
    unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned()
}

unsafe extern "C" fn append(
    userdata: *mut c_void,
    key: *const c_char,
    seq: c_int,
    row: *const c_char,
    ms: c_int,
) -> c_int {
    let (database, key, row) = unsafe { (database(userdata), told(key), told(row)) };
    database.seen.lock().unwrap().push(format!("append {key} {seq} {row} {ms}"));
    database.answer
}

unsafe extern "C" fn read(userdata: *mut c_void, query: *const c_char, ms: c_int, found: *mut paysvc_sink) -> c_int {
    let (database, query) = unsafe { (database(userdata), told(query)) };
    database.seen.lock().unwrap().push(format!("read {query} {ms}"));
    for row in &database.rows {
        let wanted = unsafe { paysvc_sink_write(found, row.as_ptr().cast(), row.len()) };
        database.wanted.store(wanted as u32, Ordering::SeqCst);
    }
    database.answer
}

unsafe extern "C" fn release(userdata: *mut c_void) {
    unsafe { database(userdata) }.released.fetch_add(1, Ordering::SeqCst);
}

const CALLBACKS: paysvc_store =
    paysvc_store { size: size_of::<paysvc_store>(), append: Some(append), read: Some(read), release: Some(release) };

/// A store that has been set.
fn store_with(callbacks: &paysvc_store, database: &Database) -> CallbackStore {
    let userdata = ptr::from_ref(database).cast_mut().cast();
    unsafe { CallbackStore::new(callbacks, userdata, &Arc::new(AtomicBool::new(true))) }.ok().unwrap()
}

fn rows_of(store: &CallbackStore, query: Query<'_>, most: usize) -> Result<Vec<String>, String> {
    let mut rows = Vec::new();
    store.read(&[query], &Bounds::new(None, Duration::from_secs(2)), &mut |_, row| {
        rows.push(row.to_owned());
        rows.len() < most
    })?;
    Ok(rows)
}

#[test]
fn rows_and_answers_pass_as_they_are() {
    let row = NewRow {
        key: "k é".to_owned(),
        seq: 3,
        order: Some("R".to_owned()),
        account: String::new(),
        open: true,
        json: r#"{"a":1}"#.to_owned(),
        durable: true,
        time_ms: 0,
        keep_from_ms: 0,
        after: None,
    };
    for (answer, expected) in
        [(STORE_DONE, Ok(AppendResult::Done)), (STORE_EXISTS, Ok(AppendResult::Exists)), (0, Err("returned 0"))]
    {
        let database = Database { answer, ..answers() };
        let appended = store_with(&CALLBACKS, &database).append(&row, &Bounds::new(None, Duration::from_micros(1)));
        let failed = |reason: &str| format!("append of the program's store {reason}");
        assert_eq!(appended, expected.map_err(failed));
        assert_eq!(*database.seen.lock().unwrap(), [r#"append k é 3 {"a":1} 1"#]);
        assert_eq!(database.released.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn only_done_is_success_for_other_callbacks() {
    for answer in [STORE_EXISTS, 0, -1, 1] {
        let database = Database { answer, ..answers() };
        let store = store_with(&CALLBACKS, &database);
        let reason = |callback: &str| Err(format!("{callback} of the program's store returned {answer}"));
        assert_eq!(rows_of(&store, Query::Key("k"), 9).map(|_| ()), reason("read"));
    }
}

#[test]
fn rows_are_read_until_no_more_are_wanted() {
    let database = Database { rows: vec![b"1", b"2", b"3"], ..answers() };
    let store = store_with(&CALLBACKS, &database);
    assert_eq!(rows_of(&store, Query::Key("a\"b"), 9).unwrap(), ["1", "2", "3"]);
    assert_eq!(database.wanted.load(Ordering::SeqCst), 1);
    assert_eq!(rows_of(&store, Query::Order("R"), 3).unwrap(), ["1", "2", "3"]);
    assert_eq!(database.wanted.load(Ordering::SeqCst), 0);
    rows_of(&store, Query::Open { after: "k", limit: 5 }, 9).unwrap();
    assert_eq!(
        *database.seen.lock().unwrap(),
        [
            r#"read {"key":"a\"b"} 2000"#,
            r#"read {"order":"R"} 2000"#,
            r#"read {"open":true,"after":"k","limit":5} 2000"#
        ]
    );
}

/// If an unreadable row counted as missing, there would be a second charge.
#[test]
fn a_row_that_cannot_be_read_fails_the_whole_reading() {
    let database = Database { rows: vec![b"1", b"\xff", b"3"], ..answers() };
    let error = rows_of(&store_with(&CALLBACKS, &database), Query::Key("k"), 9).unwrap_err();
    assert_eq!(error, "read of the program's store returned a row that is not UTF-8");
    assert_eq!(database.wanted.load(Ordering::SeqCst), 0, "nothing after it is read");
    let write_null = |sink| unsafe { paysvc_sink_write(sink, null(), 3) };
    assert_eq!(with_sink(&mut |_| true, write_null), (0, Some("is NULL")));
    let mut panics = |_: &str| panic!("a bug");
    let write = |sink| unsafe { paysvc_sink_write(sink, c"1".as_ptr(), 1) };
    assert_eq!(with_sink(&mut panics, write), (0, Some("the library failed to read")));
}

#[test]
fn a_sink_is_nothing_afterwards_and_on_another_thread() {
    let write = |sink| unsafe { paysvc_sink_write(sink, c"1".as_ptr(), 1) };
    let mut rows = 0;
    let (kept, _) = with_sink(
        &mut |_| {
            rows += 1;
            true
        },
        |sink| {
            let address = sink as usize;
            assert_eq!(thread::spawn(move || write(ptr::with_exposed_provenance_mut(address))).join().unwrap(), 0);
            assert_eq!((write(sink), write(null_mut())), (1, 0));
            sink
        },
    );
    assert_eq!((rows, write(kept)), (1, 0));
    // Another one has another name.
    assert_eq!(with_sink(&mut |_| true, |_| write(kept)).0, 0);
}

#[test]
fn a_callback_may_read_another_store() {
    let write = |sink| unsafe { paysvc_sink_write(sink, c"1".as_ptr(), 1) };
    let (outer, inner) = (AtomicU32::new(0), AtomicU32::new(0));
    let count = |rows: &AtomicU32| rows.fetch_add(1, Ordering::SeqCst) < 9;
    with_sink(&mut |_| count(&outer), |outer_sink| {
        with_sink(&mut |_| count(&inner), |inner_sink| assert_eq!((write(inner_sink), write(outer_sink)), (1, 1)));
        assert_eq!(write(outer_sink), 1);
    });
    assert_eq!((outer.into_inner(), inner.into_inner()), (2, 1));
}

fn set(client: &Client, store: *const paysvc_store, database: &Database) -> (paysvc_status, String) {
    let userdata = ptr::from_ref(database).cast_mut().cast();
    let (status, reply) =
        Reply::of(|reply| unsafe { paysvc_client_set_store(client.as_ptr(), store, userdata, reply) });
    assert_eq!(reply.facts(), (status, PAYSVC_OUTCOME_NOT_SENT, 0));
    (status, reply.message().to_owned())
}

#[test]
fn a_store_is_set_once_and_released_once() {
    let (first, second) = (answers(), answers());
    let client = Client::new(&json!({"base_url": "http://127.0.0.1:1"}));
    assert_eq!(set(&client, &CALLBACKS, &first).0, PAYSVC_OK);
    let (status, message) = set(&client, &CALLBACKS, &second);
    assert_eq!((status, message.as_str()), (PAYSVC_E_CONFIG, "client_set_store: the client already has a store"));
    assert_eq!(first.released.load(Ordering::SeqCst), 0);
    drop(client);
    assert_eq!([first.released, second.released].map(AtomicU32::into_inner), [1, 0]);
}

#[cfg(feature = "journal")]
#[test]
fn a_store_that_is_refused_is_not_released() {
    // Where temporary files are may be a file system in memory, which is refused.
    let folder = tempfile::tempdir_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap();
    let file = folder.path().join("journal.db");
    let config = json!({"base_url": "http://127.0.0.1:1", "journal": file, "journal_create": true});
    let (configured, begun, fresh) = (Client::new(&config), Client::new(&json!({})), Client::new(&json!({})));
    begun.call("order_status", &json!({}));
    let database = answers();
    let refused = |client: &Client, store: *const paysvc_store, expected: paysvc_status, part: &str| {
        let (status, message) = set(client, store, &database);
        assert!(status == expected && message.contains(part), "{status} {message}");
    };
    refused(&configured, &CALLBACKS, PAYSVC_E_CONFIG, "journal is configured");
    refused(&begun, &CALLBACKS, PAYSVC_E_CONFIG, "has already begun its first call");
    refused(&fresh, null(), PAYSVC_E_ARGUMENT, "store is NULL");
    for size in [0, size_of::<paysvc_store>() - 1, usize::MAX] {
        refused(&fresh, &paysvc_store { size, ..CALLBACKS }, PAYSVC_E_ARGUMENT, "sizeof(paysvc_store)");
    }
    refused(&fresh, &paysvc_store { append: None, ..CALLBACKS }, PAYSVC_E_ARGUMENT, "has no append callback");
    refused(&fresh, &paysvc_store { read: None, ..CALLBACKS }, PAYSVC_E_ARGUMENT, "has no read callback");
    drop([configured, begun, fresh]);
    assert_eq!((database.released.into_inner(), database.seen.into_inner().unwrap().len()), (0, 0));
}

/// A program that was built with a later header, whose structure has one callback more.
#[test]
fn a_longer_structure_is_accepted_if_the_rest_is_zero() {
    #[repr(C)]
    struct Later {
        known: paysvc_store,
        more: usize,
    }
    for (more, expected) in [(0, PAYSVC_OK), (1, PAYSVC_E_ARGUMENT)] {
        let (database, client) = (answers(), Client::new(&json!({})));
        let later = Later { known: paysvc_store { size: size_of::<Later>(), ..CALLBACKS }, more };
        assert_eq!(set(&client, ptr::from_ref(&later).cast(), &database).0, expected);
        drop(client);
    }
}

#[test]
fn a_panic_while_a_store_is_set_leaves_it_unused() {
    let (database, client) = (answers(), Client::new(&json!({})));
    failpoint::arm("reply");
    assert_eq!(set(&client, &CALLBACKS, &database).0, PAYSVC_E_INTERNAL);
    drop(client);
    assert_eq!(database.released.into_inner(), 0, "the program was told that it failed, and has freed it");
}
