//! The documents about the sandbox are true: the README's lists of endpoints, flags and admin calls (unit tests check
//! its faults and effects), and the OpenAPI document. For strict clients, no field is null or an empty string but those
//! that are named here.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::common::{Answer, Sandbox, card, command};
use serde_json::Value;

const README: &str = include_str!("../README.md");

/// The rows of the table with this head, as cells.
fn table(head: &str) -> Vec<Vec<String>> {
    let (_, rest) = README.split_once(&format!("{head}\n")).unwrap_or_else(|| panic!("no table {head}"));
    let rows = rest.lines().skip(1).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split(" | ").map(|cell| cell.trim().to_string()).collect()).collect()
}

/// `GET, POST /path`, without the query: the methods and the path.
fn method_and_path(cell: &str) -> (String, String) {
    let (methods, path) = cell.split_once(" `").unwrap();
    (methods.replace(" or ", ", "), path.split(['`', '?']).next().unwrap().to_string())
}

#[test]
fn endpoints() {
    let sandbox = Sandbox::start(&[]);
    let listed = sandbox.admin("endpoints")["endpoints"].as_array().unwrap().clone();
    let with_handler = listed.iter().filter(|endpoint| endpoint["canned"] == false);
    let expected: Vec<_> = with_handler
        .map(|endpoint| {
            let text = |member: &str| endpoint[member].as_str().unwrap().to_string();
            let header = match &endpoint["encryption_header"] {
                Value::Bool(true) => ", header `encryption: RSA`",
                Value::Bool(false) => "",
                other => &format!(", header `encryption: RSA` {}", other.as_str().unwrap()),
            };
            let body = text("envelope") + header;
            let shape = if endpoint["assumed"] == true { "assumed" } else { "documented" };
            ((text("method"), text("path")), text("key"), body, shape.to_string())
        })
        .collect();
    let written: Vec<_> = table("| method and path | API key | body | shape |")
        .iter()
        .map(|row| {
            let shape = row[3].split(' ').next().unwrap().to_string();
            (method_and_path(&row[0]), row[1].clone(), row[2].clone(), shape)
        })
        .collect();
    assert_eq!(written, expected);
}

#[test]
fn flags() {
    let flags = |text: &str| -> BTreeSet<String> {
        let words = text.split(|letter: char| !(letter.is_ascii_lowercase() || letter == '-'));
        words.filter(|word| word.starts_with("--") && word.len() > 2).map(str::to_string).collect()
    };
    let output = command(&["--help"]).output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let expected =
        flags(&help).into_iter().filter(|flag| flag != "--help" && flag != "--version").collect::<BTreeSet<_>>();
    let written: BTreeSet<_> = table("| flag | effect |").iter().flat_map(|row| flags(&row[0])).collect();
    assert!(expected.contains("--seed"), "{help}");
    assert_eq!(written, expected);
}

#[test]
fn admin_calls() {
    let sandbox = Sandbox::start(&[]);
    let rows = table("| call | effect |");
    let mut methods = std::collections::BTreeMap::<String, BTreeSet<String>>::new();
    for row in &rows {
        let (of_row, path) = method_and_path(&row[0]);
        methods.entry(path).or_default().extend(of_row.split(", ").map(str::to_string));
    }
    assert!(methods.contains_key("/sandbox/ledger"), "{methods:?}");
    for (path, expected) in methods {
        for method in &expected {
            // Its answer has no end.
            if path != "/sandbox/events" {
                let answer = sandbox.send(method, &path, &[], "");
                assert!(answer.status != 405 && !answer.text.contains("There is no admin call"), "{method} {path}");
            }
        }
        let answer = sandbox.send("PATCH", &path, &[], "").expect(405);
        let allowed: BTreeSet<_> = answer.header("allow").unwrap().split(", ").map(str::to_string).collect();
        assert_eq!(allowed, expected, "{path}");
    }
}

