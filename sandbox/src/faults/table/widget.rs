//! Faults of the browser widget: what its script calls, and how it reads the amount. They act on `POST /v1/checkout`.

use crate::faults::fault::{Answers, OnRequest, faults};
use crate::http::answer::Answer;
use crate::util::json::Json;

faults! {
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
    if let Ok(Json::Object(mut members)) = Json::parse(&answer.body)
        && members.iter().any(|(member, _)| member == "orderId")
    {
        members.push(("widgetFault".to_string(), name.into()));
        answer.body = Json::Object(members).to_string().into_bytes();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::tests::altered;

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
}
