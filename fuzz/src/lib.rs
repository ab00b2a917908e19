//! The fuzz targets that need only the C interface, and what the other targets share with them. The other targets need
//! the library's private items and are in `src/fuzzing`. `tests/fuzz_corpus.rs` includes this file, to replay the corpus
//! without a fuzzer.

mod c;
pub mod choice;
pub mod conditions;
pub mod ffi;
mod peer;
pub mod value;
pub mod wire;

use std::sync::Once;

/// Takes the library's settings out of this process's environment: whoever runs this may have some, and a client whose
/// configuration lacks a member would take it from there.
fn no_settings() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for field in paysvc_spec::settings::CONFIG {
            // SAFETY: before anything else in this process reads its environment in C.
            unsafe { std::env::remove_var(paysvc_spec::settings::variable(field.name)) };
        }
    });
}
