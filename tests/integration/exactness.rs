//! Requests that move money: the first words of an UNKNOWN, that a charge has a price, and that a name has one spelling.

use paysvc_spec::ENDPOINTS;
use paysvc_spec::journal::Step;
use paysvc_spec::schema::{Doubt, Endpoint, Field, Kind, Reference, Safety};
use serde_json::{Value, json};

use crate::support::capi::{Call, Client, Reply, eventually, with};
use crate::support::long_encryption_key;
use crate::support::sandbox::Sandbox;
use crate::support::server::{Connection, Server};
use crate::support::target::good;

fn config(server: &Server) -> Value {
    with(server.config(), json!({"encryption_key": long_encryption_key(), "timeout_ms": 5000}))
}

fn request(row: &Endpoint) -> Value {
    Value::Object(good(row).request.clone())
}

/// A row's request as `paysvc_request` sends it.
fn free(row: &Endpoint, body: &Value) -> Value {
    let row_key = row.key.name();
    json!({"method": row.method.name(), "path": row.path, "key": row_key, "encrypt": row.encrypted, "body": body})
}

#[track_caller]
fn begins(reply: &Reply, doubt: Doubt, what: &str) {
    let words = doubt.words().unwrap();
    let message = reply.message();
    assert!(reply.verdict().ends_with(" UNKNOWN"), "{what}: {} {message}", reply.verdict());
    assert!(message.starts_with(&format!("{words}: ")), "{what}: {message}");
    assert_eq!(message.matches("do not repeat it").count(), 1, "{what}: {message}");
    if reply.http_status() == 0 || reply.get("/errors").as_deref() == Some("{}") {
        assert_eq!(reply.get("/message").as_deref(), Some(message), "{what}");
    }
}

