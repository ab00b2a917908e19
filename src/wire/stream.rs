//! The connection as ureq sees it: a request that fits the buffer is written at once, and before a connection is used
//! nothing may be unread in it. The only file that uses `ureq::unversioned`, whose interface may change with any minor
//! version.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};
use ureq::{Agent, Error};

use super::channel::{Channel, unexpected_bytes};
use super::connection_state::ConnectionState;
use super::error::TransportError;
use super::framing::Head;
use crate::util::memory::MAX_LINE;
use crate::util::panics::failpoint;
use paysvc_spec::checks::Check;
use paysvc_spec::status::Status;

/// Holds any request of the table, so that it is sent in one write and one TLS record.
pub const BUFFER: usize = 16 * 1024;
// ureq fails for a request line that does not fit; `transmit_output` leaves half of the buffer free.
const _: () = assert!(MAX_LINE + "DELETE  HTTP/1.1\r\n".len() < BUFFER / 2);

/// An agent whose connections share this state. The first one uses the channel.
pub fn agent(config: Config, state: &Arc<ConnectionState>, channel: Channel) -> Agent {
    let channel = Mutex::new(Some(channel));
    Agent::with_parts(config, StreamConnector { state: Arc::clone(state), channel }, NoLookUp)
}

/// ureq would look the name up on every call; the connector does it only when it connects.
#[derive(Debug)]
struct NoLookUp;

impl Resolver for NoLookUp {
    fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        Ok(self.empty())
    }
}

struct StreamConnector {
    state: Arc<ConnectionState>,
    channel: Mutex<Option<Channel>>,
}

impl fmt::Debug for StreamConnector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StreamConnector")
    }
}

impl Connector<()> for StreamConnector {
    type Out = Stream;

    fn connect(&self, _: &ConnectionDetails, _: Option<()>) -> Result<Option<Stream>, Error> {
        let channel = self.channel.lock().unwrap_or_else(PoisonError::into_inner).take();
        Stream::connect(&self.state, channel).map(Some).map_err(|error| ureq_error(&self.state, error))
    }
}

/// Records the error, and returns one that ureq neither retries nor takes for the end of a body.
fn ureq_error(state: &ConnectionState, error: TransportError) -> Error {
    let text = error.message.clone();
    state.record_error(error);
    Error::Io(io::Error::other(text))
}

struct Stream {
    state: Arc<ConnectionState>,
    channel: Channel,
    input: Vec<u8>,
    /// `input[consumed..filled]` has been read and not yet been used.
    consumed: usize,
    filled: usize,
    /// `input[dirty_end..]` has not been written since it was last wiped.
    dirty_end: usize,
    head: Head,
    /// The last use of the input consumed some of it; otherwise ureq needs more before it asks again.
    progress: bool,
    output: Vec<u8>,
    /// `output[..pending]` waits to be written in one piece.
    pending: usize,
    /// Nothing has been written to it yet, nor has it been checked.
    new: bool,
    /// Between two calls.
    idle: bool,
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream")
    }
}

impl Stream {
    /// Uses the channel, or connects again if there is none or something has happened to it since an earlier call made
    /// it.
    fn connect(state: &Arc<ConnectionState>, channel: Option<Channel>) -> Result<Stream, TransportError> {
        let new = channel.is_none() || state.is_new();
        let usable = channel
            .and_then(|mut channel| (new || channel.check_nothing_unread(&state.peer).is_ok()).then_some(channel));
        let (new, mut channel) = match usable {
            Some(channel) => (new, channel),
            None => (true, Channel::connect(state, &mut Check::Connection)?),
        };
        channel.begin_call(state);
        Ok(Stream {
            channel,
            state: Arc::clone(state),
            input: vec![0; BUFFER],
            consumed: 0,
            filled: 0,
            dirty_end: 0,
            head: Head::default(),
            progress: false,
            output: vec![0; BUFFER],
            pending: 0,
            new,
            idle: false,
        })
    }

    /// After a cancel, every error is the cancel's.
    fn fail(&self, error: TransportError) -> Error {
        ureq_error(&self.state, if self.state.is_cancelled() { TransportError::cancelled() } else { error })
    }

    /// Writes what is pending.
    fn flush(&mut self) -> Result<(), Error> {
        if std::mem::take(&mut self.new) {
            self.check_unused().map_err(|error| self.fail(error))?;
        }
        let failed = |error: &io::Error| TransportError::io("sending the request", error);
        self.channel.sock.limit_write().map_err(|error| self.fail(failed(&error)))?;
        // No system call, which might take long, lies between this and the write.
        if self.state.is_too_late() {
            let text = "too long after it was recorded in the journal";
            return Err(self.fail(match self.state.bounds().is_over() {
                true => TransportError::timeout("sending the request"),
                false => TransportError::new(Status::Transport, text),
            }));
        }
        let pending = std::mem::take(&mut self.pending);
        // Until the write has returned, bytes may have been sent: a panic in it must not hide that.
        self.state.set_sent(true);
        let result = self.channel.write(&self.output[..pending]);
        self.state.set_sent(self.channel.sock.sent);
        // The request may hold an API key and a one-time code.
        self.output[..pending].fill(0);
        result.map_err(|error| self.fail(failed(&error)))
    }

