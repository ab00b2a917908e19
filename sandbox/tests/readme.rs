//! The README lists what the program has: endpoints, flags and admin calls. (Unit tests check its faults and effects.)

use std::collections::BTreeSet;

use crate::common::{Sandbox, command};
use serde_json::Value;

const README: &str = include_str!("../README.md");

/// The rows of the table with this head, as cells.
fn table(head: &str) -> Vec<Vec<String>> {
    let (_, rest) = README.split_once(&format!("{head}\n")).unwrap_or_else(|| panic!("no table {head}"));
    let rows = rest.lines().skip(1).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split(" | ").map(|cell| cell.trim().to_string()).collect()).collect()
}

/// `GET, POST /path`, without the query: the methods and the path.
fn method_and_path(cell: &str) -> (String, String) {
    let (methods, path) = cell.split_once(" `").unwrap();
    (methods.replace(" or ", ", "), path.split(['`', '?']).next().unwrap().to_string())
}

#[test]
fn endpoints() {
    let sandbox = Sandbox::start(&[]);
    let listed = sandbox.admin("endpoints")["endpoints"].as_array().unwrap().clone();
    let with_handler = listed.iter().filter(|endpoint| endpoint["canned"] == false);
    let expected: Vec<_> = with_handler
        .map(|endpoint| {
            let text = |member: &str| endpoint[member].as_str().unwrap().to_string();
            let header = match &endpoint["encryption_header"] {
                Value::Bool(true) => ", header `encryption: RSA`",
                Value::Bool(false) => "",
                other => &format!(", header `encryption: RSA` {}", other.as_str().unwrap()),
            };
            let body = text("envelope") + header;
            let shape = if endpoint["assumed"] == true { "assumed" } else { "documented" };
            ((text("method"), text("path")), text("key"), body, shape.to_string())
        })
        .collect();
    let written: Vec<_> = table("| method and path | API key | body | shape |")
        .iter()
        .map(|row| {
            let shape = row[3].split(' ').next().unwrap().to_string();
            (method_and_path(&row[0]), row[1].clone(), row[2].clone(), shape)
        })
        .collect();
    assert_eq!(written, expected);
}

#[test]
fn flags() {
    let flags = |text: &str| -> BTreeSet<String> {
        let words = text.split(|letter: char| !(letter.is_ascii_lowercase() || letter == '-'));
        words.filter(|word| word.starts_with("--") && word.len() > 2).map(str::to_string).collect()
    };
    let output = command(&["--help"]).output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let expected =
        flags(&help).into_iter().filter(|flag| flag != "--help" && flag != "--version").collect::<BTreeSet<_>>();
    let written: BTreeSet<_> = table("| flag | effect |").iter().flat_map(|row| flags(&row[0])).collect();
    assert!(expected.contains("--seed"), "{help}");
    assert_eq!(written, expected);
}

#[test]
fn admin_calls() {
    let sandbox = Sandbox::start(&[]);
    let rows = table("| call | effect |");
    let mut methods = std::collections::BTreeMap::<String, BTreeSet<String>>::new();
    for row in &rows {
        let (of_row, path) = method_and_path(&row[0]);
        methods.entry(path).or_default().extend(of_row.split(", ").map(str::to_string));
    }
    assert!(methods.contains_key("/sandbox/ledger"), "{methods:?}");
    for (path, expected) in methods {
        let answer = sandbox.send("PATCH", &path, &[], "").expect(405);
        let allowed: BTreeSet<_> = answer.header("allow").unwrap().split(", ").map(str::to_string).collect();
        assert_eq!(allowed, expected, "{path}");
    }
}
