//! The tests that need several files of the repository, or the program.

mod lines;
mod new_endpoint;
mod verify;
