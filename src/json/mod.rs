//! JSON: read level by level or as a whole document, built value by value, written without white space. Does no I/O and
//! knows nothing of payments.
//!
//! Imports `util` only.

pub mod builder;
pub mod document;
mod raw;

pub use raw::{
    MAX_DEPTH, Members, Type, compact, document, items, member, members, members_of, quote, text, unescaped,
};
