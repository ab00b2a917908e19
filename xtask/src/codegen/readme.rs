//! README's tables: endpoints and settings.

use std::fmt::Write as _;

use paysvc_spec::schema::{Endpoint, Location};
use paysvc_spec::settings;

pub fn render(rows: &[Endpoint]) -> String {
    let mut out = String::from("| function | request | key | body | members (**required**) |\n|---|---|---|---|---|\n");
    for row in rows {
        let names: Vec<_> = row
            .fields
            .iter()
            .map(|field| if field.required { format!("**{}**", field.name) } else { field.name.to_owned() })
            .collect();
        let open = if row.allows_extra { ", …" } else { "" };
        let body = match (row.encrypted, row.fields.iter().any(|field| field.location == Location::Body)) {
            (true, _) => "encrypted",
            (false, true) => "plain",
            (false, false) => "–",
        };
        let key = row.key.setting().trim_end_matches("_key");
        writeln!(
            out,
            "| `paysvc_{}` | {} {} | {key} | {body} | {}{open} |",
            row.name,
            row.method.name(),
            row.path,
            names.join(", ")
        )
        .unwrap();
    }
    out
}

pub fn settings() -> String {
    let mut out = String::from("| member | variable | |\n|---|---|---|\n");
    for field in settings::CONFIG {
        writeln!(out, "| `{}` | `{}` | {} |", field.name, settings::variable(field.name), field.doc_with_default())
            .unwrap();
    }
    out
}
