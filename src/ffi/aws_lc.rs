//! The one function of AWS-LC that has no safe interface.

/// Frees what AWS-LC keeps for this thread. Otherwise AWS-LC does so at the end of the thread, under a global lock.
pub fn forget_thread() {
    // The bindings of other targets lack it. There, a fork while a thread ends may leave the lock held in the child.
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    // SAFETY: it frees only what no other thread can reach. AWS-LC allocates it again if the thread needs it.
    unsafe {
        aws_lc_sys::AWSLC_thread_local_clear();
    }
}
