//! JSON: read level by level or as a whole document, built value by value, written member by member or without white
//! space. Does no I/O and knows nothing about payments.
//!
//! Imports `util` only.

pub mod builder;
pub mod document;
pub mod object;
pub mod pointer;
mod raw;
mod types;
mod writer;

pub use raw::{Members, items, member, members, members_of, parse, text};
pub use types::{MAX_DEPTH, MAX_VALUES, Type};
pub use writer::{compact, quote};
