//! Every line of the table and every rule of reading, each with an answer.

use super::*;
use crate::request::references::Reference;
use crate::response::document::Document;
use crate::response::facts;
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

fn result(expected: &Answer, http_status: u16, body: &str) -> AttemptResult {
    let references = vec![
        (Reference::Order, "ORD-1".to_owned()),
        (Reference::Session, "77".into()),
        (Reference::Mandate, "M-1".into()),
    ];
    let facts = Document::scan(body, &|| false).map_or_else(
        |_| Facts::default(),
        |document| facts::read(&document, body, expected, &references, &|| false).unwrap(),
    );
    AttemptResult::Answer(ReceivedAnswer { http_status, unreadable: None, may_be_truncated: false, facts })
}

fn decide_as(safety: Safety, expected: &Answer, http: u16, body: &str, after_429: bool) -> Verdict {
    decide(safety, &result(expected, http, body), after_429)
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
    for (http, body, line, status, outcome, state) in cells {
        let found = verdict(*http, body);
        assert_eq!(brief(&found), (*line, *status, *outcome, *state), "HTTP {http} {body}");
    }
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
                let result = || {
                    AttemptResult::Answer(ReceivedAnswer {
                        http_status,
                        unreadable: Some(status),
                        may_be_truncated,
                        facts: Facts::default(),
                    })
                };
                for after_429 in [false, true] {
                    let moves = decide(Safety::Moves, &result(), after_429);
                    assert_eq!(brief(&moves), ("6", status, Unknown, 0));
                    assert!(!moves.again);
                }
                let reads = decide(Safety::ReadOnly, &result(), false);
                assert_eq!(
                    (brief(&reads), reads.again),
                    (("r6", status, Unknown, 0), may_be_truncated || http_status == 429)
                );
            }
        }
    }
}

const FAILED: &str = r#"{"status":"failed","data":{"orderPayment":{"statusId":4}}}"#;

