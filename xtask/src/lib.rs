//! Renders what follows from the tables. `cargo xtask gen` writes the files; the tests render them for rows of their own.

#![forbid(unsafe_code)]

pub mod codegen;
mod header;
mod readme;

use std::path::Path;

/// The committed files by path from the root.
pub fn files(root: &Path) -> Result<Vec<(&'static str, Vec<u8>)>, String> {
    let exports = codegen::exports::render(paysvc_spec::ENDPOINTS);
    let header = header::render(root, &exports)?;
    let mut files = vec![("src/ffi/exports.rs", exports.into_bytes()), ("include/paysvc.h", header)];
    files.extend(codegen::files(paysvc_spec::ENDPOINTS).into_iter().map(|(path, text)| (path, text.into_bytes())));
    files.push(("README.md", readme::render(root)?.into_bytes()));
    Ok(files)
}
