//! The program: arguments, start line, exit, hosts; and for people the index, request lines and encryption for curl.

use std::io::{BufReader, Read};
use std::process::Stdio;
use std::time::Instant;

use crate::common::folder::Folder;
use crate::common::wire::{Client, TIMEOUT};
use crate::common::{JSON, Sandbox, command, refusal};
use rsa::pkcs8::DecodePublicKey;
use rsa::traits::PublicKeyParts;

#[test]
fn the_start_line_has_address_and_keys() {
    let sandbox = Sandbox::start_with(&["--seed", "5"]);
    let start = &sandbox.start;
    assert!(start["base_url"].as_str().unwrap().starts_with("http://127.0.0.1:"));
    assert!(sandbox.public.starts_with("PGW-PUBLICKEY-TEST-") && sandbox.secret.starts_with("PGW-SECRETKEY-TEST-"));
    assert!(start["ca_file"].is_null());
    assert_eq!(sandbox.key.n().bits(), 4096);
    assert_eq!(start["encryption_key"].as_str().unwrap().len(), 1016);
}

#[test]
fn a_seed_repeats_keys_codes_and_references() {
    let observed = |seed: &str| {
        let sandbox = Sandbox::start_with(&["--seed", seed, "--key-bits", "2048"]);
        let mandate = sandbox.mandate("0690000031");
        let otp = sandbox.code(&mandate);
        let paid = sandbox.pay("M-0690000031", &mandate, &otp).expect(200).json();
        let mut start = sandbox.start.clone();
        start["base_url"].take();
        (start, mandate, otp, paid)
    };
    let (one, again, two) = (observed("1"), observed("1"), observed("2"));
    assert_eq!(one, again);
    assert_ne!(one.0["encryption_key"], two.0["encryption_key"]);
    assert_ne!(one.0["public_key"], two.0["public_key"]);
    assert_ne!(one.1, two.1);
}

#[test]
fn without_a_seed_every_start_has_its_own_api_keys() {
    let (one, two) = (
        Sandbox::start_with(&["--any-reference"]),
        Sandbox::start_with(&["--fresh-key", "--key-bits", "2048", "--any-reference"]),
    );
    assert_ne!(one.secret, two.secret);
    for sandbox in [one, two] {
        let payload = crate::common::card("A", "4111111111111111");
        sandbox.post("/payment/order/create", &payload).expect(200);
    }
}

#[test]
fn the_env_file_has_the_same_values() {
    let folder = Folder::new("env");
    let path = folder.file("sandbox.env");
    let sandbox = Sandbox::start(&["--env-file", &path]);
    let text = std::fs::read_to_string(&path).unwrap();
    #[cfg(unix)]
    assert_eq!(crate::common::folder::mode(&path), 0o600);
    let value = |name: &str| sandbox.start[name].as_str().unwrap().to_string();
    let expected = format!(
        "PAYSVC_BASE_URL={}\nPAYSVC_PUBLIC_KEY={}\nPAYSVC_SECRET_KEY={}\nPAYSVC_ENCRYPTION_KEY={}\n",
        value("base_url"),
        value("public_key"),
        value("secret_key"),
        value("encryption_key")
    );
    assert_eq!(text, expected);
}

/// The program prints the error, prints nothing on standard output, and leaves no partial file.
#[test]
fn an_env_file_that_cannot_be_written() {
    let folder = Folder::new("env-bad");
    let kept = folder.file("kept.env");
    std::fs::write(&kept, "OLD=1\n").unwrap();
    let program = env!("CARGO_BIN_EXE_paysvc-sandbox");
    for (path, setup, why) in [
        ("/dev/full".to_string(), "", "No space left"),
        (folder.file("no/such.env"), "", "No such file"),
        (folder.file(""), "", "Is a directory"),
        // Simulates a full disk: files cannot grow, and SIGXFSZ is ignored.
        (folder.file("new.env"), "trap '' XFSZ; ulimit -f 0;", "File too large"),
        (folder.file("kept.env"), "trap '' XFSZ; ulimit -f 0;", "File too large"),
    ] {
        let script = format!("{setup} exec \"$0\" --exit-with-parent --env-file \"$1\"");
        let output = std::process::Command::new("sh").args(["-c", &script, program, &path]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{path}: {said}");
        assert!(said.contains(&format!("could not write {path}: ")) && said.contains(why), "{said}");
        assert!(output.stdout.is_empty(), "{path}");
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["kept.env"]);
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "OLD=1\n");
}

