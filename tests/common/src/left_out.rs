//! The lines in which a test names the parts that it leaves out. `make test` ends with these lines.

use std::io::Write as _;
use std::path::Path;

/// A tool is not on this machine. Where `CI` is set, `make test` then fails.
pub fn missing(text: &str) {
    say("MISSING", text);
}

/// This machine refuses something, or another command does it: what is not tested, and why.
pub fn left_out(text: &str) {
    say("LEFT OUT", text);
}

/// Past what the test harness keeps to itself, and in one write, because others write too.
fn say(kind: &str, text: &str) {
    let _ = std::io::stderr().write_all(format!("\n{kind}: {text}\n").as_bytes());
}

/// A folder whose file system is in memory.
pub fn folder_in_memory() -> Option<&'static Path> {
    let mounts = std::fs::read_to_string("/proc/mounts").unwrap_or_default();
    let is_there = mounts.lines().any(|line| line.contains(" /dev/shm tmpfs "));
    if !is_there {
        left_out("a journal in memory is NOT tried: no file system in memory is mounted on /dev/shm");
    }
    is_there.then_some(Path::new("/dev/shm"))
}
