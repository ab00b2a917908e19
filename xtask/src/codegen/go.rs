//! `generated.go`: numbers, errors, configuration, requests and methods.

mod answers;
mod operations;
mod structs;

use minijinja::{Value, context};
use paysvc_spec::journal::Step;
use paysvc_spec::operations::about_earlier;
use paysvc_spec::schema::{Endpoint, Keep};
use paysvc_spec::settings;
use paysvc_spec::status::{ABI, Constant, DENIALS};

use super::{Numbers, numbers, row};
use crate::names::go::{constant, exported, method};
use crate::templates;
use crate::text::capitalise;
use structs::{Shared, Use, request, structs};

pub use answers::render as render_answers;

pub fn render(rows: &[Endpoint]) -> String {
    let shared = Shared::of(rows);
    let of_row = |it: &Endpoint| {
        let name = exported(it.name);
        // A field that only the caller adds cannot be stored in advance.
        let looked_up = it.looked_up_by.is_some_and(|by| by.keep.iter().any(|kept| !matches!(kept, Keep::Added(_))));
        let needs_key = Step::of(it, true).is_some_and(Step::needs_key);
        context! { go => name, function => method(it.name), structs => request(it, &shared), looked_up, needs_key, ..row(it) }
    };
    let context = context! {
        abi => ABI,
        operations => operations::values(rows, &shared),
        about_earlier => about_earlier().collect::<Vec<_>>(),
        environment => settings::ENVIRONMENT,
        numbers_of => numbers(go_constant),
        config => structs("Config", settings::CONFIG, Use::Config, &Shared::default()),
        request => structs("Request", settings::REQUEST, Use::Request { extra: false }, &Shared::default()),
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

/// A constant and, except for success, its error: `StatusTimeout` and `ErrTimeout`. The zero of a status and of an
/// outcome would be the value of an unset variable, and would permit too much. So zero stands for nothing, and -1 is
/// used in its place.
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
