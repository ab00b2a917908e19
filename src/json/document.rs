//! A JSON document: where every value starts and ends, so that a value is found by its path without reading the text
//! again. Numbers and text stay as they are written.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

use zeroize::Zeroizing;

use super::given::{self, Error, Fields};
use super::object::{list, object, quote};
use super::pointer::{self, Index, Pointer};
pub use super::scan::ScanError;
use super::scan::{ESCAPED, Names, Node, Scanner};
use super::{MAX_DEPTH, MAX_VALUES, Type};
use crate::util::memory;

/// Most steps of a pointer. The deepest answer has 4 levels.
const MAX_STEPS: usize = 128;

/// The positions of the values of a text. The caller keeps the text.
pub struct Document {
    nodes: Vec<Node>,
    names: Names,
    depth: usize,
    /// In large containers, the child that was looked up last: the number of the container, the child's place in it, and
    /// its own number, each [`BITS`] wide. A program that passes a container from its beginning to its end goes on
    /// there. No lock: a child that is forked meanwhile would wait for ever.
    last: [AtomicU64; 2],
}

/// Enough for the numbers of [`MAX_VALUES`] values.
const BITS: u32 = 21;
/// So many siblings are passed each time, so that a lookup within a child does not replace the child's own place.
const FEW: usize = 32;

impl Document {
    /// Reads the text once, and calls `stop` every few kilobytes.
    pub fn scan(text: &str, stop: &dyn Fn() -> bool) -> Result<Document, ScanError> {
        Document::scanned(&mut Scanner::new(text, stop, MAX_VALUES))
    }

    /// Reads a text that the library has made itself, whatever the number of its values.
    pub fn scan_own(text: &str) -> Result<Document, ScanError> {
        Document::scanned(&mut Scanner::new(text, &|| false, u32::MAX as usize))
    }

    /// Reads a text of the program; the error has the fault and its place.
    pub fn read(text: &str) -> Result<Document, Error> {
        let mut scanner = Scanner::new(text, &|| false, u32::MAX as usize);
        Document::scanned(&mut scanner).map_err(|error| given::why_not_read(error, text, scanner.at))
    }

    fn scanned(scanner: &mut Scanner<'_, '_>) -> Result<Document, ScanError> {
        scanner.scan()?;
        let Scanner { nodes, names, depth, .. } = scanner;
        Ok(Document { nodes: std::mem::take(nodes), names: *names, depth: *depth, last: Default::default() })
    }

    /// Returns the number of its values.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether any object has a duplicate key, after unescaping: two readers would disagree about it.
    pub fn has_duplicate_names(&self) -> bool {
        self.names.has_duplicates
    }

    /// Returns the fault of a text of the program at any depth, and its place: more levels than that, a duplicate key,
    /// which two readers would read differently, or a name that is no text.
    pub fn fault(&self, text: &str, levels: usize) -> Option<(String, Error)> {
        let root = self.root(text);
        if self.depth > levels {
            let deep = root.children().find(|child| child.is_deeper_than(levels - 1)).and_then(Value::name);
            return Some((
                deep.unwrap_or_default().into_owned(),
                format!("nests deeper than {MAX_DEPTH} levels").into(),
            ));
        }
        if self.names.has_duplicates || self.names.has_escapes { root.fault_of_names() } else { None }
    }

    /// The whole document; `text` is the text that was scanned.
    pub fn root<'d>(&'d self, text: &'d str) -> Value<'d> {
        Value { document: self, text, index: 0 }
    }

