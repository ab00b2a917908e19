//! Fault rules by admin calls and by the command line; magic inputs, which act on the request that changes something
//! and not on the one that asks what became of it; and how stalled connections end.

use std::io::Write;
use std::time::Instant;

use crate::common::wire::{Client, Ended, TIMEOUT};
use crate::common::{Sandbox, refusal};
use serde_json::{Value, json};

const BANKS: &str = "/payment/banks";

fn statuses(sandbox: &Sandbox, count: usize) -> Vec<u16> {
    (0..count).map(|_| sandbox.get(BANKS).status).collect()
}

#[test]
fn nth_and_count() {
    let sandbox = Sandbox::start(&[]);
    let made = sandbox.rule(r#"{"path":"/payment/banks","method":"GET","fault":"status_503","nth":2,"count":2}"#);
    assert_eq!(
        made,
        json!({"id": 1, "fault": "status_503", "path": "/payment/banks", "method": "GET", "nth": 2, "count": 2,
            "probability": null, "seed": null, "delay_ms": null, "matched": 0, "fired": 0})
    );
    assert_eq!(statuses(&sandbox, 5), [200, 503, 503, 200, 200]);
    let listed = sandbox.admin("faults")["rules"].clone();
    assert_eq!((&listed[0]["matched"], &listed[0]["fired"]), (&json!(5), &json!(2)));
    // All rules are forgotten.
    let rule = r#"{"path":"/payment/banks","fault":"status_500","count":9}"#;
    sandbox.rule(rule);
    assert_eq!(sandbox.send("DELETE", "/sandbox/faults", &[], "").expect(200).json(), json!({"cleared": 2}));
    sandbox.rule(rule);
    sandbox.admin_post("reset", "").expect(200);
    assert_eq!((statuses(&sandbox, 1), &sandbox.admin("faults")["rules"]), (vec![200], &json!([])));
}

#[test]
fn templates_and_prefixes() {
    let sandbox = Sandbox::start(&[]);
    sandbox.rule(r#"{"path":"/payment/transaction-details/{sessionId}","fault":"status_500"}"#);
    sandbox.get("/payment/transaction-details/5").expect(500);
    sandbox.get("/payment/transaction-details/5").expect(404);
    sandbox.rule(r#"{"path":"/payout/*","fault":"status_500"}"#);
    sandbox.get_secret("/payout/balance-enquiry").expect(500);
    // Rules also act on requests that would be refused, but never on admin calls.
    sandbox.rule(r#"{"path":"*","fault":"status_500","count":2}"#);
    sandbox.send("GET", BANKS, &[], "").expect(500);
    sandbox.get("/nowhere").expect(500);
    assert_eq!(statuses(&sandbox, 1), [200]);
}

#[test]
fn invalid_rules_are_refused() {
    let sandbox = Sandbox::start(&[]);
    let refuses =
        |rule: &str, field: &str, words: &str| sandbox.admin_post("faults", rule).expect_error(400, field, words);
    refuses(r#"{"path":"/a","fault":"no_such"}"#, "fault", "there are reset_before_read, reset_without_commit");
    refuses(r#"{"fault":"tls_silence"}"#, "fault", "--tls");
    let near = "near it are /payment/order/pay, /payment/order/fee";
    refuses(r#"{"path":"/payment/order/apy","fault":"drip"}"#, "path", near);
    assert_eq!(sandbox.admin("faults")["rules"], json!([]));
}

#[test]
fn rules_on_the_command_line() {
    let rule = r#"{"path":"/payment/banks","fault":"status_500"}"#;
    let sandbox = Sandbox::start(&["--fault", rule, "--fault", "reset_before_read"]);
    let mut client = Client::new(&sandbox);
    client.ask_for_banks(&sandbox);
    assert_eq!(client.rest(TIMEOUT), (Vec::new(), Ended::Reset));
    assert_eq!(statuses(&sandbox, 2), [500, 200]);
    for (bad, words) in [("no_such", "there are"), ("{", "EOF"), ("drip", "path"), ("tls_expired", "--tls")] {
        let error = refusal(&["--fault", bad]);
        assert!(error.contains("--fault") && error.contains(words), "{bad}: {error}");
    }
}

fn logged(sandbox: &Sandbox) -> Vec<Value> {
    sandbox.requests().iter().map(|request| request["fault"].clone()).collect()
}

#[test]
fn the_look_up_of_a_charge_is_answered() {
    let sandbox = Sandbox::start(&[]);
    let reference = "sbx-commit_then_502-1";
    sandbox.charge_card(reference, "4111111111111111").expect(502);
    assert_eq!(sandbox.status(reference).expect(200).json()["data"]["orderSummary"]["statusId"], 5);
    assert_eq!(sandbox.verify(reference).expect(200).json()["data"]["statusId"], 5);
    // Every request that changes something meets it.
    sandbox.post_secret("/payment/order/refund", &format!(r#"{{"reference":"{reference}"}}"#)).expect(502);
    sandbox.status(reference).expect(200);
    let fault = json!("commit_then_502");
    assert_eq!(logged(&sandbox), [fault.clone(), Value::Null, Value::Null, fault, Value::Null]);
}

#[test]
fn a_value_that_changed_nothing_acts_on_its_look_up() {
    let sandbox = Sandbox::start(&[]);
    sandbox.admin_post("orders", r#"{"reference":"sbx-status_500-1","amount":"10","paid":true}"#).expect(200);
    sandbox.status("sbx-status_500-1").expect(500);
    sandbox.verify("sbx-status_500-1").expect(500);
    let funding = r#"{"alias":"till","amount":"10","senderName":"Ada","sessionId":"sbx-status_503-1"}"#;
    sandbox.admin_post("fund", funding).expect(200);
    sandbox.get("/payment/transaction-details/sbx-status_503-1").expect(503);
    sandbox.admin_post("mandates", r#"{"mandateCode":"sbx-status_503-2"}"#).expect(200);
    let mandate = || sandbox.get("/payment/order/direct-debit/status?mandateCode=sbx-status_503-2");
    mandate().expect(503);
    sandbox.post("/payment/order/direct-debit/otp", r#"{"mandateCode":"sbx-status_503-2"}"#).expect(503);
    mandate().expect(200);
    // A reset forgets it; removing the rules does not.
    sandbox.send("DELETE", "/sandbox/faults", &[], "").expect(200);
    mandate().expect(200);
    sandbox.admin_post("reset", "").expect(200);
    mandate().expect(503);
}

#[test]
fn a_fault_of_look_ups_can_be_asked_for() {
    let sandbox = Sandbox::start(&[]);
    let reference = "sbx-status_500@lookup-1";
    sandbox.charge_card(reference, "4111111111111111").expect(200);
    for _ in 0..2 {
        sandbox.status(reference).expect(500);
        sandbox.verify(reference).expect(500);
    }
    assert_eq!(sandbox.effects("charge_made").len(), 1);
}

#[test]
fn a_fault_of_payments_spares_the_order() {
    let sandbox = Sandbox::start(&[]);
    let reference = "sbx-commit_then_502@pay-1";
    let order = format!(r#"{{"order":{{"reference":"{reference}","amount":"20.00","currency":"NGN"}}}}"#);
    sandbox.post("/payment/order/create", &order).expect(200);
    let card = crate::common::card(reference, "4111111111111111").replace("paymentoption", "paymentOption");
    sandbox.post("/payment/order/pay", &card).expect(502);
    assert_eq!(sandbox.status(reference).expect(200).json()["data"]["orderSummary"]["statusId"], 5);
}

#[test]
fn a_rule_takes_precedence() {
    let sandbox = Sandbox::start(&[]);
    sandbox.rule(r#"{"path":"/payment/order/create","fault":"status_503"}"#);
    sandbox.charge_card("sbx-status_500-1", "4111111111111111").expect(503);
    sandbox.status("sbx-status_500-1").expect(404);
    sandbox.charge_card("sbx-status_500-1", "4111111111111111").expect(500);
}

/// Polls until the condition holds; fails only if it does not hold within the timeout.
fn eventually(what: &str, so: impl Fn() -> bool) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < TIMEOUT, "{what}");
    }
}

#[test]
fn a_client_that_left_is_noticed() {
    let sandbox = Sandbox::start(&[]);
    sandbox.rule(r#"{"path":"/payment/banks","fault":"slow_headers","delay_ms":600000}"#);
    let stalls = ["sbx-commit_then_timeout-1", "sbx-never_end-1", "sbx-stale_keepalive-1"];
    let mut clients: Vec<Client> = stalls
        .iter()
        .map(|reference| {
            let mut client = Client::new(&sandbox);
            client.charge(&sandbox, reference);
            client
        })
        .collect();
    let mut client = Client::new(&sandbox);
    client.ask_for_banks(&sandbox);
    // A second request on the same connection, which is not read.
    client.ask_for_banks(&sandbox);
    clients.push(client);
    eventually("all are carried out", || sandbox.requests().len() == 4);
    drop(clients);
    #[cfg(target_os = "linux")]
    eventually("their connections end", || open_sockets(&sandbox) <= 2);
    assert_eq!(sandbox.effects("charge_made").len(), 3);
    assert_eq!(sandbox.requests().iter().filter(|entry| entry["fault"] == "slow_headers").count(), 1);
    // A request that breaks off is logged too.
    let mut client = Client::new(&sandbox);
    client
        .stream
        .write_all(b"POST /payment/order/refund HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{")
        .unwrap();
    drop(client);
    eventually("the broken request is noted", || {
        let entry = sandbox.requests().pop().unwrap();
        entry["path"] == "/payment/order/refund" && entry["status"].is_null() && entry["answered"] == "none"
    });
}

/// Counts the listener and the connection of the current request too.
#[cfg(target_os = "linux")]
fn open_sockets(sandbox: &Sandbox) -> usize {
    let listed = std::fs::read_dir(format!("/proc/{}/fd", sandbox.child.id())).unwrap();
    let links = listed.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    let inodes: Vec<String> = links.filter_map(|link| link.to_str().map(str::to_string)).collect();
    let table = std::fs::read_to_string(format!("/proc/{}/net/tcp", sandbox.child.id())).unwrap();
    let rows = table.lines().filter_map(|line| line.split_whitespace().nth(9));
    rows.filter(|inode| inodes.contains(&format!("socket:[{inode}]"))).count()
}

#[cfg(unix)]
#[test]
fn stalled_connections_do_not_delay_the_end() {
    let sandbox = Sandbox::start(&[]);
    sandbox.rule(r#"{"path":"/payment/banks","fault":"commit_then_timeout","count":100}"#);
    let clients: Vec<Client> = (0..100)
        .map(|_| {
            let mut client = Client::new(&sandbox);
            client.ask_for_banks(&sandbox);
            client
        })
        .collect();
    eventually("all are stalled", || sandbox.requests().len() == 100);
    sandbox.signal("TERM");
    drop(clients);
}
