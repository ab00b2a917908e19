//! The behaviour that all endpoints share: API keys, envelopes, limits, the request log.

use crate::common::{JSON, Sandbox, card, encrypt, pick};
use serde_json::{Value, json};

/// Method, path, API key, and whether the body is encrypted. A unit test compares the list with the README's table.
fn endpoints(sandbox: &Sandbox) -> Vec<(String, String, String, bool)> {
    let listed = sandbox.admin("endpoints")["endpoints"].as_array().unwrap().clone();
    let text = |endpoint: &Value, member: &str| endpoint[member].as_str().unwrap().to_string();
    let endpoints = listed.iter().map(|endpoint| {
        let path = text(endpoint, "path").replace(['{', '}'], "");
        (text(endpoint, "method"), path, text(endpoint, "key"), endpoint["envelope"] == "encrypted")
    });
    let endpoints: Vec<_> = endpoints.collect();
    assert!(!endpoints.is_empty());
    endpoints
}

#[test]
fn every_endpoint_wants_its_own_key() {
    let sandbox = Sandbox::start(&[]);
    let message =
        |answer: crate::common::Answer| answer.expect(401).json()["error"]["message"].as_str().unwrap().to_string();
    for (method, path, key, _) in endpoints(&sandbox) {
        let with = |key: &str| message(sandbox.send(&method, &path, &[("api-key", key), JSON], "{}"));
        let missing = sandbox.send(&method, &path, &[JSON], "{}");
        assert!(missing.is_assumed());
        assert_eq!(message(missing), "api-key was not passed in the header.");
        assert!(with("PGW-PUBLICKEY-TEST-0").contains("not valid"), "{path}");
        if key.contains(" or ") {
            for key in [&sandbox.public, &sandbox.secret] {
                sandbox.send(&method, &path, &[("api-key", key), JSON], "{}").expect(400);
            }
            continue;
        }
        let other = if key == "public" { &sandbox.secret } else { &sandbox.public };
        assert!(with(other).contains(&format!("takes the {key} key")), "{path}");
    }
    assert!(sandbox.admin("ledger")["ledger"].as_array().unwrap().is_empty());
}

