//! libpaysvc: the client library for the payments service, behind a C interface (`include/paysvc.h`).
//!
//! Data flows one way: `ffi -> flow -> request -> wire -> answer -> ffi`, and each of these modules imports only
//! those that `rooms.rs` allows. All knowledge of an endpoint is its row in the crate `paysvc-spec`. Only [`ffi`] has
//! `unsafe` code, and `wire/sys/windows.rs`.

#![deny(unsafe_code, unsafe_op_in_unsafe_fn)]

#[cfg(panic = "abort")]
compile_error!(
    "libpaysvc turns panics into PAYSVC_E_INTERNAL; with panic = \"abort\" they would end the caller's process"
);

/// Wipes all heap memory when it is freed, also when a buffer moves because it grows. The types in [`util::secret`] mark
/// what must be wiped; this also covers the copies that the HTTP and TLS libraries make.
#[global_allocator]
static ALLOCATOR: ffi::reserve::Allocator = ffi::reserve::Allocator;

mod answer;
mod call;
mod config;
#[allow(unsafe_code)]
pub mod ffi;
mod flow;
#[cfg(any(fuzzing, test))]
#[doc(hidden)]
pub mod fuzzing;
mod json;
mod ledger;
mod request;
#[cfg(test)]
mod rooms;
mod util;
mod wire;
