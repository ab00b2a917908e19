//! What a response about payouts proves: accepted does not mean paid, and a response whose form is not known has no
//! state.

use super::*;
use paysvc_spec::endpoint;

const ACCEPTED: &str = r#"{"status":"success","statusCode":"00","message":"Your payout has been logged for processing",
    "batchId":1,"batchReference":"PGW-BATCH-1","data":[{"payoutReference":"PGW-PAYOUT-1","amount":1.50}]}"#;

#[test]
fn a_batch_is_accepted_and_no_more() {
    let row = endpoint("payout_initiate");
    let initiate = |http: u16, body: &str| decide_as(row.safety, &row.answer, http, body, false);
    check(
        &[
            (200, ACCEPTED, "19", OK, Confirmed, 0),
            // The state of a payout is not that of the batch.
            (200, r#"{"status":"success","data":[{"statusId":2,"status":"Pending"}]}"#, "19", OK, Confirmed, 0),
            (200, r#"{"status":"success","data":[{"statusId":5,"status":"Successful"}]}"#, "19", OK, Confirmed, 0),
            (200, r#"{"status":"success","data":[{"status":"success"},{"status":"success"}]}"#, "19", OK, Confirmed, 0),
            (200, r#"{"status":"pending","batchReference":"B","data":[]}"#, "19", OK, Confirmed, 0),
            (200, r#"{"status":"success","data":{"status":"success"}}"#, "19", OK, Confirmed, 5),
            (200, r#"{"status":"success","data":[{"statusId":2},{"statusId":4}]}"#, "16", Response, Unknown, 0),
            (200, r#"{"status":"success","data":[{"status":"Failed"}]}"#, "16", Response, Unknown, 0),
            (200, r#"{"status":"success","statusCode":"04","data":[]}"#, "16", Response, Unknown, 0),
            // A refusal that names a batch or a payout may have accepted it.
            (200, r#"{"status":"failed","batchReference":"B"}"#, "11", Response, Unknown, 0),
            (400, r#"{"status":false,"errors":{"a":"b"},"batchId":9}"#, "11", Response, Unknown, 0),
            (400, r#"{"data":[{"PayoutReference":"P"}]}"#, "13", Response, Unknown, 0),
            (400, r#"{"status":false,"batchReference":"","batchId":null,"data":[]}"#, "12", E_NO, NO, 0),
            (
                200,
                r#"{"status":"failed","statusCode":"04","message":"Balance too low","data":null}"#,
                "12",
                E_NO,
                NO,
                0,
            ),
            (200, r#"{"batchReference":"B","data":[{"payoutReference":"P"}]}"#, "20", Response, Unknown, 0),
            (504, ACCEPTED, "4", Server, Unknown, 0),
        ],
        initiate,
    );
    let after_429 = |http: u16, body: &str| decide_as(row.safety, &row.answer, http, body, true);
    check(
        &[
            (200, ACCEPTED, "19", OK, Confirmed, 0),
            (400, r#"{"status":false,"errors":{"a":"b"}}"#, "12", Response, Unknown, 0),
            (401, r#"{"status":false}"#, "12", Unauthorized, NO, 0),
        ],
        after_429,
    );
}

/// What the response to payout_status looks like is not known: it says that the batch was accepted, never that it was
/// paid.
#[test]
fn the_status_of_a_batch_is_read_without_a_state() {
    let row = endpoint("payout_status");
    let status = |http: u16, body: &str| decide_as(row.safety, &row.answer, http, body, false);
    check(
        &[
            (200, ACCEPTED, "r14", OK, Confirmed, 0),
            (200, r#"{"status":"success","data":{"statusId":5,"status":"Successful"}}"#, "r14", OK, Confirmed, 0),
            (200, r#"{"status":"success","data":{"status":"success"}}"#, "r14", OK, Confirmed, 0),
            (200, r#"{"status":"Successful","data":[{"statusId":5},{"statusId":4}]}"#, "r14", OK, Confirmed, 0),
            (200, r#"{"status":"failed","data":[{"statusId":5}]}"#, "r13", E_NO, NO, 0),
            (200, r#"{"status":"success","error":"no"}"#, "r12", Response, Unknown, 0),
            (200, r#"{"batchReference":"B","data":[{"statusId":5}]}"#, "r15", Response, Unknown, 0),
            (404, r#"{"status":false,"message":"Batch not found at the moment."}"#, "r13", E_NO, NO, 0),
        ],
        status,
    );
}
