//! The reference reader of typed answers. It shares no code with the library or its packages, and shows what each of
//! them must read.

pub mod leaf;
pub mod normal;
mod time;
mod tree;

pub use tree::Tree;

/// What stands at a pointer, before anybody asks what it means.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    Absent,
    Null,
    Bool(bool),
    /// As it is written.
    Number(String),
    Text(String),
    /// With the number of its elements.
    Array(usize),
    Object,
}
