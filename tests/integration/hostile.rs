//! Inputs that are small to make and expensive to read: deep, long, many. Each is read on a stack as small as a till's
//! thread may have, and must come to an end. The time limit is there to find calls that never end, not to measure.

use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::capi::{Client, Reply, with};
use crate::support::root;
use crate::support::sandbox::Sandbox;
use crate::support::server::{Server, closed_port, response};

const STACK: usize = 128 * 1024;
const HANG: Duration = Duration::from_secs(300);
const MANY: usize = 20_000;
const MILLION: usize = 1_000_000;

/// Runs on a small stack. A stack overflow ends the process, and so fails the test.
fn small(what: &str, run: impl FnOnce() + Send + 'static) {
    let (done, wait) = mpsc::channel();
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        run();
        done.send(()).unwrap();
    });
    match wait.recv_timeout(HANG) {
        Ok(()) => thread.unwrap().join().unwrap(),
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("{what}: no end after {HANG:?}"),
        Err(mpsc::RecvTimeoutError::Disconnected) => panic!("{what}: failed"),
    }
}

/// JSON that is expensive to read: what it is, an endpoint that reads far into it, the text. `paysvc_encrypt` reads
/// all.
fn documents() -> Vec<(&'static str, &'static str, String)> {
    let members = |name: fn(usize) -> String| {
        let members: Vec<_> = (0..MANY).map(|index| format!("\"{}\":{index}", name(index))).collect();
        format!("{{{}}}", members.join(","))
    };
    vec![
        ("arrays never closed", "order_create", "[".repeat(MILLION)),
        ("objects never closed", "order_refund", r#"{"a":"#.repeat(MILLION)),
        ("arrays in a field", "order_refund", format!(r#"{{"a":{}{}}}"#, "[".repeat(MILLION), "]".repeat(MILLION))),
        ("objects in a field", "order_refund", format!("{}1{}", r#"{"reference":"#.repeat(MANY), "}".repeat(MANY))),
        ("unknown fields", "order_create", members(|index| format!("member{index}"))),
        ("members given twice", "order_refund", members(|index| format!("member{}", index / 2))),
        ("misspelled members", "order_refund", members(|index| format!("reference{}", "e".repeat(index % 9)))),
        ("a long name", "order_refund", format!(r#"{{"{}":1}}"#, "reference".repeat(MANY))),
        ("a long amount", "order_refund", format!(r#"{{"reference":"r","amount":"{}"}}"#, "9".repeat(2 * MILLION))),
        ("a long number", "direct_debit_create", format!(r#"{{"recurringPaymentId":{}}}"#, "9".repeat(2 * MILLION))),
        (
            "a long text",
            "direct_debit_history",
            format!(r#"{{"emailAddress":"{}","reference":"{0}"}}"#, "\\u0041".repeat(MILLION / 2)),
        ),
        ("too long a text", "order_create", format!(r#"{{"a":"{}"}}"#, "x".repeat(11 * MILLION))),
    ]
}

/// A client that connects to a port where nothing listens.
fn client_without_service() -> Client {
    let vector: Value = serde_json::from_str(include_str!("../vectors/rsa2048.json")).unwrap();
    let port = closed_port();
    Client::new(&json!({
        "base_url": format!("http://127.0.0.1:{port}"),
        "public_key": "public",
        "secret_key": "secret",
        "encryption_key": vector["encryption_key"],
        "timeout_ms": 100,
        "max_attempts": 1,
    }))
}

/// Fails unless the verdict is one of these.
fn check(reply: &Reply, what: &str, verdicts: &[&str]) {
    let verdict = reply.verdict();
    assert!(verdicts.contains(&&*verdict), "{what}: {verdict}: {}", reply.message());
}

/// Reading a text may take the whole time of the call; nothing is sent then.
const NOT_SENT: [&str; 4] = ["E_ARGUMENT NOT_SENT", "E_ENCRYPT NOT_SENT", "E_TRANSPORT NOT_SENT", "E_TIMEOUT NOT_SENT"];

#[test]
fn requests() {
    small("requests", || {
        let client = client_without_service();
        for (what, endpoint, json) in documents() {
            for reply in [client.call(endpoint, &json), client.call("request", &json), client.encrypt(&json)] {
                check(&reply, what, &NOT_SENT);
                assert!(reply.body().len() < 4 * MILLION, "{what}: a reply of {} bytes", reply.body().len());
            }
        }
    });
}

#[test]
fn requests_within_a_request() {
    small("requests within a request", || {
        let client = client_without_service();
        for (what, _, json) in documents() {
            for member in ["headers", "body"] {
                let text = format!(r#"{{"method":"POST","path":"/x","key":"public","{member}":{json}}}"#);
                check(&client.call("request", &text), &format!("{what} in {member}"), &NOT_SENT);
            }
        }
    });
}

#[test]
fn configurations() {
    small("configurations", || {
        for (what, _, json) in documents() {
            check(&Client::try_new(&json).err().expect(what), what, &["E_CONFIG NOT_SENT"]);
        }
    });
}

/// The reply to a request that a server answers with this body.
fn answered(body: &str) -> Reply {
    let answer = response("200 OK", "connection: close\r\n", body);
    let server = Server::start(move |mut connection| {
        if connection.read_request().is_some() {
            connection.write(&answer);
        }
    });
    let client = Client::new(&with(server.config(), json!({"timeout_ms": HANG.as_millis() as u64})));
    client.call("order_refund", &json!({"reference": "R-1"}))
}

#[test]
fn answers_and_pointers() {
    small("answers", || {
        let longest = ("as long a text as is read", format!(r#"{{"a":"{}"}}"#, "x".repeat(10 * MILLION)));
        for (what, json) in documents().into_iter().map(|(what, _, json)| (what, json)).chain([longest]) {
            for member in ["data", "errors"] {
                let reply = answered(&format!("{{\"{member}\":{json},\"status\":true}}"));
                check(&reply, &format!("{what} in {member}"), &["OK CONFIRMED", "E_RESPONSE UNKNOWN"]);
                assert_eq!(reply.http_status(), 200, "{what} in {member}");
                // Each step reads the rest of the text, so the largest texts get a pointer of few steps. The result
                // depends on the text; the test is only that it ends.
                reply.get(&format!("/data{}", "/0".repeat(if json.len() < MILLION { 127 } else { 2 })));
                assert_eq!(reply.get(&"/0".repeat(MILLION)), None, "{what} in {member}");
            }
        }
    });
}

/// The header promises that this stack is enough. TLS, encryption and the journal need the most of it.
#[test]
fn a_sale_over_tls_with_a_journal() {
    let sandbox = Sandbox::start(&["--tls"]);
    let folder = tempfile::tempdir_in(root().join("build")).unwrap();
    let config = sandbox.config_with(json!({"journal": folder.path().join("j.db"), "journal_create": true}));
    small("a sale", move || {
        let client = Client::new(&config);
        let charge = json!({
            "reference": "O-1", "paymentoption": "C", "country": "NG",
            "card": {"cardnumber": "4111111111111111", "expirymonth": "01", "expiryyear": "39", "cvv": "193"},
            "order": {"reference": "O-1", "amount": "25.50", "currency": "NGN"},
        });
        client.call("order_create", &charge).expect("OK CONFIRMED");
        client.call("resolve", &json!({"endpoint": "order_create", "request": charge})).expect("OK CONFIRMED");
    });
}

#[test]
fn a_pointer_reaches_128_levels_and_no_further() {
    let reply = answered(&format!("{}7{}", "[".repeat(200), "]".repeat(200)));
    let get = |steps: usize| reply.get(&"/0".repeat(steps));
    assert!(get(128).is_some() && get(129).is_none());
}

#[test]
fn key_texts() {
    small("key texts", || {
        let vector: Value = serde_json::from_str(include_str!("../vectors/rsa2048.json")).unwrap();
        let key = vector["decoded_text"].as_str().unwrap();
        let attributes: Vec<_> = (0..1500).map(|index| format!("a{index}=\"\"")).collect();
        for (text, part) in [
            ("A".repeat(10 * MILLION), "is 10000000 bytes long"),
            (format!("2048!{}", "<a>".repeat(5_000)), "cannot be read"),
            (format!("2048!<a {}/>", attributes.join(" ")), "has no Modulus"),
            (key.replace("AQAB", &"A".repeat(8_000)), "exponent 0"),
            (key.replace("AQAB", &"/".repeat(8_000)), "exponent of 48000 bits"),
            (key.replace("AQAB", &format!("{}Ag==", "A".repeat(8_000))), "exponent 2"),
            (
                format!("2048!<Modulus>{}</Modulus><Exponent>AQAB</Exponent>", "/".repeat(16_000)),
                "its modulus has 96000",
            ),
            (key.replace("AQAB", "&secretAsAnEntity;"), "cannot be read (line:column "),
        ] {
            let reply = Client::try_new(&json!({"encryption_key": text})).err().expect(part);
            reply.expect("E_CONFIG NOT_SENT");
            let message = reply.message();
            assert!(message.contains(part) && !message.contains("secret"), "{part}: {message}");
        }
    });
}
