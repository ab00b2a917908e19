//! The report: the known state of each recipient and each batch.

use super::answer::LONGEST_REFERENCE;
use super::{INITIATE, THIS, names};
use crate::answer::reply::{OwnMembers, Reply, in_doubt, one_line};
use crate::json::object::{Object, list, object};
use crate::util::text::MAX_CHARS;
use paysvc_spec::schema::Doubt;
use paysvc_spec::status::{self, Outcome, Status};

/// The possible outcomes of a recipient or a batch, in the order of a report.
pub const OUTCOMES: [Outcome; 4] = [Outcome::Confirmed, Outcome::Rejected, Outcome::NotSent, Outcome::Unknown];

/// The outcome's word in a report: a confirmed payout is accepted, and not paid yet.
pub fn word(outcome: Outcome) -> &'static str {
    if outcome == Outcome::Confirmed { "ACCEPTED" } else { status::name_of_outcome(outcome) }
}

/// Whom a payout goes to.
#[derive(Clone)]
pub struct Identity {
    /// The caller's own, unique in the list.
    pub client_reference: String,
    pub account: String,
    pub bank: String,
    /// The digits as they are given.
    pub amount: String,
}

#[derive(Clone)]
pub struct Row {
    pub identity: Identity,
    pub outcome: Outcome,
    /// Its newest batch.
    pub batch: Option<usize>,
    pub payout_reference: Option<String>,
    /// A person settled it as done in the journal: nothing more is known about it.
    pub settled: bool,
    /// The day on which the journal recorded it, if an earlier call did it.
    pub replayed: Option<String>,
    /// The reason why it is UNKNOWN, although others of its batch may not be.
    pub message: Option<String>,
}

impl Row {
    pub fn new(identity: Identity) -> Row {
        let (batch, payout_reference, replayed, message) = (None, None, None, None);
        Row { identity, outcome: Outcome::NotSent, batch, payout_reference, settled: false, replayed, message }
    }
}

/// A batch that was tried.
#[derive(Clone)]
pub struct Batch {
    pub outcome: Outcome,
    /// Its name, e.g. `E_TIMEOUT`.
    pub status: String,
    pub recipients: usize,
    pub reference: Option<String>,
    pub id: Option<String>,
    pub message: String,
}

impl Batch {
    /// One whose response is not known yet.
    pub fn begun(recipients: usize) -> Batch {
        Batch {
            outcome: Outcome::Unknown,
            status: status::name_of(Status::Response).to_owned(),
            recipients,
            reference: None,
            id: None,
            message: "the batch was begun, but its response is not known".to_owned(),
        }
    }
}

/// Bytes of a character in JSON. Control characters, which take six, are in no reference and no message.
const CHAR: usize = 4;
/// Max bytes that a response or the journal adds to a row or to a batch: names, two references, a message.
pub const ADDED: usize = CHAR * (2 * LONGEST_REFERENCE + MAX_CHARS) + 256;
/// Max bytes around a list and a report: the other fields, and a message.
pub const AROUND: usize = CHAR * MAX_CHARS + 2048;

/// Returns the max length of the step after a batch, and with it of the part of the report.
pub fn most_after(before: &str, recipients: usize) -> usize {
    before.len() + ADDED * (recipients + 1)
}

#[derive(Clone, Default)]
pub struct Report {
    /// In the order of the list.
    pub rows: Vec<Row>,
    pub batches: Vec<Batch>,
}

impl Report {
    pub fn count(&self, outcome: Outcome) -> usize {
        self.rows.iter().filter(|row| row.outcome == outcome).count()
    }

    /// Returns the number of recipients by outcome, in words.
    pub fn summary(&self) -> String {
        let counts = OUTCOMES.map(|outcome| format!("{} {}", self.count(outcome), word(outcome)));
        let recipients = if self.rows.len() == 1 { "recipient" } else { "recipients" };
        format!("{} {recipients}: {}", self.rows.len(), counts.join(", "))
    }

    /// Returns the outcome that all recipients have in common, otherwise UNKNOWN.
    pub fn outcome(&self) -> Outcome {
        let first = self.rows.first().map_or(Outcome::Unknown, |row| row.outcome);
        if self.count(first) == self.rows.len() { first } else { Outcome::Unknown }
    }

    /// Returns a reply with the report. `why`: the reason for the end of the run, or another message.
    /// `room`: the memory that was set aside for it.
    pub fn reply(&self, room: Vec<u8>, status: Status, outcome: Outcome, why: &str) -> Reply {
        let message = match why {
            "" => self.summary(),
            why => format!("{}; {why}", self.summary()),
        };
        let mut reply = Reply::without_body(status, outcome, message).in_doubt(INITIATE.in_doubt());
        reply.body = self.body(room, status == Status::Ok, &reply.message);
        reply.own = Some(OwnMembers { of: THIS, in_front: false });
        reply
    }

