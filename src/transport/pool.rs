//! Pool: connections that wait between calls, each used by one call at a time.
//!
//! A connection is an agent of its own, so no two calls ever wait for a lock inside ureq, and what a call leaves behind
//! (deadline, evidence) lies beside its connection instead of in a thread-local.

use std::collections::VecDeque;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use once_cell::race::OnceBox;
use ureq::Agent;

use super::Peer;
use super::error::TransportError;
use super::framing::Overhead;
use crate::transport::answer::Cut;
use crate::transport::call::{Attached, Call};
use crate::util::process::generation;
use paysvc_spec::status::Status;

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

/// The idle pool of one process. A child after fork gets a set of its own: the parent's sockets are the parent's,
/// and its lock may be held by a thread that the child does not have.
pub struct Pool {
    generation: u32,
    idle: Mutex<VecDeque<PooledConnection>>,
    most: usize,
    max_idle: Duration,
    /// Lock-free, so that a child never waits for an initialisation that was under way in its parent.
    of_child: OnceBox<Pool>,
}

impl Pool {
    pub fn new(most: usize, max_idle: Duration) -> Pool {
        Pool { generation: generation(), idle: Mutex::default(), most, max_idle, of_child: OnceBox::new() }
    }

    /// The set of this process.
    fn own(&self) -> &Pool {
        let mut pool = self;
        while pool.generation != generation() {
            pool = pool.of_child.get_or_init(|| Box::new(Pool::new(self.most, self.max_idle)));
        }
        pool
    }

    /// The connection used last: its connection is the least likely to have been closed meanwhile.
    pub fn take(&self) -> Option<PooledConnection> {
        self.own().idle().pop_back()
    }

    pub fn give_back(&self, mut connection: PooledConnection) {
        let own = self.own();
        // Taken before a fork in this very call: the connection is shared with the parent.
        if connection.state.generation != own.generation {
            return std::mem::forget(connection);
        }
        let now = Instant::now();
        connection.last_used = now;
        let mut idle = own.idle();
        idle.push_back(connection);
        let old = |connection: &PooledConnection| now.duration_since(connection.last_used) > own.max_idle;
        let mut surplus = Vec::new();
        while idle.len() > own.most || idle.front().is_some_and(old) {
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
        // Inherited from the parent: its threads may have been changing them at the moment of the fork.
        if self.generation != generation() {
            std::mem::forget(std::mem::take(self.idle.get_mut().unwrap_or_else(PoisonError::into_inner)));
        }
    }
}

/// What a connection's connection shares with the call that uses it.
pub struct ConnectionState {
    pub peer: Arc<Peer>,
    generation: u32,
    sent: AtomicBool,
    pub overhead: Overhead,
    trip: Mutex<CallState>,
}

/// One call on the state.
#[derive(Default)]
struct CallState {
    deadline: Option<Instant>,
    call: Option<Arc<Call>>,
    attached: Option<Attached>,
    reused: bool,
    error: Option<TransportError>,
}

pub struct Evidence {
    pub sent: bool,
    pub reused: bool,
}

impl ConnectionState {
    pub fn new(peer: Arc<Peer>) -> ConnectionState {
        let generation = generation();
        ConnectionState {
            peer,
            generation,
            sent: AtomicBool::new(false),
            overhead: Overhead::default(),
            trip: Mutex::default(),
        }
    }

    pub fn start(&self, deadline: Instant, call: Option<Arc<Call>>) {
        self.sent.store(false, Ordering::SeqCst);
        self.overhead.start();
        *self.trip() = CallState { deadline: Some(deadline), call, ..CallState::default() };
    }

    /// Ends the trip: from here on a cancel does not reach the connection any more.
    pub fn finish(&self) -> Evidence {
        let trip = std::mem::take(&mut *self.trip());
        if let (Some(call), Some(attached)) = (&trip.call, trip.attached) {
            call.detach(attached);
        }
        Evidence { sent: self.sent.load(Ordering::SeqCst), reused: trip.reused }
    }

    pub fn deadline(&self) -> Instant {
        self.trip().deadline.unwrap_or_else(Instant::now)
    }

