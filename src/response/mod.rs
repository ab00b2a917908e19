//! From the HTTP answer to the reply: reads it, extracts the facts, decides the verdict, redacts the message. Does no I/O.
//!
//! Imports `util` and `json`, of `transport` the answer's type, and of `request` the references and secrets.

pub mod decimal;
pub mod facts;
pub mod paid;
pub mod reader;
pub mod redact;
pub mod reply;
pub mod resolution;
pub mod texts;
pub mod verdict;
