//! JSON that a program makes value by value, instead of writing it. The document is an object, and values are placed in
//! it by JSON pointer (RFC 6901).
//!
//! The first failure is final: from then on there is no text. A program that ignores it sends nothing, rather than a
//! document that lacks a member and may mean something else.

use std::ffi::{CStr, CString};

use crate::json::pointer::Pointer;
use crate::json::{MAX_DEPTH, MAX_VALUES, Type};
use crate::util::memory::{self, MAX_TEXT};
use crate::util::panics::failpoint;
use crate::util::secret::SecretBytes;
use crate::util::text::one_line;
use node::{Node, Size};
use reason::{NO_MEMORY, Reason, shown, too_large, too_many};

mod cp1252;
mod node;
mod reason;
mod scalar;
#[cfg(test)]
mod tests;

/// Longest pointer in bytes.
const MAX_POINTER: usize = 8000;

/// What to set.
pub enum Value<'a> {
    Text(&'a str),
    /// Text in Windows-1252.
    Cp1252(&'a [u8]),
    /// A number as JSON writes it.
    Number(&'a str),
    Bool(bool),
    /// A JSON document.
    Json(&'a str),
}

/// The document so far, and the size of its text.
struct Tree {
    root: Node,
    size: Size,
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
        let root = Node::object();
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
    fn set(&mut self, pointer: &str, value: Value<'_>) -> Result<(), Reason> {
        if pointer.len() > MAX_POINTER {
            return Err(format!("the pointer is longer than {MAX_POINTER} bytes").into());
        }
        let pointer = Pointer::parse(pointer)?;
        // The root is one level, and each of its members may have as many as any value that is sent.
        let levels = (MAX_DEPTH + 1).saturating_sub(pointer.steps().count());
        if levels == 0 {
            return Err(format!("has more than {MAX_DEPTH} steps").into());
        }
        let value = match value {
            Value::Text(text) => Node::Scalar(scalar::quoted(text)?),
            Value::Cp1252(text) => Node::Scalar(scalar::quoted(&cp1252::decode(text)?)?),
            Value::Number(text) => Node::Scalar(scalar::number(text)?),
            Value::Bool(value) => Node::Scalar(scalar::literal(if value { "true" } else { "false" })?),
            Value::Json(text) => Node::from_json(text, levels)?,
        };
        if pointer.is_root() && value.kind() != Type::Object {
            return Err("the whole document must be an object".into());
        }
        let mut size = self.size;
        let place = node::place(&mut self.root, pointer, &mut size)?;
        size.replace(place.size(), value.size());
        // What was there is wiped.
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
