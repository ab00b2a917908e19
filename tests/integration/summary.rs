//! `paysvc_reply_json`: its fields beside the response, which `typed_answers::normal` compares.

use serde_json::{Value, json};

use crate::journal::folder;
use crate::support::build;
use crate::support::capi::{Client, Reply, with};
use crate::support::long_encryption_key;
use crate::support::sandbox::Sandbox;
use crate::support::server::Server;
use crate::support::target::target;
use paysvc_spec::ENDPOINTS;

fn told(reply: &Reply) -> Value {
    serde_json::from_str(reply.json().expect("there is memory")).unwrap()
}

/// Compares the summary with the functions of the reply.
fn compare(what: &str, reply: &Reply) -> Value {
    let found = told(reply);
    let state = paysvc_spec::status::name(paysvc_spec::status::STATES, reply.state());
    let after = (reply.retry_after_ms() >= 0).then(|| reply.retry_after_ms());
    for (name, expected) in [
        ("status", json!(reply.status_name())),
        ("state", json!(state.map(|name| name.trim_start_matches("STATE_")))),
        ("state_number", json!(reply.state())),
        ("http_status", json!(reply.http_status())),
        ("code", json!(reply.code())),
        ("message", json!(reply.message())),
        ("attempts", json!(reply.attempts())),
        ("retry_after_ms", json!(after)),
        ("call_id", json!(reply.call_id())),
        ("request_id", json!(reply.request_id())),
        ("is_active", json!(reply.is_active())),
        ("why_not", json!(reply.why_not_paid([Some("*"); 3]))),
    ] {
        assert_eq!(found[name], expected, "{what}: {name}");
    }
    let verdict = format!("{} {}", reply.status_name(), found["outcome"].as_str().unwrap());
    reply.expect(&verdict);
    assert_eq!(found["paid"].is_null(), found["why_not"] != "", "{what}");
    found
}

