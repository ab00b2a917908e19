//! Stalled connections end with the client and with the sandbox.

use std::io::Write;
use std::time::Instant;

use crate::common::Sandbox;
use crate::common::wire::{Client, TIMEOUT};

/// Polls until the condition holds; fails only if it does not hold within the timeout.
fn eventually(what: &str, so: impl Fn() -> bool) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < TIMEOUT, "{what}");
    }
}

#[test]
fn a_client_that_left_is_noticed() {
    let sandbox = Sandbox::start(&[]);
    sandbox.rule(r#"{"path":"/payment/banks","fault":"slow_headers","delay_ms":600000}"#);
    let stalls = ["sbx-commit_then_timeout-1", "sbx-never_end-1", "sbx-stale_keepalive-1"];
    let mut clients: Vec<Client> = stalls
        .iter()
        .map(|reference| {
            let mut client = Client::new(&sandbox);
            client.charge(&sandbox, reference);
            client
        })
        .collect();
    let mut client = Client::new(&sandbox);
    client.ask_for_banks(&sandbox);
    // A second request on the same connection, which is not read.
    client.ask_for_banks(&sandbox);
    clients.push(client);
    eventually("all are carried out", || sandbox.requests().len() == 4);
    drop(clients);
    #[cfg(target_os = "linux")]
    eventually("their connections end", || open_sockets(&sandbox) <= 2);
    assert_eq!(sandbox.effects("charge_made").len(), 3);
    assert_eq!(sandbox.requests().iter().filter(|entry| entry["fault"] == "slow_headers").count(), 1);
    // A request that breaks off is logged too.
    let mut client = Client::new(&sandbox);
    client
        .stream
        .write_all(b"POST /payment/order/refund HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{")
        .unwrap();
    drop(client);
    eventually("the broken request is noted", || {
        let entry = sandbox.requests().pop().unwrap();
        entry["path"] == "/payment/order/refund" && entry["status"].is_null() && entry["answered"] == "none"
    });
}

/// Counts the listener and the connection of the current request too.
#[cfg(target_os = "linux")]
fn open_sockets(sandbox: &Sandbox) -> usize {
    let listed = std::fs::read_dir(format!("/proc/{}/fd", sandbox.child.id())).unwrap();
    let links = listed.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    let inodes: Vec<String> = links.filter_map(|link| link.to_str().map(str::to_string)).collect();
    let table = std::fs::read_to_string(format!("/proc/{}/net/tcp", sandbox.child.id())).unwrap();
    let rows = table.lines().filter_map(|line| line.split_whitespace().nth(9));
    rows.filter(|inode| inodes.contains(&format!("socket:[{inode}]"))).count()
}

#[cfg(unix)]
#[test]
fn stalled_connections_do_not_delay_the_end() {
    let sandbox = Sandbox::start(&[]);
    sandbox.rule(r#"{"path":"/payment/banks","fault":"commit_then_timeout","count":100}"#);
    let clients: Vec<Client> = (0..100)
        .map(|_| {
            let mut client = Client::new(&sandbox);
            client.ask_for_banks(&sandbox);
            client
        })
        .collect();
    eventually("all are stalled", || sandbox.requests().len() == 100);
    sandbox.signal("TERM");
    drop(clients);
}
