//! A body that is hard to read or empty of meaning; a list with other elements, a batch that is executed in part; and
//! responses that the script of the widget must not take for granted.

use flate2::{Compress, Compression, Crc, FlushCompress};

use super::statuses::page;
use crate::faults::fault::{Answers, OnRequest, faults};
use crate::http::answer::Answer;
use crate::util::json::{Json, object};

const DEEP: usize = 10_000;
const DIGITS: usize = 400;
const UNKNOWN: &str = r#""sandboxUnknown":{"a":[1,2.5e3,null,true],"":"","é":"\u0000"},"__proto__":{},"next":null"#;

faults! { BODIES
    "gzip_bomb" Request EXECUTED "content-encoding: gzip, 0.1 MB that inflate to 104 MB"
        "small on the wire, huge in memory; the client did not accept gzip"
        { answer: Answers::Changed(|answer| {
            let body = bomb(&answer.body);
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

/// Appends fields to a response that is an object.
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

faults! { ELEMENTS
    "partial_batch" Request EXECUTED "the response for the first half of the list in the request"
        "only the first half of a batch is executed"
        { request: OnRequest::Payload(first_half) }
    "reorder_elements" Request EXECUTED "the response with the first element of data at the end"
        "elements in a different order from the request"
        { answer: Answers::Changed(|answer| with_list(answer, |elements| elements.rotate_left(1))) }
    "drop_element" Request EXECUTED "the response without the last element of data"
        "a response that lacks an element of the request"
        { answer: Answers::Changed(|answer| with_list(answer, |elements| _ = elements.pop())) }
    "alter_element" Request EXECUTED "the response with another accountNumber in the first element of data"
        "a response that belongs to another request"
        { answer: Answers::Changed(|answer| with_list(answer, |elements| {
            change(&mut elements[0], "accountNumber", other_last_digit);
        })) }
    "alter_amount" Request EXECUTED "the response with another amount in the first element of data"
        "the same"
        { answer: Answers::Changed(|answer| with_list(answer, |elements| {
            change(&mut elements[0], "amount", other_first_digit);
        })) }
}

/// Changes the list in `data`; a response without one, or with an empty one, stays as it is.
fn with_list(mut answer: Answer, change: fn(&mut Vec<Json>)) -> Answer {
    let Ok(Json::Object(mut members)) = Json::parse(&answer.body) else {
        return answer;
    };
    let data = members.iter_mut().find(|(name, _)| name == "data");
    let Some((_, Json::Array(elements))) = data else {
        return answer;
    };
    if elements.is_empty() {
        return answer;
    }
    change(elements);
    answer.body = Json::Object(members).to_string().into_bytes();
    answer
}

/// Keeps the first half, rounded up, of every list in the request.
fn first_half(input: &mut Json) {
    let Json::Object(members) = input else {
        return;
    };
    for (_, value) in members {
        if let Json::Array(items) = value {
            items.truncate(items.len().div_ceil(2));
        }
    }
}

fn change(element: &mut Json, name: &str, other: fn(&str) -> String) {
    let Json::Object(members) = element else {
        return;
    };
    let member = members.iter_mut().find(|(member, _)| member == name);
    if let Some((_, Json::Text(text) | Json::Number(text))) = member {
        *text = other(text);
    }
}

fn other_last_digit(text: &str) -> String {
    let mut digits = text.to_string();
    let last = digits.pop();
    digits.push(if last == Some('9') { '8' } else { '9' });
    digits
}

/// Another amount with the same number of digits.
fn other_first_digit(text: &str) -> String {
    let other = if text.starts_with('9') { '8' } else { '9' };
    format!("{other}{}", text.get(1..).unwrap_or_default())
}

faults! { WIDGET
    "widget_no_completed" Request EXECUTED "the response; after the payment the widget calls onClose only"
        "the page learns that the checkout was closed, although the customer has paid"
        { answer: Answers::Changed(|answer| marked(answer, "widget_no_completed")) }
    "widget_no_close" Request EXECUTED "the response; after the payment the widget calls onCompleted only"
        "a page that goes on in onClose hangs"
        { answer: Answers::Changed(|answer| marked(answer, "widget_no_close")) }
    "widget_minor_units" Request EXECUTED "the response; the order has a hundredth of the amount"
        "the widget takes amounts in minor units; the amount must be compared after the payment"
        { request: OnRequest::Payload(in_minor_units) }
}

/// Tells the script what to leave out; other responses stay as they are.
fn marked(mut answer: Answer, name: &str) -> Answer {
    if let Ok(order) = Json::parse(&answer.body)
        && order.get("orderId").is_some()
    {
        answer.body = order.and(object! { "widgetFault": name }).to_string().into_bytes();
    }
    answer
}

/// `encryptionKey` is in no other request.
fn in_minor_units(input: &mut Json) {
    let is_widget = input.get("encryptionKey").is_some();
    let Json::Object(members) = input else {
        return;
    };
    let amount = members.iter_mut().find(|(name, _)| is_widget && name == "amount");
    if let Some((_, Json::Text(amount))) = amount {
        let units = format!("{:0>3}", amount.split('.').next().unwrap_or_default());
        if let Some((whole, hundredths)) = units.split_at_checked(units.len() - 2) {
            *amount = format!("{whole}.{hundredths}");
        }
    }
}

const SPACES: usize = 1 << 20;
/// Number of blocks, 1 MB each.
const BLOCKS: usize = 104;
/// Deflate, without name and date, unknown operating system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
/// An empty final block.
const LAST_BLOCK: [u8; 2] = [3, 0];

/// `body` with 104 MB of spaces before its last byte.
pub fn bomb(body: &[u8]) -> Vec<u8> {
    let (last, start) = body.split_last().unwrap_or((&b'}', b"{"));
    let spaces = vec![b' '; SPACES];
    let (start_block, space_block, end_block) = (deflated(start), deflated(&spaces), deflated(&[*last]));
    let mut sum = Crc::new();
    sum.update(start);
    let mut of_spaces = Crc::new();
    of_spaces.update(&spaces);
    let mut bomb = [HEADER.as_slice(), &start_block].concat();
    for _ in 0..BLOCKS {
        // Each block is independent, so that one can be repeated.
        bomb.extend_from_slice(&space_block);
        sum.combine(&of_spaces);
    }
    sum.update(&[*last]);
    bomb.extend_from_slice(&end_block);
    bomb.extend_from_slice(&LAST_BLOCK);
    bomb.extend_from_slice(&sum.sum().to_le_bytes());
    bomb.extend_from_slice(&sum.amount().to_le_bytes());
    bomb
}

/// A byte-aligned block that is not final and refers to no earlier data.
fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut compress = Compress::new(Compression::best(), false);
    let mut out = Vec::with_capacity(bytes.len() + 64);
    // It cannot fail with enough space in the buffer.
    let _ = compress.compress_vec(bytes, &mut out, FlushCompress::Full);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::tests::altered;
    use std::io::Read;

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

    #[test]
    fn lists_are_changed_and_nothing_else() {
        let list = r#"{"data":[{"accountNumber":"0129","amount":12.30},{"accountNumber":"5"}],"status":"success"}"#;
        for (fault, expected) in [
            ("reorder_elements", r#"[{"accountNumber":"5"},{"accountNumber":"0129","amount":12.30}]"#),
            ("drop_element", r#"[{"accountNumber":"0129","amount":12.30}]"#),
            ("alter_element", r#"[{"accountNumber":"0128","amount":12.30},{"accountNumber":"5"}]"#),
            ("alter_amount", r#"[{"accountNumber":"0129","amount":92.30},{"accountNumber":"5"}]"#),
        ] {
            assert_eq!(altered(fault, list), format!(r#"{{"data":{expected},"status":"success"}}"#));
            for other in [r#"{"data":{"amount":1}}"#, r#"{"data":[]}"#, r#"{"status":true}"#, "[1]", "page"] {
                assert_eq!(altered(fault, other), other);
            }
        }
    }

    #[test]
    fn half_of_a_batch() {
        let mut input = Json::parse(br#"{"payoutDetails":[1,2,3],"other":"x","one":[1]}"#).unwrap();
        first_half(&mut input);
        assert_eq!(input.to_string(), r#"{"payoutDetails":[1,2],"other":"x","one":[1]}"#);
    }

    #[test]
    fn only_the_widget_is_concerned() {
        let opened = r#"{"orderId":5001,"message":"x"}"#;
        let expected = r#"{"orderId":5001,"message":"x","widgetFault":"widget_no_close"}"#;
        assert_eq!(altered("widget_no_close", opened), expected);
        assert_eq!(altered("widget_no_completed", r#"{"status":true}"#), r#"{"status":true}"#);
        let changed = |text: &str| {
            let mut input = Json::parse(text.as_bytes()).unwrap();
            in_minor_units(&mut input);
            input.to_string()
        };
        for (sent, read) in [("250050", "2500.50"), ("2500.50", "25.00"), ("5", "0.05")] {
            let text = |amount: &str| format!(r#"{{"amount":"{amount}","encryptionKey":"K"}}"#);
            assert_eq!(changed(&text(sent)), text(read));
        }
        assert_eq!(changed(r#"{"amount":"5"}"#), r#"{"amount":"5"}"#);
    }

    #[test]
    fn it_is_valid_and_small_and_huge_when_inflated() {
        let bomb = bomb(br#"{"status":true}"#);
        assert!(bomb.len() < 200_000, "{}", bomb.len());
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(bomb.as_slice()).read_to_end(&mut text).unwrap();
        assert_eq!(text.len(), 15 + BLOCKS * SPACES);
        assert!(text.starts_with(br#"{"status":true  "#) && text.ends_with(b"  }"));
    }
}
