use std::time::Instant;

use super::*;
use crate::config::encryption_key::EncryptionKey;
use crate::flow::bulk::INITIATE;
use crate::json::document::Document;
use paysvc_spec::status::Outcome;

/// The settings of a client that may send payouts, with the key of that test vector.
fn settings(vector: &str) -> Config {
    let text = std::fs::read_to_string(format!("{}/tests/vectors/{vector}.json", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let vector: serde_json::Value = serde_json::from_str(&text).unwrap();
    let key = EncryptionKey::parse(vector["encryption_key"].as_str().unwrap()).unwrap();
    Config { encryption_key: Some(key), ..Config::default() }
}

fn payout(reference: &str, account: &str, amount: &str, description: &str) -> String {
    format!(
        r#"{{"clientReference":"{reference}", "accountNumber":"{account}", "bankCode":"000014", "amount":{amount}, "description":"{description}", "accountName":"Ada Obi", "creditCurrency":"NGN", "debitCurrency":"NGN"}}"#
    )
}

fn read(elements: &[String], vector: &str) -> Result<List, ValidationError> {
    let text = format!("[{}]", elements.join(" , "));
    List::read(Document::read(&text).unwrap().root(&text), INITIATE, &settings(vector))
}

fn errors(elements: &[String]) -> Vec<(String, String)> {
    read(elements, "rsa4096").err().expect("the list is refused").errors
}

#[test]
fn errors_name_the_recipient_and_the_member() {
    let list = [
        payout("A", "1", "\"10.50\"", "May"),
        payout("A", "2", "0", "May"),
        payout("B", "", "1", "May").replace("bankCode", "bankcode"),
        payout("C", "3", "1", "May").replace("\"clientReference\":\"C\",", ""),
        "7".to_owned(),
    ];
    let found: Vec<String> = errors(&list).into_iter().map(|(member, text)| format!("{member} {text}")).collect();
    assert_eq!(
        found,
        [
            "payoutDetails.1.amount must be a decimal amount above zero in major units, like \"100.10\"",
            "payoutDetails.2.bankcode is not a known field; did you mean bankCode?",
            "payoutDetails.2.accountNumber must not be empty",
            "payoutDetails.2.bankCode is required",
            "payoutDetails.4 must be an object, not a number",
            "payoutDetails.1.clientReference is the same as payoutDetails.0.clientReference",
            "payoutDetails.3.clientReference is required: the journal and the report know the recipient by it",
        ]
    );
    assert_eq!(errors(&[]), [("payoutDetails".to_owned(), "must have at least one element".to_owned())]);
    // References are compared as they are written.
    assert!(
        read(&[payout("A", "1", "1", "x"), payout("a", "1", "1", "x"), payout("B", "1", "1", "x")], "rsa4096").is_ok()
    );
    for padded in ["A ", " A", "A\\n", "A\\u200b"] {
        let found = errors(&[payout(padded, "1", "1", "x")]);
        assert_eq!(found[0].0, "payoutDetails.0.clientReference", "{padded:?}");
    }
    assert!(read(&[payout("A", "1", "1", "x"), payout("\\u0041", "1", "1", "x")], "rsa4096").is_err());
}

#[test]
fn errors_are_bounded() {
    let many = vec![payout("A", "1", "-1", "x"); 100_000];
    assert_eq!(errors(&many).len(), MAX_ERRORS);
}

#[test]
fn a_recipient_that_exceeds_the_key_is_refused_with_both_numbers() {
    let empty = read(&[payout("A", "1", "1", "x")], "rsa2048").unwrap();
    let one = empty.request(&[0]).text().len();
    let with = |length: usize| read(&[payout("A", "1", "1", &"x".repeat(length))], "rsa2048");
    let longest = 245 - one + 1;
    assert_eq!(with(longest).unwrap().request(&[0]).text().len(), 245);
    let error = with(longest + 1).err().unwrap();
    assert_eq!(error.status, Status::Encrypt);
    let text = "is too long: its payload alone is 246 bytes, this key can encrypt at most 245";
    assert_eq!(error.errors, [("payoutDetails.0".to_owned(), text.to_owned())]);
    let error = List::read(Document::read("[]").unwrap().root("[]"), INITIATE, &Config::default()).err().unwrap();
    assert_eq!(error.status, Status::Argument, "the list is checked first");
}

#[test]
fn what_is_sent_is_what_the_row_sends() {
    let list = read(&[payout("A", "1", "\"007.50\"", "M\\u0061y"), payout("B", "2", "3.10", "x")], "rsa4096").unwrap();
    let request = list.request(&[1, 0]);
    let payout = |reference: &str, account: &str, amount: &str, description: &str| {
        payout(reference, account, amount, description).replace("\", \"", "\",\"").replace(", \"", ",\"")
    };
    let expected =
        format!(r#"{{"payoutDetails":[{},{}]}}"#, payout("B", "2", "3.10", "x"), payout("A", "1", "7.50", "May"));
    assert_eq!(request.text(), expected);
    // The row writes it again without changes, so its length is the one that was compared with the key.
    let given = Given::read(request.text());
    let again = body::body("again", INITIATE.fields, given.fields().unwrap(), expected.len()).unwrap();
    assert_eq!(std::str::from_utf8(&again).unwrap(), expected);
    let identity = &list.recipients[0].identity;
    assert_eq!((identity.account.as_str(), identity.amount.as_str()), ("1", "007.50"));
    assert!(
        list.new_report().ok().unwrap().rows.iter().all(|row| row.outcome == Outcome::NotSent && row.batch.is_none())
    );
}

/// The fields of the list's digest and of the journal are those of the rows, whatever their form.
#[test]
fn a_list_is_the_same_in_another_form_and_another_one_with_any_other_member() {
    let list = |elements: &[String]| read(elements, "rsa4096").unwrap();
    let (a, b) = (payout("A", "1", "\"007.50\"", "May"), payout("B", "2", "3", "May"));
    let first = list(&[a.clone(), b.clone()]);
    let other_form = list(&[b.clone(), payout("A", "1", "7.5", "M\\u0061y")]);
    assert_eq!(first.digest, other_form.digest);
    assert_eq!(first.recipients[0].members(), other_form.recipients[1].members());
    let named: Vec<_> = first.recipients[0].members().into_iter().map(|(name, _)| name).collect();
    let identifying =
        ["function", "clientReference", "accountNumber", "bankCode", "amount", "creditCurrency", "debitCurrency"];
    assert_eq!(named, identifying);
    for other in [a.replace("May", "June"), a.replace("007.50", "8"), a.replace("\"1\"", "\"9\"")] {
        assert_ne!(list(&[other, b.clone()]).digest, first.digest);
    }
    assert_ne!(list(&[a]).digest, first.digest);
}

/// No limit of time is asserted: a quadratic loop would take minutes.
#[test]
fn a_hundred_thousand_recipients_are_read() {
    let many: Vec<_> = (0..100_000).map(|number| payout(&format!("P-{number}"), "0690000031", "1.50", "May")).collect();
    let started = Instant::now();
    assert_eq!(read(&many, "rsa4096").unwrap().recipients.len(), 100_000);
    println!("100,000 recipients were read in {:?}", started.elapsed());
}
