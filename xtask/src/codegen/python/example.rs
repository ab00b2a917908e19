//! The example of an endpoint in Python.

use minijinja::context;
use paysvc_spec::schema::{Endpoint, Field, Kind};

use super::classes::Classes;
use crate::codegen::answers::typed;
use crate::codegen::examples::{Example, Given, Layout, Nested, Style, literal};
use crate::names::python::{method, properties};
use crate::templates;

/// `rows`: all, because they share the names of classes.
pub fn render(rows: &[Endpoint], it: &Example) -> String {
    let mut within = it.row.answer.members;
    let mut reads = String::new();
    for member in &it.reads {
        let members = typed(within);
        let at = members.iter().position(|other| other.name == member.name).expect("a member of its object");
        reads += &format!(".{}", properties(&members)[at]);
        within = member.kind.members();
    }
    let (classes, function) = (super::classes(rows), method(it.row.name));
    let open = format!("client.{function}(");
    let call = call(&classes, open, it.row.name, it.row.fields, it.row.allows_extra, &it.request);
    let context = context! {
        function,
        call => call.lay("        reply = ".len(), "        ", "    ", 0),
        label => it.member().map(|member| member.name),
        reads,
        has_state => it.has_state,
        unknown => &it.unknown,
    };
    templates::render("example.py", context)
}

/// A call of a method or a class.
fn call(
    classes: &Classes,
    open: String,
    owner: &str,
    fields: &'static [Field],
    extra: bool,
    given: &[Given],
) -> Layout {
    let arguments = classes.arguments(owner, fields, extra);
    let part = |it: &Given| {
        let argument = arguments.iter().find(|argument| argument.member == it.field.name).expect("an argument");
        let object = |inner, given: &[Given]| {
            let class = classes.class_name(owner, it.field, inner, extra);
            call(classes, format!("paysvc.{class}("), &format!("{owner}_{}", it.field.name), inner, extra, given)
        };
        let value = match it.field.kind {
            Kind::Object(inner) => object(inner, &it.within[0]),
            Kind::List(inner) => {
                let parts = it.within.iter().map(|element| (String::new(), object(inner, element), "")).collect();
                Layout::Nested(Nested { open: "[".to_owned(), parts, close: "]", style: Style::Commas })
            }
            Kind::Text | Kind::Amount(_) => Layout::Text(literal(&it.text())),
            Kind::Any => Layout::Text(format!("json.loads({})", literal(&it.json))),
            Kind::Integer => Layout::Text(it.json.clone()),
            Kind::Flag => Layout::Text(if it.json == "true" { "True" } else { "False" }.to_owned()),
        };
        (format!("{}=", argument.name), value, "")
    };
    let parts = given.iter().map(part).collect();
    Layout::Nested(Nested { open, parts, close: ")", style: Style::Commas })
}
