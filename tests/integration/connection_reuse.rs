//! Which requests use a connection again, connections that are made in advance (`paysvc_client_warm`), and that TLS
//! sessions are resumed. `connection_reuse` is "reads" unless a test says otherwise.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::HandshakeKind;
use serde_json::{Value, json};

use crate::support::capi::{Call, Client, HANG, eventually, refund, with, within};
use crate::support::encryption_key;
use crate::support::server::{Connection, Server, closed_port, half_close, response};
use crate::support::tls::{Authority, serve};

const REFUND: &str = "POST /payment/order/refund";

fn reuse(server: &Server, setting: &str) -> Value {
    with(server.config(), json!({"connection_reuse": setting}))
}

fn refunds(server: &Server) -> usize {
    server.seen().iter().filter(|request| request.starts_with(REFUND)).count()
}

/// Each request with the number of its connection and how many came before it there. The first refund is answered 429.
#[test]
fn what_changes_something_is_the_first_on_its_connection_and_each_resend_too() {
    for setting in ["reads", "all"] {
        let places = Arc::new(Mutex::new(Vec::new()));
        let server = Server::start({
            let places = Arc::clone(&places);
            move |mut c| {
                for place in 0.. {
                    let Some(request) = c.read_request() else { return };
                    let mut places = places.lock().unwrap();
                    let is_first_refund = request.starts_with(REFUND) && places.len() < 4;
                    let line = request.split(" HTTP").next().unwrap().to_owned();
                    places.push((line, c.index, place));
                    drop(places);
                    match is_first_refund {
                        true => c.answer("429 x", "retry-after: 0\r\n", "{}"),
                        false => c.answer_ok(),
                    }
                }
            }
        });
        let config = with(reuse(&server, setting), json!({"encryption_key": encryption_key()}));
        let client = Client::new(&config);
        let free = |read_only: bool| json!({"method": "POST", "path": "/till/x", "key": "secret", "body": {}, "read_only": read_only});
        let read = || client.call("transaction_details", &json!({"sessionId": "1"}));
        for _ in 0..3 {
            read();
        }
        client.call("order_refund", &refund()).expect("OK CONFIRMED");
        read();
        client.call("request", &free(false)).expect("OK CONFIRMED");
        client.call("request", &free(true));
        client.call("direct_debit_otp", &json!({"mandateCode": "M"}));
        read();
        let places = places.lock().unwrap();
        let requests: Vec<&str> = places.iter().map(|(line, ..)| line.as_str()).collect();
        assert_eq!(requests.len(), 10, "{requests:?}");
        let connections: Vec<_> = places.iter().map(|(_, connection, place)| (*connection, *place)).collect();
        // The readings use the connection that was used last, also one that a refund was the first on.
        let expected = match setting {
            "all" => (0..10).map(|place| (0, place)).collect(),
            _ => vec![(0, 0), (0, 1), (0, 2), (1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (4, 0), (4, 1)],
        };
        assert_eq!(connections, expected, "{setting}: {requests:?}");
    }
}

/// A line that takes long: a response to nothing is on its way to the client while the next request is on its way to the
/// service. With "all" it is taken for the response of that request, which was executed all the same; after a 429 it is
/// sent again, and executed twice.
#[test]
fn an_answer_to_nothing_is_never_that_of_a_request_that_moves_money() {
    let strays = [
        ("429 Too Many Requests", "{}", "OK CONFIRMED", 2),
        ("401 Unauthorized", r#"{"status":false}"#, "E_UNAUTHORIZED REJECTED", 1),
        ("400 Bad Request", r#"{"status":false,"message":"no"}"#, "E_REJECTED REJECTED", 1),
    ];
    for (status, body, verdict_of_all, executed_with_all) in strays {
        for setting in ["reads", "all"] {
            let stray = response(status, "retry-after: 0\r\n", body);
            let waits = if setting == "all" { HANG } else { Duration::from_millis(20) };
            let server = Server::start(move |mut c| {
                if c.read_request().is_none() {
                    return;
                }
                c.answer_ok();
                // The client's next request is on its way already, if it comes on this connection.
                c.socket.set_read_timeout(Some(waits)).unwrap();
                let _ = c.socket.peek(&mut [0]);
                c.socket.set_read_timeout(Some(HANG)).unwrap();
                c.write(&stray);
                c.serve_ok();
            });
            let client = Client::new(&reuse(&server, setting));
            let pay = |reference: &str| client.call("order_refund", &json!({"reference": reference, "amount": "1"}));
            // The server may read two of them at once.
            let executed = || server.seen().concat().matches("ORDER-2").count();
            pay("ORDER-1").expect("OK CONFIRMED");
            let reply = within(HANG, || pay("ORDER-2"));
            let (verdict, count) = match setting {
                "all" => (verdict_of_all, executed_with_all),
                _ => ("OK CONFIRMED", 1),
            };
            reply.expect(verdict);
            drop(client);
            eventually("the request is executed", || executed() >= count);
            assert_eq!(executed(), count, "{setting}, {status}");
        }
    }
}

/// A service that would take early data, which anybody who records it could send again.
#[test]
fn a_new_connection_resumes_its_session_and_sends_no_early_data() {
    let authority = Authority::new();
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let mut tls = (*Authority::server(&authority.leaf(&["127.0.0.1"]), &[version], None)).clone();
        tls.max_early_data_size = u32::MAX;
        let shaken = Arc::new(Mutex::new(Vec::new()));
        let server = Server::start_tls(Arc::new(tls), {
            let shaken = Arc::clone(&shaken);
            move |mut c| {
                while c.read_request().is_some() {
                    let kind = c.tls().handshake_kind().unwrap();
                    shaken.lock().unwrap().push((kind, c.tls().early_data().is_some()));
                    c.answer_ok();
                }
            }
        });
        let config = json!({"base_url": format!("https://127.0.0.1:{}", server.port), "secret_key": "s", "ca_file": authority.file()});
        let client = Client::new(&config);
        client.call("order_refund", &refund()).expect("OK CONFIRMED");
        client.warm(None).expect("OK NOT_SENT");
        for _ in 0..3 {
            client.call("order_refund", &refund()).expect("OK CONFIRMED");
        }
        let full = (HandshakeKind::Full, false);
        // In TLS 1.2 a resumed handshake would end with the client's message, and hide what the service sent too early.
        let then = if *version == rustls::version::TLS13 { (HandshakeKind::Resumed, false) } else { full };
        assert_eq!(*shaken.lock().unwrap(), [full, then, then, then], "{version:?}");
        assert_eq!(server.connections(), 4);
    }
}

#[test]
fn a_warm_connection_is_for_the_next_request_that_moves_money() {
    let server = Server::ok();
    for setting in ["reads", "all"] {
        let before = server.connections();
        let client = Client::new(&reuse(&server, setting));
        let reply = client.warm(None);
        reply.expect("OK NOT_SENT");
        assert_eq!((reply.attempts(), reply.http_status()), (0, 0));
        assert!(reply.body().contains("a connection is ready"), "{}", reply.body());
        eventually("a connection", || server.connections() == before + 1);
        client.call("transaction_details", &json!({"sessionId": "1"}));
        assert_eq!(server.connections(), before + 2, "a reading leaves it alone");
        client.call("order_refund", &refund()).expect("OK CONFIRMED");
        assert_eq!(server.connections(), before + 2, "{setting}");
        client.call("order_refund", &refund()).expect("OK CONFIRMED");
        assert_eq!(server.connections(), before + if setting == "all" { 2 } else { 3 }, "it is for one request");
    }
}

/// One attempt, so nothing is tried again.
#[test]
fn a_warm_connection_that_is_dead_is_replaced_in_the_same_attempt() {
    let authority = Authority::new();
    let tls = Authority::server(&authority.leaf(&["127.0.0.1"]), rustls::ALL_VERSIONS, None);
    for end in ["closed", "reset", "stray"] {
        for https in [false, true] {
            let done = Arc::new(AtomicUsize::new(0));
            let script = {
                let done = Arc::clone(&done);
                move |mut c: Connection| {
                    if c.index > 0 {
                        return c.serve_ok();
                    }
                    // Else the response to nothing would wait until the session tickets are acknowledged.
                    c.socket.set_nodelay(true).unwrap();
                    if https {
                        // The handshake.
                        let _ = std::io::Write::flush(&mut c);
                    }
                    match end {
                        "closed" => half_close(&c.socket),
                        "reset" => {
                            c.reset();
                            done.store(1, Ordering::SeqCst);
                            return;
                        }
                        _ => c.answer_ok(),
                    }
                    done.store(1, Ordering::SeqCst);
                    c.hold();
                }
            };
            let (server, scheme) = match https {
                true => (Server::start_tls(Arc::clone(&tls), script), "https"),
                false => (Server::start(script), "http"),
            };
            let config = json!({"base_url": format!("{scheme}://127.0.0.1:{}", server.port), "secret_key": "s",
                                "ca_file": authority.file(), "max_attempts": 1});
            let client = Client::new(&config);
            client.warm(None).expect("OK NOT_SENT");
            eventually(end, || done.load(Ordering::SeqCst) == 1);
            // Bytes that left the server have arrived, or arrive at once: on loopback nothing is on its way.
            std::thread::sleep(Duration::from_millis(20));
            let reply = within(HANG, || client.call("order_refund", &refund()));
            reply.expect("OK CONFIRMED");
            assert_eq!((reply.attempts(), server.connections(), refunds(&server)), (1, 2, 1), "{end}, {scheme}");
        }
    }
}

/// Each connection counts while it is open.
#[test]
fn warm_connections_are_bounded_kept_for_ten_seconds_and_closed_with_the_client() {
    let open = Arc::new(AtomicUsize::new(0));
    let server = Server::start({
        let open = Arc::clone(&open);
        move |c| {
            open.fetch_add(1, Ordering::SeqCst);
            c.serve_ok();
            open.fetch_sub(1, Ordering::SeqCst);
        }
    });
    let client = Client::new(&with(server.config(), json!({"max_idle_connections": 2})));
    let is_open = |count: usize| eventually(&format!("{count} open"), || open.load(Ordering::SeqCst) == count);
    for _ in 0..5 {
        client.warm(None).expect("OK NOT_SENT");
    }
    eventually("five connections", || server.connections() == 5);
    is_open(2);
    drop(client);
    is_open(0);

    let client = Client::new(&server.config());
    client.warm(None).expect("OK NOT_SENT");
    std::thread::sleep(Duration::from_millis(10_200));
    client.call("order_refund", &refund()).expect("OK CONFIRMED");
    assert_eq!(server.connections(), 7, "one that is too old is not used");
    is_open(1);
}

#[test]
fn threads_share_warm_connections() {
    const THREADS: usize = 16;
    let server = Server::ok();
    let client = Client::new(&server.config());
    for calls in [
        |client: &Client| client.warm(None).expect("OK NOT_SENT").attempts(),
        |client: &Client| client.call("order_refund", &refund()).expect("OK CONFIRMED").attempts(),
    ] {
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| calls(&client));
            }
        });
    }
    assert_eq!((server.connections(), refunds(&server)), (THREADS, THREADS));
}

