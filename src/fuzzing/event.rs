//! Input: a digit, the state that the service's response has; the response up to a line break; the body of a webhook.
//!
//! Here and not in `fuzz/`, because what reads and compares them is private.

use serde_json::{Value, json};

use super::json::value;
use super::{check_texts, first_line, has_canary, json, may_name_canary};
use crate::answer::facts;
use crate::answer::reply::Reply;
use crate::flow::webhook::{Gate, Rates, verify};
use crate::json::document::Document;
use paysvc_spec::schema::Endpoint;
use paysvc_spec::status::{Outcome, State, Status};

pub fn event(input: &[u8]) {
    let (head, body) = first_line(input);
    let (Some((state, answer)), Ok(body)) = (head.split_first(), std::str::from_utf8(body)) else { return };
    let Ok(answer) = std::str::from_utf8(answer) else { return };
    let Ok(document) = Document::scan(answer, &|| false) else { return };
    // A response that names something twice never gets so far.
    if document.has_duplicate_names() {
        return;
    }
    let state = State(i32::from(state.wrapping_sub(b'0') % 10));
    let mut asked = None;
    let reply = verify(&json!({"body": body}).to_string(), &|| false, &gate(), |row, _, about| {
        asked = Some(about.to_owned());
        answered(row, answer, document, state)
    });
    check_texts(&reply);
    assert!(!has_canary(&reply.message) || may_name_canary(body), "{}", reply.message);
    // serde_json cannot hold some answers: those too deep, or with huge numbers.
    let Some(found) = value(&reply.body) else { return };
    assert_eq!(found["authentic"] == true, found["key"].is_string(), "{found}");
    assert!(found["authentic"].is_boolean() && found.get("match").is_none(), "{found}");
    let Some(asked) = asked else {
        assert_eq!(
            (reply.status(), reply.outcome(), &found["authentic"]),
            (Status::Argument, Outcome::NotSent, &json!(false))
        );
        return;
    };
    assert_eq!(found["about"], asked, "asked for something else");
    if reply.status() == Status::Ok {
        assert!(reply.body.ends_with(&answer.trim()[1..]), "the service's own fields, unchanged");
    }
    if found["authentic"] == true {
        authentic(body, &value(answer).unwrap_or_default(), reply.state(), &found);
    }
}

/// It has seen no event.
fn gate() -> Gate {
    Gate::new(Rates { at_once: 1, per_minute: 1 })
}

/// The reply to the status query, in a state that the fuzzer chose.
fn answered(row: &'static Endpoint, answer: &str, document: Document, state: State) -> Reply {
    let facts = facts::read(&document, answer, &row.answer, &Vec::new(), &|| false);
    let mut reply = Reply::without_body(Status::Ok, Outcome::Confirmed, "done");
    (reply.evidence.reading.facts, reply.evidence.verdict.state) = (facts, state);
    Reply { body: answer.to_owned(), document: Some(document), ..reply }
}

/// Checks the rules for every authentic event, read in another way.
fn authentic(body: &str, answer: &Value, state: State, found: &Value) {
    let body = body.strip_prefix('\u{feff}').unwrap_or(body);
    assert!(!json::scan(body).named_twice, "authentic though a name is there twice");
    let Some(root) = value(body) else { return };
    let object = member(&root, "data").filter(|data| data.is_object()).unwrap_or(&root);
    let of_event = |name: &str| member(object, name).or_else(|| member(&root, name)).and_then(text);
    let of_service = |name: &str| answer["data"].get(name).and_then(text);
    let ids = ["sessionId", "orderReference", "reference"].map(of_event);
    assert!(ids.into_iter().flatten().any(|id| found["about"] == id), "authentic for something else: {found}");
    for name in ["sessionId", "orderReference", "paymentReference", "accountReference", "currencyName"] {
        if let (Some(one), Some(other)) = (of_event(name), of_service(name)) {
            assert_eq!(one.to_lowercase(), other.to_lowercase(), "{name}");
        }
    }
    let digits = |text: Option<String>| text.as_deref().and_then(digits);
    if let (Some(one), Some(other)) = (digits(of_event("orderAmount")), digits(of_service("orderAmount"))) {
        assert_eq!(one, other, "authentic with another price");
    }
    let claimed = member(object, "statusId").and_then(Value::as_i64);
    let known = match claimed {
        Some(4) => [4, 5, 6].contains(&state.0),
        Some(5) => [5, 6].contains(&state.0),
        Some(6) => state.0 == 6,
        _ => true,
    };
    assert!(known, "the event claims {claimed:?}, the service says {}", state.0);
}

fn member<'v>(object: &'v Value, name: &str) -> Option<&'v Value> {
    object.as_object()?.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// The digits of a plain decimal before and after the point, without redundant zeros. Only short ones: this reading
/// has taken numbers for floating point before it sees their digits.
fn digits(text: &str) -> Option<(String, String)> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let plain = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    (text.len() <= 15 && !whole.is_empty() && plain(whole) && plain(fraction))
        .then(|| (whole.trim_start_matches('0').to_owned(), fraction.trim_end_matches('0').to_owned()))
}

/// A text that is not blank, or a number.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The corpus has events that are authentic, and others.
#[test]
fn some_inputs_are_authentic() {
    let answer = r#"5{"data":{"statusId":5,"orderAmount":"600.0"}}"#;
    for (body, expected) in [
        (r#"{"Data":{"OrderReference":"R-1","OrderAmount":600}}"#, true),
        (r#"{"orderReference":"R-1","orderAmount":601}"#, false),
    ] {
        let input = format!("{answer}\n{body}");
        event(input.as_bytes());
        let answer = &answer[1..];
        let reply = verify(&json!({"body": body}).to_string(), &|| false, &gate(), |row, _, _| {
            answered(row, answer, Document::scan(answer, &|| false).unwrap(), State::SUCCESSFUL)
        });
        assert_eq!(reply.body.contains(r#""authentic":true"#), expected, "{}", reply.body);
    }
}
