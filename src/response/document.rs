//! An index of a JSON document: where every value starts and ends, so that a value is found by its path without reading the
//! text again.
//!
//! Accepts exactly the JSON texts of RFC 8259. Numbers and text stay as they are written.

use std::borrow::Cow;

use crate::util::json::{self, Type};
use scan::Scanner;

mod scan;
#[cfg(test)]
mod tests;

/// Most values of an answer. 500 mandates have 3,000; a million take 20 MB.
pub const MAX_VALUES: usize = 1_000_000;
/// Most steps of a pointer. The deepest answer has 4 levels.
const MAX_STEPS: usize = 128;
/// The name of a value that is no member.
const NO_NAME: u32 = u32::MAX;
/// Set in the start of a name that contains an escape. No text is long enough to need this bit.
const ESCAPED: u32 = 1 << 31;

/// Why a text could not be read.
#[derive(Debug, PartialEq, Eq)]
pub enum ScanError {
    /// Not exactly one JSON document.
    Syntax,
    /// More than [`MAX_VALUES`].
    TooMany,
    NoMemory,
    /// The caller asked to stop.
    Stopped,
}

/// A value. Offsets are in the text; `next` is the index of the value after this one and its contents.
#[derive(Clone, Copy)]
struct Node {
    start: u32,
    end: u32,
    next: u32,
    name: u32,
    name_end: u32,
}

impl Node {
    /// An unpaired surrogate stays as it is written.
    fn name(self, text: &str) -> Option<Cow<'_, str>> {
        if self.name == NO_NAME {
            return None;
        }
        let raw = |start: u32| &text[start as usize..self.name_end as usize];
        if self.name & ESCAPED == 0 {
            return Some(Cow::Borrowed(raw(self.name)));
        }
        let start = self.name & !ESCAPED;
        let quoted = &text[start as usize - 1..=self.name_end as usize];
        Some(json::unescaped(quoted).unwrap_or(Cow::Borrowed(raw(start))))
    }
}

/// The positions of the values of a text. The caller keeps the text.
pub struct Document {
    nodes: Vec<Node>,
    has_duplicate_names: bool,
}

impl Document {
    /// Reads the text once, and calls `stop` every few kilobytes.
    pub fn scan(text: &str, stop: &dyn Fn() -> bool) -> Result<Document, ScanError> {
        if text.len() >= ESCAPED as usize {
            return Err(ScanError::TooMany);
        }
        Scanner::new(text, stop).document()
    }

    /// How many values it has.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether any object has two members with the same name, after unescaping: two readers would disagree about it.
    pub fn has_duplicate_names(&self) -> bool {
        self.has_duplicate_names
    }

    /// The whole document; `text` is what was scanned.
    pub fn root<'d>(&'d self, text: &'d str) -> Value<'d> {
        Value { document: self, text, index: 0 }
    }

    /// Every value at every depth, in the order of the text.
    pub fn values<'d>(&'d self, text: &'d str) -> impl Iterator<Item = Value<'d>> {
        (0..self.nodes.len() as u32).map(move |index| Value { document: self, text, index })
    }
}

/// A value of a document.
#[derive(Clone, Copy)]
pub struct Value<'d> {
    document: &'d Document,
    text: &'d str,
    index: u32,
}

impl<'d> Value<'d> {
    fn node(self) -> Node {
        self.document.nodes[self.index as usize]
    }

    /// Its number among all values of the document.
    pub fn index(self) -> usize {
        self.index as usize
    }

