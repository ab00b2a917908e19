//! The parts that the page in the browser uses: its files, lists, events, and the charge whose response is lost.

use crate::common::{Sandbox, wire::Client};
use serde_json::Value;

const HTML: (&str, &str) = ("accept", "text/html");

#[test]
fn the_page_loads_from_the_sandbox_only() {
    let sandbox = Sandbox::start(&[]);
    let page = sandbox.send("GET", "/", &[HTML], "").expect(200);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'self'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    for link in page.text.split([' ', '>']).filter_map(|word| word.split_once("=\"/")).map(|(_, rest)| rest) {
        let path = format!("/{}", link.trim_end_matches('"'));
        let file = sandbox.send("GET", &path, &[HTML], "").expect(200);
        assert!(path == "/sandbox" || file.header("x-content-type-options") == Some("nosniff"), "{path}");
    }
    sandbox.send("GET", "/sandbox/page/../README.md", &[], "").expect(404);
    assert!(sandbox.requests().is_empty(), "none of it is logged");
}

fn references(sandbox: &Sandbox, list: &str, member: &str, name: &str) -> Vec<String> {
    let listed = sandbox.admin(list)[member].as_array().unwrap().clone();
    listed.iter().map(|entry| entry[name].to_string().trim_matches('"').to_string()).collect()
}

