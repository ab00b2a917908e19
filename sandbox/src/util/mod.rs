//! JSON, amounts, time, derived values and files: knows nothing about HTTP or about payments.

pub mod clock;
pub mod files;
pub mod json;
pub mod money;
pub mod named;
pub mod seed;
