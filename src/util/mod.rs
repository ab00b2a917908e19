//! Helpers that the other rooms share: secrets, memory, processes. They know nothing about payments.
//!
//! Imports no other room.

pub mod authority;
pub mod call_id;
pub mod cp1252;
pub mod ended;
pub mod expiry;
pub mod failpoint;
pub mod limits;
pub mod memory;
pub mod one_line;
pub mod panics;
pub mod per_process;
pub mod process;
pub mod reference;
pub mod secret;
pub mod spelling;
pub mod symbols;
pub mod validation_error;
