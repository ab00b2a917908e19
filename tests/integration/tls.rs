//! TLS: both versions, which certificates are trusted, the messages for those that are not, and client certificates.

use std::path::Path;
use std::process::Stdio;

use paysvc_spec::status::Outcome;
use serde_json::{Value, json};

use crate::support::capi::{Client, HANG, with, within};
use crate::support::platform::foreign;
use crate::support::server::Server;
use crate::support::strace::has_strace;
use crate::support::tls::{Authority, Leaf, own_authority, serve};
use crate::support::{Link, Stage, encryption_key, missing, output_of, root, run};

const BOTH: &[&rustls::SupportedProtocolVersion] = rustls::ALL_VERSIONS;

fn config(server: &Server, host: &str, authority: &Authority) -> Value {
    json!({"base_url": format!("https://{host}:{}", server.port), "public_key": "p", "secret_key": "s", "ca_file": authority.file(), "max_attempts": 1, "timeout_ms": 20000})
}

fn refund(config: &Value) -> crate::support::capi::Reply {
    within(HANG, || Client::new(config).call("order_refund", &json!({"reference": "R"})))
}

#[test]
fn both_versions_are_spoken_and_connections_kept() {
    let authority = Authority::new();
    for versions in [&[&rustls::version::TLS12][..], &[&rustls::version::TLS13]] {
        let server = serve(Authority::server(&authority.leaf(&["127.0.0.1", "localhost"]), versions, None));
        for host in ["127.0.0.1", "localhost"] {
            let config = with(config(&server, host, &authority), json!({"connection_reuse": "all"}));
            let client = Client::new(&config);
            for _ in 0..3 {
                client.call("order_refund", &json!({"reference": "R"})).expect("OK CONFIRMED");
            }
        }
        assert_eq!(server.connections(), 2);
    }
}

#[test]
fn certificates_that_do_not_fit_are_refused_before_anything_is_sent() {
    let (authority, other) = (Authority::new(), Authority::named("Another CA"));
    let clock = "this machine's clock reads";
    for (name, leaf, part) in [
        ("expired", authority.leaf_valid(&["127.0.0.1"], 2001, 2002), clock),
        ("not yet valid", authority.leaf_valid(&["127.0.0.1"], 2190, 2191), clock),
        ("of another host", authority.leaf(&["elsewhere.example"]), "not valid for name"),
        ("of an unknown authority", other.leaf(&["127.0.0.1"]), "is not trusted"),
    ] {
        let server = serve(Authority::server(&leaf, BOTH, None));
        let reply = refund(&config(&server, "127.0.0.1", &authority));
        reply.expect("E_TRANSPORT NOT_SENT");
        assert!(reply.message().contains(part), "{name}: {}", reply.message());
    }
}

