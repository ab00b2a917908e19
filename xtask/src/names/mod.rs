//! The names of the interface as each language writes them.

pub mod cpp;
pub(crate) mod go;
pub(crate) mod python;
