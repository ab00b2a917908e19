//! One client connection: its number, and the handle by which it can be broken on purpose.
//!
//! The wire lies between HTTP and the socket (above TLS), so what breaks it knows nothing of requests.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

/// What the connection does with the bytes of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Open,
    /// Nothing is written any more; reading goes on, so that the client's end is noticed.
    Stalled,
    /// So many bytes are written, then the connection is closed.
    CutAfter(usize),
    /// Closed without a farewell: no TLS close_notify.
    Closed,
    /// The client gets a TCP reset.
    Reset,
}

/// The handle of a connection; cheap to share with whoever decides its fate.
#[derive(Debug)]
pub struct Connection {
    pub id: u64,
    requests: AtomicU64,
    state: Mutex<(Line, Vec<Waker>)>,
}

impl Connection {
    pub fn stall(&self) {
        self.put(Line::Stalled);
    }

    pub fn cut_after(&self, bytes: usize) {
        self.put(Line::CutAfter(bytes));
    }

    pub fn close(&self) {
        self.put(Line::Closed);
    }

    pub fn reset(&self) {
        self.put(Line::Reset);
    }

    fn put(&self, line: Line) {
        let mut state = self.state();
        state.0 = line;
        state.1.drain(..).for_each(Waker::wake);
    }
}

impl Connection {
    pub fn new(id: u64) -> Arc<Connection> {
        Arc::new(Connection { id, requests: AtomicU64::new(0), state: Mutex::new((Line::Open, Vec::new())) })
    }

    /// Counts the requests of this connection, from 1.
    pub fn next_request(&self) -> u64 {
        self.requests.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn state(&self) -> MutexGuard<'_, (Line, Vec<Waker>)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The line as it is, and a promise to be woken when it changes.
    fn line(&self, context: &Context<'_>) -> Line {
        let mut state = self.state();
        if !state.1.iter().any(|waker| waker.will_wake(context.waker())) {
            state.1.push(context.waker().clone());
        }
        state.0
    }
}

pub enum Socket {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Socket {
    fn tcp(&self) -> &TcpStream {
        match self {
            Socket::Plain(tcp) => tcp,
            Socket::Tls(tls) => tls.get_ref().0,
        }
    }

    fn pinned(&mut self) -> Pin<&mut dyn ReadWrite> {
        match self {
            Socket::Plain(tcp) => Pin::new(tcp),
            Socket::Tls(tls) => Pin::new(tls.as_mut()),
        }
    }
}

trait ReadWrite: AsyncRead + AsyncWrite + Unpin {}
impl<T: AsyncRead + AsyncWrite + Unpin> ReadWrite for T {}

/// The stream that HTTP is spoken on.
pub struct Wire {
    pub socket: Socket,
    pub connection: Arc<Connection>,
}

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, "the sandbox broke this connection on purpose")
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.connection.line(context) {
            Line::Closed | Line::Reset | Line::CutAfter(0) => Poll::Ready(Err(broken())),
            Line::Open | Line::Stalled | Line::CutAfter(_) => self.socket.pinned().poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.connection.line(context) {
            Line::Open => self.socket.pinned().poll_write(context, bytes),
            Line::Stalled => Poll::Pending,
            Line::Closed | Line::Reset => Poll::Ready(Err(broken())),
            Line::CutAfter(0) => {
                // What was allowed must arrive before the end does.
                ready!(self.socket.pinned().poll_flush(context))?;
                Poll::Ready(Err(broken()))
            }
            Line::CutAfter(left) => {
                let allowed = &bytes[..bytes.len().min(left)];
                let written = ready!(self.socket.pinned().poll_write(context, allowed))?;
                self.connection.state().0 = Line::CutAfter(left - written);
                Poll::Ready(Ok(written))
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.connection.line(context) {
            Line::Closed | Line::Reset => Poll::Ready(Err(broken())),
            Line::Stalled => Poll::Pending,
            Line::Open | Line::CutAfter(_) => self.socket.pinned().poll_flush(context),
        }
    }

    /// A broken connection ends without a farewell, so only a whole one is shut down in good order.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.connection.line(context) {
            Line::Open => self.socket.pinned().poll_shutdown(context),
            _ => Poll::Ready(Ok(())),
        }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if self.connection.state().0 == Line::Reset {
            // Without it the system says a polite goodbye instead of a reset.
            let _ = self.socket.tcp().set_zero_linger();
        }
    }
}
