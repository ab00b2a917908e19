//! Unix. Sockets block, and their timeouts are set with `setsockopt`: a warm call takes one system call to write, one
//! to read, and one to see that nothing came before.

mod event;
mod sockets;
mod waker;

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, SigmaskHow, pthread_sigmask};
use nix::sys::socket::{self, MsgFlags, SockaddrStorage, recv, sockopt};

pub use waker::{AttachedSocket, Waker};

/// `poll` takes any number of sockets.
pub const MAX_CONNECTING: usize = usize::MAX;
const STDERR: i32 = 2;

/// A TCP socket that does not block, is closed when another program is started, and raises no SIGPIPE where `send`
/// cannot be told so.
#[cfg(not(target_vendor = "apple"))]
fn new_socket(address: &SocketAddr) -> io::Result<OwnedFd> {
    use nix::sys::socket::{AddressFamily, SockFlag, SockType};
    let family = if address.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    Ok(socket::socket(family, SockType::Stream, flags, None)?)
}

#[cfg(target_vendor = "apple")]
fn new_socket(address: &SocketAddr) -> io::Result<OwnedFd> {
    let socket = socket2::Socket::new(socket2::Domain::for_address(*address), socket2::Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

pub fn start(address: &SocketAddr) -> io::Result<TcpStream> {
    let socket = new_socket(address)?;
    // A daemon may have closed its standard descriptors. Its output must not be sent to the service; the copy is never
    // one of the three.
    let socket = if socket.as_raw_fd() <= STDERR { socket.try_clone()? } else { socket };
    match socket::connect(socket.as_raw_fd(), &SockaddrStorage::from(*address)) {
        // An interrupted connect continues by itself.
        Ok(()) | Err(Errno::EINPROGRESS | Errno::EINTR) => Ok(TcpStream::from(socket)),
        Err(error) => Err(error.into()),
    }
}

/// The indexes of the sockets that have connected or failed; waits at most that long.
pub fn connected_or_failed(sockets: &[TcpStream], wait: Duration) -> io::Result<Vec<usize>> {
    let mut polled: Vec<PollFd> =
        sockets.iter().map(|socket| PollFd::new(socket.as_fd(), PollFlags::POLLOUT)).collect();
    // Rounded up, or the last fraction of a millisecond would be spent in a busy loop.
    let ms = u16::try_from(wait.as_millis() + 1).unwrap_or(u16::MAX);
    match poll(&mut polled, PollTimeout::from(ms)) {
        Ok(_) | Err(Errno::EINTR) => {}
        Err(error) => return Err(error.into()),
    }
    let ready = |(index, fd): (usize, &PollFd)| fd.any().unwrap_or(false).then_some(index);
    Ok(polled.iter().enumerate().filter_map(ready).collect())
}

/// For use after connecting.
pub fn prepare(socket: &TcpStream) -> io::Result<()> {
    socket.set_nonblocking(false)?;
    socket.set_nodelay(true)
}

/// Reads what has arrived, without waiting; `WouldBlock` when there is nothing.
pub fn read_ready(socket: &TcpStream, buffer: &mut [u8], peek: bool) -> io::Result<usize> {
    let flags = if peek { MsgFlags::MSG_PEEK } else { MsgFlags::empty() };
    loop {
        match recv(socket.as_raw_fd(), buffer, flags | MsgFlags::MSG_DONTWAIT) {
            Err(Errno::EINTR) => {}
            result => return result.map_err(io::Error::from),
        }
    }
}

/// A write that has sent some of its bytes returns their number instead of an error.
pub fn sent_nothing(_: &io::Error) -> bool {
    true
}

/// When the socket is closed, what has not been delivered is dropped, and the peer gets a reset. On Linux that happens at
/// once, because a child that was forked meanwhile may keep a copy of the descriptor, and then a close ends nothing.
pub fn abort(socket: &TcpStream) {
    // A failure means that the connection is gone already.
    let _ = socket::setsockopt(socket, sockopt::Linger, &libc::linger { l_onoff: 1, l_linger: 0 });
    #[cfg(target_os = "linux")]
    {
        // connect(2): an address of this family dissolves the association, whoever else has the socket.
        let none = libc::sockaddr_in {
            sin_family: libc::AF_UNSPEC as libc::sa_family_t,
            sin_port: 0,
            sin_addr: libc::in_addr { s_addr: 0 },
            sin_zero: [0; 8],
        };
        let _ = socket::connect(socket.as_raw_fd(), &socket::SockaddrIn::from(none));
    }
}

/// The socket's timeouts: each change is a system call.
#[derive(Default)]
pub struct Waits {
    read_timeout: Option<Duration>,
    write_timeout: Option<Duration>,
}

impl Waits {
    /// Sets a timeout no longer than the time left. The timeout of writing also limits the delivery.
    pub fn limit(&mut self, socket: &TcpStream, write: bool, left: Duration) -> io::Result<()> {
        let timeout = Some(rounded_timeout(left));
        let current = if write { &mut self.write_timeout } else { &mut self.read_timeout };
        if *current == timeout {
            return Ok(());
        }
        *current = timeout;
        if !write {
            return socket.set_read_timeout(timeout);
        }
        // The system's time limit to deliver written bytes, even if this process is killed. Both change only together,
        // so that a warm call needs no system call for either.
        #[cfg(target_os = "linux")]
        {
            let ms = u32::try_from(rounded_timeout(left).as_millis()).unwrap_or(u32::MAX);
            let _ = socket::setsockopt(socket, sockopt::TcpUserTimeout, &ms);
        }
        socket.set_write_timeout(timeout)
    }

    /// The read or write has waited already.
    pub fn wait(&mut self, _: &TcpStream, _: Duration, _: Option<&Waker>) -> io::Result<()> {
        Ok(())
    }
}

/// Rounds down, so that calls with nearly the same time left use the same timeout.
fn rounded_timeout(left: Duration) -> Duration {
    let ms = u64::try_from(left.as_millis()).unwrap_or(u64::MAX).max(1);
    let step = 1 << (ms / 8).max(1).ilog2();
    Duration::from_millis(ms / step * step)
}

/// The error if no descriptor is left: if a status query can open neither its files nor a socket, the system reports that
/// the name does not exist.
pub fn out_of_descriptors() -> Option<io::Error> {
    let error = new_socket(&SocketAddr::from(([127, 0, 0, 1], 0))).err()?;
    // The test socket is closed here.
    [Errno::EMFILE, Errno::ENFILE].iter().any(|lack| error.raw_os_error() == Some(*lack as i32)).then_some(error)
}

/// Runs `spawn` with all signals blocked. A new thread inherits the signal mask, and the program's signal handlers must
/// not run on a thread that the program does not know about.
pub fn without_signals<T>(spawn: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let mut before = SigSet::empty();
    pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::all()), Some(&mut before))?;
    let spawned = spawn();
    pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&before), None)?;
    spawned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_timeouts_are_alike_and_never_longer() {
        for us in [1, 900, 1_000, 7_999, 250_000, 9_999_000, 29_999_900, 86_400_000_000u64] {
            let (left, limit) = (Duration::from_micros(us), rounded_timeout(Duration::from_micros(us)));
            assert!(!limit.is_zero(), "zero would mean for ever");
            assert!(
                limit <= left.max(Duration::from_millis(1)) && limit * 5 / 4 >= left.min(limit * 2),
                "{us}: {limit:?}"
            );
        }
        assert_eq!(
            rounded_timeout(Duration::from_micros(29_999_950)),
            rounded_timeout(Duration::from_micros(29_990_000))
        );
    }
}
