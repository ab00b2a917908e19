//! `cargo platforms libs-check` runs the proofs in each platform's row, and writes one table of what ran where.

mod report;
mod run;

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

use crate::libs::tools;
use crate::table::{PLATFORMS, Platform, Runner, platform};
use crate::{command, files};
use report::{Report, table};
use run::Tests;

pub const USAGE: &str = "cargo platforms libs-check [--partial] [--quick] [TARGET...]";

const MACOS: &str = "aarch64-apple-darwin";
/// The platforms of `--quick`: an old glibc and Windows.
const QUICK: [&str; 2] = ["x86_64-unknown-linux-gnu", "x86_64-pc-windows-gnu"];

#[derive(Debug, Default)]
struct Options {
    /// A platform whose runner is missing is no failure.
    partial: bool,
    /// C alone, the faults of one endpoint, and no second build.
    quick: bool,
    platforms: Vec<&'static Platform>,
    /// All platforms, in full.
    whole: bool,
}

pub fn run(root: &Path, arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let options = parse(root, arguments)?;
    let began = Instant::now();
    let folder = root.join("build/libs");
    files::make(&folder.join("check"))?;
    // Cargo rebuilds what has changed: an old library must not be tested for a new one.
    crate::libs::run(root, options.platforms.iter().map(|row| row.target.to_owned()))?;
    let tests = Tests::build(root, options.quick)?;
    // Not beside the proofs, which measure times.
    let twice: &[&Platform] = if options.quick { &[] } else { &options.platforms };
    let mut twice: BTreeMap<_, _> = twice.iter().map(|row| (row.target, run::same_bytes(root, row))).collect();
    let mut reports = prove(root, &options.platforms, &tests);
    for report in &mut reports {
        if let Some(result) = twice.remove(report.target) {
            report.note("same bytes", result);
        }
    }
    let macos = if options.whole { Some(macos(root)) } else { None };
    // Wine's server would wait for another program.
    let _ = command::script(root, "runner.sh").arg("stop").status();

    let title = if options.quick { ", quick" } else { "" };
    let mut text = format!("# What ran where{title}\n\n{}\n", table(&reports));
    if let Some(result) = &macos {
        let said = result.as_ref().map_or_else(|why| format!("FAILED: {why}"), |()| "ok".to_owned());
        text += &format!("{MACOS}: cargo check: {said}; nothing was linked or run\n");
    }
    text += &format!("{} s in all\n", began.elapsed().as_secs());
    print!("\n{text}");
    let file = folder.join(if options.quick { "report-quick.md" } else { "report.md" });
    files::write(&file, text)?;
    verdict(&reports, options.partial).and(macos.unwrap_or(Ok(())))
}

/// Nothing here links or runs programs for macOS: the compiler only checks the library.
fn macos(root: &Path) -> Result<(), String> {
    if !tools::rust()?.has(MACOS) {
        command::run(Command::new("rustup").args(["target", "add", MACOS]))?;
    }
    let zig = tools::zig(root)?;
    let mut check = Command::new(zig.cargo);
    check.args(["check", "--locked", "-p", "paysvc", "--lib", "--target", MACOS]).current_dir(root);
    command::run(check.env("CARGO_ZIGBUILD_ZIG_PATH", zig.compiler))
}

fn parse(root: &Path, arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options::default();
    for argument in arguments {
        match argument.as_str() {
            "--partial" => options.partial = true,
            "--quick" => options.quick = true,
            target => {
                let row = platform(target).ok_or_else(|| format!("{target} is not a platform; usage: {USAGE}"))?;
                options.platforms.push(row);
            }
        }
    }
    options.whole = options.platforms.is_empty() && !options.quick;
    if options.platforms.is_empty() {
        let named = |row: &&Platform| match options.quick {
            true => QUICK.contains(&row.target),
            // A best-effort platform counts once it has been built.
            false => row.runner != Runner::None && (!row.best_effort || built(root, row)),
        };
        options.platforms = PLATFORMS.iter().filter(named).collect();
    }
    Ok(options)
}

fn built(root: &Path, row: &Platform) -> bool {
    root.join("build/libs").join(row.target).join("include/paysvc.h").exists()
}

/// Two at a time, because the tests wait for timeouts more than they calculate.
fn prove(root: &Path, platforms: &[&'static Platform], tests: &Tests) -> Vec<Report> {
    let mut order: Vec<_> = platforms.to_vec();
    // The longest first.
    order.sort_by_key(|row| std::cmp::Reverse(row.proofs.len()));
    let queue = Mutex::new(VecDeque::from(order));
    let reports = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(row) = queue.lock().unwrap().pop_front() else { break };
                    let report = run::platform(root, row, tests);
                    println!("libs-check: {}: {}", row.target, report.said());
                    reports.lock().unwrap().push(report);
                }
            });
        }
    });
    let mut reports = reports.into_inner().unwrap();
    reports.sort_by_key(|report| platforms.iter().position(|row| row.target == report.target));
    reports
}

/// An error names all that failed; with `partial`, what is missing is no failure.
fn verdict(reports: &[Report], partial: bool) -> Result<(), String> {
    let is_wrong = |it: &&Report| !it.failed.is_empty() || it.missing.is_some() && !partial;
    let wrong: Vec<_> = reports.iter().filter(is_wrong).map(|it| format!("  {}: {}", it.target, it.said())).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!("libs-check (PARTIAL=1 lets pass what is MISSING)\n{}", wrong.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_or_is_missing_fails_and_is_named() {
        let good = Report { target: "good", ..Report::default() };
        let missing = Report { target: "alpha", missing: Some("no emulator".into()), ..Report::default() };
        let failed = Report { target: "beta", failed: vec!["scenarios".into()], ..Report::default() };
        assert_eq!(verdict(std::slice::from_ref(&good), false), Ok(()));
        assert!(verdict(std::slice::from_ref(&missing), false).unwrap_err().contains("alpha: MISSING: no emulator"));
        assert_eq!(verdict(&[good, missing], true), Ok(()));
        assert!(verdict(&[failed], true).unwrap_err().contains("beta: FAILED: scenarios"));
    }

    #[test]
    fn the_quick_run_is_about_an_old_glibc_and_windows() {
        let options = parse("/".as_ref(), ["--quick".to_owned()].into_iter()).unwrap();
        assert_eq!(options.platforms.iter().map(|row| row.target).collect::<Vec<_>>(), QUICK);
        assert!(parse("/".as_ref(), ["vax".to_owned()].into_iter()).is_err());
        let all = parse("/".as_ref(), std::iter::empty()).unwrap().platforms;
        assert!(all.len() > 7 && all.iter().all(|row| !row.best_effort));
    }
}
