//! Every line of the table and every rule of reading, each with a response.

mod lines;
mod payouts;
mod references;

use super::*;
use crate::answer::facts;
use crate::answer::facts::refusal;
use crate::json::document::Document;
use crate::request::names::RequestFields;
use paysvc_spec::schema::Reference;
use paysvc_spec::schema::{Answer, Envelope, Member};

const PLAIN: Answer = *Answer::UNKNOWN;
const SUBJECT: Answer = Answer { subject: Some("/data/statusId"), ..PLAIN };
const SUMMARY: Answer = Answer { subject: Some("/data/orderSummary"), envelope: Envelope::PaymentState, ..PLAIN };
const BARE: Answer = Answer {
    envelope: Envelope::Bare,
    members: &[Member::text("customerName", "name"), Member::any("mandates", "mandates")],
    ..PLAIN
};
const REFUND: Answer = Answer { success_is_state: true, ..PLAIN };

fn facts_of(expected: &Answer, body: &str) -> Box<Facts> {
    let references =
        vec![(Reference::Order, "ORD-1".into()), (Reference::Session, "77".into()), (Reference::Mandate, "M-1".into())];
    Document::scan(body, &|| false).map_or_else(
        |_| Box::<Facts>::default(),
        |document| {
            let mut facts = facts::read(&document, body, expected, &references, &|| false).unwrap();
            if facts.signs.failure.any_case || !facts.signs.success.any_case {
                let names = ["reference", "amount", "a", "b"].map(str::to_owned);
                let fields = RequestFields { row: &[], names: &names };
                refusal::read(&mut facts, document.root(body), fields, &|| false).unwrap();
            }
            facts
        },
    )
}

fn whole(http_status: u16, facts: &Facts) -> AttemptResult<'_> {
    AttemptResult::Answer { http_status, unreadable: None, may_be_truncated: false, facts }
}

fn decide_as(safety: Safety, expected: &Answer, http: u16, body: &str, after_429: bool) -> Verdict {
    decide(safety, &whole(http, &facts_of(expected, body)), after_429)
}

fn moves(http: u16, body: &str) -> Verdict {
    decide_as(Safety::Moves, &PLAIN, http, body, false)
}

fn after_429(http: u16, body: &str) -> Verdict {
    decide_as(Safety::Moves, &PLAIN, http, body, true)
}

fn brief(verdict: &Verdict) -> (&'static str, Status, Outcome, i32) {
    (verdict.line, verdict.status, verdict.outcome, verdict.state.0)
}

use Outcome::{Confirmed, NotSent, Unknown};
use Status::{Cancelled, RateLimited, Response, Server, Timeout, Transport, Unauthorized};
const NO: Outcome = Outcome::Rejected;
const E_NO: Status = Status::Rejected;
const OK: Status = Status::Ok;

/// HTTP status, body; line, status, outcome, state.
type Cell = (u16, &'static str, &'static str, Status, Outcome, i32);

