//! Input: a JSON pointer, a line break, a JSON document.
//!
//! Here and not in `fuzz/`, because the library's reader of JSON is private.

use super::json::scan;
use crate::response::document::{Document, Value};
use crate::util::json as library;

pub fn pointer(input: &[u8]) {
    let Ok(input) = std::str::from_utf8(input) else { return };
    let Some((pointer, text)) = input.split_once('\n') else { return };
    let scanned = Document::scan(text, &|| false);
    assert_eq!(scanned.is_ok(), library::document(text).is_ok(), "the two readers disagree on what JSON is");
    let Ok(document) = scanned else { return };
    let named_twice = scan(text).named_twice;
    assert_eq!(document.has_duplicate_names(), named_twice, "the two readers disagree on a name that is there twice");
    let found = document.root(text).find(pointer).and_then(Value::plain);
    // serde_json cannot hold some documents: those too deep, with huge numbers or with half of a surrogate pair.
    let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else { return };
    let malformed = pointer.split('~').skip(1).any(|after| !after.starts_with(['0', '1']));
    if malformed {
        assert_eq!(found, None, "a malformed pointer finds something");
        return;
    }
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
            assert_eq!(serde_json::from_str::<serde_json::Value>(text).ok().as_ref(), Some(expected))
        }
        (expected, found) => panic!("{pointer:?}: {expected:?}, found {found:?}"),
    }
}
