//! The report: what is known about each recipient and each batch.

use super::{INITIATE, names};
use crate::json::object::{Object, list, object};
use crate::response::decimal::Decimal;
use crate::response::reply::{Reply, in_doubt, one_line};
use paysvc_spec::schema::Doubt;
use paysvc_spec::status::{self, Outcome, STATES, State, Status};

/// What may have become of a recipient or a batch, in the order of a report.
pub const OUTCOMES: [Outcome; 4] = [Outcome::Confirmed, Outcome::Rejected, Outcome::NotSent, Outcome::Unknown];

/// Its word in a report: what the service has confirmed is accepted, and not paid yet.
pub fn word(outcome: Outcome) -> &'static str {
    if outcome == Outcome::Confirmed { "ACCEPTED" } else { status::name_of_outcome(outcome) }
}

/// The member of a report that counts it.
pub fn count_name(outcome: Outcome) -> String {
    word(outcome).to_ascii_lowercase()
}

/// It is proved that nothing was executed.
pub fn is_undone(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Rejected | Outcome::NotSent)
}

/// Whom a payout goes to.
#[derive(Clone, PartialEq, Eq)]
pub struct Identity {
    /// The caller's own, unique in the list.
    pub client_reference: String,
    pub account: String,
    pub bank: String,
    /// The digits as they are given.
    pub amount: String,
}

impl Identity {
    /// The member in which another one differs.
    pub fn difference(&self, other: &Identity) -> Option<&'static str> {
        let amount = |identity: &Identity| Decimal::parse(&identity.amount);
        match () {
            () if self.account != other.account => Some(names::ACCOUNT),
            () if self.bank != other.bank => Some(names::BANK),
            () if amount(self) != amount(other) => Some(names::AMOUNT),
            () => None,
        }
    }
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
    /// As a look-up found it.
    pub state: Option<State>,
    /// Why it is UNKNOWN, although others of its batch may not be.
    pub message: Option<String>,
}

impl Row {
    pub fn new(identity: Identity) -> Row {
        let (batch, payout_reference, state, message) = (None, None, None, None);
        Row { identity, outcome: Outcome::NotSent, batch, payout_reference, settled: false, state, message }
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
    pub state: Option<State>,
}

impl Batch {
    /// One whose answer is not known yet.
    pub fn begun(recipients: usize) -> Batch {
        Batch {
            outcome: Outcome::Unknown,
            status: status::name_of(Status::Response).to_owned(),
            recipients,
            reference: None,
            id: None,
            message: "the batch was begun, but its answer is not known".to_owned(),
            state: None,
        }
    }
}

/// The member of a recipient that a person settled.
pub const SETTLED: &str = "settled";

/// What a comma and a state that is found later add.
const STATE: usize = 32;

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

    /// How many of each, in words.
    pub fn summary(&self) -> String {
        let counts = OUTCOMES.map(|outcome| format!("{} {}", self.count(outcome), word(outcome)));
        let recipients = if self.rows.len() == 1 { "recipient" } else { "recipients" };
        format!("{} {recipients}: {}", self.rows.len(), counts.join(", "))
    }

    /// What all recipients have in common; otherwise it is not known.
    pub fn outcome(&self) -> Outcome {
        let first = self.rows.first().map_or(Outcome::Unknown, |row| row.outcome);
        if self.count(first) == self.rows.len() { first } else { Outcome::Unknown }
    }

    /// A reply with the report. `why`: what ended the run, or what else there is to say.
    /// `room`: the memory that was set aside for it.
    pub fn reply(&self, room: Vec<u8>, status: Status, outcome: Outcome, why: &str) -> Reply {
        let message = match why {
            "" => self.summary(),
            why => format!("{}; {why}", self.summary()),
        };
        let mut reply = Reply::without_body(status, outcome, message).in_doubt(INITIATE.in_doubt());
        reply.body = self.body(room, status == Status::Ok, &reply.message);
        reply
    }

    fn body(&self, mut out: Vec<u8>, success: bool, message: &str) -> String {
        object(&mut out, |object| {
            object.text("status", if success { "success" } else { "failed" });
            object.text("message", message);
            object.literal("total", self.rows.len());
            for outcome in OUTCOMES {
                object.literal(&count_name(outcome), self.count(outcome));
            }
            if self.rows.iter().any(|row| row.state.is_some()) {
                object.raw("states", |out| self.push_states(out));
            }
            object.raw("batches", |out| list(out, self.batches.iter().enumerate(), push_batch));
            object.raw("payouts", |out| list(out, &self.rows, |out, row| self.push_row(out, row)));
        });
        String::from_utf8(out).expect("JSON made of text is UTF-8")
    }

    /// How many recipients are in each state.
    fn push_states(&self, out: &mut Vec<u8>) {
        object(out, |object| {
            for constant in STATES {
                let count = self.rows.iter().filter(|row| row.state == Some(State(constant.number))).count();
                if count > 0 {
                    object.literal(state_name(State(constant.number)), count);
                }
            }
        });
    }

    /// How long its rows and batches are at most, with the states that a look-up adds.
    pub fn size(&self) -> usize {
        let mut text = Vec::new();
        let mut written = |push: &dyn Fn(&mut Vec<u8>)| {
            text.clear();
            push(&mut text);
            text.len() + STATE
        };
        let rows: usize = self.rows.iter().map(|row| written(&|out| self.push_row(out, row))).sum();
        let batches = self.batches.iter().enumerate();
        rows + batches.map(|batch| written(&|out| push_batch(out, batch))).sum::<usize>()
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
                object.literal(SETTLED, true);
            } else if row.outcome == Outcome::Confirmed {
                let batch = row.batch.and_then(|batch| self.batches.get(batch));
                object.optional(names::BATCH_REFERENCE, batch.and_then(|batch| batch.reference.as_deref()));
            }
            object.optional("state", row.state.map(state_name));
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
    object.optional("state", batch.state.map(state_name));
    object.text("message", &line(batch.outcome, &batch.message));
}

fn line(outcome: Outcome, message: &str) -> String {
    let doubt = if outcome == Outcome::Unknown { INITIATE.in_doubt() } else { Doubt::None };
    one_line(in_doubt(doubt, message))
}

pub fn state_name(state: State) -> &'static str {
    status::name(STATES, state.0).unwrap_or("STATE_NONE").trim_start_matches("STATE_")
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
            state: Some(State::SUCCESSFUL),
            ..row(Outcome::Confirmed)
        };
        let batch = Batch {
            outcome: Outcome::Confirmed,
            status: "OK".into(),
            recipients: 1,
            reference: Some("PGW-BATCH-1".into()),
            id: Some("9001".into()),
            message: "done\nand more".into(),
            state: None,
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
                r#""total":2,"accepted":1,"rejected":0,"not_sent":1,"unknown":0,"states":{"SUCCESSFUL":1},"#,
                r#""batches":[{"index":0,"outcome":"ACCEPTED","status":"OK","recipients":1,"batchReference":"PGW-BATCH-1","#,
                r#""batchId":"9001","message":"done and more"}],"#,
                r#""payouts":[{"clientReference":"P\"1","outcome":"ACCEPTED","batch":0,"payoutReference":"PGW-PAYOUT-1","#,
                r#""batchReference":"PGW-BATCH-1","state":"SUCCESSFUL","accountNumber":"0690000031","bankCode":"000014","amount":"1.50"},"#,
                r#"{"clientReference":"P\"1","outcome":"NOT_SENT","accountNumber":"0690000031","bankCode":"000014","amount":"1.50"}]}"#,
            )
        );
    }
}
