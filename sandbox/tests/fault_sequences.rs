//! Faults that involve several requests, connections or endpoints.

use std::io::Write;

use crate::common::wire::{Client, Ended, TIMEOUT, tls};
use crate::common::{Sandbox, pick};
use serde_json::{Value, json};
use tokio_rustls::rustls::StreamOwned;

const BANKS: &str = "/payment/banks";

/// FIN; under TLS it comes without close_notify.
fn fin(sandbox: &Sandbox) -> Ended {
    if sandbox.start["ca_file"].is_string() { Ended::Fin } else { Ended::Graceful }
}

fn both() -> [Sandbox; 2] {
    [Sandbox::start(&[]), Sandbox::start(&["--tls"])]
}

#[test]
fn a_stale_connection_ends_when_it_is_used_again() {
    for sandbox in both() {
        let mut client = Client::new(&sandbox);
        client.charge(&sandbox, "sbx-stale_keepalive-1");
        client.answer().expect(200);
        client.charge(&sandbox, "B");
        assert_eq!(client.rest(TIMEOUT), (Vec::new(), fin(&sandbox)));
        assert_eq!(sandbox.effects("charge_made").len(), 1);
        let log = sandbox.requests();
        assert_eq!((log.len(), &log[0]["fault"], &log[0]["answered"]), (2, &json!("stale_keepalive"), &json!("whole")));
        let unread = (&log[1]["method"], &log[1]["path"], &log[1]["fault"], &log[1]["answered"], &log[1]["status"]);
        assert_eq!(unread, (&Value::Null, &Value::Null, &json!("stale_keepalive"), &json!("none"), &Value::Null));
        assert_eq!((&log[1]["connection"], &log[1]["request_on_connection"]), (&log[0]["connection"], &json!(2)));
    }
}

#[test]
fn only_a_reused_connection_is_closed_after_the_read() {
    for sandbox in both() {
        let mut client = Client::new(&sandbox);
        client.ask_for_banks(&sandbox);
        client.answer().expect(200);
        client.charge(&sandbox, "sbx-close_after_read-1");
        assert_eq!(client.rest(TIMEOUT), (Vec::new(), fin(&sandbox)));
        assert!(sandbox.effects("charge_made").is_empty());
        // A client that repeats the request by itself shows in ledger and request log.
        let mut client = Client::new(&sandbox);
        client.charge(&sandbox, "sbx-close_after_read-1");
        client.answer().expect(200);
        assert_eq!(sandbox.effects("charge_made").len(), 1);
        let log = sandbox.requests();
        assert_eq!((log.len(), &log[1]["payload_sha256"]), (3, &log[2]["payload_sha256"]));
        let places = ["connection", "request_on_connection"]
            .map(|place| log.iter().map(|entry| entry[place].as_u64().unwrap()).collect::<Vec<_>>());
        // The second connection asked for the ledger.
        assert_eq!(places, [[1, 1, 3], [1, 2, 1]]);
    }
}

