//! One use of a package, and the table of all.

use std::fs;
use std::path::Path;
use std::time::Instant;

/// A package that was installed and used.
pub struct Use {
    /// Its name, mostly that of its file.
    pub package: String,
    pub bytes: u64,
    /// Where it was installed.
    pub place: String,
    /// The checks that ran with it.
    pub ran: &'static str,
    pub seconds: f64,
    /// An error that begins with "MISSING: " names what this machine lacks to install or run it.
    pub end: Result<(), String>,
}

/// Runs it and takes its time.
pub fn take(
    package: &Path,
    place: impl Into<String>,
    ran: &'static str,
    action: impl FnOnce() -> Result<(), String>,
) -> Use {
    let name = package.file_name().unwrap_or_default().to_string_lossy().into_owned();
    take_as(name, package, place, ran, action)
}

/// The same of a package whose file does not have its name.
pub fn take_as(
    name: String,
    package: &Path,
    place: impl Into<String>,
    ran: &'static str,
    action: impl FnOnce() -> Result<(), String>,
) -> Use {
    let began = Instant::now();
    let end = action();
    let taken = Use {
        package: name,
        bytes: fs::metadata(package).map_or(0, |file| file.len()),
        place: place.into(),
        ran,
        seconds: began.elapsed().as_secs_f64(),
        end,
    };
    println!("dist-check: {}: {}: {}", taken.package, taken.place, taken.said());
    taken
}

impl Use {
    fn said(&self) -> String {
        match (&self.end, self.missing()) {
            (Ok(()), _) => self.ran.to_owned(),
            (Err(_), Some(what)) => format!("not run: {what}"),
            (Err(why), None) => format!("FAILED: {why}"),
        }
    }

    fn missing(&self) -> Option<&str> {
        self.end.as_ref().err()?.strip_prefix("MISSING: ")
    }
}

pub fn table(uses: &[Use]) -> String {
    let mut text = "| package | MB | installed in | what ran | seconds |\n|---|---:|---|---|---:|\n".to_owned();
    for it in uses {
        // Megabytes with one digit, in whole numbers.
        let tenths = (it.bytes + 50_000) / 100_000;
        let said = it.said().replace('\n', " ");
        let megabytes = format!("{}.{}", tenths / 10, tenths % 10);
        text += &format!("| {} | {megabytes} | {} | {said} | {:.1} |\n", it.package, it.place, it.seconds);
    }
    text
}

/// An error names all that failed; with `partial`, what is missing is no failure.
pub fn verdict(uses: &[Use], partial: bool) -> Result<(), String> {
    let wrong: Vec<_> = uses
        .iter()
        .filter(|it| it.end.is_err() && !(partial && it.missing().is_some()))
        .map(|it| format!("  {} in {}: {}", it.package, it.place, it.said()))
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(format!("dist-check\n{}", wrong.join("\n"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_or_is_missing_is_named() {
        let package = Path::new("/nowhere/a.deb");
        let worked = || take(package, "here", "charge", || Ok(()));
        let missing = || take(package, "there", "charge", || Err("MISSING: no root".to_owned()));
        let failed = || take(package, "elsewhere", "charge", || Err("exit status 1".to_owned()));
        assert_eq!(verdict(&[worked()], false), Ok(()));
        assert_eq!(verdict(&[worked(), missing()], true), Ok(()));
        assert!(verdict(&[missing()], false).unwrap_err().contains("a.deb in there: not run: no root"));
        assert!(verdict(&[failed()], true).unwrap_err().contains("FAILED: exit status 1"));
        assert!(table(&[failed()]).contains("| a.deb | 0.0 | elsewhere | FAILED: exit status 1 |"));
    }
}