/// The fate of a request after it was written.
type Fate = (&'static str, fn(Connection));

const FATES: &[Fate] = &[
    ("timeout", |mut connection| {
        connection.read_request();
        connection.hold();
    }),
    ("reset", |mut connection| {
        connection.read_request();
        connection.reset();
    }),
    ("502", |mut connection| connection.serve("502 Bad Gateway", "", "<html>")),
    ("500 with a word of the service", |mut connection| {
        connection.serve("500 Internal Server Error", "", r#"{"status":false,"message":"oops"}"#);
    }),
    ("unreadable 200", |mut connection| connection.serve("200 OK", "", r#"{"status":"#)),
    ("a body of another length", |mut connection| {
        connection.read_request();
        connection.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{}");
    }),
    ("redirect", |mut connection| connection.serve("302 Found", "location: /elsewhere\r\n", "")),
    ("408", |mut connection| connection.serve("408 Request Timeout", "", "")),
    ("nothing said", |mut connection| connection.serve("200 OK", "", "{}")),
];

#[test]
fn an_unknown_begins_with_what_it_means_for_the_person_who_reads_it() {
    let moves = || ENDPOINTS.iter().filter(|row| row.safety == Safety::Moves);
    for (fate, script) in FATES {
        let server = Server::start(*script);
        let client = Client::new(&with(config(&server), json!({"max_attempts": 1})));
        let timeout_ms = if *fate == "timeout" { 300 } else { 20_000 };
        let call = || Call::with_timeout_ms(timeout_ms);
        for row in moves() {
            let what = format!("{}, {fate}", row.name);
            begins(&client.call_with(row.name, &request(row), Some(&call())), row.doubt, &what);
            begins(&client.call_with("request", &free(row, &request(row)), Some(&call())), row.doubt, &what);
        }
        let unlisted = json!({"method": "POST", "path": "/till/close", "key": "secret", "body": {"a": 1}});
        begins(&client.call_with("request", &unlisted, Some(&call())), Doubt::Money, fate);
        let list = json!({"payoutDetails": [with(request_of_recipient(), json!({"clientReference": "E-1"}))]});
        let (_folder, journal) = journal();
        let payer = Client::new(&with(with(config(&server), journal), json!({"timeout_ms": timeout_ms})));
        let bulk = payer.call("payout_bulk", &list);
        assert_eq!(bulk.attempts(), 1, "{fate}: {}", bulk.message());
        begins(&bulk, Doubt::Payout, fate);
        for row in ENDPOINTS.iter().filter(|row| row.safety != Safety::Moves) {
            let message = client.call_with(row.name, &request(row), Some(&call())).message().to_owned();
            assert!(!message.contains("do not repeat it"), "{}, {fate}: {message}", row.name);
            let is_harmless = message.contains("it moves no money, so it may be repeated");
            assert_eq!(is_harmless, row.safety == Safety::Repeatable, "{}, {fate}: {message}", row.name);
        }
    }
}

/// The settings of a new journal, in a folder that is removed with the first value.
fn journal() -> (tempfile::TempDir, Value) {
    let folder = tempfile::tempdir().unwrap();
    let settings = json!({"journal": folder.path().join("journal"), "journal_create": true});
    (folder, settings)
}

fn request_of_recipient() -> Value {
    let row = ENDPOINTS.iter().find(|row| row.doubt == Doubt::Payout).unwrap();
    request(row)["payoutDetails"][0].clone()
}

#[test]
fn a_cancelled_call_says_it_too() {
    let server = Server::start(|mut connection| {
        connection.read_request();
        connection.hold();
    });
    let client = Client::new(&config(&server));
    for row in ENDPOINTS.iter().filter(|row| row.safety == Safety::Moves) {
        let call = Call::new();
        let seen = server.seen().len();
        let reply = std::thread::scope(|scope| {
            let running = scope.spawn(|| client.call_with(row.name, &request(row), Some(&call)));
            eventually("the request arrives", || server.seen().len() > seen);
            call.cancel();
            running.join().unwrap()
        });
        begins(&reply, row.doubt, row.name);
        assert!(reply.verdict().starts_with("E_CANCELLED"), "{}: {}", row.name, reply.verdict());
    }
}

#[test]
fn resolve_and_order_wait_say_it_too() {
    let server = Server::always("500 Internal Server Error", "", "");
    let client = Client::new(&config(&server));
    let call = || Call::with_timeout_ms(300);
    for row in ENDPOINTS {
        let resolve = json!({"endpoint": row.name, "request": request(row)});
        let reply = client.call_with("resolve", &resolve, Some(&call()));
        match row.safety {
            Safety::Moves => begins(&reply, row.doubt, row.name),
            _ => assert!(!reply.message().contains("do not repeat"), "{}: {}", row.name, reply.message()),
        }
    }
    let lost = json!({"endpoint": "no such endpoint", "request": {}});
    begins(&client.call_with("resolve", &lost, Some(&call())), Doubt::Money, "resolve without an endpoint");
    begins(&client.call_with("order_wait", &json!({"reference": "O"}), Some(&call())), Doubt::Charge, "order_wait");
    begins(&client.call_with("order_wait", &json!({}), Some(&call())), Doubt::Charge, "order_wait without a reference");
}

#[test]
fn a_journal_says_it_too() {
    let (_folder, journal) = journal();
    let server = Server::always("500 Internal Server Error", "", "");
    let client = Client::new(&with(config(&server), journal));
    for row in ENDPOINTS.iter().filter(|row| row.name == "card_charge" || row.name == "order_pay") {
        for attempt in 0..2 {
            begins(&client.call(row.name, &request(row)), Doubt::Charge, &format!("{}, attempt {attempt}", row.name));
        }
    }
}

/// The rows that this is about.
fn exact() -> impl Iterator<Item = &'static Endpoint> {
    ENDPOINTS.iter().filter(|row| row.is_exact())
}

fn pointers(fields: &[Field], within: &str, is_it: &dyn Fn(&Field) -> bool, found: &mut Vec<String>) {
    for field in fields {
        let pointer = format!("{within}/{}", field.name);
        if is_it(field) {
            found.push(pointer.clone());
        }
        let each = if matches!(field.kind, Kind::List(_)) { "/0" } else { "" };
        pointers(field.kind.members(), &format!("{pointer}{each}"), is_it, found);
    }
}

/// Refused before anything is sent, and the field is named.
#[track_caller]
fn refused(reply: &Reply, server: &Server, pointer: &str, what: &str) {
    reply.expect("E_ARGUMENT NOT_SENT");
    let member = pointer[1..].replace('/', ".");
    let error = reply.get(&format!("/errors/{member}"));
    assert!(error.as_deref().is_some_and(|error| error.contains(what)), "{member} {what}: {}", reply.body());
    assert_eq!(server.connections(), 0);
}

#[test]
fn an_amount_that_is_given_is_above_zero() {
    let server = Server::ok();
    let client = Client::new(&config(&server));
    for row in exact() {
        let mut found = Vec::new();
        pointers(row.fields, "", &|field| matches!(field.kind, Kind::Amount(_)), &mut found);
        for pointer in found {
            for nothing in [json!(null), json!(""), json!("  "), json!(0), json!("0.00"), json!(-1), json!("-2.50")] {
                let mut wrong = request(row);
                match wrong.pointer_mut(&pointer) {
                    Some(amount) => *amount = nothing,
                    None => wrong[&pointer[1..]] = nothing,
                }
                refused(&client.call(row.name, &wrong), &server, &pointer, "must be");
                let free = client.call("request", &free(row, &wrong));
                refused(&free, &server, &format!("/body{pointer}"), "must be above zero");
            }
        }
        if row.allows_extra {
            for extra in [json!({"amount": null}), json!({"Amount": "0"}), json!({"AMOUNT": ""})] {
                client.call(row.name, &with(request(row), extra)).expect("E_ARGUMENT NOT_SENT");
            }
        }
    }
    let unlisted = json!({"method": "POST", "path": "/till/close", "key": "secret", "body": {"amount": "0"}});
    refused(&client.call("request", &unlisted), &server, "/body/amount", "must be above zero");
}

#[test]
fn an_order_has_a_price_in_every_request_that_charges() {
    let server = Server::ok();
    let client = Client::new(&config(&server));
    let charges = exact().filter(|row| matches!(Step::of(row, true), Some(Step::Charge | Step::Order)));
    let mut rows = 0;
    for row in charges {
        let mut without = request(row);
        without["order"] = json!({"reference": "O-1"});
        refused(&client.call(row.name, &without), &server, "/order/amount", "is required");
        refused(&client.call("request", &free(row, &without)), &server, "/body/order/amount", "is required");
        rows += 1;
    }
    assert!(rows >= 4, "{rows}");
}

#[test]
fn a_card_without_an_order_is_sent_and_said() {
    let row = ENDPOINTS.iter().find(|row| row.fields.iter().any(|field| field.has_price)).unwrap();
    let sandbox = Sandbox::start(&[]);
    let client = Client::new(&sandbox.config());
    let mut request = request(row);
    request.as_object_mut().unwrap().remove("order");
    let said = |verdict: &str| {
        let call = Call::new();
        call.keep_log(2);
        client.call_with(row.name, &request, Some(&call)).expect(verdict);
        let lines = call.log();
        let says = |line: &&Value| line["message"].as_str().unwrap().contains("no price in the request");
        lines.iter().filter(says).map(|line| line["level"].clone()).collect::<Vec<_>>()
    };
    // Nobody has named a price, so nothing is charged.
    assert_eq!(said("E_REJECTED REJECTED"), [json!(2)]);
    assert_eq!(sandbox.ledger(), [json!(null); 0]);
    sandbox.post("/sandbox/orders", &json!({"reference": request["reference"], "amount": "12.50"}));
    assert_eq!(said("OK CONFIRMED"), [json!(2)]);
    let charge = sandbox.ledger().into_iter().find(|entry| entry["effect"] == "charge_made").unwrap();
    assert_eq!(charge["amount"], "12.50");
}

#[test]
fn a_name_has_one_spelling() {
    let server = Server::ok();
    let client = Client::new(&config(&server));
    for row in exact() {
        let mut found = Vec::new();
        pointers(row.fields, "", &|field| field.is_name(), &mut found);
        assert!(!found.is_empty(), "{}", row.name);
        for pointer in found {
            for (name, what) in [
                ("pad-1     ", "begins or ends with a blank"),
                (" pad-1", "begins or ends with a blank"),
                ("pad-1\u{a0}", "begins or ends with a blank"),
                ("pad-1\n", "has a control or invisible character"),
                ("pad\u{200b}-1", "has a control or invisible character"),
                ("\u{feff}pad-1", "has a control or invisible character"),
            ] {
                let mut wrong = request(row);
                if wrong.pointer_mut(&pointer).map(|value| *value = name.into()).is_none() {
                    continue;
                }
                refused(&client.call(row.name, &wrong), &server, &pointer, what);
                refused(&client.call("request", &free(row, &wrong)), &server, &format!("/body{pointer}"), what);
            }
        }
    }
    let recipient = with(request_of_recipient(), json!({"clientReference": "E-1 "}));
    let (_folder, journal) = journal();
    let client = Client::new(&with(config(&server), journal));
    let reply = client.call("payout_bulk", &json!({"payoutDetails": [recipient]}));
    refused(&reply, &server, "/payoutDetails/0/clientReference", "begins or ends with a blank");
}

#[test]
fn a_question_refuses_no_spelling() {
    let server = Server::ok();
    let client = Client::new(&config(&server));
    let is_reference = |field: &Field| field.reference.is_some_and(|kind| kind != Reference::Refunded);
    for row in ENDPOINTS.iter().filter(|row| row.read_only()) {
        let mut found = Vec::new();
        pointers(row.fields, "", &is_reference, &mut found);
        for pointer in found {
            let mut padded = request(row);
            *padded.pointer_mut(&pointer).unwrap() = "pad-1  ".into();
            let reply = client.call(row.name, &padded);
            assert!(!reply.verdict().starts_with("E_ARGUMENT"), "{}: {}", row.name, reply.message());
        }
    }
    let call = || Call::with_timeout_ms(300);
    let wait = client.call_with("order_wait", &json!({"reference": "pad-1  "}), Some(&call()));
    assert!(!wait.verdict().starts_with("E_ARGUMENT"), "{}", wait.message());
    let resolve = json!({"endpoint": "order_pay", "request": {"reference": "pad-1  "}});
    let resolved = client.call_with("resolve", &resolve, Some(&call()));
    assert!(!resolved.verdict().starts_with("E_ARGUMENT"), "{}", resolved.message());
}
