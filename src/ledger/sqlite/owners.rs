//! No process uses SQLite with another's state.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::util::process::generation;

/// The connections of a process: its generation in the high half, their number in the low half.
///
/// SQLite keeps what a process has locked in memory that a child inherits, without the locks themselves: a child that
/// opens the same file would believe that it has them. So a fork closes connections first, and a child whose parent had one
/// at the moment of the fork all the same is refused for good.
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

#[cfg(test)]
mod tests {
    use super::*;

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
