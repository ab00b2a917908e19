//! `src/ffi/exports.rs`: constants, and the functions of the endpoints.

use minijinja::{Value, context};
use paysvc_spec::schema::{Endpoint, Field};
use paysvc_spec::settings;
use paysvc_spec::status::{ABI, Constant};

use super::{NUMBERS, flat, member, row};
use crate::templates;

pub fn render(rows: &[Endpoint]) -> String {
    let constants: Vec<Value> = NUMBERS
        .iter()
        .flat_map(|numbers| {
            numbers
                .table
                .iter()
                .map(|&Constant { name, number, doc }| context! { kind => numbers.kind, name, number, doc })
        })
        .collect();
    let rows: Vec<Value> = rows.iter().map(|it| context! { members => members(it.fields), ..row(it) }).collect();
    let context = context! {
        abi => ABI,
        environment => settings::ENVIRONMENT,
        constants,
        config => members(settings::CONFIG),
        request => members(settings::REQUEST),
        rows,
    };
    templates::render("exports.rs", context)
}

fn members(fields: &'static [Field]) -> Vec<Value> {
    let each = flat(fields).into_iter();
    each.map(|(depth, field)| context! { indent => "  ".repeat(depth + 1), ..member(field) }).collect()
}