#[test]
fn it_tells_what_the_functions_of_a_reply_tell() {
    let sandbox = Sandbox::start(&[]);
    let client = Client::new(&sandbox.config());
    for row in ENDPOINTS {
        let found = compare(row.name, &client.call(row.name, &target(row, &sandbox).request));
        assert_eq!((&found["answer_of"], &found["unreadable"]), (&json!(row.name), &json!([])));
    }
    for (status, headers, body) in [
        ("429 Too Many Requests", "retry-after: 7\r\n", r#"{"status":false,"message":"\"slow\"\u0001"}"#),
        ("500 Internal Server Error", "x-request-id: R-1\r\n", "<html>"),
        ("200 OK", "", r#"{"status":"success","statusCode":"00","data":{"orderPayment":{"statusId":99}}}"#),
    ] {
        let server = Server::always(status, headers, body);
        let config = with(server.config(), json!({"encryption_key": long_encryption_key(), "max_attempts": 1}));
        let order = json!({"reference": "O-1", "paymentOption": "bank-transfer", "BankTransfer": {}});
        let found = compare(status, &Client::new(&config).call("order_pay", &order));
        assert_eq!(found["answer"].is_null(), body == "<html>", "{found}");
        assert_eq!(found["look_up"]["endpoint"], "order_pay", "{found}");
    }
    let refused = compare("refused", &client.call("order_pay", &json!({})));
    assert_eq!(
        (&refused["answer"], &refused["answer_of"], &refused["webhook"]),
        (&json!(null), &json!(null), &json!(null))
    );
}

/// Names and types of the values are those of the schema, at every depth.
fn fits(what: &str, fields: &Value, found: &Value) {
    let fields = fields.as_array().unwrap();
    let names: Vec<_> = fields.iter().map(|field| field["name"].as_str().unwrap()).collect();
    let mut known: Vec<_> = found.as_object().unwrap_or_else(|| panic!("{what}: {found}")).keys().collect();
    known.retain(|name| !names.contains(&name.as_str()));
    assert!(known.is_empty(), "{what}: {known:?}");
    for field in fields {
        let (name, value) = (field["name"].as_str().unwrap(), &found[field["name"].as_str().unwrap()]);
        let is_it = match field["type"].as_str().unwrap() {
            "string" | "decimal" | "time" => value.is_string(),
            "integer" => value.is_i64(),
            "boolean" => value.is_boolean(),
            "object" => value.is_object(),
            "array" => value.is_array(),
            other => other == "any",
        };
        assert!(is_it || value.is_null(), "{what}: {name}: {value}");
        let inner = if value.is_object() { vec![value.clone()] } else { value.as_array().cloned().unwrap_or_default() };
        inner.iter().filter(|_| field.get("fields").is_some()).for_each(|it| fits(what, &field["fields"], it));
    }
}

#[test]
fn the_schema_says_what_every_function_answers() {
    let schema = std::fs::read_to_string(build().join("share/paysvc/schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let functions = schema["functions"].as_array().unwrap();
    let sandbox = Sandbox::start(&[]);
    let client = Client::new(&sandbox.config());
    for function in functions {
        let name = function["name"].as_str().unwrap();
        // One that does not exist would be UNKNOWN with the nearest name.
        let reply = client.invoke(Some(name), &"[]", None);
        assert!(reply.message().contains("must be a JSON object"), "{name}: {}", reply.message());
    }
    for row in ENDPOINTS {
        let function = functions.iter().find(|function| function["name"] == row.name).unwrap();
        let found = told(&client.call(row.name, &target(row, &sandbox).request));
        fits(row.name, &function["answer"], &found["answer"]);
    }
}

/// `paysvc_reply_is_paid` takes the values that it names, and no others.
#[test]
fn paid_is_what_is_paid_takes() {
    let data = |data: &str| format!(r#"{{"status":"success","statusCode":"00","data":{{{data}}}}}"#);
    let summary = |rest: &str| data(&format!(r#""orderSummary":{{"statusId":5,"status":"Successful",{rest}}}"#));
    for (function, body, expected) in [
        (
            "order_verify",
            data(r#""orderReference":"o-1","statusId":5,"orderAmount":25.50,"currencyName":"NGN""#),
            json!(["25.5"]),
        ),
        (
            "order_status",
            summary(r#""orderReference":"O-1","totalChargedAmount":"26.00","fee":0.50"#),
            json!(["25.5", "26"]),
        ),
        ("order_status", summary(r#""orderReference":"O-1","totalChargedAmount":"0.25","fee":0.50"#), json!(["0.25"])),
        ("order_status", summary(r#""orderReference":"O-1","totalChargedAmount":"x""#), json!([])),
        ("order_status", summary(r#""fee":1"#), json!([])),
    ] {
        let server = Server::always("200 OK", "", body.clone().leak());
        let config = with(server.config(), json!({"encryption_key": long_encryption_key()}));
        let reply = Client::new(&config).call(function, &json!({"reference": "O-1"}));
        let paid = compare(&body, &reply)["paid"].clone();
        assert_eq!(paid["amounts"], expected, "{body}");
        let listed = paid["amounts"].as_array().unwrap();
        for (amount, shortest) in
            [("25.50", "25.5"), ("26", "26"), ("25", "25"), ("0.25", "0.25"), ("0.50", "0.5"), ("1.0", "1")]
        {
            let why_not = reply.why_not_paid([Some("*"), Some(amount), Some("*")]);
            assert_eq!(why_not.is_empty(), listed.contains(&json!(shortest)), "{body}: {amount}: {why_not}");
        }
        assert_eq!(reply.why_not_paid([paid["reference"].as_str(), Some("*"), Some("*")]), "", "{body}");
        let takes = |currency: &str| reply.why_not_paid([Some("*"), Some("*"), Some(currency)]).is_empty();
        assert!(paid["currency"].as_str().map_or_else(|| !takes("NGN"), takes), "{body}");
        assert!(!takes("USD"));
    }
}

/// As long as something is open, it has what `look_up` returns for the same request.
#[test]
fn what_is_left_open_is_told_with_its_look_up() {
    let sandbox = Sandbox::start(&[]);
    let client = Client::new(&sandbox.config());
    let charge = json!({
        "reference": "O-1", "paymentoption": "C", "country": "NG",
        "card": {"cardnumber": "4111111111111111", "expirymonth": "01", "expiryyear": "39", "cvv": "193"},
        "order": {"reference": "O-1", "amount": "25.50", "currency": "NGN", "description": "tea"},
    });
    let stored = |endpoint: &str, request: &Value| {
        let asked = json!({"endpoint": endpoint, "request": request});
        serde_json::from_str::<Value>(client.invoke(Some("look_up"), &asked, None).body()).unwrap()
    };
    let kept = stored("order_create", &charge);
    sandbox.post(
        "/sandbox/faults",
        &json!({"fault": "commit_then_close", "path": paysvc_spec::endpoint("order_create").path}),
    );
    let lost = compare("lost", &client.call("order_create", &charge));
    assert_eq!((&lost["outcome"], &lost["look_up"]), (&json!("UNKNOWN"), &kept));
    // For resolve, it is that of the request that it is about.
    let other = json!({"endpoint": "order_create", "request": with(charge.clone(), json!({"reference": "O-2", "order": {"reference": "O-2"}}))});
    let unresolved = compare("unresolved", &client.call("resolve", &other));
    assert_eq!((&unresolved["outcome"], &unresolved["look_up"]), (&json!("UNKNOWN"), &stored("resolve", &other)));
    let resolved = compare("resolved", &client.call("resolve", &kept));
    assert_eq!((&resolved["state"], &resolved["look_up"]), (&json!("SUCCESSFUL"), &json!(null)));
    assert_eq!(
        (&resolved["answer_of"], &resolved["answer"]["order_summary"]["reference"]),
        (&json!("order_status"), &json!("O-1"))
    );
    // A transfer that is awaited.
    let transfer = json!({"reference": "O-3", "paymentOption": "bank-transfer", "BankTransfer": {}});
    sandbox.post("/sandbox/orders", &json!({"reference": "O-3", "amount": "100.00"}));
    let pending = compare("pending", &client.call("order_pay", &transfer));
    assert_eq!((&pending["status"], &pending["look_up"]), (&json!("OK"), &stored("order_pay", &transfer)));
    assert_eq!(compare("read", &client.call("order_status", &json!({"reference": "none"})))["look_up"], json!(null));
}

#[test]
fn a_webhook_and_a_list_of_payouts_have_their_own_fields() {
    let sandbox = Sandbox::start(&[]);
    let folder = folder();
    let journal = json!({"journal": folder.path().join("pay.db"), "journal_create": true});
    let client = Client::new(&with(sandbox.config(), journal));
    sandbox.post("/sandbox/orders", &json!({"reference": "O-1", "amount": "100.00", "paid": true}));
    let verify = |body: Value| compare("webhook", &client.call("webhook_verify", &json!({"body": body})));
    let event =
        verify(json!({"data": {"orderReference": "O-1", "statusId": 5, "orderAmount": 100, "currency": "NGN"}}));
    let webhook = &event["webhook"];
    assert_eq!(
        (&webhook["authentic"], &webhook["respond"], &webhook["event"]),
        (&json!(true), &json!(200), &json!("order")),
        "{event}"
    );
    assert!(webhook["key"].is_string() && webhook["match"].is_null(), "{webhook}");
    assert_eq!((&event["answer_of"], &event["state"]), (&json!("order_verify"), &json!("SUCCESSFUL")));
    assert_eq!((&event["answer"]["status_id"], &event["answer"]["authentic"]), (&json!(5), &json!(null)));
    let no_event = verify(json!({"a": 1}));
    assert_eq!((&no_event["answer"], &no_event["webhook"]["respond"]), (&json!(null), &json!(400)));

    let payout = target(paysvc_spec::endpoint("payout_initiate"), &sandbox).request;
    let mut recipient = payout["payoutDetails"][0].clone();
    recipient["clientReference"] = json!("P-1");
    let paid = compare("bulk", &client.call("payout_bulk", &json!({"payoutDetails": [recipient]})));
    assert_eq!((&paid["answer_of"], &paid["answer"]["accepted"]), (&json!("payout_bulk"), &json!(1)), "{paid}");
    let first = &paid["answer"]["payouts"][0];
    assert_eq!((&first["client_reference"], &first["outcome"]), (&json!("P-1"), &json!("ACCEPTED")));
    assert_eq!(paid["answer"].get("status"), None, "the reply has its own");
}