#[test]
fn tls_with_its_own_ca() {
    let sandbox = Sandbox::start(&["--tls"]);
    assert!(sandbox.start["base_url"].as_str().unwrap().starts_with("https://"));
    let ca_file = sandbox.start["ca_file"].as_str().unwrap().to_string();
    for name in ["127.0.0.1", "::1", "localhost"] {
        let mut client = Client::of(&sandbox, name);
        client.ask_for_banks(&sandbox);
        client.answer().expect(200);
    }
    // On exit it deletes its CA file.
    sandbox.end();
    assert!(!std::path::Path::new(&ca_file).exists());
}

#[test]
fn invalid_arguments_are_refused() {
    for (arguments, reason) in [
        (&["--listen", "0.0.0.0:0"][..], "--allow-remote"),
        (&["--listen", "localhost"], "ADDRESS:PORT"),
        (&["--listen", "no-such-host.invalid:0"], "--listen no-such-host.invalid:0: "),
        (&["--host", "payments.example:443"], "a host name without a port"),
        (&["--key-bits", "1024"], "2048, 3072 or 4096"),
        (&["--webhook", "https://example.com/"], "http://"),
        (&["--seed", "x"], "--seed"),
        (&["--webhook-form", "xml"], "data, pascal, flat"),
        (&["--currencies", "NGN,XXX"], "there is no currency"),
        (&["--fault", r#"{"path":"/payment/bank","fault":"drip"}"#], "near it are /payment/banks"),
    ] {
        let error = refusal(arguments);
        assert!(error.contains(reason), "{arguments:?}: {error}");
    }
}

#[test]
fn another_key_size() {
    let sandbox = Sandbox::start_with(&["--seed", "9", "--any-reference", "--key-bits", "3072"]);
    assert_eq!(sandbox.key.n().bits(), 3072);
    sandbox.charge_card("A", "4111111111111111").expect(200);
}

/// A sandbox that is killed cannot delete its file; the next one does, and leaves those of sandboxes that run.
#[test]
fn what_a_killed_sandbox_left_is_removed_at_the_next_start() {
    let folder = Folder::new("left");
    let start = || {
        let mut sandbox = command(&["--tls", "--key-bits", "2048"]);
        sandbox.env("TMPDIR", folder.path()).env("TMP", folder.path());
        let mut child = sandbox.stdout(std::process::Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.as_mut().unwrap()), &mut line).unwrap();
        let file = folder.path().join(format!("paysvc-sandbox-ca-{}.pem", child.id()));
        assert!(file.exists(), "{line}");
        // As if it had been made a while ago.
        let made = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
        std::fs::File::options().append(true).open(&file).unwrap().set_modified(made).unwrap();
        (child, file)
    };
    let end = |mut child: std::process::Child| {
        child.kill().unwrap();
        child.wait().unwrap();
    };
    let ((killed, left), (running, kept)) = (start(), start());
    end(killed);
    assert!(left.exists());
    let (next, own) = start();
    assert!(!left.exists() && kept.exists() && own.exists());
    end(running);
    end(next);
}

#[test]
fn the_index_lists_what_is_here() {
    let sandbox = Sandbox::start(&[]);
    let index = sandbox.send("GET", "/", &[], "").expect(200);
    assert!(index.header("content-type").unwrap().starts_with("application/json"));
    let json = index.json();
    let admin = json["admin"].as_array().unwrap();
    let ledger = admin.iter().find(|call| call["path"] == "/sandbox/ledger").unwrap();
    assert_eq!((&ledger["methods"], ledger["does"].is_string()), (&"GET".into(), true));
    let listed = sandbox.admin("endpoints")["endpoints"].as_array().unwrap().len();
    assert_eq!(json["endpoints"].as_array().unwrap().len(), listed);

    let page = sandbox.send("GET", "/sandbox", &[("accept", "text/html,*/*;q=0.8")], "").expect(200);
    assert!(page.header("content-type").unwrap().starts_with("text/html"));
    assert!(page.text.contains(r#"<a href="/sandbox/ledger">"#) && page.text.contains("/payment/order/pay"));
    // Every link works.
    for link in page.text.split("<a href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        sandbox.send("GET", link, &[], "").expect(200);
    }
    assert_eq!(sandbox.send("GET", "/sandbox", &[], "").expect(200).text, index.text);
    assert_eq!(sandbox.send("POST", "/", &[], "").expect(405).header("allow"), Some("GET"));
    assert!(sandbox.requests().is_empty(), "it is no endpoint");
}

#[test]
fn a_payload_can_be_encrypted_with_curl() {
    let sandbox = Sandbox::start(&[]);
    let payload = crate::common::card("A", "4111111111111111");
    let body = sandbox.admin_post("encrypt", &payload).expect(200).text;
    let headers = [("api-key", sandbox.public.as_str()), JSON];
    sandbox.send("POST", "/payment/order/create", &headers, &body).expect(200);
    assert_eq!(sandbox.effects("charge_made").len(), 1);
    assert_eq!(sandbox.requests()[0]["decrypted_bytes"], payload.len());
    // A key of 2048 bits.
    let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(238));
    let words = "The payload is 246 bytes; this key can encrypt at most 245.";
    sandbox.admin_post("encrypt", &long).expect_error(400, "body", words);
    sandbox.admin_post("encrypt", "x").expect_error(400, "body", "not JSON");
    sandbox.admin_post("encrypt", "[]").expect_error(400, "body", "must be a JSON object");

    let pem = sandbox.send("GET", "/sandbox/key.pem", &[], "").expect(200);
    assert_eq!(pem.header("content-type"), Some("application/x-pem-file"));
    assert!(pem.text.starts_with("-----BEGIN PUBLIC KEY-----\n") && pem.text.ends_with("-----END PUBLIC KEY-----\n"));
    let lines: Vec<&str> = pem.text.lines().filter(|line| !line.starts_with('-')).collect();
    assert!(lines.iter().all(|line| line.len() <= 64));
    let der = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, lines.concat()).unwrap();
    assert_eq!(rsa::RsaPublicKey::from_public_key_der(&der).unwrap(), sandbox.key);
}

#[test]
fn request_lines_on_standard_error() {
    let arguments = ["--seed", "1", "--key-bits", "2048", "--exit-with-parent", "--log"];
    let mut child = command(&arguments).stderr(Stdio::piped()).spawn().unwrap();
    let errors = child.stderr.take().unwrap();
    let mut sandbox = Sandbox::of(child);
    sandbox.charge_card("sbx-commit_then_502-1", "4111111111111111").expect(502);
    sandbox.get("/payment/order/direct-debit/history?emailAddress=ada@example.com").expect(200);
    sandbox.send("GET", "/payment/nowhere%0Anew", &[], "").expect(404);
    sandbox.post_secret("/payment/order/refund", r#"{"reference":"A"}"#).expect(404);
    sandbox.admin("ledger");
    drop(sandbox.child.stdin.take());
    let mut text = String::new();
    BufReader::new(errors).read_to_string(&mut text).unwrap();
    assert_eq!(
        text.lines().collect::<Vec<_>>(),
        [
            "POST /payment/order/create 502 encrypted fault=commit_then_502",
            "GET /payment/order/direct-debit/history 200 none",
            "GET /payment/nowhere%0Anew 404 none",
            "POST /payment/order/refund 404 plain",
        ]
    );
}

#[test]
fn it_ends_with_its_parent_and_prints_nothing_more() {
    let mut child = command(&["--seed", "1", "--key-bits", "2048", "--exit-with-parent"]).spawn().unwrap();
    let errors = child.stderr.take().unwrap();
    let mut sandbox = Sandbox::of(child);
    sandbox.get("/payment/banks").expect(200);
    drop(sandbox.child.stdin.take());
    assert!(sandbox.child.wait().unwrap().success());
    let mut rest = String::new();
    sandbox.out.read_to_string(&mut rest).unwrap();
    BufReader::new(errors).read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "one line on standard output and no more");
}

#[test]
fn host_names_in_listen() {
    let sandbox = Sandbox::start(&["--listen", "localhost:0", "--tls"]);
    let base_url = sandbox.start["base_url"].as_str().unwrap();
    assert!(base_url.starts_with("https://localhost:"), "{base_url}");
    sandbox.get("/payment/banks").expect(200);
}

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

#[test]
fn clients_that_leave_while_their_requests_wait() {
    // With a large key, so that the requests wait for each other.
    let sandbox = Sandbox::start_with(&["--seed", "1", "--any-reference"]);
    let mut clients: Vec<Client> = (0..20).map(|_| Client::new(&sandbox)).collect();
    for (number, client) in clients.iter_mut().enumerate() {
        client.charge(&sandbox, &format!("ORDER-{number}"));
    }
    clients[0].answer().expect(200);
    drop(clients);
    sandbox.charge_card("LAST", "4111111111111111").expect(200);
    // A request that was never read has no id; every other one is in the log, with its charge.
    let start = Instant::now();
    loop {
        let log = sandbox.requests();
        let ids: Vec<u64> = log.iter().map(|entry| entry["request_id"].as_u64().unwrap()).collect();
        let last = ids.iter().copied().max().unwrap();
        if ids.len() as u64 == last {
            assert!(log.iter().all(|entry| entry["status"] == 200 && !entry["effects"].as_array().unwrap().is_empty()));
            assert_eq!(sandbox.effects("charge_made").len() as u64, last);
            return;
        }
        assert!(start.elapsed() < TIMEOUT, "of {last} requests only {ids:?} were executed");
    }
}
