//! From the HTTP response to the reply: reads it, extracts the facts, decides the verdict, redacts the message. Does no
//! I/O.

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
