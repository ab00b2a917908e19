//! Every line of the table and every rule of reading, each with a response.

use std::collections::BTreeSet;

use super::*;
use crate::answer::facts;
use crate::answer::reply::{Evidence, Reading};
use crate::answer::verdict::{self, AttemptResult};
use crate::json::document::Document;
use crate::request::names::References;
use paysvc_spec::schema::Answer;

use Outcome::{Confirmed, Rejected, Unknown};
use Question::{Account, Attempt, Batch, Charge, Final, Order, Refund};

pub(super) fn asked(question: Question) -> Inquiry<'static> {
    Inquiry {
        question,
        prices: Vec::new(),
        own_reference: (question == Attempt).then_some("PAY-1".into()),
        attempts: None,
    }
}

pub(super) fn price(amount: &str, currency: &str) -> Price {
    Price {
        source: "expect",
        is_of_order: false,
        amount: (!amount.is_empty()).then(|| Decimal::parse(amount).unwrap()),
        currency: (!currency.is_empty()).then(|| currency.to_owned()),
    }
}

/// The row that is asked, and what the status query names.
fn look_up(question: Question) -> (&'static Answer, References<'static>) {
    let (endpoint, kind, name) = match question {
        Batch => ("payout_status", Reference::Batch, "BATCH-1"),
        Account => ("virtual_account_details", Reference::Alias, "till-1"),
        _ => ("order_status", Reference::Order, "ORD-1"),
    };
    (&paysvc_spec::endpoint(endpoint).answer, vec![(kind, name.into())])
}

/// As the client gets it: read, judged, and then asked what it proves.
fn decide_on(asked: &Inquiry<'_>, http_status: u16, body: &str) -> Decision {
    decide_with(asked, http_status, body, None)
}

pub(super) fn decide_with(asked: &Inquiry<'_>, http_status: u16, body: &str, currency: Option<&str>) -> Decision {
    decide_after(Attempts::begun(asked.attempts), asked, http_status, body, currency)
}

/// With a journal's record of the attempts.
fn decide_after(
    attempts: Attempts,
    asked: &Inquiry<'_>,
    http_status: u16,
    body: &str,
    currency: Option<&str>,
) -> Decision {
    let (expected, references) = look_up(asked.question);
    let document = Document::scan(body, &|| false).ok();
    let nothing = Facts::default();
    let read = document.as_ref().map(|document| facts::read(document, body, expected, &references, &|| false).unwrap());
    let facts = read.as_deref().unwrap_or(&nothing);
    let unreadable = document.is_none().then_some(Status::Response);
    let result = AttemptResult::Answer { http_status, unreadable, may_be_truncated: false, facts };
    let verdict = verdict::decide(Safety::ReadOnly, &result, false);
    let reading = Reading { sent: true, http_status, facts: read, ..Reading::default() };
    let reply = Reply::about(Evidence { reading, verdict }, "");
    decide(asked, &attempts, &reply, currency.map(Text::from).as_ref())
}

fn brief(decision: &Decision) -> (&'static str, Status, Outcome, i32) {
    (decision.verdict.line, decision.verdict.status, decision.verdict.outcome, decision.verdict.state.0)
}

