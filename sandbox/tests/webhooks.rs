//! Webhooks: the events, their forms, and every way in which a delivery can go wrong.

use crate::common::receiver::Receiver;
use crate::common::{Sandbox, pick};
use serde_json::{Value, json};

fn start(receiver: &Receiver, arguments: &[&str]) -> Sandbox {
    Sandbox::start(&[&["--webhook", &receiver.url()], arguments].concat())
}

fn fund(sandbox: &Sandbox, session: &str) {
    let funding = json!({"alias": "till-1", "amount": "25.50", "senderName": "Ada", "sessionId": session});
    sandbox.admin_post("fund", &funding.to_string()).expect(200);
}

fn set(sandbox: &Sandbox, behaviour: Value) -> Value {
    sandbox.admin_post("webhooks", &behaviour.to_string()).expect(200).json()
}

fn paid(sandbox: &Sandbox, reference: &str) {
    let order = json!({"reference": reference, "amount": "100.00", "paid": true});
    sandbox.admin_post("orders", &order.to_string()).expect(200);
}

/// The order references of the deliveries in the order in which they arrive.
fn orders(receiver: &Receiver, count: usize) -> Vec<String> {
    let order = |body: Value| body["data"]["orderReference"].as_str().unwrap().to_string();
    (0..count).map(|_| order(receiver.receive(204))).collect()
}

#[test]
fn funding_and_final_payments() {
    let receiver = Receiver::new();
    let sandbox = start(&receiver, &[]);
    let account = r#"{"Alias":"till-1","Reference":"shop-9"}"#;
    sandbox.post_marked("/payment/virtual-account/generate", &sandbox.public, account).expect(200);
    fund(&sandbox, "S-1");
    let received = receiver.receive(204);
    assert_eq!(received["data"]["sessionId"], "S-1");
    assert_eq!(pick(&received, "data/sourceAccountName data/accountReference"), json!(["Ada", "shop-9"]));

    sandbox.charge_card("A", "4000000000000002").expect(200);
    let received = receiver.receive(204);
    assert_eq!((&received["data"]["orderReference"], &received["data"]["statusId"]), (&json!("A"), &json!(4)));
    // Events are delivered in order, so the first attempt is recorded by now.
    assert_eq!(
        sandbox.admin("state")["webhooks"][0],
        json!({"event": "funding", "key": "S-1", "status": 204, "error": null})
    );
}

#[test]
fn payouts_and_their_failures() {
    let receiver = Receiver::new();
    let sandbox = start(&receiver, &[]);
    let payout =
        |account: &str| json!({"accountNumber": account, "bankCode": "000014", "amount": "1.50", "accountName": "Ada"});
    let batch = json!({"batchReference": "B", "payoutDetails": [payout("0690000031"), payout("0690000002")]});
    sandbox.admin_post("payouts", &batch.to_string()).expect(200);
    sandbox.get_secret("/payout/B/status").expect(200);
    for status in ["Successful", "Failed"] {
        let received = receiver.receive(200);
        assert_eq!((&received["data"]["status"], &received["data"]["amount"]), (&json!(status), &json!(1.5)));
        assert!(received["data"]["payoutReference"].as_str().unwrap().starts_with("PGW-PAYOUT-"));
    }
    let events: Vec<_> = sandbox.deliveries().iter().map(|delivery| delivery["event"].clone()).collect();
    assert_eq!(events, ["payout", "payout"]);

    // By time, without any request.
    let sandbox = start(&receiver, &["--settle-ms", "20"]);
    sandbox.admin_post("payouts", &batch.to_string()).expect(200);
    assert_eq!(receiver.receive(200)["data"]["status"], "Successful");
}

