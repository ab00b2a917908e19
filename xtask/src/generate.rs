//! Writes the rendered files, or compares them with what is committed.

use std::fs;
use std::path::Path;

use paysvc_platforms::files;

use crate::codegen::endpoints::PAGES;
use crate::codegen::{man, schema};

/// Writes files that are not current, removes pages of rows that are gone, and returns the paths of both.
pub fn write(root: &Path) -> Result<Vec<String>, String> {
    let files = crate::files(root)?;
    let left_over = others(root, PAGES, &files);
    let written = replace(root, &left_over, files)?;
    Ok([left_over, written].concat())
}

/// Makes the manual pages of the committed header in that folder, and removes those of functions that are gone.
pub fn man(root: &Path, folder: &Path) -> Result<(), String> {
    let pages = man::render(&files::read(&root.join("include/paysvc.h"))?);
    let left_over = ["man3", "man7"].map(|section| others(folder, section, &pages)).concat();
    replace(folder, &left_over, pages).map(|_| ())
}

/// `schema.json` in the folder.
pub fn schema(folder: &Path) -> Result<(), String> {
    replace(folder, &[], vec![("schema.json".to_owned(), schema::render())]).map(|_| ())
}

/// Removes what is left over and writes what differs, whose paths it returns.
fn replace(root: &Path, left_over: &[String], files: Vec<(String, String)>) -> Result<Vec<String>, String> {
    for path in left_over {
        files::remove(&root.join(path))?;
    }
    let mut written = Vec::new();
    for (path, text) in files {
        let file = root.join(&path);
        if fs::read(&file).ok().as_deref() == Some(text.as_bytes()) {
            continue;
        }
        files::write(&file, text)?;
        written.push(path);
    }
    Ok(written)
}

/// Fails on any difference, and names each file with its first line that differs.
pub fn verify(root: &Path) -> Result<(), String> {
    let files = crate::files(root)?;
    let mut different: Vec<String> = files
        .iter()
        .filter_map(|(path, text)| match fs::read(root.join(path)) {
            Ok(committed) => difference(&committed, text.as_bytes()).map(|what| format!("{path}{what}")),
            Err(error) => Some(format!("{path}: {error}")),
        })
        .collect();
    different
        .extend(others(root, PAGES, &files).iter().map(|path| format!("{path}: nothing renders this page any more")));
    match different.is_empty() {
        true => Ok(()),
        false => Err(format!("not what the tables render; run `cargo xtask gen`:\n  {}", different.join("\n  "))),
    }
}

/// Files in a folder of rendered files that are none of these.
fn others(root: &Path, folder: &str, files: &[(String, String)]) -> Vec<String> {
    // Before the first run there is no such folder.
    let entries = fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
    let there = entries.map(|entry| format!("{folder}/{}", entry.file_name().to_string_lossy()));
    there.filter(|path| !files.iter().any(|(rendered, _)| rendered == path)).collect()
}

/// The first line that differs.
fn difference(committed: &[u8], rendered: &[u8]) -> Option<String> {
    if committed == rendered {
        return None;
    }
    // With their ends, so that a missing one at the end of the file is a difference too.
    let lines = |text| <[u8]>::split_inclusive(text, |byte| *byte == b'\n').map(Some).chain(std::iter::repeat(None));
    let mut pairs = (1..).zip(lines(committed).zip(lines(rendered)));
    let (number, (found, expected)) = pairs.find(|(_, (found, expected))| found != expected)?;
    let told =
        |line: Option<&[u8]>| line.map_or("nothing".into(), |line| format!("{:?}", String::from_utf8_lossy(line)));
    Some(format!(":{number}: {} instead of {}", told(found), told(expected)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manual_pages_are_made_and_those_of_what_is_gone_are_removed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (gone, mine) = (folder.path().join("man3/paysvc_gone.3"), folder.path().join("man1/mine.1"));
        for page in [&gone, &mine] {
            fs::create_dir_all(page.parent().unwrap()).unwrap();
            fs::write(page, "").unwrap();
        }
        man(root, folder.path()).unwrap();
        assert!(!gone.exists() && mine.exists());
        assert!(fs::read_to_string(folder.path().join("man7/paysvc.7")).unwrap().contains("paysvc_order_create"));
    }

    #[test]
    fn the_first_line_that_differs_is_named() {
        for (committed, rendered, expected) in [
            ("a\nb\n", "a\nb\n", None),
            ("a\nx\ny\n", "a\nb\nc\n", Some(r#":2: "x\n" instead of "b\n""#)),
            ("a\n", "a\nb\n", Some(r#":2: nothing instead of "b\n""#)),
            ("a\nb\n", "a\n", Some(r#":2: "b\n" instead of nothing"#)),
            ("a", "a\n", Some(r#":1: "a" instead of "a\n""#)),
        ] {
            assert_eq!(difference(committed.as_bytes(), rendered.as_bytes()).as_deref(), expected);
        }
        // Not UTF-8: shown as well as it can be.
        assert!(difference(b"\xff\n", b"\xfe\n").is_some());
    }
}
