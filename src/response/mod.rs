//! From the HTTP answer to the reply: read it, extract the facts, decide the verdict, redact the message. Pure.

pub mod document;
pub mod facts;
pub mod reader;
pub mod redact;
pub mod reply;
pub mod verdict;
