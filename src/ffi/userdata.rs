//! The pointer that a C program gives with a callback.

use std::ffi::c_void;

/// The caller's pointer, which any calling thread passes back.
pub struct UserData(pub *mut c_void);

// SAFETY: it is only carried, never dereferenced. What the callback does with it on any thread is the program's, as the
// header says.
unsafe impl Send for UserData {}
// SAFETY: as for `Send`: a shared reference gives no more than a copy of the pointer.
unsafe impl Sync for UserData {}

impl UserData {
    pub fn get(&self) -> *mut c_void {
        self.0
    }
}
