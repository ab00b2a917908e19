//! The platforms of the library: their table, how their libraries are built and checked, and what is run with them.

#![forbid(unsafe_code)]

pub mod command;
pub mod libs;
pub mod proofs;
pub mod table;
