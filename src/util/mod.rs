//! Helpers that the other rooms share: secrets, texts, memory, processes. They are independent of payments.

pub mod boot;
pub mod expiry;
pub mod memory;
pub mod panics;
pub mod process;
pub mod secret;
pub mod text;
pub mod unique;
pub mod url_path;
pub mod validation_error;
