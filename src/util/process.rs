//! Forks: whether this process is the one that made something, critical sections that no fork interrupts, and values that
//! every process has for itself.
//!
//! All state is on one page that the system wipes in a child, so every fork is noticed, however it was made, and
//! without a system call. Mapping such a page takes `unsafe`, so [`install`] is given it. Nothing here locks or
//! allocates: a signal handler may call it.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use once_cell::race::{OnceBox, OnceRef};

/// Max time that a fork waits for sections to end, and a section for a fork: far longer than either takes. It is limited
/// because the program's own fork handlers, or a fork in a signal handler, could make two threads wait for each other.
const MAX_WAIT: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_micros(50);

/// The last generation that this process or one of its ancestors has used.
static LAST: AtomicU32 = AtomicU32::new(0);

/// One per process. All bits zero is a new one, which a child finds if the system wipes the page.
#[derive(Default)]
pub struct Page {
    /// The owner in the high half, its generation in the low half.
    owner_and_generation: AtomicU64,
    /// Threads in sections.
    inside: AtomicU32,
    /// Threads that are about to fork.
    forking: AtomicU32,
    /// Identifies the owner of a page that the system does not wipe.
    owner: Option<fn() -> u32>,
}

impl Page {
    /// A page that the system wipes in every child, or in a system without forks.
    #[cfg(any(windows, test))]
    pub const fn new() -> Page {
        Page { owner: None, ..Page::unwiped(|| 0) }
    }

    pub const fn unwiped(process_id: fn() -> u32) -> Page {
        Page {
            owner_and_generation: AtomicU64::new(0),
            inside: AtomicU32::new(0),
            forking: AtomicU32::new(0),
            owner: Some(process_id),
        }
    }

    /// A number that no ancestor and no descendant of this process has, the same in all threads. The first thread that
    /// asks in a new process sets it; none ever waits.
    fn generation(&self, last: &AtomicU32) -> u32 {
        let owner = self.owner.map_or(1, |ask| ask());
        let current = self.owner_and_generation.load(Ordering::SeqCst);
        if (current >> 32) as u32 == owner {
            return current as u32;
        }
        let next = last.fetch_add(1, Ordering::SeqCst).wrapping_add(1);
        let new = u64::from(owner) << 32 | u64::from(next);
        match self.owner_and_generation.compare_exchange(current, new, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => next,
            // Another thread of this process was faster.
            Err(theirs) => theirs as u32,
        }
    }

    fn enter(&self) {
        let mut started = None;
        loop {
            self.inside.fetch_add(1, Ordering::SeqCst);
            if self.forking.load(Ordering::SeqCst) == 0 || !may_wait(&mut started) {
                return;
            }
            decrement(&self.inside);
            std::thread::sleep(PAUSE);
        }
    }

    /// Before a fork: waits until no thread is in a section, and keeps others from entering one.
    #[cfg(any(unix, test))]
    pub fn before_fork(&self) {
        self.forking.fetch_add(1, Ordering::SeqCst);
        let mut started = None;
        while self.inside.load(Ordering::SeqCst) > 0 && may_wait(&mut started) {
            std::thread::sleep(PAUSE);
        }
    }

    #[cfg(any(unix, test))]
    pub fn after_fork_in_parent(&self) {
        decrement(&self.forking);
    }

    /// Does nothing for a page that the system has wiped.
    #[cfg(any(unix, test))]
    pub fn after_fork_in_child(&self) {
        if self.owner.is_some() {
            self.owner_and_generation.store(0, Ordering::SeqCst);
            self.inside.store(0, Ordering::SeqCst);
            self.forking.store(0, Ordering::SeqCst);
        }
    }
}

fn may_wait(started: &mut Option<Instant>) -> bool {
    started.get_or_insert_with(Instant::now).elapsed() < MAX_WAIT
}

/// Not below zero: a fork in a signal handler may have wiped the count while its thread was counted.
fn decrement(count: &AtomicU32) {
    let _ = count.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |count| count.checked_sub(1));
}

/// Functions that need `unsafe` code, and so are implemented elsewhere.
pub struct Platform {
    /// Maps the page.
    pub page: fn() -> &'static Page,
    /// Runs at the end of a thread that was in a section.
    pub at_thread_end: fn(),
}

static PLATFORM: OnceRef<'static, Platform> = OnceRef::new();

/// Closes what must be closed before a fork.
static CLOSE: OnceBox<fn()> = OnceBox::new();

/// From now on, that function runs before each fork, when no thread is in a critical section.
pub fn close_before_forks(close: fn()) {
    if CLOSE.get().is_none() {
        // Another thread may have been faster, with the same function.
        let _ = CLOSE.set(Box::new(close));
    }
}

#[cfg(unix)]
pub fn before_fork() {
    page().before_fork();
    if let Some(close) = CLOSE.get() {
        close();
    }
}

/// Installs the platform's functions. Every function of the C interface that may use this module calls it first.
pub fn install(platform: &'static Platform) {
    if PLATFORM.get().is_none() {
        // Another thread may have been faster, with the same functions.
        let _ = PLATFORM.set(platform);
    }
}

pub fn page() -> &'static Page {
    static PAGE: OnceRef<'static, Page> = OnceRef::new();
    // Without a platform, as in unit tests.
    static UNWIPED: Page = Page::unwiped(std::process::id);
    // Lock-free, so that a child never waits for an initialisation that its parent had begun.
    PAGE.get_or_init(|| PLATFORM.get().map_or(&UNWIPED, |platform| (platform.page)()))
}

