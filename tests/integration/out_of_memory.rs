//! Every large allocation of every function fails, alone or with the memory full from then on: no abort, no lost
//! report, and nothing executed that a reply denies. TEST_MEMORY=all tries each; otherwise a sample of those of a
//! long list.

use std::collections::HashMap;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::sandbox::Sandbox;
use crate::support::{Link, Stage, root, run};

/// A function, its request for the n-th failure, and the effect that it has, by the reference of that n.
struct Case {
    function: &'static str,
    request: Value,
    effect: Option<(&'static str, &'static str)>,
    /// For a list: how many recipients.
    recipients: usize,
}

fn case(function: &'static str, request: Value) -> Case {
    Case { function, request, effect: None, recipients: 0 }
}

fn recipient(number: usize, reference: String) -> Value {
    json!({
        "clientReference": reference, "accountNumber": format!("{number:09}9"), "bankCode": "000014",
        "amount": "7.50", "description": "May", "accountName": "Ada Obi", "creditCurrency": "NGN", "debitCurrency": "NGN"
    })
}

/// Recipients of the list: a batch for each.
const LONG: usize = 20;

fn cases() -> Vec<Case> {
    let card = json!({"cardnumber": "4111111111111111", "expirymonth": "01", "expiryyear": "39", "cvv": "193"});
    let order = json!({
        "reference": "C-%d", "paymentoption": "C", "country": "NG", "card": card,
        "order": {"reference": "C-%d", "amount": "25.50", "currency": "NGN"}
    });
    let list = |count: usize, name: &str| -> Vec<Value> {
        (0..count).map(|number| recipient(number, format!("{name}-%d-{number}"))).collect()
    };
    let one = list(1, "ONE");
    vec![
        case("client_new", json!({})),
        case("json", json!({})),
        case("encrypt", json!({"card": card})),
        case("order_status", json!({"reference": "PAID"})),
        case("direct_debit_history", json!({"mandateCode": "M"})),
        case("order_wait", json!({"reference": "PAID"})),
        case("resolve", json!({"endpoint": "order_pay", "request": {"reference": "PAID"}})),
        case("webhook_verify", json!({"body": {"data": {"orderReference": "PAID", "statusId": 5, "orderAmount": 5}}})),
        case(
            "request",
            json!({"method": "GET", "path": "/payout/balance-enquiry", "key": "secret", "query": {"currency": "NGN"}}),
        ),
        Case { effect: Some(("charge_made", "C-%d")), ..case("order_create", order) },
        Case { effect: Some(("payout_made", "ONE-%d-0")), ..case("payout_initiate", json!({"payoutDetails": one})) },
        case("read_reply", json!({"payoutDetails": list(40, "READ")})),
        Case { recipients: LONG, ..case("payout_bulk", json!({"payoutDetails": list(LONG, "LIST")})) },
    ]
}

#[derive(Default)]
struct Figures {
    functions: usize,
    tried: usize,
    failed: usize,
    aborts: Vec<String>,
    lost: usize,
}

/// The way allocations fail: from which on, in which steps, alone or for good.
#[derive(Clone, Copy)]
struct How {
    step: usize,
    name: &'static str,
}

