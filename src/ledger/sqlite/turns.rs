//! Who may use SQLite when: one thread of a store at a time, and no process with another's state.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::util::process::{PerProcess, generation};

/// One thread at a time, which waits no longer than its call may take.
pub struct Turns(PerProcess<Gate>);

#[derive(Default)]
struct Gate {
    taken: Mutex<bool>,
    free: Condvar,
}

pub struct Turn<'a>(&'a Gate);

impl Turns {
    pub fn new() -> Turns {
        Turns(PerProcess::new())
    }

    /// `None` if another thread still has it at that time.
    pub fn take(&self, deadline: Instant) -> Option<Turn<'_>> {
        let (_, gate) = self.0.current();
        let taken = gate.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let left = deadline.saturating_duration_since(Instant::now());
        let waited = gate.free.wait_timeout_while(taken, left, |taken| *taken);
        let (mut taken, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if *taken {
            return None;
        }
        *taken = true;
        Some(Turn(gate))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.taken.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.0.free.notify_one();
    }
}

/// How many connections a process has: its generation in the high half, their number in the low half.
///
/// SQLite keeps what a process has locked in memory that a child inherits, without the locks themselves: a child that
/// opens the same file would believe that it has them. So connections last for one call only, forks wait for its end
/// (`util::process`), and a child whose parent had one at the moment of the fork is refused for good.
pub struct Connections(AtomicU64);

pub static CONNECTIONS: Connections = Connections(AtomicU64::new(0));

pub struct Connected<'a>(&'a Connections, u32);

impl Connections {
    pub fn enter(&self) -> Result<Connected<'_>, String> {
        self.enter_as(generation())
    }

    fn enter_as(&self, generation: u32) -> Result<Connected<'_>, String> {
        let next = |now: u64| {
            let (owner, number) = ((now >> 32) as u32, now as u32);
            if owner == generation {
                Some(now + 1)
            } else if number == 0 {
                Some(u64::from(generation) << 32 | 1)
            } else {
                None
            }
        };
        match self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next) {
            Ok(_) => Ok(Connected(self, generation)),
            Err(_) => Err("this process was forked while its parent was using a journal, so it cannot use one: fork \
                           at another moment, or execute a program after the fork"
                .to_owned()),
        }
    }
}

impl Drop for Connected<'_> {
    fn drop(&mut self) {
        let Connected(connections, generation) = self;
        let next = |now: u64| ((now >> 32) as u32 == *generation).then(|| now - 1);
        let _ = connections.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next);
    }
}

/// The end of a call's time. If no clock can represent it, a long time is used.
pub fn deadline(timeout: Duration) -> Instant {
    const LONG: Duration = Duration::from_secs(24 * 3600);
    Instant::now() + timeout.min(LONG)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_waited_for_no_longer_than_said() {
        let turns = Turns::new();
        let first = turns.take(Instant::now()).unwrap();
        let started = Instant::now();
        assert!(turns.take(deadline(Duration::from_millis(50))).is_none());
        assert!(started.elapsed() >= Duration::from_millis(50));
        std::thread::scope(|scope| {
            let second = scope.spawn(|| turns.take(deadline(Duration::from_secs(20))).is_some());
            drop(first);
            assert!(second.join().unwrap());
        });
        assert!(turns.take(Instant::now()).is_some(), "the second thread has given it back");
    }

    #[test]
    fn a_panic_gives_the_turn_back() {
        let turns = Turns::new();
        std::thread::scope(|scope| {
            let panicking = scope.spawn(|| {
                let _turn = turns.take(Instant::now());
                std::panic::resume_unwind(Box::new(()));
            });
            assert!(panicking.join().is_err());
        });
        assert!(turns.take(Instant::now()).is_some());
    }

    /// The generations are simulated.
    #[test]
    fn a_child_is_refused_only_if_its_parent_had_a_connection() {
        let connections = Connections(AtomicU64::new(0));
        drop((connections.enter_as(1).unwrap(), connections.enter_as(1).unwrap()));
        let at_rest = Connections(AtomicU64::new(connections.0.load(Ordering::SeqCst)));
        drop(at_rest.enter_as(2).unwrap());
        assert!(at_rest.enter_as(3).is_ok(), "nor a grandchild");
        let _connected = connections.enter_as(1).unwrap();
        let in_use = Connections(AtomicU64::new(connections.0.load(Ordering::SeqCst)));
        assert!(in_use.enter_as(2).is_err_and(|error| error.contains("forked")));
        assert!(in_use.enter_as(3).is_err(), "nor a grandchild");
    }
}
