//! `generated_answers.go`: the reply of each method, and its response as structs, which the library's JSON fills.

use std::collections::BTreeMap;

use minijinja::{Value, context};
use paysvc_spec::operations::OPERATIONS;
use paysvc_spec::schema::{AnswerKind, Endpoint, ShapeField};

use super::operations::{self, called};
use super::structs::{Shared, request};
use crate::codegen::answer_kind;
use crate::codegen::operations::with_answers;
use crate::names::go::{Package, exported, fields};
use crate::templates;

/// Its fields in front of another response are fields of every reply.
const IN_FRONT: &str = "webhook_verify";

pub fn render(rows: &[Endpoint]) -> String {
    let mut types = Types { package: package(rows), known: BTreeMap::new(), structs: Vec::new() };
    let of_row = |it: &Endpoint| {
        let (go, shape) = (exported(it.name), it.answer.shape());
        let (name, method, has_reply) = (format!("{go}Answer"), called(it.name), has_reply(it));
        let own = types.add(&name, &name, None, &shape);
        let structs = std::mem::take(&mut types.structs);
        // A row without typed fields will have its own.
        let alias = (own != name).then_some(own);
        context! { go, method, has_reply, alias, structs }
    };
    let rows: Vec<_> =
        with_answers(rows).iter().filter(|it| has_reply(it) || it.name == IN_FRONT).map(of_row).collect();
    templates::render("generated_answers.go", context! { rows })
}

/// Returns whether its method returns a type of its own: that of every row, and of a function that reports in fields.
pub fn has_reply(row: &Endpoint) -> bool {
    let is_operation = OPERATIONS.iter().any(|it| it.name == row.name);
    !is_operation || row.name != IN_FRONT && !row.answer.shape().is_empty()
}

/// The names that the package has without the objects within answers.
fn package(rows: &[Endpoint]) -> Package {
    let mut package = Package::default();
    let mut own = |name: String| assert_eq!(package.name(name.clone()), name, "two things have the same name in Go");
    for row in with_answers(rows) {
        let name = exported(row.name);
        for name in [format!("{name}Reply"), format!("{name}Answer")] {
            own(name);
        }
    }
    let shared = Shared::of(rows);
    let of_rows = rows.iter().flat_map(|it| request(it, &shared));
    for it in of_rows.chain(OPERATIONS.iter().flat_map(|it| operations::request(it, &shared))) {
        own(it.get_attr("name").expect("a struct").to_string());
    }
    for name in ["Config", "Request", "Status", "Outcome", "State"] {
        own(name.to_owned());
    }
    package
}

struct Types {
    package: Package,
    /// Names of types by what they have: equal objects are one type.
    known: BTreeMap<String, String>,
    structs: Vec<Value>,
}

impl Types {
    /// The type of an object. Adds it, and after it those of the objects within, if there is none like it. `within` is the
    /// field that holds it.
    fn add(&mut self, name: &str, owner: &str, within: Option<&ShapeField>, shape: &[ShapeField]) -> String {
        let at = self.structs.len();
        let names = fields(shape.iter().map(|field| &*field.name));
        let mut member = |(field, go): (&ShapeField, String)| {
            let own = format!("{name}{go}");
            let of = match field.kind() {
                AnswerKind::Object(_) => self.add(&own, name, Some(field), &field.fields),
                AnswerKind::List(_) => {
                    format!("[]{}", self.add(&format!("{own}Item"), name, Some(field), &field.fields))
                }
                leaf => leaf_type(leaf).to_owned(),
            };
            context! { go, name => &field.name, type => of, kind => answer_kind(field.members[0].1), doc => field.members[0].1.doc }
        };
        let members: Vec<_> = shape.iter().zip(names).map(&mut member).collect();
        let key = Value::from(members.clone()).to_string();
        if let Some(known) = self.known.get(&key).filter(|_| !members.is_empty()) {
            return known.clone();
        }
        let name = if within.is_none() { name.to_owned() } else { self.package.name(name.to_owned()) };
        let (field, element) = (within.map(|it| &it.name), within.map(|it| matches!(it.kind(), AnswerKind::List(_))));
        self.structs.insert(at, context! { name => &name, owner, field, element, members });
        self.known.insert(key, name.clone());
        name
    }
}

/// Nothing that is absent may look like a value: a text and an amount are empty, the others are pointers.
fn leaf_type(kind: AnswerKind) -> &'static str {
    match kind {
        AnswerKind::Text => "string",
        AnswerKind::Integer => "*int64",
        AnswerKind::Amount | AnswerKind::Decimal => "Amount",
        AnswerKind::Flag => "*bool",
        AnswerKind::Time => "*time.Time",
        AnswerKind::Any => "*json.RawMessage",
        AnswerKind::Object(_) | AnswerKind::List(_) => unreachable!("has a type of its own"),
    }
}
