//! Requests to a host that is not known are refused: a web page could have pointed its own name here.

use crate::common::Sandbox;
use crate::common::wire::Client;

const BANKS: &str = "/payment/banks";

fn get(sandbox: &Sandbox, target: &str, host: &str) -> crate::common::Answer {
    let key = &sandbox.public;
    sandbox
        .raw(format!("GET {target} HTTP/1.1\r\nhost: {host}\r\napi-key: {key}\r\nconnection: close\r\n\r\n").as_bytes())
}

#[test]
fn only_known_hosts_are_served() {
    let sandbox = Sandbox::start(&["--host", "Payments.example", "--host", "till.example"]);
    let port = sandbox.address().rsplit_once(':').unwrap().1;
    for host in ["localhost", "payments.example", "TILL.example"] {
        get(&sandbox, BANKS, host).expect(200);
        get(&sandbox, BANKS, &format!("{host}:{port}")).expect(200);
    }
    let before = sandbox.requests().len();
    let refused = get(&sandbox, BANKS, &format!("evil.example:{port}")).expect(421);
    let words = "not known as evil.example: if clients should use this name, start it with --host evil.example.";
    assert!(refused.text.contains(words) && refused.is_assumed(), "{}", refused.text);
    // It is in the log, so that its developer finds out why.
    let log = sandbox.requests();
    assert_eq!(log.len(), before + 1);
    let entry = &log[before];
    assert_eq!((&entry["status"], &entry["headers"]["host"]), (&421.into(), &format!("evil.example:{port}").into()));
    assert_eq!(entry["answered"], "whole");
    // No page can read or change anything.
    for path in ["/", "/sandbox/state", "/sandbox/ledger"] {
        get(&sandbox, path, "evil.example").expect(421);
    }
    let reset = "POST /sandbox/reset HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n";
    sandbox.raw(reset.as_bytes()).expect(421);
    assert_eq!(sandbox.requests().len(), before + 1);
}

#[test]
fn a_fault_does_not_act_on_a_refused_request() {
    let sandbox = Sandbox::start(&[]);
    sandbox.rule(r#"{"path":"/payment/banks","fault":"status_503"}"#);
    get(&sandbox, BANKS, "evil.example").expect(421);
    sandbox.get(BANKS).expect(503);
}

/// The host that this fault sends clients to is known.
#[test]
fn a_redirect_to_another_host_is_served() {
    for arguments in [&[][..], &["--listen", "localhost:0"]] {
        let sandbox = Sandbox::start(arguments);
        sandbox.rule(r#"{"path":"/payment/banks","fault":"redirect_other_host"}"#);
        let moved = sandbox.get(BANKS).expect(307);
        let (host, path) = moved.header("location").unwrap().strip_prefix("http://").unwrap().split_once('/').unwrap();
        assert_ne!(host, sandbox.address());
        get(&sandbox, &format!("/{path}"), host).expect(200);
    }
}

/// The service's real host name, pointed at the sandbox.
#[test]
fn a_host_is_in_the_certificate() {
    let sandbox = Sandbox::start(&["--tls", "--host", "payments.example"]);
    let mut client = Client::of(&sandbox, "payments.example");
    let request = format!("GET {BANKS} HTTP/1.1\r\nhost: payments.example\r\napi-key: {}\r\n\r\n", sandbox.public);
    client.stream.write_all(request.as_bytes()).unwrap();
    client.answer().expect(200);
    let mut other = Client::of(&sandbox, "other.example");
    let error = other.stream.write_all(request.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("not valid for name"), "{error}");
}
