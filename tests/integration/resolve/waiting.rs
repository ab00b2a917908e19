//! Repeated status queries: `order_wait`, and `resolve` with `wait`.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::{FAILED, FOUND, PAID, Service, order};
use crate::support::capi::{Call, HANG, Reply, eventually, with, within};

const CONTINUE: c_int = 0x5D00;

fn pending() -> String {
    order(2, "[]")
}

fn wait(service: &Service, more: Value, call: Option<&Call>) -> Reply {
    let request = with(json!({"reference": "O-1", "interval_ms": 10}), more);
    service.client.call_with("order_wait", &request, call)
}

/// The steps passed to the callback, and its action.
#[derive(Default)]
struct Steps {
    told: Mutex<Vec<(usize, usize, Value)>>,
    stops: AtomicBool,
}

unsafe extern "C" fn step(userdata: *mut c_void, done: usize, total: usize, step: *const c_char) -> c_int {
    let (steps, text) = unsafe { (&*userdata.cast::<Steps>(), CStr::from_ptr(step)) };
    let step = serde_json::from_slice(text.to_bytes()).unwrap();
    steps.told.lock().unwrap().push((done, total, step));
    if steps.stops.load(Ordering::SeqCst) { 0 } else { CONTINUE }
}

#[test]
fn it_looks_until_the_state_is_final() {
    let service = Service::new();
    for (state, history, verdict) in
        [(5, PAID, "OK CONFIRMED"), (4, FAILED, "E_REJECTED REJECTED"), (6, PAID, "OK CONFIRMED")]
    {
        let last = order(state, history);
        let before = service.server.seen().len();
        service.answer(&[
            ("404 Not Found", "", "{}"),
            ("500 Error", "", "{}"),
            ("429 Busy", "retry-after: 0\r\n", "{}"),
            (FOUND, "", &pending()),
            (FOUND, "", "<html>"),
            (FOUND, "", &last),
        ]);
        let steps = Steps::default();
        let call = Call::new();
        call.set_progress(step, &steps);
        let reply = wait(&service, json!({"attempts": 1}), Some(&call));
        reply.expect(verdict);
        assert_eq!((reply.state(), reply.body(), reply.attempts()), (i32::from(state), last.as_str(), 6));
        let seen = service.server.seen();
        assert!(seen[before..].iter().all(|request| request.starts_with("POST /payment/order/status ")));
        let told: Vec<_> = steps.told.lock().unwrap().clone();
        let expected = [0, 0, 0, 2, 0, i32::from(state)].into_iter().enumerate().map(|(index, state)| {
            let outcome = if index == 5 { verdict.split(' ').next_back().unwrap() } else { "UNKNOWN" };
            (index + 1, 0, json!({"step": "look", "state": state, "outcome": outcome}))
        });
        assert_eq!(told, expected.collect::<Vec<_>>());
    }
}

#[test]
fn refusals_that_last_end_it() {
    let service = Service::new();
    for (status, verdict) in [
        ("400 Bad Request", "E_UNRESOLVED UNKNOWN"),
        ("422 Unprocessable", "E_UNRESOLVED UNKNOWN"),
        ("401 Unauthorized", "E_UNAUTHORIZED UNKNOWN"),
        ("403 Forbidden", "E_UNAUTHORIZED UNKNOWN"),
    ] {
        let reply = wait(service.answer(&[(status, "", "{}")]), json!({}), None);
        reply.expect(verdict);
        assert_eq!(reply.attempts(), 1);
    }
}

