//! Accepts connections and serves HTTP/1.1 on each, with access to the socket for the faults.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::rustls::ServerConnection;

use super::exchange::{Connection, Takeover, exchange};
use super::tls::Acceptors;
use super::wire::{HeadTimer, Played, Socket, Wire, discard, play};
use crate::faults::fault::{Fault, OnConnection};
use crate::faults::rules::Subject;
use crate::http::answer::text;
use crate::http::incoming::Incoming;
use crate::service::decide::log_incomplete;
use crate::service::sandbox::Sandbox;

/// The maximum size of a request head; a longer one is answered 431.
const LARGEST_HEAD: usize = 64 << 10;

/// Runs until the task is dropped.
pub async fn serve(listener: TcpListener, tls: Option<Arc<Acceptors>>, sandbox: Arc<Sandbox>) {
    let connections = AtomicU64::new(0);
    loop {
        match listener.accept().await {
            Ok((tcp, _)) => {
                let connection = Connection::new(connections.fetch_add(1, Ordering::Relaxed) + 1);
                tokio::spawn(serve_connection(tcp, tls.clone(), connection, Arc::clone(&sandbox)));
            }
            // For example out of file descriptors: wait for connections to close.
            Err(error) => {
                eprintln!("paysvc-sandbox: could not accept a connection: {error}");
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        }
    }
}

async fn serve_connection(
    tcp: TcpStream,
    tls: Option<Arc<Acceptors>>,
    connection: Arc<Connection>,
    sandbox: Arc<Sandbox>,
) {
    // Responses are small and written at once, so Nagle's algorithm would only delay them.
    let _ = tcp.set_nodelay(true);
    let chosen = match sandbox.session.replay() {
        Some(replay) => replay.connection(),
        None => sandbox.lock().faults.choose(&Subject::NewConnection),
    };
    if let (Some(recorder), Some(chosen)) = (sandbox.session.recorder(), chosen) {
        recorder.connection(chosen);
    }
    let fault = chosen.map(|chosen| chosen.fault);
    let unread = || log_unread(&sandbox, &connection, fault);
    if fault.is_some_and(Fault::is_tls) {
        unread();
    }
    let on_connection = fault.map_or(OnConnection::Nothing, |fault| fault.connection);
    let Some(socket) = handshake(tcp, tls.as_deref(), on_connection, connection.id).await else {
        return;
    };
    let mut wire = Wire::new(socket, HeadTimer::new(Arc::clone(&connection.awaits_head), sandbox.head_timeout));
    match on_connection {
        OnConnection::Unasked(answer) => {
            // Under TLS it was sent within the handshake.
            let is_sent = tls.is_some() || wire.write_all(&text(&answer(), true)).await.is_ok();
            if is_sent && wire.read_u8().await.is_ok() {
                unread();
            }
            discard(&mut wire).await;
        }
        OnConnection::ResetUnread => {
            // The first byte shows that a request arrived; the request is not parsed.
            if wire.read_u8().await.is_ok() {
                unread();
                wire.reset();
            }
        }
        _ => {
            while let Some(next) = serve_http(wire, &sandbox, &connection).await {
                wire = next;
            }
        }
    }
}

/// `None`: the connection has ended.
async fn handshake(
    mut tcp: TcpStream,
    tls: Option<&Acceptors>,
    on_connection: OnConnection,
    id: u64,
) -> Option<Socket> {
    let Some(acceptors) = tls else {
        return Some(Socket::Plain(tcp));
    };
    if matches!(on_connection, OnConnection::NoHandshake) {
        discard(&mut tcp).await;
        return None;
    }
    let write_early = |tls: &mut ServerConnection| {
        if let OnConnection::Unasked(answer) = on_connection {
            // Buffered: it is sent with the server's last handshake message.
            let _ = tls.writer().write_all(&text(&answer(), true));
        }
    };
    match acceptors.of(on_connection).accept_with(tcp, write_early).await {
        Ok(stream) => Some(Socket::Tls(Box::new(stream))),
        Err(error) => {
            // With a bad certificate a failed handshake is expected.
            if matches!(on_connection, OnConnection::Nothing) {
                eprintln!("paysvc-sandbox: connection {id}: TLS handshake failed: {error}");
            }
            None
        }
    }
}

/// Serves HTTP until the connection ends or a script takes over; returns the connection if the script keeps it open.
async fn serve_http(wire: Wire, sandbox: &Arc<Sandbox>, connection: &Arc<Connection>) -> Option<Wire> {
    connection.awaits_head.store(true, Ordering::Relaxed);
    let service = service_fn(|request| {
        connection.awaits_head.store(false, Ordering::Relaxed);
        let (sandbox, connection) = (Arc::clone(sandbox), Arc::clone(connection));
        Box::pin(async move {
            let delivered = exchange(&sandbox, &connection, request).await;
            // Where a script takes over, no head is read.
            connection.awaits_head.store(delivered.is_ok(), Ordering::Relaxed);
            delivered
        })
    });
    let mut http = http1::Builder::new().max_buf_size(LARGEST_HEAD).serve_connection(TokioIo::new(wire), service);
    // An error means a disconnected client, an invalid request that was answered, or a script: not worth a message.
    let _ = std::future::poll_fn(|context| http.poll_without_shutdown(context)).await;
    let parts = http.into_parts();
    let wire = parts.io.into_inner().put_back(parts.read_buf);
    let Some(Takeover { script, fault, position }) = connection.takeover() else {
        wire.close_gracefully().await;
        return None;
    };
    let note = |answered| sandbox.lock().requests.answered(position, answered);
    match play(script, wire, note).await {
        Played::KeepOpen(wire) => Some(wire),
        Played::UnreadRequest(wire) => {
            log_unread(sandbox, connection, Some(fault));
            wire.close_and_discard().await;
            None
        }
        Played::Over => None,
    }
}

/// Logs a request, or a connection, that was not read.
fn log_unread(sandbox: &Sandbox, connection: &Connection, fault: Option<&'static Fault>) {
    log_incomplete(sandbox, &Incoming::default(), connection.next_request(), fault);
}
