//! What is done to a connection byte by byte where HTTP would send an answer: data first, then the one who plays it.

use std::io;
use std::time::Duration;

use hyper::body::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, sleep, sleep_until};

use crate::request_log::Answered;
use crate::wire::{Wire, discard};

const DRIP_TAKES: Duration = Duration::from_secs(1);
const ENDLESS_PAUSE: Duration = Duration::from_millis(100);
static BLANKS: [u8; 16 << 10] = [b' '; 16 << 10];
/// A client that sends more than this during a script is not listened to until the script is done.
const BUFFER_LIMIT: usize = 64 << 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Wait(Duration),
    Send(Bytes),
    /// Byte by byte.
    Drip(Bytes),
    /// So many blanks.
    Blanks(usize),
    /// Chunks of one blank, without end.
    EndlessBlanks,
    /// The same bytes again and again, without end, as fast as they are read.
    Endless(&'static [u8]),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The next request, please.
    KeepOpen,
    /// In good order.
    Graceful,
    /// FIN.
    Close,
    /// RST.
    Reset,
    /// Nothing more until the client goes away.
    Silence,
    /// FIN as soon as the client sends something.
    CloseWhenUsed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    pub steps: Vec<Step>,
    pub end: End,
    /// With its steps done, the client has a whole answer.
    pub is_whole: bool,
    /// The request's place in the log.
    pub place: u64,
}

/// How it came out.
pub enum Played {
    /// The conversation goes on.
    KeepOpen(Wire),
    /// Over, and the client sent something that nobody read.
    UnreadRequest(Wire),
    Over,
}

/// `note` is told how much of an answer the client may have, before it can have it.
pub async fn play(script: Script, wire: Wire, note: impl Fn(Answered)) -> Played {
    let (mut reader, mut writer) = tokio::io::split(wire);
    let mut early = Vec::new();
    let is_sent = tokio::select! {
        biased;
        sent = send(&script, &mut writer, &note) => sent.is_ok(),
        () = gone(&mut reader, &mut early) => false,
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
        // One byte tells that there is a request; it is not looked at.
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
            Step::Blanks(count) => {
                note(answered);
                blanks(*count, out).await
            }
            Step::EndlessBlanks => endless(out).await,
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

async fn blanks(count: usize, out: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
    let mut left = count;
    while left > 0 {
        let now = left.min(BLANKS.len());
        out.write_all(&BLANKS[..now]).await?;
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
    let block = bytes.repeat(BLANKS.len() / bytes.len());
    loop {
        out.write_all(&block).await?;
        out.flush().await?;
    }
}

/// Ends when the client goes away. What it sends meanwhile is kept for later.
async fn gone(reader: &mut (impl AsyncRead + Unpin), early: &mut Vec<u8>) {
    while early.len() < BUFFER_LIMIT {
        if !matches!(reader.read_buf(early).await, Ok(1..)) {
            return;
        }
    }
    std::future::pending().await
}
