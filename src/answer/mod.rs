//! From the HTTP response to the reply: reads it, extracts the facts, decides the verdict, redacts the message. Does no
//! I/O.
//!
//! Imports `util` and `json`, the response's type from `transport`, and the references and secrets from `request`.

pub mod facts;
pub mod normal;
pub mod paid;
pub mod reader;
pub mod redact;
pub mod reply;
pub mod resolution;
pub mod summary;
pub mod texts;
pub mod verdict;
