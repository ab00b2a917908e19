//! The shapes that strict clients read: what is a text, what is never null.

use crate::common::{Sandbox, card};
use serde_json::Value;

/// A field and its type. `0` in a path is the first element of a list.
type Shape = &'static [(&'static str, Is)];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Is {
    Text,
    /// A text that is not empty.
    Words,
    Integer,
    Number,
    Flag,
    List,
}

use Is::{Flag, Integer, List, Number, Text, Words};

const CREATED: Shape = &[
    ("data.order.reference", Words),
    ("data.order.processorReference", Words),
    ("data.order.amount", Number),
    ("data.order.fee", Number),
    ("data.order.feeRate", Integer),
    ("data.order.statusId", Integer),
    ("data.order.currency", Words),
    ("data.order.narration", Text),
    ("data.subsidiary.country", Words),
    ("data.subsidiary.supportEmail", Words),
    ("data.subsidiary.customization", List),
    ("data.payment.source", Words),
    ("data.otherPaymentOptions.0.code", Words),
    ("data.otherPaymentOptions.0.name", Words),
    ("data.otherPaymentOptions.0.currency", Words),
    ("data.savedCards", List),
    ("data.subsidiaryOrderSummary.totalAmount", Number),
    ("data.subsidiaryOrderSummary.reference", Words),
    ("data.subsidiaryOrderSummary.currency", Words),
    ("data.subsidiaryOrderSummary.orderName", Words),
    ("data.subsidiaryOrderSummary.orderItems.0.name", Words),
    ("data.subsidiaryOrderSummary.orderItems.0.amount", Number),
    ("data.id", Integer),
    ("data.isDiscounted", Flag),
    ("data.oldAmount", Number),
    ("data.newAmount", Number),
    ("data.discountAmount", Number),
];

const STATUS: Shape = &[
    ("data.isFinalStatus", Flag),
    ("data.requeryNeeded", Flag),
    ("data.orderSummary.id", Integer),
    ("data.orderSummary.reference", Words),
    ("data.orderSummary.orderReference", Words),
    ("data.orderSummary.paymentReference", Words),
    ("data.orderSummary.paymentType", Text),
    ("data.orderSummary.currencyId", Integer),
    ("data.orderSummary.paymentResponseCode", Words),
    ("data.orderSummary.paymentResponseMessage", Words),
    ("data.orderSummary.narration", Text),
    ("data.orderSummary.remarks", Text),
    ("data.orderSummary.totalChargedAmount", Number),
    ("data.orderSummary.fee", Number),
    ("data.orderSummary.statusId", Integer),
    ("data.orderSummary.status", Words),
    ("data.orderSummary.dateCreated", Words),
    ("data.orderPayments", List),
];

/// In order status and in order verify.
const ATTEMPT: Shape = &[
    ("data.orderPayments.0.orderPaymentReference", Words),
    ("data.orderPayments.0.orderPaymentResponseCode", Words),
    ("data.orderPayments.0.orderPaymentResponseMessage", Words),
    ("data.orderPayments.0.providerReference", Words),
    ("data.orderPayments.0.providerResponseCode", Words),
    ("data.orderPayments.0.paymentUrl", Text),
    ("data.orderPayments.0.externalReference", Text),
    ("data.orderPayments.0.remarks", Words),
    ("data.orderPayments.0.statusId", Integer),
    ("data.orderPayments.0.status", Words),
];

const VERIFIED: Shape = &[
    ("data.orderAmount", Number),
    ("data.totalChargedAmount", Number),
    ("data.fee", Number),
    ("data.statusId", Integer),
    ("data.status", Words),
    ("data.orderReference", Words),
    ("data.paymentReference", Words),
    ("data.paymentMethod", Words),
    ("data.productName", Words),
    ("data.currencyId", Integer),
    ("data.customer.emailAddress", Words),
    ("data.customer.countryShortName", Words),
    ("data.cardDetails.0.maskedPan", Words),
    ("data.cardDetails.0.last4", Words),
];

const FEE: Shape = &[
    ("data.amount", Number),
    ("data.fee", Number),
    ("data.total", Number),
    ("data.totalChargedAmount", Number),
    ("data.customerFee", Number),
    ("data.subsidiaryFee", Number),
    ("data.paymentOption", Words),
];

const REDIRECTED: Shape = &[("data.paymentDetail.redirectUrl", Words), ("data.paymentDetail.paymentReference", Words)];

const TRANSFER: Shape = &[
    ("data.paymentDetail.redirectUrl", Words),
    ("data.paymentDetail.recipientAccount", Words),
    ("data.bankTransferDetails.bankAccount", Words),
    ("data.bankTransferDetails.bankName", Words),
    ("data.bankTransferDetails.bankCode", Words),
    ("data.bankTransferDetails.accountName", Words),
];

fn is(value: &Value, expected: Is) -> bool {
    match expected {
        Text => value.is_string(),
        Words => value.as_str().is_some_and(|text| !text.is_empty()),
        Integer => value.is_u64(),
        Number => value.is_number(),
        Flag => value.is_boolean(),
        List => value.is_array(),
    }
}

#[track_caller]
fn check(answer: &Value, shape: Shape) {
    for (path, expected) in shape {
        let value = answer.pointer(&format!("/{}", path.replace('.', "/"))).unwrap_or(&Value::Null);
        assert!(is(value, *expected), "{path} is {value}, not {expected:?}: {answer}");
    }
}

/// An order with a customer, and one of which nothing is known but its price.
const ORDERS: [(&str, &str); 2] = [
    (
        "A",
        r#"{"order":{"reference":"A","amount":5,"description":"Shoes"},"customer":{"email":"a@example.com","country":"NG"}}"#,
    ),
    ("B", r#"{"order":{"reference":"B","amount":5}}"#),
];

fn status(sandbox: &Sandbox, reference: &str) -> Value {
    sandbox.post("/payment/order/status", &format!(r#"{{"reference":"{reference}"}}"#)).expect(200).json()
}

#[test]
fn an_order_before_and_after_its_payment() {
    let sandbox = Sandbox::start(&[]);
    for (reference, payload) in ORDERS {
        check(&sandbox.post("/payment/order/create", payload).expect(200).json(), CREATED);
        check(&status(&sandbox, reference), STATUS);
        for number in ["4000000000000002", "4000002500003155", "4111111111111111"] {
            sandbox.post("/payment/order/pay", &card(reference, number)).expect(200);
            check(&status(&sandbox, reference), STATUS);
            check(&status(&sandbox, reference), ATTEMPT);
        }
    }
    let verified = sandbox.post_secret("/payment/order/verify", r#"{"reference":"A"}"#).expect(200).json();
    check(&verified, VERIFIED);
    check(&verified, ATTEMPT);
}

#[test]
fn payments_with_a_next_step_and_fees() {
    let sandbox = Sandbox::start(&[]);
    ORDERS.iter().for_each(|(_, payload)| _ = sandbox.post("/payment/order/create", payload).expect(200));
    let pay = |payload: &str| sandbox.post("/payment/order/pay", payload).expect(200).json();
    check(&pay(&card("A", "5123450000784608")), REDIRECTED);
    check(&pay(r#"{"paymentOption":"bank-transfer","reference":"B","BankTransfer":{}}"#), TRANSFER);
    for payload in [r#"{"amount":5}"#, r#"{"amount":"5","currency":"ZMW","paymentoption":"momo"}"#] {
        check(&sandbox.post("/payment/order/fee", payload).expect(200).json(), FEE);
    }
}
