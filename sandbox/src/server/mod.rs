//! Connections: accepts them, speaks TLS, reads a request and sends its response, or what a fault turns it into.

pub mod accept;
pub mod address;
pub mod exchange;
pub mod tls;
pub mod wire;
