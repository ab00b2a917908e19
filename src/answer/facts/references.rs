//! What an answer says it is about. An answer that names something other than its request is not the answer to it.

use super::stated::{Stated, Text};
use crate::answer::decimal::Decimal;
use crate::json::document::Value;
use crate::request::names::References;
use paysvc_spec::schema::Reference;

/// What an answer names of one kind.
#[derive(Clone, Default, Debug)]
pub struct Named {
    pub text: Stated<Text>,
    /// It differs from what the request names.
    pub differs: bool,
    /// A documented member names what the request names.
    agrees: bool,
}

impl Named {
    /// References that the request lacks are not compared, but two members that contradict each other fit no request.
    pub fn is_of_another_request(&self) -> bool {
        self.differs || self.text.is_unclear() && self.text.any().is_some()
    }

    /// It names what the request names, in a documented member and without contradiction.
    pub fn is_requested(&self) -> bool {
        self.agrees && !self.is_of_another_request()
    }

    /// Adds what a member names; `requested` are the references of the request.
    pub fn add(&mut self, member: Value<'_>, kind: Reference, exact: bool, requested: &References) {
        if member.is_empty() {
            return;
        }
        let found = match kind {
            Reference::Refunded => Decimal::of(member).map(|amount| Text(amount.to_string())),
            _ => Text::of(member),
        };
        // If two members cannot be read, nothing says that they are the same.
        self.differs |= found.is_none() && self.text.is_unclear();
        let mut requested = requested.iter().filter(|(of, _)| *of == kind).map(|(_, text)| text).peekable();
        if requested.peek().is_some() {
            let is_it = |requested: &String| match (kind, &found) {
                (_, None) => false,
                (Reference::Refunded, Some(found)) => Decimal::parse(requested.trim()) == Decimal::parse(found),
                (_, Some(found)) => super::words::is_same(requested, found),
            };
            match requested.any(is_it) {
                true => self.agrees |= exact,
                false => self.differs = true,
            }
        }
        self.text.add(found, exact);
    }
}
