//! `paysvc_invoke` by names that are not those of an endpoint or an operation. `tests/c/driver.c` calls all of these by it, so
//! every scenario in C is a test of it.

use serde_json::{Value, json};

use crate::journal::folder;
use crate::support::capi::{Client, with};
use crate::support::sandbox::Sandbox;

const CARD: &str = "4111111111111111";

fn charge(reference: &str) -> Value {
    json!({
        "paymentoption": "C", "country": "NG",
        "card": {"cardnumber": CARD, "expirymonth": "01", "expiryyear": "39", "cvv": "193"},
        "order": {"reference": reference, "amount": "25.50", "currency": "NGN", "description": "tea"},
    })
}

fn lost_answer() -> Value {
    json!({"fault": "commit_then_close", "path": paysvc_spec::endpoint("order_create").path})
}

/// It may be the name of a function about an earlier request.
#[test]
fn a_name_that_no_function_has_is_refused_and_proves_nothing() {
    let client = Client::new(&json!({"base_url": "http://127.0.0.1:1"}));
    for (name, part) in [
        ("order_crate", "function is not a known name; did you mean order_create?"),
        ("resolv", "did you mean resolve?"),
        ("lookup", "did you mean look_up?"),
        ("paysvc_order_create", "function has no prefix: order_create"),
        ("", "function is not a known name"),
        ("call_new", "is not a known name"),
    ] {
        let reply = client.invoke(Some(name), &"{}", None);
        reply.expect("E_ARGUMENT UNKNOWN");
        assert!(reply.message().contains(part), "{name}: {}", reply.message());
    }
    let reply = client.invoke(None, &"{}", None);
    reply.expect("E_ARGUMENT UNKNOWN");
    assert!(reply.message().contains("function is NULL"), "{}", reply.message());
}

#[test]
fn functions_of_another_shape_do_the_same() {
    let sandbox = Sandbox::start(&[]);
    let client = Client::new(&sandbox.config());
    let invoke = |name, json: &str| client.invoke(Some(name), &json, None);
    assert_eq!(invoke("client_check", "{}").expect("OK NOT_SENT").body(), client.check(None).body());
    assert_eq!(invoke("client_warm", "{}").expect("OK NOT_SENT").body(), client.warm(None).body());
    assert!(invoke("encrypt", r#"{"a":1}"#).expect("OK NOT_SENT").get("/data").is_some());
    for (name, json, part) in [
        ("client_check", r#"{"a":1}"#, "a is not a known field"),
        ("client_warm", "[]", "must be a JSON object"),
        ("encrypt", "7", "object"),
        ("look_up", "{}", "endpoint is required"),
        ("look_up", r#"{"endpoint":"order_creat","request":{}}"#, "did you mean order_create?"),
        ("look_up", r#"{"endpoint":"order_create","request":"{}"}"#, "request must be an object"),
    ] {
        let reply = invoke(name, json);
        reply.expect("E_ARGUMENT NOT_SENT");
        assert!(reply.message().contains(part), "{name} {json}: {}", reply.message());
    }
}

/// A program stores the look-up before it sends, and gives it to resolve after a lost response.
#[test]
fn a_look_up_is_the_request_of_resolve_without_the_card() {
    let sandbox = Sandbox::start(&[]);
    let client = Client::new(&sandbox.config());
    let look_up = |endpoint: &str, request: &Value| {
        let reply = Client::none().invoke(Some("look_up"), &json!({"endpoint": endpoint, "request": request}), None);
        serde_json::from_str::<Value>(reply.expect("OK NOT_SENT").body()).unwrap()
    };
    let stored = look_up("order_create", &charge("O-1"));
    let order = json!({"reference": "O-1", "amount": "25.50", "currency": "NGN"});
    let kept = json!({"order": order, "paymentoption": "C", "card": {}});
    assert_eq!(stored, json!({"endpoint": "order_create", "request": kept}));

    sandbox.post("/sandbox/faults", &lost_answer());
    client.call("order_create", &charge("O-1")).expect("E_TRANSPORT UNKNOWN");
    let resolved = client.call("resolve", &stored);
    assert_eq!(resolved.why_not_paid([Some("O-1"), Some("25.50"), Some("NGN")]), "", "{}", resolved.message());

    // Only what is known to make no charge says so.
    let makes_no_charge = |request: Value| look_up("order_create", &request).get("charged").is_some();
    let order = json!({"order": order});
    assert!(makes_no_charge(order.clone()));
    for other in [
        json!({}),
        charge("O-1"),
        with(order.clone(), json!({"paymentOption": "C"})),
        with(order.clone(), json!({"token": "t"})),
        with(order.clone(), json!({"payment": {"token": "t"}})),
    ] {
        assert!(!makes_no_charge(other.clone()), "{other}");
        let claimed = json!({"endpoint": "order_create", "request": other, "charged": false});
        client.call("resolve", &claimed).expect("E_ARGUMENT UNKNOWN");
    }
    // For a request of resolve, it is the earlier request.
    let authorized =
        json!({"endpoint": "order_pay_authorize", "request": {"reference": "O-1", "otp": "1"}, "attempts": 2});
    let about = json!({"endpoint": "order_pay_authorize", "request": {"reference": "O-1"}});
    assert_eq!(look_up("resolve", &authorized), about);
    let order = json!({"endpoint": "order_create", "request": order, "charged": false});
    assert_eq!(look_up("resolve", &order), order);
    let charged = json!({"endpoint": "order_create", "request": order["request"]});
    assert_eq!(look_up("resolve", &charged), charged, "nothing says that it makes no charge");
    for wrong in [json!(null), json!(0), json!("false"), json!({})] {
        let request = with(charged.clone(), json!({"charged": wrong}));
        assert_eq!(look_up("resolve", &request), charged, "only false says that it makes no charge: {wrong}");
    }
    assert_eq!(look_up("order_pay", &json!({"reference": "O-1"})).get("charged"), None);
    let no_look_up = look_up("order_pay_capture", &json!({"reference": "O-1"}));
    assert_eq!(no_look_up, json!({"endpoint": "order_pay_capture", "request": {}}));
}

#[test]
fn open_requests_of_the_journal_are_returned_with_their_keys() {
    let sandbox = Sandbox::start(&[]);
    let folder = folder();
    let journal = json!({"journal": folder.path().join("pay.db"), "journal_create": true});
    let client = Client::new(&with(sandbox.config(), journal));
    sandbox.post("/sandbox/faults", &lost_answer());
    client.call("order_create", &charge("O-1")).expect("E_TRANSPORT UNKNOWN");

    let next = |client: &Client, request: Value| client.invoke(Some("journal_next"), &request, None);
    let found = next(&client, json!({}));
    found.expect("OK CONFIRMED");
    assert_eq!(found.get("/key").as_deref(), Some("charge O-1"), "{}", found.body());
    let last = next(&client, json!({"after": "charge O-1"}));
    assert_eq!(last.expect("OK UNKNOWN").get("/key").as_deref(), Some(""));
    next(&client, json!({"after": 7})).expect("E_ARGUMENT UNKNOWN");
    let without = next(&Client::new(&sandbox.config()), json!({"after": "x"}));
    assert_eq!(without.expect("E_CONFIG UNKNOWN").get("/key").as_deref(), Some("x"));
}
