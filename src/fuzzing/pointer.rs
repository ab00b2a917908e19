//! Input: a JSON pointer, a line break, a JSON document.

use serde_json::Value;

use super::oracle;
use crate::json;

pub fn pointer(input: &[u8]) {
    let Ok(input) = std::str::from_utf8(input) else { return };
    let Some((pointer, text)) = input.split_once('\n') else { return };
    let Ok(document) = json::document(text) else {
        assert!(serde_json::from_str::<Value>(text).is_err(), "valid JSON is refused");
        return;
    };
    let found = json::pointer(document, pointer);
    // What serde_json cannot hold (depth, huge numbers, half surrogates), or reads otherwise on purpose.
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    let malformed = pointer.split('~').skip(1).any(|after| !after.starts_with(['0', '1']));
    if malformed {
        assert_eq!(found, None, "a malformed pointer finds something");
        return;
    }
    if oracle::walk(text).twice.is_some() {
        return;
    }
    match (value.pointer(pointer), found.as_deref()) {
        (None | Some(Value::Null), None) => {}
        (Some(Value::String(expected)), Some(text)) if expected.contains('\0') => {
            assert_eq!(serde_json::from_str::<String>(&format!("\"{text}\"")).as_ref().ok(), Some(expected));
        }
        (Some(Value::String(expected)), Some(text)) => assert_eq!(text, expected),
        (Some(expected), Some(text)) => assert_eq!(serde_json::from_str::<Value>(text).ok().as_ref(), Some(expected)),
        (expected, found) => panic!("{pointer:?}: {expected:?}, found {found:?}"),
    }
}
