//! The references in an answer: one that the request does not have belongs to another request.

use super::Reader;
use super::names::{Name, known};
use super::words::is_same;
use crate::request::references::Reference;
use crate::response::document::Value;
use crate::util::json::Type;

impl Reader<'_> {
    /// Of an order within `data`.
    pub(super) fn reference_of(&mut self, object: Value<'_>) {
        if object.kind() != Type::Object {
            return;
        }
        for member in object.children() {
            if let Some((Name::Reference, _)) = known(member) {
                self.reference(member, Reference::Order);
            }
        }
    }

    /// A reference of a kind that the request does not have is not compared.
    pub(super) fn reference(&mut self, member: Value<'_>, kind: Reference) {
        let mut requested = self.references.iter().filter(|(of, _)| *of == kind).peekable();
        if requested.peek().is_none() || member.is_empty() {
            return;
        }
        let found = match member.kind() {
            Type::Text => member.text(),
            Type::Number => Some(member.raw().into()),
            _ => None,
        };
        let same = found.is_some_and(|found| requested.any(|(_, reference)| is_same(reference, &found)));
        self.facts.other_request |= !same;
    }
}