/// The response of the status query, with the fields of `data`.
fn order(state: u8, more: &str) -> String {
    format!(r#"{{"data":{{"orderSummary":{{"reference":"ORD-1","statusId":{state}}}{more}}}}}"#)
}

const FINAL: &str = r#","isFinalStatus":true,"requeryNeeded":false"#;

fn with_history(state: u8, entries: &str) -> String {
    order(state, &format!(r#"{FINAL},"orderPayments":{entries}"#))
}

const FAILED: &str = r#"[{"orderPaymentReference":"PAY-1","statusId":4,"status":"Failed"}]"#;
const TWICE: &str =
    r#"[{"orderPaymentReference":"PAY-1","statusId":4},{"orderPaymentReference":"PAY-2","status":"declined"}]"#;
const BATCH: &str = r#"{"status":"success","batchReference":"batch-1","data":[{"payoutReference":"P-1"}]}"#;
const ACCOUNT: &str = r#"{"alias":"till-1","accountNumber":"TRP0000001"}"#;

fn charge(attempts: u32, body: &str) -> Decision {
    let attempts = (attempts > 0).then_some(attempts);
    decide_on(&Inquiry { attempts, ..asked(Charge) }, 200, body)
}

/// The second of two attempts, which the service called so.
fn later(own_entry: &str, body: &str) -> Decision {
    let attempts = Attempts { begun: Some(2), own_entry: Some(own_entry.to_owned()) };
    decide_after(attempts, &asked(Charge), 200, body, None)
}

#[test]
fn every_line_is_taken_by_an_answer() {
    let plain = |question, http: u16, body: &str| decide_on(&asked(question), http, body);
    let priced = |question, amount: &str| {
        let body = r#"{"data":{"orderSummary":{"reference":"ORD-1","statusId":1,"orderAmount":100.10}}}"#;
        decide_on(&Inquiry { prices: vec![price(amount, "")], ..asked(question) }, 200, body)
    };
    let only = |question, body: &str| decide_on(&Inquiry { attempts: Some(1), ..asked(question) }, 200, body);
    let entry = |state: u8, entry: &str| only(Attempt, &with_history(state, &format!("[{entry}]")));
    let own = |rest: &str| format!(r#"{{"orderPaymentReference":"PAY-1",{rest}}}"#);
    use Status::{Ok, Response, Server, Unauthorized, Unresolved};
    let cells = [
        ("c1", Unauthorized, Unknown, 0, plain(Charge, 401, "{}")),
        ("c1", Unauthorized, Unknown, 0, plain(Charge, 403, "{}")),
        ("c1", Unresolved, Unknown, 0, plain(Final, 400, "{}")),
        ("c1", Unresolved, Unknown, 0, plain(Final, 422, r#"{"status":false}"#)),
        ("c2", Unresolved, Unknown, 0, plain(Order, 404, r#"{"status":false,"message":"not found"}"#)),
        ("c2", Unresolved, Unknown, 0, plain(Account, 404, "{}")),
        ("c3", Unresolved, Unknown, 0, plain(Charge, 404, "{}")),
        ("c3", Unresolved, Unknown, 0, plain(Final, 404, "<html>")),
        ("c4", Server, Unknown, 0, plain(Charge, 500, &order(5, FINAL))),
        ("c4", Status::RateLimited, Unknown, 0, plain(Charge, 429, "{}")),
        ("c4", Status::Timeout, Unknown, 0, plain(Charge, 408, "{}")),
        ("c4", Response, Unknown, 0, plain(Charge, 200, "<html>")),
        ("c4", Unresolved, Unknown, 0, plain(Charge, 409, "{}")),
        ("c4", Unresolved, Unknown, 0, plain(Charge, 200, r#"{"status":"failed"}"#)),
        ("c4", Unresolved, Unknown, 0, plain(Charge, 200, r#"{"data":{"orderSummary":{"statusId":5,"statusId":4}}}"#)),
        ("c5", Unresolved, Unknown, 5, plain(Charge, 200, &order(5, FINAL).replace("ORD-1", "ORD-2"))),
        ("c6", Unresolved, Unknown, 0, plain(Charge, 200, r#"{"status":"success","data":{"statusId":5}}"#)),
        ("c6", Unresolved, Unknown, 0, plain(Charge, 200, &order(5, FINAL).replace("reference", "Reference"))),
        ("c6", Unresolved, Unknown, 0, plain(Final, 200, &order(5, FINAL).replace(r#""reference":"ORD-1","#, ""))),
        ("c28", Unresolved, Unknown, 0, plain(Batch, 200, r#"{"status":"success","data":[{"statusId":5}]}"#)),
        ("c28", Unresolved, Unknown, 0, plain(Account, 200, r#"{"accountNumber":"TRP0000001"}"#)),
        ("c7", Unresolved, Unknown, 1, priced(Order, "100.01")),
        ("c8", Unresolved, Unknown, 1, priced(Charge, "100.01")),
        ("c9", Unresolved, Unknown, 0, plain(Charge, 200, &with_history(5, FAILED))),
        ("c10", Ok, Confirmed, 5, charge(0, &order(5, FINAL))),
        ("c11", Ok, Confirmed, 6, charge(1, &order(6, FINAL))),
        ("c12", Status::Rejected, Rejected, 4, charge(1, &with_history(4, FAILED))),
        ("c12", Status::Rejected, Rejected, 4, only(Final, &with_history(4, FAILED))),
        ("c30", Status::Rejected, Rejected, 4, later(" pay-1 ", &with_history(4, TWICE))),
        ("c14", Unresolved, Unknown, 4, later("PAY-3", &with_history(4, TWICE))),
        ("c13", Unresolved, Unknown, 4, charge(0, &with_history(4, FAILED))),
        ("c13", Unresolved, Unknown, 4, plain(Final, 200, &with_history(4, FAILED))),
        ("c14", Unresolved, Unknown, 4, charge(2, &with_history(4, TWICE))),
        ("c14", Unresolved, Unknown, 4, plain(Final, 200, &order(4, FINAL))),
        ("c15", Ok, Confirmed, 1, priced(Order, "100.1")),
        ("c16", Unresolved, Unknown, 1, plain(Order, 200, &order(1, ""))),
        ("c17", Ok, Confirmed, 5, entry(5, &own(r#""statusId":5"#))),
        ("c18", Ok, Confirmed, 6, entry(6, &own(r#""statusId":6"#))),
        ("c19", Status::Rejected, Rejected, 4, entry(4, &own(r#""statusId":4"#))),
        ("c20", Unresolved, Unknown, 2, entry(2, &own(r#""statusId":2"#))),
        ("c21", Ok, Confirmed, 5, plain(Refund, 200, &order(6, FINAL))),
        ("c22", Unresolved, Unknown, 0, plain(Refund, 200, &order(5, FINAL))),
        ("c23", Ok, Confirmed, 0, plain(Batch, 200, BATCH)),
        (
            "c29",
            Unresolved,
            Unknown,
            0,
            plain(Batch, 200, r#"{"status":"success","batchReference":"BATCH-1","data":[]}"#),
        ),
        ("c24", Ok, Confirmed, 0, plain(Account, 200, ACCOUNT)),
        ("c25", Unresolved, Unknown, 0, plain(Account, 200, r#"{"alias":"till-1","accountNumber":""}"#)),
        ("c26", Ok, Confirmed, 5, plain(Final, 200, &order(5, FINAL))),
        ("c27", Unresolved, Unknown, 2, plain(Charge, 200, &order(2, ""))),
        ("c27", Unresolved, Unknown, 2, plain(Final, 200, &order(2, ""))),
    ];
    let mut taken = BTreeSet::new();
    for (line, status, outcome, state, decision) in cells {
        assert_eq!(brief(&decision), (line, status, outcome, state), "{decision:?}");
        taken.insert(line);
    }
    let all: BTreeSet<_> = LINES.iter().map(|line| line.number).collect();
    assert_eq!(taken, all, "every line has a response here");
}

#[test]
fn without_a_look_up_nothing_is_known() {
    for safety in [Safety::ReadOnly, Safety::Repeatable, Safety::Moves] {
        let found = without_look_up(safety);
        assert_eq!((found.status, found.outcome, found.state), (Status::Unresolved, Unknown, State::NONE));
    }
    assert!(without_look_up(Safety::Repeatable).explanation.unwrap().contains("may be repeated"));
    assert!(without_look_up(Safety::Moves).explanation.unwrap().contains("a person"));
}

#[test]
fn a_state_is_final_only_if_nothing_says_otherwise() {
    for (flags, is_final, is_said) in [
        ("", true, false),
        (r#","isFinalStatus":null,"requeryNeeded":null"#, true, false),
        (r#","isFinalStatus":true"#, true, false),
        (r#","requeryNeeded":false"#, true, false),
        (r#","isFinalStatus":true,"requeryNeeded":false"#, true, true),
        (r#","isFinalStatus":"True","requeryNeeded":"false""#, true, true),
        (r#","IsFinalStatus":true,"requeryNeeded":false"#, true, false),
        (r#","isFinalStatus":false"#, false, false),
        (r#","IsFinalStatus":false,"isFinalStatus":true,"requeryNeeded":false"#, false, false),
        (r#","isFinalStatus":"no""#, false, false),
        (r#","isFinalStatus":0"#, false, false),
        (r#","isFinalStatus":["true"]"#, false, false),
        (r#","requeryNeeded":true"#, false, false),
        (r#","requeryNeeded":"true""#, false, false),
        (r#","requeryneeded":1"#, false, false),
        (r#","isFinalStatus":true,"requeryNeeded":true"#, false, false),
    ] {
        for (state, question) in [(5, Charge), (6, Refund), (6, Final)] {
            let found = decide_on(&asked(question), 200, &order(state, flags));
            assert_eq!(found.verdict.outcome, if is_final { Confirmed } else { Unknown }, "{state} {flags}: {found:?}");
        }
        for question in [Charge, Final, Attempt] {
            let attempts = Inquiry { attempts: Some(1), ..asked(question) };
            let failed = order(4, &format!(r#"{flags},"orderPayments":{FAILED}"#));
            let found = decide_on(&attempts, 200, &failed);
            assert_eq!(found.verdict.outcome, if is_said { Rejected } else { Unknown }, "{failed}: {found:?}");
        }
    }
    let in_history = format!(r#"{FINAL},"orderPayments":[{{"statusId":5,"requeryNeeded":true}}]"#);
    assert_eq!(decide_on(&asked(Charge), 200, &order(5, &in_history)).verdict.outcome, Unknown);
    for state in [0, 1, 2, 3, 7, 9] {
        for question in [Charge, Refund, Final] {
            assert_eq!(decide_on(&asked(question), 200, &order(state, FINAL)).verdict.outcome, Unknown, "{state}");
        }
    }
}

/// One request may leave several entries, so entries are never counted as requests.
#[test]
fn a_charge_is_rejected_only_as_the_only_attempt_with_every_entry_failed() {
    for (history, attempts, expected) in [
        (FAILED, 1, Rejected),
        (FAILED, 2, Unknown),
        (FAILED, 0, Unknown),
        (TWICE, 1, Rejected),
        (TWICE, 2, Unknown),
        ("[]", 1, Unknown),
        ("null", 1, Unknown),
        ("{}", 1, Unknown),
        (r#"{"statusId":4}"#, 1, Unknown),
        (r#""failed""#, 1, Unknown),
        (r#"["failed"]"#, 1, Unknown),
        (r#"[4]"#, 1, Unknown),
        (r#"[{"orderPaymentReference":"P"}]"#, 1, Unknown),
        (r#"[{"statusId":4}]"#, 1, Unknown),
        (r#"[{"orderPaymentReference":null,"statusId":4}]"#, 1, Unknown),
        (r#"[{"orderpaymentreference":"P","statusId":4}]"#, 1, Unknown),
        (r#"[{"orderPaymentReference":7,"statusId":"4","status":"FAILED","paymentStatus":"Failed"}]"#, 1, Rejected),
        (r#"[{"orderPaymentReference":"P","statusId":4,"status":"Pending"}]"#, 1, Unknown),
        (r#"[{"orderPaymentReference":"P","statusId":"failed"}]"#, 1, Unknown),
        (r#"[{"orderPaymentReference":"P","statusId":4.0}]"#, 1, Unknown),
        (r#"[{"orderPaymentReference":"P","StatusId":4}]"#, 1, Unknown),
        (r#"[{"orderPaymentReference":"P","statusId":4,"Status":"Successful"}]"#, 1, Unknown),
        (r#"[{"orderPaymentReference":"P","statusId":4,"orderPaymentResponseCode":"00"}]"#, 1, Unknown),
        (r#"[{"orderPaymentReference":"P","statusId":4,"orderPaymentResponseCode":"02"}]"#, 1, Unknown),
        (r#"[{"orderPaymentReference":"P","statusId":4,"orderPaymentResponseCode":"51"}]"#, 1, Rejected),
        (r#"[{"orderPaymentReference":"P","statusId":4,"orderPaymentResponseCode":91}]"#, 1, Unknown),
        // Two entries of one attempt.
        (r#"[{"orderPaymentReference":"P","statusId":4},{"orderPaymentReference":" p ","statusId":4}]"#, 1, Unknown),
        (r#"[{"orderPaymentReference":"P","statusId":4},{"orderPaymentReference":"Q","statusId":2}]"#, 1, Unknown),
        (r#"[{"orderPaymentReference":"P","statusId":4},{"orderPaymentReference":"Q","statusId":5}]"#, 1, Unknown),
    ] {
        let found = charge(attempts, &with_history(4, history));
        assert_eq!(found.verdict.outcome, expected, "{attempts} attempts, {history}: {found:?}");
    }
    // The same history beside anything that mentions progress or success.
    let with = |more: &str| charge(1, &with_history(4, &format!("{FAILED}{more}"))).verdict.outcome;
    assert_eq!(with(""), Rejected);
    assert_eq!(with(r#","paymentResponseCode":"00""#), Unknown);
    assert_eq!(with(r#","statusId":2"#), Unknown);
    assert_eq!(with(r#","status":"Successful""#), Unknown);
    assert_eq!(with(r#","OrderPayments":[{"statusId":4}]"#), Unknown);
    let progress = with_history(4, FAILED).replacen('{', r#"{"statusCode":"02","#, 1);
    assert_eq!(charge(1, &progress).verdict.outcome, Unknown);
    let found = with_history(4, FAILED).replacen('{', r#"{"status":"Failed","statusCode":"00","#, 1);
    assert_eq!(charge(1, &found).verdict.outcome, Rejected, "the code is that of the reading");
    let other = with_history(4, FAILED).replacen('{', r#"{"status":"Pending","#, 1);
    assert_eq!(charge(1, &other).verdict.outcome, Unknown);
}

#[test]
fn an_attempt_is_read_from_its_own_entry() {
    let other = r#"{"orderPaymentReference":"PAY-0","statusId":"#;
    let own = r#"{"orderPaymentReference":"PAY-1","statusId":"#;
    for (state, entries, expected, its) in [
        (5, format!(r#"[{other}4}},{{"orderPaymentReference":" pay-1 ","statusId":5}}]"#), Confirmed, 5),
        // It has failed, and another attempt has paid the order: the gateway may have failed over.
        (5, format!("[{own}4}},{other}5}}]"), Unknown, 4),
        (4, format!("[{own}4}},{other}4}}]"), Rejected, 4),
        (4, format!("[{own}4}},{{\"statusId\":4}}]"), Unknown, 4),
        (5, format!("[{other}5}}]"), Unknown, 0),
        (5, format!("[{own}5}},{own}5}}]"), Unknown, 0),
        (5, format!(r#"[{own}5,"status":"Failed"}},{other}5}}]"#), Unknown, 0),
        (5, format!(r#"[{own}5,"orderPaymentResponseCode":"02"}}]"#), Unknown, 0),
        (4, format!(r#"[{own}4,"orderPaymentResponseCode":"00"}}]"#), Unknown, 0),
        // The order has failed, and the entry has not: a contradiction.
        (4, format!("[{own}5}}]"), Unknown, 0),
        (2, format!("[{own}5}}]"), Confirmed, 5),
        // It has failed, and the order waits for something.
        (2, format!("[{own}4}}]"), Unknown, 4),
        (2, r#"[{"orderPaymentReference":"PAY-1"}]"#.to_owned(), Unknown, 0),
        (5, format!("{own}5}}"), Unknown, 0),
    ] {
        let only = Inquiry { attempts: Some(1), ..asked(Attempt) };
        let found = decide_on(&only, 200, &with_history(state, &entries));
        assert_eq!((found.verdict.outcome, found.verdict.state.0), (expected, its), "{state} {entries}: {found:?}");
    }
    let again = Inquiry { attempts: Some(2), ..asked(Attempt) };
    assert_eq!(decide_on(&again, 200, &with_history(4, FAILED)).verdict.outcome, Unknown);
}

#[test]
fn prices_are_compared_as_decimals() {
    for (members, amount, currency, same) in [
        (r#""orderAmount":100.10"#, "100.1", "", true),
        (r#""orderAmount":"100.1000""#, "100.10", "", true),
        (r#""orderAmount":100.1,"totalChargedAmount":200,"fee":1"#, "100.10", "", true),
        (r#""orderAmount":101.6,"totalChargedAmount":100.10"#, "100.10", "", false),
        (r#""totalChargedAmount":101.60,"fee":"1.50""#, "100.10", "", true),
        (r#""totalAmountCharged":101.60,"fee":"1.50""#, "100.10", "", true),
        (r#""totalChargedAmount":100.10,"fee":1.5"#, "100.10", "", true),
        (r#""totalChargedAmount":101.60,"fee":null"#, "100.10", "", false),
        (r#""totalChargedAmount":101.60,"fee":"?""#, "100.10", "", false),
        (r#""totalChargedAmount":101.61,"fee":1.5"#, "100.10", "", false),
        (r#""orderAmount":null,"totalChargedAmount":100.10"#, "100.10", "", true),
        (r#""orderAmount":100.10000000000000000001"#, "100.10", "", false),
        (r#""orderAmount":10010"#, "100.10", "", false),
        (r#""orderAmount":1.001e2"#, "100.10", "", false),
        (r#""orderAmount":-100.10"#, "100.10", "", false),
        (r#""orderAmount":"100,10""#, "100.10", "", false),
        (r#""orderAmount":[100.10]"#, "100.10", "", false),
        (r#""OrderAmount":100.10"#, "100.10", "", false),
        (r#""orderAmount":100.10,"OrderAmount":50"#, "100.10", "", false),
        (r#""amount":100.10"#, "100.10", "", false),
        ("", "100.10", "", false),
        (r#""currency":"NGN""#, "", "ngn", true),
        (r#""currencyName":" NGN ""#, "", "NGN", true),
        (r#""currency":"USD""#, "", "NGN", false),
        (r#""Currency":"USD""#, "", "NGN", false),
        (r#""currency":"NGN","currencyName":"USD""#, "", "NGN", false),
        (r#""currency":20,"currencyName":"NGN""#, "", "NGN", false),
        (r#""currencyId":1"#, "", "NGN", false),
        (r#""currency":null"#, "", "NGN", false),
        (r#""orderAmount":100.10,"currency":"USD""#, "100.10", "NGN", false),
    ] {
        let comma = if members.is_empty() { "" } else { "," };
        for body in [
            format!(r#"{{"data":{{"orderSummary":{{"reference":"ORD-1","statusId":5{comma}{members}}}}}}}"#),
            format!(r#"{{"data":{{"orderSummary":{{"reference":"ORD-1","statusId":5}}{comma}{members}}}}}"#),
        ] {
            for prices in [vec![price(amount, currency)], vec![price("", ""), price(amount, currency)]] {
                let found = decide_on(&Inquiry { prices, ..asked(Charge) }, 200, &body);
                let expected = if same { ("c10", Confirmed, 5) } else { ("c7", Unknown, 5) };
                assert_eq!(
                    (found.verdict.line, found.verdict.outcome, found.verdict.state.0),
                    expected,
                    "{amount}: {body}: {found:?}"
                );
                assert_eq!(found.difference.is_some(), !same, "{found:?}");
            }
        }
    }
    // The request and the caller must both be right.
    let body = r#"{"data":{"orderSummary":{"reference":"ORD-1","statusId":5,"orderAmount":"90.00","currency":"NGN"}}}"#;
    let found = decide_on(&Inquiry { prices: vec![price("90", ""), price("100", "")], ..asked(Charge) }, 200, body);
    assert_eq!((found.verdict.line, found.verdict.state.0), ("c7", 5));
    assert_eq!(found.difference.as_deref(), Some("the price in the response is 90, which is not the amount of expect"));
    let refund =
        decide_on(&Inquiry { prices: vec![price("100", "")], ..asked(Refund) }, 200, &body.replace(":5", ":6"));
    assert_eq!((refund.verdict.line, refund.verdict.state.0), ("c7", 0), "the order's state is not the refund's");
    // A failed attempt was not charged: only its price is compared.
    let failed = |members: &str| {
        let prices = vec![price("100.10", "NGN")];
        decide_on(
            &Inquiry { prices, attempts: Some(1), ..asked(Charge) },
            200,
            &with_history(4, &format!("{FAILED}{members}")),
        )
    };
    assert_eq!(failed("").verdict.outcome, Rejected);
    assert_eq!(failed(r#","totalChargedAmount":0"#).verdict.outcome, Rejected);
    assert_eq!(failed(r#","orderAmount":90"#).verdict.line, "c7");
    assert_eq!(failed(r#","currency":"USD""#).verdict.line, "c7");
}

#[test]
fn a_currency_must_be_proved() {
    let of_order = |currency: &str| Price { is_of_order: true, ..price("", currency) };
    let paid = order(5, FINAL);
    for (prices, told, expected) in [
        (vec![price("", "USD")], None, ("c7", true)),
        (vec![price("", "NGN")], None, ("c7", true)),
        (vec![price("", "NGN")], Some("ngn"), ("c10", false)),
        (vec![price("", "USD")], Some("NGN"), ("c7", false)),
        (vec![of_order("NGN"), price("", "NGN")], None, ("c10", false)),
        (vec![of_order("NGN"), price("", "USD")], None, ("c7", false)),
        (vec![of_order("NGN")], None, ("c10", false)),
        (vec![of_order("NGN")], Some("USD"), ("c7", false)),
        (vec![price("100", "NGN")], None, ("c7", false)),
    ] {
        let found = decide_with(&Inquiry { prices, ..asked(Charge) }, 200, &paid, told);
        assert_eq!((found.verdict.line, found.lacks_currency), expected, "{found:?}");
    }
    let other = paid.replace("statusId", r#"currency":"USD","statusId"#);
    let found = decide_with(&Inquiry { prices: vec![of_order("NGN")], ..asked(Charge) }, 200, &other, None);
    assert_eq!(
        found.difference.as_deref(),
        Some("the currency in the response is USD, which is not the currency of expect")
    );
}

#[test]
fn batches_and_accounts_must_be_those_that_were_asked_for() {
    let decided = |question, body: &str| decide_on(&asked(question), 200, body).verdict.outcome;
    for (body, expected) in [
        (BATCH, Confirmed),
        (r#"{"status":"success","batchReference":"BATCH-1"}"#, Unknown),
        (r#"{"status":"success","batchReference":"BATCH-1","data":[]}"#, Unknown),
        (r#"{"status":"success","batchReference":"BATCH-2","data":[{}]}"#, Unknown),
        (r#"{"status":"success","batchReference":["BATCH-1"],"data":[{}]}"#, Unknown),
        (r#"{"status":"success","batchReference":"BATCH-1","data":[{"statusId":4},{"statusId":5}]}"#, Unknown),
        (r#"{"status":"success","batchReference":"BATCH-1","data":[{"Status":"failed"}]}"#, Unknown),
        (r#"{"status":"success","batchReference":"BATCH-1","data":[{"isSuccess":false}]}"#, Unknown),
        (r#"{"status":"success","batchReference":"BATCH-1","data":[{"success":"no"}]}"#, Unknown),
        (r#"{"status":"success","batchReference":"BATCH-1","data":[{"error":"account closed"}]}"#, Unknown),
        (r#"{"status":"success","batchReference":"BATCH-1","data":[{"error":null,"statusId":2}]}"#, Confirmed),
        (r#"{"status":"failed","batchReference":"BATCH-1","data":[{}]}"#, Unknown),
        ("[]", Unknown),
    ] {
        assert_eq!(decided(Batch, body), expected, "{body}");
    }
    for (body, expected) in [
        (ACCOUNT, Confirmed),
        (r#"{"alias":"till-1","accountNumber":9900000001}"#, Confirmed),
        (r#"{"data":{"accountNumber":"9900000001","alias":"TILL-1"}}"#, Confirmed),
        (r#"{"data":{"accountNumber":"9900000001","alias":"till-2"}}"#, Unknown),
        (r#"{"data":{"accountNumber":"9900000001"}}"#, Unknown),
        (r#"{"alias":"till-1","data":{"accountNumber":null}}"#, Unknown),
        (r#"{"alias":"till-1","data":{"accountNumber":{}}}"#, Unknown),
        (r#"{"alias":"till-1","data":[]}"#, Unknown),
        (r#"{"status":false,"alias":"till-1","accountNumber":"9900000001"}"#, Unknown),
        (r#"{"alias":"till-1","accountReference":"R-2","accountNumber":"9900000001"}"#, Unknown),
    ] {
        assert_eq!(decided(Account, body), expected, "{body}");
    }
    let own = Inquiry { own_reference: Some("R-1".into()), ..asked(Account) };
    for (reference, expected) in [("\"r-1\"", Confirmed), ("\"R-2\"", Unknown), ("null", Unknown)] {
        let body = format!(r#"{{"alias":"till-1","accountNumber":"9900000001","accountReference":{reference}}}"#);
        let found = decide_on(&own, 200, &body);
        assert_eq!(found.verdict.outcome, expected, "{body}: {found:?}");
        assert_eq!(found.difference.is_some(), expected == Unknown);
    }
}

#[test]
fn a_look_up_is_not_repeated_where_it_cannot_help() {
    for (http, again) in
        [(400, false), (401, false), (403, false), (422, false), (404, true), (408, true), (429, true), (500, true)]
    {
        assert_eq!(decide_on(&asked(Final), http, "{}").verdict.again, again, "{http}");
    }
}
