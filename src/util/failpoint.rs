//! Points at which unit tests make the library panic. Other builds compile them to nothing.

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

    /// Makes this thread panic once, when it next reaches the point.
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
