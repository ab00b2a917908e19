//! Accepts connections and speaks HTTP/1.1 on each, so that every connection stays in our hands.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::connection::{Connection, Socket, Wire};
use crate::exchange::exchange;
use crate::sandbox::Sandbox;

/// Room for the head of a request; a longer one is answered 431.
const LARGEST_HEAD: usize = 64 << 10;

/// Serves until the task is dropped.
pub async fn serve(listener: TcpListener, tls: Option<TlsAcceptor>, sandbox: Arc<Sandbox>) {
    let connections = AtomicU64::new(0);
    loop {
        match listener.accept().await {
            Ok((tcp, _)) => {
                let connection = Connection::new(connections.fetch_add(1, Ordering::Relaxed) + 1);
                tokio::spawn(converse(tcp, tls.clone(), connection, Arc::clone(&sandbox)));
            }
            // Out of file descriptors, say: connections that end will free some.
            Err(error) => {
                eprintln!("paysvc-sandbox: could not accept a connection: {error}");
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        }
    }
}

async fn converse(tcp: TcpStream, tls: Option<TlsAcceptor>, connection: Arc<Connection>, sandbox: Arc<Sandbox>) {
    // Answers are small and complete: nothing is gained by waiting for more.
    let _ = tcp.set_nodelay(true);
    let socket = match tls {
        None => Socket::Plain(tcp),
        Some(acceptor) => match acceptor.accept(tcp).await {
            Ok(stream) => Socket::Tls(Box::new(stream)),
            Err(error) => {
                eprintln!("paysvc-sandbox: connection {}: TLS handshake failed: {error}", connection.id);
                return;
            }
        },
    };
    let wire = Wire { socket, connection: Arc::clone(&connection) };
    let service = service_fn(move |request| {
        let (sandbox, connection) = (Arc::clone(&sandbox), Arc::clone(&connection));
        async move { exchange(&sandbox, &connection, request).await }
    });
    // An error here is a client that left or a connection that was broken on purpose: nothing to tell.
    let _ = http1::Builder::new().max_buf_size(LARGEST_HEAD).serve_connection(TokioIo::new(wire), service).await;
}
