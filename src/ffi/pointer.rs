//! Who owns what a pointer of the C interface points to. The type of a parameter says it, so that the compiler refuses to
//! free a handle as another kind:
//!
//! * `Option<Box<T>>`: the caller gives it back, once. `None` is NULL.
//! * `Option<&T>`, `Option<&mut T>`: the caller's until the function returns, and nobody frees it meanwhile.
//! * `*const T` where `T` is [`Shared`]: one thread may free it while others use it; the first thing to do is
//!   [`Shared::retain`].

use std::ffi::c_void;
use std::sync::Arc;

use super::types::{paysvc_call, paysvc_client};
use crate::call::CallToken;
use crate::flow::Client;

/// A handle that is one of the owners of a value.
pub trait Shared: Sized {
    type Value;

    /// A handle for C, to be given to [`Shared::free`].
    fn give(value: Arc<Self::Value>) -> *mut Self {
        Arc::into_raw(value).cast_mut().cast()
    }

    /// The value, kept alive even if the handle is freed meanwhile; `None` for NULL.
    ///
    /// # Safety
    /// The handle is NULL, or came from [`Shared::give`] and has not been freed.
    unsafe fn retain(handle: *const Self) -> Option<Arc<Self::Value>> {
        let value = handle.cast::<Self::Value>();
        // SAFETY: not NULL, so it is an `Arc` whose count the caller has until it frees the handle.
        (!handle.is_null()).then(|| unsafe {
            Arc::increment_strong_count(value);
            Arc::from_raw(value)
        })
    }

    /// Gives the handle's count back; NULL is ignored.
    ///
    /// # Safety
    /// The handle is NULL, or came from [`Shared::give`] and is freed once.
    unsafe fn free(handle: *mut Self) {
        if !handle.is_null() {
            // SAFETY: not NULL, so it has a count, and the caller gives that back.
            drop(unsafe { Arc::from_raw(handle.cast_const().cast::<Self::Value>()) });
        }
    }
}

impl Shared for paysvc_client {
    type Value = Client;
}

impl Shared for paysvc_call {
    type Value = CallToken;
}

/// The program's pointer, which any calling thread passes back.
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
