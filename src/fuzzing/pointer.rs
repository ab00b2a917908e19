//! Input: a JSON pointer, a line break, a JSON document.
//!
//! Here and not in `fuzz/`, because the library's reader of JSON is private.

use std::collections::HashSet;

use super::json::scan;
use super::value::value;
use crate::json as library;
use crate::json::document::{Document, Value};

/// How many members of one value are looked up.
const MEMBERS: usize = 200;

pub fn pointer(input: &[u8]) {
    let Ok(input) = std::str::from_utf8(input) else { return };
    let Some((pointer, text)) = input.split_once('\n') else { return };
    let scanned = Document::scan(text, &|| false);
    assert_eq!(scanned.is_ok(), library::parse(text).is_ok(), "the two readers disagree on what JSON is");
    let Ok(document) = scanned else { return };
    let named_twice = scan(text).named_twice;
    assert_eq!(document.has_duplicate_names(), named_twice, "the two readers disagree on a name that is there twice");
    let root = document.root(text);
    check_steps(root, "");
    let found = root.find(pointer);
    assert_eq!(root.look(pointer).map(Value::index), found.map(Value::index), "the index finds something else");
    check_steps(root, pointer);
    let found = found.and_then(Value::plain);
    // serde_json cannot hold some documents: those too deep, with huge numbers or with half of a surrogate pair.
    let Some(value) = value(text) else { return };
    let malformed = pointer.split('~').skip(1).any(|after| !after.starts_with(['0', '1']));
    if malformed {
        assert_eq!(found, None, "a malformed pointer finds something");
        return;
    }
    // Of members with the same name, serde_json keeps the last.
    if named_twice {
        return;
    }
    match (value.pointer(pointer), found.as_deref()) {
        (None | Some(serde_json::Value::Null), None) => {}
        (Some(serde_json::Value::String(expected)), Some(text)) if expected.contains('\0') => {
            assert_eq!(serde_json::from_str::<String>(&format!("\"{text}\"")).as_ref().ok(), Some(expected));
        }
        (Some(serde_json::Value::String(expected)), Some(text)) => assert_eq!(text, expected),
        (Some(expected), Some(text)) => {
            assert_eq!(super::value::value(text).as_ref(), Some(expected))
        }
        // A name with a NUL is looked up as it is written.
        (None, Some(_)) if text.contains("\\u0000") => {}
        (Some(_), None) if pointer.contains('\0') => {}
        (expected, found) => panic!("{pointer:?}: {expected:?}, found {found:?}"),
    }
}

/// Every child of a value is found by its step; of members with the same name, the first.
fn check_steps(root: Value<'_>, pointer: &str) {
    let Some(value) = root.find(pointer) else { return };
    assert_eq!(value.count(), value.children().count());
    if pointer.matches('/').count() == 128 {
        return;
    }
    let mut names = HashSet::new();
    for (index, child) in value.children().take(MEMBERS).enumerate() {
        let step = child.step().map_or_else(|| index.to_string(), |name| name.into_owned());
        assert_eq!(value.look_child(index).map(Value::index), Some(child.index()));
        let step_pointer = format!("{pointer}/{step}");
        let found = root.look(&step_pointer).map(Value::index);
        assert_eq!(root.find(&step_pointer).map(Value::index), found, "the index finds something else");
        match names.insert(step) {
            true => assert_eq!(found, Some(child.index()), "a step finds another child"),
            false => assert!(found.is_some_and(|found| found < child.index()), "the first of a name does not count"),
        }
    }
}
