//! `generated_answers.go`: the reply of each method, and its answer as structs.

use minijinja::{Value, context};
use paysvc_spec::operations::OPERATIONS;
use paysvc_spec::schema::{AnswerKind, Certainty, Endpoint, Member, typed};

use super::operations::{self, called};
use super::structs::request;
use crate::codegen::operations::with_answers;
use crate::names::go::{Package, exported, fields};
use crate::templates;

pub fn render(rows: &[Endpoint]) -> String {
    let mut package = package(rows);
    let rows = with_answers(rows);
    let mut of_row = |it: &Endpoint| {
        let (go, mut structs) = (exported(it.name), Vec::new());
        add_struct(&mut structs, &mut package, format!("{go}Answer"), "", it.answer.members);
        context! { go, method => called(it.name), structs }
    };
    templates::render("generated_answers.go", context! { rows => rows.iter().map(&mut of_row).collect::<Vec<_>>() })
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

/// Adds the struct of an object and, after it, those of the objects within.
fn add_struct(
    structs: &mut Vec<Value>,
    package: &mut Package,
    name: String,
    pointer: &str,
    members: &'static [Member],
) {
    let at = structs.len();
    structs.push(Value::UNDEFINED);
    let members: Vec<_> = typed(members).collect();
    let members: Vec<Value> = members
        .iter()
        .zip(fields(&members))
        .map(|(member, go)| {
            let below = format!("{pointer}/{}", member.name);
            let of = match member.kind {
                AnswerKind::Object(inner) => {
                    let of = package.name(format!("{name}{}", exported(member.name)));
                    add_struct(structs, package, of.clone(), &below, inner);
                    of
                }
                AnswerKind::List(inner) => {
                    let of = package.name(format!("{name}{}Item", exported(member.name)));
                    add_struct(structs, package, of.clone(), &format!("{below}/*"), inner);
                    format!("List[{of}]")
                }
                leaf => leaf_type(leaf).to_owned(),
            };
            context! { go, name => member.name, type => of, kind => kind(member), doc => member.doc }
        })
        .collect();
    structs[at] = context! { name, pointer, members };
}

fn leaf_type(kind: AnswerKind) -> &'static str {
    match kind {
        AnswerKind::Text => "Text",
        AnswerKind::Integer => "Integer",
        AnswerKind::Amount | AnswerKind::Decimal => "Decimal",
        AnswerKind::Flag => "Flag",
        AnswerKind::Time => "Time",
        AnswerKind::Any => "Raw",
        AnswerKind::Object(_) | AnswerKind::List(_) => unreachable!("has a type of its own"),
    }
}

/// What a member holds, in words: "amount in major currency units or null, reported".
fn kind(member: &Member) -> String {
    let unit = member.kind.unit().map(|unit| format!(" in {unit}")).unwrap_or_default();
    let null = if member.nullable { " or null" } else { "" };
    let certainty = match member.certainty {
        Certainty::Documented => String::new(),
        other => format!(", {}", other.name()),
    };
    format!("{}{unit}{null}{certainty}", member.kind.name())
}
