//! README's tables: endpoints, the functions that choose their requests themselves, and settings.

use minijinja::{Value, context};
use paysvc_spec::operations::{OPERATIONS, Operation};
use paysvc_spec::schema::{Endpoint, Field};
use paysvc_spec::settings;

use super::{member, row, sent_body};
use crate::templates;

pub fn endpoints(rows: &[Endpoint]) -> String {
    let of_row = |it: &Endpoint| {
        let members: Vec<Value> =
            it.fields.iter().map(|field| context! { required => field.required, ..member(field) }).collect();
        context! { members, key => it.key.name(), body => sent_body(it), ..row(it) }
    };
    templates::render("readme_endpoints.md", context! { rows => rows.iter().map(of_row).collect::<Vec<_>>() })
}

pub fn operations() -> String {
    let of = |it: &Operation| {
        let members: Vec<Value> =
            it.members.iter().map(|field| context! { required => field.required, ..member(field) }).collect();
        context! { members, name => it.name, doc => it.doc }
    };
    let operations: Vec<Value> = OPERATIONS.iter().map(of).collect();
    templates::render("readme_operations.md", context! { operations })
}

pub fn settings() -> String {
    let of = |field: &Field| context! { variable => settings::variable(field.name), ..member(field) };
    templates::render(
        "readme_settings.md",
        context! { settings => settings::CONFIG.iter().map(of).collect::<Vec<_>>() },
    )
}