#[test]
fn lines_of_requests_that_move_money() {
    check(
        &[
            (302, "", "3", Response, Unknown, 0),
            (199, "{}", "3", Response, Unknown, 0),
            (600, r#"{"status":true}"#, "3", Response, Unknown, 0),
            (500, "", "4", Server, Unknown, 0),
            (502, "<html>", "4", Server, Unknown, 0),
            (503, r#"{"status":false,"message":"m"}"#, "4", Server, Unknown, 0),
            (500, r#"{"data":{"statusId":5}}"#, "4", Server, Unknown, 5),
            (408, r#"{"status":false}"#, "5", Timeout, Unknown, 0),
            (200, r#"{"status":true,"error":{"code":"1"}}"#, "7", Response, Unknown, 0),
            (400, r#"{"status":"success","errors":{"a":"b"}}"#, "7", Response, Unknown, 0),
            (200, r#"{"status":true,"error":"x"}"#, "7", Response, Unknown, 0),
            (200, r#"{"status":true,"errors":["x"]}"#, "7", Response, Unknown, 0),
            (200, r#"{"status":true,"success":"false"}"#, "7", Response, Unknown, 0),
            (200, r#"{"STATUS":"Successful","Error":{"a":1}}"#, "7", Response, Unknown, 0),
            (200, r#"{"status":true,"data":{"success":false,"statusId":5}}"#, "7", Response, Unknown, 5),
            (200, r#"{"status":true,"data":{"a":1,"a":1,"statusId":5}}"#, "7", Response, Unknown, 0),
            (400, r#"{"status":false,"status":false}"#, "7", Response, Unknown, 0),
            (429, r#"{"status":true}"#, "8", RateLimited, Unknown, 0),
            (429, r#"{"data":{"orderPayment":{"statusId":5}}}"#, "8", RateLimited, Unknown, 5),
            (429, r#"{"data":{"orderPayment":{"statusId":4}}}"#, "8", RateLimited, Unknown, 4),
            (429, r#"{"a":1,"a":1}"#, "8", RateLimited, Unknown, 0),
            (429, r#"{"message":"Duplicate request"}"#, "8", RateLimited, Unknown, 0),
            (429, r#"{"code":"02"}"#, "8", RateLimited, Unknown, 0),
            (429, "", "9", RateLimited, NO, 0),
            (429, "<html>slow down</html>", "9", RateLimited, NO, 0),
            (429, r#"{"status":false,"message":"Too many requests"}"#, "9", RateLimited, NO, 0),
            (400, r#"{"status":"success"}"#, "10", Response, Unknown, 0),
            (404, r#"{"Status":true}"#, "10", Response, Unknown, 0),
            (200, r#"{"status":"failed","data":{"statusId":2}}"#, "11", Response, Unknown, 2),
            (400, r#"{"status":false,"data":{"statusId":5}}"#, "11", Response, Unknown, 0),
            (400, r#"{"status":false,"data":{"x":[{"StatusID":7}]}}"#, "11", Response, Unknown, 0),
            (400, r#"{"status":false,"code":"00"}"#, "11", Response, Unknown, 0),
            (200, r#"{"status":"declined","data":{"status":"success"}}"#, "11", Response, Unknown, 0),
            (200, r#"{"status":false,"data":[{"payoutReference":"P"}]}"#, "11", Response, Unknown, 0),
            (400, r#"{"status":false,"message":"Order has already been paid"}"#, "11", Response, Unknown, 0),
            (400, r#"{"error":{"message":"request in progress"}}"#, "11", Response, Unknown, 0),
            (200, r#"{"Status":false,"code":"00"}"#, "11", Response, Unknown, 0),
            (200, FAILED, "12", E_NO, NO, 4),
            (400, r#"{"status":false,"message":"already","errors":{"a":"already used"}}"#, "12", E_NO, NO, 0),
            (400, r#"{"status":"no"}"#, "12", E_NO, NO, 0),
            (200, r#"{"isSuccess":"false"}"#, "12", E_NO, NO, 0),
            (200, r#"{"status":" Declined "}"#, "12", E_NO, NO, 0),
            (401, r#"{"error":{"code":"x"}}"#, "12", Unauthorized, NO, 0),
            (403, r#"{"status":false}"#, "12", Unauthorized, NO, 0),
            (422, r#"{"errors":{"a":"b"}}"#, "12", E_NO, NO, 0),
            (200, r#"{"data":{"isSuccess":"no"}}"#, "12", E_NO, NO, 0),
            (200, r#"{"data":{"status":false}}"#, "12", E_NO, NO, 0),
            (400, r#"{"data":{"statusId":5}}"#, "13", Response, Unknown, 5),
            (404, r#"{"batchId":12}"#, "13", Response, Unknown, 0),
            (400, r#"[{"statusId":5}]"#, "13", Response, Unknown, 0),
            (400, "", "14", E_NO, NO, 0),
            (401, "<html>", "14", Unauthorized, NO, 0),
            (404, r#"{"message":"not found"}"#, "14", E_NO, NO, 0),
            (431, "12", "14", E_NO, NO, 0),
            (400, r#"{"Status":false}"#, "14", E_NO, NO, 0),
            (403, "<html>", "15", Response, Unknown, 0),
            (409, "", "15", Response, Unknown, 0),
            (499, r#"{"message":"m"}"#, "15", Response, Unknown, 0),
            (200, r#"{"status":true,"data":{"order":{"reference":"ORD-2"}}}"#, "16", Response, Unknown, 0),
            (200, r#"{"status":true,"DATA":{"orderSUMMARY":{"REFERENCE":"ORD-2"}}}"#, "16", Response, Unknown, 0),
            (200, r#"{"status":true,"data":{"sessionId":78}}"#, "16", Response, Unknown, 0),
            (200, r#"{"status":true,"data":{"mandateCode":"M-2"}}"#, "16", Response, Unknown, 0),
            (200, r#"{"status":true,"data":{"statusId":5,"orderPayment":{"statusId":4}}}"#, "16", Response, Unknown, 0),
            (200, r#"{"status":true,"data":{"statusId":5,"status":"held"}}"#, "16", Response, Unknown, 0),
            (200, r#"{"status":"pending","data":{"statusId":5}}"#, "16", Response, Unknown, 0),
            (200, r#"{"status":true,"data":{"statusId":5,"paymentResponseCode":"12"}}"#, "16", Response, Unknown, 0),
            (
                200,
                r#"{"status":true,"data":{"statusId":5,"orderPayments":[{"statusId":4}]}}"#,
                "16",
                Response,
                Unknown,
                0,
            ),
            (
                200,
                r#"{"status":true,"data":{"statusId":4,"orderPayments":[{"statusId":2}]}}"#,
                "16",
                Response,
                Unknown,
                0,
            ),
            (200, r#"{"status":true,"data":{"statusId":4,"paymentResponseCode":"00"}}"#, "16", Response, Unknown, 0),
            (200, r#"{"status":"pending","data":{"statusId":4}}"#, "16", Response, Unknown, 0),
            (200, r#"{"status":true,"code":"02","data":{"statusId":4}}"#, "16", Response, Unknown, 0),
            (200, r#"{"status":true,"statusCode":"04"}"#, "16", Response, Unknown, 0),
            (200, r#"{"status":true,"Code":12}"#, "16", Response, Unknown, 0),
            (200, r#"{"status":true,"data":[{"status":"failed"}]}"#, "16", Response, Unknown, 0),
            (200, r#"{"status":true,"data":{"orderPayment":{"statusId":4}}}"#, "17", E_NO, NO, 4),
            (200, r#"{"status":"success","data":{"status":"Failed"}}"#, "17", E_NO, NO, 4),
            (200, r#"{"status":true,"data":{"orderSummary":{"statusId":4}}}"#, "18", Response, Unknown, 0),
            (200, r#"{"status":true}"#, "19", OK, Confirmed, 0),
            (200, r#"{"isSuccess":true}"#, "19", OK, Confirmed, 0),
            (201, r#"{"status":" Awaiting OTP "}"#, "19", OK, Confirmed, 0),
            (
                200,
                r#"{"status":"success","statusCode":"02","data":{"orderPayment":{"statusId":2}}}"#,
                "19",
                OK,
                Confirmed,
                2,
            ),
            (
                200,
                r#"{"status":true,"error":null,"errors":{},"data":{"order":{"reference":" ord-1 "}}}"#,
                "19",
                OK,
                Confirmed,
                0,
            ),
            (
                200,
                r#"{"status":true,"data":{"sessionId":77,"mandateCode":null,"statusId":"5"}}"#,
                "19",
                OK,
                Confirmed,
                5,
            ),
            (200, "", "20", Response, Unknown, 0),
            (204, "", "20", Response, Unknown, 0),
            (200, "<html>", "20", Response, Unknown, 0),
            (200, r#"{"message":"Insufficient funds"}"#, "20", Response, Unknown, 0),
            (200, r#"["declined"]"#, "20", Response, Unknown, 0),
            (200, r#"{"success":false}"#, "20", Response, Unknown, 0),
            (200, r#"{"status":true,"success":"no"}"#, "19", OK, Confirmed, 0),
            (200, r#"{"success":true}"#, "20", Response, Unknown, 0),
            (200, r#"{"status":1}"#, "20", Response, Unknown, 0),
            (200, r#"{"status":"true"}"#, "20", Response, Unknown, 0),
            (200, r#"{"status":"unsuccessful"}"#, "20", Response, Unknown, 0),
            (200, r#"{"Status":true}"#, "20", Response, Unknown, 0),
            (200, r#"{"error":"x"}"#, "20", Response, Unknown, 0),
        ],
        moves,
    );
}

#[test]
fn after_a_429() {
    check(
        &[
            (302, "", "3", Response, Unknown, 0),
            (500, "", "4", Server, Unknown, 0),
            (408, "", "5", Timeout, Unknown, 0),
            (200, r#"{"status":true,"error":{"code":"1"}}"#, "7", Response, Unknown, 0),
            (429, r#"{"status":true}"#, "8", RateLimited, Unknown, 0),
            (429, "", "9", RateLimited, NO, 0),
            (400, r#"{"status":true}"#, "10", Response, Unknown, 0),
            (400, r#"{"status":false,"message":"already paid"}"#, "11", Response, Unknown, 0),
            (400, r#"{"status":false,"message":"no funds"}"#, "12", Response, Unknown, 0),
            (200, FAILED, "12", E_NO, NO, 4),
            (401, r#"{"status":false}"#, "12", Unauthorized, NO, 0),
            (413, r#"{"status":false}"#, "12", E_NO, NO, 0),
            (403, r#"{"status":false}"#, "12", Response, Unknown, 0),
            (400, r#"{"code":"00"}"#, "13", Response, Unknown, 0),
            (400, "", "14", Response, Unknown, 0),
            (404, "", "14", Response, Unknown, 0),
            (410, "", "14", Response, Unknown, 0),
            (412, "", "14", Response, Unknown, 0),
            (401, "", "14", Unauthorized, NO, 0),
            (431, "", "14", E_NO, NO, 0),
            (403, "", "15", Response, Unknown, 0),
            (200, r#"{"status":true,"code":"12"}"#, "16", Response, Unknown, 0),
            (200, r#"{"status":true,"data":{"statusId":4}}"#, "17", E_NO, NO, 4),
            (200, r#"{"status":true,"data":{"order":{"statusId":4}}}"#, "18", Response, Unknown, 0),
            (200, r#"{"status":true}"#, "19", OK, Confirmed, 0),
            (200, "", "20", Response, Unknown, 0),
        ],
        after_429,
    );
    // Only line 9 is sent again, whatever came before.
    for (http, body) in [(429, ""), (429, r#"{"status":true}"#), (200, ""), (400, ""), (500, ""), (401, "")] {
        let again = http == 429 && body.is_empty();
        assert_eq!((moves(http, body).again, after_429(http, body).again), (again, again), "{http} {body}");
    }
}

#[test]
fn lines_of_read_only_requests() {
    let plain = |http: u16, body: &str| decide_as(Safety::ReadOnly, &PLAIN, http, body, false);
    check(
        &[
            (302, "", "r3", Response, Unknown, 0),
            (503, r#"{"data":{"statusId":5}}"#, "r4", Server, Unknown, 0),
            (408, "", "r5", Timeout, Unknown, 0),
            (200, r#"{"status":true,"data":{"mandateCode":"M-2"}}"#, "r7", Response, Unknown, 0),
            (404, r#"{"data":{"mandateCode":"M-2"}}"#, "r7", Response, Unknown, 0),
            (200, r#"{"status":true,"a":{"x":1,"x":1}}"#, "r8", Response, Unknown, 0),
            (429, r#"{"a":1,"a":1}"#, "r9", RateLimited, Unknown, 0),
            (429, r#"{"status":true}"#, "r10", RateLimited, NO, 0),
            (200, r#"{"status":true,"Errors":"x"}"#, "r12", Response, Unknown, 0),
            (400, r#"{"status":true,"success":false}"#, "r12", Response, Unknown, 0),
            (400, "", "r13", E_NO, NO, 0),
            (403, "<html>", "r13", Unauthorized, NO, 0),
            (409, r#"{"data":{"statusId":5}}"#, "r13", E_NO, NO, 0),
            (200, r#"{"Status":"failed"}"#, "r13", E_NO, NO, 0),
            (200, r#"{"status":true,"data":{"mandateCode":"m-1","statusId":5}}"#, "r14", OK, Confirmed, 0),
            (200, r#"{"Status":true}"#, "r15", Response, Unknown, 0),
            (404, r#"{"Status":true,"isSuccess":false}"#, "r13", E_NO, NO, 0),
            (200, r#"{"currency":"NGN","availableBalance":1}"#, "r15", Response, Unknown, 0),
            (200, "", "r15", Response, Unknown, 0),
        ],
        plain,
    );
    let subject = |http: u16, body: &str| decide_as(Safety::ReadOnly, &SUBJECT, http, body, false);
    check(
        &[
            (200, r#"{"status":true,"data":{"statusId":5}}"#, "r11", OK, Confirmed, 5),
            (200, r#"{"status":false,"code":"12","data":{"statusId":4}}"#, "r11", OK, Confirmed, 4),
            (200, r#"{"status":false,"data":{"statusId":5}}"#, "r11", OK, Confirmed, 0),
            (200, r#"{"status":true,"errors":{"a":"b"},"data":{"statusId":5}}"#, "r11", OK, Confirmed, 0),
            (200, r#"{"data":{"statusId":"2"}}"#, "r11", OK, Confirmed, 2),
            (200, r#"{"data":{"statusId":5,"status":"failed"}}"#, "r11", OK, Confirmed, 0),
            (200, r#"{"data":{"statusId":5,"sessionId":"78"}}"#, "r7", Response, Unknown, 0),
            (400, r#"{"data":{"statusId":5}}"#, "r13", E_NO, NO, 0),
            (200, r#"{"status":true,"data":{"statusId":"paid"}}"#, "r14", OK, Confirmed, 0),
            (200, r#"{"status":true,"data":{"StatusId":5}}"#, "r14", OK, Confirmed, 0),
            (200, r#"{"status":false,"data":null}"#, "r13", E_NO, NO, 0),
        ],
        subject,
    );
    let summary = |http: u16, body: &str| decide_as(Safety::ReadOnly, &SUMMARY, http, body, false);
    check(
        &[
            (200, r#"{"status":"Failed","data":{"orderSummary":{"statusId":4}}}"#, "r11", OK, Confirmed, 4),
            (200, r#"{"status":"Pending","data":{"orderSummary":{"statusId":5}}}"#, "r11", OK, Confirmed, 0),
            (200, r#"{"status":"Successful","data":{"orderSummary":{"x":1}}}"#, "r11", OK, Confirmed, 5),
        ],
        summary,
    );
    let bare = |http: u16, body: &str| decide_as(Safety::ReadOnly, &BARE, http, body, false);
    check(
        &[
            (200, r#"{"customerName":"A"}"#, "r14", OK, Confirmed, 0),
            (200, r#"{"mandates":[]}"#, "r14", OK, Confirmed, 0),
            (200, r#"{"customerName":""}"#, "r14", OK, Confirmed, 0),
            (200, r#"{"customerName":null}"#, "r15", Response, Unknown, 0),
            (200, r#"{"CustomerName":"A"}"#, "r15", Response, Unknown, 0),
            (200, r#"{"customerName":"A","status":false}"#, "r13", E_NO, NO, 0),
            (200, "[]", "r15", Response, Unknown, 0),
        ],
        bare,
    );
    for (http, body, again) in [(429, "", true), (503, "", true), (408, "", true), (302, "", false), (404, "", false)] {
        assert_eq!(plain(http, body).again, again, "{http}");
    }
    let again = |may_be_truncated| {
        let AttemptResult::Answer(answer) = result(&PLAIN, 200, r#"{"a":1,"a":1}"#) else { unreachable!() };
        decide(Safety::ReadOnly, &AttemptResult::Answer(ReceivedAnswer { may_be_truncated, ..answer }), false).again
    };
    assert!(again(true) && !again(false), "read again if the answer may be truncated");
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
        ("2.0", "12"),
        ("20", "12"),
        (r#""""#, "12"),
        ("null", "12"),
        ("true", "12"),
        ("{}", "12"),
    ] {
        for place in [
            r#""code":@"#,
            r#""statusCode":@"#,
            r#""STATUS_CODE":@"#,
            r#""responseCode":@"#,
            r#""data":{"orderPaymentResponseCode":@}"#,
            r#""data":{"orderSummary":{"paymentResponseCode":@}}"#,
            r#""data":{"order":{"code":@}}"#,
            r#""data":{"orderPayments":[{"ResponseCode":@}]}"#,
        ] {
            let body = format!(r#"{{"status":false,{}}}"#, place.replace('@', code));
            assert_eq!(moves(400, &body).line, line, "{body}");
        }
    }
}
