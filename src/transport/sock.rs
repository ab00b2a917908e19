//! A socket whose every wait ends at a deadline, also when signals interrupt it.

use std::io::{self, IoSlice, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::call::Call;
use super::sys::{self, Waits, Waker};
use crate::util::failpoint;

pub struct Sock {
    pub tcp: Arc<TcpStream>,
    pub deadline: Instant,
    /// A cancel ends every wait. It is checked before each read too, which could still return what arrived before.
    pub call: Option<Arc<Call>>,
    /// A byte may have been sent: see [`may_have_sent`].
    pub sent: bool,
    /// Bytes read from the socket.
    pub received: u64,
    /// Joins the parts of a vectored write, because `writev` cannot suppress SIGPIPE.
    joined: Vec<u8>,
    waits: Waits,
}

impl Sock {
    pub fn new(tcp: Arc<TcpStream>, deadline: Instant, call: Option<Arc<Call>>) -> Sock {
        Sock { tcp, deadline, call, sent: false, received: 0, joined: Vec::new(), waits: Waits::default() }
    }

    /// Reads what has arrived, without waiting; `WouldBlock` when there is nothing.
    pub fn read_ready(&self, buffer: &mut [u8], peek: bool) -> io::Result<usize> {
        sys::read_ready(&self.tcp, buffer, peek)
    }

    /// Repeats an attempt until it succeeds or fails, the deadline is reached, or the call is cancelled.
    fn until_deadline(
        &mut self,
        mut attempt: impl FnMut(&mut Waits, &TcpStream, Duration, Option<&Waker>) -> io::Result<usize>,
    ) -> io::Result<usize> {
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            if self.call.as_ref().is_some_and(|call| call.is_cancelled()) {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
            match attempt(&mut self.waits, &self.tcp, left, self.call.as_ref().map(|call| call.waker())) {
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                result => return result,
            }
        }
    }
}

/// The evidence: whether bytes of a write may have been sent. Where the system promises nothing about a write that failed,
/// they may.
fn may_have_sent(attempt: &io::Result<usize>) -> bool {
    match attempt {
        Ok(count) => *count > 0,
        Err(error) => !sys::sent_nothing(error),
    }
}

impl Read for Sock {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.until_deadline(|waits, tcp, left, waker| waits.read(tcp, buffer, left, waker))?;
        self.received += count as u64;
        Ok(count)
    }
}

impl Write for Sock {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        failpoint::at("write");
        let mut sent = self.sent;
        let result = self.until_deadline(|waits, tcp, left, waker| {
            let attempt = waits.write(tcp, bytes, left, waker);
            sent |= may_have_sent(&attempt);
            attempt
        });
        failpoint::at("written");
        self.sent = sent;
        result
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
