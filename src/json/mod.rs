//! JSON: read level by level or as a whole document, built value by value, written member by member or without white
//! space. Does no I/O and knows nothing about payments.

pub mod builder;
pub mod decimal;
pub mod document;
pub mod object;
pub mod pointer;
mod raw;
mod scan;

pub use crate::util::memory::MAX_VALUES;
pub use object::quote;
use raw::unique;
pub use raw::{Error, Members, RawValue, compact, items, member, members, parse, text};

/// How deep the JSON of a caller may nest. The deepest request of the service has 3 levels.
pub const MAX_DEPTH: usize = 32;

/// The type of a JSON value, which its first character tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    Object,
    Array,
    Text,
    Number,
    Bool,
    Null,
}

impl Type {
    pub fn of(value: &RawValue) -> Type {
        Type::of_byte(value.as_bytes().first().copied().unwrap_or_default())
    }

    pub fn of_byte(first: u8) -> Type {
        match first {
            b'{' => Type::Object,
            b'[' => Type::Array,
            b'"' => Type::Text,
            b't' | b'f' => Type::Bool,
            b'n' => Type::Null,
            _ => Type::Number,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Type::Object => "an object",
            Type::Array => "an array",
            Type::Text => "a string",
            Type::Number => "a number",
            Type::Bool => "a boolean",
            Type::Null => "null",
        }
    }
}
