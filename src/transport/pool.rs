//! The pool of idle connections. A connection is used by one call at a time.
//!
//! Each has a ureq agent of its own, so that no two calls wait for a lock inside ureq, and so that what belongs to a call
//! is kept beside its connection instead of in a thread-local.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use once_cell::race::OnceBox;
use ureq::Agent;

use super::connection_state::ConnectionState;
use crate::util::process::generation;

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

/// The idle connections of one process. A forked child gets a pool of its own: the sockets are the parent's, and the lock
/// may be held by a thread that the child does not have.
pub struct Pool {
    generation: u32,
    idle: Mutex<VecDeque<PooledConnection>>,
    max_idle_count: usize,
    max_idle: Duration,
    /// Lock-free, so that a child never waits for an initialisation that its parent had begun.
    child: OnceBox<Pool>,
}

impl Pool {
    pub fn new(max_idle_count: usize, max_idle: Duration) -> Pool {
        Pool { generation: generation(), idle: Mutex::default(), max_idle_count, max_idle, child: OnceBox::new() }
    }

    /// The pool of this process.
    fn current(&self) -> &Pool {
        let mut pool = self;
        while pool.generation != generation() {
            pool = pool.child.get_or_init(|| Box::new(Pool::new(self.max_idle_count, self.max_idle)));
        }
        pool
    }

    /// The most recently used connection: it is the least likely to have been closed meanwhile.
    pub fn take(&self) -> Option<PooledConnection> {
        self.current().idle().pop_back()
    }

    pub fn give_back(&self, mut connection: PooledConnection) {
        let pool = self.current();
        // Taken before a fork during this call: the socket is shared with the parent.
        if connection.state.generation != pool.generation {
            return std::mem::forget(connection);
        }
        let now = Instant::now();
        connection.last_used = now;
        let mut idle = pool.idle();
        idle.push_back(connection);
        let old = |connection: &PooledConnection| now.duration_since(connection.last_used) > pool.max_idle;
        let mut surplus = Vec::new();
        while idle.len() > pool.max_idle_count || idle.front().is_some_and(old) {
            surplus.extend(idle.pop_front());
        }
        // Sockets are closed outside the lock.
        drop(idle);
    }

    fn idle(&self) -> MutexGuard<'_, VecDeque<PooledConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // Inherited from the parent, whose threads may have been changing it at the moment of the fork.
        if self.generation != generation() {
            std::mem::forget(std::mem::take(self.idle.get_mut().unwrap_or_else(PoisonError::into_inner)));
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::transport::connect::Peer;
    use crate::transport::settings::Settings;

    pub fn connection() -> PooledConnection {
        let settings = Settings {
            https: false,
            host: "127.0.0.1".into(),
            port: 1,
            allow_http: false,
            connect_timeout: Duration::from_secs(1),
            proxy: None,
            no_proxy: Vec::new(),
            ca_file: None,
            client_cert: None,
            max_idle_connections: 0,
        };
        let peer = Arc::new(Peer::new(settings, None));
        PooledConnection::new(Agent::new_with_defaults(), Arc::new(ConnectionState::new(peer)))
    }

    fn idle(pool: &Pool) -> usize {
        pool.current().idle().len()
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
}
