//! The reference reader of typed answers. It shares no code with the library or its packages, and shows what each of
//! them must read.

pub mod leaf;
pub mod normal;
mod time;
mod tree;

pub use tree::Tree;

/// The value at a pointer, before it is interpreted.
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
