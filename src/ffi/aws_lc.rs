//! The one function of AWS-LC that has no safe interface.

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
