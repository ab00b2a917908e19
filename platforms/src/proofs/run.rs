//! Runs the proofs of one platform: tests of this project, with the libraries that `TEST_PLATFORM` names.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use super::report::{self, Report};
use crate::command::{self, cargo};
use crate::table::{Platform, Proof};
use crate::{compile, libs};

/// Several times what the longest part takes: what hangs must not block the run.
const MOST_SECONDS: &str = "2400";

/// The tests of the journal.
const JOURNAL: &str = "journal::every_platform:: journal::a_till_that_is_killed_at_any_moment journal::of_two_tills";

/// The integration tests, built once for all platforms.
pub struct Tests {
    program: PathBuf,
    quick: bool,
}

impl Tests {
    pub fn build(root: &Path, quick: bool) -> Result<Tests, String> {
        let mut command = cargo();
        command.args(["test", "--workspace", "--locked", "--test", "integration", "--no-run"]);
        command.arg("--message-format=json-render-diagnostics").current_dir(root).stderr(Stdio::inherit());
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        if !output.status.success() {
            return Err(format!("{command:?}: {}", output.status));
        }
        let printed = String::from_utf8_lossy(&output.stdout);
        let built = printed.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let found = built
            .filter(|it| it["target"]["name"] == "integration")
            .find_map(|it| Some(it["executable"].as_str()?.into()));
        Ok(Tests { program: found.ok_or("cargo built no integration tests")?, quick })
    }
}

/// Runs a command with its output in a file, and gives what it printed; an error names the file.
fn logged(command: &mut Command, log: &Path) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", log.display());
    let file = File::create(log).map_err(failed)?;
    let also = file.try_clone().map_err(failed)?;
    let status = command.stdin(Stdio::null()).stdout(file).stderr(also).status().map_err(failed)?;
    let printed = fs::read(log).map_err(failed)?;
    if status.success() {
        Ok(String::from_utf8_lossy(&printed).into_owned())
    } else {
        Err(format!("{status}, see {}", log.display()))
    }
}

pub fn platform(root: &Path, row: &'static Platform, tests: &Tests) -> Report {
    let began = Instant::now();
    let mut report =
        Report { target: row.target, runner: row.runner.word(), sizes: sizes(root, row), ..Report::default() };
    let log = |what: &str| root.join(format!("build/libs/check/{}-{what}.log", row.target));
    if let Err(why) = compile::ready(root, row.runner) {
        report.missing = Some(why.trim_start_matches("MISSING: ").to_owned());
        return report;
    }
    let test = |filter: &str, faults: Option<&str>, what: &str| {
        let mut command = Command::new("timeout");
        command.arg(MOST_SECONDS).arg(&tests.program).arg("--nocapture").args(filter.split(' ')).current_dir(root);
        command.env("TEST_PLATFORM", row.target).env("TEST_FAULTS_JOBS", "4").env("TEST_KILLS", "3");
        match faults {
            Some(endpoints) => command.env("TEST_FAULTS", endpoints),
            None => command.env_remove("TEST_FAULTS"),
        };
        if tests.quick {
            command.env("TEST_QUICK", "1");
        }
        logged(&mut command, &log(what))
    };
    let yes = |_| "yes".to_owned();
    report.note("weak names", libs::weak_names(root, row));
    let scenarios = test("scenarios::every_language_agrees", None, "scenarios");
    let scenarios = scenarios.and_then(|printed| report::scenarios(&printed)).map(|(languages, figures)| {
        report.note("programs", Ok(languages));
        figures
    });
    report.note("scenarios", scenarios);
    let all = row.proofs.contains(&Proof::AllFaults);
    if tests.quick || all || row.proofs.contains(&Proof::SomeFaults) {
        let endpoints = if tests.quick { Some("one") } else { all.then_some("all") };
        let printed = test("faults::outcomes_agree_with_the_ledger", endpoints, "faults");
        report.note("faults", printed.and_then(|printed| report::faults(&printed)));
    }
    let filter = if tests.quick { "journal::every_platform::" } else { JOURNAL };
    report.note("journal", test(filter, None, "journal").map(yes));
    if row.is_windows() {
        // In every way in which a program may link or load the libraries.
        report.note("linking", test("windows_libs::", None, "linking").map(yes));
    } else {
        let printed = test("tls::another_allocator_in_the_program_is_left_alone", None, "allocator");
        report.note("allocator", printed.map(yes));
    }
    if row.proofs.contains(&Proof::Cancel) {
        let printed = test("cancel_latency::", None, "cancel");
        report.note("cancel", printed.and_then(|printed| report::cancels(&printed)));
    }
    if row.proofs.contains(&Proof::UnitTests) && !tests.quick {
        let printed = logged(&mut unit_tests(root, row), &log("unit-tests"));
        report.note("unit tests", printed.and_then(|printed| report::unit_tests(&printed)));
    }
    report.seconds = began.elapsed().as_secs();
    report
}

/// Checks that a second build, elsewhere, gives the same libraries; an error names the files that differ.
pub fn same_bytes(root: &Path, row: &Platform) -> Result<String, String> {
    let program = std::env::current_exe().map_err(|error| format!("this program's name: {error}"))?;
    let log = root.join(format!("build/libs/check/{}-same-bytes.log", row.target));
    let mut command = command::script(root, "same-bytes.sh");
    logged(command.arg(program).arg(row.target), &log).map(|_| "yes".to_owned())
}

/// The library's own tests, run by the platform's runner.
fn unit_tests(root: &Path, row: &Platform) -> Command {
    let mut command = cargo();
    let variable = format!("CARGO_TARGET_{}_RUNNER", row.target.to_uppercase().replace('-', "_"));
    command.env(variable, format!("sh {}/scripts/runner.sh {}", root.display(), row.runner.word()));
    command.args(["test", "--locked", "-p", "paysvc", "--lib", "--target", row.target]).current_dir(root);
    command
}

fn sizes(root: &Path, row: &Platform) -> [u64; 2] {
    let folder = root.join("build/libs").join(row.target);
    let names = libs::names(row);
    [&names.shared, names.archive].map(|name| fs::metadata(folder.join(name)).map_or(0, |file| file.len()))
}
