//! API keys, the key that payloads are encrypted with, and the bodies that it opens.

pub mod envelope;
pub mod keys;
