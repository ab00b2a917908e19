//! What a response says it is about, by the roles of its row: one that names something other than its request is line 7.

use super::*;

/// The row, what its request names, and the response.
fn line(row: &str, requested: &[(Reference, &str)], http: u16, body: &str) -> &'static str {
    let row = paysvc_spec::endpoint(row);
    let references = requested.iter().map(|(kind, text)| (*kind, (*text).into())).collect();
    let document = Document::scan(body, &|| false).unwrap();
    let facts = facts::read(&document, body, &row.answer, &references, &|| false).unwrap();
    decide(row.safety, &whole(http, &facts), false).line
}

#[test]
fn an_answer_about_something_else_is_not_the_answer() {
    use Reference::{Account, Alias, Batch, Mandate, Order, Payment, Refunded, Session};
    let order: &[_] = &[(Order, "ORD-1")];
    for (row, requested, data, expected) in [
        ("order_verify", order, r#""orderReference":"ORD-2","statusId":5"#, "r7"),
        ("order_verify", order, r#""reference":"ORD-2","statusId":5"#, "r7"),
        ("order_verify", order, r#""reference":"PGW-1","orderReference":" ord-1 ","statusId":5"#, "r11"),
        ("order_verify", order, r#""orderReference":null,"paymentReference":"PGW-1","statusId":5"#, "r11"),
        ("order_status", order, r#""orderSummary":{"orderReference":"ORD-2"}"#, "r7"),
        ("order_status", order, r#""orderSummary":{"reference":"ORD-2"}"#, "r7"),
        ("order_status", order, r#""orderSummary":{"reference":"PGW-2","orderReference":"ORD-1"}"#, "r11"),
        (
            "order_status",
            order,
            r#""orderSummary":{"reference":"ORD-1"},"orderPayments":[{"orderReference":"X"}]"#,
            "r11",
        ),
        ("order_refund", order, r#""reference":"ORD-2""#, "7"),
        ("order_refund", order, r#""reference":["ORD-1"]"#, "7"),
        ("order_pay", order, r#""orderPayment":{"orderReference":"ORD-2","statusId":5}"#, "7"),
        ("order_pay", order, r#""orderPayment":{"orderPaymentReference":"PGW-9","statusId":5}"#, "19"),
        ("order_pay", order, r#""paymentDetail":{"paymentReference":"PGW-9"}"#, "19"),
        ("order_pay", order, r#""reference":"PGW-9""#, "19"),
        ("order_create", order, r#""order":{"reference":"ORD-2"}"#, "7"),
        ("order_pay_authorize", &[(Payment, "P-1")], r#""orderPayment":{"orderPaymentReference":"P-2"}"#, "7"),
        ("order_pay_authorize", &[(Payment, "P-1")], r#""orderPayment":{"orderPaymentReference":"p-1"}"#, "19"),
        ("order_pay_authorize", &[], r#""orderReference":"A","order":{"reference":"B"}"#, "7"),
        ("order_refund", &[(Refunded, "20")], r#""amount_refunded":"20.00""#, "19"),
        ("order_refund", &[(Refunded, "20")], r#""amount_refunded":"200""#, "7"),
        ("order_refund", &[(Refunded, "20")], r#""amount_refunded":"all""#, "7"),
        ("order_refund", order, r#""amount_refunded":"200""#, "19"),
        ("transaction_details", &[(Session, "77")], r#""sessionId":77,"statusId":5"#, "r11"),
        ("transaction_details", &[(Session, "77")], r#""sessionId":"78","statusId":5"#, "r7"),
        ("direct_debit_status", &[(Mandate, "M-1")], r#""mandateCode":"M-2""#, "r7"),
        ("payout_status", &[(Batch, "B-1")], r#""batchReference":"B-2""#, "r7"),
        ("payout_status", &[(Batch, "B-1")], r#""batchReference":"B-1","batchId":7"#, "r14"),
        ("virtual_account_generate", &[(Alias, "till-1")], r#""alias":"till-2""#, "7"),
        ("virtual_account_generate", &[(Account, "R-1")], r#""accountReference":"R-2""#, "7"),
        ("virtual_account_generate", &[(Account, "R-1")], r#""reference":"NUBAN-1""#, "19"),
        ("virtual_account_details", &[(Alias, "till-1")], r#""alias":"till-2""#, "r7"),
    ] {
        let body = format!(r#"{{"status":true,"data":{{{data}}}}}"#);
        assert_eq!(line(row, requested, 200, &body), expected, "{row} {data}");
    }
    for (body, http, expected) in [
        (r#"{"status":false,"data":{"orderReference":"ORD-2"}}"#, 400, "7"),
        (r#"{"data":{"orderReference":"ORD-2"}}"#, 404, "7"),
        (r#"{"data":{"orderReference":"ORD-2"}}"#, 429, "9"),
        (r#"{"data":{"orderReference":"ORD-2"}}"#, 500, "4"),
    ] {
        assert_eq!(line("order_pay", order, http, body), expected, "HTTP {http} {body}");
    }
    assert_eq!(line("payout_status", &[(Batch, "B-1")], 200, r#"{"status":"success","batchReference":"B-2"}"#), "r7");
}

#[test]
fn a_saved_card_is_no_payment() {
    let row = paysvc_spec::endpoint("card_save");
    let body = r#"{"status":"Successful","data":{"statusId":5}}"#;
    let found = decide_as(row.safety, &row.answer, 200, body, false);
    assert_eq!(brief(&found), ("19", OK, Confirmed, 0));
}
