//! A connection's stream, plain or TLS, the ways to end it, and the script of a fault on it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep, sleep_until};
use tokio_rustls::server::TlsStream;

use crate::faults::fault::{End, Script, Step};
use crate::service::request_log::Answered;

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
    /// True if a head is to come; not while a request is answered.
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

const DRIP_TAKES: Duration = Duration::from_secs(1);
const ENDLESS_PAUSE: Duration = Duration::from_millis(100);
static SPACES: [u8; 16 << 10] = [b' '; 16 << 10];
/// The limit of what is read from the client while a script runs.
const BUFFER_LIMIT: usize = 64 << 10;

/// The state of the connection after a script.
pub enum Played {
    /// It serves the next request.
    KeepOpen(Wire),
    /// The client sent a request that was not read.
    UnreadRequest(Wire),
    Over,
}

/// Calls `note` before each write with how much of the response the client may then have.
pub async fn play(script: Script, wire: Wire, note: impl Fn(Answered)) -> Played {
    let (mut reader, mut writer) = tokio::io::split(wire);
    let mut early = Vec::new();
    let is_sent = tokio::select! {
        biased;
        sent = send(&script, &mut writer, &note) => sent.is_ok(),
        () = client_gone(&mut reader, &mut early) => false,
    };
    let mut wire = reader.unsplit(writer).put_back(early.into());
    if !is_sent {
        return Played::Over;
    }
    match script.end {
        End::KeepOpen => return Played::KeepOpen(wire),
        End::Graceful => wire.close_gracefully().await,
        End::Close => wire.close(),
        End::Reset => wire.reset(),
        End::Silence => discard(&mut wire).await,
        // The first byte shows that a request arrived; the request is not parsed.
        End::CloseWhenUsed if wire.read_u8().await.is_ok() => return Played::UnreadRequest(wire),
        End::CloseWhenUsed => {}
    }
    Played::Over
}

async fn send(script: &Script, out: &mut (impl AsyncWrite + Unpin), note: &impl Fn(Answered)) -> io::Result<()> {
    for (index, step) in script.steps.iter().enumerate() {
        let is_last = script.is_whole && index + 1 == script.steps.len();
        let answered = if is_last { Answered::Whole } else { Answered::Part };
        let sent = match step {
            Step::Wait(pause) => {
                sleep(*pause).await;
                continue;
            }
            Step::Send(bytes) => {
                note(answered);
                out.write_all(bytes).await
            }
            Step::Drip(bytes) => drip(bytes, out, || note(Answered::Part), || note(answered)).await,
            Step::Spaces(count) => {
                note(answered);
                spaces(*count, out).await
            }
            Step::EndlessSpaces => endless(out).await,
            Step::Endless(bytes) => {
                note(answered);
                send_endlessly(bytes, out).await
            }
        };
        let sent = match sent {
            Ok(()) => out.flush().await,
            Err(error) => Err(error),
        };
        if sent.is_err() && is_last {
            note(Answered::Part);
        }
        sent?;
    }
    Ok(())
}

async fn drip(bytes: &Bytes, out: &mut (impl AsyncWrite + Unpin), first: impl Fn(), last: impl Fn()) -> io::Result<()> {
    let start = Instant::now();
    let count = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    first();
    for (index, byte) in (0..count).zip(bytes.iter()) {
        if index + 1 == count {
            last();
        }
        out.write_all(&[*byte]).await?;
        out.flush().await?;
        sleep_until(start + DRIP_TAKES * index / count).await;
    }
    Ok(())
}

async fn spaces(count: usize, out: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
    let mut left = count;
    while left > 0 {
        let now = left.min(SPACES.len());
        out.write_all(&SPACES[..now]).await?;
        left -= now;
    }
    Ok(())
}

async fn endless(out: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
    loop {
        out.write_all(b"1\r\n \r\n").await?;
        out.flush().await?;
        sleep(ENDLESS_PAUSE).await;
    }
}

async fn send_endlessly(bytes: &[u8], out: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
    let block = bytes.repeat(SPACES.len() / bytes.len());
    loop {
        out.write_all(&block).await?;
        out.flush().await?;
    }
}

/// Completes when the client disconnects. Buffers what the client sends until then.
async fn client_gone(reader: &mut (impl AsyncRead + Unpin), early: &mut Vec<u8>) {
    while early.len() < BUFFER_LIMIT {
        if !matches!(reader.read_buf(early).await, Ok(1..)) {
            return;
        }
    }
    std::future::pending().await
}
