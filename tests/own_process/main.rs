//! The tests that change the process they run in, so that they cannot share one with others.

#[path = "../support/mod.rs"]
mod support;

mod environment;
