//! The fate of an earlier request: `paysvc_resolve` and `paysvc_order_wait` over real sockets, against a server that
//! gives any answer and against the sandbox.

mod reference;
mod sandbox;
mod waiting;

use std::sync::{Arc, Mutex};

use paysvc_spec::ENDPOINTS;
use paysvc_spec::operations::OPERATIONS;
use paysvc_spec::schema::{Endpoint, Safety};
use paysvc_spec::status::Outcome;
use serde_json::{Value, json};

use crate::support::capi::{Client, Reply, with};
use crate::support::encryption_key;
use crate::support::server::Server;

/// HTTP status, headers, body.
type Answer = (&'static str, &'static str, String);

/// Gives one answer after the other, and the last one from then on.
struct Service {
    answers: Arc<Mutex<Vec<Answer>>>,
    server: Server,
    client: Client,
}

impl Service {
    fn new() -> Service {
        let answers = Arc::new(Mutex::new(Vec::<Answer>::new()));
        let server = Server::start({
            let answers = Arc::clone(&answers);
            move |mut c| {
                while c.read_request().is_some() {
                    let (status, headers, body) = {
                        let mut left = answers.lock().unwrap();
                        if left.len() > 1 { left.remove(0) } else { left[0].clone() }
                    };
                    c.answer(status, headers, &body);
                }
            }
        });
        let own = json!({"encryption_key": encryption_key(), "max_attempts": 1});
        let client = Client::new(&with(server.config(), own));
        Service { answers, server, client }
    }

    /// From now on it gives these: HTTP status, headers, body.
    fn answer(&self, answers: &[(&'static str, &'static str, &str)]) -> &Service {
        *self.answers.lock().unwrap() =
            answers.iter().map(|(status, headers, body)| (*status, *headers, (*body).to_owned())).collect();
        self
    }

    fn resolve(&self, endpoint: &str, request: &Value, more: &Value) -> Reply {
        let call = with(json!({"endpoint": endpoint, "request": request}), more.clone());
        self.client.call("resolve", &call)
    }
}

const FOUND: &str = "200 OK";

/// The response of an order's status query.
fn order(state: u8, history: &str) -> String {
    format!(
        r#"{{"data":{{"isFinalStatus":{},"requeryNeeded":false,"orderSummary":{{"reference":"O-1","statusId":{state},"orderAmount":"100.1000","currency":"NGN"}},"orderPayments":{history}}},"statusCode":"00"}}"#,
        (4..7).contains(&state)
    )
}

const FAILED: &str = r#"[{"orderPaymentReference":"P-1","statusId":4,"status":"Failed"}]"#;
const PAID: &str = r#"[{"orderPaymentReference":"P-1","statusId":5,"status":"Successful"}]"#;

