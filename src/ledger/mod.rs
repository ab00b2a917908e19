//! The journal: what is recorded about requests that move money, and what a call may do after reading it. Rows are
//! appended and never changed.
//!
//! Imports `util`, `json`, `call`, and what `request` records.

pub mod claims;
pub mod clock;
pub mod digest;
pub mod key;
mod minted;
pub mod row;
#[cfg(feature = "journal")]
pub mod sqlite;
pub mod store;
pub mod table;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use self::claims::{ClaimRecord, ClaimState};
use self::key::Scope;
use self::minted::Minted;
use self::row::{By, Claim, End, Kind, Row};
use self::store::{Appended, NewRow, Query, Store};
use self::table::{Candidate, Claims, Decision};
use crate::call::Call;
use crate::request::record::Record;
use crate::util::unique;
use paysvc_spec::journal::Step;
use paysvc_spec::status::Outcome;

/// No more rows of a key or an order are read: nobody tries that often.
const MOST_ROWS: usize = 10_000;
/// A row is a few hundred bytes.
const LONGEST_ROW: usize = 64 * 1024;

const HAS_OPEN: &str = "the journal has open requests: call journal_next when the program starts";
const ELSEWHERE: &str = "the journal was made on another machine, or is a copy: it may lack requests that were sent, so none \
                         of its look-ups will be REJECTED";

/// The rows of one merchant at one service.
pub struct Journal {
    store: Box<dyn Store>,
    pub scope: Scope,
    pub minted: Minted,
    /// How long a closed key is kept.
    keep: Duration,
    /// Somebody was told whether keys are open.
    announced: AtomicBool,
}

/// What a run reads before it sends, and where it writes what it did.
#[derive(Clone, Copy)]
pub enum Ledger<'a> {
    /// Nothing is found, every claim succeeds, and ends go nowhere.
    Empty,
    /// An entry for each item of the run.
    Journal(&'a Journal, &'a [Entry]),
}

/// A request as the journal enters it.
pub struct Entry {
    pub record: Record,
    pub key: String,
    /// The caller gave the key.
    pub explicit: bool,
    /// As rows name it.
    pub order: Option<String>,
    /// Of a recipient: the digest of its list.
    pub list: Option<String>,
}

impl Entry {
    /// The order whose rows decide together with those of the key.
    fn order_to_read(&self) -> Option<&str> {
        self.order.as_deref().filter(|_| self.record.step.is_of_order())
    }
}

impl<'a> Ledger<'a> {
    pub fn entries(self) -> &'a [Entry] {
        match self {
            Ledger::Empty => &[],
            Ledger::Journal(_, entries) => entries,
        }
    }

    pub fn read(self, entry: &Entry, call: &Call<'_>) -> Result<Snapshot, String> {
        match self {
            Ledger::Empty => Ok(Snapshot::default()),
            Ledger::Journal(journal, _) => journal.snapshot(&entry.key, entry.order_to_read(), call),
        }
    }

    /// What the call does, by the table.
    pub fn decide<'r>(self, entry: &Entry, found: &Claims<'r>) -> Decision<'r> {
        let Entry { record, key, explicit, .. } = entry;
        let minted = match self {
            Ledger::Empty => None,
            Ledger::Journal(journal, _) => Some(&journal.minted),
        };
        let fresh = record.order.as_deref().is_some_and(|order| minted.is_some_and(|minted| minted.has(order)));
        let wanted = Candidate { key, step: record.step, explicit: *explicit, members: &record.members, fresh };
        found.decide(&wanted, clock::now_ms())
    }

    /// Writes that the entry's request is about to be sent, by this call.
    pub fn claim(self, entry: &Entry, known: &Snapshot, call: &Call<'_>) -> Result<ClaimResult, String> {
        let Ledger::Journal(journal, _) = self else { return Err("there is no journal to claim in".to_owned()) };
        let Entry { record, explicit, list, .. } = entry;
        let until_ms = clock::now_ms().saturating_add(u64::try_from(call.time_left().as_millis()).unwrap_or(u64::MAX));
        let make = |id: &str| Claim {
            step: record.step,
            function: record.function.to_owned(),
            explicit: *explicit,
            has_page: record.has_page,
            until_ms,
            digests: digest::digests(id, &record.members),
            list: list.as_deref().map(|list| digest::list(id, list)),
            request: record.kept(),
            amount: record.amount.clone(),
            currency: record.currency.clone(),
        };
        journal.claim(known, entry.order.as_deref(), make, call)
    }

    /// Writes what became of a claim. True if a person had settled it differently.
    pub fn end(self, claim: &Row, end: &End, call: &Call<'_>) -> Result<bool, String> {
        match self {
            Ledger::Empty => Ok(false),
            Ledger::Journal(journal, _) => journal.end(claim, end, call),
        }
    }
}

