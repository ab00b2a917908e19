//! A connection's stream, plain or TLS, and the ways to end it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;
use tokio_rustls::server::TlsStream;

pub enum Socket {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

pub struct Wire {
    socket: Socket,
    head: HeadTimer,
    /// Read from the socket but not yet consumed.
    unread: Bytes,
}

impl Wire {
    pub fn new(socket: Socket, head: HeadTimer) -> Wire {
        Wire { socket, head, unread: Bytes::new() }
    }

    /// Puts back bytes that were read but not consumed.
    pub fn put_back(mut self, bytes: Bytes) -> Wire {
        self.unread = if self.unread.is_empty() { bytes } else { [bytes, self.unread].concat().into() };
        self
    }

    /// Sends a TCP reset, without close_notify under TLS.
    pub fn reset(self) {
        // Without this option the system would send a FIN.
        let _ = self.into_tcp().set_zero_linger();
    }

    /// Sends a FIN, without close_notify under TLS.
    pub fn close(self) {
        drop(self.into_tcp());
    }

    /// Like `close`, for a client that is still sending. Its bytes are discarded, since closing a socket
    /// with unread bytes sends a reset.
    pub async fn close_and_discard(self) {
        let mut tcp = self.into_tcp();
        if tcp.shutdown().await.is_ok() {
            discard(&mut tcp).await;
        }
    }

    /// Sends close_notify under TLS, then a FIN.
    pub async fn close_gracefully(mut self) {
        let _ = self.shutdown().await;
    }

    fn into_tcp(self) -> TcpStream {
        match self.socket {
            Socket::Plain(tcp) => tcp,
            Socket::Tls(tls) => tls.into_inner().0,
        }
    }
}

/// Reads and discards until the client disconnects.
pub async fn discard(stream: &mut (impl AsyncRead + Unpin)) {
    let mut buffer = [0; 1024];
    while matches!(stream.read(&mut buffer).await, Ok(1..)) {}
}

/// Ends a connection whose client has begun the head of a request and does not end it. An idle connection stays.
pub struct HeadTimer {
    /// Whether a head is to come; not while a request is answered.
    awaited: Arc<AtomicBool>,
    limit: Duration,
    running: Option<Pin<Box<Sleep>>>,
}

impl HeadTimer {
    pub fn new(awaited: Arc<AtomicBool>, limit: Duration) -> HeadTimer {
        HeadTimer { awaited, limit, running: None }
    }

    /// `is_more`: bytes have arrived.
    fn is_over(&mut self, context: &mut Context<'_>, is_more: bool) -> bool {
        if !self.awaited.load(Ordering::Relaxed) {
            self.running = None;
        } else if is_more && self.running.is_none() {
            self.running = Some(Box::pin(tokio::time::sleep(self.limit)));
        }
        self.running.as_mut().is_some_and(|running| running.as_mut().poll(context).is_ready())
    }
}

trait ReadWrite: AsyncRead + AsyncWrite + Unpin {}
impl<T: AsyncRead + AsyncWrite + Unpin> ReadWrite for T {}

impl Socket {
    fn pinned(&mut self) -> Pin<&mut dyn ReadWrite> {
        match self {
            Socket::Plain(tcp) => Pin::new(tcp),
            Socket::Tls(tls) => Pin::new(tls.as_mut()),
        }
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.unread.is_empty() {
            let before = buffer.filled().len();
            let polled = self.socket.pinned().poll_read(context, buffer);
            let is_more = buffer.filled().len() > before;
            return if self.head.is_over(context, is_more) {
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            } else {
                polled
            };
        }
        let count = self.unread.len().min(buffer.remaining());
        buffer.put_slice(&self.unread[..count]);
        self.unread.advance(count);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.socket.pinned().poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket.pinned().poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket.pinned().poll_shutdown(context)
    }
}