#[test]
fn the_document_is_valid_and_the_answers_are_as_it_says() {
    // With a key that all requests fit into.
    let sandbox = Sandbox::start_with(&["--seed", "1"]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    // A copy of the tree has no tools of its own.
    let python = std::env::var_os("TEST_PYTHON").map_or(root.join("build/venv/bin/python"), Into::into);
    let output = Command::new(python)
        .arg(root.join("sandbox/tests/openapi.py"))
        .arg(root.join("tests/scenarios.json"))
        .arg(sandbox.start.to_string())
        .output()
        .expect("build/venv is made by scripts/setup.sh test");
    let told = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
}

/// The fields that are null or empty, whichever element of a list they are in.
fn gaps(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| gaps(value, &format!("{path}/{name}"), found))
        }
        Value::Array(elements) => elements.iter().for_each(|element| gaps(element, path, found)),
        Value::Null => _ = found.insert(path.to_owned()),
        Value::String(text) if text.is_empty() => _ = found.insert(path.to_owned()),
        _ => {}
    }
}

#[track_caller]
fn check(answers: Vec<Answer>, known: &str) {
    let mut found = BTreeSet::new();
    for answer in answers {
        gaps(&answer.expect(200).json(), "", &mut found);
    }
    assert_eq!(Vec::from_iter(found).join(" "), known);
}

/// An order with a customer, and one of which nothing is known but its price.
const ORDERS: [(&str, &str); 2] = [
    (
        "A",
        r#"{"order":{"reference":"A","amount":5,"description":"Shoes"},"customer":{"email":"a@example.com","country":"NG"}}"#,
    ),
    ("B", r#"{"order":{"reference":"B","amount":5}}"#),
];

#[test]
fn an_order_before_and_after_its_payment() {
    let sandbox = Sandbox::start(&[]);
    let (mut created, mut shown) = (Vec::new(), Vec::new());
    for (reference, payload) in ORDERS {
        created.push(sandbox.post("/payment/order/create", payload));
        shown.push(sandbox.status(reference));
        for number in ["4000000000000002", "4000002500003155", "4111111111111111"] {
            sandbox.post("/payment/order/pay", &card(reference, number)).expect(200);
            shown.push(sandbox.status(reference));
        }
    }
    check(
        created,
        "/data/customer/country /data/customer/email /data/customer/firstName /data/customer/lastName /data/customer/mobile \
         /data/mandateCode /data/ns /data/order/description /data/order/narration /data/payment/redirectUrl",
    );
    check(
        shown,
        "/data/orderPayments/externalReference /data/orderPayments/paymentUrl /data/orderSummary/narration \
         /data/orderSummary/paymentType /data/orderSummary/remarks",
    );
    check(
        vec![sandbox.verify("A")],
        "/data/accountReference /data/bank /data/customer/firstName /data/customer/lastName /data/customer/mobileNumber \
         /data/orderPayments/externalReference /data/orderPayments/paymentUrl /data/paymentLink /data/remarks /data/sessionId \
         /data/sourceAccountName /data/sourceAccountNumber /data/subsidiaryFee",
    );
}

#[test]
fn payments_with_a_next_step_and_fees() {
    let sandbox = Sandbox::start(&[]);
    ORDERS.iter().for_each(|(_, payload)| _ = sandbox.post("/payment/order/create", payload).expect(200));
    let pay = |payload: &str| vec![sandbox.post("/payment/order/pay", payload)];
    check(pay(&card("A", "5123450000784608")), "/data/bankTransferDetails /data/paymentDetail/cardToken");
    check(
        pay(r#"{"paymentOption":"bank-transfer","reference":"B","BankTransfer":{}}"#),
        "/data/orderPayment/orderPaymentInstrument /data/paymentDetail/cardToken",
    );
    for payload in [r#"{"amount":5}"#, r#"{"amount":"5","currency":"ZMW","paymentoption":"momo"}"#] {
        check(vec![sandbox.post("/payment/order/fee", payload)], "");
    }
}
