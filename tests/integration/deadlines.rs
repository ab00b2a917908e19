//! The bytes delivered of a call that has ended, and the time it connects. `bounds`, `cancel_latency` and the cells of verdicts
//! have deadlines and cancels in every phase.

use std::io::Read as _;
#[cfg(target_os = "linux")]
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::capi::{Call, Client, HANG, refund, with, within};
use crate::support::deaf::Deaf;
use crate::support::driver::Driver;
use crate::support::server::Server;
use crate::support::{Link, Stage, root};

/// More than a peer that does not read takes from the system, and less than the system takes from the library.
const LARGE: usize = 1 << 20;

fn large() -> Value {
    json!({"method": "POST", "path": "/x", "key": "secret", "body": {"text": "x".repeat(LARGE)}})
}

/// A peer that reads nothing until asked to; then reports how much came, and whether a reset was the end.
fn late_reader() -> (Server, Sender<()>, Receiver<(usize, bool)>) {
    let ((tell, told), (report, reported)) = (channel(), channel());
    let ends = Mutex::new((told, report));
    let server = Server::start(move |mut c| {
        let (told, report) = &*ends.lock().unwrap();
        told.recv().unwrap();
        let mut came = 0;
        let end = loop {
            match c.socket.read(&mut [0; 1 << 16]) {
                Ok(count) if count > 0 => came += count,
                end => break end,
            }
        };
        report.send((came, end.is_err())).unwrap();
    });
    (server, tell, reported)
}

/// A copy of the descriptor, as a child forked in the middle of a call has one: a close alone then ends nothing.
#[cfg(target_os = "linux")]
fn copy_of_socket_to(port: u16) -> OwnedFd {
    use nix::sys::socket::{SockaddrIn, getpeername};
    let until = Instant::now() + HANG;
    while Instant::now() < until {
        for entry in std::fs::read_dir("/proc/self/fd").unwrap() {
            let descriptor = entry.unwrap().file_name().to_str().unwrap().parse().unwrap();
            if getpeername::<SockaddrIn>(descriptor).is_ok_and(|peer| peer.port() == port) {
                // SAFETY: other tests' descriptors may be closed meanwhile, but not this one: its call waits.
                return unsafe { BorrowedFd::borrow_raw(descriptor) }.try_clone_to_owned().unwrap();
            }
        }
        std::thread::yield_now();
    }
    panic!("nothing connects to port {port}");
}

#[cfg(not(target_os = "linux"))]
fn copy_of_socket_to(_: u16) {}

/// Somebody may look the payment up as soon as the call is over: nothing of it may be delivered after that.
#[test]
fn what_is_not_delivered_when_the_call_ends_is_dropped() {
    for cancelled in [false, true] {
        let (server, tell, reported) = late_reader();
        let (client, call) =
            (Client::new(&server.config()), Call::with_timeout_ms(if cancelled { 60_000 } else { 3000 }));
        let (reply, _copy) = std::thread::scope(|scope| {
            let running = scope.spawn(|| within(HANG, || client.call_with("request", &large(), Some(&call))));
            let copy = copy_of_socket_to(server.port);
            if cancelled {
                // A busy machine takes long to begin to send.
                std::thread::sleep(Duration::from_secs(2));
                call.cancel();
            }
            (running.join().unwrap(), copy)
        });
        reply.expect(if cancelled { "E_CANCELLED UNKNOWN" } else { "E_TIMEOUT UNKNOWN" });
        tell.send(()).unwrap();
        let (came, reset) = reported.recv_timeout(HANG).unwrap();
        assert!(0 < came && came < LARGE && reset, "{came} bytes came, reset: {reset}");
    }
}

/// Nobody aborts the connection of a program that was killed.
#[cfg(target_os = "linux")]
#[test]
fn the_system_gives_up_when_the_call_of_a_killed_program_would_have_ended() {
    let stage = Stage::new();
    let (server, tell, reported) = late_reader();
    let mut command = stage.command(&stage.cc(&root().join("tests/c/driver.c"), Link::Shared, &[]));
    let driver = Driver::start(&mut command, &with(server.config(), json!({"timeout_ms": 4000})));
    driver.call_and_kill("request", &large(), Duration::from_secs(2));
    std::thread::sleep(Duration::from_secs(4));
    tell.send(()).unwrap();
    let (came, reset) = reported.recv_timeout(HANG).unwrap();
    assert!(0 < came && came < LARGE, "{came} bytes came, reset: {reset}");
}

/// `cancel_latency` tests that a cancel ends it.
#[test]
fn connecting_is_bounded() {
    let deaf = Deaf::start();
    let config = json!({"base_url": format!("http://127.0.0.1:{}", deaf.port), "secret_key": "s", "max_attempts": 1, "connect_timeout_ms": 200});
    let reply = within(HANG, || Client::new(&config).call("order_refund", &refund()));
    reply.expect("E_TIMEOUT NOT_SENT");
}
