//! The modules that each module may import, and those that may have `unsafe` code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each room, and what it may import of others: a whole room, or only some of its modules. The order is that of the
/// layers, so there is no cycle.
const ALLOWED: &[(&str, &[&str])] = &[
    ("util", &[]),
    ("json", &["util"]),
    ("wire::sys", &["util"]),
    ("call", &["util", "json", "wire::sys"]),
    ("config", &["util", "json"]),
    ("wire", &["util", "call", "config"]),
    ("request", &["util", "json", "config"]),
    ("ledger", &["util", "json", "call", "request::record"]),
    ("answer", &["util", "json", "wire::answer", "wire::error", "request::names", "request::secrets"]),
    ("flow", &["util", "json", "call", "config", "wire", "request", "answer", "ledger"]),
    // For the fuzzer and for tests only, so nothing else can import it.
    ("fuzzing", &["util", "json", "config", "wire::answer", "wire::error", "request", "answer", "flow"]),
    (
        "ffi",
        &[
            "util",
            "json",
            "call",
            "answer::paid",
            "answer::reply",
            "answer::summary",
            "ledger::store",
            "flow",
            "fuzzing",
        ],
    ),
];

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            sources(&entry.path(), found);
        } else if entry.path().extension().is_some_and(|extension| extension == "rs") {
            found.push(entry.path());
        }
    }
}

/// Every path in the source that starts with `crate::`, as far as it goes.
fn crate_paths(source: &str) -> BTreeSet<String> {
    let code: String = source.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join(" ");
    let end = |rest: &str| rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').unwrap_or(rest.len());
    let paths = code.match_indices("crate::").map(|(at, start)| &code[at + start.len()..]);
    paths.map(|rest| rest[..end(rest)].to_owned()).collect()
}

fn is_allowed(path: &str, room: &str, imports: &[&str]) -> bool {
    let below = |module: &str| path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
    below(room) || imports.iter().any(|module| below(module))
}

#[test]
fn every_room_imports_only_what_it_may() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    let mut checked = 0;
    for (room, imports) in ALLOWED {
        let mut files = Vec::new();
        sources(&root.join(room.replace("::", "/")), &mut files);
        for file in files {
            // A room within the room has its own imports.
            let is_within = |(other, _): &(&str, &[&str])| {
                other.starts_with(&format!("{room}::")) && file.starts_with(root.join(other.replace("::", "/")))
            };
            if ALLOWED.iter().any(is_within) {
                continue;
            }
            for path in crate_paths(&fs::read_to_string(&file).unwrap()) {
                checked += 1;
                if !is_allowed(&path, room, imports) {
                    wrong.push(format!("{} imports crate::{path}", file.strip_prefix(&root).unwrap().display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 100, "only {checked} imports found");
}

/// The places where `unsafe` may stand: folders end with a slash.
const UNSAFE: [&str; 2] = ["ffi/", "wire/sys/windows.rs"];

/// The words of the source, without comments and texts in quotes.
fn words(source: &str) -> BTreeSet<&str> {
    let code = source.lines().map(|line| line.split("//").next().unwrap_or_default());
    let unquoted = code.flat_map(|line| line.split('"').step_by(2));
    unquoted.flat_map(|code| code.split(|c: char| !c.is_alphanumeric() && c != '_')).collect()
}

/// The compiler refuses it where it is not allowed; this checks where it is allowed.
#[test]
fn unsafe_code_is_where_it_may_be() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let (mut allowing, mut with_unsafe) = (BTreeSet::new(), BTreeSet::new());
    for file in files {
        let source = fs::read_to_string(&file).unwrap();
        let name = file.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        let is_allowed = |place: &str| name == place || place.ends_with('/') && name.starts_with(place);
        let words = words(&source);
        if words.contains("unsafe") {
            with_unsafe.extend(UNSAFE.iter().filter(|place| is_allowed(place)));
            assert!(UNSAFE.iter().any(|place| is_allowed(place)), "{name} has unsafe code");
        }
        if words.contains("unsafe_code") {
            allowing.insert(name);
        }
    }
    assert_eq!(with_unsafe, BTreeSet::from(UNSAFE.each_ref()));
    // The crate denies it, and the parents of the two places allow it there.
    assert_eq!(allowing, BTreeSet::from(["lib.rs", "wire/sys/mod.rs"].map(str::to_owned)));
}

#[test]
fn finds_unsafe_only_in_code() {
    let source = "// unsafe\n/// `unsafe` code\nfn f(unsafe_code: &str) { g(\"unsafe\") }";
    assert!(!words(source).contains("unsafe") && words("x = unsafe{1}").contains("unsafe"));
}

#[test]
fn every_folder_is_a_room() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folders = fs::read_dir(root).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_dir());
    let folders: BTreeSet<String> = folders.map(|entry| entry.file_name().into_string().unwrap()).collect();
    let outer = ALLOWED.iter().filter(|(room, _)| !room.contains("::"));
    let rooms: BTreeSet<String> = outer.map(|(room, _)| (*room).to_owned()).collect();
    assert_eq!(folders, rooms);
}

#[test]
fn the_allowed_imports_have_no_cycle() {
    for (index, (room, imports)) in ALLOWED.iter().enumerate() {
        for import in *imports {
            assert!(
                ALLOWED[..index].iter().any(|(below, _)| is_allowed(import, below, &[])),
                "{room} imports {import}"
            );
        }
    }
}

#[test]
fn finds_imports_wherever_they_stand() {
    let source = "use crate::flow::Client;\n// crate::comment\nfn f() { crate::ffi::g(); }\nuse crate::util::{a, b};";
    let paths: Vec<_> = crate_paths(source).into_iter().collect();
    assert_eq!(paths, ["ffi::g", "flow::Client", "util::"]);
    assert!(is_allowed("util::", "wire", &["util"]) && is_allowed("wire::stream", "wire", &["util"]));
    assert!(!is_allowed("flow::config", "wire", &["util"]));
    assert!(!is_allowed("wire::stream", "answer", &["wire::answer"]));
    assert!(!is_allowed("wire", "answer", &["wire::answer"]) && !is_allowed("utility", "flow", &["util"]));
}
