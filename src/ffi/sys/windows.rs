//! Windows has no fork. The library pins itself when it is first used: the thread-locals of its threads have destructors,
//! which run at their ends, and after FreeLibrary that would end the program.

use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use windows_sys::Win32::Foundation::{GetLastError, SetLastError};
use windows_sys::Win32::System::LibraryLoader::{
    GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, GET_MODULE_HANDLE_EX_FLAG_PIN, GetModuleHandleExW,
};

use super::forget_thread;
use crate::util::process::{self, Page, Platform};

pub fn install() {
    static PLATFORM: Platform = Platform { page: only_page, at_thread_end: forget_thread };
    static PINNED: AtomicBool = AtomicBool::new(false);
    process::install(&PLATFORM);
    // Pinning twice does no harm.
    if !PINNED.load(Ordering::Relaxed) {
        pin();
        PINNED.store(true, Ordering::Relaxed);
    }
}

/// One process, one page.
fn only_page() -> &'static Page {
    static PAGE: Page = Page::new();
    &PAGE
}

/// Keeps the DLL loaded, or the program if the library is linked into it.
fn pin() {
    let inside: fn() = pin;
    let mut module = ptr::null_mut();
    // SAFETY: an address inside the module instead of its name; the handle is not used. If it fails, the module can be
    // unloaded, and nothing else is different.
    unsafe {
        let how = GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS;
        GetModuleHandleExW(how, inside as *const u16, &mut module);
    }
}

pub fn watch_forks() {}

unsafe extern "C" {
    /// Where the C library that this library is linked with keeps `errno`.
    fn _errno() -> *mut c_int;
}

/// GetLastError, which is WSAGetLastError too, and `errno` of the C library beneath this one.
pub fn preserving_errors<T>(body: impl FnOnce() -> T) -> T {
    // SAFETY: both belong to this thread, and the pointer to `errno` is valid as long as the thread runs.
    let before = unsafe { (GetLastError(), *_errno()) };
    let result = body();
    // SAFETY: as above.
    unsafe {
        *_errno() = before.1;
        SetLastError(before.0);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_errors_of_a_thread_stay() {
        unsafe { (*_errno(), SetLastError(77)) };
        unsafe { *_errno() = 33 };
        preserving_errors(|| unsafe {
            *_errno() = 5;
            SetLastError(6);
        });
        assert_eq!(unsafe { (GetLastError(), *_errno()) }, (77, 33));
    }

    #[test]
    fn there_is_one_generation() {
        install();
        assert_eq!(process::generation(), std::thread::spawn(process::generation).join().unwrap());
    }
}
