//! A new endpoint takes two edits by hand, its row and its entry in `tests/scenarios.json`: `new_endpoint.diff` has every
//! line that follows from them, in every language. The row has all that a row may have, and names that mean something else
//! in C++, Go or Python, which no real row has.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::{Answer, ApiKey, Certainty, Endpoint, Field, Kind, Location, Member, Method, Safety, Wire};

const fn field(name: &'static str, kind: Kind, location: Location, required: bool) -> Field {
    Field { location, required, ..Field::optional(name, kind, DOC) }
}

const PAYEE: &[Field] = &[
    field("class", Kind::Text, Location::Body, true),
    field("otp", Kind::Text, Location::Body, false).secret(),
    field("bankId", Kind::Integer, Location::Body, true),
    field("price", Kind::Amount(Wire::Number), Location::Body, false),
];

const INNER: &[Member] = &[Member::integer("a-b", DOC), Member::integer("a_b", DOC), Member::object("value", &[], DOC)];

const DOC: &str = "what \"it\" is, \\ or \"\"\"not\"\"\"";

const LONG: &str = "what it is, and a good deal more about it, so that this text takes more than the one line that there is \
                    for it at the beginning of a docstring";

const ROW: Endpoint = Endpoint {
    name: "made_up",
    method: Method::Put,
    path: "/made/{batchId}/up",
    key: ApiKey::Secret,
    encrypted: true,
    headers: &[("encryption", "RSA")],
    fields: &[
        field("batchId", Kind::Text, Location::Path, true),
        field("from", Kind::Text, Location::Query, false),
        field("amount", Kind::Amount(Wire::Text), Location::Body, true),
        field("Weight", Kind::Integer, Location::Body, true),
        field("urgent", Kind::Flag, Location::Body, false),
        field("note", Kind::Any, Location::Body, false),
        field("payee", Kind::Object(PAYEE), Location::Body, true),
        field("nothing", Kind::Object(&[]), Location::Body, false),
        field("payees", Kind::List(PAYEE), Location::Body, true),
        // Objects of other requests have this name, and other fields.
        field("order", Kind::Object(PAYEE), Location::Body, false),
    ],
    allows_extra: true,
    safety: Safety::Moves,
    answer: Answer {
        members: &[
            Member::text("class", LONG),
            Member::integer("int", DOC),
            Member::amount("Decimal", DOC).nullable(),
            Member::decimal("str", DOC),
            Member::flag("std", DOC).certainty(Certainty::Reported),
            Member::time("datetime", DOC),
            Member::any("raw", DOC),
            Member::text("format", DOC),
            Member::text("Format", DOC),
            Member::integer("Present", DOC),
            Member::text("__init__", DOC),
            Member::text("self", DOC),
            Member::text("3ds", DOC),
            Member::text("_3ds", DOC),
            Member::text("a \"/~\\ \u{e9}?", DOC),
            Member::text("later", DOC).certainty(Certainty::Guessed),
            Member::object("around", INNER, DOC).certainty(Certainty::Guessed),
            Member::object("property", &[Member::text("property", DOC), Member::object("_leaf", INNER, DOC)], DOC),
            Member::list("tuple", &[Member::list("import", INNER, DOC), Member::object("at", INNER, DOC)], DOC),
            // Their classes would have one name.
            Member::object("x", &[Member::object("y_z", &[Member::text("None", DOC)], DOC)], DOC),
            Member::object("x_y", &[Member::object("z", &[Member::flag("t", DOC)], DOC)], DOC),
        ],
        ..Endpoint::ANSWER
    },
    doc: "Does what is made up.",
    ..Endpoint::ROW
};

const ENTRY: &str = r#"
    "made_up": {
      "setup": [],
      "request": {"batchId": "B", "amount": "1.50", "Weight": 3, "payee": {"class": "A", "bankId": 7}, "payees": []},
      "wire": ["PUT", "/made/{batchId}/up", "secret", "encrypted", "RSA"],
      "answer": {"status": true, "int": 7}
    },"#;

const SCENARIOS: &str = "tests/scenarios.json";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The tree, with the entry.
fn tree_with(entry: &str) -> tempfile::TempDir {
    let tree = tempfile::tempdir().unwrap();
    for name in ["Cargo.toml", "cbindgen.toml", "spec", "src", "docs"] {
        symlink(root().join(name), tree.path().join(name)).unwrap();
    }
    let (text, begin) = (fs::read_to_string(root().join(SCENARIOS)).unwrap(), "\"endpoints\": {");
    assert_eq!(text.matches(begin).count(), 1);
    fs::create_dir(tree.path().join("tests")).unwrap();
    fs::write(tree.path().join(SCENARIOS), text.replace(begin, &format!("{begin}{entry}"))).unwrap();
    tree
}