/// What is known about a key and its order at one moment.
#[derive(Default)]
pub struct Snapshot {
    /// Each row once.
    pub rows: Vec<Row>,
    key: String,
    /// The order whose rows were read as well.
    order: Option<String>,
}

/// The result of an attempt to claim.
pub enum ClaimResult {
    /// The request may be sent.
    Claimed(Box<Row>),
    /// Something else was written since the journal was read.
    Superseded,
}

impl Snapshot {
    fn of_key(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.key == self.key)
    }

    fn next_seq(&self) -> u32 {
        self.of_key().map(|row| row.seq).max().unwrap_or(0) + 1
    }
}

impl Journal {
    /// `keep`: how long a closed key is kept.
    pub fn new(store: Box<dyn Store>, scope: Scope, keep: Duration) -> Journal {
        Journal { store, scope, minted: Minted::default(), keep, announced: AtomicBool::new(false) }
    }

    /// A warning about what was found, which is given once.
    pub fn news(&self, call: &Call<'_>) -> Vec<&'static str> {
        if self.announced.swap(true, Ordering::SeqCst) {
            return Vec::new();
        }
        let open = self.next_open(&self.scope.long(""), 1, call);
        let has_open = open.is_ok_and(|open| !open.is_empty());
        let news = [(self.store.is_elsewhere(), ELSEWHERE), (has_open, HAS_OPEN)];
        news.into_iter().filter_map(|(is_so, text)| is_so.then_some(text)).collect()
    }

    /// The rows of the key, and those of its order.
    pub fn snapshot(&self, key: &str, order: Option<&str>, call: &Call<'_>) -> Result<Snapshot, String> {
        let mut rows = self.read(Query::Key(key), call)?;
        check_numbers(&rows)?;
        let mut of_order = Vec::new();
        if let Some(order) = order {
            of_order = self.read(Query::Order(order), call)?;
            of_order.retain(|row| row.key != key);
        }
        // Newer rows of its order need the old rows too, because attempts are counted.
        let mut of_all = rows.chunk_by(is_same_key).chain(of_order.chunk_by(is_same_key));
        if !rows.is_empty() && of_all.all(|of_key| of_key.last().is_some_and(|last| self.is_outdated(last))) {
            self.store.forget(key, call.time_left())?;
            rows = self.read(Query::Key(key), call)?;
        }
        rows.append(&mut of_order);
        Ok(Snapshot { rows, key: key.to_owned(), order: order.map(str::to_owned) })
    }

    /// The key of this last row has been closed for so long that it is new again.
    fn is_outdated(&self, last: &Row) -> bool {
        !last.open && last.time_ms < self.keep_from_ms()
    }

    fn keep_from_ms(&self) -> u64 {
        clock::now_ms().saturating_sub(u64::try_from(self.keep.as_millis()).unwrap_or(u64::MAX))
    }

    /// The last row of the next open key, after that one.
    pub fn next_open(&self, after: &str, limit: u32, call: &Call<'_>) -> Result<Vec<Row>, String> {
        let rows = self.read(Query::Open { after, limit }, call)?;
        // Rows of other merchants are not this client's.
        Ok(rows.into_iter().filter(|row| self.scope.has(&row.key)).collect())
    }

    fn read(&self, query: Query<'_>, call: &Call<'_>) -> Result<Vec<Row>, String> {
        let (mut rows, mut wrong) = (Vec::new(), None);
        let mut found = |text: &str| {
            let row = match text.len() {
                0..=LONGEST_ROW if rows.len() < MOST_ROWS => Row::parse(text),
                0..=LONGEST_ROW => Err(format!("there are more than {MOST_ROWS} rows")),
                length => Err(format!("a row has {length} bytes")),
            };
            match row {
                Ok(row) => rows.push(row),
                Err(text) => wrong = Some(text),
            }
            wrong.is_none()
        };
        self.store.read(query, call.time_left(), &mut found)?;
        match wrong {
            None => {
                rows.sort_by(|one: &Row, two: &Row| (&one.key, one.seq).cmp(&(&two.key, two.seq)));
                Ok(rows)
            }
            Some(text) => Err(text),
        }
    }

    /// Writes that the request is about to be sent, if nothing has been written since the journal was read. `make` gets
    /// the row's random number. `order`: what the request is about.
    pub fn claim(
        &self,
        known: &Snapshot,
        order: Option<&str>,
        make: impl FnOnce(&str) -> Claim,
        call: &Call<'_>,
    ) -> Result<ClaimResult, String> {
        let id = new_id()?;
        let claim = make(&id);
        let row = made(known, id, order, known.next_seq(), Kind::Claim(claim));
        let appended = self.append(&row, call);
        if appended == Ok(Appended::Exists) {
            return Ok(ClaimResult::Superseded);
        }
        // It is read back, even if the answer to the insert was lost.
        let now = self.snapshot(&known.key, known.order.as_deref(), call);
        match (appended, now) {
            (appended, Ok(now)) => {
                let is_there = now.rows.iter().any(|other| other.id == row.id);
                if is_there && now.rows.len() == known.rows.len() + 1 {
                    return Ok(ClaimResult::Claimed(Box::new(row)));
                }
                // An insert that arrives later fails, because its number is taken.
                let end = End::not_sent(&row.id);
                let seq = if is_there { now.next_seq() } else { row.seq };
                let end = made(&now, new_id()?, order, seq, Kind::End(end));
                let fenced = self.append(&end, call);
                let others_wrote = now.rows.len() > known.rows.len() + usize::from(is_there);
                match (appended, fenced) {
                    (Err(why), _) | (_, Err(why)) if !others_wrote => Err(why),
                    _ => Ok(ClaimResult::Superseded),
                }
            }
            (Err(why), Err(_)) | (Ok(_), Err(why)) => Err(why),
        }
    }

    /// Writes what became of a claim, behind all rows of its key. True if a person had settled it differently.
    pub fn end(&self, claim: &Row, end: &End, call: &Call<'_>) -> Result<bool, String> {
        loop {
            let known = self.snapshot(&claim.key, None, call)?;
            let row = made(&known, new_id()?, claim.order.as_deref(), known.next_seq(), Kind::End(end.clone()));
            if self.append(&row, call)? == Appended::Done {
                return Ok(known.rows.iter().any(|row| contradicts(row, end)));
            }
            if call.time_left().is_zero() {
                return Err("others are writing this key, and the time is over".to_owned());
            }
        }
    }

    fn append(&self, row: &Row, call: &Call<'_>) -> Result<Appended, String> {
        let json = row.to_json();
        let new = NewRow {
            key: &row.key,
            seq: row.seq,
            order: row.order.as_deref(),
            open: row.open,
            time_ms: row.time_ms,
            json: &json,
            keep_from_ms: self.keep_from_ms(),
        };
        self.store.append(&new, call.time_left())
    }

    /// How many requests that may charge the order were begun; and what the service called this one, if every other has
    /// ended. Nothing if the journal cannot know: it is not where it was made, so another journal may have sent
    /// requests, or the customer may have paid on a page.
    pub fn attempts<'a>(&self, claims: &[ClaimRecord<'a>], of: &ClaimRecord<'a>) -> (Option<u32>, Option<&'a str>) {
        let has_page = claims.iter().any(|claimed| claimed.claim.step == Step::Order && claimed.claim.has_page);
        if has_page || self.store.is_elsewhere() {
            return (None, None);
        }
        let counts = |claimed: &&ClaimRecord<'_>| match of.claim.step {
            Step::Charge => claimed.claim.step == Step::Charge,
            _ => claimed.row.key == of.row.key,
        };
        let counted = || claims.iter().filter(counts);
        let begun = counted().filter(|claimed| claimed.state() != ClaimState::NotSent).count();
        let all_ended = counted().all(|claimed| claimed.row.id == of.row.id || !claimed.is_open());
        (u32::try_from(begun).ok(), of.named_by_service().filter(|_| all_ended))
    }

    /// The order of a charge that is open, or of an authorization that was recorded, by what the service called the
    /// attempt to pay.
    pub fn order_of_payment(&self, key: &str, payment: &str, call: &Call<'_>) -> Result<Option<String>, String> {
        const PAGE: u32 = 100;
        let named = |row: &Row| match &row.kind {
            Kind::End(end) => end.payment_reference.as_deref().is_some_and(|named| is_same(named, payment)),
            Kind::Claim(_) => false,
        };
        if let Some(row) = self.read(Query::Key(key), call)?.into_iter().find(|row| row.order.is_some()) {
            return Ok(row.order);
        }
        let mut after = self.scope.long("");
        loop {
            let page = self.next_open(&after, PAGE, call)?;
            for open in &page {
                if self.read(Query::Key(&open.key), call)?.iter().any(named) {
                    return Ok(open.order.clone());
                }
            }
            match page.last() {
                Some(last) => after.clone_from(&last.key),
                None => return Ok(None),
            }
        }
    }
}