    /// As it is written in the text.
    pub fn raw(self) -> &'d str {
        let node = self.node();
        &self.text[node.start as usize..node.end as usize]
    }

    pub fn kind(self) -> Type {
        Type::of_byte(self.text.as_bytes()[self.node().start as usize])
    }

    /// The length of a member's name in bytes; `None` if the value is no member or its name contains an escape.
    pub fn plain_name_len(self) -> Option<usize> {
        let node = self.node();
        (node.name & ESCAPED == 0).then(|| (node.name_end - node.name) as usize)
    }

    /// The name of a member of an object, unescaped.
    pub fn name(self) -> Option<Cow<'d, str>> {
        self.node().name(self.text)
    }

    /// The members of an object or the elements of an array; nothing for other values.
    pub fn children(self) -> Children<'d> {
        let container = matches!(self.kind(), Type::Object | Type::Array);
        let end = if container { self.node().next } else { self.index + 1 };
        Children { document: self.document, text: self.text, index: self.index + 1, end }
    }

    /// The name as a C text: unescaped, but as it is written if it contains a NUL, which would end the text early.
    fn c_name(self) -> Option<Cow<'d, str>> {
        let node = self.node();
        self.name().map(|name| match name.contains('\0') {
            true => Cow::Borrowed(&self.text[(node.name & !ESCAPED) as usize..node.name_end as usize]),
            false => name,
        })
    }

    /// The name of a member as a step of a JSON pointer.
    pub fn step(self) -> Option<Cow<'d, str>> {
        self.c_name().map(|name| match name.contains(['~', '/']) {
            true => Cow::Owned(name.replace('~', "~0").replace('/', "~1")),
            false => name,
        })
    }

    /// The first member of that name.
    pub fn member(self, name: &str) -> Option<Value<'d>> {
        if self.kind() != Type::Object {
            return None;
        }
        let fits = |child: &Value<'_>| child.plain_name_len().is_none_or(|length| length == name.len());
        self.children().find(|child| fits(child) && child.c_name().is_some_and(|found| found == name))
    }

    /// The text of a string; `None` for anything else, for an unpaired surrogate, and if there is no memory for it.
    pub fn text(self) -> Option<Cow<'d, str>> {
        match self.kind() {
            Type::Text => json::unescaped(self.raw()),
            _ => None,
        }
    }

    /// The beginning of a string, at most that many bytes of it as written: a message may be megabytes long.
    pub fn text_start(self, max: usize) -> Option<Cow<'d, str>> {
        if self.kind() != Type::Text {
            return None;
        }
        let raw = self.raw();
        if raw.len() <= max {
            return json::unescaped(raw);
        }
        let inner = &raw[1..raw.len() - 1];
        let mut end = (0..=max).rev().find(|&end| inner.is_char_boundary(end)).unwrap_or(0);
        // A cut must not fall into an escape.
        let mut at = 0;
        while let Some(found) = memchr::memchr(b'\\', &inner.as_bytes()[at..end]) {
            let escape = at + found;
            let length = if inner.as_bytes()[escape + 1] == b'u' { 6 } else { 2 };
            if escape + length > end {
                end = escape;
                break;
            }
            at = escape + length;
        }
        json::unescaped(&format!("\"{}\"", &inner[..end])).map(|text| Cow::Owned(text.into_owned()))
    }

    /// `null`, a blank text, `{}` and `[]` are empty.
    pub fn is_empty(self) -> bool {
        match self.kind() {
            Type::Null => true,
            Type::Text => self.raw().len() <= 64 && self.text().is_some_and(|text| text.trim().is_empty()),
            Type::Object | Type::Array => self.children().next().is_none(),
            Type::Number | Type::Bool => false,
        }
    }

    /// The value at a JSON pointer (RFC 6901); of members with the same name, the first. `None` if it is absent, or if the
    /// pointer is malformed or has more than [`MAX_STEPS`] steps.
    pub fn find(self, pointer: &str) -> Option<Value<'d>> {
        if pointer.is_empty() {
            return Some(self);
        }
        if memchr::memchr_iter(b'/', pointer.as_bytes()).count() > MAX_STEPS {
            return None;
        }
        let mut value = self;
        for token in pointer.strip_prefix('/')?.split('/') {
            let token = unescaped_token(token)?;
            value = match value.kind() {
                Type::Object => value.member(&token)?,
                Type::Array => {
                    let canonical =
                        token.bytes().all(|b| b.is_ascii_digit()) && (token == "0" || !token.starts_with('0'));
                    let index: usize = canonical.then(|| token.parse().ok())??;
                    value.children().nth(index)?
                }
                _ => return None,
            };
        }
        Some(value)
    }

    /// As a C program wants it: text without quotes, everything else as its JSON text; `None` for null. Strings with a NUL,
    /// which would end a C string early, or an unpaired surrogate stay as they are written.
    pub fn plain(self) -> Option<Cow<'d, str>> {
        match self.kind() {
            Type::Null => None,
            Type::Text => match self.text() {
                Some(text) if !text.contains('\0') => Some(text),
                _ => Some(Cow::Borrowed(&self.raw()[1..self.raw().len() - 1])),
            },
            _ => Some(Cow::Borrowed(self.raw())),
        }
    }
}

pub struct Children<'d> {
    document: &'d Document,
    text: &'d str,
    index: u32,
    end: u32,
}

impl<'d> Iterator for Children<'d> {
    type Item = Value<'d>;

    fn next(&mut self) -> Option<Value<'d>> {
        if self.index >= self.end {
            return None;
        }
        let value = Value { document: self.document, text: self.text, index: self.index };
        self.index = value.node().next;
        Some(value)
    }
}

/// `~1` is `/` and `~0` is `~`; any other `~` is malformed.
fn unescaped_token(token: &str) -> Option<Cow<'_, str>> {
    if !token.contains('~') {
        return Some(Cow::Borrowed(token));
    }
    let mut parts = token.split('~');
    let mut out = parts.next()?.to_owned();
    for part in parts {
        out.push(match part.as_bytes().first()? {
            b'0' => '~',
            b'1' => '/',
            _ => return None,
        });
        out.push_str(&part[1..]);
    }
    Some(Cow::Owned(out))
}