#[test]
fn failed_then_success_fails_each_request_once() {
    let sandbox = Sandbox::start(&[]);
    let pay = || sandbox.charge_card("sbx-failed_then_success-1", "4111111111111111").expect(200).json();
    assert_eq!(pay()["status"], "failed");
    assert!(sandbox.effects("charge_made").is_empty());
    assert_eq!(pay()["status"], "success");
    assert_eq!(sandbox.effects("charge_made").len(), 1);
    // By rule, each payload fails once.
    sandbox.rule(r#"{"path":"/payment/order/create","fault":"failed_then_success","count":9}"#);
    let statuses = ["A", "B", "A", "B"].map(|reference| {
        sandbox.charge_card(reference, "4111111111111111").json()["status"].as_str().unwrap().to_string()
    });
    assert_eq!(statuses, ["failed", "failed", "success", "success"]);
}

#[test]
fn magic_reaches_every_endpoint_that_takes_a_reference() {
    let sandbox = Sandbox::start(&[]);
    let name = |number: u32| format!("sbx-commit_then_502-{number}");
    let made = |call: &str, body: String| sandbox.admin_post(call, &body).expect(200);
    made("mandates", format!(r#"{{"mandateCode":"{}"}}"#, name(1)));
    made("orders", format!(r#"{{"reference":"{}","amount":"5","paid":true}}"#, name(2)));
    let fund = format!(r#"{{"alias":"till","amount":"5","senderName":"Ada","sessionId":"{}"}}"#, name(3));
    assert_eq!(made("fund", fund).json()["sessionId"], name(3));
    let public = sandbox.public.clone();
    let mandate = sandbox.mandate("0690000031");

    sandbox.get(&format!("/payment/order/direct-debit/history?emailAddress={}@example.com", name(0))).expect(502);
    let create = format!(r#"{{"orderReference":"{}","accountNumber":"0690000031","bankCode":"058"}}"#, name(4));
    sandbox.post("/payment/order/direct-debit/create", &create).expect(502);
    sandbox.get(&format!("/payment/order/direct-debit/status?mandateCode={}", name(1))).expect(502);
    sandbox.post("/payment/order/direct-debit/otp", &format!(r#"{{"mandateCode":"{}"}}"#, name(1))).expect(502);
    sandbox.pay("BY-CODE", &name(1), "000000").expect(502);
    sandbox.pay(&name(5), &mandate, "000000").expect(502);
    let account = format!(r#"{{"Alias":"{}"}}"#, name(6));
    sandbox.post_marked("/payment/virtual-account/generate", &public, &account).expect(502);
    sandbox.post_secret("/payment/order/refund", &format!(r#"{{"reference":"{}"}}"#, name(2))).expect(502);
    sandbox.get(&format!("/payment/transaction-details/{}", name(3))).expect(502);
    sandbox.charge_card(&name(7), "4111111111111111").expect(502);

    let log = sandbox.requests();
    assert_eq!(log.iter().filter(|entry| entry["fault"] == "commit_then_502").count(), 10);
    let keys = |effect: &str| -> Vec<Value> {
        let of_requests = sandbox.effects(effect).into_iter().filter(|entry| entry["request_id"].is_u64());
        of_requests.map(|entry| entry["key"].clone()).collect()
    };
    assert_eq!(keys("mandate_created"), [json!("M-0690000031"), json!(name(4))]);
    assert_eq!(keys("otp_sent"), [json!(name(1))]);
    assert_eq!(keys("charge_made"), [json!("BY-CODE"), json!(name(5)), json!(name(7))]);
    assert_eq!(keys("virtual_account_created"), [json!(name(6))]);
    assert_eq!(keys("refund_made"), [json!(format!("{}/5.00", name(2)))]);
}

#[test]
fn objects_made_by_admin_calls_are_checked() {
    let sandbox = Sandbox::start(&[]);
    let mandate = r#"{"mandateCode":"MINE","active":false,"accountNumber":"0690000041"}"#;
    let made = sandbox.admin_post("mandates", mandate).expect(200).json();
    assert_eq!(made, json!({"mandateCode": "MINE", "active": false, "accountNumber": "0690000041"}));
    sandbox.admin_post("mandates", mandate).expect_error(400, "mandateCode", "already exists");
    sandbox.pay("MINE", "MINE", "000000").expect_error(400, "directDebitPaymentRequest.mandateCode", "not active");
    let fund = r#"{"alias":"till","amount":"5","senderName":"Ada","sessionId":"S"}"#;
    sandbox.admin_post("fund", fund).expect(200);
    sandbox.admin_post("fund", fund).expect_error(400, "sessionId", "already exists");
    assert_eq!(sandbox.get("/payment/transaction-details/S").expect(200).json()["data"]["sessionId"], "S");
    sandbox
        .admin_post("fund", &fund.replace("till\"", "till\",\"accountNumber\":\"1\""))
        .expect_error(400, "alias", "either");
    let refused = sandbox.admin_post("orders", r#"{"reference":"A","amount":"1","paid":"yes"}"#);
    refused.expect_error(400, "paid", "true or false");
}

#[test]
fn tls_faults() {
    let sandbox = Sandbox::start(&["--tls"]);
    let ca_file = sandbox.start["ca_file"].as_str().unwrap().to_string();
    // Kept open, so that the fault does not act on a connection of the test itself.
    let mut admin = Client::new(&sandbox);
    for (fault, words) in [("tls_expired", "expired"), ("tls_wrong_host", "not valid for name"), ("tls_silence", "")] {
        admin.send("POST", "/sandbox/faults", &[], &format!(r#"{{"fault":"{fault}"}}"#)).unwrap();
        admin.answer().expect(200);
        let tcp = std::net::TcpStream::connect(sandbox.address()).unwrap();
        let timeout = if fault == "tls_silence" { std::time::Duration::from_millis(100) } else { TIMEOUT };
        tcp.set_read_timeout(Some(timeout)).unwrap();
        let error = StreamOwned::new(tls(&ca_file), tcp).write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        if fault == "tls_silence" {
            assert!(matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut), "{error}");
        }
        // The next connection is not affected.
        sandbox.get(BANKS).expect(200);
        let log = sandbox.requests();
        let entry = &log[log.len() - 2];
        assert_eq!(pick(entry, "fault method answered"), json!([fault, null, "none"]));
    }
}

#[test]
fn a_new_connection_is_reset_before_anything_is_read() {
    for sandbox in both() {
        let mut admin = Client::new(&sandbox);
        admin.send("POST", "/sandbox/faults", &[], r#"{"fault":"reset_before_read","nth":2}"#).unwrap();
        admin.answer().expect(200);
        sandbox.get(BANKS).expect(200);
        let mut client = Client::new(&sandbox);
        client.ask_for_banks(&sandbox);
        assert_eq!(client.rest(TIMEOUT), (Vec::new(), Ended::Reset));
        let entry = sandbox.requests().pop().unwrap();
        assert_eq!((&entry["fault"], &entry["method"]), (&json!("reset_before_read"), &Value::Null));
    }
}

#[test]
fn an_early_response_precedes_the_first_request() {
    for sandbox in both() {
        let mut admin = Client::new(&sandbox);
        let mut affects_next_connection = |how: &mut dyn FnMut(&mut Client)| {
            how(&mut admin);
            let mut client = Client::new(&sandbox);
            // No request is sent; under TLS the read does the handshake first.
            assert_eq!(client.answer().expect(200).header("x-sandbox-unsolicited"), Some("1"));
            // A request sent afterwards is not read, executed or answered.
            client.charge(&sandbox, "NOBODY");
            assert_eq!(client.rest(std::time::Duration::from_millis(100)), (Vec::new(), Ended::Silence));
            let entry = sandbox.requests().pop().unwrap();
            assert_eq!((&entry["fault"], &entry["method"]), (&json!("early_response"), &Value::Null));
            // The next connection is not affected.
            sandbox.get(BANKS).expect(200);
        };
        affects_next_connection(&mut |admin| {
            admin.send("POST", "/sandbox/faults", &[], r#"{"fault":"early_response"}"#).unwrap();
            admin.answer().expect(200);
        });
        affects_next_connection(&mut |_| {
            sandbox.charge_card("sbx-early_response-1", "4111111111111111").expect(200);
        });
        affects_next_connection(&mut |_| {
            sandbox.rule(r#"{"path":"/payment/banks","fault":"early_response"}"#);
            assert_eq!(sandbox.get(BANKS).expect(200).header("connection"), Some("close"));
        });
        assert_eq!(sandbox.effects("charge_made").len(), 1);
    }
}

#[test]
fn reset_before_read_does_not_read_the_body() {
    let sandbox = Sandbox::start(&[]);
    sandbox.rule(r#"{"path":"/payment/order/refund","fault":"reset_before_read"}"#);
    let mut client = Client::new(&sandbox);
    // Only the head: the connection is reset although the body is never sent.
    client
        .stream
        .write_all(b"POST /payment/order/refund HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n")
        .unwrap();
    assert_eq!(client.rest(TIMEOUT), (Vec::new(), Ended::Reset));
    let entry = sandbox.requests().pop().unwrap();
    let logged = (&entry["method"], &entry["path"], &entry["body_bytes"], &entry["status"]);
    assert_eq!(logged, (&json!("POST"), &json!("/payment/order/refund"), &json!(0), &Value::Null));
}

#[test]
fn requests_sent_during_a_script_are_answered_after_it() {
    let sandbox = Sandbox::start(&[]);
    sandbox.rule(r#"{"path":"/payment/banks","fault":"drip"}"#);
    let mut client = Client::new(&sandbox);
    let one = format!("GET {BANKS} HTTP/1.1\r\nhost: localhost\r\napi-key: {}\r\n\r\n", sandbox.public);
    client.stream.write_all(one.repeat(2).as_bytes()).unwrap();
    // This one arrives while the script runs.
    assert!(client.stream.read_exact(&mut [0]).is_ok());
    client.stream.write_all(one.as_bytes()).unwrap();
    let rest = [(); 3].map(|()| client.answer().status);
    assert_eq!(rest, [200, 200, 200]);
    let faults: Vec<Value> = sandbox.requests().iter().map(|entry| entry["fault"].clone()).collect();
    assert_eq!(faults, [json!("drip"), Value::Null, Value::Null]);
}
