//! The connection beneath ureq: one write for a request that fits the buffer, one probe before reuse. The only file that
//! names `ureq::unversioned`, whose interface may change with any minor version.

use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::sync::Arc;
use std::time::Instant;

use nix::sys::socket::MsgFlags;
use rustls::ClientConnection;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};
use ureq::{Agent, Error};

use super::connection_state::ConnectionState;
use super::error::TransportError;
use super::framing::MAX_OVERHEAD;
use super::sock::Sock;
use crate::util::failpoint;
use crate::util::limits::MAX_LINE;
use paysvc_spec::status::Status;

/// Holds any request of the interface, so that it leaves in one write and one TLS record.
pub const BUFFER: usize = 16 * 1024;
// ureq puts a state there whole or gives up; `transmit_output` leaves half of it free.
const _: () = assert!(MAX_LINE + "DELETE  HTTP/1.1\r\n".len() < BUFFER / 2);

/// An agent whose connections run over this state.
pub fn agent(config: Config, state: &Arc<ConnectionState>) -> Agent {
    Agent::with_parts(config, Dial(Arc::clone(state)), NoLookUp)
}

/// ureq would look the name up on every call; the connector does it when it connects.
#[derive(Debug)]
struct NoLookUp;

impl Resolver for NoLookUp {
    fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        Ok(self.empty())
    }
}

struct Dial(Arc<ConnectionState>);

impl fmt::Debug for Dial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Dial")
    }
}

impl Connector<()> for Dial {
    type Out = Stream;

    fn connect(&self, _: &ConnectionDetails, _: Option<()>) -> Result<Option<Stream>, Error> {
        Stream::open(&self.0).map(Some).map_err(|error| refuse(&self.0, error))
    }
}

/// Notes the error and hands ureq an error that it neither retries nor takes for the end of a body.
fn refuse(state: &ConnectionState, error: TransportError) -> Error {
    let text = error.message.clone();
    state.record_error(error);
    Error::Io(io::Error::other(text))
}

struct Stream {
    state: Arc<ConnectionState>,
    sock: Sock,
    tls: Option<Box<ClientConnection>>,
    input: Vec<u8>,
    /// `input[consumed..filled]` has been read and not yet been used.
    consumed: usize,
    filled: usize,
    /// `input[high..]` has not been written since it was last wiped.
    high: usize,
    /// The last use of the input used some of it; otherwise more is needed before it makes sense.
    progress: bool,
    output: Vec<u8>,
    /// `output[..pending]` waits to be written in one piece.
    pending: usize,
    /// Nothing has been written to it yet.
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
    /// Connects, through the proxy if there is one, and finishes the TLS handshake.
    fn open(state: &Arc<ConnectionState>) -> Result<Stream, TransportError> {
        failpoint::at("connect");
        let (peer, deadline) = (&state.peer, state.deadline());
        let connect_deadline = deadline.min(Instant::now() + peer.connect_timeout);
        let tcp = Arc::new(peer.open(connect_deadline, state.call().as_ref())?);
        state.attach_socket(&tcp, false)?;
        let mut sock = Sock::new(tcp, connect_deadline, state.call());
        let tls = handshake(state, &mut sock)
            .map_err(|error| if state.is_cancelled() { TransportError::cancelled() } else { error })?;
        sock.deadline = deadline;
        // Only what follows is the request.
        sock.written = 0;
        Ok(Stream {
            state: Arc::clone(state),
            sock,
            tls,
            input: vec![0; BUFFER],
            consumed: 0,
            filled: 0,
            high: 0,
            progress: false,
            output: vec![0; BUFFER],
            pending: 0,
            new: true,
            idle: false,
        })
    }

    fn fail(&self, error: TransportError) -> Error {
        refuse(&self.state, if self.state.is_cancelled() { TransportError::cancelled() } else { error })
    }

    fn fail_io(&self, doing: &str, error: &io::Error) -> Error {
        self.fail(TransportError::io(doing, error))
    }

