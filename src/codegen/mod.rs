//! From the tables to source text, for every language.
//!
//! Pure, and without dependencies: `build.rs` runs it, and a test compares what it gives with what is committed.

pub mod cpp;
pub mod exports;
pub mod go;
pub mod python;
pub mod readme;

use crate::endpoints::{ApiKey, Endpoint, Field, Kind};

/// The committed files that are rendered whole, by path from the root.
pub fn files(rows: &[Endpoint]) -> Vec<(&'static str, String)> {
    vec![
        ("bindings/go/generated.go", go::render(rows)),
        ("bindings/cpp/paysvc_endpoints.hpp", cpp::render(rows)),
        ("bindings/python/src/paysvc/_generated.py", python::render(rows)),
    ]
}

/// How a row is sent, in words: "public key, encrypted".
fn manner(row: &Endpoint) -> String {
    let key = match row.key {
        ApiKey::Public => "public key",
        ApiKey::Secret => "secret key",
    };
    let encrypted = if row.encrypted { ", encrypted" } else { "" };
    let repeated = if row.read_only() { ", only reads" } else { "" };
    format!("{key}{encrypted}{repeated}")
}

/// What a member of a request holds, in words.
fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "string",
        Kind::Integer => "integer",
        Kind::Amount => "string with a decimal amount in major units, e.g. \"100.10\"",
        Kind::Flag => "boolean",
        Kind::Any => "any",
        Kind::Object(_) => "object",
    }
}

/// The default of a setting: what its documentation has in parentheses.
fn default_of(settings: &[Field], name: &str) -> &'static str {
    let field = settings.iter().find(|field| field.name == name).expect("a setting");
    field.doc.rsplit_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).expect("a default in parentheses")
}
