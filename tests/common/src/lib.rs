//! What the tests of the library and the sandbox have in common. It depends on neither.

#![forbid(unsafe_code)]

pub mod http;
pub mod left_out;
pub mod random;
