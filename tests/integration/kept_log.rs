//! The log that a token keeps, for languages whose code must not run in a callback; and the trace that it sends along.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::support::capi::{Call, Client, refund, with};
use crate::support::server::{Connection, OK, Server};
use crate::support::{encryption_key, long_encryption_key};

/// A service whose first response is "try again", and what it was sent.
fn busy_once() -> (Server, Arc<Mutex<Vec<String>>>) {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let server = Server::start({
        let requests = Arc::clone(&requests);
        move |mut c: Connection| {
            while let Some(request) = c.read_request() {
                requests.lock().unwrap().push(request);
                match c.index {
                    0 => c.answer("429 busy", "retry-after: 0\r\nx-request-id: r-0\r\n", "{}"),
                    _ => c.answer("200 OK", "x-request-id: r-1\r\n", OK),
                }
            }
        }
    });
    (server, requests)
}

#[test]
fn a_token_keeps_what_the_callback_gets_with_the_members_of_each_attempt() {
    static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());
    unsafe extern "C" fn log(_: *mut c_void, level: c_int, message: *const c_char) {
        let message = unsafe { CStr::from_ptr(message) }.to_str().unwrap();
        LINES.lock().unwrap().push(format!("{level} {message}"));
    }
    let (server, _) = busy_once();
    let client = Client::new(&server.config());
    client.set_log(Some(log));
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64;
    let (call, began) = (Call::new(), now());
    call.keep_log(4);
    let reply = client.call_with("order_refund", &refund(), Some(&call));
    reply.expect("OK CONFIRMED");
    let lines = call.log();
    let told = |line: &Value| {
        format!("{} {} {}", line["level"], line["call_id"].as_str().unwrap(), line["message"].as_str().unwrap())
    };
    assert_eq!(lines.iter().map(told).collect::<Vec<_>>(), *LINES.lock().unwrap());

    let named = |line: &Value| {
        let mut line = line.clone();
        let members = line.as_object_mut().unwrap();
        if let Some(ms) = members.remove("ms") {
            assert!(ms.is_u64());
        }
        assert!(members.remove("time").unwrap().as_u64().is_some_and(|time| (began..=now()).contains(&time)));
        assert_eq!(members.remove("call_id").unwrap(), reply.call_id());
        assert_eq!(members.remove("reference").unwrap(), refund()["reference"]);
        members.remove("message");
        line
    };
    let about = |attempt: u32, more: Value| {
        let mut line = json!({"endpoint": "order_refund", "attempt": attempt});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line
    };
    let begins = json!({"level": 4, "begins": true});
    let refused =
        json!({"level": 2, "status": "E_RATE_LIMITED", "outcome": "REJECTED", "http_status": 429, "request_id": "r-0"});
    let done = json!({"level": 3, "status": "OK", "outcome": "CONFIRMED", "http_status": 200, "request_id": "r-1"});
    let expected = [about(1, begins.clone()), about(1, refused), json!({"level": 3}), about(2, begins), about(2, done)];
    assert_eq!(lines.iter().map(named).collect::<Vec<_>>(), expected);
    assert_eq!(reply.request_id(), "r-1");
    assert_eq!(call.log(), [] as [Value; 0], "a line is taken once");
}

/// A cashier may have typed a card number where the reference belongs.
#[test]
fn a_reference_that_is_a_secret_of_the_request_is_masked() {
    const NUMBER: &str = "4111111111111111";
    let (server, _) = busy_once();
    let client = Client::new(&with(server.config(), json!({"encryption_key": long_encryption_key()})));
    let call = Call::new();
    call.keep_log(4);
    let charge = json!({
        "paymentoption": "C", "country": "NG",
        "card": {"cardnumber": NUMBER, "expirymonth": "01", "expiryyear": "39", "cvv": "193"},
        "order": {"reference": NUMBER, "amount": "25.50", "currency": "NGN", "description": "tea"},
    });
    client.call_with("order_create", &charge, Some(&call));
    let lines = call.log();
    assert!(!lines.is_empty() && lines.iter().all(|line| line["reference"].is_string()), "{lines:?}");
    assert!(!format!("{lines:?}").contains(NUMBER), "{lines:?}");
}

#[test]
fn a_token_keeps_only_its_level_and_counts_what_it_has_no_room_for() {
    let (server, _) = busy_once();
    let client = Client::new(&server.config());
    let call = Call::new();
    client.call_with("order_refund", &refund(), Some(&call)).expect("OK CONFIRMED");
    assert!(call.log().is_empty(), "by default nothing is kept");
    call.keep_log(1);
    client.call_with("order_refund", &json!({}), Some(&call)).expect("E_ARGUMENT NOT_SENT");
    assert!(call.log().is_empty(), "a warning is no error");
    call.keep_log(2);
    for _ in 0..1100 {
        client.call_with("order_refund", &json!({}), Some(&call)).expect("E_ARGUMENT NOT_SENT");
    }
    call.keep_log(0);
    client.call_with("order_refund", &json!({}), Some(&call)).expect("E_ARGUMENT NOT_SENT");
    let lines = call.log();
    assert_eq!(lines.len(), 1025);
    assert!(lines[..1024].iter().all(|line| line["message"] == "nothing was sent: E_ARGUMENT" && line["level"] == 2));
    assert_eq!(lines[1024]["dropped"], 76);
    assert!(call.log().is_empty());
}

/// Every attempt, and every status query of an operation.
#[test]
fn a_trace_goes_on_at_the_service() {
    const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let (server, requests) = busy_once();
    let client = Client::new(&with(server.config(), json!({"encryption_key": encryption_key()})));
    let call = Call::new();
    assert!(call.set_traceparent(Some(TRACE)));
    assert!(!call.set_traceparent(Some("00-1-2-01\r\nx-other: 1")), "what is refused changes nothing");
    client.call_with("order_refund", &refund(), Some(&call)).expect("OK CONFIRMED");
    client.call_with("resolve", &json!({"endpoint": "order_pay", "request": {"reference": "O-1"}}), Some(&call));
    let own =
        json!({"method": "GET", "path": "/x", "key": "public", "headers": {"traceparent": "mine"}, "read_only": true});
    client.call_with("request", &own, Some(&call)).expect("OK CONFIRMED");
    assert!(call.set_traceparent(None));
    client.call_with("order_refund", &refund(), Some(&call)).expect("OK CONFIRMED");
    let sent = requests.lock().unwrap();
    let traces: Vec<_> = sent
        .iter()
        .map(|request| {
            let mut found = request
                .lines()
                .filter_map(|line| line.to_ascii_lowercase().strip_prefix("traceparent: ").map(str::to_owned));
            let first = found.next();
            assert_eq!(found.next(), None, "at most one: {request}");
            first
        })
        .collect();
    let [refused, repeated, looked_up @ .., own, without] = traces.as_slice() else { panic!("{traces:?}") };
    assert!(!looked_up.is_empty(), "{traces:?}");
    for trace in [refused, repeated].into_iter().chain(looked_up) {
        assert_eq!(trace.as_deref(), Some(TRACE));
    }
    assert_eq!((own.as_deref(), without), (Some("mine"), &None));
}
