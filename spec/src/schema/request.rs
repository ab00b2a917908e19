//! Members of requests and of the configuration.

use super::{Certainty, doc};

/// The part of the HTTP request that carries a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    Path,
    Query,
    Body,
}

impl Location {
    pub const fn name(self) -> &'static str {
        match self {
            Location::Path => "path",
            Location::Query => "query",
            Location::Body => "body",
        }
    }
}

/// What a member of a request or of the configuration holds.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A JSON string that is not empty.
    Text,
    /// A JSON number without fraction or exponent.
    Integer,
    /// A JSON string with a decimal amount above zero in major currency units, e.g. `"100.10"`.
    Amount,
    /// `true` or `false`.
    Flag,
    /// Any JSON value.
    Any,
    /// A JSON object with members of its own.
    Object(&'static [Field]),
}

impl Kind {
    /// For documentation.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Text => "string",
            Kind::Integer => "integer",
            Kind::Amount => "string with a decimal amount in major units, e.g. \"100.10\"",
            Kind::Flag => "boolean",
            Kind::Any => "any",
            Kind::Object(_) => "object",
        }
    }
}

/// The value that is used when a member is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Default {
    None,
    Number {
        value: u64,
        least: u64,
        most: u64,
    },
    Flag(bool),
    /// The default depends on something else; this describes it.
    Described(&'static str),
}

impl Default {
    /// For documentation, e.g. "30000, 1 to 86400000".
    pub fn words(self) -> Option<String> {
        match self {
            Default::None => None,
            Default::Number { value, least, most } => Some(format!("{value}, {least} to {most}")),
            Default::Flag(value) => Some(value.to_string()),
            Default::Described(what) => Some(what.to_owned()),
        }
    }
}

/// A member of a request or of the configuration.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
    pub location: Location,
    /// No message or log line may repeat its value.
    pub secret: bool,
    pub certainty: Certainty,
    pub default: Default,
    pub doc: &'static str,
}

impl Field {
    const fn new(name: &'static str, kind: Kind, location: Location, required: bool, text: &'static str) -> Field {
        Field {
            name,
            kind,
            required,
            location,
            secret: false,
            certainty: Certainty::Documented,
            default: Default::None,
            doc: doc(text),
        }
    }

    pub const fn required(name: &'static str, kind: Kind, doc: &'static str) -> Field {
        Field::new(name, kind, Location::Body, true, doc)
    }

    pub const fn optional(name: &'static str, kind: Kind, doc: &'static str) -> Field {
        Field::new(name, kind, Location::Body, false, doc)
    }

    pub const fn query(name: &'static str, doc: &'static str) -> Field {
        Field::new(name, Kind::Text, Location::Query, true, doc)
    }

    pub const fn path(name: &'static str, doc: &'static str) -> Field {
        Field::new(name, Kind::Text, Location::Path, true, doc)
    }

    pub const fn secret(self) -> Field {
        Field { secret: true, ..self }
    }

    pub const fn certainty(self, certainty: Certainty) -> Field {
        Field { certainty, ..self }
    }

    /// The documentation with the default, e.g. "time for a call (default 30000, 1 to 86400000)".
    pub fn doc_with_default(&self) -> String {
        match self.default.words() {
            Some(default) => format!("{} (default {default})", self.doc),
            None => self.doc.to_owned(),
        }
    }

    pub const fn default(self, default: Default) -> Field {
        Field { default, ..self }
    }
}