fn rows() -> &'static [Endpoint] {
    Vec::leak([ENDPOINTS, &[ROW]].concat())
}

/// The lines that differ, without their numbers, so that other rows may change.
fn difference(folder: &Path, old: &str, new: &str) -> String {
    let [one, other] = ["old", "new"].map(|name| folder.join(name));
    fs::write(&one, old).unwrap();
    fs::write(&other, new).unwrap();
    let output = Command::new("diff").args(["--minimal", "-U0"]).args([&one, &other]).output().expect("diff");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().skip_while(|line| !line.starts_with("@@"));
    lines.map(|line| if line.starts_with("@@") { "@@" } else { line }).map(|line| format!("{line}\n")).collect()
}

#[test]
fn every_line_that_follows_from_a_row_and_its_entry() {
    let tree = tree_with(ENTRY);
    let with = xtask::files_of(tree.path(), rows()).unwrap();
    let without: BTreeMap<String, String> = xtask::files(root()).unwrap().into_iter().collect();
    let mut found = String::new();
    for (path, text) in with {
        let old = without.get(&path).map_or("", String::as_str);
        if old != text {
            found += &format!("=== {path}\n{}", difference(tree.path(), old, &text));
        }
    }
    let snapshot = root().join("xtask/tests/new_endpoint.diff");
    if fs::read_to_string(&snapshot).unwrap_or_default() != found {
        let made = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("new_endpoint.diff");
        fs::write(&made, &found).unwrap();
        let mut diff = Command::new("diff");
        let told = diff.arg("-u").args([&snapshot, &made]).output().unwrap().stdout;
        let told: String = String::from_utf8_lossy(&told).lines().take(60).map(|line| format!("{line}\n")).collect();
        panic!("if that is right: cp {} {}\n{told}", made.display(), snapshot.display());
    }
}

#[test]
fn a_row_alone_is_refused() {
    let refused = xtask::files_of(tree_with("").path(), rows()).unwrap_err();
    assert_eq!(refused, format!("{SCENARIOS} has no endpoint made_up"));
}

/// The handlers of the sandbox, and the page that lists them: an endpoint without one is answered from its entry.
const HANDLERS: &[&str] = &["sandbox/src/service/built_in.rs", "sandbox/README.md"];

/// The files of the tree, without git, which a bare machine lacks.
fn files_below(folder: &Path, found: &mut Vec<String>) {
    const MADE: [&str; 4] = [".git", "build", "target", "__pycache__"];
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let is_made = MADE.iter().any(|name| path.ends_with(name));
        if path.is_symlink() || is_made {
            continue;
        }
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.extend(path.strip_prefix(root()).unwrap().to_str().map(str::to_owned));
        }
    }
}

/// A file that had to be edited for every new endpoint would name all of them, or all that move money.
#[test]
fn no_third_file_written_by_hand_names_every_endpoint() {
    let rendered: BTreeMap<String, String> = xtask::files(root()).unwrap().into_iter().collect();
    let mut files = Vec::new();
    files_below(root(), &mut files);
    let is_third = |path: &&str| {
        let known = ["spec/src/endpoints/", "spec/released/", SCENARIOS, "xtask/tests/new_endpoint.diff"];
        !rendered.contains_key(*path) && !HANDLERS.contains(path) && !known.iter().any(|known| path.starts_with(known))
    };
    let camel = |name: &str| -> String {
        name.split('_').map(|word| format!("{}{}", word[..1].to_uppercase(), &word[1..])).collect()
    };
    let names = |text: &str, row: &Endpoint| {
        let words = |name: &str| {
            text.match_indices(name).any(|(at, _)| {
                let goes_on = |c: char| c.is_ascii_alphanumeric() || c == '_';
                !text[at + name.len()..].starts_with(goes_on)
            })
        };
        words(row.name) || words(&camel(row.name)) || text.contains(row.path)
    };
    let moving: Vec<&Endpoint> = ENDPOINTS.iter().filter(|row| row.safety == Safety::Moves).collect();
    assert!(moving.len() > 4);
    let mut read = 0;
    for path in files.iter().map(String::as_str).filter(is_third) {
        let Ok(text) = fs::read_to_string(root().join(path)) else { continue };
        read += 1;
        let all = ENDPOINTS.iter().all(|row| names(&text, row)) || moving.iter().all(|row| names(&text, row));
        assert!(!all, "{path} names every endpoint: must a new one be added there, too?");
    }
    assert!(read > 300, "only {read} files");
}
