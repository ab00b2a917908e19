//! The program's own store of the journal, through callbacks, and the sinks in which a callback puts the rows that it has
//! found.
//!
//! A sink is a name, and never memory: a program that keeps one and uses it later, or on another thread, finds nothing. The
//! sinks of a thread are those of the callbacks that it is in, one inside the other.

use std::cell::{Cell, RefCell};
use std::ffi::{CString, c_char, c_int, c_void};
use std::mem::offset_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::{ptr, slice};

use super::boundary::{Subject, UserData, boundary, deliver};
use super::client::retain;
use super::types::{paysvc_client, paysvc_reply, paysvc_sink, paysvc_status, paysvc_store};
use crate::answer::reply::Reply;
use crate::call::{Bounds, CallRecord};
use crate::json::object::object_text;
use crate::ledger::store::{AppendResult, NewRow, Query, RowVisitor, Store};
use crate::util::validation_error::ValidationError;
use paysvc_spec::status::{STORE_DONE, STORE_EXISTS, Status};

type Append = unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, c_int) -> c_int;
type Read = unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *mut paysvc_sink) -> c_int;
type Release = unsafe extern "C" fn(*mut c_void);

/// More than this is no size of a structure, but memory that was not zeroed.
pub(super) const MAX_SIZE: usize = 1024;

struct CallbackStore {
    append: Append,
    read: Read,
    release: Option<Release>,
    userdata: UserData,
    /// `paysvc_client_set_store` has returned OK. Before that, and if it failed, no callback may be called.
    is_set: Arc<AtomicBool>,
}

impl CallbackStore {
    /// # Safety
    /// `store` is NULL, or points to a structure of the size in its first field; its callbacks may be called with
    /// `userdata`, on any thread, once `is_set`.
    unsafe fn new(
        store: *const paysvc_store,
        userdata: *mut c_void,
        is_set: &Arc<AtomicBool>,
    ) -> Result<CallbackStore, ValidationError> {
        let wrong = |reason: &str| ValidationError::new(Status::Argument, format!("store {reason}"));
        if store.is_null() {
            return Err(wrong("is NULL"));
        }
        const { assert!(offset_of!(paysvc_store, size) == 0) };
        // SAFETY: not NULL, and every structure of this type begins with its size.
        let size = unsafe { store.cast::<usize>().read_unaligned() };
        if !(size_of::<paysvc_store>()..=MAX_SIZE).contains(&size) {
            return Err(wrong("has a wrong size: set the field size to sizeof(paysvc_store)"));
        }
        // SAFETY: the structure has that many bytes, and at least those of its type; it is the caller's until this returns.
        let (known, bytes) = unsafe { (store.read_unaligned(), slice::from_raw_parts(store.cast::<u8>(), size)) };
        if bytes[size_of::<paysvc_store>()..].iter().any(|&byte| byte != 0) {
            return Err(wrong("has a callback that this version of the library does not know, or was not zeroed"));
        }
        Ok(CallbackStore {
            append: known.append.ok_or_else(|| wrong("has no append callback"))?,
            read: known.read.ok_or_else(|| wrong("has no read callback"))?,
            release: known.release,
            userdata: UserData(userdata),
            is_set: Arc::clone(is_set),
        })
    }

    fn userdata(&self) -> Result<*mut c_void, String> {
        match self.is_set.load(Ordering::SeqCst) {
            true => Ok(self.userdata.get()),
            false => Err("the program's store has not been set".to_owned()),
        }
    }
}

impl Drop for CallbackStore {
    fn drop(&mut self) {
        if let (Some(release), Ok(userdata)) = (self.release, self.userdata()) {
            // SAFETY: the program has promised that its callback may run, and nothing uses the store any more.
            unsafe { release(userdata) };
        }
    }
}

impl Store for CallbackStore {
    fn append(&self, row: &NewRow, bounds: &Bounds) -> Result<AppendResult, String> {
        let (userdata, key, json) = (self.userdata()?, c_text(&row.key)?, c_text(&row.json)?);
        let seq = c_int::try_from(row.seq).map_err(|_| "a key has too many rows".to_owned())?;
        // SAFETY: the program has promised that its callback may run; the texts live until it returns.
        let answer = unsafe { (self.append)(userdata, key.as_ptr(), seq, json.as_ptr(), ms(bounds)) };
        match answer {
            STORE_DONE => Ok(AppendResult::Done),
            STORE_EXISTS => Ok(AppendResult::Exists),
            _ => Err(failed("append", answer)),
        }
    }

