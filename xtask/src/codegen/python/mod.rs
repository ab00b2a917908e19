//! For Python, two files: `_generated.py` has the numbers, the keyword names and the objects within requests;
//! `_endpoints.py` has a method for each endpoint, once plain and once for asyncio. They are two because the rest of the
//! package stands between them: replies and errors need the numbers, and the methods need replies.

mod arguments;
mod classes;
#[cfg(test)]
mod tests;

use minijinja::{Value, context};
use paysvc_spec::schema::Endpoint;
use paysvc_spec::settings;
use paysvc_spec::status::{ABI, Constant};

use super::{Numbers, default_of, numbers, row};
use crate::names::python::{Spellings, method};
use crate::templates;
use classes::Classes;

/// The numbers, the keyword names, and the objects within requests.
pub fn render(rows: &[Endpoint]) -> String {
    templates::render("_generated.py", context(rows))
}

/// The endpoints as methods of the two clients.
pub fn render_endpoints(rows: &[Endpoint]) -> String {
    templates::render("_endpoints.py", context(rows))
}

fn context(rows: &[Endpoint]) -> Value {
    let mut classes = Classes::new(Spellings::of(rows));
    for row in rows {
        classes.add(row.name, row.fields, row.allows_extra);
    }
    let of_row = |it: &Endpoint| {
        let arguments = arguments::values(classes.arguments(it.name, it.fields, it.allows_extra));
        context! { python => method(it.name), arguments, ..row(it) }
    };
    let config = Classes::new(Spellings::in_seconds()).arguments("config", settings::CONFIG, false);
    let mut exported = [classes.names(), ["Status", "Outcome", "State"].map(str::to_owned).to_vec()].concat();
    exported.sort_unstable();
    context! {
        version => env!("CARGO_PKG_VERSION"),
        abi => ABI,
        environment => settings::ENVIRONMENT,
        timeout_ms => default_of("timeout_ms"),
        exported,
        class_names => classes.names(),
        numbers_of => numbers(python_constant),
        config => arguments::values(config),
        request => arguments::values(classes.arguments("request", settings::REQUEST, false)),
        rows => rows.iter().map(of_row).collect::<Vec<_>>(),
        classes => classes.values(),
    }
}

fn python_constant(numbers: &Numbers, &Constant { name, number, doc }: &Constant) -> Value {
    context! { name => numbers.bare(name), number, doc }
}
