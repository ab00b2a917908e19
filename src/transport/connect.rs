//! From a host name to a connected socket, within a deadline and cancellable, with nothing sent.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{self, AddressFamily, SockFlag, SockType, SockaddrStorage};

use super::error::TransportError;
use super::look_up::look_up;
use super::proxy::{self, Proxy};
use super::settings::Settings;
use super::tls::Tls;
use crate::transport::call::Call;
use paysvc_spec::status::Status;

/// How long one address may keep the others waiting (RFC 8305, "Connection Attempt Delay").
const NEXT_ADDRESS: Duration = Duration::from_millis(250);
/// The last of the descriptors that every program prints to.
const STDERR: i32 = 2;
/// How often a wait that cannot be woken looks for a cancel.
const CANCEL_CHECK: Duration = Duration::from_millis(20);

/// Where connections go, and how.
pub struct Peer {
    pub host: String,
    pub port: u16,
    pub tls: Option<Tls>,
    pub proxy: Option<Proxy>,
    pub connect_timeout: Duration,
    /// Plain http, and only to this machine.
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

    /// A socket connected to the service, or to the proxy on the way there.
    pub fn open(&self, deadline: Instant, call: Option<&Arc<Call>>) -> Result<TcpStream, TransportError> {
        let (host, port) = match &self.proxy {
            Some(proxy) => (&proxy.host, proxy.port),
            None => (&self.host, self.port),
        };
        let mut addresses = look_up(host, port, deadline, call)?;
        // A proxy elsewhere would get it all in clear, whatever is behind it.
        if self.loopback_only {
            addresses.retain(|address| address.ip().is_loopback());
            if addresses.is_empty() {
                return Err(TransportError::permanent(format!(
                    "{host} is not this machine, and plain http goes nowhere else"
                )));
            }
        }
        race(&addresses, deadline, call).map_err(|error| TransportError {
            message: format!("could not connect to {host} port {port}: {}", error.message),
            ..error
        })
    }
}

fn is_cancelled(call: Option<&Arc<Call>>) -> bool {
    call.is_some_and(|call| call.is_cancelled())
}

/// Connects to the first address that answers, the next one starting when one fails or takes long.
fn race(addresses: &[SocketAddr], deadline: Instant, call: Option<&Arc<Call>>) -> Result<TcpStream, TransportError> {
    let mut ahead = addresses.iter();
    let mut waiting: Vec<TcpStream> = Vec::new();
    let mut next_at = Instant::now();
    let mut failed = String::from("no address");
    loop {
        if is_cancelled(call) {
            return Err(TransportError::cancelled());
        }
        let now = Instant::now();
        if now >= deadline {
            return Err(TransportError::timeout("connecting"));
        }
        if (waiting.is_empty() || now >= next_at) && ahead.len() > 0 {
            for address in ahead.by_ref().take(1) {
                match start(address) {
                    Ok(socket) => waiting.push(socket),
                    Err(error) => failed = format!("{error} ({address})"),
                }
            }
            next_at = now + NEXT_ADDRESS;
            continue;
        }
        if waiting.is_empty() {
            return Err(TransportError::new(Status::Transport, failed));
        }
        let mut wake = deadline;
        if ahead.len() > 0 {
            wake = wake.min(next_at);
        }
        if call.is_some() {
            wake = wake.min(now + CANCEL_CHECK);
        }
        for index in writable(&waiting, wake - now)?.into_iter().rev() {
            let socket = waiting.swap_remove(index);
            match socket.take_error() {
                Ok(None) => return blocking(socket).map_err(|error| TransportError::io("connecting", &error)),
                Ok(Some(error)) | Err(error) => failed = error.to_string(),
            }
        }
    }
}

/// Starts connecting without waiting.
fn start(address: &SocketAddr) -> io::Result<TcpStream> {
    let family = if address.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
    let socket = socket::socket(family, SockType::Stream, SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC, None)?;
    // Where a daemon has closed its standard descriptors, what it prints must not go to the service. The copy is never
    // one of the three.
    let socket = if socket.as_raw_fd() <= STDERR { socket.try_clone()? } else { socket };
    match socket::connect(socket.as_raw_fd(), &SockaddrStorage::from(*address)) {
        // An interrupted connect goes on by itself.
        Ok(()) | Err(Errno::EINPROGRESS | Errno::EINTR) => Ok(TcpStream::from(socket)),
        Err(error) => Err(error.into()),
    }
}

/// The sockets that have connected or failed, waiting at most that long.
fn writable(sockets: &[TcpStream], wait: Duration) -> Result<Vec<usize>, TransportError> {
    let mut polled: Vec<PollFd> =
        sockets.iter().map(|socket| PollFd::new(socket.as_fd(), PollFlags::POLLOUT)).collect();
    // Rounded up: waiting a fraction short would spin.
    let ms = u16::try_from(wait.as_millis() + 1).unwrap_or(u16::MAX);
    match poll(&mut polled, PollTimeout::from(ms)) {
        Ok(_) | Err(Errno::EINTR) => {}
        Err(error) => return Err(TransportError::new(Status::Transport, error.desc())),
    }
    let ready = |(index, fd): (usize, &PollFd)| fd.any().unwrap_or(false).then_some(index);
    Ok(polled.iter().enumerate().filter_map(ready).collect())
}

fn blocking(socket: TcpStream) -> io::Result<TcpStream> {
    socket.set_nonblocking(false)?;
    socket.set_nodelay(true)?;
    Ok(socket)
}
