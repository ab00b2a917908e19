//! A value that every process has for itself.

use once_cell::race::OnceBox;

use crate::util::process::generation;

/// A forked child gets a new value: the parent's may hold sockets of the parent, and a lock in it may be held by a
/// thread that the child does not have.
pub struct PerProcess<T: Default> {
    generation: u32,
    value: T,
    /// Lock-free, so that a child never waits for an initialisation that its parent had begun.
    child: OnceBox<PerProcess<T>>,
}

impl<T: Default> PerProcess<T> {
    pub fn new() -> PerProcess<T> {
        PerProcess { generation: generation(), value: T::default(), child: OnceBox::new() }
    }

    /// The generation of this process, and its value.
    pub fn current(&self) -> (u32, &T) {
        let mut current = self;
        while current.generation != generation() {
            current = current.child.get_or_init(|| Box::new(PerProcess::new()));
        }
        (current.generation, &current.value)
    }
}

impl<T: Default> Drop for PerProcess<T> {
    fn drop(&mut self) {
        // Inherited from the parent, whose threads may have been changing it during the fork.
        if self.generation != generation() {
            std::mem::forget(std::mem::take(&mut self.value));
        }
    }
}
