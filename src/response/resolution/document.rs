//! `docs/verdicts.md` shows these lines. `cargo xtask gen` reads them from the source; here they are the ones that decide.

use std::fs;
use std::path::Path;

use super::{Keeps, LINES};
use paysvc_spec::status::name_of_outcome;

#[test]
fn the_documentation_shows_these_lines() {
    let document = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/verdicts.md")).unwrap();
    let table = document.split_once("<!-- resolving -->\n").expect("a marker before the table").1;
    let table = table.split_once("<!-- /resolving -->").expect("a marker after the table").0;
    let shown: Vec<&str> = table.lines().skip(2).collect();
    assert_eq!(shown.len(), LINES.len(), "run `cargo xtask gen`");
    for (shown, line) in shown.into_iter().zip(LINES) {
        let start = format!("| {} | ", line.number);
        let state = if line.state == Keeps::Nothing { "NONE" } else { "" };
        let outcome = format!("; {}, {state}", name_of_outcome(line.outcome));
        let again = if line.again { "| yes |" } else { "| no |" };
        let same = shown.starts_with(&start)
            && shown.contains(&format!(" | {} | ", line.answer))
            && shown.contains(&outcome)
            && shown.ends_with(again);
        assert!(same, "run `cargo xtask gen`: {shown}");
    }
}
