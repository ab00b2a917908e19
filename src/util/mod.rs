//! Helpers that the other rooms share: secrets, memory, processes. They know nothing of payments.
//!
//! Imports no other room.

pub mod authority;
pub mod call_id;
pub mod cp1252;
pub mod ended;
pub mod failpoint;
pub mod limits;
pub mod memory;
pub mod one_line;
pub mod panics;
pub mod process;
pub mod reference;
pub mod secret;
pub mod symbols;
#[cfg(test)]
#[path = "../../tests/support/http.rs"]
pub mod test_http;
#[cfg(test)]
#[path = "../../tests/support/random.rs"]
#[allow(dead_code)] // The unit tests use a part of it.
pub mod test_random;
pub mod validation_error;
