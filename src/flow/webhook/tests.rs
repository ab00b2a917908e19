//! Events, answers and expectations, without a service.

use serde_json::{Value, json};

use super::compare::{Class, Relation, STATES};
use super::*;
use crate::answer::facts;
use crate::answer::reply::Evidence;
use crate::answer::verdict::Verdict;
use crate::request::names::of_row;
use paysvc_spec::events::EVENT;
use paysvc_spec::schema::{Reference, Role};

use Authenticity::{Ahead, Authentic, Forged};

fn gate() -> Gate {
    Gate::new(Rates { at_once: 1, per_minute: 1 })
}

/// The reply to an event, if the service gives this response, in this state.
fn reply_to(event: &Value, answer: &str, state: State, expect: &Value) -> Reply {
    reply_within(&gate(), event, answer, state, expect)
}

fn reply_within(gate: &Gate, event: &Value, answer: &str, state: State, expect: &Value) -> Reply {
    let mut request = json!({"body": event});
    if !expect.is_null() {
        request["expect"] = expect.clone();
    }
    verify(&request.to_string(), &|| false, gate, |row, member, about| {
        assert!(row.read_only());
        let document = Document::scan(answer, &|| false).ok();
        let about = request::text_value(about);
        let value = Document::scan(&about, &|| false).unwrap();
        let fields = [(member, value.root(&about))];
        let references = of_row(Fields::Named(&fields), row.fields);
        let read = |document| facts::read(document, answer, &row.answer, &references, &|| false);
        let facts = document.as_ref().and_then(read);
        let reading = Reading { sent: true, http_status: 200, facts, ..Reading::default() };
        let verdict = Verdict { state, ..Verdict::of_library(Status::Ok, Outcome::Confirmed) };
        Reply { body: answer.to_owned(), document, ..Reply::about(Evidence { reading, verdict }, "done") }
    })
}

/// Its body.
fn verified(event: &Value, answer: &Value, state: State, expect: &Value) -> Value {
    let reply = reply_to(event, &answer.to_string(), state, expect);
    assert_eq!((reply.outcome(), reply.state()), (Outcome::Confirmed, state), "those of the status query");
    serde_json::from_str(&reply.body).unwrap()
}

/// Authentic, forged, or to be verified again later, as every part of the reply reports.
fn authenticity(reply: &Reply) -> Authenticity {
    let found: Value = serde_json::from_str(&reply.body).unwrap();
    let authenticity = match (reply.status(), reply.outcome(), found["respond"].as_u64()) {
        (Status::Ok, Outcome::Confirmed, Some(200)) if found["authentic"] == true => Authentic,
        (Status::Ok, Outcome::Confirmed, Some(200)) => Forged,
        (Status::Unresolved, Outcome::Unknown, Some(503)) => Ahead,
        other => panic!("{other:?}: {found}"),
    };
    assert_eq!(found["authentic"], authenticity == Authentic, "{found}");
    assert_eq!(found.get("key").is_some(), authenticity == Authentic, "{found}");
    assert_eq!(found.get("retry_after").is_some(), authenticity == Ahead, "{found}");
    authenticity
}

fn of_order() -> Value {
    json!({"orderReference": "ORDER-1", "paymentReference": "PGW-1", "orderAmount": 600.00, "totalAmountCharged": "620",
        "fee": 20, "currencyName": "NGN", "statusId": 5, "status": "Successful"})
}

fn changed(mut object: Value, name: &str, value: Value) -> Value {
    object[name] = value;
    object
}

fn without(mut object: Value, name: &str) -> Value {
    object.as_object_mut().unwrap().remove(name);
    object
}

fn answer(data: Value) -> Value {
    json!({"status": "success", "statusCode": "00", "message": "done", "data": data})
}

fn paid(event: Value) -> Value {
    verified(&event, &answer(of_order()), State::SUCCESSFUL, &Value::Null)
}

