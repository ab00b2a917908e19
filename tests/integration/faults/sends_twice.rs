//! Proves that the matrix finds a client that sends twice.

use std::io::Write as _;

use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::Safety;
use serde_json::json;

use super::{made, sent};
use crate::support::capi::Client;
use crate::support::sandbox::Sandbox;
use crate::support::server::{Server, read_message};
use crate::support::target::{Target, target};

/// The effects show it where money moves, the requests everywhere.
#[test]
fn a_client_that_sends_twice_is_found() {
    let plain = Sandbox::start(&[]);
    let sandbox = Sandbox::start(&["--pay-twice"]);
    for row in ENDPOINTS.iter().filter(|row| !row.read_only()) {
        let target = target(row, &sandbox);
        send_twice(&sandbox, &target);
        assert_eq!(sent(&sandbox, &target), 2, "{}", row.name);
        let made = made(&sandbox, &target);
        let duplicates = sandbox.get("/sandbox/duplicates")["duplicates"].as_array().unwrap().len();
        match row.safety {
            Safety::Moves => assert_eq!((made, duplicates), (2, 1), "{}: has its entry an amount?", row.name),
            // An object that exists already may be found instead of made again.
            _ => assert!((1..=2).contains(&made) && duplicates == 0, "{}: {made}, {duplicates}", row.name),
        }
    }
    // Without the option, the sandbox itself prevents a double charge; the requests still show it.
    let pay = ENDPOINTS.iter().find(|row| row.name == "order_pay").unwrap();
    let target = target(pay, &plain);
    send_twice(&plain, &target);
    assert_eq!((made(&plain, &target), sent(&plain, &target)), (1, 2));
}

/// Sends the same bytes once more, as careless HTTP clients do on a connection that ends under them.
fn send_twice(sandbox: &Sandbox, target: &Target) {
    let request = recorded(sandbox, target);
    for _ in 0..2 {
        let address = sandbox.text("base_url").strip_prefix("http://").unwrap();
        let mut connection = std::net::TcpStream::connect(address).unwrap();
        connection.write_all(request.as_bytes()).unwrap();
        assert!(read_message(&mut connection).is_some(), "{}", target.row.name);
    }
}

/// The request of the call, as the library sends it.
fn recorded(sandbox: &Sandbox, target: &Target) -> String {
    let server = Server::start(|mut connection| {
        connection.read_request();
    });
    let config = sandbox.config_with(json!({"base_url": server.config()["base_url"], "max_attempts": 1}));
    Client::new(&config).call(target.row.name, &target.request).expect("E_TRANSPORT UNKNOWN");
    server.seen().pop().unwrap()
}
