//! JSON: read once into a document, built value by value, written member by member or without white space. Does no I/O
//! and knows nothing about payments.

pub mod builder;
pub mod decimal;
pub mod document;
mod given;
pub mod object;
pub mod pointer;
mod scan;

pub use crate::util::memory::MAX_VALUES;
pub use document::Value;
pub use given::{Error, Fields, Given};
pub use object::quote;

/// Max nesting of a caller's JSON. The deepest request of the service has 3 levels.
pub const MAX_DEPTH: usize = 32;

/// The type of a JSON value, which its first character determines.
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
