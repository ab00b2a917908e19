//! A row of the journal, and its JSON.

use std::borrow::Cow;

use super::clock::Moment;
use super::digest::digest;
use super::key::Name;
use crate::json::object::{object, object_text};
use crate::json::{self, Fields, Given, Value};
use paysvc_spec::journal::Step;
use paysvc_spec::status::{self, Outcome, State};

/// The form of the rows. A row of another version cannot be read.
const VERSION: u32 = 2;
/// A row is a few hundred bytes; a longer one than this is neither written nor read.
pub const LONGEST: usize = 64 * 1024;

#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    pub key: Name,
    /// From 1, without gaps.
    pub seq: u32,
    /// Random.
    pub id: String,
    /// When it was written: milliseconds since 1970.
    pub time_ms: u64,
    /// The order that it is about.
    pub order: Option<Name>,
    /// See [`super::key::Accounts`].
    pub account: String,
    /// The key is open once this row is written.
    pub open: bool,
    pub kind: Kind,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    Claim(Claim),
    End(End),
    /// Somebody found the claim on a clock that cannot be compared with its own; it decides nothing.
    Seen {
        /// The row of the claim.
        of: String,
        at: Moment,
    },
    Tombstone(Tombstone),
    /// For the key of an authorization: the response to a charge of the order named this attempt to pay.
    Payment,
}

/// The rest of a key that was closed long ago, under digests of its key and its order.
#[derive(Clone, PartialEq, Debug)]
pub struct Tombstone {
    pub step: Step,
    pub outcome: Outcome,
    pub state: State,
}

impl Tombstone {
    /// Returns the text that stands for the name of a key or an order.
    pub fn name_of(index: &str) -> String {
        format!("ended {}", digest("tombstone", "name", index))
    }
}

/// For how long a claim's call may be under way.
#[derive(Clone, PartialEq, Debug)]
pub struct Lease {
    pub from: Moment,
    pub for_ms: u64,
}

/// A request is about to be sent.
#[derive(Clone, PartialEq, Debug)]
pub struct Claim {
    pub step: Step,
    /// Name of the row of the table, or "request".
    pub function: String,
    /// The caller gave the key.
    pub explicit: bool,
    /// The customer may pay the order on a page of the service.
    pub has_page: bool,
    pub lease: Lease,
    /// Digests of the fields that determine who pays what to whom, by path.
    pub digests: Vec<(String, String)>,
    /// For a recipient: the digest of the list that paid it, with the row's random number.
    pub list: Option<String>,
    /// The part of the request that a status query needs: a JSON object without secrets. Empty if nothing can be looked up.
    pub request: String,
    pub amount: Option<String>,
    pub currency: Option<String>,
}

/// The result of a claim, as found by somebody.
#[derive(Clone, PartialEq, Debug)]
pub struct End {
    /// The row of the claim.
    pub of: String,
    pub by: By,
    pub outcome: Outcome,
    pub state: State,
    /// CONFIRMED, and it will not change.
    pub is_final: bool,
    /// 0: there was no response.
    pub http_status: u16,
    /// The response's reference of the attempt to pay, or of the payout.
    pub payment_reference: Option<String>,
    /// The response's reference of the batch.
    pub batch_reference: Option<String>,
    /// The number of recipients in the batch of a payout; 0 for everything else.
    pub recipients: u32,
    /// The amount charged for the order, as the response has it.
    pub amount: Option<String>,
    /// The amount may include it.
    pub fee: Option<String>,
    pub currency: Option<String>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum By {
    /// The call that made the claim.
    Sender,
    /// A status query.
    LookUp,
    Person {
        who: String,
        why: String,
        /// True if the person stated that the claim's sender has ended.
        sender_ended: bool,
    },
}

impl End {
    pub fn new(of: &str, by: By, outcome: Outcome) -> End {
        End {
            of: of.to_owned(),
            by,
            outcome,
            state: State::NONE,
            is_final: false,
            http_status: 0,
            payment_reference: None,
            batch_reference: None,
            recipients: 0,
            amount: None,
            fee: None,
            currency: None,
        }
    }