/// `answer::resolution` has every cell of the table.
#[test]
fn every_question_is_settled_by_the_answer_of_its_look_up() {
    let service = Service::new();
    let (pay, attempt) = (json!({"reference": "O-1"}), json!({"reference": "O-1", "orderPaymentReference": "P-1"}));
    let dearer = json!({"order": {"reference": "O-1", "amount": "100.11"}});
    let (batch, alias) = (json!({"batchReference": "B-1"}), json!({"Alias": "till-1"}));
    let (one, none, free) = (json!({"attempts": 1}), json!({}), json!({"charged": false, "attempts": 1}));
    let other = json!({"expect": {"amount": "90", "currency": "NGN"}});
    let (status, account) = ("POST /payment/order/status ", "GET /payment/account-details?alias=till-1 ");
    let (of_batch, of_another) = (
        r#"{"status":"success","batchReference":"B-1","data":[{"statusId":2}]}"#,
        r#"{"status":"success","batchReference":"B-2"}"#,
    );
    let found = r#"{"alias":"till-1","accountNumber":"99"}"#;
    for (endpoint, request, more, answer, verdict, state, line) in [
        ("order_pay", &pay, &none, order(5, PAID), "OK CONFIRMED", 5, status),
        ("order_pay", &pay, &other, order(5, PAID), "E_UNRESOLVED UNKNOWN", 5, status),
        ("order_pay", &pay, &one, order(4, FAILED), "E_REJECTED REJECTED", 4, status),
        ("order_pay", &pay, &json!({"attempts": 2}), order(4, FAILED), "E_UNRESOLVED UNKNOWN", 4, status),
        ("order_pay", &json!({"reference": "O-2"}), &one, order(5, PAID), "E_UNRESOLVED UNKNOWN", 5, status),
        ("card_charge", &dearer, &one, order(4, FAILED), "E_UNRESOLVED UNKNOWN", 4, status),
        ("order_create", &dearer, &free, order(1, "[]"), "E_UNRESOLVED UNKNOWN", 1, status),
        ("order_pay_authorize", &attempt, &none, order(5, PAID), "OK CONFIRMED", 5, status),
        ("order_refund", &pay, &none, order(6, PAID), "OK CONFIRMED", 5, status),
        ("payout_initiate", &batch, &none, of_batch.into(), "OK CONFIRMED", 0, "GET /payout/B-1/status "),
        ("payout_initiate", &batch, &none, of_another.into(), "E_UNRESOLVED UNKNOWN", 0, "GET /payout/"),
        ("virtual_account_generate", &alias, &none, found.into(), "OK CONFIRMED", 0, account),
        ("virtual_account_generate", &alias, &none, r#"{"status":true}"#.into(), "E_UNRESOLVED UNKNOWN", 0, account),
    ] {
        let before = service.server.seen().len();
        let reply = service.answer(&[(FOUND, "", &answer)]).resolve(endpoint, request, more);
        assert_eq!(
            (reply.verdict().as_str(), reply.state()),
            (verdict, state),
            "{endpoint} {answer}: {}",
            reply.message()
        );
        assert_eq!((reply.body(), reply.attempts(), reply.http_status()), (answer.as_str(), 1, 200));
        let seen = service.server.seen();
        assert!(seen.len() == before + 1 && seen[before].starts_with(line), "{endpoint}: {:?}", &seen[before..]);
    }
}

#[test]
fn a_difference_is_named_and_a_secret_in_it_is_not() {
    let service = Service::new();
    let body = order(5, PAID).replace("100.1000", "90");
    let reply = service.answer(&[(FOUND, "", &body)]).resolve(
        "order_pay",
        &json!({"reference": "O-1"}),
        &json!({"expect": {"amount": 100.10}}),
    );
    let message = reply.message();
    assert!(message.contains("the price in the response is 90, which is not the amount of expect"), "{message}");
    // A caller may give the whole request, although nothing asks it to.
    let card = "5399413078825962";
    let whole = json!({"reference": "O-1", "order": {"reference": "O-1", "amount": "1"},
        "card": {"cardnumber": card, "expirymonth": "01", "expiryyear": "39", "cvv": "731"}});
    let echo =
        order(5, PAID).replace("\"100.1000\"", card).replace("\"00\"", &format!("\"00\",\"message\":\"card {card}\""));
    let reply = service.answer(&[(FOUND, "", &echo)]).resolve("order_create", &whole, &json!({}));
    reply.expect("E_UNRESOLVED UNKNOWN");
    assert!(
        reply.message().contains("the price in the response is ") && !reply.message().contains(card),
        "{}",
        reply.message()
    );
    assert!(!service.server.seen().last().unwrap().contains(card));
}

#[test]
fn an_order_that_was_paid_twice_is_named() {
    let service = Service::new();
    let twice = PAID.replace(']', r#",{"orderPaymentReference":"P-2","statusId":5}]"#);
    let reply = service.answer(&[(FOUND, "", &order(5, &twice))]).resolve(
        "order_pay",
        &json!({"reference": "O-1"}),
        &json!({"attempts": 1}),
    );
    reply.expect("OK CONFIRMED");
    assert!(reply.message().contains("paid twice"), "{}", reply.message());
}

#[test]
fn a_look_up_that_fails_leaves_the_outcome_unknown_with_its_own_status() {
    let service = Service::new();
    let request = json!({"reference": "O-1"});
    for (status, body, expected) in [
        ("404 Not Found", r#"{"status":false,"message":"order not found"}"#, "E_UNRESOLVED UNKNOWN"),
        ("401 Unauthorized", "{}", "E_UNAUTHORIZED UNKNOWN"),
        ("400 Bad Request", "{}", "E_UNRESOLVED UNKNOWN"),
        ("429 Too Many Requests", "{}", "E_RATE_LIMITED UNKNOWN"),
        ("500 Error", "{}", "E_SERVER UNKNOWN"),
        ("302 Found", "{}", "E_UNRESOLVED UNKNOWN"),
        (FOUND, r#"{"status":"failed"}"#, "E_UNRESOLVED UNKNOWN"),
        (FOUND, r#"{"status":"success"}"#, "E_UNRESOLVED UNKNOWN"),
        (FOUND, "<html>", "E_RESPONSE UNKNOWN"),
        (FOUND, "", "E_RESPONSE UNKNOWN"),
        (FOUND, r#"{"data":{"orderSummary":{"statusId":5}}"#, "E_RESPONSE UNKNOWN"),
        (FOUND, r#"{"data":{"orderSummary":{"statusId":4,"statusId":5}}}"#, "E_UNRESOLVED UNKNOWN"),
    ] {
        service.answer(&[(status, "", body)]);
        for reply in [
            service.resolve("order_pay", &request, &json!({"attempts": 1})),
            service.resolve("order_refund", &request, &json!({})),
            service.resolve("order_create", &json!({"order": request}), &json!({})),
        ] {
            reply.expect(expected);
            assert_eq!((reply.state(), reply.attempts()), (0, 1), "{status} {body}");
        }
    }
    service.answer(&[("404 Not Found", "", "{}")]);
    let absent = |endpoint, request: &Value| service.resolve(endpoint, request, &json!({})).message().to_owned();
    assert!(absent("order_pay", &request).contains("may still be on its way"));
    // An unknown is a charge, whatever was forgotten.
    for forgotten in [json!({"order": request}), json!({"order": request, "authorization": {"cardToken": "T"}})] {
        assert!(absent("order_create", &forgotten).contains("may still be on its way"));
    }
    let free = service.resolve("order_create", &json!({"order": request}), &json!({"charged": false}));
    assert!(free.message().contains("may be sent again"), "{}", free.message());
    assert!(absent("virtual_account_generate", &json!({"Alias": "a"})).contains("may be sent again"));
}

#[test]
fn where_no_endpoint_tells_nothing_is_sent() {
    let service = Service::new();
    let asked = |row: &Endpoint, request: &Value| service.resolve(row.name, request, &json!({"attempts": 1}));
    for row in ENDPOINTS.iter().filter(|row| row.looked_up_by.is_none()) {
        let reply = asked(row, &json!({"reference": "O-1"}));
        reply.expect("E_UNRESOLVED UNKNOWN");
        let told = match row.safety {
            Safety::ReadOnly => "call it again",
            Safety::Repeatable => "it may be repeated",
            Safety::Moves => "a person",
        };
        assert!(reply.message().contains(told), "{}: {}", row.name, reply.message());
    }
    let part = service.resolve("order_refund", &json!({"reference": "O-1", "amount": "1"}), &json!({}));
    part.expect("E_UNRESOLVED UNKNOWN");
    assert!(part.message().contains("a person"), "{}", part.message());
    service.resolve("payout_initiate", &json!({"payoutDetails": []}), &json!({})).expect("E_ARGUMENT UNKNOWN");
    assert_eq!(service.server.seen(), [""; 0]);
}

/// Whatever is wrong: nothing was sent *now*, which proves nothing about the earlier request.
#[test]
fn the_outcome_is_never_not_sent() {
    let service = Service::new();
    let refused = |reply: &Reply, what: &str| {
        assert_eq!((reply.outcome(), reply.attempts()), (Outcome::Unknown, 0), "{what}: {}", reply.message());
    };
    let about_earlier = OPERATIONS.iter().filter(|operation| operation.about_earlier).map(|operation| operation.name);
    let about_earlier: Vec<_> = about_earlier.collect();
    assert_eq!(about_earlier, ["resolve", "order_wait", "journal_settle"]);
    for function in about_earlier {
        service.client.call_with_nulls(function).iter().for_each(|reply| refused(reply, "NULL"));
        for text in ["", "{", "[]", "7", "{}", r#"{"unknown":1}"#, r#"{"reference":7}"#, r#"{"reference":""}"#] {
            let reply = service.client.call(function, &text);
            reply.expect("E_ARGUMENT UNKNOWN");
            refused(&reply, text);
        }
    }
    let pay = |more: Value| with(json!({"endpoint": "order_pay", "request": {"reference": "O"}}), more);
    for (call, part) in [
        (json!({"endpoint": "order_pya", "request": {}}), "endpoint is not a known name; did you mean order_pay?"),
        (json!({"endpoint": "paysvc_order_pay", "request": {}}), "endpoint has no prefix: order_pay"),
        (json!({"endpoint": "order_pay", "request": {}}), "request.reference is required"),
        (json!({"endpoint": "order_pay", "request": {}, "atempts": 1}), "did you mean attempts?"),
        (pay(json!({"attempts": 0})), "attempts must be between 1 and"),
        (pay(json!({"expect": {"amount": "-1"}})), "expect.amount must"),
        (pay(json!({"charged": false})), "charged must not be false: order_pay always moves money"),
        (pay(json!({"interval_ms": 5})), "interval_ms must be between"),
        (
            json!({"endpoint": "order_create", "request": {"reference": "O", "card": {}}, "charged": false}),
            "charged must not be false: the request has card",
        ),
    ] {
        let reply = service.client.call("resolve", &call);
        reply.expect("E_ARGUMENT UNKNOWN");
        refused(&reply, part);
        assert!(reply.message().contains(part), "{call}: {}", reply.message());
    }
    assert_eq!(service.server.seen(), [""; 0]);

    let pay = json!({"endpoint": "order_pay", "request": {"reference": "O-1"}, "attempts": 1});
    let nowhere = Client::new(&json!({"public_key": "p"}));
    refused(nowhere.call("resolve", &pay).expect("E_CONFIG UNKNOWN"), "no base URL");
    refused(nowhere.call("order_wait", &json!({"reference": "O-1"})).expect("E_CONFIG UNKNOWN"), "no base URL");
    let closed = Client::new(
        &json!({"base_url": "http://127.0.0.1:1", "public_key": "p", "encryption_key": encryption_key(), "max_attempts": 1}),
    );
    refused(closed.call("resolve", &pay).expect("E_TRANSPORT UNKNOWN"), "nobody listens");
    let cancelled = crate::support::capi::Call::new();
    cancelled.cancel();
    refused(service.client.call_with("resolve", &pay, Some(&cancelled)).expect("E_CANCELLED UNKNOWN"), "cancelled");
}