fn check(cells: &[Cell], verdict: impl Fn(u16, &str) -> Verdict) {
    let mut wrong = Vec::new();
    for (http, body, line, status, outcome, state) in cells {
        let found = brief(&verdict(*http, body));
        if found != (*line, *status, *outcome, *state) {
            wrong.push(format!("HTTP {http} {body}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_answer() {
    for safety in [Safety::Moves, Safety::Repeatable, Safety::ReadOnly] {
        let reads = safety == Safety::ReadOnly;
        for status in [Transport, Timeout, Cancelled, Status::Internal] {
            let unsent = decide(safety, &AttemptResult::NoAnswer { sent: false, status }, false);
            assert_eq!((unsent.status, unsent.outcome, unsent.again), (status, NotSent, true));
            let sent = decide(safety, &AttemptResult::NoAnswer { sent: true, status }, false);
            assert_eq!((sent.status, sent.outcome, sent.again), (status, Unknown, reads));
        }
        let refused = decide(safety, &AttemptResult::NoAnswer { sent: false, status: Transport }, true);
        let expected = if reads { (Transport, NotSent) } else { (RateLimited, NO) };
        assert_eq!((refused.status, refused.outcome), expected, "what the 429 proved still holds");
        let sent = decide(safety, &AttemptResult::NoAnswer { sent: true, status: Transport }, true);
        assert_eq!(sent.outcome, Unknown);
    }
}

#[test]
fn incomplete_answers() {
    for http_status in [200, 400, 401, 429] {
        for status in [Response, Timeout, Cancelled] {
            for may_be_truncated in [false, true] {
                let (unreadable, facts) = (Some(status), &Facts::default());
                let result = AttemptResult::Answer { http_status, unreadable, may_be_truncated, facts };
                for after_429 in [false, true] {
                    let moves = decide(Safety::Moves, &result, after_429);
                    assert_eq!(brief(&moves), ("6", status, Unknown, 0));
                    assert!(!moves.again);
                }
                let reads = decide(Safety::ReadOnly, &result, false);
                assert_eq!(
                    (brief(&reads), reads.again),
                    (("r6", status, Unknown, 0), may_be_truncated || http_status == 429)
                );
            }
        }
    }
}

#[test]
fn the_state_of_a_payment() {
    for (data, state) in [
        (r#"{"statusId":7}"#, 7),
        (r#"{"statusId":" 3 "}"#, 3),
        (r#"{"statusId":9}"#, 9),
        (r#"{"statusId":9,"status":"held"}"#, 9),
        (r#"{"status":"held"}"#, 0),
        (r#"{"statusId":5.0}"#, 0),
        (r#"{"statusId":99999999999}"#, 0),
        (r#"{"statusId":"pending"}"#, 0),
        (r#"{"statusId":2,"status":"held"}"#, 2),
        (r#"{"status":"Awaiting confirmation"}"#, 3),
        (r#"{"status":"Reversed"}"#, 6),
        (r#"{"status":"successful"}"#, 5),
        (r#"{"status":"success"}"#, 0),
        (r#"{"statusId":5,"status":"success"}"#, 5),
        (r#"{"status":null,"statusId":null}"#, 0),
        (r#"{"paymentStatus":"Pending"}"#, 2),
        (r#"{"order":{"statusId":1},"orderPayment":{"statusId":2}}"#, 2),
        (r#"{"order":{"statusId":1},"orderSummary":{"statusId":2}}"#, 0),
        (r#"{"order":{"statusId":1},"orderSummary":{"statusId":1,"status":"Initiated"}}"#, 1),
        (r#"{"statusId":5,"orderPayments":[]}"#, 5),
        (r#"{"statusId":5,"orderPayments":[{"statusId":4},{"paymentStatus":"Successful"}]}"#, 5),
        (r#"{"statusId":5,"orderPayments":[{"x":1},{"statusId":null}]}"#, 5),
        (r#"{"orderPayments":[{"statusId":5}]}"#, 0),
        (r#"{"statusId":5,"responseCode":"12"}"#, 5),
        (r#"{"statusId":6,"orderPayments":[{"statusId":5}]}"#, 6),
    ] {
        let body = format!(r#"{{"status":true,"data":{data}}}"#);
        let verdict = moves(200, &body);
        assert_eq!((verdict.outcome, verdict.state.0), (Confirmed, state), "{data}");
    }
    let refund = |data: &str| {
        let body = format!(r#"{{"status":true,"data":{data}}}"#);
        decide_as(Safety::Moves, &REFUND, 200, &body, false).state.0
    };
    assert_eq!((refund(r#"{"status":"success"}"#), refund(r#"{"status":"pending"}"#)), (5, 2));
    let failed =
        r#"{"status":true,"data":{"statusId":4,"orderPayments":[{"statusId":4,"status":"Failed"},{"statusId":"4"}]}}"#;
    assert_eq!(brief(&moves(200, failed)), ("17", E_NO, NO, 4));
}

#[test]
fn codes_are_read_without_leading_zeros() {
    for (code, line) in [
        (r#""22""#, "11"),
        ("26", "11"),
        ("90", "11"),
        (r#""094""#, "11"),
        (r#""00""#, "11"),
        ("0", "11"),
        (r#""200""#, "11"),
        (r#""001""#, "11"),
        ("2", "11"),
        (r#"" 02 ""#, "11"),
        ("6", "11"),
        ("9", "11"),
        ("68", "11"),
        ("91", "11"),
        ("96", "11"),
        ("97", "11"),
        (r#""99""#, "11"),
        (r#""04""#, "12"),
        ("3", "12"),
        (r#""E0""#, "12"),
        (r#""DUPLICATE_REFERENCE""#, "11"),
        (r#""PENDING""#, "11"),
        (r#""DECLINED""#, "12"),
        ("2.0", "12"),
        ("20", "11"),
        ("19", "11"),
        ("95", "11"),
        ("425", "11"),
        ("503", "11"),
        ("21", "12"),
        ("600", "12"),
        (r#""""#, "12"),
        ("null", "12"),
        ("true", "12"),
        ("{}", "12"),
    ] {
        for member in [
            r#""code":@"#,
            r#""statusCode":@"#,
            r#""STATUS_CODE":@"#,
            r#""responseCode":@"#,
            r#""data":{"orderPaymentResponseCode":@}"#,
            r#""data":{"orderSummary":{"paymentResponseCode":@}}"#,
            r#""data":{"order":{"code":@}}"#,
            r#""data":{"orderPayments":[{"ResponseCode":@}]}"#,
        ] {
            let body = format!(r#"{{"status":false,{}}}"#, member.replace('@', code));
            assert_eq!(moves(400, &body).line, line, "{body}");
        }
    }
}
