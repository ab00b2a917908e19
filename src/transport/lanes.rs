//! Lanes: connections that wait between calls, each used by one call at a time.
//!
//! A lane is an agent of its own, so no two calls ever wait for a lock inside ureq, and what a call leaves behind
//! (deadline, evidence) lies beside its connection instead of in a thread-local.

use std::collections::VecDeque;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use once_cell::race::OnceBox;
use ureq::Agent;

use super::Peer;
use super::fault::Fault;
use super::framing::Overhead;
use crate::answer::Cut;
use crate::call::{Attached, Call};
use crate::process::generation;
use crate::status::Status;

pub struct Lane {
    pub agent: Agent,
    pub line: Arc<Line>,
    last_used: Instant,
}

impl Lane {
    pub fn new(agent: Agent, line: Arc<Line>) -> Lane {
        Lane { agent, line, last_used: Instant::now() }
    }
}

/// The idle lanes of one process. A child after fork gets a set of its own: the parent's sockets are the parent's,
/// and its lock may be held by a thread that the child does not have.
pub struct Lanes {
    generation: u32,
    idle: Mutex<VecDeque<Lane>>,
    most: usize,
    max_idle: Duration,
    /// Lock-free, so that a child never waits for an initialisation that was under way in its parent.
    of_child: OnceBox<Lanes>,
}

impl Lanes {
    pub fn new(most: usize, max_idle: Duration) -> Lanes {
        Lanes { generation: generation(), idle: Mutex::default(), most, max_idle, of_child: OnceBox::new() }
    }

    /// The set of this process.
    fn own(&self) -> &Lanes {
        let mut lanes = self;
        while lanes.generation != generation() {
            lanes = lanes.of_child.get_or_init(|| Box::new(Lanes::new(self.most, self.max_idle)));
        }
        lanes
    }

    /// The lane used last: its connection is the least likely to have been closed meanwhile.
    pub fn take(&self) -> Option<Lane> {
        self.own().idle().pop_back()
    }

    pub fn give_back(&self, mut lane: Lane) {
        let own = self.own();
        // Taken before a fork in this very call: the connection is shared with the parent.
        if lane.line.generation != own.generation {
            return std::mem::forget(lane);
        }
        let now = Instant::now();
        lane.last_used = now;
        let mut idle = own.idle();
        idle.push_back(lane);
        let old = |lane: &Lane| now.duration_since(lane.last_used) > own.max_idle;
        let mut surplus = Vec::new();
        while idle.len() > own.most || idle.front().is_some_and(old) {
            surplus.extend(idle.pop_front());
        }
        // Sockets are closed outside the lock.
        drop(idle);
    }

    fn idle(&self) -> MutexGuard<'_, VecDeque<Lane>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        // Inherited from the parent: its threads may have been changing them at the moment of the fork.
        if self.generation != generation() {
            std::mem::forget(std::mem::take(self.idle.get_mut().unwrap_or_else(PoisonError::into_inner)));
        }
    }
}

/// What a lane's connection shares with the call that uses it.
pub struct Line {
    pub peer: Arc<Peer>,
    generation: u32,
    sent: AtomicBool,
    pub overhead: Overhead,
    trip: Mutex<Trip>,
}

/// One call on the line.
#[derive(Default)]
struct Trip {
    deadline: Option<Instant>,
    call: Option<Arc<Call>>,
    attached: Option<Attached>,
    reused: bool,
    fault: Option<Fault>,
}

pub struct Evidence {
    pub sent: bool,
    pub reused: bool,
}

impl Line {
    pub fn new(peer: Arc<Peer>) -> Line {
        let generation = generation();
        Line { peer, generation, sent: AtomicBool::new(false), overhead: Overhead::default(), trip: Mutex::default() }
    }

    pub fn start(&self, deadline: Instant, call: Option<Arc<Call>>) {
        self.sent.store(false, Ordering::SeqCst);
        self.overhead.start();
        *self.trip() = Trip { deadline: Some(deadline), call, ..Trip::default() };
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
    pub fn board(&self, socket: &Arc<TcpStream>, reused: bool) -> Result<(), Fault> {
        let mut trip = self.trip();
        trip.reused = reused;
        if let Some(call) = trip.call.clone() {
            let attached = call.attach(socket).ok_or_else(Fault::cancelled)?;
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

    /// Keeps the first fault of the trip, which names the cause better than what ureq makes of it.
    pub fn note(&self, fault: Fault) {
        self.trip().fault.get_or_insert(fault);
    }

    /// Why the trip failed, in our words.
    pub fn fault(&self, error: ureq::Error) -> Fault {
        let noted = self.trip().fault.take();
        noted.unwrap_or_else(|| match error {
            ureq::Error::Io(error) => Fault::io("waiting for the answer", &error),
            ureq::Error::LargeResponseHeader(..) => {
                Fault::new(Status::Response, "the headers of the answer are too large")
            }
            ureq::Error::Protocol(error) => Fault::new(Status::Response, format!("the answer is not HTTP: {error}")),
            error => Fault::new(Status::Transport, error.to_string()),
        })
    }

    /// What ended the body early, seen from the connection.
    pub fn cut(&self) -> Option<Cut> {
        let fault = self.trip().fault.take()?;
        Some(match fault.status {
            Status::Timeout => Cut::Timeout,
            Status::Cancelled => Cut::Cancelled,
            Status::Response => Cut::Framing(fault.message),
            _ => Cut::Broken(fault.message),
        })
    }

    fn trip(&self) -> MutexGuard<'_, Trip> {
        self.trip.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn lane() -> Lane {
        let config = Config::parse(Some(r#"{"base_url":"http://127.0.0.1:1"}"#), &|_| None).unwrap();
        let base_url = config.base_url.clone().unwrap();
        Lane::new(Agent::new_with_defaults(), Arc::new(Line::new(Arc::new(Peer::new(&base_url, &config, None)))))
    }
    fn idle(lanes: &Lanes) -> usize {
        lanes.own().idle().len()
    }

    #[test]
    fn the_lane_used_last_comes_first_and_surplus_ones_go() {
        let lanes = Lanes::new(2, Duration::from_secs(60));
        let given: Vec<_> = (0..3).map(|_| lane()).collect();
        let last = Arc::clone(&given[2].line);
        given.into_iter().for_each(|lane| lanes.give_back(lane));
        assert_eq!(idle(&lanes), 2);
        assert!(Arc::ptr_eq(&lanes.take().unwrap().line, &last));
    }

    #[test]
    fn lanes_that_waited_too_long_go() {
        let lanes = Lanes::new(9, Duration::ZERO);
        lanes.give_back(lane());
        std::thread::sleep(Duration::from_millis(2));
        lanes.give_back(lane());
        assert_eq!(idle(&lanes), 1, "only the one just given back is young enough");
    }

    #[test]
    fn a_trip_keeps_its_first_fault_and_its_evidence() {
        let line = lane().line;
        line.start(Instant::now(), None);
        line.note(Fault::timeout("first"));
        line.note(Fault::cancelled());
        line.set_sent(true);
        assert_eq!(line.fault(ureq::Error::ConnectionFailed).status, Status::Timeout);
        assert!(line.finish().sent);
        line.start(Instant::now(), None);
        assert!(line.cut().is_none() && !line.finish().sent, "nothing is left of the trip before");
    }
}
