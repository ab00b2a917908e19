//! `generated.go`: numbers, errors, configuration, requests and methods.

mod answers;
mod example;
mod operations;

use std::collections::BTreeSet;

use minijinja::{Value, context};
use paysvc_spec::operations::OPERATIONS;
use paysvc_spec::schema::{Default, Endpoint, Field, Keep, Kind};
use paysvc_spec::settings;
use paysvc_spec::status::{ABI, Constant, DENIALS};

use super::operations::{look_ups, with_answers};
use super::{Numbers, default_of, member, numbers, row};
use crate::names::go::{Package, constant, exported, field as field_name, method};
use crate::templates;
use crate::text::capitalise;

pub use answers::render as render_answers;
pub use example::render as render_example;

pub fn render(rows: &[Endpoint]) -> String {
    let of_row = |it: &Endpoint| {
        let name = exported(it.name);
        // What is added by the caller alone cannot be stored ahead.
        let looked_up = it.looked_up_by.is_some_and(|by| by.keep.iter().any(|kept| !matches!(kept, Keep::Added(_))));
        context! { go => name, function => method(it.name), structs => request(it), looked_up, ..row(it) }
    };
    let context = context! {
        abi => ABI,
        operations => operations::values(rows),
        look_ups => look_ups(rows),
        environment => settings::ENVIRONMENT,
        timeout_ms => default_of("timeout_ms"),
        longest_amount => paysvc_spec::schema::LONGEST_AMOUNT,
        numbers_of => numbers(go_constant),
        config => structs("Config", settings::CONFIG, Use::Config),
        request => structs("Request", settings::REQUEST, Use::Request { extra: false }),
        rows => rows.iter().map(of_row).collect::<Vec<_>>(),
    };
    templates::render("generated.go", context)
}

/// The numbers of the package webhook.
pub fn render_webhook() -> String {
    let own = |name: &str| format!("{}{}", &name[..1], &exported(name)[1..]);
    let of = |&(name, number, doc): &(&str, usize, &str)| context! { name => own(name), number, doc };
    let constants: Vec<_> = paysvc_spec::events::RECEIVER.iter().map(of).collect();
    templates::render("generated_webhook.go", context! { constants })
}

fn request(row: &Endpoint) -> Vec<Value> {
    structs(&format!("{}Request", exported(row.name)), row.fields, Use::Request { extra: row.allows_extra })
}

/// The names that the package has without the objects within answers.
fn package(rows: &[Endpoint]) -> Package {
    let mut package = Package::default();
    let mut own = |name: String| assert_eq!(package.name(name.clone()), name, "two things have the same name in Go");
    for row in with_answers(rows) {
        let name = exported(row.name);
        for name in [format!("{name}Reply"), format!("{name}Answer"), format!("Parse{name}Answer")] {
            own(name);
        }
    }
    for it in rows.iter().flat_map(request).chain(OPERATIONS.iter().flat_map(operations::request)) {
        own(it.get_attr("name").expect("a struct").to_string());
    }
    for name in ["Config", "Request", "Status", "Outcome", "State"] {
        own(name.to_owned());
    }
    package
}

/// A constant and, but for success, its error: `StatusTimeout` and `ErrTimeout`. The zero of a status and of an outcome would be
/// what a variable says that nobody has set, and permit too much: it stands for nothing, and -1 in its place.
fn go_constant(numbers: &Numbers, &Constant { name, number, doc }: &Constant) -> Value {
    let in_go = if number == 0 && numbers.kind != "state" { -1 } else { number };
    let (kind, bare) = (capitalise(numbers.kind), numbers.bare(name));
    // A status has its whole name, the others have theirs without the prefix.
    let (errors, told) = if numbers.kind == "status" { ("Err".to_owned(), name) } else { (format!("Err{kind}"), bare) };
    context! {
        go => constant(&kind, bare),
        error => constant(&errors, bare),
        failure => !matches!(name, "OK" | "OUTCOME_CONFIRMED"),
        denial => numbers.kind == "status" && DENIALS.iter().any(|status| *status as i32 == number),
        told, name, number => in_go, doc,
    }
}

/// Holds what must not be printed. Its zero value is absent, so it is never a pointer.
const SECRET: &str = "Secret";

#[derive(Clone, Copy)]
enum Use {
    /// Empty means left out: the environment or the default serves.
    Config,
    /// Empty is not absent: what may be absent is a pointer.
    Request { extra: bool },
}

/// The struct of an object and, after it, those of the objects within.
fn structs(name: &str, fields: &[Field], used: Use) -> Vec<Value> {
    let names: BTreeSet<_> = fields.iter().map(|field| field_name(field.name)).collect();
    assert_eq!(names.len(), fields.len(), "two members of {name} have the same name in Go");
    let of_field = |field: &Field| {
        let (of, tag) = type_of(field, name, used);
        context! { go => field_name(field.name), type => of, tag, ..member(field) }
    };
    let members: Vec<Value> = fields.iter().map(of_field).collect();
    let mut all = vec![context! { name, members, extra => matches!(used, Use::Request { extra: true }) }];
    for field in fields {
        if let Kind::Object(inner) | Kind::List(inner) = field.kind {
            let mut inner = structs(&nested(name, field), inner, used).into_iter();
            let first = inner.next().expect("a struct of its own");
            let element = matches!(field.kind, Kind::List(_));
            all.push(context! { member => field.name, owner => name, element, ..first });
            all.extend(inner);
        }
    }
    all
}

/// `OrderCreateRequest` and `card` make `OrderCreateCard`.
fn nested(owner: &str, field: &Field) -> String {
    format!("{}{}", owner.trim_end_matches("Request"), exported(field.name))
}

/// The Go type of a member, and what follows its name in the tag. Pointers wherever the zero value could be taken for
/// a value: no amount is a full refund, an empty one is a mistake.
fn type_of(field: &Field, owner: &str, used: Use) -> (String, &'static str) {
    let config = matches!(used, Use::Config);
    if field.secret {
        assert!(matches!(field.kind, Kind::Text), "{} of {owner} is secret, and no text", field.name);
        let tag = match (config, field.required) {
            (true, _) => ",omitempty,omitzero",
            (false, true) => "",
            (false, false) => ",omitzero",
        };
        return (SECRET.to_owned(), tag);
    }
    let (of, may_be_plain) = match field.kind {
        Kind::Text | Kind::Amount(_) => ("string".to_owned(), field.required),
        Kind::Integer => ("int64".to_owned(), false),
        Kind::Flag => ("bool".to_owned(), false),
        Kind::Any => return ("json.RawMessage".to_owned(), ",omitempty"),
        Kind::Object(_) => (nested(owner, field), field.required),
        Kind::List(_) => (format!("[]{}", nested(owner, field)), field.required),
    };
    match field.kind {
        // Left out, a flag that is true by default is not the same as false.
        Kind::Flag if config && field.default == Default::Flag(true) => (format!("*{of}"), ",omitempty"),
        Kind::Text | Kind::Flag if config => (of, ",omitempty"),
        _ if may_be_plain => (of, ""),
        _ => (format!("*{of}"), ",omitempty"),
    }
}
