//! The report: text, a page that loads nothing, and JUnit XML.

use std::path::Path;
use std::time::Duration;

use super::scenario::{Scenario, Seen};
use crate::admin::index::escaped;
use crate::util::named::named;

named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Judgement {
        Passed = "passed",
        Failed = "FAILED",
        /// The client did not come as far as the scenario looks.
        NotTested = "not tested",
        Skipped = "skipped",
    }
}

#[derive(Debug)]
pub struct Verdict {
    pub scenario: &'static Scenario,
    judgement: Judgement,
    /// The request that was refused first, and why.
    refused: Option<String>,
    /// The client's mistakes; or the reason why nothing was judged.
    findings: Vec<String>,
    took: Duration,
}

impl Verdict {
    /// `ended`: what is wrong with how the command ended.
    pub fn of(scenario: &'static Scenario, seen: &Seen, ended: Vec<String>, took: Duration) -> Verdict {
        let is_tested = scenario.is_tested(seen);
        let refused = seen.refused().filter(|_| !is_tested);
        let wrong: Vec<String> = scenario.of_requests.iter().filter_map(|check| check(seen)).collect();
        // The consequences of a refusal, or of a fault that did not act, are no mistake of the client.
        if !is_tested && wrong.is_empty() && (refused.is_some() || scenario.has_fault()) {
            let why = || "No request of the client met the fault: does it send the reference of the task?".to_string();
            let findings = if refused.is_some() { ended } else { [vec![why()], ended].concat() };
            return Verdict { scenario, judgement: Judgement::NotTested, refused, findings, took };
        }
        let silent = seen.told.is_none().then(|| "It did not tell whether the order is paid.".to_string());
        let judged = scenario.checks.iter().filter(|_| is_tested || refused.is_none()).filter_map(|check| check(seen));
        let findings: Vec<String> = wrong.into_iter().chain(judged).chain(ended).chain(silent).collect();
        let judgement = if findings.is_empty() { Judgement::Passed } else { Judgement::Failed };
        Verdict { scenario, judgement, refused, findings, took }
    }

    pub fn skipped(scenario: &'static Scenario, why: &str) -> Verdict {
        let (findings, took) = (vec![why.to_string()], Duration::ZERO);
        Verdict { scenario, judgement: Judgement::Skipped, refused: None, findings, took }
    }

    /// A certificate needs every scenario that was not left out on purpose.
    pub fn is_fine(&self) -> bool {
        matches!(self.judgement, Judgement::Passed | Judgement::Skipped)
    }

    pub fn word(&self) -> &'static str {
        self.judgement.name()
    }
}

fn count(verdicts: &[Verdict], judgement: Judgement) -> usize {
    verdicts.iter().filter(|verdict| verdict.judgement == judgement).count()
}

pub fn sum(verdicts: &[Verdict]) -> String {
    let [passed, not_tested, skipped] =
        [Judgement::Passed, Judgement::NotTested, Judgement::Skipped].map(|judgement| count(verdicts, judgement));
    let mut sum = format!("{passed} of {} scenarios passed", verdicts.len() - skipped);
    for (count, word) in [(not_tested, "not tested"), (skipped, "skipped")] {
        if count > 0 {
            sum += &format!(", {count} {word}");
        }
    }
    sum
}

/// The refused requests, each once, with the number of scenarios: they explain most of the rest.
fn refusals(verdicts: &[Verdict]) -> Vec<String> {
    let all: Vec<&String> = verdicts.iter().filter_map(|verdict| verdict.refused.as_ref()).collect();
    let mut refusals: Vec<String> = Vec::new();
    for refused in &all {
        let times = all.iter().filter(|other| other == &refused).count();
        let line = format!("{refused} ({times} scenarios)").replace("(1 scenarios)", "(1 scenario)");
        if !refusals.contains(&line) {
            refusals.push(line);
        }
    }
    refusals
}

const LEAD: &str = "The sandbox refused requests of this client. Mend this first:";

pub fn text(verdicts: &[Verdict]) -> String {
    let refusals: String = refusals(verdicts).iter().map(|line| format!("  {line}\n")).collect();
    let lead = if refusals.is_empty() { String::new() } else { format!("{LEAD}\n{refusals}\n") };
    let verdicts_text: String = verdicts.iter().map(text_of).collect();
    format!("{lead}{verdicts_text}{}\n", sum(verdicts))
}

