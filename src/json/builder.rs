//! JSON that a program makes value by value, instead of writing it. The document is an object, and values are placed in
//! it by JSON pointer (RFC 6901).
//!
//! The first failure is final: from then on there is no text. A program that ignores it sends nothing, rather than a
//! document that lacks a field and may mean something else.

use std::borrow::Cow;
use std::ffi::{CStr, CString};

use zeroize::Zeroizing;

use super::document::{self, Document, ScanError};
use super::pointer::{Index, Pointer, Step};
use super::{Error, MAX_DEPTH, MAX_VALUES, Type, quote};
use crate::util::memory::{self, MAX_TEXT};
use crate::util::panics::failpoint;
use crate::util::secret::SecretBytes;
use crate::util::text::{of_cp1252, one_line, shortened};

/// Longest pointer in bytes.
const MAX_POINTER: usize = 8000;

pub enum Value<'a> {
    Text(&'a str),
    /// Text in Windows-1252.
    Cp1252(&'a [u8]),
    /// A number as JSON writes it.
    Number(&'a str),
    Bool(bool),
    Json(&'a str),
}

const NO_MEMORY: &str = "there is not enough memory for it";
const LEADING_ZEROS: &str = "an index of an array has no leading zeros";

fn too_large() -> Error {
    format!("the document would be larger than {MAX_TEXT} bytes").into()
}

fn too_many() -> Error {
    format!("the document would have more than {MAX_VALUES} values").into()
}

/// The pointer for an error.
fn shown(pointer: &str) -> Cow<'_, str> {
    if pointer.is_empty() { Cow::Borrowed("\"\"") } else { shortened(pointer) }
}

/// The document so far, and the size of its text.
struct Tree {
    root: Node,
    size: Size,
}

/// A value. Names and scalars are JSON text in buffers that are wiped.
enum Node {
    /// The fields in the order in which they were set.
    Object(Vec<(SecretBytes, Node)>),
    Array(Vec<Node>),
    Scalar(SecretBytes),
}

/// The size of a value.
#[derive(Clone, Copy, Default)]
struct Size {
    /// Bytes of its text.
    bytes: usize,
    /// Values in it, itself included.
    values: usize,
}

pub struct Builder {
    /// `None` after a failure. It is taken out while it is changed, so that a panic leaves no document either.
    document: Option<Tree>,
    /// The text with a NUL, until the next change.
    text: Option<SecretBytes>,
    error: Option<CString>,
}

impl Builder {
    pub fn new() -> Builder {
        let root = Node::Object(Vec::new());
        let size = root.size();
        Builder { document: Some(Tree { root, size }), text: None, error: None }
    }

    /// Sets the value at the pointer. False after a failure, now or before.
    ///
    /// The value may lie in the text that [`Builder::text`] returned.
    pub fn set(&mut self, pointer: &str, value: Value<'_>) -> bool {
        let outdated = self.text.take();
        let Some(mut document) = self.document.take() else { return false };
        failpoint::at("json");
        match document.set(pointer, value) {
            Ok(()) => self.document = Some(document),
            Err(reason) => {
                // Before the message is made: there may be no memory left.
                drop(document);
                self.fail_at(pointer, &reason);
            }
        }
        drop(outdated);
        self.document.is_some()
    }

    /// Records a failure and wipes the document. The first failure is the one that is reported.
    pub fn fail(&mut self, message: String) {
        self.document = None;
        self.text = None;
        if self.error.is_none() {
            // One line has no control characters, and so no NUL.
            self.error = CString::new(one_line(message)).ok();
        }
    }

    pub fn fail_at(&mut self, pointer: &str, reason: &str) {
        self.fail(format!("{}: {reason}", shown(pointer)));
    }

    pub fn has_failed(&self) -> bool {
        self.document.is_none()
    }

    /// The first failure with its pointer, or "".
    pub fn error(&self) -> &CStr {
        self.error.as_deref().unwrap_or_default()
    }

    /// The document as compact JSON, the same text until the next change; `None` after a failure.
    pub fn text(&mut self) -> Option<&CStr> {
        if self.text.is_none() {
            let document = self.document.take()?;
            failpoint::at("json_text");
            let Some(text) = document.text() else {
                drop(document);
                self.fail(format!("the text: {NO_MEMORY}"));
                return None;
            };
            self.text = Some(text);
            self.document = Some(document);
        }
        // JSON text contains no NUL.
        self.text.as_deref().and_then(|text| CStr::from_bytes_with_nul(text).ok())
    }
}

impl Tree {
    fn set(&mut self, pointer: &str, value: Value<'_>) -> Result<(), Error> {
        if pointer.len() > MAX_POINTER {
            return Err(format!("the pointer is longer than {MAX_POINTER} bytes").into());
        }
        let pointer = Pointer::parse(pointer)?;
        // The root is one level, and each of its fields may have as many as any value that is sent.
        let levels = (MAX_DEPTH + 1).saturating_sub(pointer.steps().count());
        if levels == 0 {
            return Err(format!("has more than {MAX_DEPTH} steps").into());
        }
        let value = match value {
            Value::Text(text) => Node::Scalar(quoted(text)?),
            Value::Cp1252(text) => Node::Scalar(quoted(&decoded(text)?)?),
            Value::Number(text) => Node::Scalar(literal(number(text)?)?),
            Value::Bool(value) => Node::Scalar(literal(if value { "true" } else { "false" })?),
            Value::Json(text) => Node::from_json(text, levels)?,
        };
        if pointer.is_root() && value.kind() != Type::Object {
            return Err("the whole document must be an object".into());
        }
        let mut size = self.size;
        let place = place(&mut self.root, pointer, &mut size)?;
        let (old, new) = (place.size(), value.size());
        size.bytes = size.bytes - old.bytes + new.bytes;
        size.values = size.values - old.values + new.values;
        // The former value is wiped.
        *place = value;
        if size.bytes > MAX_TEXT {
            return Err(too_large());
        }
        if size.values > MAX_VALUES {
            return Err(too_many());
        }
        self.size = size;
        Ok(())
    }

    fn text(&self) -> Option<SecretBytes> {
        let mut text = SecretBytes::new(memory::buffer(self.size.bytes + 1)?);
        self.root.write(&mut text);
        text.push(0);
        Some(text)
    }
}

impl Node {
    fn kind(&self) -> Type {
        match self {
            Node::Object(_) => Type::Object,
            Node::Array(_) => Type::Array,
            // A place that was just made is empty.
            Node::Scalar(text) => Type::of_byte(text.first().copied().unwrap_or(b'n')),
        }
    }

    /// Reads a JSON document of at most that many levels.
    fn from_json(text: &str, levels: usize) -> Result<Node, Error> {
        if text.len() > MAX_TEXT {
            return Err(too_large());
        }
        let document = Document::scan(text, &|| false).map_err(|error| match error {
            ScanError::Syntax => {
                format!("the value is not JSON: {}", Document::read(text).err().unwrap_or_default()).into()
            }
            ScanError::TooMany => too_many(),
            ScanError::NoMemory | ScanError::Stopped => NO_MEMORY.into(),
        })?;
        match document.fault(text, levels) {
            None => read(document.root(text)),
            Some((path, error)) => {
                let what = if path.is_empty() { "it".into() } else { shortened(&path) };
                Err(format!("the value is not usable: {what} {error}").into())
            }
        }
    }

    fn size(&self) -> Size {
        let mut size = Size { bytes: 0, values: 1 };
        let mut add = |name: usize, child: &Node| {
            let Size { bytes, values } = child.size();
            size.bytes += name + bytes;
            size.values += values;
        };
        size.bytes += match self {
            Node::Object(members) => {
                members.iter().for_each(|(name, value)| add(name.len() + 1, value));
                2 + members.len().saturating_sub(1)
            }
            Node::Array(items) => {
                items.iter().for_each(|item| add(0, item));
                2 + items.len().saturating_sub(1)
            }
            Node::Scalar(text) => text.len(),
        };
        size
    }

    /// Appends the text.
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Node::Object(members) => {
                out.push(b'{');
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    out.extend_from_slice(name);
                    out.push(b':');
                    value.write(out);
                }
                out.push(b'}');
            }
            Node::Array(items) => super::object::list(out, items, |out, item| item.write(out)),
            Node::Scalar(text) => out.extend_from_slice(text),
        }
    }

    /// The value at one step; if there is none, a new empty place. Also returns whether it is new.
    fn child(&mut self, step: Step<'_>, size: &mut Size) -> Result<(&mut Node, bool), Error> {
        let place = || shown(step.before());
        let kind = self.kind();
        let (index, is_new) = match self {
            Node::Scalar(_) => {
                return Err(format!("{} is {}, neither an object nor an array", place(), kind.name()).into());
            }
            Node::Object(_) if matches!(step.index(), Index::End) => {
                return Err(format!("- appends to an array, but {} is an object", place()).into());
            }
            Node::Object(members) => {
                let name = quoted(&step.name())?;
                let known = members.iter().position(|(known, _)| **known == **name);
                let count = members.len();
                if known.is_none() {
                    size.bytes += name.len() + 1;
                    members.try_reserve(1).map_err(|_| NO_MEMORY)?;
                    members.push((name, empty()));
                }
                (known.unwrap_or(count), known.is_none())
            }
            Node::Array(items) => {
                let count = items.len();
                let index = match step.index() {
                    Index::At(index) => index,
                    Index::End => count,
                    Index::Malformed => return Err(LEADING_ZEROS.into()),
                    Index::None => {
                        return Err(format!("{} is an array: the step after it must be an index or -", place()).into());
                    }
                };
                if index > count {
                    return Err(format!("the next index of {} is {count}", place()).into());
                }
                if index == count {
                    items.try_reserve(1).map_err(|_| NO_MEMORY)?;
                    items.push(empty());
                }
                (index, index == count)
            }
        };
        if is_new {
            size.bytes += usize::from(index > 0);
            size.values += 1;
        }
        Ok(match self {
            Node::Object(members) => (&mut members[index].1, is_new),
            Node::Array(items) => (&mut items[index], is_new),
            Node::Scalar(_) => (self, false),
        })
    }
}