    /// Reads once into the free end of the input: 0 is the end of the connection.
    fn fill(&mut self) -> Result<usize, Error> {
        failpoint::at("read");
        let read = self.channel.read(&self.state.peer, &mut self.input[self.filled..]);
        read.map_err(|error| self.fail(error))
    }

    /// Fails unless a request may be written: the connection is open, and nothing in it is unread.
    fn check_unused(&mut self) -> Result<(), TransportError> {
        match self.filled == self.consumed {
            true => self.channel.check_nothing_unread(&self.state.peer),
            false => Err(unexpected_bytes()),
        }
    }

    /// A response may name accounts and people, so it is wiped instead of kept until the next one overwrites it.
    fn wipe_answer(&mut self) {
        self.input[..self.dirty_end].fill(0);
        // Large headers are rare, so the memory for them is not kept.
        if self.input.len() > BUFFER {
            self.input.truncate(BUFFER);
            self.input.shrink_to_fit();
        }
        (self.consumed, self.filled, self.dirty_end) = (0, 0, 0);
        self.head = Head::default();
    }

    /// Begins a call on a kept connection; `false` if it cannot be used.
    fn reuse(&mut self) -> bool {
        if self.pending != 0 || self.check_unused().is_err() {
            return false;
        }
        self.idle = false;
        self.channel.begin_call(&self.state);
        true
    }
}

impl Buffers for Stream {
    fn output(&mut self) -> &mut [u8] {
        &mut self.output[self.pending..]
    }

    fn input(&self) -> &[u8] {
        &self.input[self.consumed..self.head.visible(self.filled)]
    }

    fn input_append_buf(&mut self) -> &mut [u8] {
        if self.consumed == self.filled {
            self.head.moved(self.filled);
            (self.consumed, self.filled) = (0, 0);
        } else if self.consumed > self.input.len() / 2 {
            self.input.copy_within(self.consumed..self.filled, 0);
            self.head.moved(self.consumed);
            (self.consumed, self.filled) = (0, self.filled - self.consumed);
        }
        // Headers larger than the buffer. `await_input` limits them.
        if self.filled == self.input.len() {
            self.input.resize(self.input.len() * 2, 0);
        }
        &mut self.input[self.filled..]
    }

    fn input_appended(&mut self, amount: usize) {
        self.filled += amount;
        self.dirty_end = self.dirty_end.max(self.filled);
    }

    fn input_consume(&mut self, amount: usize) {
        self.progress = amount > 0;
        self.consumed += amount;
    }

    fn tmp_and_output(&mut self) -> (&mut [u8], &mut [u8]) {
        (&mut self.input[self.filled..], &mut self.output[self.pending..])
    }

    fn can_use_input(&self) -> bool {
        self.filled > self.consumed && self.progress
    }
}

impl Transport for Stream {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self
    }

    /// Keeps headers and body together; what does not fit the buffer is written in pieces.
    fn transmit_output(&mut self, amount: usize, _: NextTimeout) -> Result<(), Error> {
        if self.state.is_cancelled() {
            return Err(self.fail(TransportError::cancelled()));
        }
        self.pending += amount;
        if self.pending > BUFFER / 2 { self.flush() } else { Ok(()) }
    }

    fn await_input(&mut self, _: NextTimeout) -> Result<bool, Error> {
        if self.pending > 0 {
            self.flush()?;
        }
        self.state.overhead.check().map_err(|error| self.fail(error))?;
        self.input_append_buf();
        let count = self.fill()?;
        self.input_appended(count);
        self.state.overhead.add(count);
        let repaired = self.head.repair(&mut self.input, self.filled);
        if let Some(note) = self.head.take_note() {
            self.state.set_note(note);
        }
        self.filled = repaired.map_err(|error| self.fail(error))?;
        // The beginning of a TLS alert, which is how a TLS server answers plain http.
        if !self.channel.is_tls() && self.state.overhead.is_before_body() && self.input().starts_with(&[0x15, 3]) {
            let text = "the service answered plain http with TLS: base_url should start with https://";
            return Err(self.fail(TransportError::new(Status::Response, text)));
        }
        if count == 0 && self.state.is_cancelled() {
            return Err(self.fail(TransportError::cancelled()));
        }
        Ok(count > 0)
    }

    /// ureq asks twice: when a call has ended, and before the next one begins. Only the second time justifies a system
    /// call.
    fn is_open(&mut self) -> bool {
        if self.idle {
            return self.reuse();
        }
        self.idle = true;
        (self.channel.sock.bounds.token, self.channel.sock.sent) = (None, false);
        let complete = self.filled == self.consumed && self.pending == 0;
        self.wipe_answer();
        self.channel.wipe();
        complete
    }

    fn is_tls(&self) -> bool {
        self.channel.is_tls()
    }
}
