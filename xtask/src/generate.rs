//! Writes the rendered files, or compares them with what is committed.

use std::fs;
use std::path::Path;

use crate::codegen::{endpoints, man};

/// The folders that contain only rendered files.
const FOLDERS: [&str; 3] = [endpoints::PAGES, man::FOLDERS[0], man::FOLDERS[1]];

/// Writes files that are not current, removes pages of rows that are gone, and returns the paths of both.
pub fn write(root: &Path) -> Result<Vec<String>, String> {
    let files = crate::files(root)?;
    let mut written = left_over(root, &files);
    for path in &written {
        fs::remove_file(root.join(path)).map_err(|error| format!("{path}: {error}"))?;
    }
    for (path, text) in files {
        let file = root.join(&path);
        if fs::read(&file).ok().as_deref() == Some(text.as_bytes()) {
            continue;
        }
        let folder = file.parent().expect("a file in a folder");
        fs::create_dir_all(folder).and_then(|()| fs::write(&file, text)).map_err(|error| format!("{path}: {error}"))?;
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
    different.extend(left_over(root, &files).iter().map(|path| format!("{path}: nothing renders this page any more")));
    match different.is_empty() {
        true => Ok(()),
        false => Err(format!("not what the tables render; run `cargo xtask gen`:\n  {}", different.join("\n  "))),
    }
}

/// Files in a folder of rendered pages that are not rendered pages.
fn left_over(root: &Path, files: &[(String, String)]) -> Vec<String> {
    let there = FOLDERS.iter().flat_map(|folder| {
        // Before the first run there is no such folder.
        let entries = fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
        entries.map(move |entry| format!("{folder}/{}", entry.file_name().to_string_lossy()))
    });
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
    fn a_page_of_what_is_gone_is_left_over() {
        let root = tempfile::tempdir().unwrap();
        let files = ["docs/endpoints/a.md", "docs/man/man3/a.3"].map(|path| (path.to_owned(), String::new()));
        assert_eq!(left_over(root.path(), &files), [""; 0]);
        for path in ["docs/endpoints/a.md", "docs/endpoints/b.md", "docs/man/man3/a.3", "docs/man/man3/b.3"] {
            fs::create_dir_all(root.path().join(path).parent().unwrap()).unwrap();
            fs::write(root.path().join(path), "").unwrap();
        }
        assert_eq!(left_over(root.path(), &files), ["docs/endpoints/b.md", "docs/man/man3/b.3"]);
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
