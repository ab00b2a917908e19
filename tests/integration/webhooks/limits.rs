//! A flood of events must not use up the requests that the service allows.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Service, findings, is_forged, is_genuine};
use crate::support::capi::{Call, Client, Reply};

/// How many requests have refilled since then, on a slow machine.
fn refilled(began: Instant, each: Duration) -> usize {
    usize::try_from(began.elapsed().as_nanos() / each.as_nanos()).unwrap()
}

fn with_limits(service: &Service, limits: &Value) -> Client {
    let mut config = service.sandbox.config();
    config.as_object_mut().unwrap().extend(limits.as_object().unwrap().clone());
    Client::new(&config)
}

fn verify(client: &Client, body: &str) -> Reply {
    client.call("webhook_verify", &json!({"body": body}))
}

/// The sender is told when to send it again.
#[track_caller]
fn is_refused(reply: &Reply, longest: u64) {
    reply.expect("E_RATE_LIMITED NOT_SENT");
    assert_eq!((is_forged(reply), reply.attempts(), reply.http_status()), (vec![], 0, 0));
    let found = findings(reply);
    let wait = found["retry_after"].as_u64().unwrap();
    assert!(found["respond"] == 503 && (1..=longest).contains(&wait), "{found}");
}

fn asked(service: &Service) -> usize {
    service.paths().iter().filter(|path| path.contains("/order/verify")).count()
}

#[test]
fn the_same_forged_body_is_asked_about_once() {
    let service = Service::new();
    service.pay("ORDER-1", "600.00");
    let forged = service.forge(json!({"order": "ORDER-1", "change": {"orderAmount": "6000.00"}}));
    let first = service.verify(&forged);
    assert_eq!(is_forged(first.expect("OK CONFIRMED")), ["amount"]);
    for _ in 0..50 {
        let again = service.verify_expecting(&forged, json!({"amount": "6000.00"}));
        again.expect("OK NOT_SENT");
        let found = findings(&again);
        let told = json!({"authentic": false, "match": false, "differences": [], "event": "order", "about": "ORDER-1", "respond": 200});
        assert_eq!((found, again.attempts(), again.state()), (told, 0, 0));
        assert_eq!(again.why_not_paid([Some("*"); 3]), "nothing was sent");
    }
    assert_eq!(asked(&service), 1);
    // Another client has been told nothing.
    let another = Client::new(&service.sandbox.config());
    assert_eq!(is_forged(verify(&another, &forged).expect("OK CONFIRMED")), ["amount"]);
}

#[test]
fn a_flood_about_one_order_leaves_requests_for_others_and_for_payments() {
    let service = Service::new();
    let client = with_limits(&service, &json!({"webhook_per_minute": 12}));
    for order in ["ORDER-1", "ORDER-2"] {
        service.pay(order, "600.00");
    }
    let genuine = service.body();
    let forged = service.forge(json!({"order": "ORDER-1", "change": {"orderAmount": "6000.00"}}));
    let began = Instant::now();
    let variant = |number: u32| forged.replacen('{', &format!("{{\"x\":{number},"), 1);
    let replies: Vec<_> = (0..40).map(|number| verify(&client, &variant(number))).collect();
    let (sent, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.attempts() > 0);
    assert!((2..=2 + refilled(began, Duration::from_secs(30))).contains(&sent.len()), "{}", sent.len());
    assert_eq!(asked(&service), sent.len());
    refused.iter().for_each(|reply| is_refused(reply, 30));
    // What asks nothing takes nothing.
    for _ in 0..20 {
        verify(&client, "{}").expect("E_ARGUMENT NOT_SENT");
    }
    is_genuine(&verify(&client, &genuine));

    // Events about many orders use up the rest, and no payment waits for them.
    let flood: Vec<_> =
        (0..60).map(|number| verify(&client, &json!({"orderReference": format!("X-{number}")}).to_string())).collect();
    let (sent, refused): (Vec<_>, Vec<_>) = flood.iter().partition(|reply| reply.attempts() > 0);
    assert!(sent.len() <= 9 + refilled(began, Duration::from_secs(5)), "{}", sent.len());
    refused.iter().for_each(|reply| is_refused(reply, 5));
    let order = client.call("order_verify", &json!({"reference": "ORDER-1"}));
    order.expect("OK CONFIRMED");
    is_genuine(&service.verify(&genuine));
}

#[test]
fn only_so_many_verifications_are_under_way() {
    let service = Service::new();
    service.pay("ORDER-1", "600.00");
    let body = service.body();
    let client = with_limits(&service, &json!({"webhook_at_once": 1, "max_attempts": 1}));
    let rule = json!({"path": "/payment/order/verify", "fault": "commit_then_timeout", "count": 1});
    service.sandbox.post("/sandbox/faults", &rule);
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| {
            let call = Call::with_timeout_ms(3000);
            client.call_with("webhook_verify", &json!({"body": body}), Some(&call))
        });
        while asked(&service) == 0 {
            assert!(!slow.is_finished());
        }
        is_refused(&verify(&client, &body), 1);
        slow.join().unwrap().expect("E_TIMEOUT UNKNOWN");
    });
    is_genuine(&verify(&client, &body));
}

/// Each request counts, also those that one verification repeats.
#[test]
fn repeated_requests_are_counted() {
    let service = Service::new();
    let client = with_limits(&service, &json!({"webhook_per_minute": 12, "max_attempts": 3}));
    let rule = json!({"path": "/payment/order/verify", "fault": "status_503", "count": 3});
    service.sandbox.post("/sandbox/faults", &rule);
    let body = json!({"orderReference": "ORDER-1", "statusId": 5}).to_string();
    let began = Instant::now();
    let reply = verify(&client, &body);
    assert_eq!(reply.expect("E_SERVER UNKNOWN").attempts(), 3);
    if refilled(began, Duration::from_secs(30)) == 0 {
        is_refused(&verify(&client, &body), 60);
    }
}