/// A number that no ancestor and no descendant of this process has. Safe in a signal handler.
pub fn generation() -> u32 {
    page().generation(&LAST)
}

/// Runs code that takes locks of other libraries (AWS-LC's randomness, a `Once`). Meanwhile `fork` waits: a child would
/// wait for ever for a lock held by a thread that it does not have. Only for short work: nothing that waits for a peer
/// or a callback.
pub fn critical_section<T>(run: impl FnOnce() -> T) -> T {
    // Does nothing if the thread is ending and its thread-locals are gone.
    let _ = AT_END.try_with(|_| ());
    within_page(page(), run)
}

fn within_page<T>(page: &Page, run: impl FnOnce() -> T) -> T {
    struct Leave<'a>(&'a Page);
    impl Drop for Leave<'_> {
        fn drop(&mut self) {
            IS_INSIDE.set(false);
            decrement(&self.0.inside);
        }
    }
    // A section within another would wait for a fork that waits for the outer one.
    if IS_INSIDE.get() {
        return run();
    }
    page.enter();
    IS_INSIDE.set(true);
    let _leave = Leave(page);
    run()
}

thread_local! {
    /// This thread is in a section. It has no destructor, so it is there until the thread is gone.
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
    /// The end of a thread that was in a section takes AWS-LC's locks as well.
    static AT_END: AtEnd = const { AtEnd };
}

struct AtEnd;

impl Drop for AtEnd {
    fn drop(&mut self) {
        if let Some(platform) = PLATFORM.get() {
            within_page(page(), platform.at_thread_end);
        }
    }
}

/// A value that every process has for itself. A forked child gets a new one: the parent's may hold sockets of the parent,
/// and a lock in it may be held by a thread that the child does not have.
pub struct PerProcess<T: Default> {
    generation: u32,
    value: T,
    /// Lock-free, so that a child never waits for an initialisation that its parent had begun.
    child: OnceBox<PerProcess<T>>,
}

impl<T: Default> PerProcess<T> {
    pub fn new() -> PerProcess<T> {
        PerProcess::made_in(generation())
    }

    fn made_in(generation: u32) -> PerProcess<T> {
        PerProcess { generation, value: T::default(), child: OnceBox::new() }
    }

    /// The generation of this process, and its value.
    pub fn current(&self) -> (u32, &T) {
        let generation = generation();
        (generation, self.of(generation))
    }

    /// The value of the process of that generation.
    pub fn of(&self, generation: u32) -> &T {
        let mut current = self;
        while current.generation != generation {
            current = current.child.get_or_init(|| Box::new(PerProcess::made_in(generation)));
        }
        &current.value
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wiped_page_has_a_new_generation_which_is_the_same_in_all_threads() {
        let (page, last) = (Page::default(), AtomicU32::new(6));
        assert_eq!((page.generation(&last), page.generation(&last)), (7, 7));
        page.inside.store(3, Ordering::SeqCst);
        let child = Page::default();
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| child.generation(&last))).collect();
            let seen: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
            assert!(seen.iter().all(|generation| *generation == seen[0] && *generation > 7), "{seen:?}");
        });
    }

    /// The process id is simulated per thread.
    #[test]
    fn without_wiping_the_process_id_tells_a_new_process() {
        use std::cell::Cell;
        thread_local!(static PID: Cell<u32> = const { Cell::new(100) });
        let (page, last) = (Page::unwiped(|| PID.get()), AtomicU32::new(0));
        assert_eq!((page.generation(&last), page.generation(&last)), (1, 1));
        PID.set(101);
        assert_eq!((page.generation(&last), page.generation(&last)), (2, 2));
        // If a child has a reused process id, the fork handler detects it.
        page.inside.store(2, Ordering::SeqCst);
        page.forking.store(1, Ordering::SeqCst);
        page.after_fork_in_child();
        assert_eq!((page.generation(&last), page.inside.load(Ordering::SeqCst)), (3, 0));
        assert_eq!(page.forking.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn forks_and_sections_wait_for_each_other_but_not_for_ever() {
        static PAGE: Page = Page::new();
        PAGE.enter();
        let fork = std::thread::spawn(|| PAGE.before_fork());
        while PAGE.forking.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        assert!(!fork.is_finished());
        decrement(&PAGE.inside);
        fork.join().unwrap();
        let section = std::thread::spawn(|| PAGE.enter());
        PAGE.after_fork_in_parent();
        section.join().unwrap();
        assert_eq!(PAGE.inside.load(Ordering::SeqCst), 1);
        // If no thread leaves its section, the fork does not wait for ever.
        PAGE.before_fork();
        PAGE.enter();
    }

    #[test]
    fn a_section_within_another_is_a_part_of_it() {
        static PAGE: Page = Page::new();
        within_page(&PAGE, || {
            let fork = std::thread::spawn(|| PAGE.before_fork());
            while PAGE.forking.load(Ordering::SeqCst) == 0 {
                std::thread::yield_now();
            }
            // One that waited for the fork, which waits for the outer one, would enter in the end, and count.
            assert_eq!(within_page(&PAGE, || PAGE.inside.load(Ordering::SeqCst)), 1);
            fork
        })
        .join()
        .unwrap();
        assert_eq!(PAGE.inside.load(Ordering::SeqCst), 0);
    }
}
