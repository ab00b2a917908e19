//! What the tests of the library and of the sandbox have in common. It knows neither of them.

#![forbid(unsafe_code)]

pub mod http;
pub mod random;
