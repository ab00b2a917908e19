//! The common parts of the tests of the library and the sandbox. It depends on neither.

#![forbid(unsafe_code)]

pub mod http;
pub mod left_out;
pub mod random;
