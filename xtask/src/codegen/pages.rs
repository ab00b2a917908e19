//! The table of docs/calls.md, of the functions that choose their requests themselves, and that of the settings.

use paysvc_spec::operations::{OPERATIONS, Operation};
use paysvc_spec::schema::Field;
use paysvc_spec::settings;

use super::table;

pub fn operations() -> String {
    let member = |field: &Field| if field.required { format!("**{}**", field.name) } else { field.name.to_owned() };
    let line = |it: &Operation| {
        let members: Vec<_> = it.members.iter().map(member).collect();
        format!("| `paysvc_{}` | {} | {} |", it.name, it.doc, members.join(", "))
    };
    table("| function | | fields (**required**) |", OPERATIONS.iter().map(line))
}

pub fn settings() -> String {
    let line =
        |it: &Field| format!("| `{}` | `{}` | {} |", it.name, settings::variable(it.name), it.doc_with_default());
    table("| setting | variable | |", settings::CONFIG.iter().map(line))
}