#[test]
fn the_three_forms() {
    let receiver = Receiver::new();
    let sandbox = start(&receiver, &["--webhook-form", "flat"]);
    fund(&sandbox, "S-1");
    let text = receiver.receive_text(204);
    assert!(text.starts_with(r#"{"status":"Success","statusCode":"00","statusId":5,"paymentReference":"PGW-PAYREF-"#));
    assert!(
        text.contains(r#""totalAmountCharged":25.50,"currencyName":"NGN","sessionId":"S-1","accountReference":null,"#)
    );
    // Only virtual accounts have a flat form.
    paid(&sandbox, "A");
    assert_eq!(receiver.receive(204)["data"]["orderAmount"], json!(100.0));

    set(&sandbox, json!({"form": "pascal"}));
    fund(&sandbox, "S-2");
    paid(&sandbox, "B");
    let received = receiver.receive(204);
    assert_eq!((&received["Data"]["SessionId"], &received["Data"]["StatusId"]), (&json!("S-2"), &json!(5)));
    let received = receiver.receive(204);
    assert_eq!(received["Data"]["OrderReference"], "B");
    assert_eq!(received["Data"]["OrderPayments"][0]["StatusId"], 5);
    let forms: Vec<_> = sandbox.deliveries().iter().map(|delivery| delivery["form"].clone()).collect();
    assert_eq!(forms, ["flat", "status", "pascal", "pascal"]);
}

#[test]
fn attempts_until_one_is_answered_with_2xx() {
    let receiver = Receiver::new();
    let sandbox = start(&receiver, &[]);
    set(&sandbox, json!({"attempts": 3, "retry_ms": 1}));
    paid(&sandbox, "A");
    let bodies = [500, 302, 299].map(|status| receiver.receive_text(status));
    assert!(bodies.iter().all(|body| *body == bodies[0]));
    let delivery = sandbox.delivery(0, "delivered");
    let statuses: Vec<_> = delivery["attempts"].as_array().unwrap().iter().map(|it| it["status"].clone()).collect();
    assert_eq!(statuses, [500, 302, 299]);
    assert_eq!((&delivery["attempts"][0]["answer"], &delivery["body"]), (&json!("seen"), &json!(bodies[0])));

    paid(&sandbox, "B");
    for _ in 0..3 {
        receiver.receive(503);
    }
    let failed = sandbox.delivery(1, "failed");
    let id = failed["id"].as_u64().unwrap();
    let again = sandbox.admin_post(&format!("webhooks/{id}/resend"), "").expect(200).json()["id"].clone();
    assert_eq!(receiver.receive_text(200), failed["body"].as_str().unwrap());
    let resent = sandbox.delivery(2, "delivered");
    assert_eq!((&resent["id"], &resent["copy_of"]), (&again, &json!(id)));
    for unknown in ["99", "x"] {
        sandbox.admin_post(&format!("webhooks/{unknown}/resend"), "").expect_error(404, "id", "Delivery not found");
    }
}

#[test]
fn events_are_repeated_dropped_reordered_and_delayed() {
    let receiver = Receiver::new();
    let sandbox = start(&receiver, &[]);
    set(&sandbox, json!({"drop": 1, "duplicates": 1}));
    paid(&sandbox, "A");
    paid(&sandbox, "B");
    assert_eq!(orders(&receiver, 2), ["B", "B"]);
    let dropped = sandbox.delivery(0, "dropped");
    assert_eq!((&dropped["key"], &dropped["reason"]), (&json!("A"), &json!("dropped on demand")));
    assert_eq!(sandbox.delivery(2, "delivered")["copy_of"], 2);

    set(&sandbox, json!({"duplicates": 0, "reorder": 3}));
    ["C", "D", "E", "F"].iter().for_each(|order| paid(&sandbox, order));
    assert_eq!(orders(&receiver, 3), ["E", "D", "C"]);
    assert_eq!(sandbox.delivery(6, "held")["key"], "F");
    // A change of the behaviour sends what is held back.
    set(&sandbox, json!({"reorder": 1, "delay_ms": 50}));
    paid(&sandbox, "G");
    assert_eq!(orders(&receiver, 2), ["F", "G"]);

    // A long delay holds up no request, and a reset forgets what waits.
    set(&sandbox, json!({"delay_ms": 600_000}));
    paid(&sandbox, "H");
    assert_eq!(sandbox.delivery(8, "queued")["attempts"], json!([]));
    sandbox.admin_post("webhooks/8/resend", "").expect(200);
    assert_eq!(orders(&receiver, 1), ["G"], "what waits does not hold up what is due");
    sandbox.admin_post("reset", "").expect(200);
    let shown = sandbox.admin("webhooks");
    assert_eq!(pick(&shown, "deliveries delay_ms url"), json!([[], 0, receiver.url()]));
    paid(&sandbox, "I");
    assert_eq!(orders(&receiver, 1), ["I"]);
}

#[test]
fn a_receiver_that_does_not_answer_holds_up_no_request() {
    let receiver = Receiver::new();
    let sandbox = start(&receiver, &[]);
    let connected = receiver.accept_after(|| paid(&sandbox, "A"));
    // The first attempt waits for a response now, so the second delivery stays in the queue.
    paid(&sandbox, "B");
    sandbox.get("/payment/banks").expect(200);
    for index in [0, 1] {
        assert_eq!(sandbox.delivery(index, "queued")["attempts"], json!([]));
    }
    drop(connected);
    let failed = sandbox.delivery(0, "failed");
    assert!(failed["attempts"][0]["error"].as_str().unwrap().starts_with("send: "), "{failed}");
    assert_eq!(orders(&receiver, 1), ["B"]);
}

#[test]
fn forged_events() {
    let receiver = Receiver::new();
    let sandbox = start(&receiver, &[]);
    sandbox.admin_post("orders", r#"{"reference":"A","amount":"100.00"}"#).expect(200);
    let forge = |body: Value| {
        let id = sandbox.admin_post("webhooks/forge", &body.to_string()).expect(200).json()["id"].as_u64().unwrap();
        (id, receiver.receive_text(200))
    };
    let (id, text) = forge(json!({"order": "A", "change": {"orderAmount": "1.00"}}));
    let event: Value = serde_json::from_str(&text).unwrap();
    let data = &event["data"];
    assert_eq!(pick(data, "statusId orderReference orderAmount"), json!([5, "A", "1.00"]));
    assert_eq!(sandbox.verify("A").json()["data"]["statusId"], 1);
    assert_eq!(sandbox.delivery(0, "delivered")["forged"], true);
    assert_eq!(id, 1);

    assert!(forge(json!({"session": "S-0", "form": "flat"})).1.contains(r#""sessionId":"S-0""#));
    assert!(forge(json!({"payout": "P-0", "form": "pascal"})).1.starts_with(r#"{"Data":{"PayoutReference":"P-0""#));
    assert_eq!(forge(json!({"body": {"event": "made up"}})).1, r#"{"event":"made up"}"#);
    sandbox.admin_post("webhooks/forge", "{}").expect_error(400, "body", "One of body, order, session and payout");
    // No effect.
    assert_eq!(sandbox.effects("charge_made").len(), 0);
}

#[test]
fn the_url_can_be_set_later() {
    let sandbox = Sandbox::start(&[]);
    paid(&sandbox, "A");
    let logged = sandbox.delivery(0, "no url");
    assert!(logged["body"].as_str().unwrap().starts_with(r#"{"status":"success","data":{"#));
    let receiver = Receiver::new();
    assert_eq!(set(&sandbox, json!({"url": receiver.url()}))["url"], receiver.url());
    sandbox.admin_post("webhooks/1/resend", "").expect(200);
    assert_eq!(orders(&receiver, 1), ["A"]);
    sandbox.admin_post("webhooks", r#"{"url":"https://example.com/"}"#).expect_error(400, "url", "http://");
    // Nobody listens.
    drop(receiver);
    paid(&sandbox, "B");
    let failed = sandbox.delivery(2, "failed");
    assert!(failed["attempts"][0]["error"].as_str().unwrap().starts_with("connect: "), "{failed}");
    set(&sandbox, json!({"url": null}));
    paid(&sandbox, "C");
    sandbox.delivery(3, "no url");
}
