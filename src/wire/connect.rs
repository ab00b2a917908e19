//! Connects to the service or to its proxy, within a deadline, until cancelled.

use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::error::{self, TransportError};
use super::look_up::look_up;
use super::sys;
use super::tls::Tls;
use crate::call::Bounds;
use crate::config::Config;
use crate::config::address::BaseUrl;
use paysvc_spec::checks::Check;
use paysvc_spec::status::Status;

/// The time for which an address is tried before the next one (RFC 8305, "Connection Attempt Delay").
const ATTEMPT_DELAY: Duration = Duration::from_millis(250);

pub struct Peer {
    pub config: Arc<Config>,
    pub service: Arc<BaseUrl>,
    /// `None` for plain http.
    pub tls: Option<Tls>,
}

impl Peer {
    /// A socket connected to the service, or to the proxy if there is one. `step`: what failed, if that does.
    pub fn connect(&self, bounds: &Bounds, step: &mut Check) -> Result<TcpStream, TransportError> {
        let (host, port) = match &self.config.proxy {
            Some(proxy) => (&proxy.host, proxy.port),
            None => (&self.service.host, self.service.port),
        };
        *step = Check::NameLookUp;
        let mut addresses = look_up(host, port, bounds)?;
        *step = Check::Connection;
        // This holds for the proxy too, which would see everything unencrypted.
        if self.tls.is_none() && !self.config.allow_http {
            addresses.retain(|address| address.ip().is_loopback());
            if addresses.is_empty() {
                return Err(TransportError::permanent(format!(
                    "{host} is not this machine, and plain http is allowed only to this machine"
                )));
            }
        }
        connect_any(&addresses, bounds).map_err(|error| TransportError {
            message: format!("could not connect to {host} port {port}: {}", error.message),
            ..error
        })
    }
}

/// Connects to the first address that answers. The next one is tried when one fails or takes long (RFC 8305).
fn connect_any(addresses: &[SocketAddr], bounds: &Bounds) -> Result<TcpStream, TransportError> {
    let mut untried = addresses.iter();
    let mut connecting: Vec<TcpStream> = Vec::new();
    let mut next_at = Instant::now();
    let mut last_error = String::from("no address");
    loop {
        error::check(bounds, "connecting")?;
        let now = Instant::now();
        let room = connecting.len() < sys::MAX_CONNECTING;
        if (connecting.is_empty() || now >= next_at && room) && untried.len() > 0 {
            for address in untried.by_ref().take(1) {
                match sys::start(address) {
                    Ok(socket) => connecting.push(socket),
                    Err(error) => last_error = format!("{error} ({address})"),
                }
            }
            next_at = now + ATTEMPT_DELAY;
            continue;
        }
        if connecting.is_empty() {
            return Err(TransportError::new(Status::Transport, last_error));
        }
        let mut wait = bounds.wait_to_check(bounds.time_left());
        if untried.len() > 0 && room {
            wait = wait.min(next_at - now);
        }
        let failed = |error| TransportError::io("connecting", &error);
        for index in sys::connected_or_failed(&connecting, wait).map_err(failed)?.into_iter().rev() {
            let socket = connecting.swap_remove(index);
            match socket.take_error() {
                Ok(None) => return sys::prepare(&socket).map(|()| socket).map_err(failed),
                Ok(Some(error)) | Err(error) => last_error = error.to_string(),
            }
        }
    }
}
