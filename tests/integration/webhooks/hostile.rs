//! Bodies that nobody should send. `flow::webhook::tests` has all of them, and answers that prove nothing.

use serde_json::{Value, json};

use super::is_forged;
use crate::support::capi::{Call, Client};
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
        (r#"{"sessionId":"1","x":{"y":1,"y":1}}"#.to_owned(), "gives a field twice"),
        (r#"{"sessionId":"../orders"}"#.to_owned(), "must not be a dot segment"),
        (r#"{"type":"ping"}"#.to_owned(), "has no reference that the service could be asked about"),
        ("[".repeat(100_000) + &"]".repeat(100_000), "an event has at most 10000"),
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

/// Anybody can send an event: what it holds is not written into the log.
#[test]
fn nothing_of_an_event_is_logged() {
    let answer = r#"{"data":{"statusId":5,"orderAmount":1,"sourceAccountName":"canary"}}"#;
    let server = Server::always("200 OK", "", answer);
    let (client, call) = (Client::new(&server.config()), Call::new());
    call.keep_log(4);
    for body in [
        json!({"orderReference": "canary-1", "orderAmount": 1, "statusId": 5, "canary": "canary"}),
        json!({"sessionId": "canary-2", "status": "canary", "orderAmount": 1}),
        json!({"orderReference": "canary-3", "orderAmount": "canary"}),
        json!({"canary": 5}),
    ] {
        let reply = client.call_with("webhook_verify", &json!({"body": body}), Some(&call));
        assert!(!reply.message().contains("canary"), "{}", reply.message());
    }
    let lines: Vec<_> = call.log().iter().map(|line| line["message"].clone()).collect();
    assert!(lines.len() >= 6 && !json!(lines).to_string().contains("canary"), "{lines:?}");
}
