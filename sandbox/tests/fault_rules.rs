//! Fault rules by admin calls and by the command line.

use crate::common::wire::{Client, Ended, TIMEOUT};
use crate::common::{Sandbox, refusal};
use serde_json::json;

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
