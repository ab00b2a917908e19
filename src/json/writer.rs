//! Writes JSON without white space.

use serde::de::Error as _;
use serde_json::Error;
use serde_json::value::RawValue;
use zeroize::Zeroizing;

use super::raw::{has_escape, items, members, text};
use super::types::{MAX_DEPTH, Type};

/// Appends the value without white space, text as plain UTF-8, numbers exactly as they are written.
///
/// The result is never longer than the value, so a buffer of that capacity does not move.
pub fn compact(value: &RawValue, out: &mut Vec<u8>) -> Result<(), Error> {
    compact_level(value, out, MAX_DEPTH)
}

fn too_deep() -> Error {
    Error::custom(format_args!("nests deeper than {MAX_DEPTH} levels"))
}

fn compact_level(value: &RawValue, out: &mut Vec<u8>, depth: usize) -> Result<(), Error> {
    let depth = depth.checked_sub(1).ok_or_else(too_deep)?;
    match Type::of(value) {
        Type::Object => {
            out.push(b'{');
            for (index, (name, value)) in members(value)?.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                quote(name, out);
                out.push(b':');
                compact_level(value, out, depth)?;
            }
            out.push(b'}');
        }
        Type::Array => {
            out.push(b'[');
            for (index, item) in items(value)?.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                compact_level(item, out, depth)?;
            }
            out.push(b']');
        }
        Type::Text if has_escape(value.get()) => compact_text(value, out),
        // A string without escapes is compact already.
        Type::Text | Type::Number | Type::Bool | Type::Null => out.extend_from_slice(value.get().as_bytes()),
    }
    Ok(())
}

fn compact_text(value: &RawValue, out: &mut Vec<u8>) {
    match text(value) {
        Some(text) => {
            quote(&text, out);
            // The unescaped copy may be a secret.
            drop(Zeroizing::new(text.into_owned()));
        }
        // An unpaired surrogate is not text, but the caller may send it as it is.
        None => out.extend_from_slice(value.get().as_bytes()),
    }
}

/// Appends a JSON string.
pub fn quote(text: &str, out: &mut Vec<u8>) {
    serde_json::to_writer(out, text).expect("writing text to memory cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn compacted(text: &str) -> Result<String, Error> {
        let mut out = Vec::new();
        compact(parse(text).unwrap(), &mut out).map(|()| String::from_utf8(out).unwrap())
    }

    #[test]
    fn numbers_and_order_survive() {
        let text = r#" { "b" : 100.10 , "a" : [ 1e400 , -0 , 12345678901234567890.000 ] , "c" : { } } "#;
        assert_eq!(compacted(text).unwrap(), r#"{"b":100.10,"a":[1e400,-0,12345678901234567890.000],"c":{}}"#);
    }

    #[test]
    fn text_becomes_plain_utf8_and_never_grows() {
        let text = r#"{"n":"\u0041d\u00e9\u1ecd\ud83d\ude00\/","q":"\"\\\u0001\b","half":"\ud800"}"#;
        let out = compacted(text).unwrap();
        assert_eq!(out, r#"{"n":"Adéọ😀/","q":"\"\\\u0001\b","half":"\ud800"}"#);
        assert!(out.len() <= text.len());
    }

    #[test]
    fn depth_is_bounded() {
        let nest = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(compacted(&nest(MAX_DEPTH)).is_ok());
        assert_eq!(compacted(&nest(MAX_DEPTH + 1)).unwrap_err().to_string(), "nests deeper than 32 levels");
        // Reading skips values, however deep they are.
        assert!(parse(&nest(100_000)).is_ok());
    }
}
