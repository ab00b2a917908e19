//! The typed answers, a struct for each object.

use minijinja::{Value, context};
use paysvc_spec::schema::{AnswerKind, Endpoint, ShapeField};

use crate::codegen::operations::with_answers;
use crate::codegen::{answer_kind, row};
use crate::names::cpp::fields;
use crate::text::capitalise;

/// The structs of each row.
pub fn structs(rows: &[Endpoint]) -> Vec<Value> {
    let of_row = |it: &Endpoint| {
        let name = format!("{}_answer", it.name);
        let structs = structs_of(&name, &it.answer.shape(), &mut vec![name.clone()]);
        context! { structs, ..row(it) }
    };
    with_answers(rows).iter().map(of_row).collect()
}

/// The struct of an object and, before it, those of the objects within: C++ reads from top to bottom. `taken` has the
/// structs of this row.
fn structs_of(name: &str, shape: &[ShapeField], taken: &mut Vec<String>) -> Vec<Value> {
    let (mut all, mut members) = (Vec::new(), Vec::new());
    for (field, own) in shape.iter().zip(fields(shape)) {
        let mut inner = format!("{name}_{own}");
        let element = matches!(field.kind(), AnswerKind::List(_));
        if element || matches!(field.kind(), AnswerKind::Object(_)) {
            while taken.contains(&inner) {
                inner.push('_');
            }
            taken.push(inner.clone());
            let mut below = structs_of(&inner, &field.fields, taken);
            let last = below.pop().expect("a struct of its own");
            all.extend(below);
            all.push(context! { member => own.as_str(), owner => name, element, ..last });
        }
        let member = field.members[0].1;
        members.push(context! {
            name => field.name.as_str(), field => own, doc => member.doc, kind => capitalise(&answer_kind(member)), type => type_of(field.kind(), &inner),
        });
    }
    all.push(context! { name, members });
    all
}

/// With all namespaces, because a field may have any name.
fn type_of(kind: AnswerKind, inner: &str) -> String {
    match kind {
        AnswerKind::Text | AnswerKind::Amount | AnswerKind::Decimal | AnswerKind::Time => "std::string".into(),
        AnswerKind::Integer => "paysvc::optional<std::int64_t>".into(),
        AnswerKind::Flag => "paysvc::optional<bool>".into(),
        AnswerKind::Any => "paysvc::raw".into(),
        AnswerKind::Object(_) => format!("paysvc::optional<paysvc::{inner}>"),
        AnswerKind::List(_) => format!("paysvc::list<paysvc::{inner}>"),
    }
}
