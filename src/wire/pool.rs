//! The pool of idle connections. A connection is used by one call at a time.
//!
//! Each has a ureq agent of its own, so that no two calls wait for a lock inside ureq, and so that what belongs to a
//! call is kept beside its connection instead of in a thread-local.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ureq::Agent;

use super::connection_state::ConnectionState;
use crate::util::process::PerProcess;

pub struct PooledConnection {
    pub agent: Agent,
    pub state: Arc<ConnectionState>,
    last_used: Instant,
}

impl PooledConnection {
    pub fn new(agent: Agent, state: Arc<ConnectionState>) -> PooledConnection {
        PooledConnection { agent, state, last_used: Instant::now() }
    }
}

/// Idle connections; each process has its own.
pub struct Pool {
    idle: PerProcess<Mutex<VecDeque<PooledConnection>>>,
    max_idle_count: usize,
    max_idle: Duration,
}

impl Pool {
    pub fn new(max_idle_count: usize, max_idle: Duration) -> Pool {
        Pool { idle: PerProcess::new(), max_idle_count, max_idle }
    }

    /// The most recently used connection: it is the least likely to have been closed meanwhile.
    pub fn take(&self) -> Option<PooledConnection> {
        lock(self.idle.current().1).pop_back()
    }

    /// The same, and closes those that have been idle for too long.
    pub fn take_young(&self) -> Option<PooledConnection> {
        let mut idle = lock(self.idle.current().1);
        if idle.is_empty() {
            return None;
        }
        let old = self.surplus(&mut idle, Instant::now());
        let connection = idle.pop_back();
        drop(idle);
        // Sockets are closed outside the lock.
        drop(old);
        connection
    }

    pub fn give_back(&self, mut connection: PooledConnection) {
        let (generation, idle) = self.idle.current();
        // Taken before a fork during this call: the socket is shared with the parent.
        if connection.state.generation != generation {
            return std::mem::forget(connection);
        }
        let now = Instant::now();
        connection.last_used = now;
        let mut idle = lock(idle);
        idle.push_back(connection);
        let surplus = self.surplus(&mut idle, now);
        drop(idle);
        drop(surplus);
    }

    /// Removes connections that are too many or too old.
    fn surplus(&self, idle: &mut VecDeque<PooledConnection>, now: Instant) -> Vec<PooledConnection> {
        let old = |connection: &PooledConnection| now.duration_since(connection.last_used) > self.max_idle;
        let mut surplus = Vec::new();
        while idle.len() > self.max_idle_count || idle.front().is_some_and(old) {
            surplus.extend(idle.pop_front());
        }
        surplus
    }
}

fn lock(idle: &Mutex<VecDeque<PooledConnection>>) -> MutexGuard<'_, VecDeque<PooledConnection>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::config::address::BaseUrl;
    use crate::wire::connect::Peer;

    pub fn connection() -> PooledConnection {
        let service = Arc::new(BaseUrl::parse("http://127.0.0.1:1", false).unwrap());
        let peer = Arc::new(Peer { config: Arc::default(), service, tls: None });
        PooledConnection::new(Agent::new_with_defaults(), Arc::new(ConnectionState::new(peer)))
    }

    fn idle(pool: &Pool) -> usize {
        lock(pool.idle.current().1).len()
    }

    #[test]
    fn the_last_used_connection_comes_first_and_surplus_ones_are_closed() {
        let pool = Pool::new(2, Duration::from_secs(60));
        let given: Vec<_> = (0..3).map(|_| connection()).collect();
        let last = Arc::clone(&given[2].state);
        given.into_iter().for_each(|connection| pool.give_back(connection));
        assert_eq!(idle(&pool), 2);
        assert!(Arc::ptr_eq(&pool.take().unwrap().state, &last));
    }

    #[test]
    fn connections_idle_for_too_long_are_closed() {
        let pool = Pool::new(9, Duration::ZERO);
        pool.give_back(connection());
        std::thread::sleep(Duration::from_millis(2));
        pool.give_back(connection());
        assert_eq!(idle(&pool), 1, "only the one just given back is young enough");
    }
    #[test]
    fn a_connection_that_is_too_old_is_not_taken() {
        let pool = Pool::new(9, Duration::from_millis(300));
        pool.give_back(connection());
        let young = pool.take_young();
        assert!(young.is_some());
        pool.give_back(young.unwrap());
        std::thread::sleep(Duration::from_millis(310));
        assert!(pool.take_young().is_none());
        assert_eq!(idle(&pool), 0, "it is closed");
    }
}
