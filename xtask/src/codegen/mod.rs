//! From the tables to source text, for every language.
//!
//! Pure.

pub mod cpp;
pub mod exports;
pub mod go;
pub mod python;
pub mod readme;

use paysvc_spec::schema::{ApiKey, Default, Endpoint, Kind};

/// The committed files that are rendered whole, by path from the root.
pub fn files(rows: &[Endpoint]) -> Vec<(&'static str, String)> {
    vec![
        ("bindings/go/generated.go", go::render(rows)),
        ("bindings/cpp/paysvc_endpoints.hpp", cpp::render(rows)),
        ("bindings/python/src/paysvc/_generated.py", python::render(rows)),
        ("bindings/python/src/paysvc/_endpoints.py", python::render_endpoints(rows)),
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
    kind.name()
}

/// The default of a setting that is a number.
fn default_of(name: &str) -> u64 {
    match paysvc_spec::settings::setting(name).default {
        Default::Number { value, .. } => value,
        other => panic!("{name} has the default {other:?}"),
    }
}
