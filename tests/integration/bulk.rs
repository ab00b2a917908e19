//! Payouts in bulk, through the C functions against the sandbox, whose ledger has the executed payouts.

mod batches;
mod doubt;
mod ends;
mod journaled;
mod lists;
mod many;
mod recorded;
mod size;

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ops::Deref;
use std::sync::Mutex;

use paysvc_spec::status::CONTINUE;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::capi::{Call, Client, Reply};
use crate::support::root;
use crate::support::sandbox::Sandbox;

const INITIATE: &str = "/payout/initiate";

/// A sandbox that does not prevent double payouts itself.
fn sandbox() -> Sandbox {
    Sandbox::start(&["--pay-twice"])
}

/// A client with a journal of its own.
struct Payer {
    client: Client,
    /// On a disk: the library refuses a file system in memory.
    _folder: TempDir,
}

impl Payer {
    fn new(mut config: Value) -> Payer {
        let folder = TempDir::new_in(root().join("build")).unwrap();
        config["journal"] = json!(folder.path().join("pay.db"));
        config["journal_create"] = json!(true);
        Payer { client: Client::new(&config), _folder: folder }
    }
}

impl Deref for Payer {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

/// A recipient; the account decides what the sandbox does with it.
fn recipient(number: usize, account: &str) -> Value {
    json!({
        "clientReference": format!("SALARY-{number}"), "accountNumber": account, "bankCode": "000014",
        "amount": format!("{}.{:02}", 1 + number % 40, number % 100), "description": "May", "accountName": "Ada Obi",
        "creditCurrency": "NGN", "debitCurrency": "NGN"
    })
}

/// This many recipients, with accounts of their own that the sandbox pays.
fn recipients(count: usize) -> Vec<Value> {
    (0..count).map(|number| recipient(number, &format!("{:09}9", number))).collect()
}

/// The steps that a callback got.
struct Steps {
    steps: Vec<Value>,
    /// Done and total of each.
    counts: Vec<(usize, usize)>,
    /// The callback's return value for a step.
    answer: Box<dyn FnMut(&Value) -> c_int + Send>,
}

impl Steps {
    fn new(answer: impl FnMut(&Value) -> c_int + Send + 'static) -> Mutex<Steps> {
        Mutex::new(Steps { steps: Vec::new(), counts: Vec::new(), answer: Box::new(answer) })
    }
}

unsafe extern "C" fn keep(steps: *mut c_void, done: usize, total: usize, step: *const c_char) -> c_int {
    let mut steps = unsafe { &*steps.cast::<Mutex<Steps>>() }.lock().unwrap();
    let step: Value = serde_json::from_str(unsafe { CStr::from_ptr(step) }.to_str().unwrap()).unwrap();
    let answer = (steps.answer)(&step);
    steps.steps.push(step);
    steps.counts.push((done, total));
    answer
}

/// Runs a list with a callback; `ms`: the timeout of the call.
fn run_with(client: &Client, request: &Value, ms: i32, steps: Mutex<Steps>) -> (Reply, Steps) {
    let call = Call::with_timeout_ms(ms);
    call.set_progress(keep, &steps);
    let reply = client.call_with("payout_bulk", request, Some(&call));
    (reply, steps.into_inner().unwrap())
}

/// Runs a list to its end, with all its steps.
fn run(client: &Client, request: &Value) -> (Reply, Vec<Value>) {
    let (reply, steps) = run_with(client, request, 0, Steps::new(|_| CONTINUE));
    (reply, steps.steps)
}

fn report(reply: &Reply) -> Value {
    serde_json::from_str(reply.body()).unwrap()
}

/// The outcome of each recipient.
fn outcomes(report: &Value) -> Vec<&str> {
    report["payouts"].as_array().unwrap().iter().map(|row| row["outcome"].as_str().unwrap()).collect()
}

/// The number of recipients of each batch.
fn sizes(report: &Value) -> Vec<u64> {
    report["batches"].as_array().unwrap().iter().map(|batch| batch["recipients"].as_u64().unwrap()).collect()
}

/// The executed payouts: the service's references, by the client's reference.
fn ledger(sandbox: &Sandbox) -> HashMap<String, Vec<String>> {
    let mut executed: HashMap<String, Vec<String>> = HashMap::new();
    for entry in sandbox.ledger().iter().filter(|entry| entry["effect"] == "payout_made") {
        let text = |name: &str| entry[name].as_str().unwrap().to_owned();
        executed.entry(text("key")).or_default().push(text("reference"));
    }
    executed
}

/// Compares a report with the list and with what was executed.
#[track_caller]
fn check(report: &Value, list: &[Value], executed: &HashMap<String, Vec<String>>) {
    let rows = report["payouts"].as_array().unwrap();
    let reference = |value: &Value| value["clientReference"].as_str().unwrap().to_owned();
    assert!(rows.iter().map(reference).eq(list.iter().map(reference)), "everyone once, in the order of the list");
    for (name, outcome) in
        [("accepted", "ACCEPTED"), ("rejected", "REJECTED"), ("not_sent", "NOT_SENT"), ("unknown", "UNKNOWN")]
    {
        let count = rows.iter().filter(|row| row["outcome"] == outcome).count();
        assert_eq!(report[name], count, "{name}");
    }
    for row in rows {
        let made = executed.get(&reference(row)).map(Vec::as_slice).unwrap_or_default();
        match row["outcome"].as_str().unwrap() {
            "ACCEPTED" => assert_eq!(made, [row["payoutReference"].as_str().unwrap()], "{row}"),
            "REJECTED" | "NOT_SENT" => assert!(made.is_empty(), "{row} was executed as {made:?}"),
            "UNKNOWN" => assert!(made.len() <= 1, "{row} was paid twice: {made:?}"),
            other => panic!("no outcome {other}"),
        }
    }
    assert!(executed.values().all(|made| made.len() == 1), "nobody is paid twice");
}

/// Adds a rule for the calls that pay.
fn fault(sandbox: &Sandbox, rule: Value) {
    let mut rule = rule;
    rule["path"] = json!(INITIATE);
    sandbox.post("/sandbox/faults", &rule);
}
