//! The control of the matrix: a client that sends twice, which the matrix must find.

use std::io::{Read as _, Write as _};

use paysvc_spec::ENDPOINTS;
use serde_json::Value;

use super::{client, made, sent};
use crate::support::sandbox::Sandbox;
use crate::support::target::{Target, target};

/// The same proof finds a client that sends twice, which the library's figures do not: the effects where money moves,
/// the requests everywhere.
#[test]
fn a_client_that_sends_twice_is_found() {
    let plain = Sandbox::start(&[]);
    let sandbox = Sandbox::start(&["--pay-twice"]);
    for row in ENDPOINTS.iter().filter(|row| !row.read_only()) {
        let target = target(row, &sandbox);
        send_twice(&sandbox, &target);
        let effects = if row.name == "virtual_account_generate" { 1 } else { 2 };
        assert_eq!((made(&sandbox, &target), sent(&sandbox, &target)), (effects, 2), "{}", row.name);
        let money = ["charge_made", "refund_made"].contains(&target.effect.as_ref().unwrap().0.as_str());
        let duplicates = sandbox.get("/sandbox/duplicates");
        assert_eq!(duplicates["duplicates"].as_array().unwrap().len(), usize::from(money), "{}", row.name);
    }
    // Without the option the sandbox itself prevents what is looked for; the requests show it all the same.
    let pay = ENDPOINTS.iter().find(|row| row.name == "order_pay").unwrap();
    let target = target(pay, &plain);
    send_twice(&plain, &target);
    assert_eq!((made(&plain, &target), sent(&plain, &target)), (1, 2));
}

/// What careless HTTP clients do on a connection that ends under them: the same bytes once more.
fn send_twice(sandbox: &Sandbox, target: &Target) {
    let row = target.row;
    let body = match row.encrypted {
        true => encrypted(sandbox, &target.request),
        false => target.request.to_string(),
    };
    let key = sandbox.text(row.key.setting());
    let address = sandbox.text("base_url").strip_prefix("http://").unwrap();
    let headers: String = row.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let request = format!(
        "{} {} HTTP/1.1\r\nhost: {address}\r\napi-key: {key}\r\ncontent-type: application/json\r\n{headers}\
         connection: close\r\ncontent-length: {}\r\n\r\n{body}",
        row.method.name(),
        row.path,
        body.len()
    );
    for _ in 0..2 {
        let mut connection = std::net::TcpStream::connect(address).unwrap();
        connection.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 "), "{}: {answer}", row.name);
    }
}

fn encrypted(sandbox: &Sandbox, payload: &Value) -> String {
    client(sandbox).encrypt(payload).expect("OK NOT_SENT").body().to_owned()
}
