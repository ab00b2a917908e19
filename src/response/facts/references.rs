//! What a request and its answer both name: an answer that names another belongs to another request.

use super::Reader;
use super::names::{Name, known};
use super::words::is_same;
use crate::response::document::Value;
use crate::util::json::Type;

/// What a request names that its answer may name too, by [`Reference`].
pub type References = Vec<(Reference, String)>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reference {
    Order,
    Session,
    Mandate,
}

/// Where a request names it.
pub const REQUESTED: &[(&[&str], Reference)] = &[
    (&["reference"], Reference::Order),
    (&["order", "reference"], Reference::Order),
    (&["sessionId"], Reference::Session),
    (&["mandateCode"], Reference::Mandate),
    (&["directDebitPaymentRequest", "mandateCode"], Reference::Mandate),
];

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

    /// What the request lacks is not compared.
    pub(super) fn reference(&mut self, member: Value<'_>, kind: Reference) {
        let mut asked = self.references.iter().filter(|(of, _)| *of == kind).peekable();
        if asked.peek().is_none() || member.is_nothing() {
            return;
        }
        let found = match member.kind() {
            Type::Text => member.text(),
            Type::Number => Some(member.raw().into()),
            _ => None,
        };
        let same = found.is_some_and(|found| asked.any(|(_, asked)| is_same(asked, &found)));
        self.facts.other_request |= !same;
    }
}
