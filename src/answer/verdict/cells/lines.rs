//! Every line of the table.

use super::*;

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
            (400, r#"{"status":false,"message":"already","errors":{"a":"wrong"}}"#, "11", Response, Unknown, 0),
            (400, r#"{"status":false,"errors":{"order.Reference":["was already used"]}}"#, "11", Response, Unknown, 0),
            (400, r#"{"status":false,"errors":{"directDebit.OTP":"has been used"}}"#, "11", Response, Unknown, 0),
            (400, r#"{"status":false,"errors":{"email":"is already in use"}}"#, "12", E_NO, NO, 0),
            (400, r#"{"status":false,"data":{"message":"No response from issuer"}}"#, "11", Response, Unknown, 0),
            (400, r#"{"status":false,"message":"Order exists"}"#, "11", Response, Unknown, 0),
            (400, r#"{"status":false,"code":"04","message":"Payment pending"}"#, "11", Response, Unknown, 0),
            (400, r#"{"status":false,"code":"51","message":"Processing failed"}"#, "12", E_NO, NO, 0),
            (400, r#"{"status":false,"message":"Completed","data":{"statusId":4}}"#, "12", E_NO, NO, 4),
            (400, r#"{"status":false,"message":"Card does not exist"}"#, "12", E_NO, NO, 0),
            (400, r#"{"status":false,"message":"The payment could not be completed"}"#, "12", E_NO, NO, 0),
            (400, r#"{"status":false,"code":"91","message":"Issuer inoperative"}"#, "11", Response, Unknown, 0),
            (400, r#"{"status":"no"}"#, "12", E_NO, NO, 0),
            (200, r#"{"isSuccess":"false"}"#, "12b", Response, Unknown, 0),
            (200, r#"{"isSuccess":"false","message":"Insufficient funds"}"#, "12", E_NO, NO, 0),
            (200, r#"{"status":"failed","code":"51"}"#, "12", E_NO, NO, 0),
            (200, r#"{"status":"failed","code":"04"}"#, "12", E_NO, NO, 0),
            (200, r#"{"status":"failed","data":{"orderPayments":[{"code":"51"}]}}"#, "12b", Response, Unknown, 0),
            (200, r#"{"status":"failed","errors":{"order.Amount":"x"}}"#, "12", E_NO, NO, 0),
            (200, r#"{"status":"failed","errors":{"amount":"x","":"y"}}"#, "12b", Response, Unknown, 0),
            (200, r#"{"status":"failed","message":"Kaboom"}"#, "12b", Response, Unknown, 0),
            (200, r#"{"status":"failed","code":"1000"}"#, "12b", Response, Unknown, 0),
            (200, r#"{"status":"failed","data":{"message":"Pick up card"}}"#, "12", E_NO, NO, 0),
            (
                200,
                r#"{"status":"failed","data":{"orderPayments":[{"responseMessage":"Pick up card"}]}}"#,
                "12b",
                Response,
                Unknown,
                0,
            ),
            (409, r#"{"status":false,"code":"51","message":"Insufficient funds"}"#, "12b", Response, Unknown, 0),
            (425, r#"{"status":false,"errors":{"amount":"is required"}}"#, "12b", Response, Unknown, 0),
            (452, r#"{"status":false,"message":"Insufficient funds"}"#, "12b", Response, Unknown, 0),
            (402, r#"{"status":false,"message":"Kaboom"}"#, "12", E_NO, NO, 0),
            (200, r#"{"status":" Declined "}"#, "12", E_NO, NO, 0),
            (401, r#"{"error":{"code":"x"}}"#, "12", Unauthorized, NO, 0),
            (403, r#"{"status":false}"#, "12", Unauthorized, NO, 0),
            (422, r#"{"errors":{"a":"b"}}"#, "12", E_NO, NO, 0),
            (200, r#"{"data":{"isSuccess":"no"}}"#, "12b", Response, Unknown, 0),
            (200, r#"{"data":{"status":false}}"#, "12b", Response, Unknown, 0),
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
            (200, r#"{"status":true,"data":{"order":{"reference":"ORD-2"}}}"#, "7", Response, Unknown, 0),
            (200, r#"{"status":true,"DATA":{"orderSUMMARY":{"REFERENCE":"ORD-2"}}}"#, "7", Response, Unknown, 0),
            (200, r#"{"status":true,"data":{"sessionId":78}}"#, "7", Response, Unknown, 0),
            (200, r#"{"status":true,"data":{"mandateCode":"M-2"}}"#, "7", Response, Unknown, 0),
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
            (200, r#"{"status":false,"data":{"orderSummary":{"statusId":5}}}"#, "r11", OK, Confirmed, 0),
            (200, r#"{"status":"no","data":{"orderSummary":{"statusId":5}}}"#, "r11", OK, Confirmed, 0),
            (200, r#"{"status":false,"data":{"orderSummary":{"statusId":4}}}"#, "r11", OK, Confirmed, 4),
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
        let facts = &*facts_of(&PLAIN, r#"{"a":1,"a":1}"#);
        let result = AttemptResult::Answer { http_status: 200, unreadable: None, may_be_truncated, facts };
        decide(Safety::ReadOnly, &result, false).again
    };
    assert!(again(true) && !again(false), "read again if the response may be truncated");
}
