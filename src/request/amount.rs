//! Amounts of money in a request: decimal text from the caller to the wire, never floating point.

use std::borrow::Cow;

use crate::json::{Type, Value};
use crate::util::text::is_digits;
use paysvc_spec::schema::{LONGEST_AMOUNT, Wire};

/// Max growth of an amount when it is written: a number gets quotes.
pub const GROWTH: usize = 2;

const EXPECTED: &str = "must be a decimal amount above zero in major units, like \"100.10\"";

/// Returns the fault of an amount; `None` for a good one.
pub fn fault(value: Value<'_>) -> Option<String> {
    let found = value.kind();
    if !matches!(found, Type::Text | Type::Number) {
        return Some(format!("must be a decimal amount such as \"100.10\", not {}", found.name()));
    }
    match digits(value) {
        Some(digits) if digits.len() > LONGEST_AMOUNT => {
            Some(format!("has {} characters; an amount has at most {LONGEST_AMOUNT}", digits.chars().count()))
        }
        Some(digits) if is_amount(&digits) => None,
        _ => Some(EXPECTED.into()),
    }
}

/// As it is written in the JSON: the text of a string, the literal of a number.
pub fn digits(value: Value<'_>) -> Option<Cow<'_, str>> {
    match value.kind() {
        Type::Number => Some(Cow::Borrowed(value.raw())),
        _ => value.text(),
    }
}

/// Digits with at most one decimal point, above zero, without sign and exponent, as everywhere in the service.
fn is_amount(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    is_digits(whole) && is_digits(fraction) && text.bytes().any(|b| (b'1'..=b'9').contains(&b))
}

/// Appends a good amount in the row's form, with the digits that the caller gave. JSON numbers cannot begin with zeros,
/// so those of a text are left out: `"007.50"` is sent as `7.50`.
///
/// The result is at most [`GROWTH`] bytes longer than the value. False, and nothing is written, for a value that has a
/// [`fault`].
pub fn push(value: Value<'_>, wire: Wire, out: &mut Vec<u8>) -> bool {
    let Some(digits) = digits(value).filter(|digits| is_amount(digits)) else { return false };
    match wire {
        Wire::Text => {
            out.push(b'"');
            out.extend_from_slice(digits.as_bytes());
            out.push(b'"');
        }
        Wire::Number => {
            let significant = digits.trim_start_matches('0');
            if significant.starts_with('.') {
                out.push(b'0');
            }
            out.extend_from_slice(significant.as_bytes());
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::document::Document;

    fn fault(json: &str) -> Option<String> {
        super::fault(Document::read(json).unwrap().root(json))
    }

    fn push(json: &str, wire: Wire, out: &mut Vec<u8>) -> bool {
        super::push(Document::read(json).unwrap().root(json), wire, out)
    }

    fn written(json: &str, wire: Wire) -> String {
        assert_eq!(fault(json), None, "{json}");
        let mut out = Vec::new();
        assert!(push(json, wire, &mut out), "{json}");
        assert!(out.len() <= json.len() + GROWTH, "{json}");
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_digit_is_written_in_the_form_of_the_row() {
        for (given, text, number) in [
            (r#""100.10""#, r#""100.10""#, "100.10"),
            ("100.10", r#""100.10""#, "100.10"),
            ("7", r#""7""#, "7"),
            (r#""007""#, r#""007""#, "7"),
            (r#""00.50""#, r#""00.50""#, "0.50"),
            (r#""0.01""#, r#""0.01""#, "0.01"),
            (r#""\u0031.5\u0030""#, r#""1.50""#, "1.50"),
            ("98000.000000", r#""98000.000000""#, "98000.000000"),
            ("12345678901234567890.000", r#""12345678901234567890.000""#, "12345678901234567890.000"),
        ] {
            assert_eq!((written(given, Wire::Text).as_str(), written(given, Wire::Number).as_str()), (text, number));
            Document::read(number).unwrap();
        }
    }

    #[test]
    fn what_is_no_amount_above_zero_is_refused() {
        let texts = ["", "0", "0.00", "-1", "+1", "1e3", "1,5", " 1", "1.", ".5", "1.2.3", "NaN", "٣", "\\ud800"];
        let numbers = ["0", "0.00", "-1", "-0.5", "1e3", "1E+2", "1.0e-1"];
        let texts = texts.iter().map(|text| format!("\"{text}\""));
        for json in texts.chain(numbers.iter().map(|number| number.to_string())) {
            assert_eq!(fault(&json).as_deref(), Some(EXPECTED), "{json}");
            let mut out = Vec::new();
            assert!(!push(&json, Wire::Number, &mut out) && out.is_empty(), "{json}");
        }
        for (json, found) in [("null", "null"), ("true", "a boolean"), ("[1]", "an array"), ("{}", "an object")] {
            let text = fault(json).unwrap();
            assert_eq!(text, format!("must be a decimal amount such as \"100.10\", not {found}"));
        }
    }

    #[test]
    fn an_amount_has_at_most_64_characters() {
        let good = "9".repeat(LONGEST_AMOUNT);
        for json in [good.clone(), format!("\"{good}\"")] {
            assert_eq!(fault(&json), None);
        }
        for json in [format!("{good}9"), format!("\"{good}9\"")] {
            let text = fault(&json).unwrap();
            assert_eq!(text, "has 65 characters; an amount has at most 64");
        }
    }
}
