//! The table of docs/calls.md, of the functions that choose their requests themselves, and that of the settings.

use minijinja::{Value, context};
use paysvc_spec::operations::{OPERATIONS, Operation};
use paysvc_spec::schema::Field;
use paysvc_spec::settings;

use super::member;
use crate::templates;

pub fn operations() -> String {
    let of = |it: &Operation| {
        let members: Vec<Value> =
            it.members.iter().map(|field| context! { required => field.required, ..member(field) }).collect();
        context! { members, name => it.name, doc => it.doc }
    };
    let operations: Vec<Value> = OPERATIONS.iter().map(of).collect();
    templates::render("operations.md", context! { operations })
}

pub fn settings() -> String {
    let of = |field: &Field| context! { variable => settings::variable(field.name), ..member(field) };
    templates::render("settings.md", context! { settings => settings::CONFIG.iter().map(of).collect::<Vec<_>>() })
}