    pub fn call(&self) -> Option<Arc<Call>> {
        self.trip().call.clone()
    }

    pub fn is_cancelled(&self) -> bool {
        self.trip().call.as_ref().is_some_and(|call| call.is_cancelled())
    }

    /// The connection that the trip goes over; fails when the call was cancelled before.
    pub fn attach_socket(&self, socket: &Arc<TcpStream>, reused: bool) -> Result<(), TransportError> {
        let mut trip = self.trip();
        trip.reused = reused;
        if let Some(call) = trip.call.clone() {
            let attached = call.attach(socket).ok_or_else(TransportError::cancelled)?;
            if let Some(left) = trip.attached.replace(attached) {
                call.detach(left);
            }
        }
        Ok(())
    }

    /// The evidence: whether a byte of the request was handed to the system.
    pub fn set_sent(&self, sent: bool) {
        self.sent.store(sent, Ordering::SeqCst);
    }

    /// Keeps the first error of the trip, which names the cause better than what ureq makes of it.
    pub fn record_error(&self, error: TransportError) {
        self.trip().error.get_or_insert(error);
    }

    /// Why the trip failed, in our words.
    pub fn error(&self, error: ureq::Error) -> TransportError {
        let noted = self.trip().error.take();
        noted.unwrap_or_else(|| match error {
            ureq::Error::Io(error) => TransportError::io("waiting for the answer", &error),
            ureq::Error::LargeResponseHeader(..) => {
                TransportError::new(Status::Response, "the headers of the answer are too large")
            }
            ureq::Error::Protocol(error) => {
                TransportError::new(Status::Response, format!("the answer is not HTTP: {error}"))
            }
            error => TransportError::new(Status::Transport, error.to_string()),
        })
    }

    /// What ended the body early, seen from the connection.
    pub fn cut(&self) -> Option<Cut> {
        let error = self.trip().error.take()?;
        Some(match error.status {
            Status::Timeout => Cut::Timeout,
            Status::Cancelled => Cut::Cancelled,
            Status::Response => Cut::Framing(error.message),
            _ => Cut::Broken(error.message),
        })
    }

    fn trip(&self) -> MutexGuard<'_, CallState> {
        self.trip.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::config::Config;

    fn connection() -> PooledConnection {
        let config = Config::parse(Some(r#"{"base_url":"http://127.0.0.1:1"}"#), &|_| None).unwrap();
        let base_url = config.base_url.clone().unwrap();
        PooledConnection::new(
            Agent::new_with_defaults(),
            Arc::new(ConnectionState::new(Arc::new(Peer::new(&base_url, &config, None)))),
        )
    }
    fn idle(pool: &Pool) -> usize {
        pool.own().idle().len()
    }

    #[test]
    fn the_lane_used_last_comes_first_and_surplus_ones_go() {
        let pool = Pool::new(2, Duration::from_secs(60));
        let given: Vec<_> = (0..3).map(|_| connection()).collect();
        let last = Arc::clone(&given[2].state);
        given.into_iter().for_each(|connection| pool.give_back(connection));
        assert_eq!(idle(&pool), 2);
        assert!(Arc::ptr_eq(&pool.take().unwrap().state, &last));
    }

    #[test]
    fn lanes_that_waited_too_long_go() {
        let pool = Pool::new(9, Duration::ZERO);
        pool.give_back(connection());
        std::thread::sleep(Duration::from_millis(2));
        pool.give_back(connection());
        assert_eq!(idle(&pool), 1, "only the one just given back is young enough");
    }

    #[test]
    fn a_trip_keeps_its_first_fault_and_its_evidence() {
        let state = connection().state;
        state.start(Instant::now(), None);
        state.record_error(TransportError::timeout("first"));
        state.record_error(TransportError::cancelled());
        state.set_sent(true);
        assert_eq!(state.error(ureq::Error::ConnectionFailed).status, Status::Timeout);
        assert!(state.finish().sent);
        state.start(Instant::now(), None);
        assert!(state.cut().is_none() && !state.finish().sent, "nothing is left of the trip before");
    }
}
