//! Endpoints that are described by data alone: those of a scenarios file that have no handler.

pub mod endpoint;
pub mod parse;
mod template;
