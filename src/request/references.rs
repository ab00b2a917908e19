//! The references that a request names: an answer that names other ones belongs to another request.

use std::borrow::Cow;

use serde_json::value::RawValue;

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
    each_of_any(members, &mut |_, kind, value| found.extend(text(value).map(|text| (kind, text))));
    found
}

/// Calls `found` for every member of a request without a row that holds a reference, with its path.
pub fn each_of_any(members: &Members<'_>, found: &mut dyn FnMut(&str, Reference, &RawValue)) {
    for (steps, kind) in OF_REQUEST {
        each_at(members, "", steps, &mut |path, value| found(path, *kind, value));
    }
}

/// Calls `found` for every member at these steps, whose names may be in any case, with its path.
pub fn each_at(members: &Members<'_>, within: &str, steps: &[&str], found: &mut dyn FnMut(&str, &RawValue)) {
    let [step, inner @ ..] = steps else { return };
    for (name, value) in members.iter().filter(|(name, _)| name.eq_ignore_ascii_case(step)) {
        let path = format!("{within}{name}");
        match Type::of(value) {
            _ if inner.is_empty() => found(&path, value),
            Type::Array => {
                for (index, item) in json::items(value).unwrap_or_default().into_iter().enumerate() {
                    each_at(&json::members(item).unwrap_or_default(), &format!("{path}.{index}."), inner, found);
                }
            }
            _ => each_at(&json::members(value).unwrap_or_default(), &format!("{path}."), inner, found),
        }
    }
}

fn text(value: &RawValue) -> Option<String> {
    let text = match Type::of(value) {
        Type::Text => json::text(value),
        Type::Number => Some(Cow::Borrowed(value.get())),
        _ => None,
    };
    text.filter(|text| !text.trim().is_empty()).map(Cow::into_owned)
}
