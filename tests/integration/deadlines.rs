//! How long a call takes at most: deadlines and cancels, in every phase, over plain connections and TLS.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io::Read as _;
#[cfg(target_os = "linux")]
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::capi::{Call, Client, HANG, eventually, refund, with, within};
use crate::support::deaf::Deaf;
use crate::support::driver::Driver;
use crate::support::server::{Connection, Server};
use crate::support::{Link, Stage, root};

#[test]
fn the_deadline_bounds_every_wait() {
    let silent = Server::start(|mut c| {
        c.read_request();
        c.hold()
    });
    let client = Client::new(&silent.config());
    let call = Call::with_timeout_ms(200);
    let reply = within(HANG, || client.call_with("order_refund", &refund(), Some(&call)));
    reply.expect("E_TIMEOUT UNKNOWN");

    // Bytes that keep trickling in do not extend it.
    let drip = Server::start(|mut c| {
        c.read_request();
        c.write("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n");
        for _ in 0..10_000 {
            c.write(" ");
            std::thread::sleep(Duration::from_millis(10));
        }
    });
    let client = Client::new(&with(drip.config(), json!({"timeout_ms": 300})));
    within(HANG, || client.call("order_refund", &refund())).expect("E_TIMEOUT UNKNOWN");
}

static BACKING_OFF: AtomicBool = AtomicBool::new(false);

unsafe extern "C" fn notice_back_off(_: *mut c_void, _: c_int, message: *const c_char) {
    let message = unsafe { CStr::from_ptr(message) }.to_str().unwrap();
    BACKING_OFF.fetch_or(message.contains(" again in "), Ordering::SeqCst);
}

#[test]
fn a_cancel_ends_a_call_wherever_it_is_and_leaves_the_client_usable() {
    let silent = |mut c: Connection| {
        c.read_request();
        c.hold()
    };
    let in_body = |mut c: Connection| {
        c.read_request();
        c.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{");
        c.hold()
    };
    let busy = |mut c: Connection| {
        while c.read_request().is_some() {
            c.answer("429 x", "retry-after: 20\r\n", "{}")
        }
    };
    for (name, script, verdict) in [
        ("waiting", silent as fn(Connection), "E_CANCELLED UNKNOWN"),
        ("in the body", in_body, "E_CANCELLED UNKNOWN"),
        ("backing off", busy, "E_CANCELLED REJECTED"),
    ] {
        let server = Server::start(script);
        let client = Client::new(&server.config());
        client.set_log(Some(notice_back_off));
        let call = Call::new();
        std::thread::scope(|scope| {
            let running = scope.spawn(|| within(HANG, || client.call_with("order_refund", &refund(), Some(&call))));
            eventually(name, || {
                !server.seen().is_empty() && (name != "backing off" || BACKING_OFF.load(Ordering::SeqCst))
            });
            call.cancel();
            let reply = running.join().unwrap();
            assert_eq!(reply.verdict(), verdict, "{name}: {}", reply.message());
        });
        // Final: the token ends the next call that uses it, with nothing sent.
        client.call_with("order_refund", &refund(), Some(&call)).expect("E_CANCELLED NOT_SENT");
        assert_eq!(server.seen().len(), 1, "{name}");
    }
}

/// More than a peer that does not read takes from the system, and less than the system takes from the library.
const LARGE: usize = 1 << 20;

fn large() -> Value {
    json!({"method": "POST", "path": "/x", "key": "secret", "body": {"text": "x".repeat(LARGE)}})
}

/// A peer that reads nothing until it is told to; then says how much came, and whether a reset was the end.
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

/// What a child has that was forked in the middle of a call: a copy of the descriptor, so that a close alone ends nothing.
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

#[test]
fn connecting_is_bounded_and_can_be_cancelled() {
    let deaf = Deaf::start();
    let config = json!({"base_url": format!("http://127.0.0.1:{}", deaf.port), "secret_key": "s", "max_attempts": 1, "connect_timeout_ms": 200});
    let reply = within(HANG, || Client::new(&config).call("order_refund", &refund()));
    reply.expect("E_TIMEOUT NOT_SENT");

    let client = Client::new(&with(config, json!({"connect_timeout_ms": 60_000, "timeout_ms": 60_000})));
    let call = Call::new();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| within(HANG, || client.call_with("order_refund", &refund(), Some(&call))));
        // Before or while it connects: either way nothing is sent.
        std::thread::sleep(Duration::from_millis(20));
        call.cancel();
        running.join().unwrap().expect("E_CANCELLED NOT_SENT");
    });
}

#[test]
fn a_cancel_reaches_tls_in_the_handshake_and_after_it() {
    let (arrived, wait) = std::sync::mpsc::channel();
    let arrived = std::sync::Mutex::new(arrived);
    let silent = Server::start(move |mut c| {
        // The client's hello has come, and nothing goes back.
        let _ = std::io::Read::read(&mut c.socket, &mut [0; 16]);
        arrived.lock().unwrap().send(()).unwrap();
        c.hold();
    });
    let config =
        json!({"base_url": format!("https://127.0.0.1:{}", silent.port), "secret_key": "s", "max_attempts": 1});
    let (client, call) = (Client::new(&config), Call::new());
    std::thread::scope(|scope| {
        let running = scope.spawn(|| within(HANG, || client.call_with("order_refund", &refund(), Some(&call))));
        wait.recv().unwrap();
        call.cancel();
        running.join().unwrap().expect("E_CANCELLED NOT_SENT");
    });

    let authority = crate::support::tls::Authority::new();
    let leaf = authority.leaf(&["127.0.0.1"]);
    let tls = crate::support::tls::Authority::server(&leaf, rustls::ALL_VERSIONS, None);
    let server = Server::start_tls(tls, |mut c| {
        c.read_request();
        c.hold();
    });
    let config = json!({"base_url": format!("https://127.0.0.1:{}", server.port), "secret_key": "s", "ca_file": authority.file()});
    let (client, call) = (Client::new(&config), Call::new());
    std::thread::scope(|scope| {
        let running = scope.spawn(|| within(HANG, || client.call_with("order_refund", &refund(), Some(&call))));
        eventually("the request arrives", || !server.seen().is_empty());
        call.cancel();
        running.join().unwrap().expect("E_CANCELLED UNKNOWN");
    });
}