    /// Every value at every depth, in the order of the text.
    pub fn values<'d>(&'d self, text: &'d str) -> impl Iterator<Item = Value<'d>> {
        (0..self.nodes.len() as u32).map(move |index| Value { document: self, text, index })
    }
}

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
        self.node().raw(self.text)
    }

    pub fn kind(self) -> Type {
        Type::of_byte(self.text.as_bytes()[self.node().start as usize])
    }

    /// The bytes of a field's name; `None` if the value is no field or its name contains an escape.
    #[inline]
    pub fn plain_name(self) -> Option<&'d [u8]> {
        let node = self.node();
        let range = node.name as usize..node.name_end as usize;
        (node.name & ESCAPED == 0).then(|| &self.text.as_bytes()[range])
    }

    /// The name of a field of an object, unescaped.
    #[inline]
    pub fn name(self) -> Option<Cow<'d, str>> {
        self.node().name(self.text)
    }

    /// The same; `None` if it has an unpaired surrogate, or if there is not enough memory for it.
    pub fn exact_name(self) -> Option<Cow<'d, str>> {
        self.node().exact_name(self.text)
    }

    /// Every value within this one, at every depth.
    pub fn everything(self) -> impl Iterator<Item = Value<'d>> {
        (self.index + 1..self.node().next).map(move |index| Value { index, ..self })
    }

    /// The number of the value after this one and all within it.
    pub fn end(self) -> usize {
        self.node().next as usize
    }

    /// The fields of an object or the elements of an array; nothing for other values.
    pub fn children(self) -> Children<'d> {
        let container = matches!(self.kind(), Type::Object | Type::Array);
        let end = if container { self.node().next } else { self.index + 1 };
        Children { document: self.document, text: self.text, index: self.index + 1, end }
    }

    /// The name of a field as a step of a JSON pointer.
    pub fn step(self) -> Option<Cow<'d, str>> {
        self.node().c_name(self.text).map(pointer::step)
    }

    /// Returns whether a field has that name.
    #[inline(always)]
    fn is_named(self, name: &str) -> bool {
        match self.plain_name() {
            Some(own) => own == name.as_bytes(),
            None => self.node().c_name(self.text).is_some_and(|own| own == name),
        }
    }

    /// The first field of that name.
    pub fn member(self, name: &str) -> Option<Value<'d>> {
        match self.kind() {
            Type::Object => self.children().find(|child| child.is_named(name)),
            _ => None,
        }
    }

    /// The value at a JSON pointer; of fields with the same name, the first. `None` if it is absent, or if the pointer
    /// is malformed or has more than [`MAX_STEPS`] steps.
    pub fn find(self, pointer: &str) -> Option<Value<'d>> {
        let mut value = self;
        for (passed, step) in Pointer::parse(pointer).ok()?.steps().enumerate() {
            value = match value.kind() {
                _ if passed == MAX_STEPS => return None,
                Type::Object => value.find_member(&step.name())?,
                Type::Array => match step.index() {
                    Index::At(index) => value.child(index)?,
                    _ => return None,
                },
                Type::Text | Type::Number | Type::Bool | Type::Null => return None,
            };
        }
        Some(value)
    }

    /// The fields of an object; nothing for other values.
    pub fn fields(self) -> Fields<'d> {
        Fields::Of(self)
    }

    /// Returns the number of its fields or elements.
    pub fn count(self) -> usize {
        self.children().count()
    }

    /// The child of that number; the first is 0.
    pub fn child(self, number: usize) -> Option<Value<'d>> {
        let (place, from) = self.last().filter(|(place, _)| *place <= number).unwrap_or((0, self.index + 1));
        let child = Children { index: from, ..self.children() }.nth(number - place)?;
        self.remember(number, child);
        Some(child)
    }

    fn find_member(self, name: &str) -> Option<Value<'d>> {
        // If a name is there twice, the first counts.
        let last = self.last().filter(|_| !self.document.names.has_duplicates);
        let (place, from) = last.unwrap_or((0, self.index + 1));
        let mut rest = Children { index: from, ..self.children() }.zip(place..);
        if let Some((child, place)) = rest.find(|(child, _)| child.is_named(name)) {
            self.remember(place, child);
            return Some(child);
        }
        self.children().take(place).find(|child| child.is_named(name))
    }

    /// The place and the number of the child that was looked up last.
    fn last(self) -> Option<(usize, u32)> {
        let last = self.document.last[self.index as usize % 2].load(Ordering::Relaxed);
        let part = |number: u32| (last >> (number * BITS)) & ((1 << BITS) - 1);
        // Zero before the first look: the root is nobody's child.
        (part(2) == u64::from(self.index) && part(0) != 0).then(|| (part(1) as usize, part(0) as u32))
    }

    fn remember(self, place: usize, child: Value<'d>) {
        let parts = [self.index as usize, place, child.index as usize];
        if place >= FEW && parts.iter().all(|part| part >> BITS == 0) {
            let packed = parts.iter().fold(0, |all, part| all << BITS | *part as u64);
            self.document.last[self.index as usize % 2].store(packed, Ordering::Relaxed);
        }
    }

    /// The text of a string; `None` for anything else, for an unpaired surrogate, and if there is not enough
    /// memory for it.
    pub fn text(self) -> Option<Cow<'d, str>> {
        match self.kind() {
            Type::Text if self.node().is_escaped() => given::text(self.raw()),
            Type::Text => Some(Cow::Borrowed(self.node().inner(self.text))),
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
            return self.text();
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
        given::text(&format!("\"{}\"", &inner[..end])).map(|text| Cow::Owned(text.into_owned()))
    }

    /// `null`, a blank text, `{}` and `[]` are empty.
    pub fn is_empty(self) -> bool {
        match self.kind() {
            Type::Null => true,
            Type::Text => {
                !self.raw().as_bytes()[1].is_ascii_alphanumeric()
                    && self.raw().len() <= 64
                    && self.text().is_some_and(|text| text.chars().all(char::is_whitespace))
            }
            Type::Object | Type::Array => self.children().next().is_none(),
            Type::Number | Type::Bool => false,
        }
    }

    /// Returns whether a value in it has more levels than that.
    fn is_deeper_than(self, levels: usize) -> bool {
        levels == 0 || self.children().any(|child| child.is_deeper_than(levels - 1))
    }

    fn fault_of_names(self) -> Option<(String, Error)> {
        let mut names = HashSet::new();
        self.children().enumerate().find_map(|(index, child)| {
            let (step, error) = match child.name() {
                None => (index.to_string().into(), None),
                Some(name) if child.exact_name().is_none() => (name, Some("is not valid Unicode text")),
                Some(name) if names.try_reserve(1).is_err() => (name, Some(memory::TOO_LARGE)),
                Some(name) => (name.clone(), (!names.insert(name)).then_some("is given more than once")),
            };
            match error {
                Some(error) => Some((step.into_owned(), error.into())),
                None => child.fault_of_names().map(|(path, error)| (format!("{step}.{path}"), error)),
            }
        })
    }

    /// Appends it without white space, text as plain UTF-8, numbers exactly as they are written.
    ///
    /// The result is never longer than the value, so a buffer of that capacity does not move.
    pub fn compact(self, out: &mut Vec<u8>) {
        match self.kind() {
            Type::Object => object(out, |members| {
                for child in self.children() {
                    members.raw(&child.name().unwrap_or_default(), |out| child.compact(out));
                }
            }),
            Type::Array => list(out, self.children(), |out, child| child.compact(out)),
            _ => match self.text() {
                // The unescaped copy may be a secret.
                Some(Cow::Owned(text)) => quote(&Zeroizing::new(text), out),
                // A string without escapes is compact already. An unpaired surrogate is not text, but the caller may
                // send it as it is.
                Some(Cow::Borrowed(_)) | None => out.extend_from_slice(self.raw().as_bytes()),
            },
        }
    }

    /// The form for a C program: text without quotes, everything else as its JSON text; `None` for null. Strings with a
    /// NUL, which would end a C string early, or an unpaired surrogate stay as they are written.
    pub fn plain(self) -> Option<Cow<'d, str>> {
        match self.kind() {
            Type::Null => None,
            Type::Text => match self.text() {
                Some(text) if !text.contains('\0') => Some(text),
                _ => Some(Cow::Borrowed(self.node().inner(self.text))),
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

#[cfg(test)]
mod tests;
