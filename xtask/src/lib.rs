//! Renders what follows from the tables: committed files, and manual pages. The tests render for rows of their own.

#![forbid(unsafe_code)]

pub mod codegen;
pub mod documents;
pub mod generate;
mod header;
pub mod interface;
pub mod licences;
mod markers;
pub mod names;
pub mod released;
mod templates;
mod text;

use std::path::Path;

use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::Endpoint;

/// The committed files by path from the root.
pub fn files(root: &Path) -> Result<Vec<(String, String)>, String> {
    files_of(root, ENDPOINTS)
}

/// The same of a table with other rows.
pub fn files_of(root: &Path, rows: &'static [Endpoint]) -> Result<Vec<(String, String)>, String> {
    let header = header(root, rows)?;
    let nodes = released::nodes(root, &header)?;
    let mut files = vec![
        ("src/ffi/exports.rs", codegen::exports::render(rows)),
        ("src/ffi/exports.map", codegen::symbols::version_script(&nodes)),
        ("src/ffi/exports.def", codegen::symbols::module_definition(&nodes)),
        ("include/paysvc.h", header),
        ("bindings/go/generated.go", codegen::go::render(rows)),
        ("bindings/go/generated_answers.go", codegen::go::render_answers(rows)),
        ("bindings/go/webhook/generated.go", codegen::go::render_webhook()),
        (
            "bindings/go/postgres/generated.go",
            codegen::statements("generated_postgres.go", |number| format!("${number}")),
        ),
        ("bindings/cpp/paysvc_generated.hpp", codegen::cpp::render(rows)),
        ("bindings/python/src/paysvc/_generated.py", codegen::python::render("_generated.py", rows)),
        ("bindings/python/src/paysvc/_replies.py", codegen::python::render("_replies.py", rows)),
        ("bindings/python/src/paysvc/_answers.py", codegen::python::render("_answers.py", rows)),
        ("bindings/python/src/paysvc/_endpoints.py", codegen::python::render("_endpoints.py", rows)),
        ("bindings/python/src/paysvc/_statements.py", codegen::statements("_statements.py", |_| "%s".to_owned())),
        ("sandbox/python/src/paysvc_sandbox/_version.py", codegen::python::render_version()),
        ("docs/endpoints.md", codegen::endpoints::render(rows)),
    ];
    files.extend(documents::render(root, rows)?);
    let mut files: Vec<_> = files.into_iter().map(|(path, text)| (path.to_owned(), text)).collect();
    files.extend(codegen::endpoints::pages(rows, &codegen::requests::Requests::read(root)?)?);
    Ok(files)
}

/// The header with the functions of those rows.
pub fn header(root: &Path, rows: &[Endpoint]) -> Result<String, String> {
    header::render(root, &codegen::exports::documented(rows))
}
