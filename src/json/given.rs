//! The JSON of a program, read once: what checks it, writes it, looks it up and searches it for secrets passes the same
//! document. Numbers are never converted.

use std::borrow::Cow;

use super::document::{Children, Document, Value};
use super::scan::ScanError;
use super::{MAX_DEPTH, Type};
use crate::util::memory::{self, MAX_TEXT};

/// The reason why a text or a value cannot be used. It may name a field, and never repeats a value.
pub type Error = Cow<'static, str>;

/// A text of the program, and where its values are.
pub struct Given<'t> {
    text: &'t str,
    document: Result<Document, Error>,
}

impl<'t> Given<'t> {
    /// Reads a text of at most [`MAX_TEXT`] bytes.
    pub fn read(text: &'t str) -> Given<'t> {
        Given::read_within(text, MAX_TEXT)
    }

    /// The same of at most that many bytes.
    pub fn read_within(text: &'t str, most: usize) -> Given<'t> {
        let document = match text.len() {
            length if length > most => Err(format!("is {length} bytes; at most {most} are accepted").into()),
            length if !memory::can_read(length) => {
                Err(format!("is {length} bytes, which {}", memory::TOO_LARGE).into())
            }
            _ => Document::read(text).map_err(|error| format!("is not JSON: {error}").into()),
        };
        Given { text, document }
    }

    /// Its fields. The error follows the name of what was given.
    pub fn fields(&self) -> Result<Fields<'_>, Error> {
        let root = self.document.as_ref().map_err(Error::clone)?.root(self.text);
        match root.kind() {
            Type::Object => Ok(root.fields()),
            found => Err(format!("must be a JSON object, not {}", found.name()).into()),
        }
    }

    /// As [`Document::fault`], with [`MAX_DEPTH`] levels in each field.
    pub fn fault(&self) -> Option<(String, Error)> {
        self.document.as_ref().ok()?.fault(self.text, MAX_DEPTH + 1)
    }

    /// Returns the number of its bytes.
    pub fn len(&self) -> usize {
        self.text.len()
    }
}

/// The fields of an object, in their order.
#[derive(Clone, Copy)]
pub enum Fields<'d> {
    Of(Value<'d>),
    /// Values of another document under these names.
    Named(&'d [(&'static str, Value<'d>)]),
}

impl<'d> Fields<'d> {
    pub fn iter(self) -> impl Iterator<Item = (Cow<'d, str>, Value<'d>)> {
        match self {
            Fields::Of(object) if object.kind() == Type::Object => FieldsIter::Of(object.children()),
            Fields::Of(_) => FieldsIter::Named([].iter()),
            Fields::Named(named) => FieldsIter::Named(named.iter()),
        }
    }

    /// The first of that name.
    pub fn get(self, name: &str) -> Option<Value<'d>> {
        match self {
            Fields::Of(object) => object.member(name),
            Fields::Named(named) => named.iter().find(|(known, _)| *known == name).map(|(_, value)| *value),
        }
    }

    pub fn text(self, name: &str) -> Option<Cow<'d, str>> {
        self.get(name)?.text()
    }

    /// Returns whether the field of that name is true; `None` if it is left out.
    pub fn flag(self, name: &str) -> Option<bool> {
        self.get(name).map(|value| value.raw() == "true")
    }
}

enum FieldsIter<'d> {
    Of(Children<'d>),
    Named(std::slice::Iter<'d, (&'static str, Value<'d>)>),
}

impl<'d> Iterator for FieldsIter<'d> {
    type Item = (Cow<'d, str>, Value<'d>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            FieldsIter::Of(children) => children.next().map(|child| (child.name().unwrap_or_default(), child)),
            FieldsIter::Named(named) => named.next().map(|(name, value)| (Cow::Borrowed(*name), *value)),
        }
    }
}

/// `at`: how far the text was read.
pub fn why_not_read(error: ScanError, text: &str, at: usize) -> Error {
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

/// The text of a JSON string as it is written, which has been checked; `None` for an unpaired surrogate, and if there is
/// not enough memory for it.
pub fn text(value: &str) -> Option<Cow<'_, str>> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    if !memory::can_read(value.len()) {
        return None;
    }
    serde_json::from_str(value).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Document {
        Document::read(text).unwrap()
    }

    #[test]
    fn a_name_that_is_given_twice_is_found_at_any_depth_even_if_escaped() {
        let fault = |text: &str| read(text).fault(text, MAX_DEPTH);
        for (text, path, error) in [
            (r#"{"a":1,"\u0061":2}"#, "a", "is given more than once"),
            (r#"{"a":[{"b":{"c":1,"c":2}}]}"#, "a.0.b.c", "is given more than once"),
            (r#"{"a":[1,{"\ud800":1}]}"#, r"a.1.\ud800", "is not valid Unicode text"),
        ] {
            assert_eq!(fault(text), Some((path.to_owned(), error.into())), "{text}");
        }
        assert_eq!(fault(r#"{"a":{"b":1},"b":{"b":2},"\u0063":3}"#), None);
    }

    #[test]
    fn an_error_says_where_the_text_is_wrong() {
        for (text, expected) in [
            ("{\"a\":", "it ends too early"),
            ("", "it ends too early"),
            ("{} {}", "it cannot be read from line 1, byte 4 on"),
            ("{\n \"a\": x}", "it cannot be read from line 2, byte 7 on"),
        ] {
            assert_eq!(Document::read(text).err().unwrap(), expected, "{text}");
        }
    }

    fn compacted(text: &str) -> String {
        let mut out = Vec::new();
        read(text).root(text).compact(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_and_order_survive() {
        let text = r#" { "b" : 100.10 , "a" : [ 1e400 , -0 , 12345678901234567890.000 ] , "c" : { } } "#;
        assert_eq!(compacted(text), r#"{"b":100.10,"a":[1e400,-0,12345678901234567890.000],"c":{}}"#);
    }

    #[test]
    fn text_becomes_plain_utf8_and_never_grows() {
        let text = r#"{"n":"\u0041d\u00e9\u1ecd\ud83d\ude00\/","q":"\"\\\u0001\b","half":"\ud800"}"#;
        let out = compacted(text);
        assert_eq!(out, r#"{"n":"Adéọ😀/","q":"\"\\\u0001\b","half":"\ud800"}"#);
        assert!(out.len() <= text.len());
    }

    #[test]
    fn depth_is_bounded() {
        let nest = |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
        let fault = |text: String| read(&text).fault(&text, MAX_DEPTH + 1);
        assert_eq!(fault(nest(MAX_DEPTH)), None);
        let expected = ("a".to_owned(), "nests deeper than 32 levels".into());
        assert_eq!(fault(nest(MAX_DEPTH + 1)), Some(expected.clone()));
        assert_eq!(fault(nest(100_000)), Some(expected));
    }
}
