//! The typed answers, a class for each object.

use minijinja::{Value, context};
use paysvc_spec::schema::{AnswerKind, Certainty, Endpoint, Member, typed};

use crate::codegen::operations::with_answers;
use crate::codegen::row;
use crate::names::cpp::{accessors, view};

/// Those of each row.
pub fn classes(rows: &[Endpoint]) -> Vec<Value> {
    let of_row = |it: &Endpoint| {
        let name = format!("{}_answer", it.name);
        let views = views(&name, it.answer.members, "", &mut vec![name.clone()]);
        context! { views, ..row(it) }
    };
    with_answers(rows).iter().map(of_row).collect()
}

/// The class of an object and, before it, those of the objects within: C++ reads from top to bottom. `within` is where it
/// stands: a pointer from the answer or, in a list, from the element. `taken` has the classes of this row.
fn views(name: &str, members: &'static [Member], within: &str, taken: &mut Vec<String>) -> Vec<Value> {
    let members: Vec<_> = typed(members).collect();
    let mut all = Vec::new();
    let mut found = Vec::new();
    for (member, accessor) in members.iter().zip(accessors(&members)) {
        let pointer = format!("{within}/{}", member.name.replace('~', "~0").replace('/', "~1"));
        let mut inner = view(name, &accessor);
        let element = matches!(member.kind, AnswerKind::List(_));
        if let AnswerKind::Object(below) | AnswerKind::List(below) = member.kind {
            while taken.contains(&inner) {
                inner.push('_');
            }
            taken.push(inner.clone());
            let mut below = views(&inner, below, if element { "" } else { &pointer }, taken);
            let last = below.pop().expect("a class of its own");
            all.extend(below);
            all.push(context! { member => member.name, owner => name, element, ..last });
        }
        let (returns, reads) = reader(member.kind, &inner);
        found.push(context! {
            name => member.name,
            kind => kind(member),
            doc => member.doc,
            pointer => literal(&pointer),
            accessor,
            returns,
            reads,
        });
    }
    all.push(context! { name, members => found });
    all
}

/// The type of a member, and the function that reads it. With all namespaces, because a member may have any name.
fn reader(kind: AnswerKind, inner: &str) -> (String, String) {
    let value = |of: &str| format!("paysvc::value<{of}>");
    match kind {
        AnswerKind::Text => (value("std::string"), "text".into()),
        AnswerKind::Integer => (value("std::int64_t"), "integer".into()),
        AnswerKind::Amount | AnswerKind::Decimal => (value("std::string"), "decimal".into()),
        AnswerKind::Flag => (value("bool"), "flag".into()),
        AnswerKind::Time => (value("paysvc::time_value"), "time".into()),
        AnswerKind::Any => (value("paysvc::raw"), "any".into()),
        AnswerKind::Object(_) => (format!("paysvc::{inner}"), format!("object<paysvc::{inner}>")),
        AnswerKind::List(_) => (format!("paysvc::list<paysvc::{inner}>"), format!("array<paysvc::{inner}>")),
    }
}

/// In words: "amount in major currency units, reported".
fn kind(member: &Member) -> String {
    let unit = member.kind.unit().map(|unit| format!(" in {unit}")).unwrap_or_default();
    let certainty = match member.certainty {
        Certainty::Documented => String::new(),
        other => format!(", {}", other.name()),
    };
    format!("{}{unit}{certainty}", member.kind.name())
}

/// A string of C++.
fn literal(text: &str) -> String {
    let escaped: String = text
        .bytes()
        .map(|byte| match byte {
            b'"' | b'\\' => format!("\\{}", char::from(byte)),
            b' '..=b'~' if byte != b'?' => char::from(byte).to_string(),
            // Three digits, so that no digit behind it becomes a part of it.
            _ => format!("\\{byte:03o}"),
        })
        .collect();
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_becomes_a_string_of_cpp() {
        assert_eq!(literal("/data/fee"), "\"/data/fee\"");
        assert_eq!(literal("/a\"b\\c?\u{e9}1"), "\"/a\\\"b\\\\c\\077\\303\\2511\"");
    }

    #[test]
    fn members_that_are_guessed_and_what_is_below_them_are_not_typed() {
        const DEEP: &[Member] = &[Member::text("hidden", "h")];
        const MEMBERS: &[Member] = &[
            Member::text("shown", "s").certainty(Certainty::Integrated),
            Member::text("guess", "g").certainty(Certainty::Guessed),
            Member::object("inner", DEEP, "i").certainty(Certainty::Guessed),
        ];
        let row = Endpoint {
            name: "made_up",
            answer: paysvc_spec::schema::Answer { members: MEMBERS, ..Endpoint::ANSWER },
            ..Endpoint::ROW
        };
        let text = crate::codegen::cpp::render(&[row]);
        assert!(text.contains("paysvc::value<std::string> shown() const"), "{text}");
        assert!(!["guess", "inner", "hidden"].iter().any(|name| text.contains(name)), "{text}");
    }
}
