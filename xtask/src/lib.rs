//! Renders what follows from the tables. `cargo xtask gen` writes the files; the tests render them for rows of their own.

#![forbid(unsafe_code)]

pub mod codegen;
mod documents;
pub mod header;
mod markers;
mod names;
mod templates;
mod text;

use std::path::Path;

use paysvc_spec::ENDPOINTS;

/// The committed files by path from the root.
pub fn files(root: &Path) -> Result<Vec<(&'static str, Vec<u8>)>, String> {
    let exports = codegen::exports::render(ENDPOINTS);
    let header = header::render(root, &exports)?;
    let mut files = vec![
        ("src/ffi/exports.rs", exports),
        ("include/paysvc.h", header),
        ("bindings/go/generated.go", codegen::go::render(ENDPOINTS)),
        ("bindings/cpp/paysvc_endpoints.hpp", codegen::cpp::render(ENDPOINTS)),
        ("bindings/python/src/paysvc/_generated.py", codegen::python::render(ENDPOINTS)),
        ("bindings/python/src/paysvc/_endpoints.py", codegen::python::render_endpoints(ENDPOINTS)),
    ];
    files.extend(documents::render(root)?);
    Ok(files.into_iter().map(|(path, text)| (path, text.into_bytes())).collect())
}
