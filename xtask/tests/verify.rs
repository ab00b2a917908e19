//! `gen --verify` fails on one changed byte in each file and on each missing file, and `gen` mends both.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// What is rendered only in part, between markers: the rest is written by hand, so it is neither verified nor mended.
const DOCUMENTS: &[(&str, &str)] = &[
    ("docs/calls.md", "<!-- operations -->\n"),
    ("docs/configuration.md", "<!-- settings -->\n"),
    ("docs/journal.md", "<!-- journal -->\n"),
    ("docs/keys.md", "<!-- sizes -->\n"),
    ("docs/linking.md", "<!-- platforms-short -->\n"),
    ("docs/platforms.md", "<!-- platforms -->\n"),
    ("docs/verdicts.md", "<!-- reading -->\n"),
];

/// What the rendered files are rendered from, beside the tables.
const SOURCES: &[&str] = &["cbindgen.toml", "src/ffi", "tests/scenarios.json"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    if from.is_dir() {
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs::copy(from, to).unwrap();
    }
}

fn gen_in(root: &Path, flags: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg("gen").args(flags).arg("--root").arg(root).output().unwrap()
}

#[track_caller]
fn passes(root: &Path, flags: &[&str]) -> String {
    let output = gen_in(root, flags);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn fails(root: &Path) -> String {
    let output = gen_in(root, &["--verify"]);
    assert!(!output.status.success(), "it passes");
    String::from_utf8(output.stderr).unwrap()
}

/// Where another letter is put in, and the line that is told: in the third line of what is rendered, or in the first of a
/// short file.
fn letter(path: &str, committed: &str) -> (usize, usize) {
    let document = DOCUMENTS.iter().find(|(document, _)| *document == path);
    let start = document.map_or(0, |(_, marker)| committed.find(marker).unwrap() + marker.len());
    let is_letter = |c: char| c.is_ascii_alphabetic();
    let third = committed[start..].match_indices('\n').nth(1).map(|(at, _)| start + at + 1);
    let line = third.filter(|&at| committed[at..].contains(is_letter)).unwrap_or(start);
    let at = line + committed[line..].find(is_letter).unwrap();
    (at, committed[..at].matches('\n').count() + 1)
}

/// All files at once: a run takes a while, and each tells of every file.
#[test]
fn one_changed_byte_or_a_missing_file_fails_and_gen_mends_it() {
    let tree = tempfile::tempdir().unwrap();
    let files = xtask::files(root()).unwrap();
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    for path in paths.iter().chain(SOURCES) {
        copy(&root().join(path), &tree.path().join(path));
    }
    passes(tree.path(), &[]);
    assert_eq!(passes(tree.path(), &["--verify"]), "");
    assert_eq!(passes(tree.path(), &[]), "", "gen writes only what differs");

    let all = || paths.iter().map(|path| fs::read_to_string(tree.path().join(path)).unwrap()).collect::<Vec<_>>();
    let committed = all();
    for (path, committed) in paths.iter().zip(&committed) {
        let mut changed = committed.clone().into_bytes();
        changed[letter(path, committed).0] ^= 1;
        fs::write(tree.path().join(path), &changed).unwrap();
    }
    let changed = all();
    let told = fails(tree.path());
    for (path, committed) in paths.iter().zip(&committed) {
        let place = format!("{path}:{}: ", letter(path, committed).1);
        assert_eq!(told.lines().filter(|line| line.contains(&place)).count(), 1, "{place}: {told}");
    }
    assert_eq!(told.lines().count(), paths.len() + 1, "{told}");
    assert_eq!(all(), changed, "--verify writes nothing");
    let written: String = paths.iter().map(|path| format!("gen: {path}\n")).collect();
    assert_eq!(passes(tree.path(), &[]), written);
    assert_eq!(all(), committed);

    // One of them alone.
    fs::write(tree.path().join(paths[1]), &changed[1]).unwrap();
    let told = fails(tree.path());
    assert!(told.contains(&format!("{}:", paths[1])) && told.lines().count() == 2, "{told}");
    fs::write(tree.path().join(paths[1]), &committed[1]).unwrap();

    // A file that is rendered only in part cannot be made again.
    for (path, _) in DOCUMENTS {
        let document = tree.path().join(path);
        let text = fs::read(&document).unwrap();
        fs::remove_file(&document).unwrap();
        assert!(fails(tree.path()).contains(&format!("{path}: ")));
        fs::write(&document, text).unwrap();
    }
    let rendered = || paths.iter().filter(|path| !DOCUMENTS.iter().any(|(document, _)| document == *path));
    rendered().for_each(|path| fs::remove_file(tree.path().join(path)).unwrap());
    let told = fails(tree.path());
    for path in rendered() {
        assert!(told.contains(&format!("{path}: ")), "{path}: {told}");
    }
    passes(tree.path(), &[]);
    assert_eq!(all(), committed);
}

/// The page of an endpoint that is gone.
#[test]
fn a_page_too_many_fails_and_gen_removes_it() {
    let tree = tempfile::tempdir().unwrap();
    for path in xtask::files(root()).unwrap().iter().map(|(path, _)| path.as_str()).chain(SOURCES.iter().copied()) {
        copy(&root().join(path), &tree.path().join(path));
    }
    let page = "docs/endpoints/made_up.md";
    fs::write(tree.path().join(page), "made up\n").unwrap();
    assert!(fails(tree.path()).contains(&format!("{page}: nothing renders this page any more")));
    assert_eq!(passes(tree.path(), &[]), format!("gen: {page}\n"));
    assert!(!tree.path().join(page).exists());
    passes(tree.path(), &["--verify"]);
}

#[test]
fn a_wrong_command_line_says_how_it_is_used() {
    for arguments in
        [&[][..], &["generate"], &["man"], &["man", "folder", "--verify"], &["gen", "--check"], &["gen", "--root"]]
    {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask")).args(arguments).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && told.contains("usage: cargo xtask gen"), "{told}");
    }
}
