//! `src/ffi/exports.rs`: constants, and the functions of the endpoints. Their comments are rendered for the header only.

use minijinja::{Value, context};
use paysvc_spec::checks::Check;
use paysvc_spec::journal::Step;
use paysvc_spec::operations::{INVOKED, InvokeFunction, OPERATIONS, Operation};
use paysvc_spec::schema::{Endpoint, Field, Kind};
use paysvc_spec::settings;
use paysvc_spec::status::{
    ABI, AMOUNTS, CONTINUE, Constant, JSON_TYPES, STORE_DONE, STORE_EXISTS, VERSION, VERSION_NUMBER,
};

use super::{NUMBERS, flat, kind, member, row};
use crate::templates;

pub fn render(rows: &[Endpoint]) -> String {
    let documented = documented(rows);
    let code: String = documented.split_inclusive('\n').filter(|line| !line.starts_with("///")).collect();
    code.replace(";\n\npub const", ";\npub const")
}

/// The same with the comments that become those of the header.
pub fn documented(rows: &[Endpoint]) -> String {
    let constant = |of: &str, &Constant { name, number, doc }: &Constant| context! { type => of, name, number, doc };
    let typed = NUMBERS.iter().map(|numbers| (format!("paysvc_{}", numbers.kind), numbers.table));
    let typed = typed.chain([JSON_TYPES, AMOUNTS].map(|table| ("c_int".to_owned(), table)));
    let constants: Vec<Value> =
        typed.flat_map(|(of, table)| table.iter().map(|it| constant(&of, it)).collect::<Vec<_>>()).collect();
    let needs_key = |it: &Endpoint| Step::of(it, true).is_some_and(Step::needs_key);
    let described = |it: &Endpoint| context! { members => members(it.fields), needs_key => needs_key(it), ..row(it) };
    let rows: Vec<Value> = rows.iter().map(described).collect();
    let context = context! {
        abi => ABI,
        version => VERSION,
        version_number => VERSION_NUMBER,
        environment => settings::ENVIRONMENT,
        constants,
        config => members(settings::CONFIG),
        request => members(settings::REQUEST),
        operations => OPERATIONS.iter().map(operation).collect::<Vec<_>>(),
        invoked => INVOKED.iter().map(invoked).collect::<Vec<_>>(),
        checks => Check::ALL.iter().map(|it| context! { name => it.name(), doc => it.doc() }).collect::<Vec<_>>(),
        go_on => format!("0x{CONTINUE:X}"),
        store_done => format!("0x{STORE_DONE:X}"),
        store_exists => format!("0x{STORE_EXISTS:X}"),
        rows,
    };
    templates::render("exports.rs", context)
}

fn operation(operation: &Operation) -> Value {
    let function = if operation.about_earlier { "AboutEarlier" } else { "Operation" };
    context! {
        name => operation.name,
        doc => operation.doc,
        returns => operation.returns,
        members => members(operation.members),
        function,
    }
}

/// Its fields stand within the list of the functions that have no comment of their own.
fn invoked(function: &InvokeFunction) -> Value {
    context! { name => function.name, doc => function.doc, members => members_within(2, function.members) }
}

fn members(fields: &'static [Field]) -> Vec<Value> {
    members_within(1, fields)
}

fn members_within(outer: usize, fields: &'static [Field]) -> Vec<Value> {
    let each = flat(fields).into_iter();
    each.map(|(depth, field)| context! { indent => "  ".repeat(outer + depth), kind => of_c(field), ..member(field) })
        .collect()
}

/// The type of a field. A C program writes the JSON itself, so it may write an amount in either way.
fn of_c(field: &Field) -> String {
    match field.kind {
        Kind::Amount(_) => kind(field).replacen("decimal", "string or number, a decimal", 1),
        _ => kind(field),
    }
}
