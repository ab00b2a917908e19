//! Answers one request: finds its endpoint, checks key and body, runs the handler, keeps the log. Does no I/O.

pub mod built_in;
pub mod decide;
pub mod endpoint;
pub mod mask;
pub mod request_log;
pub mod router;
pub mod sandbox;
