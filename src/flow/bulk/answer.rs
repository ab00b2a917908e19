//! The outcomes of a batch's recipients, as its response proves them.
//!
//! The response does not repeat the clients' references. Its elements are matched with the recipients by position, and
//! checked by account and amount.

use std::borrow::Cow;
use std::collections::HashSet;

use super::names;
use super::report::Identity;
use crate::answer::facts::history::is_refused;
use crate::answer::redact::WITHHELD;
use crate::answer::reply::Reply;
use crate::answer::texts;
use crate::json::Type;
use crate::json::decimal::Decimal;
use crate::json::document::Value;

pub struct AcceptedBatch {
    pub reference: String,
    pub id: Option<String>,
    /// In the order of the recipients.
    pub payouts: Vec<Payout>,
}

/// The part of the response about one recipient.
pub struct Payout {
    pub reference: Option<String>,
    /// The reason why it is not known to be accepted, although its batch is.
    pub doubt: Option<String>,
}

/// Masks the secrets of the request in a text of the service; `None` if the call ends before that.
pub type Redact<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Matches a response that reports success. `known`: all references that the service has given so far; a response that
/// repeats one belongs to another request. The error names what does not fit, but neither account nor amount.
pub fn accepted(
    reply: &Reply,
    recipients: &[&Identity],
    known: &HashSet<String>,
    redact: Redact<'_>,
) -> Result<AcceptedBatch, String> {
    let elements = elements(reply).ok_or("the response has no list of payouts")?;
    if elements.len() != recipients.len() {
        let (found, sent) = (elements.len(), recipients.len());
        return Err(format!("the response has {found} payouts, but the batch had {sent}"));
    }
    let mut payouts: Vec<Payout> = Vec::with_capacity(elements.len());
    for (index, (element, recipient)) in elements.into_iter().zip(recipients).enumerate() {
        let differs = |what: &str| format!("payout {index} of the response has {what}");
        if !is_account(element, recipient) {
            return Err(differs("a different account number from the recipient's"));
        }
        if !is_amount(element, recipient) {
            return Err(differs("a different amount from the recipient's"));
        }
        if text(element, names::CLIENT_REFERENCE).is_some_and(|own| own != recipient.client_reference) {
            return Err(differs("a different client reference from the recipient's"));
        }
        let mut doubt = refusal(element, redact);
        let mut reference = text(element, names::PAYOUT_REFERENCE);
        if reference.is_none() && doubt.is_none() {
            return Err(differs("no reference"));
        }
        let of_another = |reference: &str| {
            known.contains(reference) || payouts.iter().any(|other| other.reference.as_deref() == Some(reference))
        };
        if reference.as_deref().is_some_and(of_another) {
            return Err(differs("the reference of another payout"));
        }
        if reference.as_deref().is_some_and(|reference| !is_reference(reference)) {
            (reference, doubt) = (None, Some(doubt.unwrap_or_else(|| format!("its reference is {NO_REFERENCE}"))));
        }
        payouts.push(Payout { reference: reference.map(Cow::into_owned), doubt });
    }
    let root = reply.document.as_ref().map(|document| document.root(&reply.body));
    let of_batch = |name: &str| root.and_then(|root| root.member(name)).filter(|value| !value.is_empty());
    let reference = root.and_then(|root| text(root, names::BATCH_REFERENCE));
    let reference = reference.ok_or("the response has no reference for the batch")?.into_owned();
    if known.contains(&reference) {
        return Err("the response has the reference of another batch".into());
    }
    let id = of_batch(names::BATCH_ID).and_then(Value::plain).map(Cow::into_owned);
    if !is_reference(&reference) || id.as_deref().is_some_and(|id| !is_reference(id)) {
        return Err(format!("the reference of the batch is {NO_REFERENCE}"));
    }
    Ok(AcceptedBatch { reference, id, payouts })
}

/// For a response that does not report success: the elements that give the reason, in the order of the recipients.
pub fn refusals(reply: &Reply, recipients: usize, redact: Redact<'_>) -> Vec<Option<String>> {
    let elements = elements(reply).filter(|elements| elements.len() == recipients).unwrap_or_default();
    elements.into_iter().map(|element| refusal(element, redact)).collect()
}

fn elements(reply: &Reply) -> Option<Vec<Value<'_>>> {
    let root = reply.document.as_ref()?.root(&reply.body);
    let data = root.member(names::PAYOUTS).filter(|data| data.kind() == Type::Array)?;
    Some(data.children().collect())
}

fn refusal(element: Value<'_>, redact: Redact<'_>) -> Option<String> {
    if !is_refused(element, &[]) {
        return None;
    }
    let words = texts::message(element).map(|words| redact(&words).unwrap_or_else(|| WITHHELD.to_owned()));
    Some(match words.filter(|words| !words.is_empty()) {
        Some(words) => format!("the response says that the payout was refused: {words}"),
        None => "the response says that the payout was refused".to_owned(),
    })
}

/// The longest reference of the service in characters. Its own are much shorter. Reports have a bounded size by it.
pub const LONGEST_REFERENCE: usize = 128;
const NO_REFERENCE: &str = "longer than 128 characters, or not one line";

fn is_reference(text: &str) -> bool {
    text.chars().take(LONGEST_REFERENCE + 1).count() <= LONGEST_REFERENCE && !text.chars().any(char::is_control)
}

fn text<'d>(object: Value<'d>, name: &str) -> Option<Cow<'d, str>> {
    object.member(name)?.text().filter(|text| !text.trim().is_empty())
}