/// Each field that differs, whatever the values.
fn differing(found: &Value) -> Vec<&str> {
    found["differences"].as_array().unwrap().iter().map(|difference| difference["member"].as_str().unwrap()).collect()
}

#[test]
fn what_differs_is_named_and_decides() {
    let genuine = of_order();
    assert_eq!(paid(genuine.clone())["differences"], json!([]));
    for (event, differs, authentic) in [
        // Written in another way.
        (changed(genuine.clone(), "orderReference", json!(" order-1 ")), vec![], true),
        (changed(genuine.clone(), "orderAmount", json!("600.0000")), vec![], true),
        (changed(genuine.clone(), "currencyName", json!("ngn")), vec![], true),
        // Fields that a thinner event lacks.
        (without(genuine.clone(), "currencyName"), vec![], true),
        (without(genuine.clone(), "paymentReference"), vec![], true),
        (without(without(genuine.clone(), "status"), "statusId"), vec![], true),
        (without(genuine.clone(), "orderAmount"), vec![], true),
        (without(genuine.clone(), "totalAmountCharged"), vec![], true),
        // Forged.
        (changed(genuine.clone(), "orderAmount", json!(6000)), vec!["amount"], false),
        (changed(genuine.clone(), "currencyName", json!("USD")), vec!["currency"], false),
        (changed(genuine.clone(), "currencyName", json!(566)), vec!["currency"], false),
        (changed(genuine.clone(), "paymentReference", json!("PGW-2")), vec!["paymentReference"], false),
        (changed(genuine.clone(), "accountReference", json!("CUSTOMER-9")), vec!["accountReference"], false),
        (without(without(genuine.clone(), "orderAmount"), "totalAmountCharged"), vec!["amount"], false),
        (without(changed(genuine.clone(), "totalAmountCharged", json!(619)), "orderAmount"), vec!["amount"], false),
        // Beside the right price, the total may have changed since.
        (changed(genuine.clone(), "totalAmountCharged", json!(600)), vec!["total"], true),
    ] {
        let found = paid(event.clone());
        assert_eq!((differing(&found), &found["authentic"]), (differs, &json!(authentic)), "{event}");
        assert_eq!(found.get("key").is_some(), authentic, "{event}");
    }
    let found = paid(changed(genuine, "orderAmount", json!(6000.0)));
    assert_eq!(found["differences"], json!([{"member": "amount", "event": "6000", "service": "600"}]));
}

/// A field of the service's response that cannot be read confirms nothing, even if the event does not name it.
#[test]
fn an_answer_that_cannot_be_read_or_contradicts_itself_confirms_nothing() {
    let thin = json!({"orderReference": "ORDER-1", "orderAmount": 600});
    for (name, value, differs) in [
        ("currency", json!(20), "currency"),
        ("currency", json!({"code": "NGN"}), "currency"),
        ("reference", json!("ORDER-2"), "reference"),
        ("reference", json!(["ORDER-1"]), "reference"),
        ("orderReference", json!(true), "reference"),
        ("orderAmount", json!("600 NGN"), "amount"),
        ("orderAmount", json!([600]), "amount"),
        ("paymentReference", json!("P".repeat(1100)), "paymentReference"),
        ("accountReference", json!(["C-1"]), "accountReference"),
    ] {
        let data = answer(changed(of_order(), name, value)).to_string();
        let told = |event: &Value| {
            let reply = reply_to(
                event,
                &data,
                State::SUCCESSFUL,
                &json!({"reference": "ORDER-1", "amount": 600, "currency": "NGN"}),
            );
            serde_json::from_str::<Value>(&reply.body).unwrap()
        };
        for event in [thin.clone(), of_order(), changed(of_order(), "currencyName", json!("USD"))] {
            let found = told(&event);
            assert_eq!(found["authentic"], false, "{event} {data}");
            assert!(differing(&found).contains(&differs) && found.get("key").is_none(), "{found}");
            let names = differing(&found);
            assert_eq!(
                names.len(),
                names.iter().collect::<std::collections::HashSet<_>>().len(),
                "named once: {found}"
            );
        }
    }
}

