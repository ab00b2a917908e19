//! Many threads on one client: cancels that come early, late and in the middle, a reply read by all of them, the log
//! switched on and off meanwhile.

use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use crate::support::capi::{Call, Client, Log};
use crate::support::server::Server;

const THREADS: usize = 64;

static LINES: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn count_line(_: *mut c_void, _: c_int, _: *const c_char) {
    LINES.fetch_add(1, Ordering::Relaxed);
}

#[test]
fn one_client_serves_many_threads_while_some_cancel() {
    let server = Server::ok();
    let client = Client::new(&server.config());
    let refund = json!({"reference": "R"});
    let shared = client.call("order_refund", &refund);
    std::thread::scope(|scope| {
        for number in 0..THREADS {
            let (client, refund, shared) = (&client, &refund, &shared);
            scope.spawn(move || {
                for round in 0..20 {
                    let call = Call::new();
                    match (number + round) % 4 {
                        0 => {
                            call.cancel();
                            client.call_with("order_refund", refund, Some(&call)).expect("E_CANCELLED NOT_SENT");
                        }
                        // A cancel that races with the call: whatever happens to it, the client continues.
                        1 => std::thread::scope(|inner| {
                            let running = inner.spawn(|| client.call_with("order_refund", refund, Some(&call)));
                            call.cancel();
                            let reply = running.join().unwrap();
                            let verdict = reply.verdict();
                            assert!(verdict == "OK CONFIRMED" || verdict.starts_with("E_CANCELLED "), "{verdict}");
                        }),
                        _ => {
                            client.call_with("order_refund", refund, Some(&call)).expect("OK CONFIRMED");
                            call.cancel();
                        }
                    }
                    assert_eq!(shared.get("/message").as_deref(), Some("done"));
                }
                let log = if number % 2 == 0 { Some(count_line as Log) } else { None };
                client.set_log(log);
            });
        }
    });
    client.call("order_refund", &refund).expect("OK CONFIRMED");
}
