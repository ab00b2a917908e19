use super::super::report::{Batch, Identity, Row};
use super::super::{INITIATE, steps};
use super::strict::consistent;
use super::*;
use crate::json;
use crate::request::encryption::EncryptionKey;
use crate::request::settings::Settings;
use paysvc_spec::status::{Outcome, Status};

fn identity(reference: &str, account: &str, amount: &str) -> Identity {
    let text = |text: &str| text.to_owned();
    Identity { client_reference: text(reference), account: text(account), bank: text("000014"), amount: text(amount) }
}

fn row(reference: &str, outcome: Outcome, batch: Option<usize>) -> Row {
    let payout_reference = (outcome == Outcome::Confirmed).then(|| format!("PGW-PAYOUT-{reference}"));
    Row { outcome, batch, payout_reference, ..Row::new(identity(reference, "0690000031", "1.50")) }
}

fn batch_of(outcome: Outcome, recipients: usize) -> Batch {
    let reference = (outcome == Outcome::Confirmed).then(|| "PGW-BATCH-1".to_owned());
    Batch { outcome, reference, message: "told".into(), ..Batch::begun(recipients) }
}

/// A report with everything that a report can have.
fn example() -> Report {
    Report {
        batches: vec![batch_of(Outcome::Confirmed, 2), batch_of(Outcome::Rejected, 2), batch_of(Outcome::Unknown, 1)],
        rows: vec![
            row("A", Outcome::Confirmed, Some(0)),
            row("B", Outcome::Rejected, Some(1)),
            row("C", Outcome::Confirmed, Some(0)),
            row("D", Outcome::Unknown, Some(2)),
            row("E", Outcome::NotSent, None),
        ],
    }
}

fn written(report: &Report) -> String {
    report.reply(Vec::new(), Status::Response, Outcome::Unknown, "").body
}

fn read_text(text: &str) -> Result<Report, String> {
    read(json::parse(text).unwrap(), "earlier").map_err(|error| {
        assert_eq!(error.status, Status::Argument);
        error.message
    })
}

fn list(elements: &[(&str, &str, &str)]) -> List {
    let vector = include_str!("../../../../tests/vectors/rsa4096.json");
    let vector: serde_json::Value = serde_json::from_str(vector).unwrap();
    let key = EncryptionKey::parse(vector["encryption_key"].as_str().unwrap()).unwrap();
    let settings = Settings { encryption_key: Some(key), ..Settings::default() };
    let elements = elements.iter().map(|(reference, account, amount)| {
        format!(
            r#"{{"clientReference":"{reference}","accountNumber":"{account}","bankCode":"000014","amount":{amount},"description":"x","accountName":"x","creditCurrency":"NGN","debitCurrency":"NGN"}}"#
        )
    });
    let text = format!("[{}]", elements.collect::<Vec<_>>().join(","));
    List::read(json::parse(&text).unwrap(), INITIATE, &settings).unwrap()
}

