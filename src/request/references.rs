//! The references in a request: an answer that names another one belongs to another request.

use std::borrow::Cow;

use crate::util::json::{self, Members, Type};

/// The references of one request, each with its kind.
pub type References = Vec<(Reference, String)>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reference {
    Order,
    Session,
    Mandate,
}

/// The members of a request that hold a reference.
const MEMBERS: &[(&[&str], Reference)] = &[
    (&["reference"], Reference::Order),
    (&["order", "reference"], Reference::Order),
    (&["sessionId"], Reference::Session),
    (&["mandateCode"], Reference::Mandate),
    (&["directDebitPaymentRequest", "mandateCode"], Reference::Mandate),
];

/// The references among a request's members, whose names may be in any case.
pub fn references(members: &Members<'_>) -> References {
    let mut found = Vec::new();
    for (path, kind) in MEMBERS {
        match path {
            [name] => collect(members, name, *kind, &mut found),
            [outer, name] => {
                for (_, value) in members.iter().filter(|(known, _)| known.eq_ignore_ascii_case(outer)) {
                    collect(&json::members(value).unwrap_or_default(), name, *kind, &mut found);
                }
            }
            _ => {}
        }
    }
    found
}

fn collect(members: &Members<'_>, name: &str, kind: Reference, found: &mut References) {
    for (_, value) in members.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name)) {
        let text = match Type::of(value) {
            Type::Text => json::text(value),
            Type::Number => Some(Cow::Borrowed(value.get())),
            _ => None,
        };
        found.extend(text.filter(|text| !text.trim().is_empty()).map(|text| (kind, text.into_owned())));
    }
}
