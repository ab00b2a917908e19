//! Points at which tests make the library panic, one in each room; in the library itself they are nothing.

#[cfg(not(test))]
#[inline(always)]
pub fn at(_: &str) {}

#[cfg(test)]
pub use armed::{arm, at};

#[cfg(test)]
mod armed {
    use std::cell::Cell;

    thread_local! {
        static ARMED: Cell<Option<&'static str>> = const { Cell::new(None) };
    }

    /// The next call on this thread that comes by this point panics there, once.
    pub fn arm(point: &'static str) {
        ARMED.set(Some(point));
    }

    pub fn at(name: &str) {
        if ARMED.get() == Some(name) {
            ARMED.set(None);
            panic!("failpoint {name}");
        }
    }
}
