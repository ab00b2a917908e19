//! Where a callback puts the rows that it has found.
//!
//! A sink is a name, and never memory: a program that keeps one and uses it later, or on another thread, finds nothing. The
//! sinks of a thread are those of the callbacks that it is in, one inside the other.

use std::cell::{Cell, RefCell};
use std::ptr;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use super::types::paysvc_sink;

/// Gives on a row; false asks for no more.
type Found<'a> = &'a mut dyn FnMut(&str) -> bool;

struct Frame<'a> {
    name: *mut paysvc_sink,
    outer: *const Frame<'static>,
    found: RefCell<Found<'a>>,
    /// What is wrong with a row. A row that cannot be read is never taken for none.
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
pub fn with<T>(found: Found<'_>, body: impl FnOnce(*mut paysvc_sink) -> T) -> (T, Option<&'static str>) {
    let outer = INNERMOST.get();
    let frame = Frame { name: new_name(), outer, found: RefCell::new(found), failure: Cell::new(None) };
    let leave = Leave(outer);
    INNERMOST.set(ptr::from_ref(&frame).cast());
    let result = body(frame.name);
    drop(leave);
    (result, frame.failure.get())
}

/// Hands a row to that sink; false if no more are wanted, or if this thread has no such sink. Then the row is not looked at.
pub fn write<'a>(name: *mut paysvc_sink, row: impl FnOnce() -> Option<&'a [u8]>) -> bool {
    let mut frame = INNERMOST.get();
    // SAFETY: NULL, or a frame of this thread: it lives until `with` has taken it off the list.
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
        let (failure, goes_on) = match (row.map(str::from_utf8), self.found.try_borrow_mut()) {
            (Some(Ok(row)), Ok(mut found)) => (None, found(row)),
            (None, _) => (Some("is NULL"), false),
            (Some(Err(_)), _) => (Some("is not UTF-8"), false),
            (_, Err(_)) => (Some("was written while another was being read"), false),
        };
        self.failure.set(failure);
        goes_on
    }
}
