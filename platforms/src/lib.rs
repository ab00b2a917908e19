//! The platforms of the library: their table, how their libraries are built and checked, what is run with them,
//! what they contain of others, and how they are packed.

#![forbid(unsafe_code)]

pub mod command;
pub mod compile;
pub mod dist;
pub mod files;
pub mod libs;
pub mod parts;
pub mod proofs;
pub mod table;