fn text_of(verdict: &Verdict) -> String {
    let Scenario { name, task, loses, mend, .. } = verdict.scenario;
    let mut text = format!("{} {name}\n", verdict.word());
    if let Some(refused) = &verdict.refused {
        text += &format!("  refused: {refused}\n");
    }
    let findings = |label: &str| verdict.findings.iter().map(|it| format!("  {label} {it}\n")).collect::<String>();
    match verdict.judgement {
        Judgement::Passed => {}
        Judgement::NotTested | Judgement::Skipped => text += &findings("why:"),
        Judgement::Failed => {
            text += &format!("  task: {}\n{}", task.instruction(), findings("seen:"));
            text += &format!("  why:  {loses}\n  mend: {mend}\n");
        }
    }
    text
}

pub fn write(folder: &Path, verdicts: &[Verdict]) -> Result<(), String> {
    let problem = |path: &Path, error: std::io::Error| format!("certify: {}: {error}", path.display());
    std::fs::create_dir_all(folder).map_err(|error| problem(folder, error))?;
    let files = [("txt", text(verdicts)), ("html", html(verdicts)), ("xml", junit(verdicts))];
    for (ending, text) in files {
        let path = folder.join(format!("certificate.{ending}"));
        std::fs::write(&path, text).map_err(|error| problem(&path, error))?;
    }
    Ok(())
}

fn html(verdicts: &[Verdict]) -> String {
    let row = |verdict: &Verdict| {
        let Scenario { name, task, loses, mend, .. } = verdict.scenario;
        let seen = verdict.refused.iter().chain(&verdict.findings);
        let seen: String = seen.map(|finding| format!("<p>{}", escaped(finding))).collect();
        let (why, how) = if verdict.judgement == Judgement::Failed { (*loses, *mend) } else { ("", "") };
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
    let refusals: String = refusals(verdicts).iter().map(|line| format!("<li>{}", escaped(line))).collect();
    let lead = if refusals.is_empty() { String::new() } else { format!("<p>{LEAD}\n<ul>{refusals}</ul>\n") };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>paysvc-sandbox certify: {sum}</title>\n<style>:root{{color-scheme:light dark}}body{{font-family:sans-serif;margin:2em}}\
         table{{border-collapse:collapse}}td,th{{text-align:left;vertical-align:top;padding:.4em 1em .4em 0;border-bottom:1px solid GrayText}}\
         p{{margin:0 0 .4em}}.FAILED td:first-child{{font-weight:bold}}</style>\n<h1>{sum}</h1>\n{lead}\
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
        // Not tested: it could not be run as the scenario requires.
        let element = match verdict.judgement {
            Judgement::Passed => return format!("  {head}/>\n"),
            Judgement::Failed => "failure",
            Judgement::NotTested => "error",
            Judgement::Skipped => "skipped",
        };
        let first = verdict.refused.iter().chain(&verdict.findings).next().map_or("", String::as_str);
        let text = xml(&text_of(verdict));
        format!("  {head}><{element} message=\"{}\">{text}</{element}></testcase>\n", xml(first))
    };
    let cases: String = verdicts.iter().map(case).collect();
    let [failures, errors, skipped] =
        [Judgement::Failed, Judgement::NotTested, Judgement::Skipped].map(|judgement| count(verdicts, judgement));
    let time = seconds(verdicts.iter().map(|verdict| verdict.took).sum());
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"paysvc-sandbox certify\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{time}\">\n{cases}</testsuite>\n",
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
    use super::*;
    use crate::certify::scenario::SCENARIOS;

    #[test]
    fn what_a_client_sent_cannot_break_the_reports() {
        let findings = vec!["It sent <b>\"&\u{1}\u{ffff}</b> to /x.".to_string()];
        let (judgement, took) = (Judgement::Failed, Duration::from_millis(1500));
        let verdicts = [Verdict { scenario: &SCENARIOS[0], judgement, refused: None, findings, took }];
        let xml = junit(&verdicts);
        let document = roxmltree::Document::parse(&xml).unwrap();
        let failure = document.descendants().find(|node| node.has_tag_name("failure")).unwrap();
        assert_eq!(failure.attribute("message"), Some("It sent <b>\"&\u{fffd}\u{fffd}</b> to /x."));
        assert!(xml.contains(r#"tests="1" failures="1" errors="0" skipped="0" time="1.500""#), "{xml}");
        assert!(html(&verdicts).contains("<p>It sent &lt;b&gt;&quot;&amp;"), "{}", html(&verdicts));
    }
}
