//! Bad peers over real sockets: the verdict, and what is sent again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use paysvc_spec::status::Outcome;
use serde_json::{Value, json};

use crate::support::capi::{Client, HANG, Reply, refund, with, within};
use crate::support::server::{Connection, OK, Server, closed_port, response};

fn details() -> Value {
    json!({"sessionId": "1"})
}

fn refund_from(server: &Server) -> Reply {
    Client::new(&server.config()).call("order_refund", &refund())
}

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

#[test]
fn what_left_and_was_not_answered_is_unknown_and_never_sent_again() {
    for (name, script, verdict) in [
        (
            "resets after reading",
            (|mut c: Connection| {
                c.read_request();
                c.reset()
            }) as fn(Connection),
            "E_TRANSPORT UNKNOWN",
        ),
        (
            "closes after reading",
            |mut c| {
                c.read_request();
            },
            "E_TRANSPORT UNKNOWN",
        ),
        (
            "is silent",
            |mut c| {
                c.read_request();
                c.hold()
            },
            "E_TIMEOUT UNKNOWN",
        ),
        (
            "answers no HTTP",
            |mut c| {
                c.read_request();
                c.write("\x00\x01\x02\r\n\r\n");
            },
            "E_RESPONSE UNKNOWN",
        ),
        (
            "cuts the headers",
            |mut c| {
                c.read_request();
                c.write("HTTP/1.1 200 OK\r\ncontent-le");
            },
            "E_TRANSPORT UNKNOWN",
        ),
        (
            "cuts the body",
            |mut c| {
                c.read_request();
                c.write("HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n{\"status\":true}");
            },
            "E_RESPONSE UNKNOWN",
        ),
        (
            "cuts the chunks",
            |mut c| {
                c.read_request();
                c.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"sta");
            },
            "E_RESPONSE UNKNOWN",
        ),
        (
            "stops in the body",
            |mut c| {
                c.read_request();
                c.write("HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n{");
                c.hold()
            },
            "E_TIMEOUT UNKNOWN",
        ),
        (
            "cuts what ends with the connection",
            |mut c| {
                c.read_request();
                c.write("HTTP/1.1 200 OK\r\n\r\n{\"status\":tr");
            },
            "E_RESPONSE UNKNOWN",
        ),
        (
            "answers 500",
            |mut c| {
                c.read_request();
                c.answer("500 x", "", OK)
            },
            "E_SERVER UNKNOWN",
        ),
        (
            "answers 408",
            |mut c| {
                c.read_request();
                c.answer("408 x", "", "{}")
            },
            "E_TIMEOUT UNKNOWN",
        ),
        (
            "answers an empty 200",
            |mut c| {
                c.read_request();
                c.answer("200 OK", "", "")
            },
            "E_RESPONSE UNKNOWN",
        ),
        (
            "redirects",
            |mut c| {
                c.read_request();
                c.answer("302 x", "location: http://127.0.0.1:1/\r\n", "")
            },
            "E_RESPONSE UNKNOWN",
        ),
        (
            "redirects for good",
            |mut c| {
                c.read_request();
                c.answer("308 x", "location: /elsewhere\r\n", "")
            },
            "E_RESPONSE UNKNOWN",
        ),
    ] {
        let server = Server::start(script);
        let client = Client::new(&with(server.config(), json!({"timeout_ms": 1000})));
        let reply = within(HANG, || client.call("order_refund", &refund()));
        assert_eq!(reply.verdict(), verdict, "{name}: {}", reply.message());
        assert_eq!((reply.attempts(), server.seen().len(), server.connections()), (1, 1, 1), "{name}");
        let envelope: Value = serde_json::from_str(reply.body()).unwrap();
        assert!(envelope.is_object(), "{name}");
    }
}

#[test]
fn an_answer_that_ends_with_its_connection_counts_when_it_is_whole() {
    let server = Server::start(|mut c| {
        c.read_request();
        c.write(&format!("HTTP/1.1 200 OK\r\n\r\n{OK}"));
    });
    let reply = refund_from(&server);
    reply.expect("OK CONFIRMED");
    assert_eq!(reply.body(), OK);
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
    refund_from(&server).expect("OK CONFIRMED");
}

