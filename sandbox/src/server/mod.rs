//! Connections: accepts them, speaks TLS, reads a request and sends its response, or what a fault turns it into.

pub mod accept;
pub mod address;
pub mod authority;
pub mod connection;
pub mod delivery;
pub mod exchange;
pub mod play;
pub mod tls;
pub mod wire;
