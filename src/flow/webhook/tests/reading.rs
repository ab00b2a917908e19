//! How an event is read.

use serde_json::{Value, json};

use super::super::event::{Event, MAX_LENGTH};
use super::super::members::NamedByEvent;
use super::{changed, of_order, paid};
use paysvc_spec::events::{MEMBERS, Meaning, Subject};
use paysvc_spec::status::State;

fn read(body: &str) -> Event {
    Event::read(body, &|| false).unwrap_or_else(|why| panic!("{body}: {why:?}"))
}

/// The member that is wrong, and what is wrong with it; without a member, the body is.
fn unreadable(body: &str) -> (Option<String>, String) {
    match Event::read(body, &|| false) {
        Err(mut why) => {
            let (member, reason) = why.errors.remove(0);
            (member.strip_prefix("body.").map(str::to_owned), reason)
        }
        Ok(event) => panic!("{body}: {event:?}"),
    }
}

#[test]
fn an_event_is_read_in_every_form() {
    let pascal = |object: &Value| -> Value {
        let name = |name: &str| name[..1].to_uppercase() + &name[1..];
        object.as_object().unwrap().iter().map(|(known, value)| (name(known), value.clone())).collect()
    };
    let (flat, upper) = (of_order(), pascal(&of_order()));
    let success = changed(of_order(), "status", json!("Success"));
    for body in [
        json!({"data": flat}),
        json!({"Data": flat}),
        json!({"DATA": upper}),
        json!({"event": "order.paid", "status": "pending", "statusId": 2, "data": flat}),
        json!({"data": null, "Other": [1], "orderReference": "ORDER-1", "OrderAmount": "600", "Status": "success", "x": {}}),
        success,
        upper,
        flat,
    ] {
        let event = read(&body.to_string());
        assert_eq!(event.subject, Some(Subject::Order), "{body}");
        assert_eq!(event.values.get(Meaning::Reference), Some("ORDER-1"), "{body}");
        assert_eq!(event.values.state, NamedByEvent::State(State::SUCCESSFUL), "{body}");
        assert_eq!(paid(body)["authentic"], true);
    }
    let marked = format!("\u{feff}{}", of_order());
    assert_eq!(read(&marked).subject, Some(Subject::Order));
}

#[test]
fn every_member_of_the_table_is_read_in_any_case() {
    for member in MEMBERS {
        let value = if member.name == "statusId" || member.name == "fee" { "5" } else { "\"7\"" };
        for name in [member.name.to_owned(), member.name.to_uppercase(), member.name.to_lowercase()] {
            let event = read(&format!("{{\"{name}\":{value}}}"));
            let is_state = member.meaning.name() == "state";
            let found = event.values.get(member.meaning).is_some() || event.values.state != NamedByEvent::None;
            assert!(found && is_state == event.values.get(member.meaning).is_none(), "{name}");
        }
    }
}

#[test]
fn a_session_comes_before_an_order_and_a_payout_before_both() {
    for (body, subject, verified) in [
        (json!({"sessionId": "S", "orderReference": "O"}), Some(Subject::Session), true),
        (json!({"orderReference": "O", "sessionId": null}), Some(Subject::Order), true),
        (json!({"payoutReference": "P", "orderReference": "O", "sessionId": "S"}), Some(Subject::Payout), false),
        (json!({"batchReference": "B", "data": {"amount": 1}}), Some(Subject::Payout), true),
        (json!({"paymentReference": "PGW-1", "orderAmount": 1, "statusId": 5}), None, false),
        (json!({}), None, false),
    ] {
        let event = read(&body.to_string());
        assert_eq!((event.subject, event.verification().is_some()), (subject, verified), "{body}");
    }
}

#[test]
fn a_body_that_two_readers_would_read_differently_is_no_event() {
    let given_twice = "is given twice, in different cases";
    let contradicts = "contradicts another member";
    for (body, member, reason) in [
        (r#"{"data":{},"Data":{}}"#, Some("data"), given_twice),
        (r#"{"data":{"orderReference":"A"},"Data":null}"#, Some("data"), given_twice),
        (r#"{"orderReference":"A","OrderReference":"A"}"#, Some("orderReference"), given_twice),
        (r#"{"orderReference":"A","data":{"orderReference":"B"}}"#, Some("orderReference"), contradicts),
        (r#"{"orderReference":"A","reference":"B"}"#, Some("reference"), contradicts),
        (r#"{"totalAmountCharged":1,"totalChargedAmount":"1.01"}"#, Some("totalChargedAmount"), contradicts),
        (r#"{"statusId":5,"status":"Failed"}"#, Some("status"), contradicts),
        (r#"{"status":"Successful","statusId":2}"#, Some("statusId"), contradicts),
        (r#"{"statusId":5,"status":"Settled"}"#, Some("status"), contradicts),
        (r#"{"a":{"x":1,"x":2}}"#, None, "gives a member twice"),
        (r#"{"orderReference":"A","order\u0052eference":"B"}"#, None, "gives a member twice"),
        (r#"{"data":["orderReference"]}"#, Some("data"), "must be an object, not an array"),
        (r#"{"data":"{}"}"#, Some("data"), "must be an object, not a string"),
        (r#"{"orderAmount":"1e3"}"#, Some("orderAmount"), "is not a decimal amount"),
        (r#"{"orderAmount":-1}"#, Some("orderAmount"), "is not a decimal amount"),
        (r#"{"orderReference":{"a":1}}"#, Some("orderReference"), "is neither text nor a number"),
        (r#"{"orderReference":"\ud800"}"#, Some("orderReference"), "is not valid Unicode text"),
        ("[]", None, "must be an object, not an array"),
        ("{}{}", None, "is not JSON"),
        ("", None, "is not JSON"),
        ("null", None, "must be an object, not null"),
    ] {
        assert_eq!(unreadable(body), (member.map(str::to_owned), reason.to_owned()), "{body}");
    }
    let long = |length: usize| format!(r#"{{"orderReference":"{}"}}"#, "x".repeat(length));
    assert_eq!(unreadable(&long(255)), (Some("orderReference".to_owned()), "is too long".to_owned()));
    assert!(Event::read(&long(254), &|| false).is_ok());
}

#[test]
fn a_hostile_body_is_bounded() {
    let deep = "[".repeat(MAX_LENGTH / 2) + &"]".repeat(MAX_LENGTH / 2);
    let wide = format!("[{}0]", "0,".repeat(MAX_LENGTH / 4));
    for (body, part) in [
        (" ".repeat(MAX_LENGTH + 1), "is 262145 bytes; an event has at most 262144"),
        (deep, "an event has at most 10000"),
        (wide, "an event has at most 10000"),
        (format!("{{\"a\":{}", "[".repeat(1000)), "is not JSON"),
    ] {
        let (member, reason) = unreadable(&body);
        assert!(member.is_none() && reason.contains(part), "{reason}");
    }
    let stopped = Event::read(&" ".repeat(MAX_LENGTH), &|| true).unwrap_err();
    assert_eq!(stopped.errors, [("body".to_owned(), "was not read in time".to_owned())]);
}

#[test]
fn no_reason_repeats_anything_of_the_body() {
    for body in [r#"{"data":"canary"}"#, r#"{"orderAmount":"canary"}"#, "canary", r#"{"statusId":5,"status":"canary"}"#]
    {
        let (member, reason) = unreadable(body);
        assert!(!format!("{member:?} {reason}").contains("canary"), "{reason}");
    }
}
