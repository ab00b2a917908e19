//! What the rooms share. Nothing in here knows an endpoint.

pub mod failpoint;
pub mod json;
pub mod memory;
pub mod one_line;
pub mod panics;
pub mod process;
pub mod secret;
pub mod validation_error;
