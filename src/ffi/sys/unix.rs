//! System support for noticing forks: a page that is wiped in every child, and handlers before and after `fork`.

use std::sync::atomic::{AtomicBool, Ordering};

use nix::errno::Errno;

use super::forget_thread;
use crate::util::process::{self, Page, Platform};

/// Gives [`crate::util::process`] what takes `unsafe` code.
pub fn install() {
    static PLATFORM: Platform = Platform { page: page_of_process, at_thread_end: forget_thread };
    process::install(&PLATFORM);
}

/// The page of [`crate::util::process`]: wiped in every child, or with the process id if the system cannot do that (Linux
/// before 4.14).
fn page_of_process() -> &'static Page {
    static UNWIPED: Page = Page::unwiped(process_id);
    wiped().unwrap_or(&UNWIPED)
}

/// By a system call: old C libraries cache the parent's id after `clone`.
#[cfg(target_os = "linux")]
fn process_id() -> u32 {
    // SAFETY: it takes nothing and touches nothing.
    unsafe { libc::syscall(libc::SYS_getpid) as u32 }
}

#[cfg(not(target_os = "linux"))]
fn process_id() -> u32 {
    std::process::id()
}

/// Other systems cannot wipe a page.
#[cfg(not(target_os = "linux"))]
fn wiped() -> Option<&'static Page> {
    None
}

#[cfg(target_os = "linux")]
fn wiped() -> Option<&'static Page> {
    const NO_ADVICE: libc::c_int = -1;
    let size = size_of::<Page>();
    // SAFETY: a new mapping of its own, kept for ever: zeroes are a new `Page`, and the system aligns it to its pages.
    unsafe {
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let page = libc::mmap(std::ptr::null_mut(), size, access, kind, -1, 0);
        if page == libc::MAP_FAILED {
            return None;
        }
        // Emulators may accept any advice and ignore it: they accept an invalid one as well.
        if libc::madvise(page, size, NO_ADVICE) == 0 || libc::madvise(page, size, libc::MADV_WIPEONFORK) != 0 {
            libc::munmap(page, size);
            return None;
        }
        Some(&*page.cast::<Page>())
    }
}

/// Installs the fork handlers, once per process, so that no fork interrupts a critical section.
pub fn watch_forks() {
    extern "C" fn before() {
        process::before_fork();
    }
    extern "C" fn in_parent() {
        process::page().after_fork_in_parent();
    }
    extern "C" fn in_child() {
        process::page().after_fork_in_child();
    }
    static WATCHING: AtomicBool = AtomicBool::new(false);
    // No `Once`, because a child must not wait for one that its parent had begun. Installing twice does no harm.
    if !WATCHING.load(Ordering::SeqCst) {
        // SAFETY: the handlers stay loaded (the library is linked with -z nodelete). The two after a fork neither lock nor
        // allocate; the one before it waits for a lock for a limited time.
        unsafe {
            libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child));
        }
        WATCHING.store(true, Ordering::SeqCst);
    }
}

/// Runs the body and restores `errno`, which belongs to the program: system calls beneath it change it.
pub fn preserving_errors<T>(body: impl FnOnce() -> T) -> T {
    let before = Errno::last_raw();
    let result = body();
    Errno::set_raw(before);
    result
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_system_wipes_the_page() {
        let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
        let number = |index| release.split(['.', '-']).nth(index).and_then(|text| text.parse::<u32>().ok());
        let new = (number(0), number(1)) >= (Some(4), Some(14));
        assert_eq!(wiped().is_some(), new, "Linux {release}");
        assert_eq!(process_id(), std::process::id());
    }

    /// The process id reveals a child where the page is not wiped.
    #[test]
    fn a_child_has_another_process_id() {
        let parent = process_id();
        // SAFETY: the child makes system calls only, and ends.
        let status = unsafe {
            let child = libc::fork();
            if child == 0 {
                libc::_exit(libc::c_int::from(process_id() == parent));
            }
            let mut status = -1;
            assert_eq!(libc::waitpid(child, &mut status, 0), child);
            status
        };
        assert_eq!(status, 0, "the child saw its parent's");
    }
}