#[test]
fn encrypted_endpoints_take_the_envelope_only() {
    let sandbox = Sandbox::start(&[]);
    let foreign = Sandbox::start_with(&["--seed", "2", "--key-bits", "2048"]);
    for (method, path, key, encrypted) in endpoints(&sandbox) {
        if !encrypted {
            continue;
        }
        let key = if key == "public" { &sandbox.public } else { &sandbox.secret };
        let headers = [("api-key", key.as_str()), JSON, ("encryption", "RSA")];
        let send = |body: &str| sandbox.send(&method, &path, &headers, body);
        let plain = send(r#"{"reference":"A"}"#).expect(400).json();
        assert_eq!(plain["message"], "Unable to find the encrypted data, please encrypt your payload and try again");
        send(&encrypt(&foreign.key, b"{}")).expect_error(400, "data", "another key");
        send(&sandbox.encrypt("{}").replace('}', r#","more":1}"#)).expect_error(400, "data", "remove more");
        send(r#"{"data":"%%%"}"#).expect_error(400, "data", "not standard base64");
        send(r#"{"data":"AAAA"}"#).expect_error(400, "data", "one RSA block");
        send(&sandbox.encrypt("[]")).expect_error(400, "data", "must be a JSON object");
        send(&sandbox.encrypt("x")).expect_error(400, "data", "decrypted payload is not JSON");
        send(r#"{"data":{}}"#).expect_error(400, "data", "Unable to find the encrypted data");
        send("{").expect_error(400, "body", "not JSON");
    }
    assert!(sandbox.admin("ledger")["ledger"].as_array().unwrap().is_empty());
}

#[test]
fn routes_and_limits() {
    let sandbox = Sandbox::start(&[]);
    assert!(
        sandbox.get("/payment/nowhere").expect(404).json()["error"]["message"]
            .as_str()
            .unwrap()
            .contains("/payment/nowhere")
    );
    assert_eq!(sandbox.get("/payment/order/pay").expect(405).header("allow"), Some("POST"));
    sandbox.get("/sandbox/nowhere").expect(404);
    assert_eq!(sandbox.get("/sandbox/reset").expect(405).header("allow"), Some("POST"));
    let secret = sandbox.secret.as_str();
    let refused = sandbox.send("POST", "/payment/order/refund", &[("api-key", secret)], "{}");
    refused.expect_error(415, "Content-Type", "application/json");
    let large = format!(r#"{{"reference":"{}"}}"#, "x".repeat(2 << 20));
    sandbox.post_secret("/payment/order/refund", &large).expect(413);
    let deep = "[".repeat(100_000);
    sandbox.post_secret("/payment/order/refund", &deep).expect_error(400, "body", "not JSON");
    sandbox.send("GET", "/payment/banks", &[("x", &"y".repeat(200 << 10))], "").expect(431);
    sandbox.raw(b"nonsense\r\n\r\n").expect(400);
    sandbox.get("/payment/banks").expect(200);
}

#[test]
fn the_request_log_is_complete_and_has_no_secret() {
    let sandbox = Sandbox::start(&[]);
    let payload = card("A", "4111111111111111");
    let body = sandbox.encrypt(&payload);
    let headers = [("api-key", sandbox.public.as_str()), JSON, ("user-agent", "till/1")];
    sandbox.send("POST", "/payment/order/create", &headers, &body).expect(200);
    let log = sandbox.admin("requests");
    let text = log.to_string();
    for secret in ["4111111111111111", "\"193\"", &sandbox.public, &sandbox.secret] {
        assert!(!text.contains(secret), "{secret} is in the log");
    }
    let entry = &log["requests"][0];
    assert_eq!(
        entry["headers"],
        json!({"api-key": "public", "host": "localhost", "encryption": null, "content-type": "application/json", "accept": null, "user-agent": "till/1"})
    );
    assert_eq!(pick(entry, "method path status"), json!(["POST", "/payment/order/create", 200]));
    assert_eq!(pick(entry, "envelope decrypted_bytes body_bytes"), json!(["encrypted", payload.len(), body.len()]));
    let sha256 = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, payload.as_bytes());
    let hex: String = sha256.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(entry["payload_sha256"], hex);
    assert_eq!(
        entry["payload"]["card"],
        json!({"cardnumber": "************1111", "expirymonth": "**", "expiryyear": "**", "cvv": "***"})
    );
    assert_eq!(entry["effects"], json!([1, 2]));
    assert_eq!(sandbox.effects("charge_made")[0]["request_id"], entry["request_id"]);

    sandbox.send("GET", "/payment/transaction-details/1?accountNumber=0690000031", &[], "").expect(401);
    let log = sandbox.admin("requests");
    let entry = &log["requests"][1];
    assert_eq!(pick(entry, "headers/api-key query"), json!(["missing", {"accountNumber": "******0031"}]));
    assert_eq!((&entry["envelope"], &entry["effects"]), (&json!("none"), &json!([])));
}

#[test]
fn reset_forgets_everything_but_the_keys() {
    let sandbox = Sandbox::start(&[]);
    let before = sandbox.charge_card("A", "4111111111111111").expect(200).text;
    sandbox.admin_post("reset", "").expect(200);
    for (call, member) in [("ledger", "ledger"), ("requests", "requests"), ("state", "orders")] {
        assert_eq!(sandbox.admin(call)[member], json!([]), "{call}");
    }
    assert_eq!(sandbox.charge_card("A", "4111111111111111").expect(200).text, before, "the same references come again");
}

#[test]
fn racing_clients_pay_once() {
    let sandbox = Sandbox::start(&[]);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let racers: Vec<_> =
            (0..8).map(|_| scope.spawn(|| sandbox.charge_card("A", "4111111111111111").status)).collect();
        racers.into_iter().map(|racer| racer.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1);
    assert_eq!(sandbox.effects("charge_made").len(), 1);
}
