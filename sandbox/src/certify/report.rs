//! The report: text, a page that loads nothing, and JUnit XML.

use std::path::Path;
use std::time::Duration;

use super::scenario::Scenario;
use crate::admin::index::escaped;

#[derive(Debug)]
pub struct Verdict {
    pub scenario: &'static Scenario,
    /// What was seen that a client must not do.
    pub findings: Vec<String>,
    pub took: Duration,
}

impl Verdict {
    pub fn is_passed(&self) -> bool {
        self.findings.is_empty()
    }

    fn word(&self) -> &'static str {
        if self.is_passed() { "passed" } else { "FAILED" }
    }
}

pub fn sum(verdicts: &[Verdict]) -> String {
    let passed = verdicts.iter().filter(|verdict| verdict.is_passed()).count();
    format!("{passed} of {} scenarios passed", verdicts.len())
}

pub fn text_of(verdict: &Verdict) -> String {
    let Scenario { name, task, loses, mend, .. } = verdict.scenario;
    let mut text = format!("{} {name}\n", verdict.word());
    if !verdict.is_passed() {
        text += &format!("  task: {}\n", task.instruction());
        verdict.findings.iter().for_each(|finding| text += &format!("  seen: {finding}\n"));
        text += &format!("  why:  {loses}\n  mend: {mend}\n");
    }
    text
}

pub fn write(folder: &Path, verdicts: &[Verdict]) -> Result<(), String> {
    let problem = |path: &Path, error: std::io::Error| format!("certify: {}: {error}", path.display());
    std::fs::create_dir_all(folder).map_err(|error| problem(folder, error))?;
    let text: String = verdicts.iter().map(text_of).collect();
    let files = [("txt", text + &sum(verdicts) + "\n"), ("html", html(verdicts)), ("xml", junit(verdicts))];
    for (ending, text) in files {
        let path = folder.join(format!("certificate.{ending}"));
        std::fs::write(&path, text).map_err(|error| problem(&path, error))?;
    }
    Ok(())
}

fn html(verdicts: &[Verdict]) -> String {
    let row = |verdict: &Verdict| {
        let Scenario { name, task, loses, mend, .. } = verdict.scenario;
        let seen: String = verdict.findings.iter().map(|finding| format!("<p>{}", escaped(finding))).collect();
        let (why, how) = if verdict.is_passed() { ("", "") } else { (*loses, *mend) };
        format!(
            "<tr class=\"{0}\"><td>{0}<td>{name}<td>{1}<td>{seen}<td>{2}<td>{3}\n",
            verdict.word(),
            escaped(task.instruction()),
            escaped(why),
            escaped(how),
        )
    };
    let rows: String = verdicts.iter().map(row).collect();
    let sum = sum(verdicts);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>paysvc-sandbox certify: {sum}</title>\n<style>:root{{color-scheme:light dark}}body{{font-family:sans-serif;margin:2em}}\
         table{{border-collapse:collapse}}td,th{{text-align:left;vertical-align:top;padding:.4em 1em .4em 0;border-bottom:1px solid GrayText}}\
         p{{margin:0 0 .4em}}.FAILED td:first-child{{font-weight:bold}}</style>\n<h1>{sum}</h1>\n\
         <table><tr><th>verdict<th>scenario<th>task<th>seen<th>why it loses money<th>how to mend it\n{rows}</table>\n</html>\n"
    )
}

fn junit(verdicts: &[Verdict]) -> String {
    let seconds = |took: Duration| format!("{}.{:03}", took.as_secs(), took.subsec_millis());
    let case = |verdict: &Verdict| {
        let head = format!(
            "<testcase classname=\"certify\" name=\"{}\" time=\"{}\"",
            verdict.scenario.name,
            seconds(verdict.took)
        );
        match verdict.findings.first() {
            None => format!("  {head}/>\n"),
            Some(first) => {
                format!(
                    "  {head}><failure message=\"{}\">{}</failure></testcase>\n",
                    xml(first),
                    xml(&text_of(verdict))
                )
            }
        }
    };
    let cases: String = verdicts.iter().map(case).collect();
    let failures = verdicts.iter().filter(|verdict| !verdict.is_passed()).count();
    let time = seconds(verdicts.iter().map(|verdict| verdict.took).sum());
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"paysvc-sandbox certify\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" time=\"{time}\">\n{cases}</testsuite>\n",
        verdicts.len()
    )
}

/// Characters that XML cannot hold are replaced; findings may repeat what a client sent.
fn xml(text: &str) -> String {
    let allowed = |letter: char| matches!(letter, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
    escaped(&text.chars().map(|letter| if allowed(letter) { letter } else { '\u{fffd}' }).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::super::scenario::SCENARIOS;
    use super::*;

    #[test]
    fn what_a_client_sent_cannot_break_the_reports() {
        let findings = vec!["It sent <b>\"&\u{1}\u{ffff}</b> to /x.".to_string()];
        let verdicts = [Verdict { scenario: &SCENARIOS[0], findings, took: Duration::from_millis(1500) }];
        let xml = junit(&verdicts);
        let document = roxmltree::Document::parse(&xml).unwrap();
        let failure = document.descendants().find(|node| node.has_tag_name("failure")).unwrap();
        assert_eq!(failure.attribute("message"), Some("It sent <b>\"&\u{fffd}\u{fffd}</b> to /x."));
        assert!(xml.contains(r#"tests="1" failures="1" errors="0" time="1.500""#), "{xml}");
        assert!(html(&verdicts).contains("<p>It sent &lt;b&gt;&quot;&amp;"), "{}", html(&verdicts));
    }
}
