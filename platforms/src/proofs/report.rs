//! The observations on a platform, and the table of all.

use std::collections::BTreeMap;

/// The kinds of observation, with the head of its column.
const COLUMNS: [(&str, &str); 9] = [
    ("programs", "programs"),
    ("scenarios", "scenarios, calls"),
    ("faults", "faults: calls, wrong"),
    ("cancel", "cancel, median and longest in ms"),
    ("unit tests", "unit tests"),
    // Both libraries; nothing for Windows.
    ("weak names", "weak names"),
    // A second build, elsewhere, gave the same libraries.
    ("same bytes", "same bytes twice"),
    // A program with another allocator's names was left alone.
    ("allocator", "other allocator"),
    // A till that was started again was answered from its file, beside another copy of SQLite too.
    ("journal", "journal"),
];

#[derive(Debug, Default)]
pub struct Report {
    pub target: &'static str,
    pub runner: &'static str,
    pub seen: BTreeMap<&'static str, String>,
    /// Bytes of the shared and the static library.
    pub sizes: [u64; 2],
    pub seconds: u64,
    /// Why it could not be run.
    pub missing: Option<String>,
    pub failed: Vec<String>,
}

impl Report {
    /// Records an observation, or why it failed.
    pub fn note(&mut self, what: &'static str, result: Result<String, String>) {
        match result {
            Ok(cell) => _ = self.seen.insert(what, cell),
            Err(why) => self.failed.push(format!("{what}: {why}")),
        }
    }

    pub fn said(&self) -> String {
        match (&self.missing, self.failed.is_empty()) {
            (Some(missing), _) => format!("MISSING: {missing}"),
            (None, true) => format!("ok, {} s", self.seconds),
            (None, false) => format!("FAILED: {}", self.failed.join(", ")),
        }
    }

    fn line(&self) -> String {
        let is_whole = self.missing.is_none() && self.failed.is_empty();
        let seen = |(what, _)| self.seen.get(what).filter(|_| is_whole).cloned().unwrap_or_default();
        let mut cells = COLUMNS.map(seen);
        if !is_whole {
            cells[0] = self.said();
        }
        let [shared, fixed] = self.sizes.map(|bytes| format!("{:.1} MB", bytes as f64 / 1e6));
        let cells = cells.join(" | ");
        format!("| {} | {} | {cells} | {shared} | {fixed} | {} |\n", self.target, self.runner, self.seconds)
    }
}

/// Reads the output of the tests of scenarios: a row for each, a column for each language after the first, which is
/// this machine's. Returns the languages, and how many scenarios and calls of one language there were.
pub fn scenarios(printed: &str) -> Result<(String, String), String> {
    let mut rows = printed.lines().skip_while(|line| !line.starts_with("| scenario |"));
    let heads = rows.next().ok_or("no table of scenarios")?;
    let languages: Vec<_> = heads.trim_matches('|').split('|').skip(2).map(str::trim).collect();
    let (mut count, mut calls) = (0, 0);
    for row in rows.skip(1).take_while(|line| line.starts_with('|')) {
        count += 1;
        let told = row.trim_matches('|').split('|').nth(2).and_then(|cell| cell.trim().split_once(" calls"));
        calls += told.and_then(|(calls, _)| calls.parse::<usize>().ok()).unwrap_or(0);
    }
    if calls == 0 || languages.is_empty() {
        return Err("no scenario was played".into());
    }
    Ok((languages.join("; "), format!("{count}, {calls}")))
}

/// The number of calls, and of false outcomes, requests sent twice and the like, together.
pub fn faults(printed: &str) -> Result<String, String> {
    let calls = printed.lines().find_map(|line| line.strip_suffix(" calls, seed 7")?.parse::<usize>().ok());
    let calls = calls.filter(|calls| *calls > 0).ok_or("no calls with faults")?;
    let count = |name: &&str| {
        let found = printed.lines().find_map(|line| line.strip_prefix(*name)?.trim().parse::<usize>().ok());
        found.ok_or(format!("no line {name:?}"))
    };
    let counts = [
        "false NOT_SENT or REJECTED:",
        "false CONFIRMED:",
        "effects committed twice:",
        "requests of one key sent twice:",
        "answers that nobody asked for, taken:",
        "UNKNOWN although the evidence decided:",
        "resolved wrongly:",
    ];
    Ok(format!("{calls}, {}", counts.iter().map(count).sum::<Result<usize, String>>()?))
}

/// Where it waits, the median and the longest in ms.
pub fn cancels(printed: &str) -> Result<String, String> {
    let read = |line: &str| {
        let (waits, times) = line.strip_prefix("cancel of ")?.split_once(": ")?;
        let (median, longest) = times.split_once(" ms, at most ")?;
        Some(format!("{waits} {median}, {longest}"))
    };
    let cancels: Vec<_> = printed.lines().filter_map(read).collect();
    if cancels.is_empty() { Err("no latency of a cancel".into()) } else { Ok(cancels.join("; ")) }
}

/// The sum of all test programs.
pub fn unit_tests(printed: &str) -> Result<String, String> {
    let passed = |line: &str| line.strip_prefix("test result: ok. ")?.split(' ').next()?.parse::<usize>().ok();
    let passed: usize = printed.lines().filter_map(passed).sum();
    if passed == 0 { Err("no unit test ran".into()) } else { Ok(passed.to_string()) }
}

pub fn table(reports: &[Report]) -> String {
    let heads = COLUMNS.map(|(_, head)| head).join(" | ");
    let rule = "---|".repeat(COLUMNS.len() + 5);
    let lines: String = reports.iter().map(Report::line).collect();
    format!("| target | ran in | {heads} | shared | static | seconds |\n|{rule}\n{lines}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_what_the_tests_print() {
        let printed = "x\n| scenario | C, this machine | C | Go |\n|---|---|---|---|\n\
                       | one | 5 calls, 5 sent | 5 calls, 5 sent | 5 calls, 5 sent |\n| two | 2 calls, 0 sent | 2 calls, 0 sent | 2 calls, 0 sent |\n\ntest x ... ok\n";
        assert_eq!(scenarios(printed), Ok(("C; Go".to_owned(), "2, 7".to_owned())));
        assert!(scenarios("nothing").is_err());

        let lines = "120 calls, seed 7\nfalse NOT_SENT or REJECTED:  1\nfalse CONFIRMED: 0\neffects committed twice: 2\n\
                     requests of one key sent twice: 0\nanswers that nobody asked for, taken: 0\n\
                     UNKNOWN although the evidence decided: 0\nresolved wrongly: 3\n";
        assert_eq!(faults(lines).unwrap(), "120, 6");
        assert!(faults("120 calls, seed 7\n").is_err() && faults(&lines.replace("120", "0")).is_err());

        assert_eq!(cancels("cancel of a connect: 0.31 ms, at most 2.10\n").unwrap(), "a connect 0.31, 2.10");
        assert_eq!(unit_tests("test result: ok. 247 passed; 0 failed\n").unwrap(), "247");
        assert!(unit_tests("test result: FAILED. 247 passed\n").is_err() && cancels("").is_err());
    }
}
