//! Connects to the service or to its proxy, within a deadline, until cancelled.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{self, AddressFamily, SockFlag, SockType, SockaddrStorage};

use super::call::Call;
use super::error::TransportError;
use super::look_up::look_up;
use super::proxy::{self, Proxy};
use super::settings::Settings;
use super::tls::Tls;
use paysvc_spec::status::Status;

/// How long an address is tried before the next one (RFC 8305, "Connection Attempt Delay").
const ATTEMPT_DELAY: Duration = Duration::from_millis(250);
const STDERR: i32 = 2;
/// How often a wait that a cancel cannot wake checks for one.
const CANCEL_CHECK: Duration = Duration::from_millis(20);

/// The service, and how to connect to it.
pub struct Peer {
    pub host: String,
    pub port: u16,
    pub tls: Option<Tls>,
    pub proxy: Option<Proxy>,
    pub connect_timeout: Duration,
    /// Plain http, which is allowed to loopback addresses only.
    loopback_only: bool,
}

impl Peer {
    pub fn new(settings: Settings, tls: Option<Tls>) -> Peer {
        let proxy = settings.proxy.filter(|_| !proxy::is_exempt(&settings.host, &settings.no_proxy));
        Peer {
            host: settings.host,
            port: settings.port,
            tls,
            proxy,
            connect_timeout: settings.connect_timeout,
            loopback_only: !settings.https && !settings.allow_http,
        }
    }

    /// A socket connected to the service, or to the proxy if there is one.
    pub fn connect(&self, deadline: Instant, call: Option<&Arc<Call>>) -> Result<TcpStream, TransportError> {
        let (host, port) = match &self.proxy {
            Some(proxy) => (&proxy.host, proxy.port),
            None => (&self.host, self.port),
        };
        let mut addresses = look_up(host, port, deadline, call)?;
        // This holds for the proxy too: it would see everything in clear.
        if self.loopback_only {
            addresses.retain(|address| address.ip().is_loopback());
            if addresses.is_empty() {
                return Err(TransportError::permanent(format!(
                    "{host} is not this machine, and plain http goes nowhere else"
                )));
            }
        }
        connect_any(&addresses, deadline, call).map_err(|error| TransportError {
            message: format!("could not connect to {host} port {port}: {}", error.message),
            ..error
        })
    }
}

fn is_cancelled(call: Option<&Arc<Call>>) -> bool {
    call.is_some_and(|call| call.is_cancelled())
}

/// Connects to the first address that answers. The next one is tried when one fails or takes long (RFC 8305).
fn connect_any(
    addresses: &[SocketAddr],
    deadline: Instant,
    call: Option<&Arc<Call>>,
) -> Result<TcpStream, TransportError> {
    let mut untried = addresses.iter();
    let mut connecting: Vec<TcpStream> = Vec::new();
    let mut next_at = Instant::now();
    let mut last_error = String::from("no address");
    loop {
        if is_cancelled(call) {
            return Err(TransportError::cancelled());
        }
        let now = Instant::now();
        if now >= deadline {
            return Err(TransportError::timeout("connecting"));
        }
        if (connecting.is_empty() || now >= next_at) && untried.len() > 0 {
            for address in untried.by_ref().take(1) {
                match start(address) {
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
        let mut wait_until = deadline;
        if untried.len() > 0 {
            wait_until = wait_until.min(next_at);
        }
        if call.is_some() {
            wait_until = wait_until.min(now + CANCEL_CHECK);
        }
        for index in connected_or_failed(&connecting, wait_until - now)?.into_iter().rev() {
            let socket = connecting.swap_remove(index);
            match socket.take_error() {
                Ok(None) => return make_blocking(socket).map_err(|error| TransportError::io("connecting", &error)),
                Ok(Some(error)) | Err(error) => last_error = error.to_string(),
            }
        }
    }
}

/// Starts connecting without waiting.
fn start(address: &SocketAddr) -> io::Result<TcpStream> {
    let family = if address.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
    let socket = socket::socket(family, SockType::Stream, SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC, None)?;
    // A daemon may have closed its standard descriptors. What it prints must not be sent to the service; the copy is
    // never one of the three.
    let socket = if socket.as_raw_fd() <= STDERR { socket.try_clone()? } else { socket };
    match socket::connect(socket.as_raw_fd(), &SockaddrStorage::from(*address)) {
        // An interrupted connect continues by itself.
        Ok(()) | Err(Errno::EINPROGRESS | Errno::EINTR) => Ok(TcpStream::from(socket)),
        Err(error) => Err(error.into()),
    }
}

/// The indexes of the sockets that have connected or failed; waits at most that long.
fn connected_or_failed(sockets: &[TcpStream], wait: Duration) -> Result<Vec<usize>, TransportError> {
    let mut polled: Vec<PollFd> =
        sockets.iter().map(|socket| PollFd::new(socket.as_fd(), PollFlags::POLLOUT)).collect();
    // Rounded up, or the last fraction of a millisecond would be spent in a busy loop.
    let ms = u16::try_from(wait.as_millis() + 1).unwrap_or(u16::MAX);
    match poll(&mut polled, PollTimeout::from(ms)) {
        Ok(_) | Err(Errno::EINTR) => {}
        Err(error) => return Err(TransportError::new(Status::Transport, error.desc())),
    }
    let ready = |(index, fd): (usize, &PollFd)| fd.any().unwrap_or(false).then_some(index);
    Ok(polled.iter().enumerate().filter_map(ready).collect())
}

fn make_blocking(socket: TcpStream) -> io::Result<TcpStream> {
    socket.set_nonblocking(false)?;
    socket.set_nodelay(true)?;
    Ok(socket)
}