fn read(value: document::Value<'_>) -> Result<Node, Error> {
    match value.kind() {
        Type::Object => {
            let mut members = memory::list(value.count()).ok_or(NO_MEMORY)?;
            for member in value.children() {
                members.push((quoted(&member.name().unwrap_or_default())?, read(member)?));
            }
            Ok(Node::Object(members))
        }
        Type::Array => {
            let mut items = memory::list(value.count()).ok_or(NO_MEMORY)?;
            for item in value.children() {
                items.push(read(item)?);
            }
            Ok(Node::Array(items))
        }
        _ => {
            let mut text = buffer(value.raw().len())?;
            value.compact(&mut text);
            Ok(Node::Scalar(text))
        }
    }
}

/// The place of a value. It is made if it is missing, with everything in between; `size` grows with what was made.
fn place<'n>(root: &'n mut Node, pointer: Pointer<'_>, size: &mut Size) -> Result<&'n mut Node, Error> {
    let mut node = root;
    let mut steps = pointer.steps().peekable();
    while let Some(step) = steps.next() {
        if matches!(step.index(), Index::End) && steps.peek().is_some() {
            return Err("- appends to an array, so it must be the last step".into());
        }
        let (found, is_new) = node.child(step, size)?;
        if let (true, Some(next)) = (is_new, steps.peek()) {
            *found = container_of(*next)?;
            size.bytes += found.size().bytes;
        }
        node = found;
    }
    Ok(node)
}

