//! Opens a connection and closes it, to find out which step of that fails. Nothing is asked on it.

use std::sync::Arc;
use std::time::Instant;

use super::Transport;
use super::connection_state::ConnectionState;
use super::error::TransportError;
use super::look_up::look_up;
use super::sock::Sock;
use crate::call::{Bounds, Call};

/// A step of opening a connection, in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Step {
    NameLookUp,
    Connection,
    Tls,
}

impl Transport {
    /// The step that failed, and why. The proxy is a part of the connection.
    pub fn probe(&self, call: &Call<'_>) -> Result<(), (Step, TransportError)> {
        let bounds = &call.bounds;
        let state = ConnectionState::new(Arc::clone(&self.peer));
        state.start(bounds);
        let result = self.open(&state, bounds);
        state.finish();
        result.map_err(|(step, error)| match bounds.is_cancelled() {
            true => (step, TransportError::cancelled()),
            false => (step, error),
        })
    }

    fn open(&self, state: &ConnectionState, bounds: &Bounds) -> Result<(), (Step, TransportError)> {
        let peer = &self.peer;
        let bounds = bounds.until(Instant::now() + peer.config.connect_timeout);
        let of = |step| move |error| (step, error);
        let (host, port) = peer.address();
        look_up(host, port, &bounds).map_err(of(Step::NameLookUp))?;
        let tcp = Arc::new(peer.connect(&bounds).map_err(of(Step::Connection))?);
        state.attach_socket(&tcp, false).map_err(of(Step::Connection))?;
        let mut sock = Sock::new(tcp, bounds);
        if let Some(proxy) = &peer.config.proxy {
            proxy.tunnel(&mut sock, &peer.service.host, peer.service.port).map_err(of(Step::Connection))?;
        }
        if let Some(tls) = &peer.tls {
            tls.handshake(&mut sock).map_err(of(Step::Tls))?;
        }
        Ok(())
    }
}
