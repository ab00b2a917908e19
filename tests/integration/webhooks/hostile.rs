//! Bodies that nobody should send, and answers that prove nothing.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Mutex;

use serde_json::{Value, json};

use super::{findings, is_forged};
use crate::support::capi::Client;
use crate::support::server::Server;

/// A client of a service that must not be asked.
fn unasked() -> (Server, Client) {
    let server = Server::start(|mut connection| {
        connection.read_request();
    });
    let client = Client::new(&server.config());
    (server, client)
}

#[test]
fn a_hostile_body_is_refused_before_anything_is_asked() {
    const MILLION: usize = 1_000_000;
    let (server, client) = unasked();
    for (body, part) in [
        (String::new(), "is not JSON"),
        ("{\"orderReference\":\"A\"".to_owned(), "is not JSON"),
        ("orderReference=A&statusId=5".to_owned(), "is not JSON"),
        ("[{\"orderReference\":\"A\"}]".to_owned(), "must be an object, not an array"),
        ("\"text\"".to_owned(), "must be an object, not a string"),
        (r#"{"data":{"sessionId":"1"},"Data":{"sessionId":"2"}}"#.to_owned(), "body.data is given twice"),
        (r#"{"data":{"sessionId":"1","SessionId":"2"}}"#.to_owned(), "body.sessionId is given twice"),
        (r#"{"sessionId":"1","data":{"sessionId":"2"}}"#.to_owned(), "body.sessionId contradicts"),
        (r#"{"sessionId":"1","sessionId":"1"}"#.to_owned(), "gives a field twice"),
        (r#"{"sessionId":"1","x":{"y":1,"y":1}}"#.to_owned(), "gives a field twice"),
        (r#"{"sessionId":["1"]}"#.to_owned(), "is neither text nor a number"),
        (r#"{"sessionId":"1","statusId":5,"status":"failed"}"#.to_owned(), "body.status contradicts"),
        (r#"{"orderReference":"A","orderAmount":"6e2"}"#.to_owned(), "is not a decimal amount"),
        (r#"{"orderReference":"\udc00"}"#.to_owned(), "is not valid Unicode text"),
        (format!(r#"{{"orderReference":"{}"}}"#, "A".repeat(300)), "is too long"),
        (r#"{"sessionId":"../orders"}"#.to_owned(), "must not be a dot segment"),
        (r#"{"type":"ping"}"#.to_owned(), "has no reference that the service could be asked about"),
        ("[".repeat(100_000), "is not JSON"),
        ("[".repeat(100_000) + &"]".repeat(100_000), "an event has at most 10000"),
        (format!("{{\"a\":[{}0]}}", "0,".repeat(100_000)), "an event has at most 10000"),
        (" ".repeat(MILLION), "an event has at most 262144"),
        (" ".repeat(9 * MILLION), "is longer than 262144 bytes"),
    ] {
        let reply = client.call("webhook_verify", &json!({"body": body}));
        reply.expect("E_ARGUMENT NOT_SENT");
        assert_eq!((is_forged(&reply), reply.attempts()), (vec![], 0));
        let shown: String = body.chars().take(80).collect();
        assert!(reply.message().contains(part), "{shown}: {}", reply.message());
        let answer: Value = serde_json::from_str(reply.body()).unwrap();
        assert!(answer["status"] == false && answer["errors"].is_object() && answer.get("match").is_none());
    }
    assert_eq!(server.seen().len(), 0, "the service was not asked");
}

#[test]
fn a_wrong_request_is_refused_and_authenticates_nothing() {
    let (server, client) = unasked();
    let body = json!({"orderReference": "A", "orderAmount": 1});
    for (request, part) in [
        (json!({}), "body is required"),
        (json!({"body": body, "expected": {}}), "expected is not a known field; did you mean expect?"),
        (json!({"body": 5}), "body must be the text of an event or an object, not a number"),
        (json!({"body": null}), "not null"),
        (json!({"body": [body]}), "not an array"),
        (json!({"body": body, "expect": {}}), "without one every event would match"),
        (json!({"body": body, "expect": {"ammount": "5"}}), "did you mean amount?"),
        (json!({"body": body, "expect": {"amount": "5,00"}}), "must be a decimal amount above zero"),
        (json!({"body": body, "expect": {"reference": ""}}), "must not be empty"),
        (json!({"body": body, "expect": {"currency": null}}), "expect.currency must be a string, not null"),
    ] {
        let reply = client.call("webhook_verify", &request);
        reply.expect("E_ARGUMENT NOT_SENT");
        assert!(reply.message().contains(part), "{request}: {}", reply.message());
        assert_eq!(is_forged(&reply), Vec::<String>::new());
    }
    assert_eq!(server.seen().len(), 0, "the service was not asked");
}

/// The response to every question.
fn answering(status: &'static str, body: &'static str) -> (Server, Client) {
    let server = Server::always(status, "", body);
    let client = Client::new(&server.config());
    (server, client)
}

#[test]
fn an_answer_that_proves_nothing_authenticates_nothing() {
    let event = json!({"body": {"orderReference": "A", "orderAmount": 1, "statusId": 5}});
    for (status, body, verdict) in [
        ("200 OK", r#"{"authentic":true,"data":{"statusId":5,"orderAmount":1}}"#, "E_RESPONSE UNKNOWN"),
        ("200 OK", r#"{"Match":true,"data":{"statusId":5,"orderAmount":1}}"#, "E_RESPONSE UNKNOWN"),
        ("200 OK", r#"{"data":{"statusId":5,"orderAmount":1},"key":null}"#, "E_RESPONSE UNKNOWN"),
        ("404 Not Found", r#"{"status":false,"message":"Order not found","authentic":true}"#, "E_RESPONSE UNKNOWN"),
        ("200 OK", r#"{"status":"success"}"#, "E_UNRESOLVED UNKNOWN"),
        ("200 OK", r#"{"status":"success","data":[{"statusId":5,"orderAmount":1}]}"#, "E_UNRESOLVED UNKNOWN"),
        ("200 OK", r#"{"data":{"statusId":5,"OrderAmount":1}}"#, "OK CONFIRMED"),
        ("200 OK", r#"{"data":{"statusId":5,"orderAmount":1,"orderReference":"B"}}"#, "E_RESPONSE UNKNOWN"),
        ("200 OK", r#"{"data":{"statusId":5,"totalAmountCharged":1,"totalChargedAmount":2}}"#, "E_UNRESOLVED UNKNOWN"),
        ("200 OK", r#"{"data":{"statusId":5,"status":"Failed","orderAmount":1}}"#, "E_UNRESOLVED UNKNOWN"),
        ("200 OK", r#"{"data":{"statusId":5,"statusId":5,"orderAmount":1}}"#, "E_RESPONSE UNKNOWN"),
        ("404 Not Found", r#"{"data":{"statusId":5,"orderAmount":1}}"#, "E_UNRESOLVED UNKNOWN"),
        ("400 Bad Request", "[]", "E_RESPONSE UNKNOWN"),
    ] {
        let (_server, client) = answering(status, body);
        let reply = client.call("webhook_verify", &event);
        reply.expect(verdict);
        is_forged(&reply);
    }
    // The same response without what is wrong.
    let (_server, client) = answering("200 OK", r#"{"data":{"statusId":5,"orderAmount":1}}"#);
    assert_eq!(findings(&client.call("webhook_verify", &event))["authentic"], true);
}

static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

unsafe extern "C" fn keep(_: *mut c_void, _: c_int, message: *const c_char) {
    let message = unsafe { CStr::from_ptr(message) }.to_str().unwrap();
    LINES.lock().unwrap().push(message.to_owned());
}

/// Anybody can send an event: what it holds is not written into the log.
#[test]
fn nothing_of_an_event_is_logged() {
    let answer = r#"{"data":{"statusId":5,"orderAmount":1,"sourceAccountName":"canary"}}"#;
    let (_server, client) = answering("200 OK", answer);
    client.set_log(Some(keep));
    for body in [
        json!({"orderReference": "canary-1", "orderAmount": 1, "statusId": 5, "canary": "canary"}),
        json!({"sessionId": "canary-2", "status": "canary", "orderAmount": 1}),
        json!({"orderReference": "canary-3", "orderAmount": "canary"}),
        json!({"canary": 5}),
    ] {
        let reply = client.call("webhook_verify", &json!({"body": body}));
        assert!(!reply.message().contains("canary"), "{}", reply.message());
    }
    let lines = LINES.lock().unwrap().clone();
    assert!(lines.len() >= 6, "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("canary")), "{lines:?}");
}