/// The container to make on the way: an array for an index, otherwise an object.
fn container_of(next: Step<'_>) -> Result<Node, Error> {
    match next.index() {
        Index::At(_) | Index::End => Ok(Node::Array(Vec::new())),
        // It may be meant as the name of a field, e.g. the code of a bank.
        Index::Malformed => {
            Err(format!("{LEADING_ZEROS}; for a field of that name, set its object to {{}} first").into())
        }
        Index::None => Ok(Node::Object(Vec::new())),
    }
}

/// A place to which a value is moved.
fn empty() -> Node {
    Node::Scalar(SecretBytes::new(Vec::new()))
}

/// A JSON string. Its buffer has the right size from the start, so that no copy is made while it grows.
fn quoted(text: &str) -> Result<SecretBytes, Error> {
    let length = |byte| match byte {
        b'"' | b'\\' | b'\x08' | b'\t' | b'\n' | b'\x0c' | b'\r' => 2,
        0..=0x1f => 6,
        _ => 1,
    };
    let mut out = buffer(text.bytes().map(length).sum::<usize>() + 2)?;
    quote(text, &mut out);
    Ok(out)
}

/// Checks that it is a number exactly as JSON writes it, without white space around it.
fn number(text: &str) -> Result<&str, Error> {
    match Document::read(text) {
        Ok(read) if read.root(text).kind() == Type::Number && read.root(text).raw() == text => Ok(text),
        _ => Err("must be a number as JSON writes it, like 100.10: digits, and a point before a fraction".into()),
    }
}

/// Text that is JSON already.
fn literal(text: &str) -> Result<SecretBytes, Error> {
    let mut out = buffer(text.len())?;
    out.extend_from_slice(text.as_bytes());
    Ok(out)
}

fn buffer(size: usize) -> Result<SecretBytes, Error> {
    if size > MAX_TEXT {
        return Err(too_large());
    }
    memory::buffer(size).map(SecretBytes::new).ok_or(NO_MEMORY.into())
}

/// Text in Windows-1252 as UTF-8.
fn decoded(bytes: &[u8]) -> Result<Zeroizing<String>, Error> {
    if bytes.len() > MAX_TEXT {
        return Err(too_large());
    }
    let mut length = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        length += of_cp1252(byte)
            .ok_or_else(|| format!("the value is not Windows-1252: the byte at {at} is undefined"))?
            .len_utf8();
    }
    let mut text = Zeroizing::new(String::new());
    text.try_reserve_exact(length).map_err(|_| NO_MEMORY)?;
    text.extend(bytes.iter().filter_map(|&byte| of_cp1252(byte)));
    Ok(text)
}

#[cfg(test)]
mod tests;
