//! The global allocator, and the memory that a call sets aside before it does anything.
//!
//! Rust ends the process when a small allocation fails. Within a call the reserve is given up instead: the call goes on
//! with it to its reply, and sends nothing more ([`memory::is_spent`]). Another thread may take that memory first, which
//! makes the end of the process unlikely, not impossible.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use zeroizing_alloc::ZeroAlloc;

use crate::util::memory::{self, LARGE};

/// Wipes what is freed.
const WIPING: ZeroAlloc<System> = ZeroAlloc(System);
/// More than what a call allocates in small pieces from its first byte to its reply. It is not wiped, so it costs a call
/// next to nothing.
const BLOCK: Layout = match Layout::from_size_align(LARGE + LARGE / 2, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("16 is a power of two"),
};

thread_local! {
    /// It has no destructor: a thread's end runs no code of ours.
    static RESERVED: Cell<*mut u8> = const { Cell::new(null_mut()) };
}

/// A reserve that was not needed, for the next call: the system allocator takes hundreds of instructions for a block of this
/// size. One for the whole process, which keeps it.
static SPARE: AtomicPtr<u8> = AtomicPtr::new(null_mut());

pub struct Allocator;

/// Gives the reserve of this thread back to the system; false if it has none.
fn give_up() -> bool {
    // A thread that ends has none.
    let block = RESERVED.try_with(|reserved| reserved.replace(null_mut())).unwrap_or(null_mut());
    if block.is_null() {
        return false;
    }
    memory::set_spent(true);
    // SAFETY: `Reserve::take` allocated it with this layout, and it is taken out: nobody else has it.
    unsafe { System.dealloc(block, BLOCK) };
    true
}

/// Larger allocations are made where their failure is an error.
fn can_help(layout: Layout) -> bool {
    layout.size() <= LARGE && give_up()
}

// SAFETY: each function is that of the allocator that it wraps, called once more where it failed.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the layout has a size, as the caller promises, and is passed on unchanged.
        unsafe {
            let block = WIPING.alloc(layout);
            if block.is_null() && can_help(layout) { WIPING.alloc(layout) } else { block }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the layout has a size, as the caller promises, and is passed on unchanged.
        unsafe {
            let block = WIPING.alloc_zeroed(layout);
            if block.is_null() && can_help(layout) { WIPING.alloc_zeroed(layout) } else { block }
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block came from `WIPING` with this layout, because all blocks of `self` do.
        unsafe { WIPING.dealloc(block, layout) }
    }
}

/// The reserve of a call, until it ends. A call within a call, from a callback, shares it.
pub struct Reserve {
    is_shared: bool,
    /// The flag of the call around this one.
    was_spent: bool,
}

impl Reserve {
    /// `None` if there is not enough memory for it.
    pub fn take() -> Option<Reserve> {
        let was_spent = memory::is_spent();
        let is_shared = !RESERVED.get().is_null();
        if !is_shared {
            let spare = SPARE.swap(null_mut(), Ordering::Acquire);
            // SAFETY: the layout has a size.
            let block = if spare.is_null() { unsafe { System.alloc(BLOCK) } } else { spare };
            if block.is_null() {
                return None;
            }
            RESERVED.set(block);
            memory::set_spent(false);
        }
        Some(Reserve { is_shared, was_spent })
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        if self.is_shared {
            return;
        }
        memory::set_spent(self.was_spent);
        let block = RESERVED.replace(null_mut());
        let kept = SPARE.compare_exchange(null_mut(), block, Ordering::Release, Ordering::Relaxed).is_ok();
        if !block.is_null() && !kept {
            // SAFETY: `take` allocated it with this layout, and it is neither reserved nor spare: nobody else has it.
            unsafe { System.dealloc(block, BLOCK) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_aside_is_given_up_once_and_taken_anew() {
        assert!(!give_up(), "outside of a call there is none");
        let outer = Reserve::take().unwrap();
        let inner = Reserve::take().unwrap();
        drop(inner);
        assert!(!RESERVED.get().is_null() && !memory::is_spent());
        assert!(give_up() && memory::is_spent() && !give_up());
        // A call within it has one of its own.
        let inner = Reserve::take().unwrap();
        assert!(!memory::is_spent());
        drop(inner);
        assert!(memory::is_spent());
        drop(outer);
        assert!(!memory::is_spent() && RESERVED.get().is_null());
    }
}
