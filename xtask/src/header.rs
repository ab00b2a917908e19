//! `include/paysvc.h`, by cbindgen from the C boundary.

use std::io::Write as _;
use std::path::Path;

/// In the order of the header; the rendered exports stand between the two groups.
const SOURCES: [&[&str]; 2] =
    [&["types.rs", "names.rs"], &["client.rs", "call.rs", "reply.rs", "reference.rs", "json.rs"]];

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
    Ok(with_calling_convention(&header))
}

/// Functions and callbacks have the calling convention that the header defines; cbindgen knows none.
fn with_calling_convention(header: &str) -> String {
    const WORD: &str = "PAYSVC_CDECL ";
    let (mut out, mut is_open) = (String::new(), false);
    for line in header.lines() {
        // What follows in a declaration is aligned with its first argument.
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
            None => out += &line.replace("(*paysvc_", "(PAYSVC_CALLBACK *paysvc_"),
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
    #[test]
    fn functions_and_callbacks_have_a_calling_convention() {
        let header = "/* paysvc_no(x); */\ntypedef void (*paysvc_log_fn)(void *userdata);\nconst char *paysvc_a(void);\n\
                      int paysvc_b(int a,\n             int b);\n * paysvc_no(x);\n";
        let expected = "/* paysvc_no(x); */\ntypedef void (PAYSVC_CALLBACK *paysvc_log_fn)(void *userdata);\n\
                        const char *PAYSVC_CDECL paysvc_a(void);\n\
                        int PAYSVC_CDECL paysvc_b(int a,\n                          int b);\n * paysvc_no(x);\n";
        assert_eq!(super::with_calling_convention(header), expected);
    }
}
