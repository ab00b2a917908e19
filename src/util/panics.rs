//! Panics, caught and kept quiet: the text of a panic may hold what a caller gave, and standard error is the caller's.
//!
//! Only where it happened is told, for whoever reports it.

use std::cell::Cell;
use std::fmt;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;

use crate::util::process::critical_section;

/// Where a panic happened: a file of the source and a line.
#[derive(Clone, Copy)]
pub struct Place {
    file: [u8; Place::LONGEST],
    length: usize,
    line: u32,
}

impl Place {
    const LONGEST: usize = 60;
    const UNKNOWN: Place = Place { file: [0; Place::LONGEST], length: 0, line: 0 };

    /// The end of the path is enough, and says nothing of the machine that built it.
    fn of(info: &PanicHookInfo<'_>) -> Place {
        let mut place = Place::UNKNOWN;
        if let Some(location) = info.location() {
            let parts = location.file().rmatch_indices('/').nth(2).map_or(0, |(at, _)| at + 1);
            let file = &location.file().as_bytes()[parts..];
            place.length = file.len().min(Place::LONGEST);
            place.file[..place.length].copy_from_slice(&file[..place.length]);
            place.line = location.line();
        }
        place
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", String::from_utf8_lossy(&self.file[..self.length]), self.line)
    }
}

thread_local! {
    /// How many calls of [`catch_panic`] this thread is in. Without a destructor, so that no thread's end runs into us.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static LAST: Cell<Place> = const { Cell::new(Place::UNKNOWN) };
}

/// Runs the body; a panic in it gives its place.
pub fn catch_panic<T>(body: impl FnOnce() -> T) -> Result<T, Place> {
    static ONCE: Once = Once::new();
    // In a section: a child that was forked while another thread is in there would wait for that thread for ever.
    if !ONCE.is_completed() {
        critical_section(|| ONCE.call_once(keep_quiet));
    }
    DEPTH.set(DEPTH.get() + 1);
    // What a panic leaves half done is dropped by whoever catches it, never looked at again.
    let result = catch_unwind(AssertUnwindSafe(body));
    DEPTH.set(DEPTH.get() - 1);
    result.map_err(|_| LAST.replace(Place::UNKNOWN))
}

/// The hook is this library's own: in a shared library and in an archive Rust's runtime is a private copy.
fn keep_quiet() {
    let others = panic::take_hook();
    panic::set_hook(Box::new(move |info| match DEPTH.get() {
        0 => others(info),
        _ => LAST.set(Place::of(info)),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_tells_its_place_and_nothing_else() {
        let line = line!() + 1;
        let place = catch_panic(|| panic!("4111111111111111")).err().unwrap().to_string();
        assert_eq!(place, format!("src/util/panics.rs:{line}"));
        assert_eq!(catch_panic(|| 7).ok(), Some(7));
    }

    #[test]
    fn one_within_another_is_caught_there() {
        let inner = catch_panic(|| catch_panic(|| panic!("inner")).is_err());
        assert!(matches!(inner, Ok(true)));
        assert_eq!(DEPTH.get(), 0);
    }
}
