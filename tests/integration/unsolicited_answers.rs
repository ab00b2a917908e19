//! An unsolicited response, one that arrives before the request was written, is never taken for the response: neither on a
//! kept connection (`wire.rs`) nor on a new one. Here it comes in one write with what the client waits for.

use std::io::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::support::capi::{Client, HANG, refund, with, within};
use crate::support::server::{Connection, OK, Server, response};
use crate::support::tls::Authority;

/// Reports a refund as done before it was requested.
fn stray() -> String {
    response("200 OK", "", r#"{"status":true,"message":"stray","data":{"status":"successful"}}"#)
}

/// An HTTP proxy; behind it a service, whose response is in the tunnel before the request on the first `bad` connections.
fn tunnel(bad: usize) -> Server {
    Server::start(move |mut c: Connection| {
        let Some(connect) = c.read_request() else { return };
        assert!(connect.starts_with("CONNECT "), "{connect}");
        let open = "HTTP/1.1 200 Connection established\r\n\r\n";
        c.write(&if c.index < bad { open.to_owned() + &stray() } else { open.to_owned() });
        c.serve_ok();
    })
}

fn through(proxy: &Server) -> Value {
    json!({"base_url": "http://service.invalid", "allow_http": true, "secret_key": "s", "timeout_ms": 30_000,
           "proxy": format!("http://127.0.0.1:{}", proxy.port)})
}

fn requests(server: &Server) -> usize {
    server.seen().iter().filter(|request| request.starts_with("POST")).count()
}

#[test]
fn a_stray_on_a_new_connection_is_never_the_answer() {
    let proxy = tunnel(1);
    let reply = within(HANG, || Client::new(&through(&proxy)).call("order_refund", &refund()));
    reply.expect("OK CONFIRMED");
    assert_eq!((reply.body(), reply.attempts()), (OK, 1));
    assert_eq!((proxy.connections(), requests(&proxy)), (2, 1));
}

#[test]
fn where_every_connection_holds_a_stray_nothing_is_sent_and_the_message_says_why() {
    let proxy = tunnel(usize::MAX);
    let reply = within(HANG, || Client::new(&through(&proxy)).call("order_refund", &refund()));
    reply.expect("E_TRANSPORT NOT_SENT");
    assert!(reply.message().contains("before the request was sent"), "{}", reply.message());
    assert_eq!(reply.attempts(), 0);
    assert_eq!((proxy.connections(), requests(&proxy)), (3, 0), "bounded by max_attempts");
}

/// Over TLS the stray is encrypted, and arrives in one piece with the end of the handshake or the first ticket.
#[test]
fn a_stray_within_tls_is_never_the_answer() {
    let authority = Authority::new();
    // In TLS 1.2 the server writes last, so its response is there when the handshake ends.
    let leaf = authority.leaf(&["127.0.0.1"]);
    let config = Authority::server(&leaf, &[&rustls::version::TLS12], None);
    let server = Server::start(move |mut c| {
        let mut tls = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
        while tls.is_handshaking() {
            while tls.wants_write() {
                tls.write_tls(&mut c.socket).unwrap();
            }
            if tls.read_tls(&mut c.socket).unwrap_or(0) == 0 || tls.process_new_packets().is_err() {
                return;
            }
        }
        tls.writer().write_all(stray().as_bytes()).unwrap();
        let mut last = Vec::new();
        while tls.wants_write() {
            tls.write_tls(&mut last).unwrap();
        }
        c.socket.write_all(&last).unwrap();
        c.hold();
    });
    let config = json!({"base_url": format!("https://127.0.0.1:{}", server.port), "secret_key": "s", "ca_file": authority.file()});
    let reply = within(HANG, || Client::new(&with(config, json!({"max_attempts": 2}))).call("order_refund", &refund()));
    reply.expect("E_TRANSPORT NOT_SENT");
    assert!(reply.message().contains("before the request was sent"), "{}", reply.message());
    assert_eq!((reply.attempts(), server.connections()), (0, 2));
}

/// The request was not sent where the connection is closed at once.
#[test]
fn a_new_connection_that_is_closed_already_costs_no_unknown() {
    let proxy = Server::start(|mut c: Connection| {
        if c.read_request().is_some() {
            c.write("HTTP/1.1 200 Connection established\r\n\r\n");
            // Its end comes with it, or soon after: the request may still have been written.
        }
    });
    let client = Client::new(&with(through(&proxy), json!({"max_attempts": 1})));
    for _ in 0..5 {
        let reply = within(HANG, || client.call("order_refund", &refund()));
        let sent = reply.attempts() > 0;
        assert_eq!(reply.verdict(), if sent { "E_TRANSPORT UNKNOWN" } else { "E_TRANSPORT NOT_SENT" });
    }
}