#[test]
fn lists_are_cut_and_searched() {
    let sandbox = Sandbox::start(&[]);
    for reference in ["C-1", "B-2", "A-3"] {
        sandbox.charge_card(reference, "4111111111111111").expect(200);
    }
    sandbox.post_secret("/payment/order/refund", r#"{"reference":"B-2","amount":"20"}"#).expect(200);
    sandbox.verify("nowhere").expect(404);
    let orders = |query: &str| references(&sandbox, &format!("orders?{query}"), "orders", "reference");
    // The newest, oldest first.
    assert_eq!(
        (orders("limit=2"), orders("limit=1&before=5003")),
        (vec!["B-2".into(), "A-3".into()], vec!["B-2".into()])
    );
    assert_eq!(
        (orders("search=a-"), orders("reference=C-1"), orders("reference=C")),
        (vec!["A-3".into()], vec!["C-1".into()], vec![])
    );
    assert_eq!((orders("show=Successful").len(), orders("show=Failed").len()), (3, 0));
    // Without a choice the state is as it always was.
    assert_eq!(references(&sandbox, "state", "orders", "reference"), ["A-3", "B-2", "C-1"]);
    assert_eq!(references(&sandbox, "state?limit=1", "orders", "reference"), ["A-3"]);
    let ledger = |query: &str| references(&sandbox, &format!("ledger?{query}"), "ledger", "effect");
    assert_eq!(ledger("limit=1"), ["refund_made"]);
    let payment = sandbox.admin("orders?reference=B-2")["orders"][0]["payments"][0]["reference"].clone();
    for reference in ["B-2", payment.as_str().unwrap()] {
        assert_eq!(ledger(&format!("reference={reference}")), ["order_created", "charge_made", "refund_made"]);
        let requests = references(&sandbox, &format!("requests?reference={reference}"), "requests", "request_id");
        assert_eq!(requests, ["2", "4"]);
    }
    let requests = |query: &str| references(&sandbox, &format!("requests?{query}"), "requests", "request_id");
    assert_eq!(
        (requests("limit=2"), requests("limit=2&before=3")),
        (vec!["4".into(), "5".into()], vec!["1".into(), "2".into()])
    );
    assert_eq!(
        (requests("show=effects").len(), requests("show=errors"), requests("show=faults").len()),
        (4, vec!["5".into()], 0)
    );
    assert_eq!((requests("search=REFUND").len(), requests("search=cvv").len()), (1, 3));
    assert_eq!(requests("search=b%22").len(), 0, "a quotation mark is one in the text");
    // A search does not find masked text.
    assert!(requests("search=4111111111111111").is_empty());
    assert_eq!(references(&sandbox, "webhooks?reference=A-3", "deliveries", "event"), ["payment"]);
    let wrong = |target: &str| sandbox.send("GET", target, &[], "");
    wrong("/sandbox/orders?limit=x").expect_error(400, "limit", "whole number");
    wrong("/sandbox/requests?show=x").expect_error(400, "show", "effects, errors or faults");
}

#[test]
fn a_charge_whose_answer_is_lost() {
    let sandbox = Sandbox::start(&[]);
    let lost = |body: &str| sandbox.admin_post("lost-charge", body);
    lost(r#"{"reference":"A","amount":"2500.50"}"#).expect(200);
    let [charge] = sandbox.effects("charge_made").try_into().unwrap();
    assert_eq!((&charge["key"], &charge["amount"]), (&"A".into(), &"2500.50".into()));
    let [request] = sandbox.requests().try_into().unwrap();
    assert_eq!((&request["fault"], &request["answered"]), (&"commit_then_reset".into(), &"none".into()));
    assert_eq!(request["effects"], Value::from(vec![charge["seq"].clone()]));
    assert_eq!(sandbox.verify("A").json()["data"]["statusId"], 5);
    lost(r#"{"reference":"A"}"#).expect_error(400, "reference", "already paid");
    lost(r#"{"reference":"A","amount":"1"}"#).expect_error(400, "reference", "already exists");
    lost("{}").expect_error(400, "reference", "is required");
    lost(&format!(r#"{{"reference":"{}"}}"#, "x".repeat(200))).expect_error(400, "reference", "can encrypt at most");
    assert_eq!(sandbox.effects("charge_made").len(), 1);
}

/// A subscriber and what it has read.
struct Events(Client, String);

impl Events {
    fn subscribe(sandbox: &Sandbox) -> Events {
        let mut client = Client::new(sandbox);
        client.send("GET", "/sandbox/events", &[], "").unwrap();
        Events(client, String::new())
    }

    fn more(&mut self) {
        let mut bytes = [0; 1024];
        let count = self.0.stream.read(&mut bytes).unwrap();
        assert!(count > 0, "the events ended: {}", self.1);
        self.1 += std::str::from_utf8(&bytes[..count]).unwrap();
    }

    fn all(&self) -> Vec<Value> {
        let lines = self.1.lines().filter_map(|line| line.strip_prefix("data: "));
        lines.filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Reads until an event has this value.
    fn until(&mut self, member: &str, value: usize) -> usize {
        while !self.all().iter().any(|event| event[member] == value) {
            self.more();
        }
        self.all().len()
    }
}

#[test]
fn events_tell_what_has_changed() {
    let sandbox = Sandbox::start(&[]);
    let mut events = Events::subscribe(&sandbox);
    events.until("orders", 0);
    assert!(events.1.contains("content-type: text/event-stream"), "{}", events.1);
    sandbox.admin_post("orders", r#"{"reference":"A","amount":"5"}"#).expect(200);
    events.until("orders", 1);
    let code = sandbox.mandate("0690000001");
    events.until("mandates", 1);
    let before = events.all();
    sandbox.admin_post(&format!("mandates/{code}/activate"), "").expect(200);
    while events.all().len() == before.len() {
        events.more();
    }
    sandbox.rule(r#"{"fault":"drip","path":"/payment/banks"}"#);
    events.until("faults", 1);
    sandbox.admin_post("reset", "").expect(200);
    while events.all().last().unwrap()["orders"] != 0 {
        events.more();
    }
    let versions: Vec<u64> = events.all().iter().map(|event| event["version"].as_u64().unwrap()).collect();
    assert!(versions.is_sorted_by(|one, other| one < other), "{versions:?}");
}

#[test]
fn a_slow_subscriber_gets_the_newest_event_and_not_all() {
    let sandbox = Sandbox::start(&[]);
    let mut events = Events::subscribe(&sandbox);
    let many = 300;
    for _ in 0..many {
        sandbox.get("/payment/banks").expect(200);
    }
    let told = events.until("requests", many);
    assert!(told < many, "{told}");
}

#[test]
fn subscribers_are_few() {
    let sandbox = Sandbox::start(&[]);
    let mut all: Vec<Events> = (0..32).map(|_| Events::subscribe(&sandbox)).collect();
    all.iter_mut().for_each(|events| {
        events.until("orders", 0);
    });
    let refused = sandbox.send("GET", "/sandbox/events", &[], "").expect(503);
    assert!(refused.text.contains("32 subscribers"), "{}", refused.text);
    // A place is free when one has left.
    all.pop();
    loop {
        let mut next = Events::subscribe(&sandbox);
        next.more();
        if next.1.contains(" 200 ") {
            break;
        }
    }
}

#[test]
fn a_write_from_another_origin_is_refused_by_its_origin_too() {
    let sandbox = Sandbox::start(&[]);
    let order = r#"{"reference":"A","amount":"5"}"#;
    let post = |origin: &str| sandbox.send("POST", "/sandbox/orders", &[("origin", origin)], order);
    for origin in ["https://elsewhere.example", "http://localhost:1", "null", ""] {
        post(origin).expect(403);
    }
    assert!(sandbox.admin("orders")["orders"].as_array().unwrap().is_empty());
    // The test's client names this host.
    post("http://localhost").expect(200);
}

#[test]
fn accounts_and_payouts_are_lists() {
    let sandbox = Sandbox::start(&[]);
    for alias in ["till-1", "till-2"] {
        let funding = format!(r#"{{"alias":"{alias}","amount":"5","senderName":"Ada"}}"#);
        sandbox.admin_post("fund", &funding).expect(200);
    }
    let accounts = sandbox.admin("accounts")["accounts"].as_array().unwrap().clone();
    assert_eq!((accounts.len(), &accounts[0]["funded"]), (2, &"5.00".into()));
    let last = accounts[1]["account_number"].as_str().unwrap();
    let before = references(&sandbox, &format!("accounts?before={last}"), "accounts", "account_number");
    assert_eq!(before, [accounts[0]["account_number"].as_str().unwrap()]);
    assert_eq!(references(&sandbox, "accounts?search=till-2", "accounts", "alias"), ["till-2"]);
    for reference in ["P-1", "P-2"] {
        let details = format!(
            r#"{{"payoutDetails":[{{"clientReference":"{reference}","accountNumber":"0690000031","accountName":"Ada","bankCode":"000014","amount":"5"}}]}}"#
        );
        sandbox.admin_post("payouts", &details).expect(200);
    }
    let payouts = |query: &str| references(&sandbox, &format!("payouts?{query}"), "payouts", "clientReference");
    assert_eq!(
        (payouts("limit=1"), payouts("before=2"), payouts("search=p-1")),
        (vec!["P-2".into()], vec!["P-1".into()], vec!["P-1".into()])
    );
    assert_eq!(payouts("clientReference=P-2"), ["P-2"]);
}
