use super::*;
use crate::answer::facts;
use crate::json::document::Document;
use paysvc_spec::endpoint;
use paysvc_spec::schema::{Answer, Endpoint};

const ORDERED: Order<'_> = Order { reference: Some("O-1"), amount: Some("600"), currency: Some("NGN") };
const CONFIRMED: Outcome = Outcome::Confirmed;

/// Returns the facts of the response to a request about order O-1.
fn facts(expected: &Answer, body: &str, requested: &[(Reference, &str)]) -> Box<Facts> {
    let document = Document::scan(body, &|| false).unwrap_or_else(|_| panic!("{body}"));
    let requested = requested.iter().map(|(kind, text)| (*kind, (*text).into())).collect();
    facts::read(&document, body, expected, &requested, &|| false).unwrap()
}

fn judged(row: &Endpoint, data: &str, ordered: &Order<'_>) -> &'static str {
    let body = format!(r#"{{"status":"success","data":{data}}}"#);
    let facts = facts(&row.answer, &body, &[(Reference::Order, "O-1")]);
    told(why_not(CONFIRMED, State::SUCCESSFUL, Some(&facts), ordered))
}

fn told(why: Option<&'static CStr>) -> &'static str {
    why.map_or("", |why| why.to_str().unwrap())
}

const NOT_READ: &str = "cannot be read";

#[test]
fn an_order_is_paid_only_as_it_was_ordered() {
    const VERIFY: &Endpoint = endpoint("order_verify");
    const PAY: &Endpoint = endpoint("order_pay");
    for (row, data, expected) in [
        (VERIFY, r#"{"orderReference":"O-1","orderAmount":"600.00","currency":"NGN"}"#, ""),
        (VERIFY, r#"{"orderReference":" o-1 ","orderAmount":600.0,"currency":"ngn"}"#, ""),
        // The request names the order, too.
        (VERIFY, r#"{"orderAmount":600,"totalChargedAmount":620,"fee":20,"currencyName":"NGN"}"#, ""),
        (VERIFY, r#"{"totalChargedAmount":"620.00","fee":"20","currency":"NGN"}"#, ""),
        (VERIFY, r#"{"totalChargedAmount":600,"currency":"NGN"}"#, ""),
        (PAY, r#"{"orderPayment":{"totalAmount":620,"fee":20,"currency":"NGN"}}"#, ""),
        (VERIFY, r#"{"orderReference":"O-2","orderAmount":600,"currency":"NGN"}"#, "another order"),
        (VERIFY, r#"{"orderReference":["O-1"],"orderAmount":600,"currency":"NGN"}"#, NOT_READ),
        (VERIFY, r#"{"orderAmount":600.01,"currency":"NGN"}"#, "the amount"),
        // The price counts, whatever was charged.
        (VERIFY, r#"{"orderAmount":620,"totalChargedAmount":600,"currency":"NGN"}"#, "the amount"),
        (VERIFY, r#"{"totalChargedAmount":620,"currency":"NGN"}"#, "the amount"),
        (VERIFY, r#"{"totalChargedAmount":640,"fee":20,"currency":"NGN"}"#, "the amount"),
        (VERIFY, r#"{"orderAmount":"6e2","currency":"NGN"}"#, NOT_READ),
        (VERIFY, r#"{"orderAmount":[600],"totalChargedAmount":600,"currency":"NGN"}"#, NOT_READ),
        (VERIFY, r#"{"currency":"NGN"}"#, "has no amount"),
        (VERIFY, r#"{"orderAmount":600}"#, "has no currency: give expect to order_wait"),
        (VERIFY, r#"{"orderAmount":600,"currency":"USD"}"#, "the currency differs"),
        (VERIFY, r#"{"orderAmount":600,"currency":20,"currencyName":"NGN"}"#, NOT_READ),
        (VERIFY, r#"{"orderAmount":600,"currency":"NGN","currencyName":"USD"}"#, NOT_READ),
        // A partial payment named beside the price of the order.
        (VERIFY, r#"{"orderAmount":600,"currency":"NGN","orderSummary":{"orderAmount":6}}"#, "the amount"),
    ] {
        let found = judged(row, data, &ORDERED);
        assert!(if expected.is_empty() { found.is_empty() } else { found.contains(expected) }, "{data}: {found}");
    }
}

#[test]
fn what_is_not_compared_is_chosen_one_by_one() {
    const VERIFY: &Endpoint = endpoint("order_verify");
    let data = r#"{"orderReference":"O-1","orderAmount":600,"currency":"NGN"}"#;
    for (ordered, expected) in [
        (Order { reference: None, amount: None, currency: None }, ""),
        (Order { reference: None, ..ORDERED }, ""),
        (Order { reference: Some("O-2"), amount: None, currency: None }, "another order"),
        (Order { reference: None, amount: Some("1"), currency: None }, "the amount"),
        (Order { reference: None, amount: None, currency: Some("USD") }, "the currency"),
        (Order { amount: Some("600,00"), ..ORDERED }, "is not a decimal"),
        (Order { amount: Some(""), ..ORDERED }, "is not a decimal"),
        (Order { reference: Some(""), ..ORDERED }, "another order"),
        (Order { currency: Some(""), ..ORDERED }, "the currency"),
    ] {
        let found = judged(VERIFY, data, &ordered);
        assert!(if expected.is_empty() { found.is_empty() } else { found.contains(expected) }, "{expected}: {found}");
    }
}

#[test]
fn only_confirmed_and_successful_is_paid() {
    let body = r#"{"data":{"orderReference":"O-1","orderAmount":600,"currency":"NGN"}}"#;
    let facts = facts(&endpoint("order_verify").answer, body, &[]);
    for outcome in [Outcome::NotSent, CONFIRMED, Outcome::Rejected, Outcome::Unknown] {
        for state in 0..9 {
            let is_paid = why_not(outcome, State(state), Some(&facts), &ORDERED).is_none();
            assert_eq!(is_paid, outcome == CONFIRMED && state == State::SUCCESSFUL.0, "{outcome:?} {state}");
        }
    }
    assert!(why_not(CONFIRMED, State::SUCCESSFUL, None, &ORDERED).is_some());
}

/// A refund, a payout, a mandate, a fee and a request without a row: the same words there do not mean that an order is paid.
#[test]
fn only_rows_about_payments_of_orders_say_paid() {
    let body = r#"{"status":"success","data":{"orderReference":"O-1","reference":"O-1","orderAmount":600,"currency":"NGN","statusId":5}}"#;
    let nothing = Order { reference: None, amount: None, currency: None };
    let paid = |answer: &Answer| {
        let facts = facts(answer, body, &[(Reference::Order, "O-1")]);
        [&ORDERED, &nothing].map(|ordered| why_not(CONFIRMED, State::SUCCESSFUL, Some(&facts), ordered).is_none())
    };
    let rows: Vec<_> = paysvc_spec::ENDPOINTS
        .iter()
        .filter(|row| match paid(&row.answer) {
            [false, false] => false,
            [true, true] => true,
            _ => panic!("{}", row.name),
        })
        .map(|row| row.name)
        .collect();
    let payments = "order_create order_pay order_pay_authorize order_pay_capture order_status \
        order_verify card_charge transaction_details";
    assert_eq!(rows.join(" "), payments);
    assert_eq!(paid(Answer::UNKNOWN), [false, false]);
}

#[test]
fn a_transfer_is_compared_with_the_reference_of_its_account() {
    let transfer = |data: &str| {
        let body = format!(r#"{{"status":true,"data":{data}}}"#);
        let facts = facts(&endpoint("transaction_details").answer, &body, &[(Reference::Session, "S-1")]);
        told(why_not(CONFIRMED, State::SUCCESSFUL, Some(&facts), &ORDERED))
    };
    assert_eq!(transfer(r#"{"accountReference":"O-1","totalAmountCharged":600,"currencyName":"NGN"}"#), "");
    for (data, expected) in [
        (r#"{"accountReference":"O-2","totalAmountCharged":600,"currencyName":"NGN"}"#, "another order"),
        (r#"{"totalAmountCharged":600,"currencyName":"NGN"}"#, "neither the response nor the request"),
        (r#"{"accountReference":"O-1","totalAmountCharged":601,"currencyName":"NGN"}"#, "the amount"),
    ] {
        assert!(transfer(data).contains(expected), "{data}: {}", transfer(data));
    }
}

#[test]
fn what_is_named_as_paid_is_what_is_taken_for_paid() {
    for (row, data, expected) in [
        ("order_verify", r#"{"orderAmount":"620.0","totalChargedAmount":600}"#, &["620"][..]),
        ("order_verify", r#"{"totalChargedAmount":620,"fee":"20.50"}"#, &["599.5", "620"]),
        ("order_verify", r#"{"totalChargedAmount":20,"fee":20.5}"#, &["20"]),
        ("order_verify", r#"{"orderAmount":600,"orderSummary":{"orderAmount":6}}"#, &[]),
        ("order_verify", r#"{"orderAmount":[600],"totalChargedAmount":600}"#, &[]),
    ] {
        let body = format!(r#"{{"status":"success","data":{data}}}"#);
        let facts = facts(&endpoint(row).answer, &body, &[(Reference::Order, "O-1")]);
        let accepted = accepted(&facts);
        assert_eq!(accepted.amounts, expected, "{data}");
        for wanted in ["620", "600", "599.5", "599.50", "20", "6", "0"] {
            let shortest = Decimal::parse(wanted).unwrap().to_string();
            assert_eq!(amount(&facts, wanted).is_none(), accepted.amounts.contains(&shortest), "{data}: {wanted}");
        }
        assert_eq!((accepted.reference, accepted.currency), (Some("O-1"), None));
    }
}
