//! JSON, level by level: an object is read as its fields, each as its text, so that numbers are never converted.
//!
//! An object that has a field twice is refused, because two readers would disagree about it.

use std::borrow::Cow;
use std::collections::HashSet;

use zeroize::Zeroizing;

use super::document::{Document, Value};
use super::scan::{Node, ScanError, Scanner};
use super::{MAX_DEPTH, Type, quote};
use crate::util::memory;

/// The text of one value, which has been checked, without white space around it.
pub type RawValue = str;

/// The fields of one object, in their order.
pub type Members<'a> = Vec<(Cow<'a, str>, &'a RawValue)>;

/// Why a text or a value cannot be used. It may name a field, and never repeats a value.
pub type Error = Cow<'static, str>;

/// `at`: how far the text was read.
fn why_not_read(error: ScanError, text: &str, at: usize) -> Error {
    match error {
        ScanError::Syntax if at >= text.len() => "it ends too early".into(),
        ScanError::Syntax => {
            let before = &text.as_bytes()[..at];
            let line_start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
            let line = memchr::memchr_iter(b'\n', before).count() + 1;
            format!("it cannot be read from line {line}, byte {} on", at - line_start + 1).into()
        }
        ScanError::TooMany | ScanError::NoMemory | ScanError::Stopped => memory::TOO_LARGE.into(),
    }
}

/// The values of the first levels of a text that must be exactly one; the text itself is a level.
fn level(text: &str, levels: usize) -> Result<(Vec<Node>, bool), Error> {
    let mut scanner = Scanner::new(text, &|| false, u32::MAX as usize, levels);
    match scanner.scan() {
        Ok(()) => Ok((scanner.nodes, scanner.has_duplicate_names)),
        Err(error) => Err(why_not_read(error, text, scanner.at)),
    }
}

/// The value of a text that must be exactly one.
pub fn parse(text: &str) -> Result<&RawValue, Error> {
    level(text, 1).map(|(nodes, _)| nodes[0].raw(text))
}

/// The fields of a text that must be exactly one object, checked and split in one pass; fails for a field that is given
/// twice.
pub fn members(text: &str) -> Result<Members<'_>, Error> {
    let nodes = children(text, Type::Object)?;
    let mut members = memory::list(nodes.len()).ok_or(memory::TOO_LARGE)?;
    for node in &nodes[1..] {
        members.push((node.exact_name(text).ok_or(NO_NAME)?, node.raw(text)));
    }
    Ok(members)
}

/// The items of an array; fails for anything else.
pub fn items(value: &RawValue) -> Result<Vec<&RawValue>, Error> {
    let nodes = children(value, Type::Array)?;
    let mut items = memory::list(nodes.len()).ok_or(memory::TOO_LARGE)?;
    items.extend(nodes[1..].iter().map(|node| node.raw(value)));
    Ok(items)
}

const NO_NAME: &str = "the name of a field is not valid Unicode text";

/// The value and its children.
fn children(text: &str, kind: Type) -> Result<Vec<Node>, Error> {
    let (nodes, twice) = level(text, 2)?;
    if Type::of(nodes[0].raw(text)) != kind {
        return Err(format!("must be {}", kind.name()).into());
    }
    if twice {
        let document = Document::scan_own(text).map_err(|error| why_not_read(error, text, 0))?;
        unique(document.root(text))?;
    }
    Ok(nodes)
}

/// The field of an object by its name.
pub fn member<'a>(members: &Members<'a>, name: &str) -> Option<&'a RawValue> {
    members.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
}

/// The text of a JSON string as it is written, which has been checked; `None` for anything else, for an unpaired
/// surrogate, and if there is not enough memory for it.
pub fn text(value: &RawValue) -> Option<Cow<'_, str>> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    if !memory::can_read(value.len()) {
        return None;
    }
    serde_json::from_str(value).ok().map(Cow::Owned)
}

/// Appends the value without white space, text as plain UTF-8, numbers exactly as they are written.
///
/// The result is never longer than the value, so a buffer of that capacity does not move.
pub fn compact(value: &RawValue, out: &mut Vec<u8>) -> Result<(), Error> {
    match Type::of(value) {
        Type::Object | Type::Array => {
            let document = Document::scan_own(value).map_err(|error| why_not_read(error, value, 0))?;
            compact_level(document.root(value), document.has_duplicate_names(), out, MAX_DEPTH)
        }
        _ => {
            compact_scalar(value, out);
            Ok(())
        }
    }
}

/// `twice`: an object of the document has two fields with the same name.
fn compact_level(value: Value<'_>, twice: bool, out: &mut Vec<u8>, depth: usize) -> Result<(), Error> {
    let depth = depth.checked_sub(1).ok_or_else(|| format!("nests deeper than {MAX_DEPTH} levels"))?;
    let kind = value.kind();
    let (open, close) = match kind {
        Type::Object => (b'{', b'}'),
        Type::Array => (b'[', b']'),
        _ => {
            compact_scalar(value.raw(), out);
            return Ok(());
        }
    };
    if twice && kind == Type::Object {
        unique(value)?;
    }
    out.push(open);
    for (index, child) in value.children().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        if kind == Type::Object {
            quote(&child.exact_name().ok_or(NO_NAME)?, out);
            out.push(b':');
        }
        compact_level(child, twice, out, depth)?;
    }
    out.push(close);
    Ok(())
}

/// Fails if an object has two fields with the same name.
pub fn unique(object: Value<'_>) -> Result<(), Error> {
    let mut names = HashSet::new();
    for name in object.children().map(Value::exact_name) {
        names.try_reserve(1).map_err(|_| memory::TOO_LARGE)?;
        let name = name.ok_or(NO_NAME)?;
        if !names.insert(name.clone()) {
            return Err(format!("field {name:?} is given twice").into());
        }
    }
    Ok(())
}

fn compact_scalar(value: &RawValue, out: &mut Vec<u8>) {
    match text(value) {
        // The unescaped copy may be a secret.
        Some(Cow::Owned(text)) => quote(&Zeroizing::new(text), out),
        // A string without escapes is compact already. An unpaired surrogate is not text, but the caller may send it as
        // it is.
        Some(Cow::Borrowed(_)) | None => out.extend_from_slice(value.as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_given_twice_is_refused_even_if_escaped() {
        let error = members(r#"{"a":1,"\u0061":2}"#).unwrap_err();
        assert_eq!(error.to_string(), r#"field "a" is given twice"#);
        assert!(members(r#"{"\ud800":1}"#).is_err() && members(r#"{"\ud800":1,"\uD800":1}"#).is_err());
        // Deeper ones are refused where they are read.
        assert!(members(r#"{"a":{"b":1,"b":2}}"#).is_ok());
    }

    #[test]
    fn an_error_says_where_the_text_is_wrong() {
        for (text, expected) in [
            ("{\"a\":", "it ends too early"),
            ("", "it ends too early"),
            ("{} {}", "it cannot be read from line 1, byte 4 on"),
            ("{\n \"a\": x}", "it cannot be read from line 2, byte 7 on"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), expected, "{text}");
        }
    }

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
