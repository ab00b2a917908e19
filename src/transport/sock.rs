//! A socket whose every wait ends at a deadline, whatever signals interrupt it.

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
    /// Whose cancel ends every wait: what the system had received before it, a read would still find.
    pub call: Option<Arc<Call>>,
    /// Bytes handed to the system.
    pub written: u64,
    /// Bytes taken from it.
    pub received: u64,
    /// Pieces are joined here, because a gathering write cannot suppress SIGPIPE.
    joined: Vec<u8>,
    read_limit: Option<Duration>,
    write_limit: Option<Duration>,
}

impl Sock {
    pub fn new(tcp: Arc<TcpStream>, deadline: Instant, call: Option<Arc<Call>>) -> Sock {
        Sock { tcp, deadline, call, written: 0, received: 0, joined: Vec::new(), read_limit: None, write_limit: None }
    }

    /// What lies ready to be read, without waiting; `WouldBlock` when nothing does.
    pub fn read_ready(&self, buffer: &mut [u8], flags: MsgFlags) -> io::Result<usize> {
        loop {
            match recv(self.tcp.as_raw_fd(), buffer, flags | MsgFlags::MSG_DONTWAIT) {
                Err(Errno::EINTR) => {}
                result => return result.map_err(io::Error::from),
            }
        }
    }

    /// Repeats an operation until it is done or the deadline has come.
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
            self.limit(write, coarse(left))?;
            match operation(&self.tcp) {
                // The socket's own limit is shorter than what is left: look again.
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                result => return result,
            }
        }
    }

    /// Tells the system only what has changed, because each change is a system call.
    fn limit(&mut self, write: bool, limit: Duration) -> io::Result<()> {
        let known = if write { &mut self.write_limit } else { &mut self.read_limit };
        if *known == Some(limit) {
            return Ok(());
        }
        *known = Some(limit);
        if write { self.tcp.set_write_timeout(Some(limit)) } else { self.tcp.set_read_timeout(Some(limit)) }
    }
}

/// At most that long, but the same for calls that have nearly the same time left.
fn coarse(left: Duration) -> Duration {
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

    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        if let [piece] = pieces {
            return self.write(piece);
        }
        let mut joined = std::mem::take(&mut self.joined);
        joined.clear();
        pieces.iter().for_each(|piece| joined.extend_from_slice(piece));
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
    fn coarse_limits_are_alike_and_never_longer() {
        for us in [1, 900, 1_000, 7_999, 250_000, 9_999_000, 29_999_900, 86_400_000_000u64] {
            let (left, limit) = (Duration::from_micros(us), coarse(Duration::from_micros(us)));
            assert!(!limit.is_zero(), "zero would mean for ever");
            assert!(
                limit <= left.max(Duration::from_millis(1)) && limit * 5 / 4 >= left.min(limit * 2),
                "{us}: {limit:?}"
            );
        }
        assert_eq!(coarse(Duration::from_micros(29_999_950)), coarse(Duration::from_micros(29_990_000)));
    }
}
