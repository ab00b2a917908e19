//! Plays the script of a fault on a connection.

use std::io;
use std::time::Duration;

use hyper::body::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, sleep, sleep_until};

use super::wire::{Wire, discard};
use crate::faults::script::{End, Script, Step};
use crate::service::request_log::Answered;

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
