//! The table in `docs/verdicts.md` is this one.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use super::{After, Again, CHANGING, Line, READING, Says};
use paysvc_spec::status::{Outcome, name_of, name_of_outcome};

fn says(line: &Line) -> String {
    let status = match line.status {
        Says::This(status) => name_of(status).to_owned(),
        Says::ValidationError => "E_UNAUTHORIZED (401, 403) or E_REJECTED".to_owned(),
        Says::Transport => "the transport's".to_owned(),
        Says::Broken => "E_RESPONSE, or the deadline's or the cancel's".to_owned(),
    };
    let state = if line.keeps_state { "" } else { ", NONE" };
    format!("{status}; {}{state}", name_of_outcome(line.outcome))
}

fn again(line: &Line) -> &'static str {
    match line.again {
        Again::No => "no",
        Again::Yes => "yes",
        Again::IfCut => "where the connection was cut, and with 429",
    }
}

fn after_429(line: &Line) -> String {
    match line.after_429 {
        After::Same => "same".to_owned(),
        After::Refused => "E_RATE_LIMITED; REJECTED: what the 429 proved".to_owned(),
        After::Only(when, _) => format!("{} if {when}; else E_RESPONSE; UNKNOWN", name_of_outcome(Outcome::Rejected)),
    }
}

fn table(lines: &[Line], with_429: bool) -> String {
    let mut out = String::from("| # | answer | status; outcome | sent again |");
    out.push_str(if with_429 { " after a 429 |\n|---|---|---|---|---|\n" } else { "\n|---|---|---|---|\n" });
    for line in lines {
        write!(out, "| {} | {} | {} | {} |", line.number, line.answer, says(line), again(line)).unwrap();
        if with_429 {
            write!(out, " {} |", after_429(line)).unwrap();
        }
        out.push('\n');
    }
    out
}

/// With PAYSVC_GENERATE set (`make generate`) it is written instead.
#[test]
fn the_documentation_shows_these_lines() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/verdicts.md");
    let text = fs::read_to_string(&path).unwrap();
    let mut made = text.clone();
    for (name, lines, with_429) in [("changing", CHANGING, true), ("reading", READING, false)] {
        let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
        let (head, rest) = made.split_once(&open).expect("the mark before the table");
        let (_, tail) = rest.split_once(&close).expect("the mark behind the table");
        made = format!("{head}{open}{}{close}{tail}", table(lines, with_429));
    }
    if env::var_os("PAYSVC_GENERATE").is_some() {
        fs::write(&path, &made).unwrap();
    } else {
        assert_eq!(text, made, "docs/verdicts.md is not current: run make generate");
    }
}
