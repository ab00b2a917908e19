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

/// Callbacks have the calling convention that the header defines; cbindgen knows none.
fn with_calling_convention(header: &str) -> String {
    header.replace("(*paysvc_", "(PAYSVC_CALLBACK *paysvc_")
}
