//! A second JSON reader, character by character, to compare the library's own with.

use std::collections::HashSet;

use serde_json::Value;

/// What this reader finds in a JSON document.
#[derive(Default)]
pub struct Scan {
    /// The document without white space, its strings with as few escapes as possible.
    pub compact: String,
    /// An object names a member twice.
    pub named_twice: bool,
}

/// The names of an object so far.
#[derive(Default)]
struct Names {
    all: HashSet<String>,
    /// With half of a surrogate pair: as they are written. Two of them count as one name.
    halves: usize,
}

/// Reads a text that is known to be JSON.
pub fn scan(text: &str) -> Scan {
    let mut scan = Scan::default();
    // One entry per open level: an object's names so far, or none for an array.
    let mut levels: Vec<Option<Names>> = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == '"' {
            let (literal, after) = rest.split_at(end_of_string(rest));
            rest = after;
            let decoded = serde_json::from_str::<String>(literal).ok();
            if rest.trim_start().starts_with(':')
                && let Some(Some(names)) = levels.last_mut()
            {
                names.halves += usize::from(decoded.is_none());
                let name = decoded.clone().unwrap_or_else(|| literal[1..literal.len() - 1].to_owned());
                scan.named_twice |= !names.all.insert(name) || names.halves == 2;
            }
            // Half of a surrogate pair is no text, and stays as it was written.
            let plain = decoded.map(|text| Value::String(text).to_string());
            scan.compact.push_str(plain.as_deref().unwrap_or(literal));
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '{' => levels.push(Some(Names::default())),
            '[' => levels.push(None),
            '}' | ']' => drop(levels.pop()),
            _ => {}
        }
        if !c.is_ascii_whitespace() {
            scan.compact.push(c);
        }
    }
    scan
}

/// The string that the text starts with, which is taken off.
pub fn take_string<'t>(rest: &mut &'t str) -> &'t str {
    let (string, after) = rest.split_at(end_of_string(rest));
    *rest = after;
    string
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
