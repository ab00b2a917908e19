//! A body that is hard to read, or that says nothing.

use crate::faults::answers::page;
use crate::faults::fault::{Answers, faults};
use crate::faults::gzip;
use crate::http::answer::Answer;
use crate::util::json::{Json, object};

const DEEP: usize = 10_000;
const DIGITS: usize = 400;
const UNKNOWN: &str = r#""sandboxUnknown":{"a":[1,2.5e3,null,true],"":"","é":"\u0000"},"__proto__":{},"next":null"#;

faults! {
    "gzip_bomb" Request EXECUTED "content-encoding: gzip, 0.1 MB that inflate to 104 MB"
        "small on the wire, huge in memory; the client did not accept gzip"
        { answer: Answers::Changed(|answer| {
            let body = gzip::bomb(&answer.body);
            Answer { body, ..answer }.header("content-encoding", "gzip")
        }) }
    "bad_utf8" Request EXECUTED "the response with a field whose text is not UTF-8"
        "invalid text"
        { answer: Answers::Changed(|answer| with_members(answer, b"\"sandboxText\":\"\xff\xfe\xc0\"")) }
    "deep_nesting" Request EXECUTED "the response with a field nested 10,000 deep"
        "exhausts the stack of a recursive parser; the response is still valid"
        { answer: Answers::Changed(|answer| {
            let nest = format!("\"sandboxNest\":{}{}", "[".repeat(DEEP), "]".repeat(DEEP));
            with_members(answer, nest.as_bytes())
        }) }
    "duplicate_members" Request EXECUTED "the response with a second status field that contradicts the first"
        "a response that two parsers read differently"
        { answer: Answers::Changed(contradict) }
    "huge_number" Request EXECUTED "the response with a number of 400 digits"
        "no number type holds it; the response is still valid"
        { answer: Answers::Changed(|answer| {
            with_members(answer, format!("\"sandboxNumber\":{}", "9".repeat(DIGITS)).as_bytes())
        }) }
    "unknown_fields" Request EXECUTED "the response with unknown fields"
        "a newer service; the response is still valid"
        { answer: Answers::Changed(|answer| with_members(answer, UNKNOWN.as_bytes())) }
    "wrong_envelope" Request EXECUTED "200 with a JSON object that reports neither success nor failure"
        "a response without a result"
        { answer: Answers::Instead(|_| {
            Answer::ok(&object! { "result": "ok", "data": object! { "value": 1_u64 } })
        }) }
    "empty_200" Request EXECUTED "200 without a body"
        "the service lost the body of its response"
        { answer: Answers::Instead(|_| Answer { body: Vec::new(), ..page(200) }) }
    "html_200" Request EXECUTED "200 with an HTML page"
        "a captive portal or a maintenance page"
        { answer: Answers::Instead(|_| page(200)) }
}

/// Adds a second, contradicting `status`; if there is none, adds two.
fn contradict(answer: Answer) -> Answer {
    let json = Json::parse(&answer.body).ok();
    let status = json.as_ref().and_then(|json| json.get("status"));
    let members = match status {
        Some(Json::Bool(true)) => r#""status":false"#,
        Some(Json::Bool(false)) => r#""status":true"#,
        Some(Json::Text(text)) if text.eq_ignore_ascii_case("failed") => r#""status":"success""#,
        Some(_) => r#""status":"failed""#,
        None => r#""status":true,"status":false"#,
    };
    with_members(answer, members.as_bytes())
}

/// Appends members to a response that is an object.
fn with_members(mut answer: Answer, members: &[u8]) -> Answer {
    if answer.body.pop() == Some(b'}') {
        if !answer.body.ends_with(b"{") {
            answer.body.push(b',');
        }
        answer.body.extend_from_slice(members);
        answer.body.push(b'}');
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::tests::altered;

    #[test]
    fn members_are_added_to_the_proper_answer() {
        assert_eq!(altered("duplicate_members", r#"{"status":true}"#), r#"{"status":true,"status":false}"#);
        assert_eq!(
            altered("duplicate_members", r#"{"status":"success"}"#),
            r#"{"status":"success","status":"failed"}"#
        );
        assert_eq!(altered("duplicate_members", "{}"), r#"{"status":true,"status":false}"#);
        assert_eq!(altered("duplicate_members", r#"{"a":1}"#), r#"{"a":1,"status":true,"status":false}"#);
        for fault in ["unknown_fields", "huge_number"] {
            let json = Json::parse(altered(fault, r#"{"status":true}"#).as_bytes()).unwrap();
            assert_eq!(json.get("status"), Some(&Json::Bool(true)));
        }
        assert!(altered("deep_nesting", "{}").len() > 2 * DEEP);
    }
}
