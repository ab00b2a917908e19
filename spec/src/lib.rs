//! The tables: everything that the library, its generated files, its documentation and its tests know about the
//! payments service and the library's own configuration. Data only: no dependencies and no I/O.

#![forbid(unsafe_code)]

pub mod checks;
pub mod endpoints;
pub mod events;
pub mod journal;
pub mod operations;
pub mod refusals;
pub mod roles;
pub mod schema;
pub mod settings;
pub mod status;
pub mod verdicts;
pub mod version;

pub use endpoints::{ENDPOINTS, endpoint};
