//! libpaysvc: the client library for the payments service, behind a C interface (`include/paysvc.h`).
//!
//! Data flows one way: `ffi -> client -> request -> transport -> response -> ffi`. All knowledge of an endpoint is its
//! row in the crate `paysvc-spec`. `unsafe` lives in [`ffi`] alone.

#![deny(unsafe_code, unsafe_op_in_unsafe_fn)]

#[cfg(panic = "abort")]
compile_error!(
    "libpaysvc turns panics into PAYSVC_E_INTERNAL; with panic = \"abort\" they would end the caller's process"
);

/// Everything on the heap is wiped when it is freed, what moves when it grows included. The types in [`util::secret`] say what
/// must be; this also reaches the copies that HTTP and TLS make beneath us.
#[global_allocator]
static WIPING: zeroizing_alloc::ZeroAlloc<std::alloc::System> = zeroizing_alloc::ZeroAlloc(std::alloc::System);

mod client;
#[allow(unsafe_code)]
pub mod ffi;
#[cfg(any(fuzzing, test))]
#[doc(hidden)]
pub mod fuzzing;
mod request;
mod response;
mod transport;
mod util;
