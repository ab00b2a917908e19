//! The framing of requests and responses: a response whose headers contradict each other is not whole, whatever its body.

use serde_json::json;

use crate::support::capi::{Call, Client, HANG, refund, with, within};
use crate::support::server::{OK, Server};

/// The whole response, and whether its body counts.
fn verdict_of(answer: String) -> (String, String, usize) {
    let server = Server::start(move |mut c| {
        while c.read_request().is_some() {
            c.write(&answer);
            if !answer.to_lowercase().contains("content-length") && !answer.contains("\r\n0\r\n") {
                return;
            }
        }
    });
    let client = Client::new(&with(server.config(), json!({"connection_reuse": "all"})));
    let verdicts: Vec<_> = (0..2)
        .map(|_| {
            let reply = within(HANG, || client.call("order_refund", &refund()));
            (reply.verdict(), reply.message().to_owned())
        })
        .collect();
    assert_eq!(verdicts[0].0, verdicts[1].0, "{verdicts:?}");
    let (verdict, message) = verdicts[0].clone();
    (verdict, message, server.connections())
}

/// The whole table is that of `wire::framing`.
#[test]
fn contradictory_framing_is_no_whole_answer_and_ends_its_connection() {
    let (length, chunked) = (OK.len(), "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n");
    let both = "both a content-length and a transfer-encoding";
    for (answer, part) in [
        (format!("{chunked}content-length: {length}\r\n\r\n{length:x}\r\n{OK}\r\n0\r\n\r\n"), both),
        ("HTTP/1.1 204 OK\r\ncontent-length: 0\r\ntransfer-encoding: chunked\r\n\r\n".to_owned(), both),
        (format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\ncontent-length: 5\r\n\r\n{OK}"), "not HTTP"),
        (format!("HTTP/1.1 200 OK\r\ncontent-length: +{length}\r\n\r\n{OK}"), "not HTTP"),
        (format!("{chunked}\r\n5\r\n{OK}\r\n0\r\n\r\n"), "is framed wrongly"),
        (format!("{chunked}\r\nx\r\n{OK}\r\n0\r\n\r\n"), "is framed wrongly"),
    ] {
        let (verdict, message, connections) = verdict_of(answer.clone());
        assert_eq!(verdict, "E_RESPONSE UNKNOWN", "{answer}: {message}");
        assert!(message.contains(part), "{answer}: {message}");
        assert_eq!(connections, 2, "{answer}: what is left of such a response must not meet the next call");
    }
}

#[test]
fn usual_framing_is_read() {
    let length = OK.len();
    let chunks = format!("transfer-encoding: Chunked\r\n\r\n{length:x};a=b\r\n{OK}\r\n0\r\nx: y\r\n\r\n");
    for (rest, connections) in [
        (format!("1 200 OK\r\ncontent-length: {length}\r\ncontent-length: {length}\r\n\r\n{OK}"), 1),
        (format!("1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{OK}"), 2),
        (format!("0 200 OK\r\ncontent-length: {length}\r\n\r\n{OK}"), 2),
        (format!("1 200 OK\r\ntransfer-encoding: identity\r\n\r\n{OK}"), 2),
        (format!("1 200 OK\r\n{chunks}"), 1),
    ] {
        let (verdict, message, seen) = verdict_of(format!("HTTP/1.{rest}"));
        assert_eq!((verdict.as_str(), seen), ("OK CONFIRMED", connections), "{rest}: {message}");
    }
}

/// A POST without a body has a length, not an empty chunk; a GET has no header for a body.
#[test]
fn a_request_without_a_body_says_so() {
    let server = Server::ok();
    let client = Client::new(&with(server.config(), json!({"connection_reuse": "all"})));
    for (method, length) in [("POST", true), ("PUT", true), ("DELETE", false), ("GET", false)] {
        let reply = client.call("request", &json!({"method": method, "path": "/new", "key": "public"}));
        assert_eq!(reply.http_status(), 200, "{}", reply.message());
        let seen = server.seen();
        let request = seen.last().unwrap().to_ascii_lowercase();
        assert!(request.starts_with(&method.to_ascii_lowercase()) && request.ends_with("\r\n\r\n"), "{request}");
        assert!(!request.contains("transfer-encoding") && !request.contains("content-type"), "{request}");
        assert!(request.contains("accept-encoding: identity\r\n"), "{request}");
        assert_eq!(request.matches("content-length: 0\r\n").count(), usize::from(length), "{request}");
    }
    assert_eq!(server.connections(), 1, "what was framed wrongly would upset the next request");
}

/// The log of a call at this service, with its verdict and message.
fn logged(server: &Server, key: &str) -> (String, String, String) {
    let client = Client::new(&with(server.config(), json!({"secret_key": key})));
    let call = Call::new();
    call.keep_log(2);
    let reply = within(HANG, || client.call_with("order_refund", &refund(), Some(&call)));
    let lines: Vec<_> = call.log().iter().map(|line| line["message"].as_str().unwrap().to_owned()).collect();
    (reply.verdict(), reply.message().to_owned(), lines.join("\n"))
}

/// One malformed line of an old gateway does not hide what became of a charge.
#[test]
fn heads_of_old_gateways_are_read() {
    for (name, lines, noted) in [
        ("a fold", "content-security-policy: a\r\n b\r\n\tc\r\n", ""),
        ("a blank before the colon", "x-gateway : 1\r\n folded\r\n", ": 2, the first: \"x-gateway\""),
        ("the key", "the-secret-key : 1\r\n", ": 1, the first:"),
    ] {
        for pause in [false, true] {
            let answer = format!("HTTP/1.1 200 OK\r\n{lines}content-length: {}\r\n\r\n{OK}", OK.len());
            let server = Server::start(move |mut c| {
                while c.read_request().is_some() {
                    if pause {
                        // Each line and its break arrive alone.
                        for part in answer.split_inclusive(['\r', '\n']) {
                            c.write(part);
                            std::thread::sleep(std::time::Duration::from_millis(2));
                        }
                    } else {
                        c.write("HTTP/1.1 100 Continue\r\nserver: x\r\n\r\n");
                        c.write(&answer);
                    }
                }
            });
            let (verdict, message, log) = logged(&server, "the-secret-key");
            assert_eq!(verdict, "OK CONFIRMED", "{name}: {message}");
            assert!(log.contains(noted) && noted.is_empty() == log.is_empty(), "{name}: {log}");
            assert!(!log.contains("the-secret-key"), "{log}");
        }
    }
}

/// Two readers that differ about such a line would see two answers, and without it a body that was not read would be no
/// reason for doubt.
#[test]
fn a_malformed_line_that_decides_how_the_body_is_read_is_refused_by_its_name() {
    let length = OK.len();
    for (line, header) in [
        (format!("content-length: {length}\r\n 0"), "content-length"),
        ("transfer-encoding:\r\n chunked".to_owned(), "transfer-encoding"),
        (format!("content-length: {length}\r\nContent-Encoding : gzip"), "content-encoding"),
        (format!("content-length: {length}\r\ncontent-type application/json"), "content-type"),
    ] {
        let answer = format!("HTTP/1.1 200 OK\r\n{line}\r\n\r\n{OK}");
        let server = Server::start(move |mut c| {
            c.read_request();
            c.write(&answer);
        });
        let (verdict, message, _) = logged(&server, "a-key");
        assert_eq!(verdict, "E_RESPONSE UNKNOWN", "{line}: {message}");
        assert!(message.contains("not HTTP: its header") && message.contains(header), "{line}: {message}");
    }
    let server = Server::start(|mut c| {
        c.read_request();
        c.write("HTTP/1.1 200 OK\r\nx-gateway: y\0z\r\n\r\n");
    });
    let (verdict, message, log) = logged(&server, "a-key");
    assert_eq!(verdict, "E_RESPONSE UNKNOWN", "{message}");
    assert!(message.contains("a header has a NUL") && log.contains("the first: \"x-gateway\""), "{message} {log}");
}

/// A body that claims to be JSON, and is none, proves nothing.
#[test]
fn a_content_type_of_json_counts_beside_another_and_with_any_character() {
    for (types, expected) in [
        ("content-type: text/html\r\n", "E_REJECTED REJECTED"),
        ("content-type: text/html\r\ncontent-type: application/json\r\n", "E_RESPONSE UNKNOWN"),
        ("content-type: text/html, application/json\r\n", "E_RESPONSE UNKNOWN"),
        ("content-type: application/json; x=\u{e9}\r\n", "E_RESPONSE UNKNOWN"),
    ] {
        let answer = format!("HTTP/1.1 400 x\r\n{types}content-length: 0\r\n\r\n");
        let server = Server::start(move |mut c| {
            c.read_request();
            c.write(&answer);
        });
        let (verdict, message, _) = logged(&server, "a-key");
        assert_eq!(verdict, expected, "{types}: {message}");
    }
}
