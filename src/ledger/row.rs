//! A row of the journal, and its JSON.

use std::borrow::Cow;

use crate::json::object::{object, object_text};
use crate::json::{self, Members, RawValue};
use paysvc_spec::journal::Step;
use paysvc_spec::status::{self, Outcome, State};

/// The form of the rows. A row of a later version cannot be read.
const VERSION: u32 = 1;

#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    pub key: String,
    /// From 1, without gaps.
    pub seq: u32,
    /// Random.
    pub id: String,
    /// When it was written: milliseconds since 1970.
    pub time_ms: u64,
    /// The order that it is about.
    pub order: Option<String>,
    /// The key is open once this row is written.
    pub open: bool,
    pub kind: Kind,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    Claim(Claim),
    End(End),
}

/// That a request is about to be sent.
#[derive(Clone, PartialEq, Debug)]
pub struct Claim {
    pub step: Step,
    /// Name of the row of the table, or "request".
    pub function: String,
    /// The caller gave the key.
    pub explicit: bool,
    /// The customer may pay the order on a page of the service.
    pub has_page: bool,
    /// When its call ends at the latest: milliseconds since 1970.
    pub until_ms: u64,
    /// Digests of the members that say who pays what to whom, by path.
    pub digests: Vec<(String, String)>,
    /// Of a recipient: the digest of the list that paid it, with the row's random number.
    pub list: Option<String>,
    /// What a look-up needs of the request: a JSON object without secrets. Empty if nothing can be looked up.
    pub request: String,
    pub amount: Option<String>,
    pub currency: Option<String>,
}

/// What became of a claim, as found by somebody.
#[derive(Clone, PartialEq, Debug)]
pub struct End {
    /// The row of the claim.
    pub of: String,
    pub by: By,
    pub outcome: Outcome,
    pub state: State,
    /// CONFIRMED, and it will not change.
    pub is_final: bool,
    /// 0: there was no answer.
    pub http_status: u16,
    /// What the answer called the attempt to pay, or the payout.
    pub payment_reference: Option<String>,
    /// What the answer called the batch.
    pub batch_reference: Option<String>,
    /// How many recipients the batch of a payout had; 0 for everything else.
    pub recipients: u32,
}

#[derive(Clone, PartialEq, Debug)]
pub enum By {
    /// The call that made the claim.
    Sender,
    /// A look-up.
    LookUp,
    Person {
        who: String,
        why: String,
    },
}

impl End {
    pub fn new(of: &str, by: By, outcome: Outcome) -> End {
        let (payment_reference, batch_reference) = (None, None);
        End {
            of: of.to_owned(),
            by,
            outcome,
            state: State::NONE,
            is_final: false,
            http_status: 0,
            payment_reference,
            batch_reference,
            recipients: 0,
        }
    }

    /// By the sender, for a claim that was not sent.
    pub fn not_sent(of: &str) -> End {
        End::new(of, By::Sender, Outcome::NotSent)
    }

    pub fn by_look_up(claim: &Row, outcome: Outcome, state: State, http_status: u16) -> End {
        End { state, http_status, ..End::new(&claim.id, By::LookUp, outcome) }
    }
}

impl Row {
    pub fn to_json(&self) -> String {
        object_text(|row| {
            row.literal("version", VERSION);
            row.text("key", &self.key);
            row.literal("seq", self.seq);
            row.text("id", &self.id);
            row.literal("time_ms", self.time_ms);
            row.optional("order", self.order.as_deref());
            row.literal("open", self.open);
            match &self.kind {
                Kind::Claim(claim) => {
                    row.text("kind", "claim");
                    row.text("step", claim.step.name());
                    row.text("function", &claim.function);
                    row.literal("explicit", claim.explicit);
                    row.literal("has_page", claim.has_page);
                    row.literal("until_ms", claim.until_ms);
                    row.raw("digests", |out| {
                        object(out, |digests| {
                            claim.digests.iter().for_each(|(path, digest)| digests.text(path, digest));
                        });
                    });
                    row.optional("list", claim.list.as_deref());
                    if !claim.request.is_empty() {
                        row.raw("request", |out| out.extend_from_slice(claim.request.as_bytes()));
                    }
                    row.optional("amount", claim.amount.as_deref());
                    row.optional("currency", claim.currency.as_deref());
                }
                Kind::End(end) => {
                    row.text("kind", "end");
                    row.text("of", &end.of);
                    row.text("by", end.by.name());
                    if let By::Person { who, why } = &end.by {
                        row.text("who", who);
                        row.text("why", why);
                    }
                    row.text("outcome", status::name_of_outcome(end.outcome));
                    row.literal("state", end.state.0);
                    row.literal("final", end.is_final);
                    row.literal("http_status", end.http_status);
                    row.optional("payment_reference", end.payment_reference.as_deref());
                    row.optional("batch_reference", end.batch_reference.as_deref());
                    row.literal("recipients", end.recipients);
                }
            }
        })
    }

