//! An index of a JSON document: where every value starts and ends, so that a value is found by its path without reading the
//! text again.
//!
//! Accepts exactly the JSON texts of RFC 8259. Numbers and text stay as they are written.

use std::borrow::Cow;

use once_cell::race::OnceBox;

use crate::util::json::{self, Type};
pub use crate::util::limits::MAX_VALUES;
use index::Index;
use scan::Scanner;

mod index;
mod pointer;
mod scan;
#[cfg(test)]
mod tests;

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
    /// Made by the first look that needs it. Lock-free: a child that is forked meanwhile would wait for ever.
    index: OnceBox<Index>,
}

impl Document {
    /// Reads the text once, and calls `stop` every few kilobytes.
    pub fn scan(text: &str, stop: &dyn Fn() -> bool) -> Result<Document, ScanError> {
        if text.len() >= ESCAPED as usize {
            return Err(ScanError::TooMany);
        }
        Scanner::new(text, stop, MAX_VALUES).document()
    }

    /// Reads a text that the library has made itself, whatever the number of its values.
    pub fn scan_own(text: &str) -> Result<Document, ScanError> {
        if text.len() >= ESCAPED as usize {
            return Err(ScanError::TooMany);
        }
        Scanner::new(text, &|| false, u32::MAX as usize).document()
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

    /// The bytes of a member's name; `None` if the value is no member or its name contains an escape.
    #[inline]
    pub fn plain_name(self) -> Option<&'d [u8]> {
        let node = self.node();
        let range = node.name as usize..node.name_end as usize;
        (node.name & ESCAPED == 0).then(|| &self.text.as_bytes()[range])
    }

    /// The name of a member of an object, unescaped.
    pub fn name(self) -> Option<Cow<'d, str>> {
        self.node().name(self.text)
    }

    /// Every value within this one, at every depth.
    pub fn everything(self) -> impl Iterator<Item = Value<'d>> {
        (self.index + 1..self.node().next).map(move |index| Value { index, ..self })
    }

    /// The number of the value after this one and all within it.
    pub fn end(self) -> usize {
        self.node().next as usize
    }

    /// The members of an object or the elements of an array; nothing for other values.
    pub fn children(self) -> Children<'d> {
        let container = matches!(self.kind(), Type::Object | Type::Array);
        let end = if container { self.node().next } else { self.index + 1 };
        Children { document: self.document, text: self.text, index: self.index + 1, end }
    }

    /// The name as a C text: unescaped, but as it is written if it contains a NUL, which would end the text early.
    fn c_name(self) -> Option<Cow<'d, str>> {
        let name = self.name()?;
        match &name {
            // Only an escape writes a NUL.
            Cow::Owned(text) if text.contains('\0') => {
                let node = self.node();
                Some(Cow::Borrowed(&self.text[(node.name & !ESCAPED) as usize..node.name_end as usize]))
            }
            _ => Some(name),
        }
    }

    /// The name of a member as a step of a JSON pointer.
    pub fn step(self) -> Option<Cow<'d, str>> {
        self.c_name().map(|name| match name.contains(['~', '/']) {
            true => Cow::Owned(name.replace('~', "~0").replace('/', "~1")),
            false => name,
        })
    }

    /// Whether a member has that name.
    #[inline(always)]
    fn is_named(self, name: &str) -> bool {
        match self.plain_name() {
            Some(own) => own == name.as_bytes(),
            None => self.c_name().is_some_and(|own| own == name),
        }
    }

    /// The first member of that name.
    pub fn member(self, name: &str) -> Option<Value<'d>> {
        match self.kind() {
            Type::Object => self.children().find(|child| child.is_named(name)),
            _ => None,
        }
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
