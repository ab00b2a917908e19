//! The C interface, and the only `unsafe` code. It converts pointers to values and back, and knows no rule of payments.
//!
//! `cargo xtask gen` renders constants and endpoints (`exports.rs`) from the tables, and `include/paysvc.h` from this module.

// Rules 1 to 3 of the header are the safety section of every exported function: a handle is NULL, or is freed only once
// and after the last function got it (a reply: after the last has returned); a text is NULL, or NUL-terminated until
// the function returns; a result goes nowhere (NULL) or to memory for it; one thread at a time uses a `paysvc_json`. What
// the types of the parameters say of this is in `boundary.rs`.
#![allow(clippy::missing_safety_doc)]

mod boundary;
mod call;
#[cfg(any(fuzzing, test))]
#[doc(hidden)]
pub mod caller;
mod client;
#[rustfmt::skip] // Rendered.
mod exports;
#[cfg(all(any(fuzzing, test), unix))]
#[doc(hidden)]
pub mod fuzzing;
mod journal;
mod json;
#[cfg(test)]
mod panic_tests;
mod reply;
pub mod reserve;
mod store;
mod sys;
mod types;

pub use call::*;
pub use client::*;
pub use exports::*;
pub use journal::*;
pub use json::*;
pub use reply::*;
pub use store::*;
pub use types::*;