    /// Writes what is pending, and whatever TLS itself has to say.
    fn flush(&mut self) -> Result<(), Error> {
        if std::mem::take(&mut self.new) {
            self.silent().map_err(|error| self.fail(error))?;
        }
        let pending = std::mem::take(&mut self.pending);
        // Until the write has returned it may have left: a panic beneath must not hide it.
        self.state.set_sent(true);
        let result = match &mut self.tls {
            None => self.sock.write_all(&self.output[..pending]),
            Some(tls) => encrypt(tls, &mut self.sock, &self.output[..pending]),
        };
        // Counted where it leaves: a write that failed outright has handed over nothing.
        self.state.set_sent(self.sock.written > 0);
        // The request may hold an API key and a one-time code.
        self.output[..pending].fill(0);
        result.map_err(|error| self.fail_io("sending the request", &error))
    }

    /// Reads once into the free end of the input: 0 is the end of the connection.
    fn fill(&mut self) -> Result<usize, Error> {
        const DOING: &str = "waiting for the answer";
        failpoint::at("read");
        let Some(tls) = &mut self.tls else {
            let read = self.sock.read(&mut self.input[self.filled..]);
            return read.map_err(|error| self.fail_io(DOING, &error));
        };
        let limit = self.sock.received + MAX_OVERHEAD as u64;
        loop {
            match tls.reader().read(&mut self.input[self.filled..]) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // An end without TLS's own goodbye: whether the answer is whole, its framing must tell.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(0),
                read => return read.map_err(|error| self.fail_io(DOING, &error)),
            }
            if self.sock.received > limit {
                let text = format!("{MAX_OVERHEAD} bytes of TLS came that carry no answer");
                return Err(self.fail(TransportError::new(Status::Response, text)));
            }
            // A key update of the peer's wants an answer before it goes on.
            while tls.wants_write() {
                if let Err(error) = tls.write_tls(&mut self.sock) {
                    return Err(self.fail_io(DOING, &error));
                }
            }
            if let Err(error) = tls.read_tls(&mut self.sock) {
                return Err(self.fail_io(DOING, &error));
            }
            if let Err(error) = tls.process_new_packets() {
                let mut error = self.tls_fault(&error);
                error.message.push_str("; the request had been written before");
                return Err(self.fail(error));
            }
        }
    }

    fn tls_fault(&self, error: &rustls::Error) -> TransportError {
        match &self.state.peer.tls {
            Some(tls) => tls.error(error),
            None => TransportError::new(Status::Transport, error.to_string()),
        }
    }

    /// Whether a request may be written: the connection must be open, and nothing may lie in it. An answer that nobody
    /// asked for would be taken for that of the next request.
    fn silent(&mut self) -> Result<(), TransportError> {
        let stray = || {
            let text =
                "something came before the request was sent, which is nobody's answer: the connection was not used";
            TransportError::new(Status::Transport, text)
        };
        if self.filled != self.consumed {
            return Err(stray());
        }
        let closed = || TransportError::new(Status::Transport, "the connection was closed before the request was sent");
        let quiet = |error: io::Error| match error.kind() {
            io::ErrorKind::WouldBlock => Ok(()),
            _ => Err(TransportError::io("preparing to send the request", &error)),
        };
        let Some(tls) = &mut self.tls else {
            return match self.sock.read_ready(&mut [0], MsgFlags::MSG_PEEK) {
                Ok(0) => Err(closed()),
                Ok(_) => Err(stray()),
                Err(error) => quiet(error),
            };
        };
        let mut taken = 0;
        loop {
            match tls.process_new_packets() {
                Ok(state) if state.plaintext_bytes_to_read() > 0 => return Err(stray()),
                Ok(state) if state.peer_has_closed() => return Err(closed()),
                Ok(_) => {}
                Err(error) => return Err(self.tls_fault(&error)),
            }
            // Session tickets may still arrive after an answer; they are TLS's own and no reason to reconnect.
            match tls.read_tls(&mut Ready(&self.sock)) {
                Ok(0) => return Err(closed()),
                Ok(count) => taken += count,
                Err(error) => return quiet(error),
            }
            if taken > MAX_OVERHEAD {
                return Err(stray());
            }
        }
    }

    /// An answer may name accounts and people; it does not lie here until the next one covers it.
    fn wipe_answer(&mut self) {
        self.input[..self.high].fill(0);
        // Large headers are rare: what they took is not kept.
        if self.input.len() > BUFFER {
            self.input.truncate(BUFFER);
            self.input.shrink_to_fit();
        }
        (self.consumed, self.filled, self.high) = (0, 0, 0);
    }

    /// Takes up a call on a kept connection.
    fn reuse(&mut self) -> bool {
        if self.pending != 0 || self.silent().is_err() {
            return false;
        }
        self.idle = false;
        self.sock.written = 0;
        self.sock.deadline = self.state.deadline();
        self.sock.call = self.state.call();
        // A call cancelled meanwhile is noticed before the first byte leaves.
        if let Err(error) = self.state.attach_socket(&self.sock.tcp, true) {
            self.state.record_error(error);
        }
        true
    }
}