/// A client that trusts it trusts whatever its key signs, so refusing it gains nothing.
#[test]
fn a_certificate_that_is_its_own_authority_is_trusted_if_ca_file_has_it() {
    use rcgen::{CertificateParams as Params, ExtendedKeyUsagePurpose as Purpose, KeyUsagePurpose as Usage};
    type Edit<'a> = (&'a str, &'a dyn Fn(&mut Params), &'a str);
    let years = |from, to| {
        move |params: &mut Params| {
            params.not_before = rcgen::date_time_ymd(from, 1, 1);
            params.not_after = rcgen::date_time_ymd(to, 1, 1);
        }
    };
    let only_names = |params: &mut Params| {
        let permitted_subtrees = vec![rcgen::GeneralSubtree::DnsName("localhost".into())];
        params.name_constraints = Some(rcgen::NameConstraints { permitted_subtrees, excluded_subtrees: vec![] });
    };
    let cases: &[Edit] = &[
        ("", &|_| {}, ""),
        (
            "as Go's httptest",
            &|params| {
                params.key_usages = vec![Usage::KeyEncipherment, Usage::DigitalSignature, Usage::KeyCertSign];
                params.extended_key_usages = vec![Purpose::ServerAuth];
            },
            "",
        ),
        ("expired", &years(2001, 2002), "this machine's clock reads"),
        ("not yet valid", &years(2190, 2191), "this machine's clock reads"),
        ("for some names", &only_names, "uses the CA certificate of an authority"),
    ];
    let files = Authority::new();
    let ask = |leaf: &Leaf, trusted: &Path| {
        let server = serve(Authority::server(leaf, BOTH, None));
        refund(&with(config(&server, "localhost", &files), json!({"ca_file": trusted})))
    };
    for (name, edit, part) in cases {
        let leaf = own_authority(&["localhost"], edit);
        let reply = ask(&leaf, &files.file_of(&leaf));
        reply.expect(if part.is_empty() { "OK CONFIRMED" } else { "E_TRANSPORT NOT_SENT" });
        assert!(reply.message().contains(part), "{name}: {}", reply.message());
    }
    let elsewhere = own_authority(&["elsewhere.example"], &|_| {});
    let reply = ask(&elsewhere, &files.file_of(&elsewhere));
    reply.expect("E_TRANSPORT NOT_SENT");
    assert!(reply.message().contains("not valid for name"), "{}", reply.message());
    // ca_file has another authority.
    let leaf = own_authority(&["localhost"], &|_| {});
    let reply = ask(&leaf, &files.file());
    reply.expect("E_TRANSPORT NOT_SENT");
    assert!(reply.message().contains("name exactly this certificate in ca_file"), "{}", reply.message());
}

#[test]
fn a_certificate_that_does_not_fit_is_not_tried_again() {
    let (authority, other) = (Authority::new(), Authority::new());
    let server = serve(Authority::server(&other.leaf(&["127.0.0.1"]), BOTH, None));
    refund(&with(config(&server, "127.0.0.1", &authority), json!({"max_attempts": 5}))).expect("E_TRANSPORT NOT_SENT");
    assert_eq!(server.connections(), 1);
}

/// In TLS 1.3 the refusal comes after the client has finished: it is waited for before the request is written, so that
/// nothing is in doubt.
#[test]
fn a_client_certificate_is_shown_where_it_is_asked_for() {
    let (authority, clients, strangers) = (Authority::new(), Authority::new(), Authority::new());
    let plain = |server: &Server| config(server, "127.0.0.1", &authority);
    let shown = |server: &Server, issuer: &Authority| {
        let (cert, key) = issuer.files(&issuer.leaf(&["till-1"]));
        with(plain(server), json!({"client_cert_file": cert, "client_key_file": key}))
    };
    for versions in [&[&rustls::version::TLS12][..], &[&rustls::version::TLS13]] {
        let server = serve(Authority::server(&authority.leaf(&["127.0.0.1"]), versions, Some(&clients)));
        refund(&shown(&server, &clients)).expect("OK CONFIRMED");
        for (config, part) in [
            (shown(&server, &strangers), "refused the certificate of client_cert_file"),
            (plain(&server), "set client_cert_file and client_key_file"),
        ] {
            let connections = server.connections();
            let reply = refund(&with(config, json!({"max_attempts": 3})));
            reply.expect("E_TRANSPORT NOT_SENT");
            assert!(reply.message().contains(part), "{versions:?}: {}", reply.message());
            assert_eq!(reply.attempts(), 0);
            assert_eq!(server.connections(), connections + 1, "what was refused is not tried again");
        }
    }
}

/// If a service sends nothing after the handshake, the wait is no longer than a refusal takes.
#[test]
fn a_service_without_session_tickets_takes_client_certificates_too() {
    let (authority, clients) = (Authority::new(), Authority::new());
    let mut tls = (*Authority::server(&authority.leaf(&["127.0.0.1"]), BOTH, Some(&clients))).clone();
    tls.send_tls13_tickets = 0;
    let server = serve(std::sync::Arc::new(tls));
    let (cert, key) = clients.files(&clients.leaf(&["till-1"]));
    let config = with(
        config(&server, "127.0.0.1", &authority),
        json!({"client_cert_file": cert, "client_key_file": key, "connection_reuse": "all"}),
    );
    let client = Client::new(&config);
    for _ in 0..3 {
        client.call("order_refund", &json!({"reference": "R"})).expect("OK CONFIRMED");
    }
    assert_eq!(server.connections(), 1);
}

