//! The example of an endpoint in Go.

use minijinja::context;
use paysvc_spec::schema::{Field, Kind};

use super::structs::{SECRET, Use, nested, type_of};
use crate::codegen::answers::typed;
use crate::codegen::examples::{Example, Given, Layout, Nested, Style, literal};
use crate::names::go::{exported, field as field_name, fields, method};
use crate::templates;
use crate::text::uncapitalise;

pub fn render(it: &Example) -> String {
    let mut within = it.row.answer.members;
    let mut reads = String::new();
    for member in &it.reads {
        let members = typed(within);
        let at = members.iter().position(|other| other.name == member.name).expect("a member of its object");
        reads += &format!(".{}", fields(&members)[at]);
        within = member.kind.members();
    }
    let (name, method) = (exported(it.row.name), method(it.row.name));
    let request = structure("", &format!("{name}Request"), &it.request, it.row.allows_extra);
    let before = format!("    reply, err := client.{method}(ctx, ").len();
    let context = context! {
        function => uncapitalise(&name),
        method,
        request => request.lay(before, "\t", "\t", 1),
        label => it.member().map(|member| member.name),
        reads,
        has_state => it.has_state,
        unknown => &it.unknown,
    };
    templates::render("example.go", context)
}

fn structure(before: &str, name: &str, given: &[Given], extra: bool) -> Layout {
    members(format!("{before}paysvc.{name}{{"), name, given, extra)
}

fn members(open: String, name: &str, given: &[Given], extra: bool) -> Layout {
    let part = |it: &Given| (format!("{}: ", field_name(it.field.name)), value(it, name, extra), "");
    Layout::Nested(Nested { open, parts: given.iter().map(part).collect(), close: "}", style: Style::Aligned })
}

fn value(it: &Given, owner: &str, extra: bool) -> Layout {
    let of = type_of(it.field, owner, Use::Request { extra }).0;
    let before = if of.starts_with('*') { "&" } else { "" };
    let inner = nested(owner, it.field);
    match it.field.kind {
        Kind::Object(_) => return structure(before, &inner, &it.within[0], extra),
        Kind::List(_) => {
            // The type of the elements is written once.
            let part = |given: &Vec<Given>| (String::new(), members("{".to_owned(), &inner, given, extra), "");
            let parts = it.within.iter().map(part).collect();
            let open = format!("{before}[]paysvc.{inner}{{");
            return Layout::Nested(Nested { open, parts, close: "}", style: Style::Commas });
        }
        _ => {}
    }
    let plain = plain(it, it.field);
    if of == SECRET {
        return Layout::Text(format!("paysvc.NewSecret({plain})"));
    }
    Layout::Text(match of.strip_prefix('*') {
        // The type of a constant that is not an int must be written.
        Some("int64") => format!("paysvc.Ptr[int64]({plain})"),
        Some(_) => format!("paysvc.Ptr({plain})"),
        None => plain,
    })
}

fn plain(it: &Given, field: &Field) -> String {
    match field.kind {
        Kind::Text | Kind::Amount(_) => literal(&it.text()),
        Kind::Any => format!("json.RawMessage({})", literal(&it.json)),
        Kind::Integer | Kind::Flag | Kind::Object(_) | Kind::List(_) => it.json.clone(),
    }
}