    fn body(&self, mut out: Vec<u8>, success: bool, message: &str) -> String {
        object(&mut out, |object| {
            object.text("status", if success { "success" } else { "failed" });
            object.text("message", message);
            object.literal("total", self.rows.len());
            for outcome in OUTCOMES {
                object.literal(&word(outcome).to_ascii_lowercase(), self.count(outcome));
            }
            object.raw("batches", |out| list(out, self.batches.iter().enumerate(), push_batch));
            object.raw("payouts", |out| list(out, &self.rows, |out, row| self.push_row(out, row)));
        });
        String::from_utf8(out).expect("JSON made of text is UTF-8")
    }

    /// Returns the length of its rows before anything is sent.
    pub fn size(&self) -> usize {
        let mut text = Vec::new();
        let mut written = |row: &Row| {
            text.clear();
            self.push_row(&mut text, row);
            text.len() + 1
        };
        self.rows.iter().map(&mut written).sum()
    }

    pub fn push_row(&self, out: &mut Vec<u8>, row: &Row) {
        let Identity { client_reference, account, bank, amount } = &row.identity;
        object(out, |object| {
            object.text(names::CLIENT_REFERENCE, client_reference);
            object.text("outcome", word(row.outcome));
            if let Some(batch) = row.batch {
                object.literal("batch", batch);
            }
            object.optional(names::PAYOUT_REFERENCE, row.payout_reference.as_deref());
            if row.settled {
                object.literal("settled", true);
            } else if row.outcome == Outcome::Confirmed {
                let batch = row.batch.and_then(|batch| self.batches.get(batch));
                object.optional(names::BATCH_REFERENCE, batch.and_then(|batch| batch.reference.as_deref()));
            }
            if let Some(day) = &row.replayed {
                object.literal("replayed", true);
                object.text("date", day);
            }
            object.text(names::ACCOUNT, account);
            object.text(names::BANK, bank);
            object.text(names::AMOUNT, amount);
            object.optional("message", row.message.as_deref().map(|message| line(row.outcome, message)).as_deref());
        });
    }
}

fn push_batch(out: &mut Vec<u8>, (index, batch): (usize, &Batch)) {
    object(out, |object| {
        object.literal("index", index);
        push_batch_members(object, batch);
    });
}

pub fn push_batch_members(object: &mut Object<'_>, batch: &Batch) {
    object.text("outcome", word(batch.outcome));
    object.text("status", &batch.status);
    object.literal("recipients", batch.recipients);
    object.optional(names::BATCH_REFERENCE, batch.reference.as_deref());
    object.optional(names::BATCH_ID, batch.id.as_deref());
    object.text("message", &line(batch.outcome, &batch.message));
}

fn line(outcome: Outcome, message: &str) -> String {
    let doubt = if outcome == Outcome::Unknown { INITIATE.in_doubt() } else { Doubt::None };
    one_line(in_doubt(doubt, message))
}

