//! The names of the interface as each language writes them.

pub mod cpp;
pub mod go;
pub mod python;
