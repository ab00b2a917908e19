//! What strict clients read: no member is null or an empty text but those that are named here. Which members there are
//! and of what types, says the OpenAPI document, with which another test compares the answers.

use std::collections::BTreeSet;

use crate::common::{Answer, Sandbox, card};
use serde_json::Value;

/// The members that are null or empty, whichever element of a list they are in.
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