/// The verified object is not the only place at which a response names an order, a price or a currency.
#[test]
fn what_an_answer_says_elsewhere_must_not_contradict() {
    for (name, value, differs) in [
        ("orderSummary", json!({"orderReference": "ORDER-2"}), "reference"),
        ("order", json!({"reference": "ORDER-2"}), "reference"),
        ("orderSummary", json!({"orderAmount": 6000}), "amount"),
        ("order", json!({"currency": "USD"}), "currency"),
        ("orderSummary", json!({"orderAmount": {"value": 600}}), "amount"),
        ("orderSummary", json!({"statusId": 4}), "state"),
    ] {
        let found = paid(changed(of_order(), "x", json!(1)));
        assert_eq!(found["authentic"], true, "{found}");
        let data = changed(of_order(), name, value.clone());
        let reply = reply_to(&of_order(), &answer(data).to_string(), State::SUCCESSFUL, &Value::Null);
        let found: Value = serde_json::from_str(&reply.body).unwrap();
        assert_eq!((authenticity(&reply), differing(&found)), (Ahead, vec![differs]), "{name} {value}");
    }
}

#[test]
fn an_amount_is_compared_with_the_total_where_the_price_is_missing() {
    let data = |price: Option<&str>, total: Option<&str>, fee: Option<&str>| {
        let mut data = json!({"statusId": 5, "orderReference": "ORDER-1"});
        for (name, value) in [("orderAmount", price), ("totalChargedAmount", total), ("fee", fee)] {
            data[name] = json!(value);
        }
        data
    };
    for (event, service, authentic) in [
        (data(Some("600"), None, None), data(None, Some("620"), Some("20")), true),
        (data(Some("620"), None, None), data(None, Some("620"), Some("20")), true),
        (data(Some("610"), None, None), data(None, Some("620"), Some("20")), false),
        // The event's own fee explains nothing: a forger would choose it.
        (data(None, Some("620"), Some("20")), data(Some("600"), None, None), false),
        (data(None, Some("1000"), Some("400")), data(Some("600"), None, Some("20")), false),
        (data(None, Some("620"), None), data(Some("600"), None, Some("20")), true),
        (data(None, Some("620"), None), data(Some("600"), None, None), false),
        (data(None, Some("620"), None), data(None, Some("620"), None), true),
        (data(Some("600"), Some("620"), None), data(None, Some("620"), None), true),
        (data(Some("600"), Some("600"), None), data(None, Some("620"), Some("20")), false),
        (data(None, None, None), data(Some("600"), None, None), false),
        (data(Some("600"), None, None), data(None, None, None), false),
        (data(None, None, None), data(None, None, None), false),
    ] {
        let found = verified(&event, &answer(service.clone()), State::SUCCESSFUL, &Value::Null);
        assert_eq!(found["authentic"], authentic, "{event} {service}");
    }
}

/// A state of each class.
fn of_class(class: Class) -> State {
    match class {
        Class::None => State::NONE,
        Class::Progress => State::PENDING,
        Class::Failed => State::FAILED,
        Class::Successful => State::SUCCESSFUL,
        Class::Reversed => State::REVERSED,
        Class::Unknown => State(9),
    }
}

/// Nobody knows the form of the service's response.
#[test]
fn no_event_about_a_payout_is_authentic() {
    let payout = json!({"batchReference": "B-1", "payoutReference": "P-1", "amount": "5", "statusId": 5});
    let expect = json!({"reference": "P-1"});
    let found = verified(&payout, &answer(json!([payout])), State::NONE, &expect);
    assert_eq!(
        (&found["authentic"], &found["match"], &found["event"]),
        (&json!(false), &json!(false), &json!("payout"))
    );
    assert_eq!((found.get("key"), &found["data"]), (None, &json!([payout])));
}