    fn read(&self, queries: &[Query<'_>], bounds: &Bounds, found: &mut RowVisitor<'_>) -> Result<(), String> {
        for (index, query) in queries.iter().enumerate() {
            let (userdata, query) = (self.userdata()?, c_text(&query_json(*query))?);
            // SAFETY: the program has promised that its callback may run; text and sink live until it returns.
            let read = |sink| unsafe { (self.read)(userdata, query.as_ptr(), ms(bounds), sink) };
            match with_sink(&mut |text| found(index, text), read) {
                (_, Some(failure)) => return Err(format!("read of the program's store returned a row that {failure}")),
                (STORE_DONE, None) => {}
                (answer, None) => return Err(failed("read", answer)),
            }
        }
        Ok(())
    }
}

fn query_json(query: Query<'_>) -> String {
    object_text(|object| match query {
        Query::Key(key) => object.text("key", key),
        Query::Order(order) => object.text("order", order),
        Query::Open { after, limit } => {
            object.literal("open", true);
            object.text("after", after);
            object.literal("limit", limit);
        }
    })
}

fn failed(callback: &str, answer: c_int) -> String {
    format!("{callback} of the program's store returned {answer}")
}

/// Rounded up, and at least 1: a database takes 0 for no limit.
fn ms(bounds: &Bounds) -> c_int {
    c_int::try_from(bounds.time_left().as_micros().div_ceil(1000)).unwrap_or(c_int::MAX).max(1)
}

fn c_text(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| "a key or a row has a NUL".to_owned())
}

/// Takes a row; false asks for no more.
type Reader<'a> = &'a mut dyn FnMut(&str) -> bool;

/// One sink.
struct Frame<'a> {
    name: *mut paysvc_sink,
    outer: *const Frame<'static>,
    reader: RefCell<Reader<'a>>,
    /// The fault of a row. A row that cannot be read is never taken for none.
    failure: Cell<Option<&'static str>>,
}

thread_local! {
    /// The innermost. It has no destructor, so a thread's end runs no code of ours.
    static INNERMOST: Cell<*const Frame<'static>> = const { Cell::new(ptr::null()) };
}

/// A name is the address of one of these, which nobody reads: some languages do not let a pointer be a mere number. It is
/// used again after so many sinks.
static NAMES: [AtomicU8; 1 << 16] = [const { AtomicU8::new(0) }; 1 << 16];

fn new_name() -> *mut paysvc_sink {
    static USED: AtomicUsize = AtomicUsize::new(0);
    let index = USED.fetch_add(1, Ordering::Relaxed) % NAMES.len();
    NAMES[index].as_ptr().cast()
}

/// Makes the outer sink the innermost again.
struct Leave(*const Frame<'static>);

impl Drop for Leave {
    fn drop(&mut self) {
        INNERMOST.set(self.0);
    }
}

/// Calls the body with a sink, which is valid until it returns. Gives what the body returned, and what is wrong with a row.
fn with_sink<T>(reader: Reader<'_>, body: impl FnOnce(*mut paysvc_sink) -> T) -> (T, Option<&'static str>) {
    let outer = INNERMOST.get();
    let frame = Frame { name: new_name(), outer, reader: RefCell::new(reader), failure: Cell::new(None) };
    let leave = Leave(outer);
    INNERMOST.set(ptr::from_ref(&frame).cast());
    let result = body(frame.name);
    drop(leave);
    (result, frame.failure.get())
}

/// Hands a row to that sink; false if no more are wanted, or if this thread has no such sink. Then the row is not looked at.
fn write_to_sink<'a>(name: *mut paysvc_sink, row: impl FnOnce() -> Option<&'a [u8]>) -> bool {
    let mut frame = INNERMOST.get();
    // SAFETY: NULL, or a frame of this thread: it lives until `with_sink` has taken it off the list.
    while let Some(sink) = unsafe { frame.as_ref() } {
        if sink.name == name {
            return sink.write(row());
        }
        frame = sink.outer;
    }
    false
}

