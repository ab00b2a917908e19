//! What the members of an answer state about one thing. An unreadable member is not absent, and values that contradict
//! each other count as no value.

use std::ops::Deref;

use super::words::is_same;
use crate::json::Type;
use crate::json::document::Value;

/// The longest text that is read, in bytes as written. References have 40.
const MAX_TEXT: usize = 1024;

/// A text that is compared without regard to case and surrounding blanks: a reference or a currency.
#[derive(Clone, Debug)]
pub struct Text(pub String);

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(text.to_owned())
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Text) -> bool {
        is_same(&self.0, &other.0)
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Text {
    /// A text, or a number as it is written; `None` for anything else, and for one that is too long.
    pub fn of(value: Value<'_>) -> Option<Text> {
        match value.kind() {
            _ if value.raw().len() > MAX_TEXT => None,
            Type::Text => value.text().map(|text| Text(text.trim().to_owned())),
            Type::Number => Some(Text(value.raw().to_owned())),
            _ => None,
        }
    }
}

/// What was stated about one thing.
#[derive(Clone, PartialEq, Debug)]
pub struct Stated<T> {
    value: Option<T>,
    /// A member cannot be read, or two contradict each other.
    unclear: bool,
    /// A member has the documented name.
    exact: bool,
}

impl<T> Default for Stated<T> {
    fn default() -> Stated<T> {
        Stated { value: None, unclear: false, exact: false }
    }
}

impl<T: PartialEq> Stated<T> {
    /// Adds what a member states: `None` if it cannot be read.
    pub fn add(&mut self, value: Option<T>, exact: bool) {
        self.exact |= exact;
        match (&self.value, value) {
            (_, None) => self.unclear = true,
            (Some(own), Some(value)) => self.unclear |= *own != value,
            (None, value) => self.value = value,
        }
    }

    /// What several members or objects state about one thing.
    pub fn all<'a>(each: impl IntoIterator<Item = &'a Stated<T>>) -> Stated<T>
    where
        T: Clone + 'a,
    {
        let mut found = Stated::default();
        for one in each.into_iter().filter(|one| !one.is_absent()) {
            found.add(one.value.clone().filter(|_| !one.unclear), one.exact);
        }
        found
    }

    pub fn is_absent(&self) -> bool {
        self.value.is_none() && !self.unclear
    }

    pub fn is_unclear(&self) -> bool {
        self.unclear
    }

    /// The value, if a documented member states it and nothing contradicts it.
    pub fn clear(&self) -> Option<&T> {
        self.value.as_ref().filter(|_| self.exact && !self.unclear)
    }

    /// Any value that was stated, for messages.
    pub fn any(&self) -> Option<&T> {
        self.value.as_ref()
    }
}
