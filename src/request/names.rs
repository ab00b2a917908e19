//! References and fields of a request: a response with other references belongs to another request, and a refusal names the
//! fields that are wrong.

use std::borrow::Cow;

use crate::json::{Fields, Type, Value};
use crate::request::amount::digits;
use paysvc_spec::roles::OF_REQUEST;
use paysvc_spec::schema::{Field, Reference};

/// The references that one request names, each with its kind.
pub type References<'a> = Vec<(Reference, Cow<'a, str>)>;

/// Returns the references of a request with a row.
pub fn of_row<'a>(given: Fields<'a>, fields: &[Field]) -> References<'a> {
    let mut found = Vec::new();
    add(given, fields, &mut found);
    found
}

fn add<'a>(given: Fields<'a>, fields: &[Field], found: &mut References<'a>) {
    for field in fields.iter().filter(|field| field.reference.is_some() || has_references(field.kind.members())) {
        match (value_of(given, field), field.reference) {
            (Some(value), Some(kind)) => found.extend(text(value).map(|text| (kind, text))),
            (Some(value), None) => add(value.fields(), field.kind.members(), found),
            (None, _) => {}
        }
    }
}

/// The value that a request has for a field of its row.
pub fn value_of<'a>(given: Fields<'a>, field: &Field) -> Option<Value<'a>> {
    match field.any_case {
        true => given.iter().find(|(name, _)| field.is_called(name)).map(|(_, value)| value),
        false => given.get(field.name),
    }
}

fn has_references(fields: &[Field]) -> bool {
    fields.iter().any(|field| field.reference.is_some())
}

/// Returns those of a request without a row: fields whose names may be in any case.
pub fn of_any(given: Fields<'_>) -> References<'_> {
    let mut found = Vec::new();
    each_of_any(given, &mut |_, kind, value| found.extend(text(value).map(|text| (kind, text))));
    found
}

/// Calls `found` for every field of a request without a row that holds a reference, with its path.
pub fn each_of_any<'a>(given: Fields<'a>, found: &mut dyn FnMut(&str, Reference, Value<'a>)) {
    for (steps, kind) in OF_REQUEST {
        each_at(given, "", steps, &mut |path, value| found(path, *kind, value));
    }
}

/// Calls `found` for every field at these steps, whose names may be in any case, with its path.
pub fn each_at<'a>(given: Fields<'a>, within: &str, steps: &[&str], found: &mut dyn FnMut(&str, Value<'a>)) {
    let [step, inner @ ..] = steps else { return };
    for (name, value) in given.iter().filter(|(name, _)| name.eq_ignore_ascii_case(step)) {
        let path = format!("{within}{name}");
        match value.kind() {
            _ if inner.is_empty() => found(&path, value),
            Type::Array => {
                for (index, item) in value.children().enumerate() {
                    each_at(item.fields(), &format!("{path}.{index}."), inner, found);
                }
            }
            _ => each_at(value.fields(), &format!("{path}."), inner, found),
        }
    }
}

fn text(value: Value<'_>) -> Option<Cow<'_, str>> {
    digits(value).filter(|text| !text.chars().all(char::is_whitespace))
}

/// Most names of a request without a row. Errors about further ones prove nothing.
const MAX_NAMES: usize = 1000;

#[derive(Clone, Copy, Default)]
pub struct RequestFields<'a> {
    pub row: &'static [Field],
    /// For a request without a row: the names that it has, at any depth.
    pub names: &'a [String],
}

impl RequestFields<'_> {
    /// Returns whether a name in `errors`, or the last step of a path like `$.order.amount`, is a field of the request.
    pub fn has(&self, name: &str) -> bool {
        fn is_in(fields: &[Field], name: &str) -> bool {
            fields.iter().any(|field| field.name.eq_ignore_ascii_case(name) || is_in(field.kind.members(), name))
        }
        let name = last_step(name);
        is_in(self.row, name) || self.names.iter().any(|own| own.eq_ignore_ascii_case(name))
    }

    /// Returns whether the `errors` of a response are an object whose names are all fields of the request, or `data`,
    /// which is what an encrypted request has.
    pub fn are_named_by(&self, root: Value<'_>) -> bool {
        let errors = root.member("errors").filter(|errors| errors.kind() == Type::Object && !errors.is_empty());
        let is_field = |name: &str| self.has(name) || last_step(name).eq_ignore_ascii_case("data");
        errors.is_some_and(|errors| errors.children().all(|error| error.name().is_some_and(|name| is_field(&name))))
    }
}

/// Without the numbers of elements: `order[0].amount`, `payouts/0`.
pub fn last_step(path: &str) -> &str {
    let is_name = |step: &&str| !step.is_empty() && !step.bytes().all(|byte| byte.is_ascii_digit());
    path.split(['.', '/', '[', ']']).rfind(is_name).unwrap_or_default()
}

/// The names of the fields in these values, at any depth.
pub fn of_fields<'a>(values: impl Iterator<Item = Value<'a>>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in values.flat_map(Value::everything).filter_map(Value::name) {
        if names.len() < MAX_NAMES && !names.iter().any(|own| *own == *name) {
            names.push(name.into_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::document::Document;

    #[test]
    fn the_last_step_of_a_path_is_the_field() {
        for (path, step) in [
            ("amount", "amount"),
            ("$.order.amount", "amount"),
            ("/payoutDetails/0/amount", "amount"),
            ("payoutDetails[0]", "payoutDetails"),
            ("order.amount.", "amount"),
            ("", ""),
            ("$", "$"),
        ] {
            assert_eq!(last_step(path), step, "{path}");
        }
    }

    #[test]
    fn errors_must_name_fields_of_the_request() {
        let row = paysvc_spec::endpoint("order_create").fields;
        let names = vec!["Amount".to_owned()];
        let named = |request: RequestFields<'_>, errors: &str| {
            let text = format!(r#"{{"errors":{errors}}}"#);
            let document = Document::scan(&text, &|| false).unwrap();
            request.are_named_by(document.root(&text))
        };
        let by_row = RequestFields { row, names: &[] };
        for errors in [r#"{"amount":"x"}"#, r#"{"$.order.AMOUNT":["x"],"Data":"x"}"#, r#"{"card":{"x":"y"}}"#] {
            assert!(named(by_row, errors), "{errors}");
        }
        for errors in ["{}", "[]", r#"["amount"]"#, r#"{"amount":"x","":"y"}"#, r#"{"request":"x"}"#, r#""amount""#] {
            assert!(!named(by_row, errors), "{errors}");
        }
        let free = RequestFields { row: &[], names: &names };
        assert!(named(free, r#"{"body.amount":"x"}"#) && !named(free, r#"{"currency":"x"}"#));
    }
}