/// A refusal that takes longer finds the request written: the message names the cause, and the outcome is UNKNOWN.
#[test]
fn a_late_refusal_of_a_client_certificate_proves_nothing() {
    let (authority, clients) = (Authority::new(), Authority::new());
    let tls = Authority::server(&authority.leaf(&["127.0.0.1"]), &[&rustls::version::TLS13], Some(&clients));
    let server = Server::start(move |mut c| {
        let mut tls = rustls::ServerConnection::new(std::sync::Arc::clone(&tls)).unwrap();
        let mut shown = false;
        loop {
            while tls.wants_write() {
                tls.write_tls(&mut c.socket).unwrap();
                shown = true;
            }
            if tls.read_tls(&mut c.socket).unwrap_or(0) == 0 {
                return;
            }
            if shown {
                std::thread::sleep(std::time::Duration::from_millis(2500));
            }
            if tls.process_new_packets().is_err() {
                tls.write_tls(&mut c.socket).unwrap();
                return c.hold();
            }
        }
    });
    let reply = refund(&config(&server, "127.0.0.1", &authority));
    reply.expect("E_TRANSPORT UNKNOWN");
    for part in ["set client_cert_file and client_key_file", "the request had been written before"] {
        assert!(reply.message().contains(part), "{}", reply.message());
    }
    assert_eq!((reply.attempts(), server.connections()), (1, 1));
}

#[test]
fn what_a_wrong_scheme_or_authority_leads_to_is_explained() {
    // https to a port that expects plain http, or something else.
    for answer in
        ["HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n", "<html>Bad request</html>", "SSH-2.0-OpenSSH_9.2\r\n"]
    {
        let server = Server::start(move |mut c| {
            let _ = std::io::Read::read(&mut c.socket, &mut [0; 4096]);
            c.write(answer);
            c.hold();
        });
        let https = json!({"base_url": format!("https://127.0.0.1:{}", server.port), "secret_key": "s"});
        let reply = refund(&https);
        reply.expect("E_TRANSPORT NOT_SENT");
        let part = "answers in plain http, or in something else that is not TLS: base_url";
        assert!(reply.message().contains(part) && reply.message().contains("http://"), "{}", reply.message());
        assert_eq!((reply.attempts(), server.connections()), (0, 1), "a wrong port is not tried again");
    }

    // Plain http to a port that speaks TLS: it was written, so nothing is proved.
    let authority = Authority::new();
    let server = serve(Authority::server(&authority.leaf(&["127.0.0.1"]), BOTH, None));
    let alert = Server::start(|mut c| {
        c.read_request();
        std::io::Write::write_all(&mut c.socket, b"\x15\x03\x01\x00\x02\x02\x46").unwrap();
        c.hold();
    });
    for port in [server.port, alert.port] {
        let reply = refund(&json!({"base_url": format!("http://127.0.0.1:{port}"), "secret_key": "s"}));
        assert_eq!(reply.outcome(), Outcome::Unknown, "{}", reply.message());
        // A server may also reset the connection, which discards its response.
        if port == alert.port {
            reply.expect("E_RESPONSE UNKNOWN");
            assert!(reply.message().contains("base_url should start with https://"), "{}", reply.message());
        }
    }

    let server = serve(Authority::server(&authority.leaf(&["127.0.0.1"]), BOTH, None));
    let reply = refund(&json!({"base_url": format!("https://127.0.0.1:{}", server.port), "secret_key": "s"}));
    reply.expect("E_TRANSPORT NOT_SENT");
    assert!(reply.message().contains("name its CA certificate in ca_file"), "{}", reply.message());
}

/// A server of OpenSSL, as `tests/drivers/old_tls.py` makes it; it ends with its input.
struct OldServer {
    child: std::process::Child,
    port: u16,
}

