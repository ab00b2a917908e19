//! `paysvc_generated.hpp`: numbers, builders of configuration and requests, typed answers, the methods of the client.

mod answers;

use minijinja::{Value, context};
use paysvc_spec::operations::{OPERATIONS, Operation};
use paysvc_spec::schema::{Endpoint, Field, Kind};
use paysvc_spec::settings;
use paysvc_spec::status::{ABI, Constant};

use super::operations::{answer_of, operation};
use super::{Numbers, member, numbers, row};
use crate::names::cpp::{method, nested};
use crate::templates;

pub fn render(rows: &[Endpoint]) -> String {
    let of_row = |it: &Endpoint| {
        context! { builders => builders(&format!("{}_request", it.name), it.fields, it.allows_extra), ..row(it) }
    };
    let of_operation = |it: &Operation| {
        let reply = answer_of(it, rows).map_or("reply".to_owned(), |name| format!("{name}_reply"));
        context! { builders => builders(&format!("{}_request", it.name), it.members, false), reply, ..operation(it) }
    };
    let context = context! {
        operations => OPERATIONS.iter().map(of_operation).collect::<Vec<_>>(),
        abi => ABI,
        environment => settings::ENVIRONMENT,
        numbers => numbers(enumerator),
        config => builders("config", settings::CONFIG, false),
        request => builders("raw_request", settings::REQUEST, false),
        rows => rows.iter().map(of_row).collect::<Vec<_>>(),
        answers => answers::structs(rows),
    };
    templates::render("paysvc_generated.hpp", context)
}

fn enumerator(numbers: &Numbers, &Constant { name, number, doc }: &Constant) -> Value {
    context! { name => numbers.bare(name).to_lowercase(), number, doc }
}

/// The builder of an object and, before it, those of the objects within: C++ reads from top to bottom.
fn builders(name: &str, fields: &[Field], extra: bool) -> Vec<Value> {
    let mut all = Vec::new();
    for field in fields {
        if let Kind::Object(inner) | Kind::List(inner) = field.kind {
            let mut inner = builders(&nested(name, field.name), inner, extra);
            let last = inner.pop().expect("a builder of its own");
            all.extend(inner);
            let element = matches!(field.kind, Kind::List(_));
            all.push(context! { member => field.name, owner => name, element, ..last });
        }
    }
    let setters: Vec<Value> = fields
        .iter()
        .map(|field| {
            let element = matches!(field.kind, Kind::List(_)).then(|| nested(name, field.name));
            context! { method => method(field.name), parameter => parameter(name, field), element, has_price => field.has_price, ..member(field) }
        })
        .collect();
    all.push(context! { name, setters, extra });
    all
}

fn parameter(owner: &str, field: &Field) -> String {
    match field.kind {
        Kind::Text | Kind::Amount(_) => "const std::string &".to_owned(),
        Kind::Integer => "const detail::integer &".to_owned(),
        Kind::Flag => "const detail::flag &".to_owned(),
        Kind::Any => "const raw &".to_owned(),
        Kind::Object(_) | Kind::List(_) => format!("const {} &", nested(owner, field.name)),
    }
}
