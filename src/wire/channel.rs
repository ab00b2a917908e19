//! A connected socket, through the proxy if there is one and with TLS if it is used: reading, writing, and the check
//! that nothing is unread before a request is written.

use std::io::{self, Read as _, Write as _};
use std::sync::Arc;
use std::time::Instant;

use rustls::ClientConnection;

use super::connect::Peer;
use super::connection_state::ConnectionState;
use super::error::TransportError;
use super::framing::MAX_OVERHEAD;
use super::sock::Sock;
use crate::util::panics::failpoint;
use paysvc_spec::checks::Check;
use paysvc_spec::status::Status;

pub struct Channel {
    pub sock: Sock,
    tls: Option<Box<ClientConnection>>,
}

impl Channel {
    /// Connects, through the proxy if there is one, and completes the TLS handshake. `step`: what failed, if that does.
    pub fn connect(state: &ConnectionState, step: &mut Check) -> Result<Channel, TransportError> {
        failpoint::at("connect");
        let (peer, bounds) = (&state.peer, state.bounds());
        let connect_bounds = bounds.until(Instant::now() + peer.config.connect_timeout);
        let tcp = Arc::new(peer.connect(&connect_bounds, step)?);
        state.attach_socket(&tcp, false)?;
        let mut sock = Sock::new(tcp, connect_bounds);
        let tls = handshake(peer, &mut sock, step)
            .map_err(|error| if bounds.is_cancelled() { TransportError::cancelled() } else { error })?;
        // A token is not kept alive by a connection that waits for a request.
        sock.bounds.token = None;
        // From here on only bytes of the request count.
        sock.sent = false;
        Ok(Channel { sock, tls })
    }

    /// Begins a call, which has made the connection itself or found it.
    pub fn begin_call(&mut self, state: &ConnectionState) {
        let sock = &mut self.sock;
        sock.sent = false;
        sock.bounds = state.bounds();
        if state.is_new() {
            return;
        }
        // A call that has been cancelled meanwhile fails before its first byte is written.
        if let Err(error) = state.attach_socket(&sock.tcp, true) {
            state.record_error(error);
        }
    }

    pub fn is_tls(&self) -> bool {
        self.tls.is_some()
    }

    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(tls) = &mut self.tls else { return self.sock.write_all(bytes) };
        tls.writer().write_all(bytes)?;
        while tls.wants_write() {
            if tls.write_tls(&mut self.sock)? == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
        Ok(())
    }

    /// Reads what arrives next; 0 is the end of the connection.
    pub fn read(&mut self, peer: &Peer, buffer: &mut [u8]) -> Result<usize, TransportError> {
        let failed = |error: io::Error| TransportError::io("waiting for the response", &error);
        let Some(tls) = &mut self.tls else { return self.sock.read(buffer).map_err(failed) };
        let limit = self.sock.received + MAX_OVERHEAD as u64;
        loop {
            match tls.reader().read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // An end without close_notify: the response's framing determines whether it is complete.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(0),
                read => return read.map_err(failed),
            }
            if self.sock.received > limit {
                let text = format!("{MAX_OVERHEAD} bytes of TLS arrived without any part of a response");
                return Err(TransportError::new(Status::Response, text));
            }
            // A key update of the peer must be answered before it goes on.
            while tls.wants_write() {
                tls.write_tls(&mut self.sock).map_err(failed)?;
            }
            tls.read_tls(&mut self.sock).map_err(failed)?;
            if let Err(error) = tls.process_new_packets() {
                let mut error = tls_error(peer, &error);
                error.message.push_str("; the request had been written before");
                return Err(error);
            }
        }
    }

    /// Wipes what rustls has decrypted in its own buffer. A kept connection may not be used again for a long time.
    pub fn wipe(&mut self) {
        if let Some(tls) = &mut self.tls {
            // It gets the free part of that buffer, and reports that nothing came.
            let _ = tls.read_tls(&mut Wipes);
        }
    }

    /// Fails unless the connection is open and nothing in it is unread. A response that was not asked for would be taken
    /// for the response to the next request.
    pub fn check_nothing_unread(&mut self, peer: &Peer) -> Result<(), TransportError> {
        let Some(tls) = &mut self.tls else {
            return match self.sock.read_ready(&mut [0], true) {
                Ok(0) => Err(closed_early()),
                Ok(_) => Err(unexpected_bytes()),
                Err(error) => would_block(error),
            };
        };
        let mut received = 0;
        loop {
            match tls.process_new_packets() {
                Ok(state) if state.plaintext_bytes_to_read() > 0 => return Err(unexpected_bytes()),
                Ok(state) if state.peer_has_closed() => return Err(closed_early()),
                Ok(_) => {}
                Err(error) => return Err(tls_error(peer, &error)),
            }
            // Session tickets may still arrive after a response; they are no reason to reconnect.
            match tls.read_tls(&mut NonBlocking(&self.sock)) {
                Ok(0) => return Err(closed_early()),
                Ok(count) => received += count,
                Err(error) => return would_block(error),
            }
            if received > MAX_OVERHEAD {
                return Err(unexpected_bytes());
            }
        }
    }
}

pub fn unexpected_bytes() -> TransportError {
    let text =
        "something arrived before the request was sent; it cannot be the response, so the connection was not used";
    TransportError::new(Status::Transport, text)
}

fn closed_early() -> TransportError {
    TransportError::new(Status::Transport, "the connection was closed before the request was sent")
}

/// Having nothing to read is the expected case.
fn would_block(error: io::Error) -> Result<(), TransportError> {
    match error.kind() {
        io::ErrorKind::WouldBlock => Ok(()),
        _ => Err(TransportError::io("preparing to send the request", &error)),
    }
}

fn tls_error(peer: &Peer, error: &rustls::Error) -> TransportError {
    match &peer.tls {
        Some(tls) => tls.error(error),
        None => TransportError::new(Status::Transport, "TLS failed"),
    }
}

/// The proxy's tunnel and the TLS handshake.
fn handshake(peer: &Peer, sock: &mut Sock, step: &mut Check) -> Result<Option<Box<ClientConnection>>, TransportError> {
    if let Some(proxy) = &peer.config.proxy {
        proxy.tunnel(sock, &peer.service.host, peer.service.port)?;
    }
    *step = Check::Tls;
    peer.tls.as_ref().map(|tls| tls.handshake(sock).map(Box::new)).transpose()
}

/// Leaves zeros in the buffer that it is given.
struct Wipes;

impl io::Read for Wipes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // In pieces, which the C library fills with vector instructions.
        buffer.chunks_mut(1024).for_each(|part| part.fill(0));
        Err(io::ErrorKind::WouldBlock.into())
    }
}

/// Reads only what has already arrived.
struct NonBlocking<'a>(&'a Sock);

impl io::Read for NonBlocking<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_ready(buffer, false)
    }
}