impl Frame<'_> {
    fn write(&self, row: Option<&[u8]>) -> bool {
        if self.failure.get().is_some() {
            return false;
        }
        // Should what follows panic, this stays.
        self.failure.set(Some("the library failed to read"));
        let (failure, goes_on) = match (row.map(str::from_utf8), self.reader.try_borrow_mut()) {
            (Some(Ok(row)), Ok(mut reader)) => (None, reader(row)),
            (None, _) => (Some("is NULL"), false),
            (Some(Err(_)), _) => (Some("is not UTF-8"), false),
            (_, Err(_)) => (Some("was written while another was being read"), false),
        };
        self.failure.set(failure);
        goes_on
    }
}

/// Keeps the journal in a database of the program, instead of in the file that the setting `journal` names. One table with
/// the primary key (key, seq) is enough, in any database, however many processes and machines share it. Rows are added and
/// never changed. The database must be the primary, and not a replica: what a failover to a replica loses can be charged
/// twice.
///
/// Never write the rows in a transaction of the program: a row must be durable before its request is sent, and must stay
/// when the program's transaction is rolled back. The packages for Go and Python have this for PostgreSQL.
///
/// @param client  before its first call, and without the setting journal; a store that has been set stays
/// @param store  its callbacks, which are copied. They run on the thread that makes a call, several at once if several
///   threads make calls, with no library lock held: they may call the library
/// @param userdata  passed to every callback; may be NULL. It must stay valid until release is called; if this function
///   fails, no callback is ever called
/// @param reply  may be NULL; otherwise *reply is always set: free it with paysvc_reply_free(). The outcome is NOT_SENT
/// @return PAYSVC_OK; PAYSVC_E_ARGUMENT if client or store is NULL, or if the store's size is wrong or append or read is NULL;
///   PAYSVC_E_CONFIG if the client has a store or the setting journal, or has begun its first call
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_client_set_store(
    client: *const paysvc_client,
    store: *const paysvc_store,
    userdata: *mut c_void,
    reply: *mut *mut paysvc_reply,
) -> paysvc_status {
    // SAFETY: NULL, or a handle that has not been freed, which is kept alive until the end.
    let client = unsafe { retain(client) };
    let is_set = Arc::new(AtomicBool::new(false));
    let set = || {
        let client = client.as_ref().map_err(|error| ValidationError::new(error.status, error.message.as_str()))?;
        // SAFETY: the program promises that its structure is as large as it says, and that its callbacks may run with this
        // pointer once this function has returned OK.
        let store = unsafe { CallbackStore::new(store, userdata, &is_set) }?;
        client.set_store(Box::new(store))
    };
    let body =
        |_: &CallRecord| set().map(|()| Reply::local(r#"{"status":true,"message":"the store is set"}"#.to_owned()));
    // SAFETY: `reply` is NULL or points to memory for one pointer.
    let status = unsafe { deliver(reply, Subject::OfThisCall, body) };
    is_set.store(status == Status::Ok as paysvc_status, Ordering::SeqCst);
    boundary((), || drop(client));
    status
}

/// Hands on a row that the callback read of a paysvc_store has found.
///
/// @param sink  as the callback got it. It is valid until the callback returns, and only on the thread on which it was
///   called; after that, and on another thread, the function does nothing and returns 0
/// @param row_json  the row exactly as append got it; it need not end with a NUL, and is copied
/// @param len  its length in bytes
/// @return 1: go on; 0: no more rows are wanted, and the callback returns PAYSVC_STORE_DONE
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_sink_write(sink: *mut paysvc_sink, row_json: *const c_char, len: usize) -> c_int {
    let row = || match row_json.is_null() {
        true => None,
        // SAFETY: not NULL, and the caller promises that many bytes until this function returns.
        false => Some(unsafe { slice::from_raw_parts(row_json.cast::<u8>(), len) }),
    };
    boundary(0, || c_int::from(write_to_sink(sink, row)))
}

#[cfg(test)]
mod tests;
