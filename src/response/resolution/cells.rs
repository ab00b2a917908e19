//! Every line of the table and every rule of reading, each with an answer.

use std::collections::BTreeSet;

use super::*;
use crate::request::references::Reference;
use crate::response::document::Document;
use crate::response::verdict::{self, AttemptResult, ReceivedAnswer};
use paysvc_spec::schema::{Envelope, Member, Safety};

use Outcome::{Confirmed, Rejected, Unknown};
use Question::{Account, Attempt, Batch, Charge, Final, Order, Refund};

const OF_ORDER: Answer =
    Answer { subject: Some("/data/orderSummary"), envelope: Envelope::PaymentState, ..*Answer::UNKNOWN };
const OF_BATCH: Answer = *Answer::UNKNOWN;
const OF_ACCOUNT: Answer =
    Answer { envelope: Envelope::Flat, members: &[Member::text("accountNumber", "the account")], ..*Answer::UNKNOWN };

fn asked(question: Question) -> Asked<'static> {
    Asked {
        question,
        references: vec![(Reference::Order, "ORD-1".to_owned())],
        prices: Vec::new(),
        own_reference: match question {
            Attempt => Some("PAY-1"),
            Batch => Some("BATCH-1"),
            Account => Some("till-1"),
            _ => None,
        },
        attempts: None,
    }
}

fn price(amount: &str, currency: &str) -> Price {
    Price {
        source: "the request",
        amount: (!amount.is_empty()).then(|| Decimal::parse(amount).unwrap()),
        currency: (!currency.is_empty()).then(|| currency.to_owned()),
    }
}

/// As the client gets it: read, judged, and then asked what it proves.
fn decide_on(asked: &Asked<'_>, http_status: u16, body: &str) -> Decision {
    let expected = match asked.question {
        Batch => &OF_BATCH,
        Account => &OF_ACCOUNT,
        _ => &OF_ORDER,
    };
    let document = Document::scan(body, &|| false).ok();
    let facts = document.as_ref().map(|document| facts::read(document, body, expected, &asked.references, &|| false));
    let answer = ReceivedAnswer {
        http_status,
        unreadable: document.is_none().then_some(Status::Response),
        may_be_truncated: false,
        facts: facts.flatten().unwrap_or_default(),
    };
    let verdict = verdict::decide(Safety::ReadOnly, &AttemptResult::Answer(answer), false);
    let reply = Reply {
        body: body.to_owned(),
        http_status,
        document,
        state: verdict.state,
        ..Reply::without_body(verdict.status, verdict.outcome, "")
    };
    let evidence = Evidence::read(asked, &reply, expected, &|| false).unwrap();
    decide(evidence, reply.status)
}

fn brief(decision: &Decision) -> (&'static str, Status, Outcome, i32) {
    (decision.line, decision.status, decision.outcome, decision.state.0)
}

