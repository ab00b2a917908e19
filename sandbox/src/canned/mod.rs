//! Endpoints without a handler, which a scenarios file describes.

pub mod endpoint;
pub mod parse;
mod template;