#[test]
fn every_cell_of_the_table_of_states() {
    for event in Class::ALL {
        for service in Class::ALL {
            let id = Some(of_class(event).0).filter(|_| event != Class::None);
            let body = without(changed(of_order(), "statusId", json!(id)), "status");
            let reply = reply_to(&body, &answer(of_order()).to_string(), of_class(service), &Value::Null);
            let found: Value = serde_json::from_str(&reply.body).unwrap();
            let (expected, differs) = match STATES[event as usize][service as usize] {
                Relation::Agrees => (Authentic, vec![]),
                Relation::Older => (Authentic, vec!["state"]),
                Relation::Ahead => (Ahead, vec!["state"]),
                Relation::Contradicts => (Forged, vec!["state"]),
                Relation::Unconfirmed => unreachable!(),
            };
            let told = format!("event {event:?}, service {service:?}");
            assert_eq!((authenticity(&reply), differing(&found)), (expected, differs), "{told}");
            assert_eq!(reply.state(), of_class(service), "that of the status query");
        }
    }
    let pending = without(changed(of_order(), "statusId", json!(2)), "status");
    let found = verified(&pending, &answer(of_order()), State::PROCESSING, &Value::Null);
    assert_eq!(found["differences"], json!([{"member": "state", "event": 2, "service": 7}]));
    assert_eq!(found["authentic"], true);
}

/// A genuine event may overtake the service's own state: then only what the service will not change is a contradiction.
#[test]
fn an_event_ahead_of_the_service_is_forged_only_if_the_service_contradicts_it() {
    let pending = without(without(changed(of_order(), "statusId", json!(2)), "status"), "totalAmountCharged");
    let declined = without(changed(of_order(), "statusId", json!(4)), "status");
    for (event, data, state, expected) in [
        (of_order(), pending.clone(), State::PENDING, Ahead),
        (of_order(), without(pending.clone(), "orderAmount"), State::PENDING, Ahead),
        (of_order(), changed(pending.clone(), "totalAmountCharged", json!(0)), State::PENDING, Ahead),
        (
            of_order(),
            changed(without(pending.clone(), "orderAmount"), "totalAmountCharged", json!(0)),
            State::PROCESSING,
            Ahead,
        ),
        // The fee is not known yet.
        (without(of_order(), "orderAmount"), without(pending.clone(), "fee"), State::INITIATED, Ahead),
        (changed(of_order(), "accountReference", json!("CUSTOMER-9")), pending.clone(), State::PENDING, Ahead),
        (of_order(), changed(pending.clone(), "orderAmount", json!([600])), State::PENDING, Ahead),
        // A response without a state.
        (of_order(), without(pending.clone(), "statusId"), State::NONE, Ahead),
        // One that contradicts itself, or cannot be read, contradicts no event.
        (of_order(), changed(of_order(), "orderSummary", json!({"statusId": 4})), State::SUCCESSFUL, Ahead),
        (of_order(), changed(of_order(), "currency", json!(["NGN"])), State::SUCCESSFUL, Ahead),
        // FAILED, but not finally.
        (of_order(), changed(declined.clone(), "isFinalStatus", json!(false)), State::FAILED, Ahead),
        (of_order(), changed(declined.clone(), "requeryNeeded", json!(true)), State::FAILED, Ahead),
        (of_order(), changed(declined.clone(), "isFinalStatus", json!(true)), State::FAILED, Forged),
        (of_order(), declined, State::FAILED, Forged),
        // A value that the service names differs, whatever the state becomes.
        (of_order(), changed(pending.clone(), "orderAmount", json!(60)), State::PENDING, Forged),
        (of_order(), changed(pending.clone(), "currencyName", json!("USD")), State::PENDING, Forged),
        (of_order(), changed(pending.clone(), "paymentReference", json!("PGW-2")), State::PENDING, Forged),
        (without(without(of_order(), "orderAmount"), "totalAmountCharged"), pending.clone(), State::PENDING, Forged),
        // The service's state is final, and another delivery would get the same response.
        (changed(of_order(), "accountReference", json!("CUSTOMER-9")), of_order(), State::SUCCESSFUL, Forged),
    ] {
        let reply = reply_to(&event, &answer(data.clone()).to_string(), state, &Value::Null);
        assert_eq!(authenticity(&reply), expected, "{event} {data} {}", reply.message);
        let begins = match expected {
            Ahead => "the service does not confirm the event yet: verify it again later (",
            _ => "the event is not authentic (",
        };
        assert!(reply.message.starts_with(begins), "{}", reply.message);
    }
}