/// Runs a case for every n; compares each line with the ledger. `start`: the program under the allocator that fails.
fn check(case: &Case, sandbox: &Sandbox, config: &Value, how: How, start: &dyn Fn() -> Command, figures: &mut Figures) {
    let How { step, name: how } = how;
    let mut command = start();
    let request = case.request.to_string().replace("%d", &format!("{how}%d"));
    command.args([&config.to_string(), case.function, &request, "1", &step.to_string(), how]);
    let output = run(&mut command);
    let ledger = sandbox.ledger();
    let mut executed: HashMap<(&str, &str), usize> = HashMap::new();
    for entry in &ledger {
        let text = |name: &str| entry[name].as_str().unwrap_or_default();
        *executed.entry((text("effect"), text("key"))).or_default() += 1;
    }
    figures.functions += 1;
    let mut tried = 0;
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let words: Vec<&str> = line.splitn(6, ' ').collect();
        tried += 1;
        if words[1] == "aborted" {
            figures.aborts.push(format!("{} {how} {line}", case.function));
            continue;
        }
        let [n, _, status, outcome, letters, _] = words[..] else { panic!("{line}") };
        figures.failed += usize::from(status != "OK");
        let made = |effect: &str, key: &str| {
            let key = key.replace("%d", &format!("{how}{n}"));
            executed
                .iter()
                .filter(|((of, name), _)| *of == effect && *name == key)
                .map(|(_, count)| *count)
                .sum::<usize>()
        };
        if let Some((effect, key)) = case.effect {
            let times = made(effect, key);
            assert!(times <= 1, "{line}: {times} times");
            match outcome {
                "CONFIRMED" => assert_eq!(times, 1, "{} {line}", case.function),
                "NOT_SENT" | "REJECTED" => assert_eq!(times, 0, "{} {line}", case.function),
                _ => {}
            }
        }
        if case.recipients == 0 {
            continue;
        }
        let executed = |number: usize| made("payout_made", &format!("LIST-%d-{number}"));
        let count: usize = (0..case.recipients).map(executed).sum();
        // A list that was refused as a whole has no report, and nothing was sent.
        if letters.is_empty() {
            figures.lost += usize::from(count > 0 || outcome != "NOT_SENT");
            continue;
        }
        assert_eq!(letters.len(), case.recipients, "{line}");
        for (number, letter) in letters.chars().enumerate() {
            let times = executed(number);
            let expected = match letter {
                'A' => times == 1,
                'R' | 'N' => times == 0,
                _ => times <= 1,
            };
            assert!(expected, "{letter} of {number}, executed {times} times: {line}");
        }
    }
    println!("{} ({how}): {tried} tried", case.function);
    figures.tried += tried;
}

#[test]
fn no_allocation_that_fails_ends_the_process_or_loses_a_report() {
    let all = std::env::var("TEST_MEMORY").is_ok_and(|value| value == "all");
    let mut figures = Figures::default();
    let stage = Stage::new();
    let program = stage.cc(&root().join("tests/c/out_of_memory.c"), Link::Shared, &["-ldl"]);
    let failing = stage.preload("failing_malloc.c");
    let start = || {
        let mut command = stage.command(&program);
        command.env("LD_PRELOAD", &failing).stdin(Stdio::null());
        command
    };
    for tls in [&[][..], &["--tls"]] {
        let sandbox = Sandbox::start(tls);
        sandbox.post("/sandbox/orders", &json!({"reference": "PAID", "amount": "5", "paid": true}));
        // On a disk: the library refuses a file system in memory.
        let folder = tempfile::tempdir_in(root().join("build")).unwrap();
        for case in cases() {
            let mut config = sandbox.config_with(json!({"max_attempts": 2}));
            let has_journal = ["payout_bulk", "read_reply"].contains(&case.function);
            if has_journal {
                config["journal"] = json!(folder.path().join("pay.db"));
                config["journal_create"] = json!(true);
            }
            // A sample: these make hundreds, with a journal thousands; and TLS is the same for all that send.
            let many = case.function == "client_new";
            // Reading the system's roots aborts; nothing can have been sent then.
            if !tls.is_empty() && case.function == "client_new" {
                continue;
            }
            if !all && !tls.is_empty() && !["order_create", "payout_bulk"].contains(&case.function) {
                continue;
            }
            for how in ["once", "full"] {
                let step = match (has_journal, all) {
                    (true, true) => 11,
                    (true, false) => 499,
                    (false, _) => {
                        if all || !many {
                            1
                        } else {
                            11
                        }
                    }
                };
                check(&case, &sandbox, &config, How { step, name: how }, &start, &mut figures);
            }
        }
    }
    let Figures { functions, tried, failed, aborts, lost } = figures;
    println!(
        "memory: {functions} runs of functions, {tried} allocations failed, {failed} calls with an error, {} aborts, {lost} lost reports",
        aborts.len()
    );
    assert!(aborts.is_empty(), "{}", aborts.join("\n"));
    assert_eq!(lost, 0);
}
