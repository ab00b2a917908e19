//! `gen --verify` fails on one changed byte in each file and on each missing file, and `gen` mends both.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use xtask::documents::DOCUMENTS;

/// The sources of the rendered files, beside the tables.
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

/// Where another letter is put in: the first of a file, or of what is rendered in it.
fn letter(path: &str, committed: &str) -> usize {
    let document = DOCUMENTS.iter().find(|(document, _)| *document == path);
    let start = document.map_or(0, |(_, parts)| {
        let marker = format!("<!-- {} -->\n", parts[0]);
        committed.find(&marker).unwrap() + marker.len()
    });
    start + committed[start..].find(|c: char| c.is_ascii_alphabetic()).unwrap()
}

/// All files at once: a run takes a while, and each reports every file.
#[test]
fn one_changed_byte_or_a_missing_file_or_page_too_many_fails_and_gen_mends_it() {
    let tree = tempfile::tempdir().unwrap();
    let files = xtask::files(root()).unwrap();
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    for path in paths.iter().chain(SOURCES) {
        copy(&root().join(path), &tree.path().join(path));
    }
    assert_eq!(passes(tree.path(), &["--verify"]), "");

    let all = || paths.iter().map(|path| fs::read_to_string(tree.path().join(path)).unwrap()).collect::<Vec<_>>();
    let committed = all();
    for (path, committed) in paths.iter().zip(&committed) {
        let mut changed = committed.clone().into_bytes();
        changed[letter(path, committed)] ^= 1;
        fs::write(tree.path().join(path), &changed).unwrap();
    }
    let page = "docs/endpoints/made_up.md";
    fs::write(tree.path().join(page), "made up\n").unwrap();
    let changed = all();
    let told = fails(tree.path());
    for (path, committed) in paths.iter().zip(&committed) {
        let line = committed[..letter(path, committed)].matches('\n').count() + 1;
        assert_eq!(told.matches(&format!("{path}:{line}: ")).count(), 1, "{path}:{line}: {told}");
    }
    assert!(told.contains(&format!("{page}: nothing renders this page any more")), "{told}");
    assert_eq!(told.lines().count(), paths.len() + 2, "{told}");
    assert_eq!(all(), changed, "--verify writes nothing");
    let written: String = [page].iter().chain(&paths).map(|path| format!("gen: {path}\n")).collect();
    assert_eq!(passes(tree.path(), &[]), written);
    assert_eq!(all(), committed);
    assert!(!tree.path().join(page).exists());
    assert_eq!(passes(tree.path(), &[]), "", "gen writes only what differs");

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
