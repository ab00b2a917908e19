//! The C++ that reads every typed member of every answer: C++ has no reflection.

use std::fmt::Write as _;

use paysvc_spec::schema::{AnswerKind, Endpoint, Member, typed};
use xtask::names::cpp::accessors;

/// Most elements of a list that are read.
const ELEMENTS: usize = 5;

/// The entries of a table: the name of an endpoint, and a function that puts the answer of a reply into a `dump`.
pub fn inc(rows: &[Endpoint]) -> String {
    let mut out = String::new();
    for row in rows {
        writeln!(out, "{{\"{}\", [](const paysvc::reply &of, dump &out) {{", row.name).unwrap();
        // An answer may have no typed member.
        writeln!(out, "    const paysvc::{}_answer v0(of); (void)v0; (void)out;", row.name).unwrap();
        members(&mut out, row.answer.members, 0);
        writeln!(out, "}}}},").unwrap();
    }
    out
}

/// Reads the members of the view `v0`, `v1`, ...
fn members(out: &mut String, all: &'static [Member], depth: usize) {
    let all: Vec<_> = typed(all).collect();
    let next = depth + 1;
    for (member, accessor) in all.iter().zip(accessors(&all)) {
        let name = member.name.replace('~', "~0").replace('/', "~1");
        let pointer = format!("v{depth}.pointer() + R\"(/{name})\"");
        match member.kind {
            AnswerKind::Object(below) => {
                writeln!(out, "{{ const auto v{next} = v{depth}.{accessor}(); out.object({pointer}, v{next});")
                    .unwrap();
                members(out, below, next);
            }
            AnswerKind::List(below) => {
                writeln!(out, "{{ const auto l{next} = v{depth}.{accessor}(); out.list({pointer}, l{next});").unwrap();
                writeln!(out, "std::size_t i{next} = 0; for (const auto v{next} : l{next}) {{").unwrap();
                writeln!(out, "if (i{next}++ == {ELEMENTS}) {{ break; }} out.object(v{next}.pointer(), v{next});")
                    .unwrap();
                members(out, below, next);
                writeln!(out, "}}").unwrap();
            }
            _ => {
                writeln!(out, "out.leaf({pointer}, v{depth}.{accessor}());").unwrap();
                continue;
            }
        }
        writeln!(out, "}}").unwrap();
    }
}
