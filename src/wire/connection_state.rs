//! The state that a connection shares with the call that uses it: deadline, cancellation, and the evidence of what was
//! sent.

use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::connect::Peer;
use super::error::TransportError;
use super::framing::Overhead;
use super::sys::AttachedSocket;
use crate::call::Bounds;
use crate::util::expiry::Expiry;
use crate::util::process;
use paysvc_spec::status::Status;

pub struct ConnectionState {
    pub peer: Arc<Peer>,
    /// The process that opened the connection.
    pub generation: u32,
    sent: AtomicBool,
    pub overhead: Overhead,
    call_state: Mutex<CallState>,
}

/// The state of one call.
#[derive(Default)]
struct CallState {
    bounds: Option<Bounds>,
    send_until: Option<Expiry>,
    attached: Option<AttachedSocket>,
    /// True if the socket was there before the call; `None`: the call has no socket yet.
    reused: Option<bool>,
    error: Option<TransportError>,
    note: Option<String>,
}

#[derive(Default)]
pub struct Usage {
    /// A byte of the request was written to the socket, so the service may have received it.
    pub sent: bool,
    /// The connection had been made before the call.
    pub reused: bool,
    /// The repairs of the response, for the log. It may hold anything.
    pub note: Option<String>,
}

impl ConnectionState {
    pub fn new(peer: Arc<Peer>) -> ConnectionState {
        ConnectionState {
            peer,
            generation: process::generation(),
            sent: AtomicBool::new(false),
            overhead: Overhead::default(),
            call_state: Mutex::default(),
        }
    }

    pub fn start(&self, bounds: &Bounds) {
        self.sent.store(false, Ordering::SeqCst);
        self.overhead.start();
        *self.call_state() = CallState { bounds: Some(bounds.clone()), ..CallState::default() };
    }

    /// After that time nothing is sent.
    pub fn send_until(&self, send_until: Option<Expiry>) {
        if send_until.is_some() {
            self.call_state().send_until = send_until;
        }
    }

    /// Ends the call: from now on a cancel does not reach the connection.
    pub fn finish(&self) -> Usage {
        let call_state = std::mem::take(&mut *self.call_state());
        if let Some(bounds) = &call_state.bounds {
            bounds.detach(call_state.attached);
        }
        Usage { sent: self.sent.load(Ordering::SeqCst), reused: call_state.reused == Some(true), note: call_state.note }
    }

    /// Returns the bounds of the call; between two calls, no wait is allowed.
    pub fn bounds(&self) -> Bounds {
        self.call_state().bounds.clone().unwrap_or_else(|| Bounds::new(None, Duration::ZERO))
    }

    /// The first byte may no longer be sent.
    pub fn is_too_late(&self) -> bool {
        !self.sent.load(Ordering::SeqCst) && self.call_state().send_until.is_some_and(|until| until.is_over())
    }

    pub fn is_cancelled(&self) -> bool {
        self.call_state().bounds.as_ref().is_some_and(Bounds::is_cancelled)
    }

    /// The call itself has made the connection.
    pub fn is_new(&self) -> bool {
        self.call_state().reused == Some(false)
    }

    /// Lets a cancel of the call reach the socket. Fails if the call has been cancelled already.
    pub fn attach_socket(&self, socket: &Arc<TcpStream>, reused: bool) -> Result<(), TransportError> {
        let call_state = &mut *self.call_state();
        call_state.reused = Some(reused);
        if let Some(bounds) = &call_state.bounds {
            let attached = bounds.attach(socket).ok_or_else(TransportError::cancelled)?;
            bounds.detach(std::mem::replace(&mut call_state.attached, attached));
        }
        Ok(())
    }

    /// The evidence: whether a byte of the request was passed to the system.
    pub fn set_sent(&self, sent: bool) {
        self.sent.store(sent, Ordering::SeqCst);
    }

    /// Keeps the first error of the call: it names the cause better than ureq's version of it.
    pub fn record_error(&self, error: TransportError) {
        self.call_state().error.get_or_insert(error);
    }

    pub fn set_note(&self, note: String) {
        self.call_state().note = Some(note);
    }

    /// Returns the reason why the call failed: the recorded error, or else the meaning of ureq's error.
    pub fn error(&self, error: ureq::Error) -> TransportError {
        let recorded = self.call_state().error.take();
        recorded.unwrap_or_else(|| match error {
            ureq::Error::Io(error) => TransportError::io("waiting for the response", &error),
            ureq::Error::LargeResponseHeader(..) => {
                TransportError::new(Status::Response, "the headers of the response are too large")
            }
            ureq::Error::Protocol(error) => {
                TransportError::new(Status::Response, format!("the response is not HTTP: {error}"))
            }
            error => TransportError::new(Status::Transport, error.to_string()),
        })
    }

    /// Returns the reason why the body ended early, if the connection recorded it.
    pub fn body_error(&self) -> Option<TransportError> {
        let error = self.call_state().error.take()?;
        Some(if error.status == Status::Response { TransportError::framing(&error.message) } else { error })
    }

    fn call_state(&self) -> MutexGuard<'_, CallState> {
        self.call_state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::pool::tests::connection;

    #[test]
    fn a_call_keeps_its_first_error_and_its_evidence() {
        let state = connection().state;
        state.start(&Bounds::new(None, Duration::ZERO));
        state.record_error(TransportError::timeout("first"));
        state.record_error(TransportError::cancelled());
        state.set_sent(true);
        assert_eq!(state.error(ureq::Error::ConnectionFailed).status, Status::Timeout);
        assert!(state.finish().sent);
        state.start(&Bounds::new(None, Duration::ZERO));
        assert!(state.body_error().is_none() && !state.finish().sent, "nothing is left of the previous call");
    }
}