impl OldServer {
    fn start(chain: &Path, least: &str, most: &str, ciphers: &str) -> OldServer {
        let mut command = std::process::Command::new("python3");
        command.arg(root().join("tests/drivers/old_tls.py")).arg(chain).args([least, most, ciphers]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("python3");
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.as_mut().unwrap()), &mut line).unwrap();
        let port = line.trim().parse().expect("its port");
        OldServer { child, port }
    }
}

impl Drop for OldServer {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// No message has the debug output of a library: a till's staff reads it.
fn in_words(message: &str) {
    for part in
        ["{", "}", "Unsupported", "UnknownIssuer", "BadSignature", "Context", "InvalidCertificate", "HandshakeFailure"]
    {
        assert!(!message.contains(part), "{part}: {message}");
    }
}

#[test]
fn old_servers_and_certificates_are_refused_in_words() {
    let vector = |name: &str| root().join("tests/vectors/tls").join(name);
    for (name, chain, least, most, ciphers, parts) in [
        ("as it should be", "fine", "TLSv1_2", "TLSv1_3", "ALL", &[][..]),
        ("SHA-1", "sha1", "TLSv1_2", "TLSv1_3", "ALL", &["SHA-1", "signed with SHA-256"]),
        ("RSA 1024", "rsa1024", "TLSv1_3", "TLSv1_3", "ALL", &["RSA key of 1024 bits", "at least 2048"]),
        ("RSA 1024, TLS 1.2", "rsa1024", "TLSv1_2", "TLSv1_2", "ALL", &["RSA key of 1024 bits", "at least 2048"]),
        ("TLS 1.1", "fine", "TLSv1", "TLSv1_1", "ALL", &["only old ones", "must enable TLS 1.2"]),
        ("old ciphers", "fine", "TLSv1_2", "TLSv1_2", "AES128-SHA", &["only old ones", "ECDHE"]),
    ] {
        let server = OldServer::start(&vector(&format!("{chain}.pem")), least, most, ciphers);
        let config = json!({"base_url": format!("https://localhost:{}", server.port), "secret_key": "s",
                            "ca_file": vector("root.pem"), "max_attempts": 3, "timeout_ms": 20000});
        let reply = refund(&config);
        reply.expect(if parts.is_empty() { "OK CONFIRMED" } else { "E_TRANSPORT NOT_SENT" });
        assert!(parts.iter().all(|part| reply.message().contains(part)), "{name}: {}", reply.message());
        in_words(reply.message());
    }
}

/// Only the service knows whether an intermediate certificate is missing, or the authority is private.
#[test]
fn the_issuer_that_is_not_trusted_is_named() {
    let (authority, other) = (Authority::named("Example Proxy CA"), Authority::new());
    let leaf = authority.leaf(&["127.0.0.1"]);
    for (leaf, parts) in [
        (&leaf, &["\"Example Proxy CA\"", "intermediate certificates", "inspects TLS", "in ca_file"][..]),
        (&authority.with_chain(&leaf), &["\"Example Proxy CA\"", "inspects TLS", "in ca_file"]),
        (&own_authority(&["127.0.0.1"], &|_| {}), &["signed by itself", "in ca_file"]),
    ] {
        let server = serve(Authority::server(leaf, BOTH, None));
        let reply = refund(&config(&server, "127.0.0.1", &other));
        reply.expect("E_TRANSPORT NOT_SENT");
        let message = reply.message();
        let is_own = message.contains("uses the CA certificate of an authority");
        assert!(is_own || parts.iter().all(|part| message.contains(part)), "{message}");
        in_words(message);
    }
}

/// The folder of the system's roots holds what its bundle holds, in a file each: reading it too would cost most of a
/// first call.
#[test]
fn the_systems_roots_are_read_once() {
    let bundle = Path::new("/etc/ssl/certs/ca-certificates.crt");
    if !bundle.exists() {
        return missing("no bundle of roots on this machine; that it is read once is NOT tested");
    }
    if !has_strace("that the system's roots are read once is NOT tested") {
        return;
    }
    let stage = Stage::new();
    let program = stage.cc(&root().join("tests/c/driver.c"), Link::Shared, &[]);
    let opened = |variables: &[(&str, &Path)]| {
        let mut strace = stage.command("strace".as_ref());
        strace.args(["-f", "-e", "trace=open,openat"]).arg(&program).stdin(Stdio::piped()).stdout(Stdio::null());
        strace.env_remove("SSL_CERT_FILE").env_remove("SSL_CERT_DIR").envs(variables.iter().copied());
        let mut child = strace.stderr(Stdio::piped()).spawn().expect("strace");
        let mut input = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut input, b"{\"base_url\":\"https://127.0.0.1:1\"}\n").unwrap();
        drop(input);
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", output_of(&output));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let of = |part: &str| text.lines().filter(|line| line.contains(part) && !line.contains("ENOENT")).count();
        (of("ca-certificates.crt"), of("/etc/ssl/certs\"") + of(".pem\"") + of(".0\""))
    };
    assert_eq!(opened(&[]), (1, 0));
    assert_eq!(opened(&[("SSL_CERT_FILE", bundle)]), (1, 0));
    // The variables mean what they mean to other programs.
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(opened(&[("SSL_CERT_DIR", folder.path())]), (0, 0));
    std::fs::copy(Authority::new().file(), folder.path().join("own.pem")).unwrap();
    assert_eq!(opened(&[("SSL_CERT_DIR", folder.path())]), (0, 1));
}

