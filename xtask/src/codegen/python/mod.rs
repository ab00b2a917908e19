//! For Python, four files: `_generated.py` has the numbers, the keyword names and the objects within requests;
//! `_replies.py` has the class of each endpoint's reply, and `_answers.py` those of what is in it; `_endpoints.py` has a
//! method for each endpoint, once plain and once for asyncio. The rest of the package stands between them: replies and
//! errors need the numbers, and the methods need replies. Only a program that reads an answer imports `_answers.py`.

mod answers;
mod arguments;
mod classes;
mod example;
mod operations;
#[cfg(test)]
mod tests;

use minijinja::{Value, context};
use paysvc_spec::events::RECEIVER;
use paysvc_spec::operations::OPERATIONS;
use paysvc_spec::schema::Endpoint;
use paysvc_spec::settings;
use paysvc_spec::status::{ABI, CONTINUE, Constant, DENIALS, STORE_DONE, STORE_EXISTS};

use super::operations::{look_ups, with_answers};
use super::{Numbers, default_of, numbers, row};
use crate::names::python::{CLASSES_OF_OURS, Spellings, method};
use crate::templates;
use answers::Answers;
use classes::Classes;

pub use example::render as render_example;

/// The numbers, the keyword names, and the objects within requests.
pub fn render(rows: &[Endpoint]) -> String {
    templates::render("_generated.py", context(rows))
}

/// The endpoints as methods of the two clients.
pub fn render_endpoints(rows: &[Endpoint]) -> String {
    templates::render("_endpoints.py", context(rows))
}

/// The classes of replies.
pub fn render_replies(rows: &[Endpoint]) -> String {
    templates::render("_replies.py", context(rows))
}

/// The classes of answers, and of the objects within them.
pub fn render_answers(rows: &[Endpoint]) -> String {
    templates::render("_answers.py", context(rows))
}

/// The classes of the objects within all requests.
fn classes(rows: &[Endpoint]) -> Classes {
    let mut classes = Classes::new(Spellings::of(rows));
    for row in rows {
        classes.add(row.name, row.fields, row.allows_extra);
    }
    for operation in OPERATIONS {
        classes.add(operation.name, operation.members, false);
    }
    classes
}

fn context(rows: &[Endpoint]) -> Value {
    let classes = classes(rows);
    let ours = CLASSES_OF_OURS.iter().map(|&name| name.to_owned()).collect();
    let answers = Answers::of(&with_answers(rows), [classes.names(), ours].concat());
    let of_row = |it: &Endpoint| {
        let arguments = arguments::values(classes.arguments(it.name, it.fields, it.allows_extra));
        context! { python => method(it.name), reply => answers.reply(it.name), arguments, ..row(it) }
    };
    let mut config = Classes::new(Spellings::in_seconds()).arguments("config", settings::CONFIG, false);
    for file in config.iter_mut().filter(|argument| is_path(argument.member)) {
        file.kind = "str | PathLike[str]".to_owned();
    }
    let mut exported =
        [classes.names(), ["EndpointName", "Status", "Outcome", "State"].map(str::to_owned).to_vec()].concat();
    exported.sort_unstable();
    let mut imported = [classes.names(), vec!["EndpointName".to_owned()]].concat();
    imported.sort_unstable();
    context! {
        version => env!("CARGO_PKG_VERSION"),
        abi => ABI,
        go_on => CONTINUE,
        store_done => STORE_DONE,
        store_exists => STORE_EXISTS,
        denials => DENIALS.iter().map(|status| *status as i32).collect::<Vec<_>>(),
        operations => operations::values(rows, &classes, &answers),
        look_ups => look_ups(rows),
        environment => settings::ENVIRONMENT,
        timeout_ms => default_of("timeout_ms"),
        longest_amount => paysvc_spec::schema::LONGEST_AMOUNT,
        receiver => RECEIVER.iter().map(|&(name, number, doc)| context! { name, number, doc }).collect::<Vec<_>>(),
        exported,
        imported,
        call_names => rows.iter().map(|row| row.name).chain(OPERATIONS.iter().map(|it| it.name)).chain(OTHERS).collect::<Vec<_>>(),
        numbers_of => numbers(python_constant),
        config => arguments::values(config),
        request => arguments::values(classes.arguments("request", settings::REQUEST, false)),
        answers => answers.values(),
        rows => rows.iter().map(of_row).collect::<Vec<_>>(),
        classes => classes.values(),
    }
}

fn is_path(setting: &str) -> bool {
    setting.ends_with("_file") || setting == "journal"
}

/// What call() takes besides endpoints and operations.
const OTHERS: [&str; 4] = ["request", "encrypt", "client_check", "client_warm"];

fn python_constant(numbers: &Numbers, &Constant { name, number, doc }: &Constant) -> Value {
    context! { name => numbers.bare(name), number, doc }
}