#[test]
fn a_report_is_read_as_it_was_written() {
    let text = written(&example());
    let report = read_text(&text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(written(&report), text);
    // Other writers put members elsewhere, add some, and write amounts as numbers.
    let other = text.replace(r#""amount":"1.50""#, r#""amount":1.5,"state":"PENDING","note":null"#);
    assert!(read_text(&other).is_ok());
}

/// An accepted batch may have a recipient that is in doubt. No other outcome may differ from the batch's.
#[test]
fn a_recipient_in_doubt_is_read_as_it_was_written() {
    let mut report = example();
    report.rows[2] = Row { message: Some("refused".into()), ..row("C", Outcome::Unknown, Some(0)) };
    let text = written(&report);
    let read = read_text(&text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(written(&read), text);
    assert!(text.contains(r#""message":"the payout may have been made; do not repeat it: refused"}"#), "{text}");
    for outcome in [Outcome::Rejected, Outcome::NotSent] {
        report.rows[2] = row("C", outcome, Some(0));
        assert!(
            read_text(&written(&report)).is_err_and(|error| error.contains("has a different outcome from its batch"))
        );
    }
}

#[test]
fn a_damaged_or_foreign_report_is_refused() {
    let good = written(&example());
    for (from, to, expected) in [
        (r#""total":5"#, r#""total":6"#, "its counts do not match its payouts"),
        (r#""unknown":1"#, r#""unknown":0"#, "its counts do not match its payouts"),
        (r#""unknown":1,"#, "", "has no unknown"),
        (r#""unknown":1"#, r#""unknown":-1"#, "has no unknown"),
        (r#""index":1"#, r#""index":2"#, "batches.1 has another index"),
        (r#""clientReference":"E""#, r#""clientReference":"A""#, "a clientReference appears twice"),
        (r#""clientReference":"E""#, r#""clientReference":"""#, "payouts.4 has no clientReference"),
        (
            r#""clientReference":"D","outcome":"UNKNOWN""#,
            r#""clientReference":"D","outcome":"NOT_SENT""#,
            "payouts.3 has a different outcome from its batch",
        ),
        (
            r#""clientReference":"D","outcome":"UNKNOWN""#,
            r#""clientReference":"D","outcome":"DONE""#,
            "payouts.3 has no known outcome",
        ),
        (
            r#""clientReference":"D","outcome":"UNKNOWN","batch":2"#,
            r#""clientReference":"D","outcome":"NOT_SENT""#,
            "its counts do not match its payouts",
        ),
        (r#""batch":2"#, r#""batch":7"#, "payouts.3 names a batch that does not exist"),
        (r#""batch":2"#, r#""batch":"2""#, "payouts.3 has no batch"),
        ("PGW-PAYOUT-C", "PGW-PAYOUT-A", "a reference of the service appears twice"),
        (
            r#""payoutReference":"PGW-PAYOUT-C","#,
            "",
            "payouts.2 is accepted, but lacks its payout reference or the reference of its batch",
        ),
        (r#""recipients":1"#, r#""recipients":2"#, "batches.2 has 2 recipients, but 1 payouts name it"),
        (r#""recipients":2"#, r#""recipients":1"#, "batches.0 has 1 recipients, but 2 payouts name it"),
        (r#""amount":"1.50""#, r#""amount":"1,50""#, "payouts.0 has no amount"),
        (r#""batches":["#, r#""batches":[7,"#, "batches.0 invalid type"),
        (r#""payouts""#, r#""payOuts""#, "it has no payouts"),
    ] {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from}");
        let error = read_text(&text).err().unwrap_or_else(|| panic!("{to} is accepted"));
        assert!(error.contains(expected) && error.starts_with("payout_bulk: earlier is "), "{to}: {error}");
    }
    for text in ["7", "null", "{}", r#"{"status":"success","data":{}}"#, r#"[{"status":"success"}]"#, "[7]"] {
        assert!(read_text(text).is_err(), "{text}");
    }
}

#[test]
fn only_what_is_undone_is_left_to_be_sent() {
    let all = [
        ("E", "0690000031", "1.5"),
        ("N", "7", "1"),
        ("D", "0690000031", "1.500"),
        ("C", "0690000031", "1.5"),
        ("A", "0690000031", "1.5"),
    ];
    let resumed = resume(example(), &list(&all)).unwrap_or_else(|error| panic!("{}", error.message));
    let outcomes: Vec<_> =
        resumed.rows.iter().map(|row| (row.identity.client_reference.as_str(), row.outcome, row.batch)).collect();
    // B was refused, and may be left out.
    assert_eq!(
        outcomes,
        [
            ("E", Outcome::NotSent, None),
            ("N", Outcome::NotSent, None),
            ("D", Outcome::Unknown, Some(2)),
            ("C", Outcome::Confirmed, Some(0)),
            ("A", Outcome::Confirmed, Some(0))
        ]
    );
    assert_eq!(resumed.batches.len(), 3);
    assert!(consistent(&resumed).is_ok());
}

#[test]
fn a_list_that_is_not_the_report_s_is_refused() {
    let refused = |elements: &[(&str, &str, &str)]| resume(example(), &list(elements)).err().map(|error| error.errors);
    let (a, c, d) = (("A", "0690000031", "1.5"), ("C", "0690000031", "1.5"), ("D", "0690000031", "1.5"));
    assert_eq!(refused(&[a, c, d]), None);
    let changed = "differs from the earlier report; a changed payout needs a new clientReference";
    assert_eq!(
        refused(&[a, ("C", "0690000032", "1.5"), ("D", "0690000031", "1.51"), ("E", "1", "1.5")]).unwrap(),
        [
            ("payoutDetails.1.accountNumber".to_owned(), changed.to_owned()),
            ("payoutDetails.2.amount".to_owned(), changed.to_owned()),
            ("payoutDetails.3.accountNumber".to_owned(), changed.to_owned()),
        ]
    );
    let lost = refused(&[a, ("E", "0690000031", "1.5")]).unwrap();
    let texts: Vec<_> = lost.iter().map(|(member, text)| format!("{member} {text}")).collect();
    assert_eq!(
        texts,
        [
            "earlier says that C is ACCEPTED, but it is not in the list",
            "earlier says that D is UNKNOWN, but it is not in the list"
        ]
    );
}

/// The steps of a run over A and C, then B; the run ended within the second batch.
fn journal() -> Vec<String> {
    let mut report =
        Report { rows: ["A", "B", "C"].map(|name| row(name, Outcome::Unknown, None)).into(), batches: vec![] };
    let begin = |report: &mut Report, recipients: &[usize]| {
        let batch = report.batches.len();
        report.batches.push(Batch::begun(recipients.len()));
        recipients.iter().for_each(|&index| report.rows[index].batch = Some(batch));
        steps::before(report, batch, recipients)
    };
    let first = begin(&mut report, &[0, 2]);
    report.batches[0] = batch_of(Outcome::Confirmed, 2);
    (report.rows[0], report.rows[2]) = (row("A", Outcome::Confirmed, Some(0)), row("C", Outcome::Confirmed, Some(0)));
    let second = steps::after(&report, 0, &[0, 2]);
    vec![first, second, begin(&mut report, &[1])]
}

fn outcomes(steps: &[String]) -> Result<Vec<(String, Outcome)>, String> {
    let report = read_text(&format!("[{}]", steps.join(",")))?;
    Ok(report.rows.into_iter().map(|row| (row.identity.client_reference, row.outcome)).collect())
}

#[test]
fn the_steps_tell_what_a_run_without_a_report_did() {
    let own = |name: &str, outcome: Outcome| (name.to_owned(), outcome);
    let steps = journal();
    assert_eq!(outcomes(&[]).unwrap(), []);
    assert_eq!(outcomes(&steps[..1]).unwrap(), [own("A", Outcome::Unknown), own("C", Outcome::Unknown)]);
    assert_eq!(outcomes(&steps[..2]).unwrap(), [own("A", Outcome::Confirmed), own("C", Outcome::Confirmed)]);
    let all = [own("A", Outcome::Confirmed), own("C", Outcome::Confirmed), own("B", Outcome::Unknown)];
    assert_eq!(outcomes(&steps).unwrap(), all);
    // The report of a run that went on stands for the steps before it.
    let report = read_text(&format!("[{}]", steps.join(","))).unwrap();
    let with_report = [&steps[..], &[written(&report)]].concat();
    assert_eq!(outcomes(&with_report).unwrap(), all);
    assert_eq!(outcomes(&with_report[3..]).unwrap(), all);
}

#[test]
fn steps_that_do_not_follow_each_other_are_refused() {
    let steps = journal();
    let swapped = |order: &[usize]| outcomes(&order.iter().map(|&index| steps[index].clone()).collect::<Vec<_>>());
    for order in [&[1][..], &[0, 0], &[0, 1, 1], &[2], &[0, 2, 1]] {
        assert!(swapped(order).is_err(), "{order:?}");
    }
    // Without the end of the first batch it is UNKNOWN; the second may still have begun.
    assert!(swapped(&[0, 2]).is_ok());
    for (from, to) in [
        ("\"outcome\":\"ACCEPTED\"", "\"outcome\":\"NOT_SENT\""),
        ("PGW-PAYOUT-A", "PGW-PAYOUT-C"),
        ("\"clientReference\":\"C\"", "\"clientReference\":\"A\""),
        ("\"accountNumber\":\"0690000031\"", "\"accountNumber\":\"0690000032\""),
        ("\"recipients\":2", "\"recipients\":3"),
        ("\"step\":\"after\"", "\"step\":\"later\""),
    ] {
        let mut changed = steps.clone();
        changed[1] = changed[1].replacen(from, to, 1);
        assert_ne!(changed, steps, "{from}");
        assert!(outcomes(&changed).is_err(), "{to}");
    }
    let mut again = steps.clone();
    again[2] = again[2].replace("\"clientReference\":\"B\"", "\"clientReference\":\"A\"");
    assert!(outcomes(&again).is_err(), "what was accepted is not begun again");
    let mut lost = steps.clone();
    lost.push(written(&Report::default()));
    assert!(outcomes(&lost).is_err(), "a report that has lost what was accepted");
}