/// The row is a person's end of the same claim, and says the opposite.
fn contradicts(row: &Row, end: &End) -> bool {
    let decides = |outcome| matches!(outcome, Outcome::Confirmed | Outcome::Rejected);
    match &row.kind {
        Kind::End(other) => {
            matches!(other.by, By::Person { .. })
                && other.of == end.of
                && decides(end.outcome)
                && other.outcome != end.outcome
        }
        Kind::Claim(_) => false,
    }
}

/// A row that follows those of its key.
fn made(known: &Snapshot, id: String, order: Option<&str>, seq: u32, kind: Kind) -> Row {
    let order = order.map(str::to_owned);
    let mut row = Row { key: known.key.clone(), seq, id, time_ms: clock::now_ms(), order, open: false, kind };
    let rows: Vec<Row> = known.of_key().chain(std::iter::once(&row)).cloned().collect();
    row.open = claims::is_open(&rows);
    row
}

fn new_id() -> Result<String, String> {
    unique::reference("").ok_or_else(|| "the system returned no random bytes for the number of a row".to_owned())
}

/// As the service compares references: case and blanks around them do not count.
fn is_same(one: &str, other: &str) -> bool {
    one.trim().eq_ignore_ascii_case(other.trim())
}

fn is_same_key(one: &Row, other: &Row) -> bool {
    one.key == other.key
}

/// Rows are numbered without gaps: a missing one may be a charge.
fn check_numbers(rows: &[Row]) -> Result<(), String> {
    match rows.iter().enumerate().find(|(index, row)| row.seq as usize != index + 1) {
        Some((index, _)) => Err(format!("row {} of a key is missing", index + 1)),
        None => Ok(()),
    }
}