    /// Fails with what is wrong: a row that cannot be read never counts as missing.
    pub fn parse(text: &str) -> Result<Row, String> {
        let members = json::members_of(text).map_err(|error| format!("a row is not JSON: {error}"))?;
        let row = Reader(&members);
        if row.number("version")? != u64::from(VERSION) {
            return Err("a row has been written by a later version of this library".to_owned());
        }
        let kind = match &*row.text("kind")? {
            "claim" => Kind::Claim(Claim {
                step: row.named("step", |name| Step::ALL.iter().copied().find(|step| step.name() == name))?,
                function: row.text("function")?.into_owned(),
                explicit: row.flag("explicit")?,
                has_page: row.flag("has_page")?,
                until_ms: row.number("until_ms")?,
                digests: row.texts("digests")?,
                list: row.optional("list")?,
                request: json::member(&members, "request").map(|raw| raw.to_owned()).unwrap_or_default(),
                amount: row.optional("amount")?,
                currency: row.optional("currency")?,
            }),
            "end" => Kind::End(End {
                of: row.text("of")?.into_owned(),
                by: row.by()?,
                outcome: row.named("outcome", status::outcome_named)?,
                state: State(row.number("state")? as i32),
                is_final: row.flag("final")?,
                http_status: row.number("http_status")? as u16,
                payment_reference: row.optional("payment_reference")?,
                batch_reference: row.optional("batch_reference")?,
                recipients: u32::try_from(row.number("recipients")?).map_err(|_| wrong("recipients"))?,
            }),
            _ => return Err("a row has an unknown kind".to_owned()),
        };
        Ok(Row {
            key: row.text("key")?.into_owned(),
            seq: u32::try_from(row.number("seq")?).map_err(|_| wrong("seq"))?,
            id: row.text("id")?.into_owned(),
            time_ms: row.number("time_ms")?,
            order: row.optional("order")?,
            open: row.flag("open")?,
            kind,
        })
    }
}

impl By {
    const fn name(&self) -> &'static str {
        match self {
            By::Sender => "sender",
            By::LookUp => "look_up",
            By::Person { .. } => "person",
        }
    }
}

/// Members of a row. A missing one is an error.
struct Reader<'a>(&'a Members<'a>);

fn wrong(name: &str) -> String {
    format!("{name} of a row is missing or wrong")
}

impl<'a> Reader<'a> {
    fn get(&self, name: &str) -> Result<&'a RawValue, String> {
        json::member(self.0, name).ok_or_else(|| wrong(name))
    }

    fn text(&self, name: &str) -> Result<Cow<'a, str>, String> {
        json::text(self.get(name)?).ok_or_else(|| wrong(name))
    }

    fn optional(&self, name: &str) -> Result<Option<String>, String> {
        let Some(value) = json::member(self.0, name) else { return Ok(None) };
        json::text(value).map(|text| Some(text.into_owned())).ok_or_else(|| wrong(name))
    }

    fn number(&self, name: &str) -> Result<u64, String> {
        self.get(name)?.parse().map_err(|_| wrong(name))
    }

    fn flag(&self, name: &str) -> Result<bool, String> {
        self.get(name)?.parse().map_err(|_| wrong(name))
    }

    fn named<T>(&self, name: &str, find: impl FnOnce(&str) -> Option<T>) -> Result<T, String> {
        find(&self.text(name)?).ok_or_else(|| wrong(name))
    }

    fn texts(&self, name: &str) -> Result<Vec<(String, String)>, String> {
        let members = json::members(self.get(name)?).map_err(|_| wrong(name))?;
        let text =
            |(path, value): &(Cow<'_, str>, &RawValue)| Some((path.to_string(), json::text(value)?.into_owned()));
        members.iter().map(text).collect::<Option<_>>().ok_or_else(|| wrong(name))
    }

    fn by(&self) -> Result<By, String> {
        Ok(match &*self.text("by")? {
            "sender" => By::Sender,
            "look_up" => By::LookUp,
            "person" => By::Person { who: self.text("who")?.into_owned(), why: self.text("why")?.into_owned() },
            _ => return Err(wrong("by")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> [Row; 3] {
        let claim = Claim {
            step: Step::Charge,
            function: "order_pay".into(),
            explicit: true,
            has_page: false,
            until_ms: u64::MAX,
            digests: vec![("reference".into(), "00ff".into())],
            list: Some("ff00".into()),
            request: r#"{"reference":"R \" 1"}"#.into(),
            amount: Some("100.10".into()),
            currency: None,
        };
        let end = |by| End {
            of: "1".into(),
            by,
            outcome: Outcome::Unknown,
            state: State::PENDING,
            is_final: false,
            http_status: 504,
            payment_reference: Some("P".into()),
            batch_reference: Some("B".into()),
            recipients: 2,
        };
        let row = |kind| Row {
            key: "k \u{e9}\n".into(),
            seq: 7,
            id: "1".into(),
            time_ms: 5,
            order: Some("R".into()),
            open: true,
            kind,
        };
        let person = By::Person { who: "A. Person".into(), why: "the bank's list".into() };
        [row(Kind::Claim(claim)), row(Kind::End(end(By::Sender))), Row { order: None, ..row(Kind::End(end(person))) }]
    }

    #[test]
    fn a_row_is_read_as_it_was_written() {
        for row in rows() {
            assert_eq!(Row::parse(&row.to_json()), Ok(row));
        }
    }

    /// If an unreadable row counted as missing, there would be a second charge.
    #[test]
    fn every_row_that_lacks_something_is_refused() {
        for row in rows() {
            let text = row.to_json();
            let members = json::members_of(&text).unwrap();
            for (left_out, _) in &members {
                if matches!(
                    &**left_out,
                    "order" | "list" | "request" | "amount" | "currency" | "payment_reference" | "batch_reference"
                ) {
                    continue;
                }
                let rest: Vec<_> = members.iter().filter(|(name, _)| name != left_out).collect();
                let short = object_text(|out| {
                    rest.iter()
                        .for_each(|(name, value)| out.raw(name, |bytes| bytes.extend_from_slice(value.as_bytes())));
                });
                assert!(Row::parse(&short).is_err(), "without {left_out}: {short}");
            }
            assert!(
                Row::parse(&text.replace(r#""version":1"#, r#""version":2"#)).unwrap_err().contains("later version")
            );
            assert!(Row::parse(&text[..text.len() - 1]).is_err());
        }
    }
}
