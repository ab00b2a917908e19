//! A socket whose every wait ends at a deadline, also when signals interrupt it.

use std::io::{self, IoSlice, Read, Write};
use std::net::TcpStream;
use std::os::fd::AsRawFd as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, recv};

use crate::transport::call::Call;
use crate::util::failpoint;

pub struct Sock {
    pub tcp: Arc<TcpStream>,
    pub deadline: Instant,
    /// A cancel ends every wait. It is checked before each read too, which could still return what arrived before.
    pub call: Option<Arc<Call>>,
    /// Bytes written to the socket.
    pub written: u64,
    /// Bytes read from the socket.
    pub received: u64,
    /// Joins the parts of a vectored write, because `writev` cannot suppress SIGPIPE.
    joined: Vec<u8>,
    read_timeout: Option<Duration>,
    write_timeout: Option<Duration>,
}

impl Sock {
    pub fn new(tcp: Arc<TcpStream>, deadline: Instant, call: Option<Arc<Call>>) -> Sock {
        Sock {
            tcp,
            deadline,
            call,
            written: 0,
            received: 0,
            joined: Vec::new(),
            read_timeout: None,
            write_timeout: None,
        }
    }

    /// Reads what has arrived, without waiting; `WouldBlock` when there is nothing.
    pub fn read_ready(&self, buffer: &mut [u8], flags: MsgFlags) -> io::Result<usize> {
        loop {
            match recv(self.tcp.as_raw_fd(), buffer, flags | MsgFlags::MSG_DONTWAIT) {
                Err(Errno::EINTR) => {}
                result => return result.map_err(io::Error::from),
            }
        }
    }

    /// Repeats an operation until it is done, the deadline is reached, or the call is cancelled.
    fn until_deadline<T>(
        &mut self,
        write: bool,
        mut operation: impl FnMut(&TcpStream) -> io::Result<T>,
    ) -> io::Result<T> {
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            if self.call.as_ref().is_some_and(|call| call.is_cancelled()) {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
            self.set_timeout(write, rounded_timeout(left))?;
            match operation(&self.tcp) {
                // The socket's timeout is shorter than the time that is left: try again.
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                result => return result,
            }
        }
    }

    /// Sets the socket's timeout if it differs: each change is a system call.
    fn set_timeout(&mut self, write: bool, timeout: Duration) -> io::Result<()> {
        let current = if write { &mut self.write_timeout } else { &mut self.read_timeout };
        if *current == Some(timeout) {
            return Ok(());
        }
        *current = Some(timeout);
        if write { self.tcp.set_write_timeout(Some(timeout)) } else { self.tcp.set_read_timeout(Some(timeout)) }
    }
}

/// Rounds down, so that calls with nearly the same time left use the same timeout.
fn rounded_timeout(left: Duration) -> Duration {
    let ms = u64::try_from(left.as_millis()).unwrap_or(u64::MAX).max(1);
    let step = 1 << (ms / 8).max(1).ilog2();
    Duration::from_millis(ms / step * step)
}

impl Read for Sock {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.until_deadline(false, |mut tcp| tcp.read(buffer))?;
        self.received += count as u64;
        Ok(count)
    }
}

impl Write for Sock {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        failpoint::at("write");
        let count = self.until_deadline(true, |mut tcp| tcp.write(bytes))?;
        failpoint::at("written");
        self.written += count as u64;
        Ok(count)
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        if let [part] = parts {
            return self.write(part);
        }
        let mut joined = std::mem::take(&mut self.joined);
        joined.clear();
        parts.iter().for_each(|part| joined.extend_from_slice(part));
        let count = self.write(&joined);
        self.joined = joined;
        count
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
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
