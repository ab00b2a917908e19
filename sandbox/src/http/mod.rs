//! HTTP messages: requests as received, the fields of their bodies, responses and their bytes. Does no I/O.

pub mod answer;
pub mod fields;
pub mod hosts;
pub mod incoming;
pub mod path_pattern;
