//! The one thing that AWS-LC's safe interface does not have.

/// Frees what AWS-LC keeps for this thread, which it would otherwise do at the thread's end, under a lock of all threads.
pub fn forget_thread() {
    // The other targets' bindings lack it: there a fork at the very end of a thread still has the old small risk.
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    // SAFETY: it takes nothing, and frees only what no other thread can reach. What the thread asks of AWS-LC later is
    // made anew.
    unsafe {
        aws_lc_sys::AWSLC_thread_local_clear();
    }
}
