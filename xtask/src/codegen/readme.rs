//! README's tables: endpoints and settings.

use minijinja::{Value, context};
use paysvc_spec::schema::{Endpoint, Location};
use paysvc_spec::settings;

use super::{member, row};
use crate::templates;

pub fn endpoints(rows: &[Endpoint]) -> String {
    let of_row = |it: &Endpoint| {
        let members: Vec<Value> =
            it.fields.iter().map(|field| context! { required => field.required, ..member(field) }).collect();
        context! { members, key => it.key.name(), body => body(it), ..row(it) }
    };
    templates::render("readme_endpoints.md", context! { rows => rows.iter().map(of_row).collect::<Vec<_>>() })
}

/// How the body is sent; a row without members in the body has none.
pub fn body(row: &Endpoint) -> &'static str {
    match (row.encrypted, row.fields.iter().any(|field| field.location == Location::Body)) {
        (true, _) => "encrypted",
        (false, true) => "plain",
        (false, false) => "–",
    }
}

pub fn settings() -> String {
    let of =
        |field: &paysvc_spec::schema::Field| context! { variable => settings::variable(field.name), ..member(field) };
    templates::render(
        "readme_settings.md",
        context! { settings => settings::CONFIG.iter().map(of).collect::<Vec<_>>() },
    )
}
