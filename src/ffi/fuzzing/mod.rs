//! The fuzz targets that go through the C interface; compiled for the fuzzer and for tests only. The targets of private
//! items are in [`crate::fuzzing`].

mod program;
#[cfg(test)]
mod tests;
mod wire;

pub use program::ffi;
pub use wire::wire;

use std::sync::Once;

use paysvc_spec::settings::{CONFIG, variable};

/// A client whose configuration lacks a field takes it from the environment, which may have settings on the machine
/// that runs this.
fn check_environment() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for name in CONFIG.iter().map(|field| variable(field.name)) {
            assert!(std::env::var_os(&name).is_none(), "{name} is set: a request could go to a service");
        }
    });
}
