//! A socket whose every wait ends at a deadline, also when signals interrupt it.

use std::io::{self, IoSlice, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use super::sys::{self, Waits};
use crate::call::Bounds;
use crate::util::panics::failpoint;
use crate::util::process;

pub struct Sock {
    pub tcp: Arc<TcpStream>,
    /// They end every wait, and are also checked before each read, which could still return earlier bytes.
    pub bounds: Bounds,
    /// A byte may have been sent, and not all of the response has been read: see [`may_have_sent`].
    pub sent: bool,
    /// Bytes read from the socket.
    pub received: u64,
    /// The process that made it, by [`process::generation`].
    process: u32,
    /// Joins the parts of a vectored write, because `writev` cannot suppress SIGPIPE.
    joined: Vec<u8>,
    waits: Waits,
}

impl Sock {
    pub fn new(tcp: Arc<TcpStream>, bounds: Bounds) -> Sock {
        Sock {
            tcp,
            bounds,
            sent: false,
            received: 0,
            process: process::generation(),
            joined: Vec::new(),
            waits: Waits::default(),
        }
    }

    /// Reads what has arrived, without waiting; `WouldBlock` when there is nothing.
    pub fn read_ready(&self, buffer: &mut [u8], peek: bool) -> io::Result<usize> {
        sys::read_ready(&self.tcp, buffer, peek)
    }

    /// Limits how long a write may wait, which takes a system call, so that none is needed between a look at the clock
    /// and the write.
    pub fn limit_write(&mut self) -> io::Result<()> {
        let left = self.bounds.time_left();
        if left.is_zero() { Ok(()) } else { self.waits.limit(&self.tcp, true, left) }
    }

    /// Repeats an attempt until it succeeds or fails, the deadline is reached, or the call is cancelled.
    fn until_deadline(
        &mut self,
        write: bool,
        mut attempt: impl FnMut(&TcpStream) -> io::Result<usize>,
    ) -> io::Result<usize> {
        loop {
            let left = self.bounds.time_left();
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            if self.bounds.is_cancelled() {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
            self.waits.limit(&self.tcp, write, left)?;
            match attempt(&self.tcp) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.waits.wait(&self.tcp, left, self.bounds.waker())?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }
}

impl Drop for Sock {
    /// The system must not deliver the rest of a request whose call is over: somebody may already have concluded from its
    /// absence that it was not executed.
    fn drop(&mut self) {
        // A child that was forked in a callback of the call leaves its parent's connection alone.
        if self.sent && self.bounds.is_over() && self.process == process::generation() {
            sys::abort(&self.tcp);
        }
    }
}

/// One write, and the evidence: whether bytes may have been sent. If the system promises nothing about a failed write,
/// they may have been, and it must not be repeated.
fn write_once(mut tcp: &TcpStream, bytes: &[u8], sent: &mut bool) -> io::Result<usize> {
    let result = tcp.write(bytes);
    *sent |= may_have_sent(&result);
    match result {
        // `write_all` would repeat it.
        Err(error) if error.kind() == io::ErrorKind::Interrupted && *sent => Err(io::Error::other(error)),
        result => result,
    }
}

fn may_have_sent(result: &io::Result<usize>) -> bool {
    match result {
        Ok(count) => *count > 0,
        Err(error) => !sys::sent_nothing(error),
    }
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
        let mut sent = self.sent;
        let result = self.until_deadline(true, |tcp| write_once(tcp, bytes, &mut sent));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::CallToken;
    use std::net::TcpListener;
    use std::thread;
    use std::time::{Duration, Instant};

    const HANGS: Duration = Duration::from_secs(60);

    /// A socket as the connector makes it, and the service's end of it.
    fn connected() -> (Sock, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = sys::start(&listener.local_addr().unwrap()).unwrap();
        let service = listener.accept().unwrap().0;
        let mut connecting = vec![socket];
        while sys::connected_or_failed(&connecting, HANGS).unwrap() != [0] {}
        let socket = connecting.remove(0);
        assert!(socket.take_error().unwrap().is_none());
        sys::prepare(&socket).unwrap();
        (Sock::new(Arc::new(socket), Bounds::new(None, HANGS)), service)
    }

    fn with_call(sock: &mut Sock) -> Arc<CallToken> {
        let call = Arc::new(CallToken::default());
        sock.bounds.token = Some(Arc::clone(&call));
        call
    }

    /// Writes until the buffers between the two ends are full; returns the number of bytes.
    fn fill(sock: &Sock) -> usize {
        const LONG: Duration = Duration::from_millis(200);
        let mut tcp = &*sock.tcp;
        tcp.set_nonblocking(true).unwrap();
        let (mut written, mut last) = (0, Instant::now());
        while last.elapsed() < LONG {
            match tcp.write(&[0; 1 << 16]).or_else(|_| tcp.write(&[0])) {
                Ok(count) => (written, last) = (written + count, Instant::now()),
                Err(error) => assert_eq!(error.kind(), io::ErrorKind::WouldBlock),
            }
            thread::yield_now();
        }
        tcp.set_nonblocking(cfg!(windows)).unwrap();
        written
    }

    #[test]
    fn a_failed_write_counts_as_sent_unless_the_system_promises_otherwise() {
        for (count, sent) in [(0, false), (1, true)] {
            assert_eq!(may_have_sent(&Ok(count)), sent);
        }
        let error = |code| Err(io::Error::from_raw_os_error(code));
        #[cfg(unix)]
        for code in [libc::EAGAIN, libc::EINTR, libc::EPIPE, libc::ECONNRESET, libc::ENOBUFS, libc::ETIMEDOUT] {
            assert!(!may_have_sent(&error(code)), "{code}");
        }
        #[cfg(windows)]
        {
            assert!(!may_have_sent(&error(10035)), "WSAEWOULDBLOCK");
            // WSAEINTR, WSAENETRESET, WSAECONNABORTED, WSAECONNRESET, WSAENOBUFS, WSAESHUTDOWN, WSAETIMEDOUT.
            for code in [10004, 10052, 10053, 10054, 10055, 10058, 10060] {
                assert!(may_have_sent(&error(code)), "{code}");
            }
        }
    }

    #[test]
    fn a_write_to_a_connection_that_was_reset_is_evidence_only_on_unix() {
        let (mut sock, service) = connected();
        sock.write_all(b"unread").unwrap();
        sock.sent = false;
        // With something unread, closing resets the connection.
        service.peek(&mut [0]).unwrap();
        drop(service);
        assert_eq!(sock.read(&mut [0]).unwrap_err().kind(), io::ErrorKind::ConnectionReset);
        sock.write_all(b"request").unwrap_err();
        assert_eq!(sock.sent, cfg!(windows));
    }

    #[test]
    fn a_write_that_only_waited_has_sent_nothing() {
        for call in [None, Some(Arc::new(CallToken::default()))] {
            let (mut sock, _service) = connected();
            fill(&sock);
            sock.bounds.token = call;
            // The system may still make room for some bytes.
            let error = loop {
                sock.sent = false;
                sock.bounds.deadline = Instant::now() + Duration::from_millis(100);
                match sock.write(b"request") {
                    Ok(count) => assert!(count > 0),
                    Err(error) => break error,
                }
            };
            assert_eq!((error.kind(), sock.sent), (io::ErrorKind::TimedOut, false));
        }
    }

    #[test]
    fn a_read_waits_until_its_deadline_or_until_something_comes() {
        let (mut sock, mut service) = connected();
        for call in [None, Some(Arc::new(CallToken::default()))] {
            sock.bounds.token = call;
            let started = Instant::now();
            sock.bounds.deadline = started + Duration::from_millis(100);
            assert_eq!(sock.read(&mut [0]).unwrap_err().kind(), io::ErrorKind::TimedOut);
            assert!(Instant::now() >= sock.bounds.deadline);
            sock.bounds.deadline = started + HANGS;
            let mut writer = service.try_clone().unwrap();
            let answer = thread::spawn(move || {
                // It makes no difference whether the read has begun to wait.
                for byte in 0..20 {
                    thread::sleep(Duration::from_millis(2));
                    writer.write_all(&[byte]).unwrap();
                }
            });
            for byte in 0..20 {
                let mut buffer = [0];
                sock.read_exact(&mut buffer).unwrap();
                assert_eq!(buffer, [byte]);
            }
            answer.join().unwrap();
            assert_eq!(sock.read_ready(&mut [0], false).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        }
        service.write_all(b"x").unwrap();
        while sock.read_ready(&mut [0], true).is_err() {}
        assert_eq!(sock.read_ready(&mut [0; 9], true).unwrap(), 1, "it has not been read");
        assert_eq!(sock.read(&mut [0; 9]).unwrap(), 1);
        drop(service);
        assert_eq!(sock.read(&mut [0]).unwrap(), 0);
    }

    #[test]
    fn a_write_goes_on_when_the_service_reads() {
        let (mut sock, mut service) = connected();
        let _call = with_call(&mut sock);
        const SIZE: usize = 32 << 20;
        let before = fill(&sock);
        sock.bounds.deadline = Instant::now() + HANGS;
        let reader = thread::spawn(move || {
            // By now the write is waiting, or the next one will.
            thread::sleep(Duration::from_millis(50));
            service.read_exact(&mut vec![0; before]).unwrap();
            let mut all = vec![0; SIZE];
            service.read_exact(&mut all).unwrap();
            all
        });
        let bytes: Vec<u8> = (0..SIZE).map(|index| (index / 7) as u8).collect();
        sock.write_all(&bytes).unwrap();
        assert!(reader.join().unwrap() == bytes, "what was written came");
    }

    /// The same bytes, and then a reset instead of an end: what waited on this side was dropped.
    #[test]
    fn when_the_call_is_over_nothing_more_is_delivered() {
        for cancelled in [true, false] {
            let (mut sock, mut service) = connected();
            let written = fill(&sock);
            let call = with_call(&mut sock);
            sock.sent = true;
            match cancelled {
                true => call.cancel(),
                false => sock.bounds.deadline = Instant::now(),
            }
            drop(sock);
            let mut delivered = 0;
            let end = loop {
                match service.read(&mut [0; 1 << 16]) {
                    Ok(count) if count > 0 => delivered += count,
                    end => break end,
                }
            };
            assert_eq!(end.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
            println!("{delivered} of {written} bytes were delivered");
            assert!(delivered < written);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_forked_child_leaves_its_parents_connection_alone() {
        let (mut sock, mut service) = connected();
        let mut of_parent = sock.tcp.try_clone().unwrap();
        (sock.sent, sock.bounds.deadline, sock.process) = (true, Instant::now(), sock.process + 1);
        drop(sock);
        of_parent.write_all(b"x").unwrap();
        assert_eq!(service.read(&mut [0; 9]).unwrap(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_delivers_no_longer_than_the_call_lasts() {
        use nix::sys::socket::{getsockopt, sockopt::TcpUserTimeout};
        let (mut sock, _service) = connected();
        for ms in [30_000, 700] {
            sock.bounds.deadline = Instant::now() + Duration::from_millis(ms);
            sock.limit_write().unwrap();
            let limit = u64::from(getsockopt(&*sock.tcp, TcpUserTimeout).unwrap());
            assert!(limit <= ms && limit > ms / 2, "{limit}");
        }
    }

    /// The failure would be a hang, not slowness.
    #[test]
    fn a_cancel_ends_a_wait_for_reading_and_for_writing() {
        for write in [false, true] {
            let (mut sock, _service) = connected();
            if write {
                fill(&sock);
            }
            sock.bounds.deadline = Instant::now() + HANGS;
            let call = with_call(&mut sock);
            let attached = call.attach(&sock.tcp).unwrap();
            let (begun, wait) = std::sync::mpsc::channel();
            let waiting = thread::spawn(move || {
                begun.send(()).unwrap();
                let result = loop {
                    sock.sent = false;
                    match if write { sock.write(&[0]) } else { sock.read(&mut [0]) } {
                        // The system may still make room for some bytes.
                        Ok(count) if write && count > 0 => {}
                        result => break result,
                    }
                };
                (result.is_ok_and(|count| count > 0), Instant::now(), sock)
            });
            wait.recv().unwrap();
            thread::sleep(Duration::from_millis(50));
            let cancelled = Instant::now();
            call.cancel();
            let (succeeded, ended, sock) = waiting.join().unwrap();
            println!("write: {write}, cancelled in {:?}", ended - cancelled);
            assert!(!succeeded && ended < sock.bounds.deadline && !sock.sent);
            call.detach(attached);
        }
    }

    #[test]
    fn a_refused_connection_is_found() {
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        // The system may report it at once.
        let Ok(socket) = sys::start(&closed) else { return };
        let connecting = [socket];
        while sys::connected_or_failed(&connecting, HANGS).unwrap() != [0] {}
        assert_eq!(connecting[0].take_error().unwrap().unwrap().kind(), io::ErrorKind::ConnectionRefused);
    }
}
