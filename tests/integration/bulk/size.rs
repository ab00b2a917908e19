//! Lists of any length.

use std::time::Instant;

use serde_json::{Value, json};

use super::{Payer, Steps, outcomes, recipients, report, run_with, sandbox};

/// More recipients than a response of the service may have values: the report is read all the same. No time is asserted; a
/// quadratic loop would take hours.
#[test]
fn twenty_thousand_recipients_have_their_report() {
    const COUNT: usize = 20_000;
    let sandbox = sandbox();
    let client = Payer::new(sandbox.config());
    let list = recipients(COUNT);
    let started = Instant::now();
    let stop_at_once = |_: &Value| 0;
    let (reply, _) = run_with(&client, &json!({"payoutDetails": list}), 0, Steps::new(stop_at_once));
    reply.expect("E_CANCELLED NOT_SENT");
    assert_eq!(reply.count("/payouts"), COUNT);
    assert_eq!(reply.get("/payouts/19999/clientReference").unwrap(), "SALARY-19999");
    let (reply, _) = run_with(&client, &json!({"payoutDetails": list}), 0, Steps::new(stop_at_once));
    reply.expect("E_CANCELLED NOT_SENT");
    let second = report(&reply);
    assert_eq!(outcomes(&second).len(), COUNT);
    assert_eq!(second["batches"].as_array().unwrap().len(), 1);
    println!(
        "{COUNT} recipients were checked, looked up in the journal, split and reported, twice, in {:?}",
        started.elapsed()
    );
}
