//! For people: the index, request lines, encryption for curl, and host names.

use std::io::{BufReader, Read};
use std::process::Stdio;

use crate::common::{JSON, Sandbox, command};
use rsa::pkcs8::DecodePublicKey;

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
