//! A request that was read is executed, even if its client leaves before it was decrypted.

use std::time::Instant;

use crate::common::Sandbox;
use crate::common::wire::{Client, TIMEOUT};

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
