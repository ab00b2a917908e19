//! The values of leaves, by the kind of the field.

use paysvc_spec::schema::AnswerKind;
use serde_json::Value;

use super::{Found, time};

/// The longest amount.
const MOST_CHARACTERS: usize = 64;

/// A leaf as a reader reads it.
enum Leaf {
    Absent,
    Unreadable,
    Is(String),
}

pub fn entry(kind: AnswerKind, found: &Found) -> Value {
    match read(kind, found) {
        Leaf::Absent => Value::Null,
        Leaf::Unreadable => Value::Bool(false),
        Leaf::Is(text) => Value::String(text),
    }
}

fn read(kind: AnswerKind, found: &Found) -> Leaf {
    if matches!(found, Found::Absent | Found::Null) {
        return Leaf::Absent;
    }
    match kind {
        AnswerKind::Any => return Leaf::Is(type_name(found).to_owned()),
        AnswerKind::Text => {
            return match found {
                Found::Text(text) | Found::Number(text) => Leaf::Is(text.clone()),
                _ => Leaf::Unreadable,
            };
        }
        _ => {}
    }
    let text = match found {
        Found::Text(text) => text.trim_matches([' ', '\t', '\n', '\r', '\x0b', '\x0c']),
        Found::Number(text) => text,
        _ => "",
    };
    let value = match (kind, found) {
        (_, Found::Text(_)) if text.is_empty() => return Leaf::Absent,
        (AnswerKind::Integer, Found::Text(_) | Found::Number(_)) => integer(text),
        (AnswerKind::Amount | AnswerKind::Decimal, Found::Text(_) | Found::Number(_)) => decimal(text),
        (AnswerKind::Flag, Found::Bool(flag)) => Some(flag.to_string()),
        (AnswerKind::Flag, Found::Text(_)) => {
            Some(text.to_ascii_lowercase()).filter(|word| word == "true" || word == "false")
        }
        (AnswerKind::Time, Found::Text(_)) if time::is_none(text) => return Leaf::Absent,
        (AnswerKind::Time, Found::Text(_)) => time::in_utc(text),
        _ => None,
    };
    value.map_or(Leaf::Unreadable, Leaf::Is)
}

fn type_name(found: &Found) -> &'static str {
    match found {
        Found::Bool(_) => "bool",
        Found::Number(_) => "number",
        Found::Text(_) => "string",
        Found::Array(_) => "array",
        Found::Object => "object",
        Found::Absent | Found::Null => unreachable!("has no value"),
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn integer(text: &str) -> Option<String> {
    let whole = match text.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') => whole,
        Some(_) => return None,
        None => text,
    };
    is_digits(whole.strip_prefix('-').unwrap_or(whole))
        .then(|| whole.parse::<i64>().ok())?
        .map(|value| value.to_string())
}

fn decimal(text: &str) -> Option<String> {
    let (sign, digits) = if let Some(digits) = text.strip_prefix('-') { ("-", digits) } else { ("", text) };
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) if is_digits(fraction) => (whole, &digits[whole.len()..]),
        Some(_) => return None,
        None => (digits, ""),
    };
    if !is_digits(whole) || text.len() > MOST_CHARACTERS {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    Some(format!("{sign}{}{fraction}", if whole.is_empty() { "0" } else { whole }))
}