/// The account as a text, or as a number with the same digits.
fn is_account(element: Value<'_>, recipient: &Identity) -> bool {
    let account = element.member(names::ACCOUNT).filter(|it| matches!(it.kind(), Type::Text | Type::Number));
    account.and_then(Value::plain).is_some_and(|account| account.trim() == recipient.account.trim())
}

/// Decimals are compared: 100 is 100.00.
fn is_amount(element: Value<'_>, recipient: &Identity) -> bool {
    let own = Decimal::parse(&recipient.amount);
    own.is_some() && element.member(names::AMOUNT).and_then(Decimal::of) == own
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::document::Document;
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

    fn matched(body: &str, known: &[&str]) -> Result<AcceptedBatch, String> {
        let mut reply = Reply::without_body(Status::Ok, Outcome::Confirmed, "");
        reply.document = Document::scan(body, &|| false).ok();
        reply.body = body.to_owned();
        let all = known.iter().map(|text| (*text).to_owned()).collect();
        let redact = |text: &str| Some(text.replace("secret", "***"));
        accepted(&reply, &[&identity(1, "100"), &identity(2, "7.50")], &all, &redact)
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
        assert!(found.payouts.iter().map(|payout| payout.reference.as_deref()).eq([Some("A"), Some("B")]));
        assert!(found.payouts.iter().all(|payout| payout.doubt.is_none()));
    }

    #[test]
    fn an_element_that_says_it_was_refused_is_in_doubt_and_the_others_are_not() {
        let long = "R".repeat(LONGEST_REFERENCE + 1);
        let refused =
            |more: &str| (SECOND.replace(r#""payoutReference""#, &format!(r#"{more},"payoutReference""#)), Some("B"));
        let renamed = |name: &str| (SECOND.replace("\"B\"", name), None);
        const REFUSED: &str = "the response says that the payout was refused";
        const UNUSABLE: &str = "its reference is longer than 128 characters, or not one line";
        for ((second, reference), expected, more) in [
            (refused(r#""isSuccess":false"#), REFUSED, ""),
            (refused(r#""error":{"message":"no secret account"}"#), REFUSED, ": no *** account"),
            (refused(r#""status":"no","message":"closed""#), REFUSED, ": closed"),
            ((refused(r#""statusId":4"#).0.replace(r#""B""#, "null"), None), REFUSED, ""),
            (renamed(&format!("\"{long}\"")), UNUSABLE, ""),
            (renamed(r#""B\u0007""#), UNUSABLE, ""),
        ] {
            let found = matched(&answer(&format!("{FIRST},{second}")), &[]).unwrap_or_else(|error| panic!("{error}"));
            assert!(found.payouts[0].doubt.is_none() && found.payouts[0].reference.is_some());
            let told = (found.payouts[1].reference.as_deref(), found.payouts[1].doubt.clone());
            assert_eq!(told, (reference, Some(format!("{expected}{more}"))));
        }
        let of_batch = |reference: &str| {
            matched(&answer(&format!("{FIRST},{SECOND}")).replace(r#""BATCH""#, &format!("\"{reference}\"")), &[])
        };
        assert!(of_batch(&long[1..]).is_ok() && of_batch(&long).is_err());
    }

    #[test]
    fn whatever_does_not_fit_is_named() {
        let swap = |from: &str, to: &str| answer(&format!("{FIRST},{SECOND}").replace(from, to));
        let of_batch = |from: &str, to: &str| answer(&format!("{FIRST},{SECOND}")).replace(from, to);
        const ACCOUNT: &str = "has a different account number from the recipient's";
        const AMOUNT: &str = "has a different amount from the recipient's";
        let other_client = "has a different client reference from the recipient's";
        for (body, number, expected) in [
            (answer(&format!("{SECOND},{FIRST}")), 0, ACCOUNT),
            (answer(&format!("{FIRST},null")), 1, ACCOUNT),
            (swap("0690000032", "0690000033"), 1, ACCOUNT),
            (swap("100.00", "100.01"), 0, AMOUNT),
            (swap("100.00", "1e2"), 0, AMOUNT),
            (swap("\"amount\":\"7.500000\",", ""), 1, AMOUNT),
            (swap("\"A\"", "\"B\""), 1, "has the reference of another payout"),
            (swap("\"A\"", "\"C\""), 0, "has the reference of another payout"),
            (swap("\"A\"", "\" \""), 0, "has no reference"),
            (swap("\"A\"", "\"A\",\"clientReference\":\"P-2\""), 0, other_client),
        ] {
            let expected = format!("payout {number} of the response {expected}");
            assert_eq!(matched(&body, &["C", "OLD"]).err(), Some(expected), "{body}");
        }
        for (body, expected) in [
            (answer(FIRST), "the response has 1 payouts, but the batch had 2"),
            (answer(&format!("{FIRST},{SECOND},{SECOND}")), "the response has 3 payouts, but the batch had 2"),
            (of_batch("\"BATCH\"", "\"OLD\""), "the response has the reference of another batch"),
            (of_batch("\"BATCH\"", "\"\""), "the response has no reference for the batch"),
            (of_batch("\"data\"", "\"Data\""), "the response has no list of payouts"),
            ("[]".into(), "the response has no list of payouts"),
        ] {
            assert_eq!(matched(&body, &["C", "OLD"]).err().as_deref(), Some(expected), "{body}");
        }
    }
}
