//! The values of each row that a second reading of verdicts needs, as JSON.

use paysvc_spec::roles;
use paysvc_spec::schema::{Answer, AnswerKind, Endpoint, Envelope, Field, Member, Place, Reference, Role, Safety};
use serde_json::{Value, json};

/// A line for each row, and two for requests without a row.
pub fn render(rows: &[Endpoint]) -> String {
    let free = [("request POST", "/body", Safety::Moves), ("request GET", "/query", Safety::ReadOnly)];
    let free = free.into_iter().map(|(name, within, safety)| {
        let one = |(path, kind): &(&[&str], Reference)| asked(&format!("{within}/{}", path.join("/")), *kind);
        row(name, safety, roles::OF_REQUEST.iter().map(one).collect(), Vec::new(), Answer::UNKNOWN)
    });
    let all = rows.iter().map(|known| {
        let mut references = Vec::new();
        add_asked(&mut references, "", known.fields);
        let mut fields = Vec::new();
        add_fields(&mut fields, known.fields);
        row(known.name, known.safety, references, fields, &known.answer)
    });
    format!("[\n{}\n]\n", all.chain(free).map(|row| row.to_string()).collect::<Vec<_>>().join(",\n"))
}

fn row(name: &str, safety: Safety, asked: Vec<Value>, fields: Vec<&str>, answer: &Answer) -> Value {
    let mut named = Vec::new();
    add_named(&mut named, "", Place::Root, answer.members);
    json!({
        "name": name,
        "safety": match safety {
            Safety::Moves => "moves",
            Safety::Repeatable => "repeatable",
            Safety::ReadOnly => "reads",
        },
        "envelope": match answer.envelope {
            Envelope::Word => "word",
            Envelope::PaymentState => "payment state",
            Envelope::Flag => "flag",
            Envelope::Flat => "flat",
            Envelope::Bare => "bare",
            Envelope::IsSuccess => "isSuccess",
            Envelope::Unknown => "unknown",
        },
        "subject": answer.subject,
        "success_is_state": answer.success_is_state,
        "reports_state": answer.reports_state,
        "members": answer.members.iter().map(|member| member.name).collect::<Vec<_>>(),
        "asked": asked,
        "fields": fields,
        "named": named,
    })
}

fn asked(pointer: &str, kind: Reference) -> Value {
    json!({"pointer": pointer, "kind": kind.name()})
}

/// The names of all fields of a request.
fn add_fields(found: &mut Vec<&'static str>, fields: &[Field]) {
    for field in fields {
        if !found.contains(&field.name) {
            found.push(field.name);
        }
        add_fields(found, field.kind.members());
    }
}

/// The references in a request.
fn add_asked(found: &mut Vec<Value>, within: &str, fields: &[Field]) {
    for field in fields {
        let pointer = format!("{within}/{}", field.name);
        found.extend(field.reference.map(|kind| asked(&pointer, kind)));
        add_asked(found, &pointer, field.kind.members());
    }
}

/// The references in a response: those of the row, and of what else may stand in that place.
fn add_named(found: &mut Vec<Value>, within: &str, place: Place, members: &[Member]) {
    let own = members.iter().map(|member| (member.name, member.role_in(place)));
    let others = roles::SHARED.iter().filter(|known| members.iter().all(|member| member.name != known.name));
    let all: Vec<_> = own.chain(others.map(|known| (known.name, known.role(place)))).collect();
    for (name, role) in &all {
        let pointer = format!("{within}/{name}");
        match role {
            Some(Role::Reference(kind)) => found.push(asked(&pointer, *kind)),
            Some(Role::ReferenceAlone(kind)) => {
                let beside = all.iter().find(|(_, other)| *other == Some(Role::Reference(*kind)));
                let beside = beside.map(|(other, _)| format!("{within}/{other}"));
                found.push(json!({"pointer": pointer, "kind": kind.name(), "unless": beside}));
            }
            Some(Role::Object(inner)) => {
                let member = members.iter().find(|member| member.name == *name);
                let members = member.map_or(&[][..], |member| member.kind.members());
                let list = member.is_some_and(|member| matches!(member.kind, AnswerKind::List(_)));
                add_named(found, &pointer, *inner, if list { &[] } else { members });
            }
            _ => {}
        }
    }
}
