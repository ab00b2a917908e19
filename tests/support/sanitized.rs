//! The library with AddressSanitizer in its Rust, and UndefinedBehaviorSanitizer too in AWS-LC's C, to be linked with C
//! that has both. An archive: a library that is loaded into a test program would need the sanitizer in that as well, so
//! only the C programs are run with it.
//!
//! rustc's instrumentation reports to the runtime of gcc: both speak version 8 of its interface.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::{Stage, root, run, static_libraries};

/// The sanitizers of the C. AddressSanitizer brings LeakSanitizer along.
pub const FLAGS: &[&str] =
    &["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"];

/// The archive, built where it is not, if `TEST_SANITIZED` asks for it, as `scripts/sanitize.sh` does: `make test` does
/// without the minutes of that build. `None`, with a message, also where this machine's Rust cannot.
pub fn archive() -> Option<&'static Path> {
    static ARCHIVE: OnceLock<Option<PathBuf>> = OnceLock::new();
    ARCHIVE.get_or_init(build).as_deref()
}

fn build() -> Option<PathBuf> {
    std::env::var_os("TEST_SANITIZED")?;
    let output = Command::new("sh").arg(root().join("scripts/sanitize.sh")).arg("build").output().unwrap();
    if output.status.code() == Some(3) {
        // Past what the test harness keeps to itself.
        let _ = std::io::stderr().write_all(&output.stderr);
        return None;
    }
    assert!(output.status.success(), "{}", super::output_of(&output));
    Some(String::from_utf8(output.stdout).unwrap().trim().into())
}

/// The build of `scripts/tsan.sh` for ThreadSanitizer, when that script runs the tests.
pub struct Races {
    archive: PathBuf,
    runtime: PathBuf,
}

pub fn races() -> Option<Races> {
    let paths = std::env::var("TEST_TSAN").ok()?;
    let (archive, runtime) = paths.split_once(':').expect("TEST_TSAN is archive:runtime");
    Some(Races { archive: archive.into(), runtime: runtime.into() })
}

impl Races {
    /// Compiled for ThreadSanitizer and linked without the C compiler's own runtime: there can be one only, and Rust's
    /// code needs Rust's.
    pub fn cc(&self, stage: &Stage, source: &Path) -> PathBuf {
        count(source);
        let program = stage.path().join(source.file_stem().unwrap());
        let object = program.with_extension("o");
        let mut compile = Command::new("cc");
        compile.args(["-g", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=thread", "-Ibuild/include", "-c", "-o"]);
        run(compile.arg(&object).arg(source).current_dir(stage.path()));
        let mut link = Command::new("cc");
        link.arg("-o").arg(&program).arg(&object).arg(&self.archive);
        link.arg("-Wl,--whole-archive").arg(&self.runtime).arg("-Wl,--no-whole-archive");
        run(link.args(static_libraries()).arg("-lstdc++"));
        program
    }
}

/// Writes the program down for `scripts/sanitize.sh` and `scripts/tsan.sh`, which count them.
pub fn count(source: &Path) {
    let Some(list) = std::env::var_os("TEST_SANITIZED_LIST") else { return };
    let mut list = std::fs::OpenOptions::new().append(true).create(true).open(list).unwrap();
    // One write, so that the lines of tests that run side by side do not mix.
    list.write_all(format!("{}\n", source.file_name().unwrap().display()).as_bytes()).unwrap();
}

/// From `nm`'s text: how many objects of the archive with names that start like this have code that calls such a report.
pub fn objects(symbols: &str, name: &str, report: &str) -> usize {
    let reports = |object: &str| object.contains(&format!(" U {report}"));
    let mut count = 0;
    for object in symbols.split("\n\n") {
        let title = object.trim_start().lines().next().unwrap_or_default();
        count += usize::from(title.contains(name) && reports(object));
    }
    count
}
