//! Checks whether a test may watch the system calls of a program.

use std::process::{Command, Stdio};

use super::{left_out, missing};

/// If not, prints what is not tested. Some containers have the program and refuse it.
pub fn has_strace(untested: &str) -> bool {
    let mut strace = Command::new("strace");
    match strace.args(["-o", "/dev/null", "true"]).stderr(Stdio::null()).status() {
        Err(_) => missing(&format!("there is no strace; {untested}")),
        Ok(status) if !status.success() => left_out(&format!("{untested}: strace is refused here")),
        Ok(_) => return true,
    }
    false
}
