//! Differences between systems at the C boundary: forks, a thread's state in the system (`errno`), and staying loaded.
//!
//! `install` comes first in every function of the C interface that may use `util::process`, and `watch_forks` when a client
//! is made. `preserving_errors` runs a body and restores what the system keeps of a thread's last error.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;

/// Frees what AWS-LC keeps for this thread. Otherwise AWS-LC does so at the end of the thread, under a global lock,
/// which a child that is forked meanwhile would find held.
#[cfg(target_os = "linux")]
pub fn forget_thread() {
    #[cfg(not(target_arch = "arm"))]
    use aws_lc_sys::AWSLC_thread_local_clear;
    // The bindings for this processor lack it. The name contains the version, which Cargo.toml fixes.
    #[cfg(target_arch = "arm")]
    unsafe extern "C" {
        #[link_name = "aws_lc_0_47_0_AWSLC_thread_local_clear"]
        fn AWSLC_thread_local_clear() -> std::ffi::c_int;
    }
    // SAFETY: it frees only what no other thread can reach. AWS-LC allocates it again if the thread needs it.
    unsafe {
        AWSLC_thread_local_clear();
    }
}

/// Windows has no fork and AWS-LC no such function there. On macOS a fork while a thread ends may leave the lock held
/// in the child.
#[cfg(not(target_os = "linux"))]
pub fn forget_thread() {}
