//! What was seen of a platform, and the table of all.

#[derive(Debug, Default)]
pub struct Report {
    pub target: &'static str,
    pub runner: &'static str,
    pub languages: Vec<String>,
    pub scenarios: usize,
    /// Calls of one language.
    pub calls: usize,
    pub faults: Option<Faults>,
    /// Where it waits, the median and the longest in ms.
    pub cancels: Vec<(String, String, String)>,
    pub unit_tests: Option<usize>,
    /// Of both libraries; nothing for Windows.
    pub weak_names: Option<usize>,
    /// A second build, elsewhere, gave the same libraries.
    pub same_bytes: bool,
    /// A program with another allocator's names was left alone.
    pub other_allocator: bool,
    /// A till that was started again was answered from its file, beside another copy of SQLite too.
    pub journal: bool,
    /// Bytes of the shared and the static library.
    pub sizes: [u64; 2],
    pub seconds: u64,
    /// Why it could not be run.
    pub missing: Option<String>,
    pub failed: Vec<String>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Faults {
    pub calls: usize,
    /// False outcomes, requests sent twice and the like, together.
    pub wrong: usize,
}

impl Report {
    pub fn said(&self) -> String {
        match (&self.missing, self.failed.is_empty()) {
            (Some(missing), _) => format!("MISSING: {missing}"),
            (None, true) => format!("ok, {} s", self.seconds),
            (None, false) => format!("FAILED: {}", self.failed.join(", ")),
        }
    }
}

/// What the tests of scenarios print: a row for each, a column for each language after the first, which is this machine's.
pub fn read_scenarios(report: &mut Report, printed: &str) -> Result<(), String> {
    let mut rows = printed.lines().skip_while(|line| !line.starts_with("| scenario |"));
    let heads = rows.next().ok_or("no table of scenarios")?;
    report.languages = heads.trim_matches('|').split('|').skip(2).map(|head| head.trim().to_owned()).collect();
    for row in rows.skip(1).take_while(|line| line.starts_with('|')) {
        report.scenarios += 1;
        let calls = row.trim_matches('|').split('|').nth(2).and_then(|cell| cell.trim().split_once(" calls"));
        report.calls += calls.and_then(|(calls, _)| calls.parse::<usize>().ok()).unwrap_or(0);
    }
    if report.calls == 0 || report.languages.is_empty() { Err("no scenario was played".into()) } else { Ok(()) }
}

pub fn read_faults(printed: &str) -> Result<Faults, String> {
    let calls = printed.lines().find_map(|line| line.strip_suffix(" calls, seed 7")?.parse().ok());
    let counts = [
        "false NOT_SENT or REJECTED:",
        "false CONFIRMED:",
        "effects committed twice:",
        "requests of one key sent twice:",
        "answers that nobody asked for, taken:",
        "UNKNOWN although the evidence decided:",
        "resolved wrongly:",
    ];
    let count = |name: &str| {
        let found = printed.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<usize>().ok());
        found.ok_or(format!("no line {name:?}"))
    };
    let wrong = counts.iter().map(|name| count(name)).sum::<Result<usize, String>>()?;
    Ok(Faults { calls: calls.filter(|calls| *calls > 0).ok_or("no calls with faults")?, wrong })
}

pub fn read_cancels(printed: &str) -> Result<Vec<(String, String, String)>, String> {
    let read = |line: &str| {
        let (waits, times) = line.strip_prefix("cancel of ")?.split_once(": ")?;
        let (median, longest) = times.split_once(" ms, at most ")?;
        Some((waits.to_owned(), median.to_owned(), longest.to_owned()))
    };
    let cancels: Vec<_> = printed.lines().filter_map(read).collect();
    if cancels.is_empty() { Err("no latency of a cancel".into()) } else { Ok(cancels) }
}

/// The sum of all test programs.
pub fn read_unit_tests(printed: &str) -> Result<usize, String> {
    let passed = |line: &str| line.strip_prefix("test result: ok. ")?.split(' ').next()?.parse::<usize>().ok();
    let passed: usize = printed.lines().filter_map(passed).sum();
    if passed == 0 { Err("no unit test ran".into()) } else { Ok(passed) }
}

pub fn table(reports: &[Report]) -> String {
    let mut text = String::from(
        "| target | ran in | programs | scenarios, calls | faults: calls, wrong | cancel, median and longest in ms | unit tests | \
         weak names | same bytes twice | other allocator | journal | shared | static | seconds |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for it in reports {
        let size = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
        let [shared, fixed] = it.sizes.map(size);
        if it.missing.is_some() || !it.failed.is_empty() {
            let cells = format!("{shared} | {fixed} | {}", it.seconds);
            text += &format!("| {} | {} | {} | | | | | | | | | {cells} |\n", it.target, it.runner, it.said());
            continue;
        }
        let scenarios = if it.scenarios > 0 { format!("{}, {}", it.scenarios, it.calls) } else { String::new() };
        let faults = it.faults.as_ref().map_or(String::new(), |it| format!("{}, {}", it.calls, it.wrong));
        let cancel = |(waits, median, longest): &(String, String, String)| format!("{waits} {median}, {longest}");
        let cancels = it.cancels.iter().map(cancel).collect::<Vec<_>>().join("; ");
        let unit = it.unit_tests.map_or(String::new(), |count| count.to_string());
        let weak = it.weak_names.map_or(String::new(), |count| count.to_string());
        let [same, other, journal] =
            [it.same_bytes, it.other_allocator, it.journal].map(|it| if it { "yes" } else { "" });
        text += &format!(
            "| {} | {} | {} | {scenarios} | {faults} | {cancels} | {unit} | {weak} | {same} | {other} | {journal} | {shared} | {fixed} | {} |\n",
            it.target,
            it.runner,
            it.languages.join("; "),
            it.seconds
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_what_the_tests_print() {
        let mut report = Report::default();
        let printed = "x\n| scenario | C, this machine | C | Go |\n|---|---|---|---|\n\
                       | one | 5 calls, 5 sent | 5 calls, 5 sent | 5 calls, 5 sent |\n| two | 2 calls, 0 sent | 2 calls, 0 sent | 2 calls, 0 sent |\n\ntest x ... ok\n";
        read_scenarios(&mut report, printed).unwrap();
        assert_eq!((report.scenarios, report.calls, report.languages), (2, 7, vec!["C".to_owned(), "Go".to_owned()]));
        assert!(read_scenarios(&mut Report::default(), "nothing").is_err());

        let lines = "120 calls, seed 7\nfalse NOT_SENT or REJECTED:  1\nfalse CONFIRMED: 0\neffects committed twice: 2\n\
                     requests of one key sent twice: 0\nanswers that nobody asked for, taken: 0\n\
                     UNKNOWN although the evidence decided: 0\nresolved wrongly: 3\n";
        assert_eq!(read_faults(lines), Ok(Faults { calls: 120, wrong: 6 }));
        assert!(read_faults("120 calls, seed 7\n").is_err() && read_faults(&lines.replace("120", "0")).is_err());

        let cancels = read_cancels("cancel of a connect: 0.31 ms, at most 2.10\n").unwrap();
        assert_eq!(cancels, [("a connect".to_owned(), "0.31".to_owned(), "2.10".to_owned())]);
        assert_eq!(read_unit_tests("test result: ok. 247 passed; 0 failed\n"), Ok(247));
        assert!(read_unit_tests("test result: FAILED. 247 passed\n").is_err() && read_cancels("").is_err());
    }
}
