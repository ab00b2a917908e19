//! What ends a call and each of its waits: a deadline or a cancel.

use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::call::CallToken;
use super::error::TransportError;
use super::sys::{Attached, CANCEL_CHECK, Waker};
use paysvc_spec::status::Status;

#[derive(Clone)]
pub struct Bounds {
    pub deadline: Instant,
    /// `None`: nobody can cancel it.
    pub token: Option<Arc<CallToken>>,
}

impl Bounds {
    /// From now on, for as long as the token says, otherwise for that long.
    pub fn new(token: Option<Arc<CallToken>>, timeout: Duration) -> Bounds {
        let timeout = token.as_ref().and_then(|token| token.timeout()).unwrap_or(timeout);
        Bounds { deadline: Instant::now() + timeout, token }
    }

    /// The same, except that it may end earlier.
    pub fn until(&self, deadline: Instant) -> Bounds {
        Bounds { deadline: deadline.min(self.deadline), token: self.token.clone() }
    }

    pub fn is_cancelled(&self) -> bool {
        self.token.as_ref().is_some_and(|token| token.is_cancelled())
    }

    /// Why the call is over: it was cancelled, or its time has run out.
    pub fn ended(&self) -> Option<Status> {
        if self.is_cancelled() {
            return Some(Status::Cancelled);
        }
        (Instant::now() >= self.deadline).then_some(Status::Timeout)
    }

    pub fn is_over(&self) -> bool {
        self.ended().is_some()
    }

    /// Fails if the call is over. `doing`: what it was doing.
    pub fn check(&self, doing: &str) -> Result<(), TransportError> {
        match self.ended() {
            None => Ok(()),
            Some(Status::Cancelled) => Err(TransportError::cancelled()),
            Some(_) => Err(TransportError::timeout(doing)),
        }
    }

    pub fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Waits. Returns why the call is over, if it is.
    pub fn pause(&self, wait: Duration) -> Option<Status> {
        let until = self.deadline.min(Instant::now() + wait);
        match &self.token {
            Some(token) => _ = token.wait_until(until),
            None => thread::sleep(until.saturating_duration_since(Instant::now())),
        }
        self.ended()
    }

    /// How much of a wait may pass before the next check, if a cancel cannot wake it.
    pub fn wait_to_check(&self, wait: Duration) -> Duration {
        if self.token.is_some() { wait.min(CANCEL_CHECK) } else { wait }
    }

    /// What a cancel wakes.
    pub fn waker(&self) -> Option<&Waker> {
        self.token.as_ref().map(|token| token.waker())
    }

    /// Lets a cancel reach the socket. Fails if the call has been cancelled already.
    pub fn attach(&self, socket: &Arc<TcpStream>) -> Result<Option<Attached>, TransportError> {
        let attach = |token: &Arc<CallToken>| token.attach(socket).ok_or_else(TransportError::cancelled);
        self.token.as_ref().map(attach).transpose()
    }

    /// From now on a cancel does not reach the socket.
    pub fn detach(&self, attached: Option<Attached>) {
        if let (Some(token), Some(attached)) = (&self.token, attached) {
            token.detach(attached);
        }
    }
}
