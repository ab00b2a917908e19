//! Checks the members of a JSON object against a table of fields, and reports all errors at once. For requests and the
//! configuration.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::util::json::{self, Members, Type};
use crate::util::limits::MAX_TEXT;
use crate::util::memory;
use crate::util::validation_error::ValidationError;
use paysvc_spec::schema::{Field, Kind};
use paysvc_spec::status::Status;

/// Most members that one error names.
const MAX_ERRORS: usize = 100;
/// How many characters of an unknown name are repeated. The service's own names are much shorter.
const MAX_NAME_CHARS: usize = 100;

/// Reads `text` as one JSON object and checks it; the error starts with `what`: a function's name, or "the configuration".
pub fn object<'a>(
    text: &'a str,
    fields: &[Field],
    allows_extra: bool,
    what: &str,
    status: Status,
) -> Result<Members<'a>, ValidationError> {
    if text.len() > MAX_TEXT {
        return Err(ValidationError::new(
            status,
            format!("{what} is {} bytes; at most {MAX_TEXT} are accepted", text.len()),
        ));
    }
    if !memory::can_read(text.len()) {
        return Err(out_of_memory(what, text.len(), status));
    }
    let members = json::members_of(text)
        .map_err(|error| ValidationError::new(status, format!("{what} {}", reason(text, &error))))?;
    let mut errors = Vec::new();
    check(&members, fields, allows_extra, "", &mut errors);
    if errors.is_empty() { Ok(members) } else { Err(ValidationError::of_members(status, what, errors)) }
}

/// The error for a text for which there is no memory at this moment.
pub fn out_of_memory(what: &str, length: usize, status: Status) -> ValidationError {
    ValidationError::new(
        status,
        format!("{what} is {length} bytes, which does not fit into the memory that this process may have"),
    )
}

/// Why a text is no valid object: common mistakes get a clear message.
fn reason(text: &str, error: &serde_json::Error) -> String {
    match json::document(text) {
        Err(error) => format!("is not JSON: {error}"),
        Ok(value) if Type::of(value) != Type::Object => {
            format!("must be a JSON object, it is {}", Type::of(value).name())
        }
        Ok(_) => format!("is not usable: {error}"),
    }
}

fn check(
    members: &Members<'_>,
    fields: &[Field],
    allows_extra: bool,
    prefix: &str,
    errors: &mut Vec<(String, String)>,
) {
    for field in fields {
        match json::member(members, field.name) {
            Some(value) => check_value(value, field, allows_extra, prefix, errors),
            None if field.required => errors.push((format!("{prefix}{}", field.name), "is required".into())),
            None => {}
        }
    }
    if allows_extra {
        return;
    }
    let unknown_members = members.iter().filter(|(name, _)| !fields.iter().any(|field| field.name == name));
    for (name, _) in unknown_members.take(MAX_ERRORS.saturating_sub(errors.len())) {
        errors.push((format!("{prefix}{}", shortened(name)), unknown(name, fields)));
    }
}

fn check_value(value: &RawValue, field: &Field, allows_extra: bool, prefix: &str, errors: &mut Vec<(String, String)>) {
    let found = Type::of(value);
    let mut report = |text: String| errors.push((format!("{prefix}{}", field.name), text));
    match field.kind {
        Kind::Text | Kind::Amount if found != Type::Text => {
            let example = if matches!(field.kind, Kind::Amount) { ", like \"100.10\"" } else { "" };
            report(format!("must be a string{example}, it is {}", found.name()));
        }
        Kind::Text => match json::text(value) {
            None => report("is not valid Unicode text".into()),
            Some(text) if text.trim().is_empty() => report("must not be empty".into()),
            Some(_) => {}
        },
        Kind::Amount => {
            if !json::text(value).is_some_and(|text| is_amount(&text)) {
                report("must be a decimal amount above zero in major units, like \"100.10\"".into());
            }
        }
        Kind::Integer if found != Type::Number || value.get().contains(['.', 'e', 'E']) => {
            report(format!("must be a whole number, it is {}", describe_number(found)));
        }
        Kind::Flag if found != Type::Bool => report(format!("must be true or false, it is {}", found.name())),
        Kind::Any | Kind::Integer | Kind::Flag => {}
        Kind::Object(_) if found != Type::Object => report(format!("must be an object, it is {}", found.name())),
        Kind::Object(fields) => match json::members(value) {
            Ok(members) => check(&members, fields, allows_extra, &format!("{prefix}{}.", field.name), errors),
            Err(error) => report(error.to_string()),
        },
    }
}

fn describe_number(found: Type) -> &'static str {
    match found {
        Type::Number => "a fraction",
        other => other.name(),
    }
}

/// Digits with at most one fraction, above zero, without sign and exponent, as everywhere in the service.
fn is_amount(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    digits(whole) && digits(fraction) && text.bytes().any(|b| (b'1'..=b'9').contains(&b))
}

/// The beginning of a long name.
fn shortened(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(MAX_NAME_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{}…", &name[..end])),
        None => Cow::Borrowed(name),
    }
}