    /// By the sender, for a claim that was not sent.
    pub fn not_sent(of: &str) -> End {
        End::new(of, By::Sender, Outcome::NotSent)
    }

    /// Without texts of the service that are too long for a row: they are for people and for status queries.
    pub fn readable(&self) -> End {
        let short = |text: &Option<String>| text.clone().filter(|text| text.len() < LONGEST / 8);
        let (payment_reference, batch_reference) = (short(&self.payment_reference), short(&self.batch_reference));
        End { payment_reference, batch_reference, ..self.clone() }
    }
}

/// The last field of a row.
fn check(id: &str, before: &str) -> String {
    format!(r#","check":"{}"}}"#, digest(id, "row", before))
}

/// The place of a row in a table.
#[cfg(feature = "journal")]
pub struct Place<'a> {
    pub key: &'a str,
    pub seq: u32,
    pub order: Option<&'a str>,
    pub account: &'a str,
    /// The values that the row there may have for whether its key is open.
    pub opens: &'a [bool],
}

/// The JSON begins as a row of that place does whose names need no escapes. A quotation mark within a text has a backslash.
#[cfg(feature = "journal")]
fn is_written_at(text: &str, place: &Place<'_>) -> bool {
    let Place { key, seq, order, account, opens } = *place;
    let Some((head, _)) = text.split_once(r#","kind":"#) else { return false };
    head.starts_with(&format!(r#"{{"version":{VERSION},"key":"{key}","key_as_given":"#))
        && head.contains(&format!(r#","seq":{seq},"id":"#))
        && order.map_or(!head.contains(r#","order":"#), |order| {
            head.contains(&format!(r#","order":"{order}","order_as_given":"#))
        })
        && opens.iter().any(|open| head.ends_with(&format!(r#","account":"{account}","open":{open}"#)))
}

impl Row {
    /// Fails if it could not be read again, with the fault.
    pub fn to_json(&self) -> Result<String, String> {
        let mut text = self.members();
        text.pop();
        text += &check(&self.id, &text);
        fits(&text)?;
        // The rest is typed, or escaped here.
        if let Kind::Claim(claim) = &self.kind
            && !claim.request.is_empty()
        {
            Given::read(&claim.request).fields().map_err(not_json)?;
        }
        Ok(text)
    }

    /// It is a row of this key, or what is left of one.
    pub fn is_of_key(&self, index: &str) -> bool {
        is_called(&self.key, index)
    }

    pub fn is_of_order(&self, index: &str) -> bool {
        self.order.as_ref().is_some_and(|order| is_called(order, index))
    }

    /// The row with this JSON belongs at that place; so does one that is damaged in itself. The text is compared first with
    /// what [`Row::members`] begins with: to read all rows of a journal takes several times as long.
    #[cfg(feature = "journal")]
    pub fn is_of_place(text: &str, place: &Place<'_>) -> bool {
        is_written_at(text, place)
            || Row::parse(text).map_or(true, |row| {
                let own = (&*row.key.index, row.seq, row.order.as_ref().map(|order| &*order.index), &*row.account);
                own == (place.key, place.seq, place.order, place.account) && place.opens.contains(&row.open)
            })
    }

    /// Without the last one.
    fn members(&self) -> String {
        object_text(|row| {
            row.literal("version", VERSION);
            row.text("key", &self.key.index);
            row.text("key_as_given", &self.key.given);
            row.literal("seq", self.seq);
            row.text("id", &self.id);
            row.literal("time_ms", self.time_ms);
            if let Some(order) = &self.order {
                row.text("order", &order.index);
                row.text("order_as_given", &order.given);
            }
            row.text("account", &self.account);
            row.literal("open", self.open);
            match &self.kind {
                Kind::Claim(claim) => {
                    row.text("kind", "claim");
                    row.text("step", claim.step.name());
                    row.text("function", &claim.function);
                    row.literal("explicit", claim.explicit);
                    row.literal("has_page", claim.has_page);
                    row.text("boot", &claim.lease.from.boot);
                    row.literal("from_ms", claim.lease.from.ms);
                    row.literal("for_ms", claim.lease.for_ms);
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
                    if let By::Person { who, why, sender_ended } = &end.by {
                        row.text("who", who);
                        row.text("why", why);
                        if *sender_ended {
                            row.literal("sender_ended", true);
                        }
                    }
                    row.text("outcome", status::name_of_outcome(end.outcome));
                    row.literal("state", end.state.0);
                    row.literal("final", end.is_final);
                    row.literal("http_status", end.http_status);
                    row.optional("payment_reference", end.payment_reference.as_deref());
                    row.optional("batch_reference", end.batch_reference.as_deref());
                    row.literal("recipients", end.recipients);
                    row.optional("amount", end.amount.as_deref());
                    row.optional("fee", end.fee.as_deref());
                    row.optional("currency", end.currency.as_deref());
                }
                Kind::Seen { of, at } => {
                    row.text("kind", "seen");
                    row.text("of", of);
                    row.text("boot", &at.boot);
                    row.literal("at_ms", at.ms);
                }
                Kind::Payment => row.text("kind", "payment"),
                Kind::Tombstone(ended) => {
                    row.text("kind", "tombstone");
                    row.text("step", ended.step.name());
                    row.text("outcome", status::name_of_outcome(ended.outcome));
                    row.literal("state", ended.state.0);
                }
            }
        })
    }

    /// The key of a row that is damaged elsewhere.
    pub fn legible_key(text: &str) -> Option<Name> {
        Reader(Given::read(text).fields().ok()?).name("key", "key_as_given").ok()?
    }

    /// Fails with the fault: a row that cannot be read never counts as missing.
    pub fn parse(text: &str) -> Result<Row, String> {
        fits(text)?;
        let given = Given::read(text);
        let row = Reader(given.fields().map_err(not_json)?);
        if row.number::<u32>("version")? != VERSION {
            return Err("a row has been written by another version of this library".to_owned());
        }
        let id = row.text("id")?.into_owned();
        // A text that was changed, or laid out anew by a database, is not what was written.
        let is_whole = text.rfind(r#","check":"#).is_some_and(|at| text[at..] == check(&id, &text[..at]));
        if !is_whole {
            return Err(wrong("check"));
        }
        let moment = |ms: &str| Ok::<_, String>(Moment { boot: row.text("boot")?.into_owned(), ms: row.number(ms)? });
        let step = || row.named("step", |name| Step::ALL.iter().copied().find(|step| step.name() == name));
        let kind = match &*row.text("kind")? {
            "claim" => Kind::Claim(Claim {
                step: step()?,
                function: row.text("function")?.into_owned(),
                explicit: row.flag("explicit")?,
                has_page: row.flag("has_page")?,
                lease: Lease { from: moment("from_ms")?, for_ms: row.number("for_ms")? },
                digests: row.texts("digests")?,
                list: row.optional("list")?,
                request: row.0.get("request").map(|request| request.raw().to_owned()).unwrap_or_default(),
                amount: row.optional("amount")?,
                currency: row.optional("currency")?,
            }),
            "end" => Kind::End(End {
                of: row.text("of")?.into_owned(),
                by: row.by()?,
                outcome: row.named("outcome", status::outcome_named)?,
                state: State(row.number("state")?),
                is_final: row.flag("final")?,
                http_status: row.number("http_status")?,
                payment_reference: row.optional("payment_reference")?,
                batch_reference: row.optional("batch_reference")?,
                recipients: row.number("recipients")?,
                amount: row.optional("amount")?,
                fee: row.optional("fee")?,
                currency: row.optional("currency")?,
            }),
            "seen" => Kind::Seen { of: row.text("of")?.into_owned(), at: moment("at_ms")? },
            "payment" => Kind::Payment,
            "tombstone" => Kind::Tombstone(Tombstone {
                step: step()?,
                outcome: row.named("outcome", status::outcome_named)?,
                state: State(row.number("state")?),
            }),
            _ => return Err("a row has an unknown kind".to_owned()),
        };
        Ok(Row {
            key: row.name("key", "key_as_given")?.ok_or_else(|| wrong("key"))?,
            seq: row.number("seq")?,
            id,
            time_ms: row.number("time_ms")?,
            order: row.name("order", "order_as_given")?,
            account: row.text("account")?.into_owned(),
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

fn is_called(name: &Name, index: &str) -> bool {
    name.index == index || name.index == Tombstone::name_of(index)
}

/// Fields of a row. A missing one is an error.
struct Reader<'a>(Fields<'a>);

fn fits(text: &str) -> Result<(), String> {
    if text.len() > LONGEST { Err(format!("a row has {} bytes", text.len())) } else { Ok(()) }
}

fn not_json(error: json::Error) -> String {
    format!("a row {error}")
}

fn wrong(name: &str) -> String {
    format!("{name} of a row is missing or wrong")
}

impl<'a> Reader<'a> {
    fn get(&self, name: &str) -> Result<Value<'a>, String> {
        self.0.get(name).ok_or_else(|| wrong(name))
    }

    fn text(&self, name: &str) -> Result<Cow<'a, str>, String> {
        self.get(name)?.text().ok_or_else(|| wrong(name))
    }

    fn optional(&self, name: &str) -> Result<Option<String>, String> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        value.text().map(|text| Some(text.into_owned())).ok_or_else(|| wrong(name))
    }

    /// A key or an order.
    fn name(&self, index: &str, given: &str) -> Result<Option<Name>, String> {
        let name = match (self.optional(index)?, self.optional(given)?) {
            (Some(index), Some(given)) => Some(Name { index, given }),
            (None, None) => None,
            _ => return Err(wrong(given)),
        };
        Ok(name)
    }

    fn number<T: std::str::FromStr>(&self, name: &str) -> Result<T, String> {
        self.get(name)?.raw().parse().map_err(|_| wrong(name))
    }

    fn flag(&self, name: &str) -> Result<bool, String> {
        self.get(name)?.raw().parse().map_err(|_| wrong(name))
    }

    fn named<T>(&self, name: &str, find: impl FnOnce(&str) -> Option<T>) -> Result<T, String> {
        find(&self.text(name)?).ok_or_else(|| wrong(name))
    }

    fn texts(&self, name: &str) -> Result<Vec<(String, String)>, String> {
        let text = |child: Value<'_>| Some((child.name()?.into_owned(), child.text()?.into_owned()));
        self.get(name)?.children().map(text).collect::<Option<_>>().ok_or_else(|| wrong(name))
    }

    fn by(&self) -> Result<By, String> {
        Ok(match &*self.text("by")? {
            "sender" => By::Sender,
            "look_up" => By::LookUp,
            "person" => By::Person {
                who: self.text("who")?.into_owned(),
                why: self.text("why")?.into_owned(),
                sender_ended: self.0.get("sender_ended").is_some() && self.flag("sender_ended")?,
            },
            _ => return Err(wrong("by")),
        })
    }
}

#[cfg(test)]
impl Row {
    /// For tests: a row of this key, whose number is also its id.
    pub fn of(key: &str, seq: u32, kind: Kind) -> Row {
        let (key, id) = (Name::new(key), seq.to_string());
        Row { key, seq, id, time_ms: 5, order: None, account: "test  -".into(), open: true, kind }
    }
}

#[cfg(test)]
impl Claim {
    /// For tests: a claim whose call is over.
    pub fn of(step: Step) -> Claim {
        Claim {
            step,
            function: "order_pay".into(),
            explicit: false,
            has_page: false,
            lease: Lease { from: Moment { boot: String::new(), ms: 0 }, for_ms: 0 },
            digests: Vec::new(),
            list: None,
            request: String::new(),
            amount: None,
            currency: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        let claim = Claim {
            explicit: true,
            lease: Lease { from: Moment { boot: "b".into(), ms: u64::MAX }, for_ms: 1 },
            digests: vec![("reference".into(), "00ff".into())],
            list: Some("ff00".into()),
            request: r#"{"reference":"R \" 1"}"#.into(),
            amount: Some("100.10".into()),
            ..Claim::of(Step::Charge)
        };
        let end = |by, state| End {
            state,
            http_status: 504,
            payment_reference: Some("P".into()),
            batch_reference: Some("B".into()),
            recipients: 2,
            amount: Some("100.10".into()),
            fee: Some("0.10".into()),
            currency: Some("NGN".into()),
            ..End::new("1", by, Outcome::Unknown)
        };
        let row = |kind| Row { order: Some(Name::new("R")), ..Row::of("K \u{e9}\n", 7, kind) };
        let person = |sender_ended| {
            let (who, why) = ("A. Person".into(), "the bank's list".into());
            By::Person { who, why, sender_ended }
        };
        vec![
            row(Kind::Claim(claim)),
            // A state that the service may return some day.
            row(Kind::End(end(By::Sender, State(-1)))),
            Row { order: None, ..row(Kind::End(end(person(false), State::PENDING))) },
            row(Kind::End(end(person(true), State::NONE))),
            row(Kind::Seen { of: "1".into(), at: Moment { boot: "c".into(), ms: 3 } }),
            row(Kind::Payment),
            row(Kind::Tombstone(Tombstone {
                step: Step::Charge,
                outcome: Outcome::Confirmed,
                state: State::SUCCESSFUL,
            })),
        ]
    }

    #[test]
    fn a_row_is_read_as_it_was_written() {
        let given = |row: &Row| (row.key.given.clone(), row.order.as_ref().map(|order| order.given.clone()));
        for row in rows() {
            let read = Row::parse(&row.to_json().unwrap()).unwrap();
            assert!(read == row && given(&read) == given(&row));
        }
    }

    /// If an unreadable row counted as missing, there would be a second charge.
    #[test]
    fn every_row_that_lacks_something_or_was_changed_is_refused() {
        for row in rows() {
            let text = row.to_json().unwrap();
            let given = Given::read(&text);
            let fields = given.fields().unwrap();
            for (left_out, _) in fields.iter().filter(|(name, _)| name != "check") {
                let optional = "list request amount fee currency sender_ended payment_reference batch_reference";
                let is_optional = optional.split(' ').any(|name| name == left_out);
                let rest = fields.iter().filter(|(name, _)| *name != left_out && name != "check");
                let mut short = object_text(|out| {
                    rest.for_each(|(name, value)| {
                        out.raw(&name, |bytes| bytes.extend_from_slice(value.raw().as_bytes()))
                    });
                });
                short.pop();
                // With its own checksum, so that the field alone is missing.
                short += &check(&row.id, &short);
                assert_eq!(Row::parse(&short).is_ok(), is_optional, "without {left_out}: {short}");
            }
            for bit in 0..text.len() * 8 {
                let mut bytes = text.clone().into_bytes();
                bytes[bit / 8] ^= 1 << (bit % 8);
                let is_read = String::from_utf8(bytes).is_ok_and(|text| Row::parse(&text).is_ok());
                assert!(!is_read, "bit {bit} of {text}");
            }
            assert!(
                Row::parse(&text.replace(r#""version":2"#, r#""version":3"#)).unwrap_err().contains("another version")
            );
            assert!(Row::parse(&text[..text.len() - 1]).is_err());
        }
    }

    #[test]
    fn what_could_not_be_read_again_is_not_written() {
        let row = |request: &str| {
            Row::of("K", 1, Kind::Claim(Claim { request: request.to_owned(), ..Claim::of(Step::Other) })).to_json()
        };
        assert!(row("{}").is_ok());
        assert!(row("{").unwrap_err().contains("not JSON"));
        assert!(row(&format!("\"{}\"", "x".repeat(LONGEST))).unwrap_err().contains("bytes"));
    }
}