/// The answer of the look-up, with the members of `data`.
fn order(state: u8, more: &str) -> String {
    format!(r#"{{"data":{{"orderSummary":{{"reference":"ORD-1","statusId":{state}}}{more}}}}}"#)
}

const FINAL: &str = r#","isFinalStatus":true,"requeryNeeded":false"#;

/// With that history.
fn with_history(state: u8, entries: &str) -> String {
    order(state, &format!(r#"{FINAL},"orderPayments":{entries}"#))
}

const FAILED: &str = r#"[{"orderPaymentReference":"PAY-1","statusId":4,"status":"Failed"}]"#;
const TWICE: &str =
    r#"[{"orderPaymentReference":"PAY-1","statusId":4},{"orderPaymentReference":"PAY-2","status":"declined"}]"#;

fn charge(attempts: u32, body: &str) -> Decision {
    let attempts = (attempts > 0).then_some(attempts);
    decide_on(&Asked { attempts, ..asked(Charge) }, 200, body)
}

#[test]
fn every_line_is_taken_by_an_answer() {
    let plain = |question, http: u16, body: &str| decide_on(&asked(question), http, body);
    let priced = |question, amount: &str| {
        let body = r#"{"data":{"orderSummary":{"statusId":1,"orderAmount":100.10}}}"#;
        decide_on(&Asked { prices: vec![price(amount, "")], ..asked(question) }, 200, body)
    };
    let entry = |state: u8, entry: &str| plain(Attempt, 200, &with_history(state, &format!("[{entry}]")));
    let own = |rest: &str| format!(r#"{{"orderPaymentReference":"PAY-1",{rest}}}"#);
    use Status::{Ok, Response, Server, Unauthorized};
    let cells = [
        ("c1", Unauthorized, Unknown, 0, plain(Charge, 401, "{}")),
        ("c2", Status::Rejected, Unknown, 0, plain(Order, 404, r#"{"status":false,"message":"not found"}"#)),
        ("c2", Status::Rejected, Unknown, 0, plain(Account, 404, "{}")),
        ("c3", Status::Rejected, Unknown, 0, plain(Charge, 404, "{}")),
        ("c4", Server, Unknown, 0, plain(Charge, 500, &order(5, FINAL))),
        ("c4", Response, Unknown, 0, plain(Charge, 200, "<html>")),
        ("c4", Status::Rejected, Unknown, 0, plain(Charge, 200, r#"{"status":"failed"}"#)),
        ("c4", Response, Unknown, 0, plain(Charge, 200, r#"{"data":{"orderSummary":{"statusId":5,"statusId":4}}}"#)),
        ("c5", Response, Unknown, 5, plain(Charge, 200, &order(5, FINAL).replace("ORD-1", "ORD-2"))),
        ("c6", Response, Unknown, 0, plain(Charge, 200, r#"{"status":"success","data":{"statusId":5}}"#)),
        ("c7", Response, Unknown, 1, priced(Order, "100.01")),
        ("c8", Response, Unknown, 1, priced(Charge, "100.01")),
        ("c9", Response, Unknown, 0, plain(Charge, 200, &with_history(5, FAILED))),
        ("c10", Ok, Confirmed, 5, charge(0, &order(5, FINAL))),
        ("c11", Ok, Confirmed, 6, charge(1, &order(6, FINAL))),
        ("c12", Status::Rejected, Rejected, 4, charge(1, &with_history(4, FAILED))),
        ("c13", Response, Unknown, 4, charge(0, &with_history(4, FAILED))),
        ("c14", Response, Unknown, 4, charge(2, &with_history(4, FAILED))),
        ("c15", Ok, Confirmed, 1, priced(Order, "100.1")),
        ("c16", Response, Unknown, 1, plain(Order, 200, &order(1, ""))),
        ("c17", Ok, Confirmed, 5, entry(5, &own(r#""statusId":5"#))),
        ("c18", Ok, Confirmed, 6, entry(6, &own(r#""statusId":6"#))),
        ("c19", Status::Rejected, Rejected, 4, entry(4, &own(r#""statusId":4"#))),
        ("c20", Response, Unknown, 2, entry(2, &own(r#""statusId":2"#))),
        ("c21", Ok, Confirmed, 5, plain(Refund, 200, &order(6, FINAL))),
        ("c22", Response, Unknown, 0, plain(Refund, 200, &order(5, FINAL))),
        ("c23", Ok, Confirmed, 2, plain(Batch, 200, r#"{"status":"success","data":{"status":"pending"}}"#)),
        ("c24", Ok, Confirmed, 0, plain(Account, 200, r#"{"status":true,"accountNumber":"TRP0000001"}"#)),
        ("c25", Response, Unknown, 0, plain(Account, 200, r#"{"status":true,"accountNumber":""}"#)),
        ("c26", Ok, Confirmed, 4, plain(Final, 200, &order(4, FINAL))),
        ("c27", Response, Unknown, 2, plain(Charge, 200, &order(2, ""))),
        ("c27", Response, Unknown, 2, plain(Final, 200, &order(2, ""))),
    ];
    let mut taken = BTreeSet::new();
    for (line, status, outcome, state, decision) in cells {
        assert_eq!(brief(&decision), (line, status, outcome, state), "{decision:?}");
        taken.insert(line);
    }
    let all: BTreeSet<_> = LINES.iter().map(|line| line.number).collect();
    assert_eq!(taken, all, "every line has an answer here");
}

#[test]
fn only_these_lines_are_better_than_unknown() {
    for line in LINES {
        let (confirmed, rejected) = (line.outcome == Confirmed, line.outcome == Rejected);
        assert_eq!(confirmed, line.status == Says::This(Status::Ok), "{}", line.number);
        assert_eq!(rejected, line.status == Says::This(Status::Rejected), "{}", line.number);
        assert!(!rejected || matches!(line.about, [Charge] | [Attempt]), "{}", line.number);
        assert!(line.outcome == Unknown || !line.again, "{}: what is settled is not asked again", line.number);
        assert!(line.outcome != Outcome::NotSent && !line.explanation.is_empty(), "{}", line.number);
    }
    for why in [Unasked::ReadsOnly, Unasked::Repeatable, Unasked::NobodyKnows] {
        assert_eq!((unasked(why).outcome, unasked(why).state), (Unknown, State::NONE));
    }
    assert!(unasked(Unasked::Repeatable).explanation.contains("may be repeated"));
    assert!(unasked(Unasked::NobodyKnows).explanation.contains("a person"));
}

#[test]
fn a_state_is_final_only_if_nothing_says_otherwise() {
    for (flags, is_final) in [
        ("", true),
        (r#","isFinalStatus":null,"requeryNeeded":null"#, true),
        (r#","isFinalStatus":true"#, true),
        (r#","isFinalStatus":"True","requeryNeeded":"false""#, true),
        (r#","isFinalStatus":false"#, false),
        (r#","IsFinalStatus":false"#, false),
        (r#","isFinalStatus":"no""#, false),
        (r#","isFinalStatus":0"#, false),
        (r#","isFinalStatus":["true"]"#, false),
        (r#","requeryNeeded":true"#, false),
        (r#","requeryNeeded":"true""#, false),
        (r#","requeryneeded":1"#, false),
        (r#","isFinalStatus":true,"requeryNeeded":true"#, false),
        (r#","orderPayments":[{"statusId":5,"requeryNeeded":true}]"#, false),
    ] {
        for (state, question, expected) in [(5, Charge, Confirmed), (6, Refund, Confirmed), (4, Final, Confirmed)] {
            let history = if state == 4 { flags.replace("\"statusId\":5", "\"statusId\":4") } else { flags.to_owned() };
            let found = decide_on(&asked(question), 200, &order(state, &history));
            assert_eq!(found.outcome, if is_final { expected } else { Unknown }, "{state} {flags}: {found:?}");
        }
        let attempts = Asked { attempts: Some(1), ..asked(Charge) };
        let failed = flags.replace("[{\"statusId\":5", "[{\"statusId\":4");
        let failed =
            if failed.contains("orderPayments") { failed } else { format!(r#"{failed},"orderPayments":{FAILED}"#) };
        let found = decide_on(&attempts, 200, &order(4, &failed));
        assert_eq!(found.outcome, if is_final { Rejected } else { Unknown }, "{failed}: {found:?}");
    }
    for state in [0, 1, 2, 3, 7, 9] {
        for question in [Charge, Refund, Final] {
            assert_eq!(decide_on(&asked(question), 200, &order(state, FINAL)).outcome, Unknown, "{state}");
        }
    }
}

#[test]
fn a_charge_is_rejected_only_if_every_attempt_is_in_the_history_and_failed() {
    for (history, attempts, expected) in [
        (FAILED, 1, Rejected),
        (FAILED, 2, Unknown),
        (FAILED, 0, Unknown),
        (TWICE, 1, Rejected),
        (TWICE, 2, Rejected),
        (TWICE, 3, Unknown),
        ("[]", 1, Unknown),
        ("null", 1, Unknown),
        ("{}", 1, Unknown),
        (r#"{"statusId":4}"#, 1, Unknown),
        (r#""failed""#, 1, Unknown),
        (r#"["failed"]"#, 1, Unknown),
        (r#"[4]"#, 1, Unknown),
        (r#"[{"orderPaymentReference":"PAY-1"}]"#, 1, Unknown),
        (r#"[{"statusId":4}]"#, 1, Rejected),
        (r#"[{"statusId":"4","status":"FAILED","paymentStatus":"Failed"}]"#, 1, Rejected),
        (r#"[{"statusId":4,"status":"Pending"}]"#, 1, Unknown),
        (r#"[{"statusId":"failed"}]"#, 1, Unknown),
        (r#"[{"statusId":4.0}]"#, 1, Unknown),
        (r#"[{"StatusId":4}]"#, 1, Unknown),
        (r#"[{"statusId":4,"Status":"Successful"}]"#, 1, Unknown),
        (r#"[{"statusId":4,"orderPaymentResponseCode":"00"}]"#, 1, Unknown),
        (r#"[{"statusId":4,"orderPaymentResponseCode":"02"}]"#, 1, Unknown),
        (r#"[{"statusId":4,"orderPaymentResponseCode":"51"}]"#, 1, Rejected),
        (r#"[{"statusId":4,"orderPaymentResponseCode":91}]"#, 1, Rejected),
        // Two entries of one attempt.
        (
            r#"[{"orderPaymentReference":"P","statusId":4,"x":1},{"orderPaymentReference":" p ","statusId":4}]"#,
            2,
            Unknown,
        ),
        (r#"[{"statusId":4},{"statusId":4}]"#, 2, Unknown),
        (r#"[{"statusId":4,"dateCreated":"a"},{"statusId":4,"dateCreated":"b"}]"#, 2, Rejected),
        (r#"[{"statusId":4},{"statusId":2}]"#, 1, Unknown),
        (r#"[{"statusId":4},{"statusId":5}]"#, 1, Unknown),
    ] {
        let found = charge(attempts, &with_history(4, history));
        assert_eq!(found.outcome, expected, "{attempts} attempts, {history}: {found:?}");
    }
    // The same history beside anything that speaks of progress or success.
    let with = |more: &str| charge(1, &with_history(4, &format!("{FAILED}{more}"))).outcome;
    assert_eq!(with(""), Rejected);
    assert_eq!(with(r#","paymentResponseCode":"00""#), Unknown);
    assert_eq!(with(r#","statusId":2"#), Unknown);
    assert_eq!(with(r#","status":"Successful""#), Unknown);
    assert_eq!(with(r#","OrderPayments":[{"statusId":4}]"#), Unknown);
    let progress = with_history(4, FAILED).replacen('{', r#"{"statusCode":"02","#, 1);
    assert_eq!(charge(1, &progress).outcome, Unknown);
    let found = with_history(4, FAILED).replacen('{', r#"{"status":"Failed","statusCode":"00","#, 1);
    assert_eq!(charge(1, &found).outcome, Rejected, "the code is that of the reading");
    let other = with_history(4, FAILED).replacen('{', r#"{"status":"Pending","#, 1);
    assert_eq!(charge(1, &other).outcome, Unknown);
}

#[test]
fn an_attempt_is_read_from_its_own_entry() {
    let other = r#"{"orderPaymentReference":"PAY-0","statusId":"#;
    for (state, entries, expected, its) in [
        (5, format!(r#"[{other}4}},{{"orderPaymentReference":" pay-1 ","statusId":5}}]"#), Confirmed, 5),
        (5, format!(r#"[{{"orderPaymentReference":"PAY-1","statusId":4}},{other}5}}]"#), Rejected, 4),
        (5, format!("[{other}5}}]"), Unknown, 0),
        (
            5,
            r#"[{"orderPaymentReference":"PAY-1","statusId":5},{"orderPaymentReference":"PAY-1","statusId":5}]"#.into(),
            Unknown,
            0,
        ),
        (5, format!(r#"[{{"orderPaymentReference":"PAY-1","statusId":5,"status":"Failed"}},{other}5}}]"#), Unknown, 0),
        (5, r#"[{"orderPaymentReference":"PAY-1","statusId":5,"orderPaymentResponseCode":"02"}]"#.into(), Unknown, 0),
        (4, r#"[{"orderPaymentReference":"PAY-1","statusId":4,"orderPaymentResponseCode":"00"}]"#.into(), Unknown, 0),
        // The order has failed, and the entry has not: a contradiction.
        (4, r#"[{"orderPaymentReference":"PAY-1","statusId":5}]"#.into(), Unknown, 0),
        (2, r#"[{"orderPaymentReference":"PAY-1","statusId":5}]"#.into(), Confirmed, 5),
        // It has failed, and the order waits for something.
        (2, r#"[{"orderPaymentReference":"PAY-1","statusId":4}]"#.into(), Unknown, 4),
        (2, r#"[{"orderPaymentReference":"PAY-1"}]"#.into(), Unknown, 0),
        (5, r#"{"orderPaymentReference":"PAY-1","statusId":5}"#.into(), Unknown, 0),
    ] {
        let found = decide_on(&asked(Attempt), 200, &with_history(state, &entries));
        assert_eq!((found.outcome, found.state.0), (expected, its), "{state} {entries}: {found:?}");
    }
    let open = order(4, r#","isFinalStatus":false,"orderPayments":[{"orderPaymentReference":"PAY-1","statusId":4}]"#);
    assert_eq!(decide_on(&asked(Attempt), 200, &open).outcome, Unknown);
}

#[test]
fn prices_are_compared_as_decimals() {
    for (members, amount, currency, same) in [
        (r#""orderAmount":100.10"#, "100.1", "", true),
        (r#""orderAmount":"100.1000""#, "100.10", "", true),
        (r#""orderAmount":100.1,"totalChargedAmount":200,"fee":1"#, "100.10", "", true),
        (r#""orderAmount":101.6,"totalChargedAmount":100.10"#, "100.10", "", false),
        (r#""totalChargedAmount":101.60,"fee":"1.50""#, "100.10", "", true),
        (r#""totalChargedAmount":100.10,"fee":1.5"#, "100.10", "", true),
        (r#""totalChargedAmount":101.60,"fee":null"#, "100.10", "", false),
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
        (r#""currencyId":1"#, "", "NGN", true),
        (r#""currency":null"#, "", "NGN", true),
        (r#""currency":566"#, "", "NGN", false),
        (r#""orderAmount":100.10,"currency":"USD""#, "100.10", "NGN", false),
    ] {
        let comma = if members.is_empty() { "" } else { "," };
        for body in [
            format!(r#"{{"data":{{"orderSummary":{{"statusId":5{comma}{members}}}}}}}"#),
            format!(r#"{{"data":{{"orderSummary":{{"statusId":5}}{comma}{members}}}}}"#),
        ] {
            for prices in [vec![price(amount, currency)], vec![price("", ""), price(amount, currency)]] {
                let found = decide_on(&Asked { prices, ..asked(Charge) }, 200, &body);
                let expected = if same { ("c10", Confirmed, 5) } else { ("c7", Unknown, 5) };
                assert_eq!((found.line, found.outcome, found.state.0), expected, "{amount}: {body}: {found:?}");
                assert_eq!(found.difference.is_some(), !same, "{found:?}");
            }
        }
    }
    // The request and the caller must both be right.
    let body = r#"{"data":{"orderSummary":{"statusId":5,"orderAmount":"90.00","currency":"NGN"}}}"#;
    let found = decide_on(&Asked { prices: vec![price("90", ""), price("100", "")], ..asked(Charge) }, 200, body);
    assert_eq!((found.line, found.state.0), ("c7", 5));
    assert_eq!(found.difference.as_deref(), Some("orderAmount is 90.00, which is not the amount of the request"));
    let refund = decide_on(&Asked { prices: vec![price("100", "")], ..asked(Refund) }, 200, &body.replace(":5", ":6"));
    assert_eq!((refund.line, refund.state.0), ("c7", 0), "the order's state is not the refund's");
}

#[test]
fn batches_and_accounts_must_be_those_that_were_asked_for() {
    let decided = |question, body: &str| decide_on(&asked(question), 200, body).outcome;
    for (body, expected) in [
        (r#"{"status":"success"}"#, Confirmed),
        (r#"{"status":"success","batchReference":"batch-1","data":[{"batchReference":"BATCH-1"}]}"#, Confirmed),
        (r#"{"status":"success","batchReference":"BATCH-2"}"#, Unknown),
        (r#"{"status":"success","data":[{"BatchReference":"BATCH-2"}]}"#, Unknown),
        (r#"{"status":"success","batchReference":["BATCH-1"]}"#, Unknown),
        (r#"{"status":"failed"}"#, Unknown),
        (r#"{"status":"success","data":{"statusId":5,"status":"Failed"}}"#, Unknown),
        ("[]", Unknown),
    ] {
        assert_eq!(decided(Batch, body), expected, "{body}");
    }
    for (body, expected) in [
        (r#"{"status":true,"accountNumber":9900000001}"#, Confirmed),
        (r#"{"status":true,"data":{"account_number":"9900000001"}}"#, Confirmed),
        (r#"{"status":true,"data":{"accountNumber":"9900000001","alias":"TILL-1"}}"#, Confirmed),
        (r#"{"status":true,"data":{"accountNumber":"9900000001","alias":"till-2"}}"#, Unknown),
        (r#"{"status":true,"data":{"accountNumber":null}}"#, Unknown),
        (r#"{"status":true,"data":{"accountNumber":{}}}"#, Unknown),
        (r#"{"status":true,"data":[]}"#, Unknown),
        (r#"{"status":false,"accountNumber":"9900000001"}"#, Unknown),
    ] {
        assert_eq!(decided(Account, body), expected, "{body}");
    }
}

#[test]
fn a_look_is_not_repeated_where_it_cannot_help() {
    for (http, again) in [(400, false), (401, false), (403, false), (404, true), (408, true), (429, true), (500, true)]
    {
        assert_eq!(decide_on(&asked(Final), http, "{}").again, again, "{http}");
    }
}
