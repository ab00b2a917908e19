//! The body of a plain row, from what was given: a second writer, to compare the library's own with.

use super::json::take_string;
use paysvc_spec::schema::{Endpoint, Field, Kind, Wire};

/// `compact` with its amounts in the row's form.
pub fn as_sent(row: &Endpoint, compact: &str) -> String {
    let (mut rest, mut out) = (compact, String::new());
    value(Some(Kind::Object(row.fields)), &mut rest, &mut out);
    out
}

/// Takes a value off the text and appends it.
fn value(kind: Option<Kind>, rest: &mut &str, out: &mut String) {
    match rest.as_bytes()[0] {
        b'{' => members(kind, rest, out),
        b'[' => elements(kind, rest, out),
        b'"' => {
            let text = take_string(rest);
            match kind {
                Some(Kind::Amount(Wire::Number)) => {
                    let digits = text.trim_matches('"').trim_start_matches('0');
                    *out += if digits.starts_with('.') { "0" } else { "" };
                    *out += digits;
                }
                _ => *out += text,
            }
        }
        _ => {
            let literal = take(rest, rest.find([',', '}', ']']).unwrap_or(rest.len()));
            match kind {
                Some(Kind::Amount(Wire::Text)) => *out += &format!("\"{literal}\""),
                _ => *out += literal,
            }
        }
    }
}

fn members(kind: Option<Kind>, rest: &mut &str, out: &mut String) {
    let fields = if let Some(Kind::Object(fields)) = kind { fields } else { &[] };
    *out += take(rest, 1);
    while !rest.starts_with('}') {
        *out += take(rest, usize::from(rest.starts_with(',')));
        let name = take_string(rest);
        *out += name;
        *out += take(rest, 1);
        let is_named = |field: &&Field| serde_json::from_str::<String>(name).is_ok_and(|name| field.name == name);
        value(fields.iter().find(is_named).map(|field| field.kind), rest, out);
    }
    *out += take(rest, 1);
}

fn elements(kind: Option<Kind>, rest: &mut &str, out: &mut String) {
    let each = if let Some(Kind::List(fields)) = kind { Some(Kind::Object(fields)) } else { None };
    *out += take(rest, 1);
    while !rest.starts_with(']') {
        *out += take(rest, usize::from(rest.starts_with(',')));
        value(each, rest, out);
    }
    *out += take(rest, 1);
}

/// The first bytes of the text, which are taken off.
fn take<'t>(rest: &mut &'t str, length: usize) -> &'t str {
    let (taken, after) = rest.split_at(length);
    *rest = after;
    taken
}
