//! Bad peers over real sockets: the verdict, and what is sent again.

use serde_json::{Value, json};

use crate::support::capi::{Client, HANG, refund, within};
use crate::support::server::{Connection, OK, Server, closed_port};

#[test]
fn what_never_left_is_proved_not_sent() {
    let closed = closed_port();
    let refused = json!({"base_url": format!("http://127.0.0.1:{closed}"), "secret_key": "s", "max_attempts": 1});
    let reply = Client::new(&refused).call("order_refund", &refund());
    reply.expect("E_TRANSPORT NOT_SENT");
    assert!(
        reply.message().contains("could not connect to 127.0.0.1") && reply.message().contains("refused"),
        "{}",
        reply.message()
    );
    assert_eq!(reply.attempts(), 0);

    let unknown = json!({"base_url": "https://no-such-host.invalid", "secret_key": "s", "max_attempts": 1});
    let reply = Client::new(&unknown).call("order_refund", &refund());
    reply.expect("E_TRANSPORT NOT_SENT");
    assert!(reply.message().contains("could not look up no-such-host.invalid"), "{}", reply.message());

    // A peer that is no TLS server, one that closes, one that resets, one that is silent: all within connect.
    for (name, script, verdict) in [
        ("plain", (|mut c| c.write("HTTP/1.1 400 Bad Request\r\n\r\n")) as fn(Connection), "E_TRANSPORT NOT_SENT"),
        ("closes", |_| {}, "E_TRANSPORT NOT_SENT"),
        ("resets", Connection::reset, "E_TRANSPORT NOT_SENT"),
        ("silent", |mut c| c.hold(), "E_TIMEOUT NOT_SENT"),
    ] {
        let server = Server::start(script);
        let https = json!({"base_url": format!("https://127.0.0.1:{}", server.port), "secret_key": "s", "max_attempts": 1, "connect_timeout_ms": 300});
        let reply = within(HANG, || Client::new(&https).call("order_refund", &refund()));
        assert_eq!(reply.verdict(), verdict, "{name}: {}", reply.message());
        assert_eq!(reply.attempts(), 0, "{name}");
    }
}

/// Other peers are in `tests/verdict_cells.json`.
#[test]
fn what_left_and_was_not_answered_is_unknown_and_never_sent_again() {
    for (answer, verdict) in [
        ("\x00\x01\x02\r\n\r\n", "E_RESPONSE UNKNOWN"),
        ("HTTP/1.1 200 OK\r\ncontent-le", "E_TRANSPORT UNKNOWN"),
        ("HTTP/1.1 200 OK\r\n\r\n{\"status\":tr", "E_RESPONSE UNKNOWN"),
    ] {
        let server = Server::start(|mut c| {
            c.read_request();
            c.write(answer);
        });
        let reply = within(HANG, || Client::new(&server.config()).call("order_refund", &refund()));
        reply.expect(verdict);
        assert_eq!((reply.attempts(), server.seen().len(), server.connections()), (1, 1, 1), "{answer}");
        assert!(serde_json::from_str::<Value>(reply.body()).unwrap().is_object(), "{answer}");
    }
}

#[test]
fn one_write_carries_the_whole_request() {
    // A server that reads once sees all of it, because it left in one segment.
    let server = Server::start(|mut c| {
        let mut buffer = [0; 16384];
        let count = std::io::Read::read(&mut c.socket, &mut buffer).unwrap();
        let text = String::from_utf8_lossy(&buffer[..count]).into_owned();
        let whole = text.ends_with(r#"{"amount":"25.50","reference":"ORDER-1"}"#);
        c.answer(if whole { "200 OK" } else { "500 x" }, "", OK);
    });
    Client::new(&server.config()).call("order_refund", &refund()).expect("OK CONFIRMED");
}
