//! Catches panics and prints nothing: the text of a panic may contain the caller's data, and standard error belongs to
//! the program. Only the source line is reported.

use std::cell::Cell;
use std::fmt;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;

use crate::util::process::critical_section;

#[derive(Clone, Copy)]
pub struct SourceLine {
    file: [u8; SourceLine::MAX_FILE],
    length: usize,
    line: u32,
}

impl SourceLine {
    const MAX_FILE: usize = 60;
    const UNKNOWN: SourceLine = SourceLine { file: [0; SourceLine::MAX_FILE], length: 0, line: 0 };

    /// The end of the path is enough, and reveals nothing about the machine that built the library.
    fn of(info: &PanicHookInfo<'_>) -> SourceLine {
        let mut source_line = SourceLine::UNKNOWN;
        if let Some(location) = info.location() {
            let parts = location.file().rmatch_indices(['/', '\\']).nth(2).map_or(0, |(at, _)| at + 1);
            let file = &location.file().as_bytes()[parts..];
            source_line.length = file.len().min(SourceLine::MAX_FILE);
            source_line.file[..source_line.length].copy_from_slice(&file[..source_line.length]);
            source_line.line = location.line();
        }
        source_line
    }

    /// The message for the caller. `place` follows the line: "", or a comma and what was being done.
    pub fn bug(self, place: &str) -> String {
        format!("a bug in the library was caught at {self}{place}; please report it")
    }
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", String::from_utf8_lossy(&self.file[..self.length]), self.line)
    }
}

thread_local! {
    /// The number of calls of [`catch_panic`] that this thread is in. It has no destructor, so a thread's end runs no code of
    /// ours.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static LAST: Cell<SourceLine> = const { Cell::new(SourceLine::UNKNOWN) };
}

/// Runs the body; the error is the source line of a panic in it.
pub fn catch_panic<T>(body: impl FnOnce() -> T) -> Result<T, SourceLine> {
    static ONCE: Once = Once::new();
    // In a critical section: a child that is forked while another thread is in it would wait for that thread for ever.
    if !ONCE.is_completed() {
        critical_section(|| ONCE.call_once(install_hook));
    }
    DEPTH.set(DEPTH.get() + 1);
    // The code that catches a panic drops whatever was left half done, and never reads it.
    let result = catch_unwind(AssertUnwindSafe(body));
    DEPTH.set(DEPTH.get() - 1);
    result.map_err(|_| LAST.replace(SourceLine::UNKNOWN))
}

/// Affects this library only: a shared library or an archive has a private copy of Rust's runtime.
fn install_hook() {
    let previous = panic::take_hook();
    panic::set_hook(Box::new(move |info| match DEPTH.get() {
        0 => previous(info),
        _ => LAST.set(SourceLine::of(info)),
    }));
}

/// Points at which unit tests make the library panic. Other builds compile them to nothing.
pub mod failpoint {
    #[cfg(not(test))]
    #[inline(always)]
    pub fn at(_: &str) {}

    #[cfg(test)]
    thread_local! {
        static ARMED: std::cell::Cell<Option<&'static str>> = const { std::cell::Cell::new(None) };
    }

    /// Makes this thread panic once, when it next reaches the point.
    #[cfg(test)]
    pub fn arm(point: &'static str) {
        ARMED.set(Some(point));
    }

    #[cfg(test)]
    pub fn at(name: &str) {
        if ARMED.get() == Some(name) {
            ARMED.set(None);
            panic!("failpoint {name}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_reports_its_source_line_and_nothing_else() {
        let line = line!() + 1;
        let source_line = catch_panic(|| panic!("4111111111111111")).err().unwrap().to_string();
        assert_eq!(source_line, format!("src/util/panics.rs:{line}"));
        assert_eq!(catch_panic(|| 7).ok(), Some(7));
    }

    #[test]
    fn nested_panics_are_caught_where_they_happen() {
        let inner = catch_panic(|| catch_panic(|| panic!("inner")).is_err());
        assert!(matches!(inner, Ok(true)));
        assert_eq!(DEPTH.get(), 0);
    }
}
