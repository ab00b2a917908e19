//! Commands whose output the user sees.

use std::path::Path;
use std::process::{Command, Stdio};

/// An error if it cannot be started or fails.
pub fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}")) }
}

/// Returns its standard output. An error has all of its output; it is "MISSING: ..." where one of the project's scripts
/// reports something missing on this machine.
pub fn output(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{command:?}: {error}"))?;
    let [printed, told] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    if output.status.success() {
        return Ok(printed);
    }
    match told.lines().find(|line| output.status.code() == Some(3) && line.starts_with("MISSING: ")) {
        Some(missing) => Err(missing.to_owned()),
        None => Err(format!("{command:?}: {}\n{printed}{told}", output.status)),
    }
}

/// One of the project's scripts.
pub fn script(root: &Path, name: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg(root.join("scripts").join(name));
    command
}

pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
}

pub fn is_installed(program: &str) -> bool {
    output(Command::new(program).arg("--version")).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_script_misses_is_the_error() {
        let output = |script: &str| output(Command::new("sh").args(["-c", script]));
        assert_eq!(output("echo one; echo two >&2").unwrap(), "one\n");
        assert_eq!(output("echo 'MISSING: a root' >&2; exit 3").unwrap_err(), "MISSING: a root");
        let failed = output("echo one; echo 'MISSING: a root' >&2; exit 1").unwrap_err();
        assert!(failed.contains("one\nMISSING: a root"), "{failed}");
    }
}