/// Files that cannot be read at all are in `resources`.
#[test]
fn files_that_cannot_be_used_are_refused_by_name() {
    let (authority, folder) = (Authority::new(), tempfile::tempdir().unwrap());
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let base = json!({"base_url": "https://127.0.0.1:1"});
    let vector = |name: &str| root().join("tests/vectors/tls").join(name);
    let (cert, key) = authority.files(&authority.leaf(&["a"]));
    let other = Authority::new();
    let (_, other_key) = other.files(&other.leaf(&["b"]));
    let encrypted = "is encrypted: write it without a passphrase";
    for (changes, part) in [
        (
            json!({"ca_file": file("broken", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")}),
            "ca_file holds no CA certificate",
        ),
        (json!({"client_cert_file": cert, "client_key_file": other_key}), "are not of one pair"),
        (json!({"client_cert_file": cert, "client_key_file": vector("encrypted-pkcs8.key")}), encrypted),
        (json!({"client_cert_file": cert, "client_key_file": vector("encrypted-legacy.key")}), encrypted),
        (json!({"client_cert_file": cert, "client_key_file": cert}), "holds no PEM private key"),
        (json!({"client_cert_file": key, "client_key_file": key}), "client_cert_file holds no PEM certificate"),
        (json!({"ca_file": file("der", "0\u{1}\u{2}")}), "is DER or PKCS #12, not PEM"),
    ] {
        let reply = Client::try_new(&with(base.clone(), changes.clone())).err().unwrap_or_else(|| panic!("{changes}"));
        reply.expect("E_CONFIG NOT_SENT");
        assert!(reply.message().contains(part), "{changes}: {}", reply.message());
    }
}

/// Beside jemalloc, for example: the shared library takes nothing from the program, nor does the archive.
#[test]
fn another_allocator_in_the_program_is_left_alone() {
    if foreign().is_some_and(|platform| platform.windows()) {
        return; // It has no such names.
    }
    let authority = Authority::new();
    let server = serve(Authority::server(&authority.leaf(&["127.0.0.1"]), BOTH, None));
    let config = with(config(&server, "127.0.0.1", &authority), json!({"encryption_key": encryption_key()}));
    let stage = Stage::new();
    for how in [Link::Shared, Link::Static] {
        // Exported, as a library that is preloaded would have them.
        let program = stage.cc(&root().join("tests/c/foreign_hooks.c"), how, &["-Wl,--export-dynamic"]);
        run(stage.command(&program).arg(config.to_string()));
    }
}