#[test]
fn a_kept_connection_that_was_closed_costs_a_new_one_and_no_unknown() {
    let (closed, wait) = std::sync::mpsc::channel();
    let closed = std::sync::Mutex::new(closed);
    let server = Server::start(move |mut c| {
        c.read_request();
        c.answer_ok();
        drop(c);
        closed.lock().unwrap().send(()).unwrap();
    });
    let client = Client::new(&with(server.config(), json!({"connection_reuse": "all"})));
    for _ in 0..3 {
        let reply = client.call("order_refund", &refund());
        reply.expect("OK CONFIRMED");
        assert_eq!(reply.attempts(), 1);
        wait.recv().unwrap();
    }
    assert_eq!(server.seen().len(), 3);
}

#[test]
fn a_reused_connection_closed_after_reading_is_unknown_and_sent_once() {
    let server = Server::start(|mut c| {
        c.read_request();
        c.answer_ok();
        c.read_request();
    });
    let client = Client::new(&with(server.config(), json!({"connection_reuse": "all"})));
    client.call("order_refund", &refund()).expect("OK CONFIRMED");
    let reply = client.call("order_refund", &refund());
    reply.expect("E_TRANSPORT UNKNOWN");
    assert_eq!((reply.attempts(), server.seen().len(), server.connections()), (1, 2, 1));
}

#[test]
fn an_answer_that_nobody_asked_for_is_never_the_next_ones() {
    let server = Server::start(|mut c| {
        while c.read_request().is_some() {
            let stray = response("200 OK", "", r#"{"status":false,"message":"stray"}"#);
            c.write(&(response("200 OK", "", OK) + &stray));
        }
    });
    let client = Client::new(&with(server.config(), json!({"connection_reuse": "all"})));
    for _ in 0..20 {
        client.call("order_refund", &refund()).expect("OK CONFIRMED");
    }
    assert_eq!(server.connections(), 20, "a connection with a stray answer in it is not used again");
}

#[test]
fn reads_are_repeated_and_what_moves_money_is_not() {
    let count = Arc::new(AtomicUsize::new(0));
    let server = Server::start({
        let count = Arc::clone(&count);
        move |mut c| {
            while c.read_request().is_some() {
                match count.fetch_add(1, Ordering::SeqCst) {
                    0 | 1 => c.answer("503 x", "retry-after: 0\r\n", ""),
                    _ => c.answer_ok(),
                }
            }
        }
    });
    let client = Client::new(&server.config());
    let reply = client.call("transaction_details", &details());
    reply.expect("OK CONFIRMED");
    assert_eq!(reply.attempts(), 3);

    count.store(0, Ordering::SeqCst);
    let reply = client.call("order_refund", &refund());
    reply.expect("E_SERVER UNKNOWN");
    assert_eq!(reply.attempts(), 1);
}

#[test]
fn a_429_is_repeated_whatever_it_was_and_counts_as_rejected_in_the_end() {
    let server = Server::always("429 x", "retry-after: 0\r\n", "{}");
    let reply = refund_from(&server);
    reply.expect("E_RATE_LIMITED REJECTED");
    assert_eq!((reply.attempts(), server.seen().len(), reply.retry_after_ms()), (3, 3, 0));
}

#[test]
fn a_wait_that_would_outlast_the_call_is_not_begun() {
    let server = Server::always("429 x", "retry-after: 3600\r\n", "{}");
    let reply = within(HANG, || refund_from(&server));
    reply.expect("E_RATE_LIMITED REJECTED");
    assert_eq!((reply.attempts(), reply.retry_after_ms()), (1, 3_600_000));
}

#[test]
fn bodies_are_bounded_and_never_decompressed() {
    let huge = Server::start(|mut c| {
        c.read_request();
        c.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
        // 16 MB, unless the client has had enough.
        for _ in 0..256 {
            c.write(&chunk);
        }
    });
    let reply = within(HANG, || refund_from(&huge));
    reply.expect("E_RESPONSE UNKNOWN");
    assert!(reply.message().contains("larger than 10485760 bytes"), "{}", reply.message());

    let zipped = Server::start(|mut c| {
        let request = c.read_request().unwrap().to_ascii_lowercase();
        assert!(request.contains("accept-encoding: identity\r\n"), "{request}");
        c.answer("200 OK", "content-encoding: gzip\r\n", "\x1f\u{8b}\x08");
    });
    refund_from(&zipped).expect("E_RESPONSE UNKNOWN");

    let headers = Server::start(|mut c| {
        c.read_request();
        c.write("HTTP/1.1 200 OK\r\n");
        for index in 0..20_000 {
            c.write(&format!("x-{index}: {}\r\n", "y".repeat(100)));
        }
    });
    let reply = within(HANG, || refund_from(&headers));
    assert_eq!(reply.outcome(), Outcome::Unknown, "{}", reply.message());
}