fn unknown(name: &str, fields: &[Field]) -> String {
    let allowed = |field: &&Field| field.name.len() / 3 + 1;
    let distance = |field: &&Field| strsim::damerau_levenshtein(&field.name.to_lowercase(), &name.to_lowercase());
    // A name that is much longer is no typing mistake, and comparing takes quadratic time and memory.
    let near = fields.iter().filter(|field| name.len() <= 2 * (field.name.len() + allowed(field)));
    let nearest = near.min_by_key(distance).filter(|field| distance(field) <= allowed(field));
    match nearest {
        Some(field) => format!("is not a known member; did you mean {}?", field.name),
        None if fields.is_empty() => "is not a known member; none is expected here".into(),
        None => {
            let names: Vec<_> = fields.iter().map(|field| field.name).collect();
            format!("is not a known member; known are {}", names.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn field(name: &'static str, kind: Kind, required: bool) -> Field {
        if required { Field::required(name, kind, "") } else { Field::optional(name, kind, "") }
    }
    const FIELDS: &[Field] = &[
        field("reference", Kind::Text, true),
        field("amount", Kind::Amount, false),
        field("count", Kind::Integer, false),
        field("card", Kind::Object(&[field("cvv", Kind::Text, true)]), false),
    ];

    fn errors(text: &str, allows_extra: bool) -> Vec<(String, String)> {
        object(text, FIELDS, allows_extra, "the request", Status::Argument)
            .map_or_else(|error| error.errors, |_| Vec::new())
    }

    #[test]
    fn all_errors_are_reported_at_once_with_their_paths() {
        let found = errors(r#"{"ammount":"1","count":1.5,"card":{"cvv":193,"pin":"1"}}"#, false);
        let expected = [
            ("reference", "is required"),
            ("count", "must be a whole number, it is a fraction"),
            ("card.cvv", "must be a string, it is a number"),
            ("card.pin", "is not a known member; known are cvv"),
            ("ammount", "is not a known member; did you mean amount?"),
        ];
        let expected: Vec<_> = expected.iter().map(|(m, t)| (m.to_string(), t.to_string())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_long_name_and_half_a_million_names_are_refused_quickly() {
        let found = errors(&format!(r#"{{"reference":"r","{}":1}}"#, "é".repeat(500_000)), false);
        assert_eq!(found[0].0, format!("{}…", "é".repeat(MAX_NAME_CHARS)));
        assert_eq!(found[0].1, "is not a known member; known are reference, amount, count, card");
        let many: Vec<_> = (0..500_000).map(|number| format!(r#""m{number}":1"#)).collect();
        assert_eq!(errors(&format!(r#"{{"reference":"r",{}}}"#, many.join(",")), false).len(), MAX_ERRORS);
        let text = format!(r#"{{"reference":"{}"}}"#, "x".repeat(MAX_TEXT));
        let error = object(&text, FIELDS, false, "the request", Status::Argument).unwrap_err();
        assert_eq!(error.message, format!("the request is {} bytes; at most 10485760 are accepted", text.len()));
    }

    #[test]
    fn rows_that_allow_extra_members_still_check_the_known_ones() {
        assert!(errors(r#"{"reference":"r","extra":null,"card":{"cvv":"1","pin":"2"}}"#, true).is_empty());
        assert_eq!(
            errors(r#"{"reference":null}"#, true),
            [("reference".into(), "must be a string, it is null".into())]
        );
    }

    #[test]
    fn amounts_are_decimal_text_above_zero() {
        for good in ["1", "100.10", "0.01", "98000.000000", "007"] {
            assert!(is_amount(good), "{good}");
        }
        for bad in ["", "0", "0.00", "-1", "+1", "1e3", "1,5", " 1", "1.", ".5", "1.2.3", "NaN", "٣"] {
            assert!(!is_amount(bad), "{bad}");
        }
    }

    #[test]
    fn a_text_that_is_no_object_has_a_clear_message() {
        for (text, part) in [
            ("[]", "must be a JSON object, it is an array"),
            ("null", "it is null"),
            ("{\"a\":", "is not JSON: EOF"),
            ("{} {}", "is not JSON: trailing characters"),
            ("{\"reference\":\"a\",\"reference\":\"b\"}", "given twice"),
        ] {
            let error = object(text, FIELDS, false, "the request", Status::Argument).err().unwrap();
            assert!(error.message.contains(part), "{}", error.message);
        }
    }

    #[test]
    fn a_thousand_times_the_same_error_is_reported_a_hundred_times() {
        let many: Vec<_> = (0..1000).map(|index| format!("\"m{index}\":1")).collect();
        assert_eq!(errors(&format!("{{{}}}", many.join(",")), false).len(), MAX_ERRORS);
    }

    #[test]
    fn names_much_longer_than_a_field_are_not_compared() {
        let name = "amount".repeat(200_000);
        assert!(unknown(&name, FIELDS).contains("known are reference"));
        assert!(unknown("Amoumt", FIELDS).contains("did you mean amount?"));
    }

    #[test]
    fn blank_text_is_empty() {
        assert_eq!(errors(r#"{"reference":" "}"#, false), [("reference".into(), "must not be empty".into())]);
    }
}
