//! What an answer proves of the recipients of its batch.
//!
//! The answer does not repeat the clients' references. Its elements are matched with the recipients by position, and checked
//! by account and amount.

use std::borrow::Cow;
use std::collections::HashSet;

use super::list::Identity;
use super::names;
use crate::response::decimal::Decimal;
use crate::response::document::Value;
use crate::response::reply::Reply;
use crate::util::json::Type;

/// The references of a batch that was accepted.
pub struct Accepted {
    pub reference: String,
    pub id: Option<String>,
    /// In the order of the recipients.
    pub payouts: Vec<String>,
}

/// All references that the service has given so far: an answer that repeats one belongs to another request.
#[derive(Default)]
pub struct Known(HashSet<String>);

impl Known {
    pub fn add(&mut self, reference: &str) {
        self.0.insert(reference.to_owned());
    }
}

/// Matches an answer that reports success. The error says what does not fit, and names neither account nor amount.
pub fn accepted(reply: &Reply, recipients: &[&Identity], known: &Known) -> Result<Accepted, String> {
    let Some(document) = &reply.document else {
        return Err("the answer is no JSON".into());
    };
    let root = document.root(&reply.body);
    let data = root.member("data").filter(|data| data.kind() == Type::Array);
    let elements: Vec<Value<'_>> = data.ok_or("the answer has no list of payouts")?.children().collect();
    if elements.len() != recipients.len() {
        let (found, sent) = (elements.len(), recipients.len());
        return Err(format!("the answer has {found} payouts, and the batch had {sent}"));
    }
    let mut payouts: Vec<String> = Vec::with_capacity(elements.len());
    for (index, (element, recipient)) in elements.into_iter().zip(recipients).enumerate() {
        let differs = |what: &str| format!("payout {index} of the answer has {what}");
        if !is_account(element, recipient) {
            return Err(differs("another account number than the recipient"));
        }
        if !is_amount(element, recipient) {
            return Err(differs("another amount than the recipient"));
        }
        if text(element, names::CLIENT_REFERENCE).is_some_and(|own| own != recipient.client_reference) {
            return Err(differs("another client reference than the recipient"));
        }
        let reference = text(element, names::PAYOUT_REFERENCE).ok_or_else(|| differs("no reference"))?;
        if known.0.contains(&*reference) || payouts.iter().any(|other| *other == reference) {
            return Err(differs("the reference of another payout"));
        }
        payouts.push(reference.into_owned());
    }
    let reference = text(root, names::BATCH_REFERENCE).ok_or("the answer has no reference of the batch")?.into_owned();
    if known.0.contains(&reference) {
        return Err("the answer has the reference of another batch".into());
    }
    let id = root.member(names::BATCH_ID).filter(|id| !id.is_empty()).and_then(Value::plain).map(Cow::into_owned);
    Ok(Accepted { reference, id, payouts })
}

/// A text that is not blank.
pub fn text<'d>(object: Value<'d>, name: &str) -> Option<Cow<'d, str>> {
    object.member(name)?.text().filter(|text| !text.trim().is_empty())
}

/// The account as a text, or as a number with the same digits.
pub fn is_account(element: Value<'_>, recipient: &Identity) -> bool {
    plain(element, names::ACCOUNT).is_some_and(|account| account.trim() == recipient.account.trim())
}

/// Decimals are compared: 100 is 100.00.
pub fn is_amount(element: Value<'_>, recipient: &Identity) -> bool {
    let own = Decimal::parse(&recipient.amount);
    own.is_some() && element.member(names::AMOUNT).and_then(Decimal::of) == own
}

/// A text or a number.
fn plain<'d>(object: Value<'d>, name: &str) -> Option<Cow<'d, str>> {
    let value = object.member(name)?;
    matches!(value.kind(), Type::Text | Type::Number).then(|| value.plain())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::document::Document;
    use paysvc_spec::status::{Outcome, Status};

    fn identity(number: usize, amount: &str) -> Identity {
        let text = |text: &str| text.to_owned();
        Identity {
            client_reference: format!("P-{number}"),
            account: format!("069000003{number}"),
            bank: text("000014"),
            amount: text(amount),
        }
    }

    fn matched(body: &str, known: &[&str]) -> Result<Accepted, String> {
        let mut reply = Reply::without_body(Status::Ok, Outcome::Confirmed, "");
        reply.document = Document::scan(body, &|| false).ok();
        reply.body = body.to_owned();
        let all = Known(known.iter().map(|text| (*text).to_owned()).collect());
        accepted(&reply, &[&identity(1, "100"), &identity(2, "7.50")], &all)
    }

    const FIRST: &str = r#"{"accountNumber":"0690000031","amount":100.00,"payoutReference":"A"}"#;
    const SECOND: &str = r#"{"accountNumber":"0690000032","amount":"7.500000","payoutReference":"B"}"#;

    fn answer(elements: &str) -> String {
        format!(r#"{{"data":[{elements}],"batchReference":"BATCH","batchId":9001,"status":"success"}}"#)
    }

    #[test]
    fn recipients_are_matched_by_position() {
        let found = matched(&answer(&format!("{FIRST},{SECOND}")), &["C"]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((found.reference.as_str(), found.id.as_deref()), ("BATCH", Some("9001")));
        assert_eq!(found.payouts, ["A", "B"]);
    }

    #[test]
    fn whatever_does_not_fit_is_named() {
        let swap = |from: &str, to: &str| answer(&format!("{FIRST},{SECOND}").replace(from, to));
        let of_batch = |from: &str, to: &str| answer(&format!("{FIRST},{SECOND}")).replace(from, to);
        for (body, expected) in [
            (
                answer(&format!("{SECOND},{FIRST}")),
                "payout 0 of the answer has another account number than the recipient",
            ),
            (answer(FIRST), "the answer has 1 payouts, and the batch had 2"),
            (answer(&format!("{FIRST},{SECOND},{SECOND}")), "the answer has 3 payouts, and the batch had 2"),
            (answer(&format!("{FIRST},null")), "payout 1 of the answer has another account number than the recipient"),
            (swap("100.00", "100.01"), "payout 0 of the answer has another amount than the recipient"),
            (swap("100.00", "1e2"), "payout 0 of the answer has another amount than the recipient"),
            (swap("\"amount\":\"7.500000\",", ""), "payout 1 of the answer has another amount than the recipient"),
            (swap("0690000032", "0690000033"), "payout 1 of the answer has another account number than the recipient"),
            (swap("\"A\"", "\"B\""), "payout 1 of the answer has the reference of another payout"),
            (swap("\"A\"", "\"C\""), "payout 0 of the answer has the reference of another payout"),
            (swap("\"A\"", "\" \""), "payout 0 of the answer has no reference"),
            (
                swap("\"A\"", "\"A\",\"clientReference\":\"P-2\""),
                "payout 0 of the answer has another client reference than the recipient",
            ),
            (of_batch("\"BATCH\"", "\"OLD\""), "the answer has the reference of another batch"),
            (of_batch("\"BATCH\"", "\"\""), "the answer has no reference of the batch"),
            (of_batch("\"data\"", "\"Data\""), "the answer has no list of payouts"),
            ("[]".into(), "the answer has no list of payouts"),
        ] {
            assert_eq!(matched(&body, &["C", "OLD"]).err().as_deref(), Some(expected), "{body}");
        }
    }
}