/// The service does not know the payment yet, or cannot be asked now.
#[test]
fn a_look_up_without_an_answer_decides_nothing() {
    let payout = json!({"batchReference": "B-1", "statusId": 5});
    let traversal = json!({"sessionId": ".."});
    let rejected = |http_status| (Status::Rejected, Outcome::Rejected, http_status);
    for (event, (status, outcome, http_status), retry_after_ms, expected) in [
        (of_order(), rejected(404), None, (Status::Unresolved, Outcome::Unknown, 503, Some(30))),
        (of_order(), rejected(400), Some(2001), (Status::Unresolved, Outcome::Unknown, 503, Some(3))),
        (of_order(), rejected(200), None, (Status::Unresolved, Outcome::Unknown, 503, Some(30))),
        (
            of_order(),
            (Status::RateLimited, Outcome::Rejected, 429),
            Some(7000),
            (Status::RateLimited, Outcome::Rejected, 503, Some(7)),
        ),
        (
            of_order(),
            (Status::Unauthorized, Outcome::Rejected, 401),
            None,
            (Status::Unauthorized, Outcome::Rejected, 503, Some(30)),
        ),
        (of_order(), (Status::Config, Outcome::NotSent, 0), None, (Status::Config, Outcome::NotSent, 503, Some(30))),
        // Sent again, they would be answered in the same way.
        (payout, rejected(404), None, (Status::Rejected, Outcome::Rejected, 200, None)),
        (traversal, (Status::Argument, Outcome::NotSent, 0), None, (Status::Argument, Outcome::NotSent, 200, None)),
    ] {
        let reply = verify(&json!({"body": event}).to_string(), &|| false, &gate(), |_, _, _| {
            let mut reply = Reply::failed(status, outcome, "not found");
            reply.evidence.reading = Reading { http_status, retry_after_ms, ..Reading::default() };
            reply
        });
        let found: Value = serde_json::from_str(&reply.body).unwrap();
        let responded = (found["respond"].as_u64().unwrap(), found.get("retry_after").and_then(Value::as_u64));
        assert_eq!((reply.status(), reply.outcome(), responded.0, responded.1), expected, "{event} {found}");
        assert_eq!((&found["authentic"], reply.http_status()), (&json!(false), http_status));
    }
}