#[test]
fn what_keeps_a_connection_from_being_made_ahead_is_told_and_nothing_was_sent() {
    let closed = closed_port();
    let silent = Server::start(|mut c| c.hold());
    let (authority, other) = (Authority::new(), Authority::new());
    let untrusted = serve(Authority::server(&other.leaf(&["127.0.0.1"]), rustls::ALL_VERSIONS, None));
    let https = |port: u16| json!({"base_url": format!("https://127.0.0.1:{port}"), "ca_file": authority.file()});
    let own = "the next request makes its own";
    for (config, verdict, parts) in [
        (json!({"base_url": format!("http://127.0.0.1:{closed}")}), "E_TRANSPORT NOT_SENT", [own, "could not connect"]),
        (https(untrusted.port), "E_TRANSPORT NOT_SENT", [own, "certificate"]),
        (with(https(silent.port), json!({"connect_timeout_ms": 200})), "E_TIMEOUT NOT_SENT", [own, "TLS handshake"]),
        (with(https(silent.port), json!({"timeout_ms": 200})), "E_TIMEOUT NOT_SENT", [own, "TLS handshake"]),
        (json!({}), "E_CONFIG NOT_SENT", ["base_url", "PAYSVC_BASE_URL"]),
        (with(https(1), json!({"max_idle_connections": 0})), "E_CONFIG NOT_SENT", ["max_idle_connections", "is 0"]),
    ] {
        let reply = within(HANG, || Client::new(&config).warm(None));
        reply.expect(verdict);
        assert_eq!(reply.attempts(), 0);
        for part in parts {
            assert!(reply.message().contains(part), "{config}: {}", reply.message());
        }
        let body: Value = serde_json::from_str(reply.body()).unwrap();
        assert_eq!(body["status"], false, "{body}");
    }
    let client = Client::new(&https(silent.port));
    let call = Call::new();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| within(HANG, || client.warm(Some(&call))));
        std::thread::sleep(Duration::from_millis(30));
        call.cancel();
        running.join().unwrap().expect("E_CANCELLED NOT_SENT");
    });
    within(HANG, || client.warm(Some(&Call::with_timeout_ms(100)))).expect("E_TIMEOUT NOT_SENT");
}
