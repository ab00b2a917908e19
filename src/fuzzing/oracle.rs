//! Second opinions, reached by another way than the library's: character by character, or by `serde_json::Value`.

use std::collections::HashSet;

use serde_json::Value;

/// A JSON document read character by character.
#[derive(Default)]
pub struct Walk {
    /// Without white space, text as plain UTF-8.
    pub compact: String,
    /// The outermost level at which an object names a member twice.
    pub twice: Option<usize>,
}

/// `text` must be JSON.
pub fn walk(text: &str) -> Walk {
    let mut walk = Walk::default();
    // One entry per open level: an object's names so far, or none for an array.
    let mut levels: Vec<Option<HashSet<String>>> = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == '"' {
            let (literal, after) = rest.split_at(end_of_string(rest));
            rest = after;
            let decoded = serde_json::from_str::<String>(literal).ok();
            if rest.trim_start().starts_with(':')
                && let (Some(Some(names)), Some(name)) = (levels.last_mut(), &decoded)
                && !names.insert(name.clone())
            {
                walk.twice = Some(walk.twice.unwrap_or(usize::MAX).min(levels.len()));
            }
            // Half of a surrogate pair is no text, and stays as it was written.
            let plain = decoded.map(|text| Value::String(text).to_string());
            walk.compact.push_str(plain.as_deref().unwrap_or(literal));
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '{' => levels.push(Some(HashSet::new())),
            '[' => levels.push(None),
            '}' | ']' => drop(levels.pop()),
            _ => {}
        }
        if !c.is_ascii_whitespace() {
            walk.compact.push(c);
        }
    }
    walk
}

/// Where the string that starts here ends.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return index + 1,
            _ => {}
        }
    }
    panic!("a string without end is not JSON")
}

/// Whether an answer says in plain words that it did not do it: what no confirmation may stand beside.
pub fn denies(body: &Value) -> bool {
    let word = |value: &Value| value.as_str().map(|word| word.trim().to_ascii_lowercase());
    let status = &body["status"];
    *status == Value::Bool(false)
        || word(status).is_some_and(|word| ["failed", "failure", "error"].contains(&word.as_str()))
        || body["isSuccess"] == Value::Bool(false)
        || match &body["error"] {
            Value::Null | Value::Bool(false) | Value::Number(_) => false,
            Value::String(text) => !text.trim().is_empty(),
            Value::Array(items) => !items.is_empty(),
            Value::Bool(true) | Value::Object(_) => true,
        }
        || match &body["errors"] {
            Value::Object(members) => !members.is_empty(),
            Value::Array(items) => !items.is_empty(),
            Value::String(text) => !text.trim().is_empty(),
            _ => false,
        }
}
