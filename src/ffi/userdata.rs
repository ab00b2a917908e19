//! The pointer that a C program gives with a callback.

use std::ffi::c_void;

/// The caller's pointer, which any calling thread passes back.
pub struct UserData(pub *mut c_void);

// SAFETY: never dereferenced here; the header says that the callback runs on any calling thread.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl UserData {
    pub fn get(&self) -> *mut c_void {
        self.0
    }
}