/// Whatever else is not known now may be known in a moment, and is asked again.
#[test]
fn only_what_the_services_response_contradicts_is_answered_without_a_request() {
    let (forged, payout) = (changed(of_order(), "orderAmount", json!(6000)), json!({"batchReference": "B-1"}));
    let (paid, none) = (answer(of_order()).to_string(), Value::Null);
    let named = changed(answer(of_order()), "authentic", json!(1)).to_string();
    for (event, answer, state, remembered) in [
        (&forged, &paid, State::SUCCESSFUL, true),
        (&of_order(), &paid, State::SUCCESSFUL, false),
        (&of_order(), &paid, State::PENDING, false),
        (&forged, &named, State::SUCCESSFUL, false),
        (&payout, &paid, State::SUCCESSFUL, false),
    ] {
        let gate = gate();
        let first = reply_within(&gate, event, answer, state, &none);
        let again = reply_within(&gate, event, answer, state, &none);
        assert_eq!(again.outcome() == Outcome::NotSent, remembered, "{event} {}", first.body);
        if remembered {
            let found =
                json!({"authentic": false, "differences": [], "event": "order", "about": "ORDER-1", "respond": 200});
            assert_eq!((again.status(), serde_json::from_str(&again.body).unwrap()), (Status::Ok, found));
            let expecting = reply_within(&gate, event, answer, state, &json!({"amount": 6000}));
            assert!(expecting.body.contains(r#""match":false"#), "{}", expecting.body);
            let another = reply_within(&gate, &of_order(), answer, state, &none);
            assert_eq!(authenticity(&another), Authentic);
        }
    }
}

#[test]
fn what_the_limits_refuse_must_be_sent_again() {
    for (wait, seconds) in
        [(Duration::from_nanos(1), 1), (Duration::from_millis(3000), 3), (Duration::from_nanos(3_000_000_001), 4)]
    {
        let reply = verify(&json!({"body": of_order()}).to_string(), &|| false, &gate(), |_, _, _| refused(wait));
        let found: Value = serde_json::from_str(&reply.body).unwrap();
        assert_eq!((reply.status(), reply.outcome()), (Status::RateLimited, Outcome::NotSent));
        let told = [&found["authentic"], &found["respond"], &found["retry_after"], &found["about"]];
        assert_eq!(told, [&json!(false), &json!(503), &json!(seconds), &json!("ORDER-1")]);
    }
}

/// A fault of the caller proves nothing about the event: the sender sends it again.
#[test]
fn only_a_body_that_is_no_event_is_a_bad_request() {
    for (request, respond) in [
        (json!({"body": "{"}), 400),
        (json!({"body": {"type": "ping"}}), 400),
        (json!({"body": 5}), 400),
        (json!({"body": {"payoutReference": "P-1"}}), 200),
        (json!({"body": of_order(), "expect": {}}), 503),
        (json!({"body": of_order(), "expected": {}}), 503),
        (json!({}), 503),
    ] {
        let reply = verify(&request.to_string(), &|| false, &gate(), |_, _, _| panic!("nothing is asked"));
        let found: Value = serde_json::from_str(&reply.body).unwrap();
        assert_eq!((reply.status(), &found["respond"]), (Status::Argument, &json!(respond)), "{request}");
    }
    let body = " ".repeat(MAX_LENGTH);
    let late = verify(&json!({"body": body}).to_string(), &|| true, &gate(), |_, _, _| panic!("nothing is asked"));
    assert_eq!(serde_json::from_str::<Value>(&late.body).unwrap()["respond"], 503, "it was not read in time");
}

/// The documentation has the same table, cell by cell.
#[test]
fn the_documentation_has_the_table_of_states() {
    let text = include_str!("../../../docs/webhooks.md");
    let rows = text.lines().skip_while(|line| !line.starts_with("| event \\ service")).skip(2);
    let rows: Vec<Vec<&str>> = rows
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let word = |relation: &Relation| match relation {
        Relation::Agrees => "agrees",
        Relation::Older => "older",
        Relation::Ahead => "later",
        Relation::Contradicts => "not authentic",
        Relation::Unconfirmed => unreachable!(),
    };
    let cells: Vec<Vec<&str>> = rows.iter().map(|row| row[1..].to_vec()).collect();
    assert_eq!(cells, STATES.map(|row| row.iter().map(word).collect::<Vec<_>>()));
    for name in EVENT.members.iter().map(|member| member.name).chain(ADDED.iter().copied()) {
        assert!(text.contains(&format!("`{name}`")), "{name} is not documented");
    }
}

/// A genuine event of a cheaper order, sent again to the page of a dearer one.
#[test]
fn only_the_services_answer_matches() {
    let dearer = json!({"reference": "ORDER-2", "amount": "9000", "currency": "NGN"});
    let found = verified(&of_order(), &answer(of_order()), State::SUCCESSFUL, &dearer);
    assert_eq!((&found["authentic"], &found["match"]), (&json!(true), &json!(false)));
    let differences = json!([
        {"member": "reference", "event": "ORDER-1", "service": "ORDER-1", "expected": "ORDER-2"},
        {"member": "amount", "event": "600", "service": "600", "expected": "9000"},
    ]);
    assert_eq!(found["differences"], differences);
    // The event's claims do not count.
    let claims = changed(of_order(), "orderAmount", json!(9000));
    let found = verified(&claims, &answer(of_order()), State::SUCCESSFUL, &json!({"amount": 9000}));
    assert_eq!((&found["authentic"], &found["match"]), (&json!(false), &json!(false)));
    let difference = json!([{"member": "amount", "event": "9000", "service": "600", "expected": "9000"}]);
    assert_eq!(found["differences"], difference);
}

#[test]
fn what_is_expected_must_be_said_by_the_service() {
    let thin = json!({"statusId": 5, "totalChargedAmount": "620.00", "fee": "20"});
    for (expected, matches) in [
        (json!({"reference": "order-1"}), true),
        (json!({"amount": "600.0", "reference": "ORDER-1"}), true),
        (json!({"amount": 620}), true),
        (json!({"amount": "640"}), false),
        (json!({"currency": "NGN"}), false),
        (json!({"accountReference": "C-1", "amount": "600"}), false),
    ] {
        let found = verified(&of_order(), &answer(thin.clone()), State::SUCCESSFUL, &expected);
        assert_eq!(found["match"], matches, "{expected}");
    }
    assert!(paid(of_order()).get("match").is_none());
}

#[test]
fn a_key_is_that_of_the_verified_state() {
    let key = |event: &Value, data: Value, state| {
        let found = verified(event, &answer(data), state, &Value::Null);
        found["key"].as_str().unwrap_or_else(|| panic!("{found}")).to_owned()
    };
    let first = key(&of_order(), of_order(), State::SUCCESSFUL);
    assert!(first.starts_with("order-5-") && first.len() == 48, "{first}");
    let spelled = changed(json!({"Data": of_order()}), "x", json!(1));
    assert_eq!(key(&spelled, of_order(), State::SUCCESSFUL), first);
    // An older event that is verified later has the key of the state that the service is in.
    let pending = without(changed(of_order(), "statusId", json!(2)), "status");
    assert_eq!(key(&pending, of_order(), State::SUCCESSFUL), first);
    let other = changed(of_order(), "orderReference", json!("ORDER-2"));
    // The same event before and after the service knows a reference of the payment.
    let unpaid = without(of_order(), "paymentReference");
    assert_eq!(key(&unpaid, unpaid.clone(), State::SUCCESSFUL), first);
    assert_eq!(key(&unpaid, of_order(), State::SUCCESSFUL), first);
    for (event, data, state) in [
        (pending, of_order(), State::PENDING),
        (of_order(), of_order(), State::REVERSED),
        (other.clone(), other, State::SUCCESSFUL),
        (json!({"sessionId": "ORDER-1", "orderAmount": 600}), of_order(), State::SUCCESSFUL),
    ] {
        assert_ne!(key(&event, data, state), first, "{event} {state:?}");
    }
}

#[test]
fn an_event_that_is_only_read_says_what_it_is_about() {
    let read = |event: &Value| {
        let reply = verify(&json!({"body": event, "ask": false}).to_string(), &|| false, &gate(), |_, _, _| {
            panic!("nothing is asked")
        });
        (reply.status(), reply.outcome(), serde_json::from_str::<Value>(&reply.body).unwrap())
    };
    let (status, outcome, found) = read(&of_order());
    assert_eq!((status, outcome), (Status::Ok, Outcome::NotSent));
    assert_eq!(
        found,
        json!({"authentic": false, "differences": [], "event": "order", "about": "ORDER-1", "respond": 503,
            "retry_after": 30})
    );
    let (status, outcome, found) = read(&json!({"payoutReference": "P-1"}));
    assert_eq!((status, outcome, &found["event"]), (Status::Argument, Outcome::NotSent, &json!("payout")));
}

#[test]
fn the_answer_stays_as_it_was_received() {
    for (body, rest) in [
        (
            r#" { "data" : {"orderAmount": 600.00, "statusId":5} , "x":[100.10] } "#,
            r#", "data" : {"orderAmount": 600.00, "statusId":5} , "x":[100.10] }"#,
        ),
        ("{}", "}"),
    ] {
        let reply = reply_to(&of_order(), body, State::SUCCESSFUL, &Value::Null);
        assert!(reply.body.starts_with(r#"{"authentic":"#) && reply.body.ends_with(rest), "{}", reply.body);
        let found: Value = serde_json::from_str(&reply.body).unwrap();
        assert_eq!((&found["event"], &found["about"]), (&json!("order"), &json!("ORDER-1")));
    }
}

#[test]
fn an_answer_with_such_members_of_its_own_is_no_evidence() {
    for name in ADDED.iter().map(|name| (*name).to_owned()).chain(["Authentic".to_owned(), "MATCH".to_owned()]) {
        let body = changed(answer(of_order()), &name, json!(true)).to_string();
        let reply = reply_to(&of_order(), &body, State::SUCCESSFUL, &Value::Null);
        assert_eq!((reply.status(), reply.outcome(), reply.state()), (Status::Response, Outcome::Unknown, State::NONE));
        assert_eq!(reply.http_status(), 200);
        let found: Value = serde_json::from_str(&reply.body).unwrap();
        assert_eq!((&found["authentic"], &found["status"]), (&json!(false), &json!(false)), "{name}");
    }
}

fn read(body: &str) -> EventFacts {
    read_event(body, &|| false).unwrap_or_else(|why| panic!("{body}: {why:?}"))
}

/// The wrong field and its fault; without a field, the body is wrong.
fn unreadable(body: &str) -> (Option<String>, String) {
    match read_event(body, &|| false) {
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
        assert_eq!(event.subject(), Some(Subject::Order), "{body}");
        let order = &event.facts.reference(Reference::Order).text;
        assert_eq!(order.clear().map(|text| &**text), Some("ORDER-1"), "{body}");
        assert_eq!((event.facts.signs.state, &event.unknown_state), (State::SUCCESSFUL, &None), "{body}");
        assert_eq!(paid(body)["authentic"], true);
    }
    let marked = format!("\u{feff}{}", of_order());
    assert_eq!(read(&marked).subject(), Some(Subject::Order));
}

#[test]
fn every_member_of_the_table_is_read_in_any_case() {
    for member in EVENT.members {
        let value = if member.name == "statusId" || member.name == "fee" { "5" } else { "\"7\"" };
        for name in [member.name.to_owned(), member.name.to_uppercase(), member.name.to_lowercase()] {
            let event = read(&format!("{{\"{name}\":{value}}}"));
            assert_eq!(event.roles, [member.role.unwrap()], "{name}");
            let is_state = matches!(event.roles[..], [Role::StateNumber | Role::StateWord]);
            assert_eq!(is_state, event.facts.signs.state != State::NONE || event.unknown_state.is_some(), "{name}");
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
        assert_eq!((event.subject(), event.verification().is_some()), (subject, verified), "{body}");
    }
}

#[test]
fn a_body_that_two_readers_would_read_differently_is_no_event() {
    let given_twice = "is given twice, in different cases";
    let contradicts = "contradicts another field";
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
        (r#"{"a":{"x":1,"x":2}}"#, None, "gives a field twice"),
        (r#"{"orderReference":"A","order\u0052eference":"B"}"#, None, "gives a field twice"),
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
    assert!(read_event(&long(254), &|| false).is_ok());
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
    let stopped = read_event(&" ".repeat(MAX_LENGTH), &|| true).unwrap_err();
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
