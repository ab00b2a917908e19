//! The example of an endpoint in C++.

use minijinja::context;
use paysvc_spec::schema::{AnswerKind, Kind};

use crate::codegen::answers::typed;
use crate::codegen::examples::{Example, Given, Layout, Nested, Style, literal};
use crate::names::cpp::{accessors, method, nested};
use crate::templates;

pub fn render(it: &Example) -> String {
    let mut within = it.row.answer.members;
    let mut reads = String::new();
    for member in &it.reads {
        let members = typed(within);
        let at = members.iter().position(|other| other.name == member.name).expect("a member of its object");
        reads += &format!(".{}()", accessors(&members)[at]);
        within = member.kind.members();
    }
    let fallback = match it.member().map(|member| member.kind) {
        Some(AnswerKind::Integer) => "-1",
        _ => "\"none\"",
    };
    let request = builder(&format!("{}_request", it.row.name), &it.request);
    let before = format!("        const auto reply = client.{}(", it.row.name).len();
    let context = context! {
        name => it.row.name,
        request => request.lay(before, "        ", "    ", ");".len()),
        label => it.member().map(|member| member.name),
        reads,
        fallback,
        has_state => it.has_state,
        unknown => &it.unknown,
    };
    templates::render("example.cpp", context)
}

fn builder(name: &str, given: &[Given]) -> Layout {
    let part = |it: &Given| {
        let value = match it.field.kind {
            Kind::Object(_) => builder(&nested(name, it.field.name), &it.within[0]),
            Kind::List(_) => {
                let element = |given: &Vec<Given>| (String::new(), builder(&nested(name, it.field.name), given), "");
                let parts = it.within.iter().map(element).collect();
                Layout::Nested(Nested { open: "{".to_owned(), parts, close: "}", style: Style::Commas })
            }
            Kind::Text | Kind::Amount(_) => Layout::Text(literal(&it.text())),
            Kind::Any => Layout::Text(format!("paysvc::raw({})", literal(&it.json))),
            Kind::Integer | Kind::Flag => Layout::Text(it.json.clone()),
        };
        (format!(".{}(", method(it.field.name)), value, ")")
    };
    let parts = given.iter().map(part).collect();
    Layout::Nested(Nested { open: format!("paysvc::{name}()"), parts, close: "", style: Style::Chained })
}
