//! Faults of lists: a response whose `data` is a list with other elements, and a batch that is executed in part.

use crate::faults::fault::{Answers, OnRequest, faults};
use crate::http::answer::Answer;
use crate::util::json::Json;

faults! {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::tests::altered;

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
}
