//! `include/paysvc.h`, by cbindgen from the C boundary.

use std::io::Write as _;
use std::path::Path;

/// In the order of the header; the rendered exports stand between the two groups.
const SOURCES: [&[&str]; 2] =
    [&["types.rs"], &["client.rs", "call.rs", "reply.rs", "journal.rs", "json.rs", "store.rs"]];

/// The header with those exports.
pub fn render(root: &Path, exports: &str) -> Result<String, String> {
    // cbindgen reads files, and what is committed may be older than the tables.
    let failed = |error: std::io::Error| format!("a file for the exports: {error}");
    let mut rendered = tempfile::Builder::new().suffix(".rs").tempfile().map_err(failed)?;
    rendered.write_all(exports.as_bytes()).map_err(failed)?;
    with_exports(root, rendered.path())
}

fn with_exports(root: &Path, exports: &Path) -> Result<String, String> {
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml"))?;
    let mut builder = cbindgen::Builder::new().with_config(config);
    let [before, after] = SOURCES.map(|group| group.iter().map(|source| root.join("src/ffi").join(source)));
    for source in before.chain([exports.to_owned()]).chain(after) {
        builder = builder.with_src(source);
    }
    let mut header = Vec::new();
    builder.generate().map_err(|error| format!("the header: {error}"))?.write(&mut header);
    let header = String::from_utf8(header).map_err(|error| format!("the header: {error}"))?;
    Ok(with_calling_convention(&with_tags(&header)))
}

/// Structures get the name of their type as well, so that C++ can declare them ahead; cbindgen does that only together with
/// `struct` before every use.
fn with_tags(header: &str) -> String {
    const ANONYMOUS: &str = "typedef struct {";
    let mut parts = header.split(ANONYMOUS);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let name = part.split_once("\n} ").and_then(|(_, rest)| rest.split(';').next()).unwrap_or_default();
        out += &format!("typedef struct {name} {{{part}");
    }
    out
}

/// Functions and callbacks have the calling convention that the header defines; cbindgen supports none.
fn with_calling_convention(header: &str) -> String {
    const WORD: &str = "PAYSVC_CDECL ";
    let (mut out, mut is_open) = (String::new(), false);
    for line in header.lines() {
        // Later lines of a declaration are aligned with its first argument.
        if is_open && line.starts_with(' ') {
            out += &" ".repeat(WORD.len());
        }
        match function_name(line) {
            Some(at) => {
                out += &line[..at];
                out += WORD;
                out += &line[at..];
                is_open = true;
            }
            // A type, or a field of a structure.
            None if line.starts_with("typedef ") || line.starts_with("  ") => {
                out += &line.replace("(*", "(PAYSVC_CALLBACK *");
            }
            None => out += line,
        }
        is_open &= !line.ends_with(';');
        out.push('\n');
    }
    out
}

/// Where the name of the function that the line begins to declare stands.
fn function_name(line: &str) -> Option<usize> {
    if !line.starts_with(|c: char| c.is_ascii_lowercase()) || line.starts_with("typedef ") {
        return None;
    }
    let (head, _) = line.split_once('(')?;
    let at = head.rfind([' ', '*'])? + 1;
    head[at..].starts_with("paysvc_").then_some(at)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    #[test]
    fn every_exported_function_is_in_it() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let header = fs::read_to_string(root.join("include/paysvc.h")).unwrap();
        let files = fs::read_dir(root.join("src/ffi")).unwrap().map(|file| file.unwrap().path());
        for source in files.filter(|file| file.is_file()).map(|file| fs::read_to_string(file).unwrap()) {
            for after in source.split("extern \"C\" fn paysvc_").skip(1) {
                let name = after.split(['(', '<']).next().unwrap();
                assert!(header.contains(&format!(" paysvc_{name}(")), "paysvc_{name}: its file is not in SOURCES");
            }
        }
    }
}