/// A step of a run, as the callback for progress gets it. `begins`: a batch is about to be sent, and the outcome of its
/// recipients is UNKNOWN from here on; otherwise, what became of it.
pub fn step(report: &Report, batch: usize, recipients: &[usize], begins: bool) -> String {
    let mut out = Vec::new();
    object(&mut out, |object| {
        object.text("step", if begins { "before" } else { "after" });
        object.literal("batch", batch);
        match begins {
            true => object.literal("recipients", recipients.len()),
            false => push_batch_members(object, &report.batches[batch]),
        }
        let rows = recipients.iter().map(|&index| &report.rows[index]);
        object.raw("payouts", |out| list(out, rows, |out, row| report.push_row(out, row)));
    });
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(outcome: Outcome) -> Row {
        let text = |text: &str| text.to_owned();
        let identity = Identity {
            client_reference: text("P\"1"),
            account: text("0690000031"),
            bank: text("000014"),
            amount: text("1.50"),
        };
        Row { outcome, ..Row::new(identity) }
    }

    #[test]
    fn the_outcome_is_the_one_that_all_have() {
        let outcome = |outcomes: &[Outcome]| {
            Report { rows: outcomes.iter().copied().map(row).collect(), batches: vec![] }.outcome()
        };
        use Outcome::{Confirmed, NotSent, Rejected, Unknown};
        assert_eq!(outcome(&[Confirmed, Confirmed]), Outcome::Confirmed);
        assert_eq!(outcome(&[Rejected]), Outcome::Rejected);
        assert_eq!(outcome(&[NotSent, NotSent]), Outcome::NotSent);
        for mixed in [&[Confirmed, Unknown][..], &[Confirmed, Rejected], &[NotSent, Rejected], &[Unknown]] {
            assert_eq!(outcome(mixed), Outcome::Unknown, "{mixed:?}");
        }
    }

    #[test]
    fn every_member_is_written_where_it_is_known() {
        let accepted = Row {
            batch: Some(0),
            payout_reference: Some("PGW-PAYOUT-1".into()),
            replayed: Some("2026-01-31".into()),
            ..row(Outcome::Confirmed)
        };
        let batch = Batch {
            outcome: Outcome::Confirmed,
            status: "OK".into(),
            recipients: 1,
            reference: Some("PGW-BATCH-1".into()),
            id: Some("9001".into()),
            message: "done\nand more".into(),
        };
        let report = Report { rows: vec![accepted, row(Outcome::NotSent)], batches: vec![batch] };
        let reply = report.reply(Vec::new(), Status::Timeout, Outcome::Unknown, "why");
        assert_eq!(
            reply.message,
            "the payout may have been made; do not repeat it: 2 recipients: 1 ACCEPTED, 0 REJECTED, 1 NOT_SENT, 0 UNKNOWN; \
             why"
        );
        assert_eq!(
            reply.body,
            concat!(
                r#"{"status":"failed","message":"the payout may have been made; do not repeat it: "#,
                r#"2 recipients: 1 ACCEPTED, 0 REJECTED, 1 NOT_SENT, 0 UNKNOWN; why","#,
                r#""total":2,"accepted":1,"rejected":0,"not_sent":1,"unknown":0,"#,
                r#""batches":[{"index":0,"outcome":"ACCEPTED","status":"OK","recipients":1,"batchReference":"PGW-BATCH-1","#,
                r#""batchId":"9001","message":"done and more"}],"#,
                r#""payouts":[{"clientReference":"P\"1","outcome":"ACCEPTED","batch":0,"payoutReference":"PGW-PAYOUT-1","#,
                r#""batchReference":"PGW-BATCH-1","replayed":true,"date":"2026-01-31","accountNumber":"0690000031","bankCode":"000014","amount":"1.50"},"#,
                r#"{"clientReference":"P\"1","outcome":"NOT_SENT","accountNumber":"0690000031","bankCode":"000014","amount":"1.50"}]}"#,
            )
        );
    }

    /// The longest possible report of one batch.
    fn longest(worst: bool) -> Report {
        let longest = |count: usize| Some("\u{10348}".repeat(count));
        let mut rows: Vec<Row> = (0..3).map(|_| Row { batch: Some(0), ..row(Outcome::Unknown) }).collect();
        let mut batch = Batch::begun(3);
        if worst {
            for row in &mut rows {
                row.outcome = Outcome::Confirmed;
                (row.payout_reference, row.message) = (longest(LONGEST_REFERENCE), longest(2 * MAX_CHARS));
                row.replayed = Some("2026-01-31".into());
            }
            (batch.outcome, batch.status) = (Outcome::Confirmed, "E_RATE_LIMITED".into());
            (batch.reference, batch.id) = (longest(LONGEST_REFERENCE), longest(LONGEST_REFERENCE));
            batch.message = longest(2 * MAX_CHARS).unwrap();
        }
        Report { rows, batches: vec![batch] }
    }

    #[test]
    fn the_longest_answer_is_within_what_was_set_aside_before_the_request() {
        let all = [0, 1, 2];
        let before = step(&longest(false), 0, &all, true);
        let after = step(&longest(true), 0, &all, false);
        assert!(after.len() <= most_after(&before, 3), "{} {}", after.len(), most_after(&before, 3));
        // Nearly all of it is text that a response may contain.
        assert!(after.len() > most_after(&before, 3) * 8 / 10);
        let empty = Report { rows: longest(false).rows, batches: Vec::new() };
        let body = longest(true).reply(Vec::new(), Status::RateLimited, Outcome::Unknown, &"x".repeat(600)).body;
        assert!(body.len() <= empty.size() + AROUND + after.len(), "{}", body.len());
        let unsent = empty.reply(Vec::new(), Status::RateLimited, Outcome::Unknown, &"\u{10348}".repeat(600)).body;
        assert!(unsent.len() <= empty.size() + AROUND && unsent.len() > empty.size());
    }
}
