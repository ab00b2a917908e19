//! Rendered lines per endpoint: those that exist with the table's rows and not without any, by row.
//! `cargo test -p xtask --test tasks lines:: -- --nocapture` prints them by file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::Endpoint;

const AT_MOST: f64 = 500.0;

/// The lines of each rendered file; of pages, those of a whole folder.
fn lines(rows: &'static [Endpoint]) -> BTreeMap<String, usize> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut lines = BTreeMap::new();
    for (path, text) in xtask::files_of(root, rows).unwrap() {
        let folder = "docs/endpoints";
        let of = if path.starts_with(folder) && path.ends_with(".md") { folder } else { &path };
        *lines.entry(of.to_owned()).or_default() += text.lines().count();
    }
    lines
}

#[test]
fn an_endpoint_costs_no_more_lines_than_it_must() {
    let (with, without) = (lines(ENDPOINTS), lines(&[]));
    let (mut told, mut total) = (String::new(), 0.0);
    for (of, lines) in with {
        let cost = (lines - without.get(&of).unwrap_or(&0)) as f64 / ENDPOINTS.len() as f64;
        writeln!(told, "{cost:6.1} {of}").unwrap();
        total += cost;
    }
    println!("{told}{total:6.1}");
    assert!(total <= AT_MOST, "an endpoint costs {total:.1} rendered lines instead of at most {AT_MOST}:\n{told}");
}