#[test]
fn the_last_state_is_kept_at_the_deadline() {
    let service = Service::new();
    let call = Call::with_timeout_ms(400);
    let reply = wait(service.answer(&[(FOUND, "", &pending())]), json!({}), Some(&call));
    reply.expect("E_UNRESOLVED UNKNOWN");
    assert_eq!((reply.state(), reply.body()), (2, pending().as_str()));
    assert!(reply.attempts() > 1 && reply.message().contains("deadline exceeded"), "{}", reply.message());
    // A later status query that fails takes nothing away.
    service.answer(&[(FOUND, "", &pending()), ("500 Error", "", "{}")]);
    let reply = wait(&service, json!({}), Some(&call));
    reply.expect("E_UNRESOLVED UNKNOWN");
    assert_eq!((reply.state(), reply.body()), (2, pending().as_str()));
    // Nor does a response about another order.
    let other = order(5, PAID).replace("O-1", "O-2");
    wait(service.answer(&[(FOUND, "", &other)]), json!({}), Some(&call)).expect("E_UNRESOLVED UNKNOWN");
    // A contradiction is not a state.
    let reply = wait(service.answer(&[(FOUND, "", &order(5, FAILED))]), json!({}), Some(&call));
    reply.expect("E_UNRESOLVED UNKNOWN");
    assert_eq!(reply.state(), 0);
    // FAILED is not an end while another attempt may be under way.
    let failed = order(4, FAILED);
    for more in [json!({}), json!({"attempts": 2})] {
        let reply = wait(service.answer(&[(FOUND, "", &failed)]), more, Some(&call));
        reply.expect("E_UNRESOLVED UNKNOWN");
        assert!(reply.state() == 4 && reply.attempts() > 1, "{}", reply.message());
    }
    // The service's last response is kept if the deadline cuts off a later status query.
    service.answer(&[("404 Not Found", "", r#"{"message":"not found"}"#), ("200 OK", "content-length: 9\r\n", "")]);
    let reply = wait(&service, json!({}), Some(&call));
    reply.expect("E_UNRESOLVED UNKNOWN");
    assert_eq!(reply.http_status(), 404, "{}", reply.message());
    // Without any answer it is the time that is over.
    service.answer(&[("500 Error", "", "{}")]);
    wait(&service, json!({}), Some(&call)).expect("E_TIMEOUT UNKNOWN");
}

#[test]
fn a_wait_that_outlasts_the_call_is_not_begun() {
    let service = Service::new();
    service.answer(&[("429 Busy", "retry-after: 3600\r\n", "{}")]);
    let call = Call::with_timeout_ms(600_000);
    let reply = within(HANG, || wait(&service, json!({}), Some(&call)));
    reply.expect("E_TIMEOUT UNKNOWN");
    assert_eq!((reply.attempts(), reply.retry_after_ms()), (1, 3_600_000));
}

#[test]
fn a_cancel_or_a_stop_ends_it_with_the_last_state() {
    let service = Service::new();
    service.answer(&[(FOUND, "", &pending())]);
    let stops = Steps { stops: AtomicBool::new(true), ..Steps::default() };
    let call = Call::new();
    call.set_progress(step, &stops);
    let reply = wait(&service, json!({}), Some(&call));
    reply.expect("E_CANCELLED UNKNOWN");
    assert_eq!((reply.state(), reply.attempts(), stops.told.lock().unwrap().len()), (2, 1, 1));
    // Within the wait for the next status query, which would take minutes.
    let (call, slow) = (Call::with_timeout_ms(600_000), json!({"interval_ms": 60_000}));
    let before = service.server.seen().len();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| within(HANG, || wait(&service, slow.clone(), Some(&call))));
        eventually("a status query", || service.server.seen().len() > before);
        call.cancel();
        let reply = waiting.join().unwrap();
        reply.expect("E_CANCELLED UNKNOWN");
    });
}

#[test]
fn a_final_state_must_have_the_expected_price() {
    let service = Service::new();
    let paid = order(5, PAID);
    for (expect, verdict) in [
        (json!({"amount": "100.10"}), "OK CONFIRMED"),
        (json!({"amount": 100.1, "currency": "ngn"}), "OK CONFIRMED"),
        (json!({"amount": "100.01"}), "E_UNRESOLVED UNKNOWN"),
        (json!({"currency": "USD"}), "E_UNRESOLVED UNKNOWN"),
    ] {
        // Before the end the price does not count: the service may not name it yet.
        let answers =
            [(FOUND, "", r#"{"data":{"orderSummary":{"reference":"O-1","statusId":1}}}"#), (FOUND, "", &paid)];
        let reply = wait(service.answer(&answers), json!({"expect": expect}), None);
        reply.expect(verdict);
        assert_eq!((reply.state(), reply.attempts()), (5, 2), "{expect}");
    }
}

#[test]
fn resolve_waits_if_it_is_asked_to() {
    let service = Service::new();
    let pay = json!({"reference": "O-1"});
    let (pending, failed) = (pending(), order(4, FAILED));
    let answers = [("500 Error", "", "{}"), (FOUND, "", pending.as_str()), (FOUND, "", failed.as_str())];
    let once = service.answer(&answers).resolve("order_pay", &pay, &json!({"attempts": 1}));
    once.expect("E_SERVER UNKNOWN");
    assert_eq!(once.attempts(), 1);
    let waits = |more: Value| {
        let request = json!({"endpoint": "order_pay", "request": pay, "wait": true, "interval_ms": 10});
        let call = Call::with_timeout_ms(2000);
        service.answer(&answers).client.call_with("resolve", &with(request, more), Some(&call))
    };
    let reply = waits(json!({"attempts": 1}));
    reply.expect("E_REJECTED REJECTED");
    assert_eq!(reply.attempts(), 3);
    // Without the attempts the same response proves nothing, so it goes on to the end.
    let reply = waits(json!({}));
    reply.expect("E_UNRESOLVED UNKNOWN");
    assert_eq!((reply.state(), reply.body()), (4, failed.as_str()));
}
