//! `docs/verdicts.md` shows these lines. `cargo xtask gen` reads them from the source; here they are the ones that decide.

use std::fs;
use std::path::Path;

use super::{After, CHANGING, READING};
use paysvc_spec::status::name_of_outcome;

#[test]
fn the_documentation_shows_these_lines() {
    let document = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/verdicts.md")).unwrap();
    for (name, lines) in [("changing", CHANGING), ("reading", READING)] {
        let table = document.split_once(&format!("<!-- {name} -->\n")).expect("a marker before the table").1;
        let table = table.split_once(&format!("<!-- /{name} -->")).expect("a marker after the table").0;
        let shown: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(shown.len(), lines.len(), "{name}: run `cargo xtask gen`");
        for (shown, line) in shown.into_iter().zip(lines) {
            let state = if line.keeps_state { " |" } else { ", NONE |" };
            let outcome = format!("; {}{state}", name_of_outcome(line.outcome));
            let when = if let After::Only(when, _) = line.after_429 { when } else { "" };
            let same = shown.starts_with(&format!("| {} | {} | ", line.number, line.answer));
            assert!(same && shown.contains(&outcome) && shown.contains(when), "run `cargo xtask gen`: {shown}");
        }
    }
}
