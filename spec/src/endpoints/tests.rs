//! What every row must keep, whoever adds it.

use super::ENDPOINTS;
use crate::schema::{AnswerKind, Envelope, Field, Form, Kind, Location, Member, Method};

fn fields(of: &'static [Field]) -> Vec<&'static Field> {
    let inner = |field: &'static Field| match field.kind {
        Kind::Object(inner) => fields(inner),
        _ => Vec::new(),
    };
    of.iter().flat_map(|field| [vec![field], inner(field)].concat()).collect()
}

fn members(of: &'static [Member]) -> Vec<&'static Member> {
    of.iter().flat_map(|member| [vec![member], members(member.kind.members())].concat()).collect()
}

#[test]
fn names_and_requests_are_unique() {
    for (index, row) in ENDPOINTS.iter().enumerate() {
        for other in &ENDPOINTS[..index] {
            assert_ne!(row.name, other.name);
            assert!((row.method, row.path) != (other.method, other.path), "{} and {}", row.name, other.name);
        }
        assert!(std::ptr::eq(super::endpoint(row.name), row));
    }
}

#[test]
fn requests_can_be_sent_as_they_are_described() {
    for row in ENDPOINTS {
        let name = row.name;
        assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{name}");
        assert!(row.path.starts_with('/') && !row.path.ends_with('/'), "{name}");
        assert!(row.doc.ends_with('.'), "{name}");
        assert!(!row.encrypted || row.method != Method::Get, "{name}: a GET has no body to encrypt");
        assert!(!row.allows_extra || row.method != Method::Get, "{name}: where would further members go?");
        for field in row.fields {
            let in_path = row.path.contains(&format!("{{{}}}", field.name));
            assert_eq!(in_path, field.location == Location::Path, "{name}: {}", field.name);
            assert!(field.location == Location::Body || matches!(field.kind, Kind::Text), "{name}: {}", field.name);
            assert!(field.location != Location::Body || row.method != Method::Get, "{name}: {}", field.name);
        }
        assert_eq!(
            row.path.matches('{').count(),
            row.fields.iter().filter(|field| field.location == Location::Path).count(),
            "{name}"
        );
        for field in fields(row.fields) {
            assert!(!field.doc.is_empty() && !field.doc.ends_with('.'), "{name}: {}", field.name);
        }
    }
}

#[test]
fn answers_name_where_their_state_and_subject_stand() {
    for row in ENDPOINTS {
        let (name, answer) = (row.name, &row.answer);
        for pointer in answer.state.iter().chain(&answer.subject) {
            let mut within = answer.members;
            for step in pointer.split('/').skip(1) {
                let member = within.iter().find(|member| member.name == step);
                within = member.unwrap_or_else(|| panic!("{name}: the answer has no {pointer}")).kind.members();
            }
        }
        assert!(answer.subject.is_none() || row.read_only(), "{name}: only reading is about a subject");
        let names_the_payment = answer.envelope != Envelope::PaymentState || answer.subject.is_some();
        assert!(names_the_payment, "{name}: without a subject nothing tells a payment from a refusal");
        assert!(answer.envelope != Envelope::Unknown, "{name}");
        assert!(!answer.members.is_empty(), "{name}: the answer has no members");
        for member in members(answer.members) {
            assert!(!member.doc.is_empty() && !member.doc.ends_with('.'), "{name}: {}", member.name);
            let number = matches!(member.kind, AnswerKind::Amount | AnswerKind::Integer | AnswerKind::Text);
            assert!(member.form == Form::Plain || number, "{name}: {} is no number", member.name);
        }
    }
}

#[test]
fn a_look_up_is_a_row_that_reads_and_gets_all_its_members() {
    for row in ENDPOINTS {
        let Some(look_up) = row.looked_up_by else { continue };
        let by = ENDPOINTS.iter().find(|other| other.name == look_up.endpoint);
        let by = by.unwrap_or_else(|| panic!("{}: there is no {}", row.name, look_up.endpoint));
        assert!(by.read_only() && !row.read_only(), "{} by {}", row.name, by.name);
        for field in by.fields.iter().filter(|field| field.required) {
            assert!(look_up.members.iter().any(|(name, _)| *name == field.name), "{}: {}", row.name, field.name);
        }
        for (name, _) in look_up.members {
            assert!(by.fields.iter().any(|field| field.name == *name), "{}: {name}", row.name);
        }
        // A program that resolves must not have to keep card data.
        for pointer in look_up.members.iter().flat_map(|(_, pointers)| *pointers) {
            let last = pointer.rsplit('/').next().unwrap();
            let secret = fields(row.fields).into_iter().any(|field| field.name == last && field.secret);
            assert!(!secret, "{}: {pointer} is secret", row.name);
        }
    }
}
