//! A second JSON reader, character by character, to compare the library's own with; JSON for the checks of all targets; and
//! the target that looks values up by pointers.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::json::document::{self, Document};

/// The findings of this reader in a JSON document.
#[derive(Default)]
pub struct Scan {
    /// The document without white space, its strings with as few escapes as possible.
    pub compact: String,
    /// An object names a field twice.
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

/// Returns the end of the string that starts here.
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

/// The document for the checks; `None` if it is no JSON, or cannot be held: too deep, a huge number, half of a surrogate pair.
pub fn value(text: &str) -> Option<Value> {
    serde_json::from_str::<Plain>(text).ok().map(|plain| plain.0)
}

/// `Value` reads an object as raw text if its first field has the name that the library's raw values have inside
/// serde_json, so it must not judge what anybody has written.
struct Plain(Value);

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Plain, D::Error> {
        deserializer.deserialize_any(PlainVisitor).map(Plain)
    }
}

struct PlainVisitor;

impl<'de> Visitor<'de> for PlainVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut found = Vec::new();
        while let Some(Plain(item)) = items.next_element()? {
            found.push(item);
        }
        Ok(Value::Array(found))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut found = Map::new();
        while let Some((name, Plain(value))) = members.next_entry::<String, Plain>()? {
            found.insert(name, value);
        }
        Ok(Value::Object(found))
    }
}

/// Max fields of one value that are looked up.
const MEMBERS: usize = 200;

/// Input: a JSON pointer, a line break, a JSON document.
pub fn pointer(input: &[u8]) {
    let Ok(input) = std::str::from_utf8(input) else { return };
    let Some((pointer, text)) = input.split_once('\n') else { return };
    let scanned = Document::scan(text, &|| false);
    assert_eq!(
        scanned.is_ok(),
        serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok(),
        "the two readers disagree on what JSON is"
    );
    let Ok(document) = scanned else { return };
    let named_twice = scan(text).named_twice;
    assert_eq!(document.has_duplicate_names(), named_twice, "the two readers disagree on a name that is there twice");
    let root = document.root(text);
    check_steps(root, "");
    let found = root.find(pointer);
    check_steps(root, pointer);
    let found = found.and_then(document::Value::plain);
    // serde_json cannot hold some documents: those too deep, with huge numbers or with half of a surrogate pair.
    let Some(value) = value(text) else { return };
    let malformed = pointer.split('~').skip(1).any(|after| !after.starts_with(['0', '1']));
    if malformed {
        assert_eq!(found, None, "a malformed pointer finds something");
        return;
    }
    // If there is a duplicate key, serde_json keeps the last field.
    if named_twice {
        return;
    }
    match (value.pointer(pointer), found.as_deref()) {
        (None | Some(Value::Null), None) => {}
        (Some(Value::String(expected)), Some(text)) if expected.contains('\0') => {
            assert_eq!(serde_json::from_str::<String>(&format!("\"{text}\"")).as_ref().ok(), Some(expected));
        }
        (Some(Value::String(expected)), Some(text)) => assert_eq!(text, expected),
        (Some(expected), Some(text)) => assert_eq!(self::value(text).as_ref(), Some(expected)),
        // A name with a NUL is looked up as it is written.
        (None, Some(_)) if text.contains("\\u0000") => {}
        (Some(_), None) if pointer.contains('\0') => {}
        (expected, found) => panic!("{pointer:?}: {expected:?}, found {found:?}"),
    }
}

/// Every child of a value is found by its step; of fields with the same name, the first.
fn check_steps(root: document::Value<'_>, pointer: &str) {
    let Some(value) = root.find(pointer) else { return };
    assert_eq!(value.count(), value.children().count());
    if pointer.matches('/').count() == 128 {
        return;
    }
    let mut names = HashSet::new();
    for (index, child) in value.children().take(MEMBERS).enumerate() {
        let step = child.step().map_or_else(|| index.to_string(), |name| name.into_owned());
        assert_eq!(value.child(index).map(document::Value::index), Some(child.index()));
        let step_pointer = format!("{pointer}/{step}");
        let found = root.find(&step_pointer).map(document::Value::index);
        match names.insert(step) {
            true => assert_eq!(found, Some(child.index()), "a step finds another child"),
            false => assert!(found.is_some_and(|found| found < child.index()), "the first of a name does not count"),
        }
    }
}
