//! JSON, level by level: an object is read as its members, each as its text, so that numbers are never converted.
//!
//! An object that has a member twice is refused, because two readers would disagree about it.

use std::borrow::Cow;
use std::collections::TryReserveError;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::util::memory;

/// How deep the JSON of a caller may nest. The deepest payload of the service has 3 levels.
pub const MAX_DEPTH: usize = 32;
/// As many members as nearly every object has at most.
const FEW: usize = 16;

/// The members of one object, in their order.
pub type Members<'a> = Vec<(Cow<'a, str>, &'a RawValue)>;

/// The type of a JSON value, which its first character tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    Object,
    Array,
    Text,
    Number,
    Bool,
    Null,
}

impl Type {
    pub fn of(value: &RawValue) -> Type {
        Type::of_byte(value.get().as_bytes()[0])
    }

    pub fn of_byte(first: u8) -> Type {
        match first {
            b'{' => Type::Object,
            b'[' => Type::Array,
            b'"' => Type::Text,
            b't' | b'f' => Type::Bool,
            b'n' => Type::Null,
            _ => Type::Number,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Type::Object => "an object",
            Type::Array => "an array",
            Type::Text => "a string",
            Type::Number => "a number",
            Type::Bool => "a boolean",
            Type::Null => "null",
        }
    }
}

/// Checks that the text is one JSON document and nothing else.
pub fn document(text: &str) -> Result<&RawValue, serde_json::Error> {
    serde_json::from_str(text)
}

/// The members of an object; fails for anything else and for a member that is given twice.
pub fn members(value: &RawValue) -> Result<Members<'_>, serde_json::Error> {
    members_of(value.get())
}

/// The members of a text that must be exactly one object, checked and split in one pass.
pub fn members_of(text: &str) -> Result<Members<'_>, serde_json::Error> {
    struct Level;
    impl<'de> Visitor<'de> for Level {
        type Value = Members<'de>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
            let mut members: Members<'de> = Vec::with_capacity(FEW);
            while let Some((Text(name), value)) = map.next_entry::<Text<'de>, &'de RawValue>()? {
                members.try_reserve(1).map_err(A::Error::custom)?;
                members.push((name, value));
            }
            match duplicate(&members).map_err(A::Error::custom)? {
                Some(name) => Err(A::Error::custom(format_args!("member {name:?} is given twice"))),
                None => Ok(members),
            }
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let members = deserializer.deserialize_map(Level)?;
    deserializer.end()?;
    Ok(members)
}

/// A name that occurs twice. Many names are sorted, because an answer may have a million members.
fn duplicate<'m>(members: &'m Members<'_>) -> Result<Option<&'m str>, TryReserveError> {
    if members.len() <= FEW {
        let again =
            |(index, (name, _)): &(usize, &(Cow<'_, str>, _))| members[..*index].iter().any(|(known, _)| known == name);
        return Ok(members.iter().enumerate().find(again).map(|(_, (name, _))| name.as_ref()));
    }
    let mut names: Vec<&str> = Vec::new();
    names.try_reserve_exact(members.len())?;
    names.extend(members.iter().map(|(name, _)| name.as_ref()));
    names.sort_unstable();
    Ok(names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]))
}

/// The items of an array; fails for anything else.
pub fn items(value: &RawValue) -> Result<Vec<&RawValue>, serde_json::Error> {
    struct Level;
    impl<'de> Visitor<'de> for Level {
        type Value = Vec<&'de RawValue>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut items = Vec::new();
            while let Some(item) = seq.next_element()? {
                items.try_reserve(1).map_err(A::Error::custom)?;
                items.push(item);
            }
            Ok(items)
        }
    }
    serde_json::Deserializer::from_str(value.get()).deserialize_seq(Level)
}

/// A JSON string, borrowed from the document unless it holds an escape.
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Str;
        impl<'de> Visitor<'de> for Str {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Str)
    }
}

/// The member of an object by its name.
pub fn member<'a>(members: &Members<'a>, name: &str) -> Option<&'a RawValue> {
    members.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
}

fn has_escape(raw: &str) -> bool {
    memchr::memchr(b'\\', raw.as_bytes()).is_some()
}

/// The text of a JSON string; `None` for anything else, for an unpaired surrogate, and if there is no memory for it.
pub fn text(value: &RawValue) -> Option<Cow<'_, str>> {
    unescaped(value.get())
}

/// The same for a string as it is written, which has been checked.
pub fn unescaped(raw: &str) -> Option<Cow<'_, str>> {
    if raw.starts_with('"') && !has_escape(raw) {
        // Checked with the document, and without escapes.
        return Some(Cow::Borrowed(&raw[1..raw.len() - 1]));
    }
    if !memory::can_read(raw.len()) {
        return None;
    }
    let mut deserializer = serde_json::Deserializer::from_str(raw);
    Text::deserialize(&mut deserializer).ok().map(|Text(text)| text)
}

/// Why a caller's JSON could not be written compactly.
#[derive(Debug)]
pub enum CompactError {
    TooDeep,
    Json(serde_json::Error),
}

impl fmt::Display for CompactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompactError::TooDeep => write!(f, "nests deeper than {MAX_DEPTH} levels"),
            CompactError::Json(error) => error.fmt(f),
        }
    }
}

/// Appends the value without white space, text as plain UTF-8, numbers exactly as they are written.
///
/// The result is never longer than the value, so a buffer of that capacity does not move.
pub fn compact(value: &RawValue, out: &mut Vec<u8>) -> Result<(), CompactError> {
    compact_level(value, out, MAX_DEPTH)
}

fn compact_level(value: &RawValue, out: &mut Vec<u8>, depth: usize) -> Result<(), CompactError> {
    let depth = depth.checked_sub(1).ok_or(CompactError::TooDeep)?;
    match Type::of(value) {
        Type::Object => {
            out.push(b'{');
            for (index, (name, value)) in members(value).map_err(CompactError::Json)?.iter().enumerate() {
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
            for (index, item) in items(value).map_err(CompactError::Json)?.iter().enumerate() {
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
            // The unescaped copy may be a card number.
            drop(zeroize::Zeroizing::new(text.into_owned()));
        }
        // An unpaired surrogate is no text, but the caller may send it as it is.
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

    fn compacted(text: &str) -> Result<String, CompactError> {
        let mut out = Vec::new();
        compact(document(text).unwrap(), &mut out).map(|()| String::from_utf8(out).unwrap())
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
    fn a_member_given_twice_is_refused_even_if_escaped() {
        let error = members(document(r#"{"a":1,"\u0061":2}"#).unwrap()).unwrap_err();
        assert!(error.to_string().contains(r#"member "a" is given twice"#), "{error}");
    }

    #[test]
    fn depth_is_bounded() {
        let nest = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(compacted(&nest(MAX_DEPTH)).is_ok());
        assert!(matches!(compacted(&nest(MAX_DEPTH + 1)), Err(CompactError::TooDeep)));
        // Reading skips values, however deep they are.
        assert!(document(&nest(100_000)).is_ok());
    }
}
