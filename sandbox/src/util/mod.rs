//! JSON, amounts, time, derived values and files: independent of HTTP and of payments.

pub mod clock;
pub mod files;
pub mod json;
pub mod money;
pub mod named;
pub mod seed;
