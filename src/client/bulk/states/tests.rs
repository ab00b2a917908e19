use super::*;
use crate::client::bulk::report::Identity;
use crate::json::document::Document;

fn row(number: usize) -> Row {
    let text = |text: &str| text.to_owned();
    let identity = Identity {
        client_reference: format!("P-{number}"),
        account: format!("069000003{number}"),
        bank: text("000014"),
        amount: text("7.50"),
    };
    Row {
        outcome: Outcome::Confirmed,
        batch: Some(0),
        payout_reference: Some(format!("PAYOUT-{number}")),
        ..Row::new(identity)
    }
}

fn found(certain: bool, body: &str) -> [State; 2] {
    let mut reply = Reply::without_body(Status::Ok, Outcome::Confirmed, "");
    reply.document = Document::scan(body, &|| false).ok();
    reply.body = body.to_owned();
    states(certain, &reply, "BATCH", [row(1), row(2)].iter()).try_into().unwrap()
}

#[test]
fn a_state_is_that_of_the_very_payout() {
    const FIRST: &str = r#"{"payoutReference":"PAYOUT-1","accountNumber":"0690000031","amount":7.5,"statusId":5,"status":"Successful"}"#;
    const SECOND: &str = r#"{"payoutReference":"PAYOUT-2","statusId":2,"status":"Pending"}"#;
    let answer = |elements: &str| format!(r#"{{"status":"success","batchReference":"BATCH","data":[{elements}]}}"#);
    let (paid, pending, none) = (State::SUCCESSFUL, State::PENDING, State::NONE);
    let both = answer(&format!("{SECOND},{FIRST}"));
    for (body, expected) in [
        (both.clone(), [paid, pending]),
        (both.replace(r#""batchReference":"BATCH","#, ""), [paid, pending]),
        (both.replace("BATCH", "OTHER"), [none, none]),
        (both.replace("0690000031", "0690000032"), [none, pending]),
        (both.replace("7.5", "7.51"), [none, pending]),
        (both.replace("PAYOUT-2", "PAYOUT-1"), [none, none]),
        (both.replace("\"Successful\"", "\"Pending\""), [none, pending]),
        (both.replace("\"Successful\"", "\"success\""), [none, pending]),
        (answer(SECOND), [none, pending]),
        (answer(""), [none, none]),
        (r#"{"status":"success","data":{"statusId":5,"status":"Successful"}}"#.into(), [none, none]),
        (r#"{"status":"Successful","batchReference":"BATCH"}"#.into(), [none, none]),
        ("[]".into(), [none, none]),
    ] {
        assert_eq!(found(true, &body), expected, "{body}");
        // A guess strengthens nothing.
        assert_eq!(found(false, &body), [none, none], "{body}");
    }
}
