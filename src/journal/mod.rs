//! The journal: what is recorded of requests that move money, and what a call may do after what it finds there. Rows are
//! appended and never changed.
//!
//! Imports `util` and `json`.

pub mod claims;
pub mod digest;
pub mod row;
pub mod store;
pub mod table;
