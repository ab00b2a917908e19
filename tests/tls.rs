//! TLS: both versions, whom the library trusts, what it says when it does not, and its own certificate.

mod support;

use paysvc::ffi::*;
use serde_json::{Value, json};

use support::capi::{Client, HANG, with, within};
use support::server::Server;
use support::tls::{Authority, serve};

const BOTH: &[&rustls::SupportedProtocolVersion] = rustls::ALL_VERSIONS;

fn config(server: &Server, host: &str, authority: &Authority) -> Value {
    json!({"base_url": format!("https://{host}:{}", server.port), "public_key": "p", "secret_key": "s", "ca_file": authority.file(), "max_attempts": 1, "timeout_ms": 20000})
}

fn refund(config: &Value) -> support::capi::Reply {
    within(HANG, || Client::new(config).call(paysvc_order_refund, &json!({"reference": "R"})))
}

#[test]
fn both_versions_are_spoken_and_connections_kept() {
    let authority = Authority::new();
    for versions in [&[&rustls::version::TLS12][..], &[&rustls::version::TLS13]] {
        let server = serve(Authority::server(&authority.leaf(&["127.0.0.1", "localhost"]), versions, None));
        for host in ["127.0.0.1", "localhost"] {
            let client = Client::new(&config(&server, host, &authority));
            for _ in 0..3 {
                client.call(paysvc_order_refund, &json!({"reference": "R"})).expect("OK CONFIRMED");
            }
        }
        assert_eq!(server.connections(), 2);
    }
}

#[test]
fn certificates_that_do_not_fit_are_refused_before_anything_is_sent() {
    let (authority, other) = (Authority::new(), Authority::new());
    let clock = "this machine's clock reads";
    for (name, leaf, part) in [
        ("expired", authority.leaf_valid(&["127.0.0.1"], 2001, 2002), clock),
        ("not yet valid", authority.leaf_valid(&["127.0.0.1"], 2190, 2191), clock),
        ("of another host", authority.leaf(&["elsewhere.example"]), "not valid for name"),
        ("of an unknown authority", other.leaf(&["127.0.0.1"]), "invalid peer certificate"),
    ] {
        let server = serve(Authority::server(&leaf, BOTH, None));
        let reply = refund(&config(&server, "127.0.0.1", &authority));
        reply.expect("E_TRANSPORT NOT_SENT");
        assert!(reply.message().contains(part), "{name}: {}", reply.message());
    }
}

#[test]
fn a_certificate_that_does_not_fit_is_not_tried_again() {
    let (authority, other) = (Authority::new(), Authority::new());
    let server = serve(Authority::server(&other.leaf(&["127.0.0.1"]), BOTH, None));
    refund(&with(config(&server, "127.0.0.1", &authority), json!({"max_attempts": 5}))).expect("E_TRANSPORT NOT_SENT");
    assert_eq!(server.connections(), 1);
}

#[test]
fn a_client_certificate_is_shown_where_it_is_asked_for() {
    let (authority, clients, strangers) = (Authority::new(), Authority::new(), Authority::new());
    let server = serve(Authority::server(&authority.leaf(&["127.0.0.1"]), BOTH, Some(&clients)));
    let shown = |issuer: &Authority| {
        let (cert, key) = issuer.files(&issuer.leaf(&["till-1"]));
        with(config(&server, "127.0.0.1", &authority), json!({"client_cert_file": cert, "client_key_file": key}))
    };
    refund(&shown(&clients)).expect("OK CONFIRMED");
    // TLS 1.3 tells the client only after its request has left, so this is not proved.
    for refused in [shown(&strangers), config(&server, "127.0.0.1", &authority)] {
        let reply = refund(&refused);
        assert_eq!(reply.status(), PAYSVC_E_TRANSPORT, "{}", reply.message());
        assert_ne!(reply.outcome(), PAYSVC_OUTCOME_CONFIRMED);
    }
}

#[test]
fn files_that_cannot_be_used_are_refused_by_name() {
    let (authority, folder) = (Authority::new(), tempfile::tempdir().unwrap());
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let base = json!({"base_url": "https://127.0.0.1:1"});
    let (cert, key) = authority.files(&authority.leaf(&["a"]));
    let (_, other_key) = Authority::new().files(&Authority::new().leaf(&["b"]));
    for (changes, part) in [
        (json!({"ca_file": "/no/such/file"}), "ca_file cannot be read: /no/such/file"),
        (json!({"ca_file": file("empty", "")}), "ca_file holds no PEM certificate"),
        (
            json!({"ca_file": file("broken", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")}),
            "ca_file holds no CA certificate",
        ),
        (json!({"ca_file": folder.path()}), "ca_file cannot be read"),
        (json!({"client_cert_file": "/no/such/file", "client_key_file": key}), "client_cert_file cannot be read"),
        (json!({"client_cert_file": cert, "client_key_file": file("nokey", "x")}), "client_key_file cannot be read"),
        (json!({"client_cert_file": cert, "client_key_file": other_key}), "client_key_file"),
    ] {
        let reply = Client::try_new(&with(base.clone(), changes.clone())).err().unwrap_or_else(|| panic!("{changes}"));
        reply.expect("E_CONFIG NOT_SENT");
        assert!(reply.message().contains(part), "{changes}: {}", reply.message());
    }
}