/// The proxy's tunnel and the TLS handshake.
fn handshake(state: &ConnectionState, sock: &mut Sock) -> Result<Option<Box<ClientConnection>>, TransportError> {
    let peer = &state.peer;
    if let Some(proxy) = &peer.proxy {
        proxy.tunnel(sock, &peer.host, peer.port)?;
    }
    peer.tls.as_ref().map(|tls| tls.handshake(sock).map(Box::new)).transpose()
}

fn encrypt(tls: &mut ClientConnection, sock: &mut Sock, bytes: &[u8]) -> io::Result<()> {
    tls.writer().write_all(bytes)?;
    while tls.wants_write() {
        if tls.write_tls(sock)? == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
    }
    Ok(())
}

/// Reads only what is there already.
struct Ready<'a>(&'a Sock);

impl io::Read for Ready<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_ready(buffer, MsgFlags::empty())
    }
}

impl Buffers for Stream {
    fn output(&mut self) -> &mut [u8] {
        &mut self.output[self.pending..]
    }

    fn input(&self) -> &[u8] {
        &self.input[self.consumed..self.filled]
    }

    fn input_append_buf(&mut self) -> &mut [u8] {
        if self.consumed == self.filled {
            (self.consumed, self.filled) = (0, 0);
        } else if self.consumed > self.input.len() / 2 {
            self.input.copy_within(self.consumed..self.filled, 0);
            (self.consumed, self.filled) = (0, self.filled - self.consumed);
        }
        // Headers larger than the buffer; how large they may grow, `await_input` says.
        if self.filled == self.input.len() {
            self.input.resize(self.input.len() * 2, 0);
        }
        &mut self.input[self.filled..]
    }

    fn input_appended(&mut self, amount: usize) {
        self.filled += amount;
        self.high = self.high.max(self.filled);
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

    /// Keeps headers and body together; what outgrows the buffer goes out in pieces.
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
        // The beginning of a TLS alert, which is what a TLS server makes of a request in clear.
        if self.tls.is_none() && self.state.overhead.is_before_body() && self.input().starts_with(&[0x15, 3]) {
            let text = "the service answered plain http with TLS: base_url should start with https://";
            return Err(self.fail(TransportError::new(Status::Response, text)));
        }
        if count == 0 && self.state.is_cancelled() {
            return Err(self.fail(TransportError::cancelled()));
        }
        Ok(count > 0)
    }

    /// ureq asks twice: when a call has ended, and before the next one begins. Only the second time is worth a
    /// system call.
    fn is_open(&mut self) -> bool {
        if self.idle {
            return self.reuse();
        }
        self.idle = true;
        self.sock.call = None;
        let whole = self.filled == self.consumed && self.pending == 0;
        self.wipe_answer();
        whole
    }

    fn is_tls(&self) -> bool {
        self.tls.is_some()
    }
}
