//! The references that a request names: an answer that names other ones belongs to another request.

use std::borrow::Cow;

use crate::json::{self, Members, Type};
use paysvc_spec::roles::OF_REQUEST;
use paysvc_spec::schema::{Field, Reference};

/// What one request names, each with its kind.
pub type References = Vec<(Reference, String)>;

/// Of a request with a row.
pub fn of_row(members: &Members<'_>, fields: &[Field]) -> References {
    let mut found = Vec::new();
    add(members, fields, &mut found);
    found
}

fn add(members: &Members<'_>, fields: &[Field], found: &mut References) {
    for field in fields.iter().filter(|field| field.reference.is_some() || has_references(field.kind.members())) {
        for (_, value) in members.iter().filter(|(name, _)| field.is_called(name)) {
            match field.reference {
                Some(kind) => found.extend(text(value).map(|text| (kind, text))),
                None => add(&json::members(value).unwrap_or_default(), field.kind.members(), found),
            }
        }
    }
}

fn has_references(fields: &[Field]) -> bool {
    fields.iter().any(|field| field.reference.is_some())
}

/// Of a request without a row: members whose names may be in any case.
pub fn of_any(members: &Members<'_>) -> References {
    let mut found = Vec::new();
    for (path, kind) in OF_REQUEST {
        collect(members, path, *kind, &mut found);
    }
    found
}

fn collect(members: &Members<'_>, path: &[&str], kind: Reference, found: &mut References) {
    let [name, within @ ..] = path else { return };
    for (_, value) in members.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name)) {
        match within {
            [] => found.extend(text(value).map(|text| (kind, text))),
            _ => collect(&json::members(value).unwrap_or_default(), within, kind, found),
        }
    }
}

fn text(value: &serde_json::value::RawValue) -> Option<String> {
    let text = match Type::of(value) {
        Type::Text => json::text(value),
        Type::Number => Some(Cow::Borrowed(value.get())),
        _ => None,
    };
    text.filter(|text| !text.trim().is_empty()).map(Cow::into_owned)
}
