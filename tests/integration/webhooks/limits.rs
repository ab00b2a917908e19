//! A flood of events must not use up the requests that the service allows.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Service, findings, is_forged, is_genuine};
use crate::support::capi::{Client, Reply};

/// The number of requests that have refilled since then, on a slow machine.
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
    // An event that causes no query takes nothing.
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
