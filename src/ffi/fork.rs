//! After a fork the child must not use its parent's connections: the system tells us of every fork.

use std::sync::Once;

use crate::transport;

/// Asks, once per process, to be told of forks.
pub fn watch() {
    extern "C" fn in_child() {
        transport::after_fork();
    }
    static ONCE: Once = Once::new();
    // SAFETY: the handler only adds to an atomic, and stays loaded (the library is linked with -z nodelete).
    ONCE.call_once(|| unsafe {
        libc::pthread_atfork(None, None, Some(in_child));
    });
}
