//! The journal: the records of requests that move money, and the steps that a call may take after reading it. Rows are
//! appended and never changed.
//!
//! Imports `util`, `json`, `call`, and what `request` records.

pub mod claims;
pub mod clock;
pub mod digest;
pub mod key;
mod minted;
pub mod returns;
pub mod row;
#[cfg(feature = "journal")]
pub mod sqlite;
pub mod store;
pub mod table;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use self::claims::{ClaimRecord, ClaimState};
use self::clock::Moment;
use self::key::{Accounts, Name};
use self::minted::Minted;
use self::returns::Returns;
use self::row::{By, Claim, End, Kind, Lease, Row};
use self::store::{AppendResult, NewRow, Query, RowCounts, Store};
use self::table::{Candidate, Claims, Decision};
use crate::call::Call;
use crate::call::log::Level;
use crate::request::record::Record;
use crate::util::unique;
use paysvc_spec::journal::Step;
use paysvc_spec::status::Outcome;

/// No more rows of a key or an order are read: nobody tries that often.
const MOST_ROWS: usize = 10_000;
/// The time to write an end when the call's time is over: the end is known only now.
pub const MAX_END: Duration = Duration::from_secs(1);
/// A claim of this size is looked at before anything is sent.
const LARGE: usize = 4 * 1024;

const HAS_OPEN: &str = "the journal has open requests: call journal_next when the program starts";
const ELSEWHERE: &str = "the journal was made on another machine, or is a copy: it may lack requests that were sent, so none \
                         of its status queries will be REJECTED";
const OTHERS: &str = "the journal has requests of another account (another public key or base_url): a call that finds one of \
                      them is refused; use a journal for each, or name the old key in former_public_keys";

/// The rows of all accounts in a store, and whose this client's are.
pub struct Journal {
    store: Box<dyn Store>,
    pub accounts: Accounts,
    pub minted: Minted,
    pub returns: Returns,
    /// The time for which the details of a closed key are kept.
    keep: Duration,
    /// [`Journal::news`] has returned its findings.
    announced: AtomicBool,
}

/// The place where a run reads rows before it sends, and writes its claims and ends.
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
    pub key: Name,
    /// The caller gave the key.
    pub explicit: bool,
    pub order: Option<Name>,
    /// For a recipient: the digest of its list.
    pub list: Option<String>,
}

impl Entry {
    /// The order whose rows decide together with those of the key.
    fn order_to_read(&self) -> Option<&Name> {
        self.order.as_ref().filter(|_| self.record.step.is_of_order())
    }

    fn claim(&self, id: &str, lease: Lease) -> Claim {
        let Entry { record, explicit, list, .. } = self;
        Claim {
            step: record.step,
            function: record.function.to_owned(),
            explicit: *explicit,
            has_page: record.has_page,
            lease,
            digests: digest::digests(id, &record.members),
            list: list.as_deref().map(|list| digest::list(id, list)),
            request: record.kept(),
            amount: record.amount.clone(),
            currency: record.currency.clone(),
        }
    }
}

impl<'a> Ledger<'a> {
    pub fn entries(self) -> &'a [Entry] {
        match self {
            Ledger::Empty => &[],
            Ledger::Journal(_, entries) => entries,
        }
    }

    /// Writes that the entry's request is about to be sent, by this call.
    pub fn claim(self, entry: &Entry, known: &Snapshot, call: &Call<'_>) -> Result<ClaimResult, String> {
        let Ledger::Journal(journal, _) = self else { return Err("there is no journal to claim in".to_owned()) };
        let lease = Lease { from: Moment::now(), for_ms: clock::ms(call.time_left()) };
        if let (Step::Charge, Some(order)) = (entry.record.step, &entry.record.order) {
            journal.minted.remove(order);
        }
        journal.claim(known, entry.order.as_ref(), |id| entry.claim(id, lease), call)
    }

    /// Writes the end of a claim. True if a person had settled it differently.
    pub fn end(self, claim: &Row, end: &End, call: &Call<'_>) -> Result<bool, String> {
        match self {
            Ledger::Empty => Ok(false),
            Ledger::Journal(journal, _) => journal.end(claim, end, call),
        }
    }
}

/// The rows of a key and its order at one moment.
#[derive(Default)]
pub struct Snapshot {
    /// Each row once.
    pub rows: Vec<Row>,
    key: Name,
    /// The order whose rows were read as well.
    order: Option<Name>,
}

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

    /// Returns the number of rows that decide something.
    fn count(&self) -> usize {
        self.rows.iter().filter(|row| !matches!(row.kind, Kind::Seen { .. })).count()
    }

    /// Without tombstones: one more of these is one row less of another.
    fn row_counts(&self) -> RowCounts {
        let order = self.order.as_ref();
        let is_of_order = |row: &&Row| order.is_some_and(|order| row.order.as_ref() == Some(order));
        RowCounts {
            of_key: self.of_key().count(),
            order: order.map(|order| order.index.clone()),
            of_order: self.rows.iter().filter(is_of_order).count(),
        }
    }

    fn next_seq(&self) -> u32 {
        self.of_key().map(|row| row.seq).max().unwrap_or(0) + 1
    }
}

impl Journal {
    /// `keep`: how long the details of a closed key are kept.
    pub fn new(store: Box<dyn Store>, accounts: Accounts, keep: Duration) -> Journal {
        let (minted, returns, announced) = (Minted::new(), Returns::new(), AtomicBool::new(false));
        Journal { store, accounts, minted, returns, keep, announced }
    }

    /// The journal has requests of the other mode: test or live.
    pub fn has_another_mode(&self) -> bool {
        self.store.accounts().iter().any(|account| self.accounts.is_of_another_mode(account))
    }

    /// Returns the findings for the log, only once.
    pub fn news(&self, call: &Call<'_>) -> Vec<(Level, &'static str)> {
        if self.announced.swap(true, Ordering::SeqCst) {
            return Vec::new();
        }
        let has_open = self.next_open("", 1, call).is_ok_and(|open| !open.is_empty());
        let has_others = self.store.accounts().iter().any(|account| !self.accounts.has(account));
        let news = [
            (has_others, Level::Error, OTHERS),
            (self.store.is_elsewhere(), Level::Warn, ELSEWHERE),
            (has_open, Level::Warn, HAS_OPEN),
        ];
        news.into_iter().filter_map(|(is_so, level, text)| is_so.then_some((level, text))).collect()
    }

    /// Fails with the reason.
    pub fn back_up(&self, to: &Path, call: &Call<'_>) -> Result<(), String> {
        self.store.back_up(to, &call.bounds)
    }

    pub fn read(&self, entry: &Entry, call: &Call<'_>) -> Result<Snapshot, String> {
        // A new order has no rows. If it has, the claim finds them, and the next attempt reads them.
        if entry.record.step == Step::Charge && self.is_fresh(entry) {
            return Ok(Snapshot { rows: Vec::new(), key: entry.key.clone(), order: entry.order.clone() });
        }
        self.snapshot(&entry.key, entry.order_to_read(), call)
    }

    /// This client has made the reference of the order just now.
    fn is_fresh(&self, entry: &Entry) -> bool {
        entry.record.order.as_deref().is_some_and(|order| self.minted.is_fresh(order))
    }

    /// Decides what the call does, by the table.
    pub fn decide<'r>(&self, entry: &Entry, found: &Claims<'r>) -> Decision<'r> {
        let Entry { record, key, explicit, order, .. } = entry;
        let wanted = Candidate {
            key,
            order: order.as_ref(),
            step: record.step,
            explicit: *explicit,
            amount: record.amount.as_deref(),
            currency: record.currency.as_deref(),
            members: &record.members,
            fresh: self.is_fresh(entry),
            accounts: &self.accounts,
        };
        found.decide(&wanted, &Moment::now())
    }

    /// Fails if the entry's claim could not be written, with the reason.
    pub fn check(&self, entry: &Entry) -> Result<(), String> {
        let of = |name: Option<&Name>| name.map_or(0, |name| name.given.len());
        let members: usize = entry.record.members.iter().map(|(path, value)| path.len() + value.len()).sum();
        if of(Some(&entry.key)) + of(entry.order.as_ref()) + members < LARGE {
            return Ok(());
        }
        let claim = entry.claim("", Lease { from: Moment::now(), for_ms: 0 });
        let known = Snapshot { key: entry.key.clone(), ..Snapshot::default() };
        self.made(&known, String::new(), entry.order.as_ref(), 1, Kind::Claim(claim)).to_json().map(drop)
    }

    /// The rows of the key, and those of its order. A claim that this machine's clock has not met yet is marked.
    pub fn snapshot(&self, key: &Name, order: Option<&Name>, call: &Call<'_>) -> Result<Snapshot, String> {
        let mut marked = false;
        loop {
            let queries = [Some(Query::Key(&key.index)), order.map(|order| Query::Order(&order.index))];
            let mut rows = Vec::new();
            for row in self.queries(&queries.into_iter().flatten().collect::<Vec<_>>(), call)?.into_iter().flatten() {
                // One of the key that was not found by it counts: it was written since, or the store is damaged.
                if !rows.iter().any(|known: &Row| known.seq == row.seq && known.key == row.key) {
                    rows.push(row);
                }
            }
            // Later than every claim of this boot that was read.
            let now = Moment::now();
            let new: Vec<(Row, Kind)> = ClaimRecord::all(&rows)
                .iter()
                .filter(|claimed| !marked && claimed.is_new_to(&now))
                .map(|claimed| (claimed.row.clone(), Kind::Seen { of: claimed.row.id.clone(), at: now.clone() }))
                .collect();
            if new.is_empty() {
                return Ok(Snapshot { rows, key: key.clone(), order: order.cloned() });
            }
            for (claim, seen) in new {
                let rows = self.query(Query::Key(&claim.key.index), call)?;
                let known = Snapshot { rows, key: claim.key.clone(), order: None };
                // Without it the lease only lasts longer, and the next call tries again.
                _ = self.append(
                    &self.made(&known, new_id()?, claim.order.as_ref(), known.next_seq(), seen),
                    false,
                    None,
                    call,
                );
            }
            marked = true;
        }
    }

    fn keep_from_ms(&self) -> u64 {
        clock::now_ms().saturating_sub(clock::ms(self.keep))
    }

    /// The last row of each next open key of this account, after that one.
    pub fn next_open(&self, after: &str, limit: u32, call: &Call<'_>) -> Result<Vec<Row>, String> {
        let mut after = after.to_ascii_lowercase();
        loop {
            let rows = self.query(Query::Open { after: &after, limit }, call)?;
            let Some(last) = rows.last() else { return Ok(Vec::new()) };
            after.clone_from(&last.key.index);
            let own: Vec<Row> = rows.into_iter().filter(|row| self.accounts.has(&row.account)).collect();
            if !own.is_empty() {
                return Ok(own);
            }
        }
    }

    /// The name of the next open key of this account after that one, if a row of it is damaged and the name is legible.
    pub fn next_damaged(&self, after: &str, call: &Call<'_>) -> Option<Name> {
        let mut after = after.to_ascii_lowercase();
        loop {
            let mut first = None;
            let mut found = |_: usize, text: &str| {
                first.get_or_insert_with(|| Row::parse(text).map_err(|_| Row::legible_key(text)));
                false
            };
            self.store.read(&[Query::Open { after: &after, limit: 1 }], &call.bounds, &mut found).ok()?;
            match first? {
                Ok(row) if !self.accounts.has(&row.account) && *row.key.index > *after => after = row.key.index,
                Ok(_) => return None,
                Err(name) => {
                    // The name may be damaged, too: then it is not the one by which the row is found.
                    let is_own =
                        |name: &Name| *name.index > *after && self.query(Query::Key(&name.index), call).is_err();
                    return name.filter(is_own);
                }
            }
        }
    }

    fn query(&self, query: Query<'_>, call: &Call<'_>) -> Result<Vec<Row>, String> {
        self.queries(&[query], call).map(|mut rows| rows.remove(0))
    }

    fn queries(&self, queries: &[Query<'_>], call: &Call<'_>) -> Result<Vec<Vec<Row>>, String> {
        let (mut rows, mut wrong) = (vec![Vec::new(); queries.len()], vec![None; queries.len()]);
        let mut found = |index: usize, text: &str| {
            let row = if rows[index].len() < MOST_ROWS {
                Row::parse(text)
            } else {
                Err(format!("there are more than {MOST_ROWS} rows"))
            };
            match row {
                Ok(row) => rows[index].push(row),
                Err(text) => wrong[index] = Some(text),
            }
            wrong[index].is_none()
        };
        self.store.read(queries, &call.bounds, &mut found)?;
        let found = queries.iter().zip(rows).zip(wrong);
        found.map(|((query, rows), wrong)| checked(*query, rows, wrong)).collect()
    }

    /// Writes that the request is about to be sent, if nothing has been written since the journal was read. `make` gets
    /// the row's random number. `order`: what the request is about.
    pub fn claim(
        &self,
        known: &Snapshot,
        order: Option<&Name>,
        make: impl FnOnce(&str) -> Claim,
        call: &Call<'_>,
    ) -> Result<ClaimResult, String> {
        let id = new_id()?;
        let claim = make(&id);
        let row = self.made(known, id, order, known.next_seq(), Kind::Claim(claim));
        let appended = self.append(&row, true, Some(known.row_counts()), call);
        match appended {
            Ok(AppendResult::Alone) => return Ok(ClaimResult::Claimed(Box::new(row))),
            Ok(AppendResult::Exists) => return Ok(ClaimResult::Superseded),
            Ok(AppendResult::Not(why)) => return Err(why),
            Ok(AppendResult::Done) | Err(_) => {}
        }
        // It is read back, even if the response to the insert was lost.
        let now = self.snapshot(&known.key, known.order.as_ref(), call);
        let (appended, now) = match (appended, now) {
            (appended, Ok(now)) => (appended, now),
            (Err(why), Err(_)) | (Ok(_), Err(why)) => return Err(why),
        };
        let is_there = now.rows.iter().any(|other| other.id == row.id);
        if is_there && now.count() == known.count() + 1 {
            return Ok(ClaimResult::Claimed(Box::new(row)));
        }
        // Nothing is sent, so it must not stay open. If it is not there, its insert may still arrive, and fails if its
        // number is taken.
        let not_sent = |known: &Snapshot| {
            let cannot_arrive = known.next_seq() > row.seq && known.of_key().all(|other| other.id != row.id);
            if cannot_arrive { Err(()) } else { Ok(End::not_sent(&row.id)) }
        };
        let _written = self.end_if(&row, &call.at_least(MAX_END), not_sent)?;
        match appended {
            Err(why) if now.count() == known.count() + usize::from(is_there) => Err(why),
            _ => Ok(ClaimResult::Superseded),
        }
    }

    /// Writes the end of a claim, behind all rows of its key. True if a person had settled it differently.
    pub fn end(&self, claim: &Row, end: &End, call: &Call<'_>) -> Result<bool, String> {
        // Mostly the claim is all that there is; if not, the number is taken.
        let is_first = claim.seq == 1;
        let only = is_first.then(|| Snapshot { rows: vec![claim.clone()], key: claim.key.clone(), order: None });
        self.end_after(only, claim, call, |_| Ok::<_, ()>(end.clone())).map(|written| written.unwrap_or(false))
    }

    /// As [`Journal::end`], for the end that is made from the journal's rows at that moment; nothing is written if it is an
    /// error.
    pub fn end_if<E>(
        &self,
        claim: &Row,
        call: &Call<'_>,
        make: impl Fn(&Snapshot) -> Result<End, E>,
    ) -> Result<Result<bool, E>, String> {
        self.end_after(None, claim, call, make)
    }

    fn end_after<E>(
        &self,
        mut known: Option<Snapshot>,
        claim: &Row,
        call: &Call<'_>,
        make: impl Fn(&Snapshot) -> Result<End, E>,
    ) -> Result<Result<bool, E>, String> {
        loop {
            let known = known.take().map_or_else(|| self.snapshot(&claim.key, None, call), Ok)?;
            let end = match make(&known) {
                Ok(end) => end.readable(),
                Err(why) => return Ok(Err(why)),
            };
            if let (Kind::Claim(Claim { step: Step::Charge, .. }), Some(payment)) =
                (&claim.kind, &end.payment_reference)
                && !end.is_final
            {
                self.name_payment(claim, payment, call)?;
            }
            let row = self.made(&known, new_id()?, claim.order.as_ref(), known.next_seq(), Kind::End(end.clone()));
            match self.append(&row, !can_be_looked_up(claim, &end), None, call)? {
                AppendResult::Done | AppendResult::Alone => {
                    return Ok(Ok(known.rows.iter().any(|row| contradicts(row, &end))));
                }
                AppendResult::Not(why) => return Err(why),
                AppendResult::Exists => {}
            }
            if call.time_left().is_zero() {
                return Err("deadline exceeded while others are writing this key".to_owned());
            }
        }
    }

    fn append(
        &self,
        row: &Row,
        durable: bool,
        after: Option<RowCounts>,
        call: &Call<'_>,
    ) -> Result<AppendResult, String> {
        self.store.append(&NewRow::of(row, durable, self.keep_from_ms(), after)?, &call.bounds)
    }

    /// A row that follows those of its key.
    fn made(&self, known: &Snapshot, id: String, order: Option<&Name>, seq: u32, kind: Kind) -> Row {
        let (time_ms, account) = (clock::now_ms(), self.accounts.own());
        let mut row =
            Row { key: known.key.clone(), seq, id, time_ms, order: order.cloned(), account, open: false, kind };
        let rows: Vec<Row> = known.of_key().chain(std::iter::once(&row)).cloned().collect();
        row.open = ClaimRecord::all(&rows).iter().any(ClaimRecord::is_open);
        row
    }

    /// Returns the number of begun requests that may charge the order; and the service's name of this one, if every other
    /// has ended. Nothing if the journal cannot count them: it was moved or copied, so another journal may have sent
    /// requests; or the customer may have paid on a page; or requests that ended long ago are not counted any more.
    pub fn attempts<'a>(&self, found: &Claims<'a>, of: &ClaimRecord<'a>) -> (Option<u32>, Option<&'a str>) {
        let claims = found.claims();
        let has_page = claims.iter().any(|claimed| claimed.claim.step == Step::Order && claimed.claim.has_page);
        if has_page || self.store.is_elsewhere() || found.has_tombstone() {
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

    /// The order of an attempt to pay, by the key of its authorization: its charge named it, or it was authorized before.
    pub fn order_of_payment(&self, key: &Name, call: &Call<'_>) -> Result<Option<Name>, String> {
        Ok(self.query(Query::Key(&key.index), call)?.into_iter().find_map(|row| row.order))
    }

    /// Keeps which order an attempt to pay belongs to, so that its authorization finds it.
    fn name_payment(&self, claim: &Row, payment: &str, call: &Call<'_>) -> Result<(), String> {
        let key = key::derived(Step::Authorization, payment.trim());
        let known = Snapshot { key, ..Snapshot::default() };
        // If there is a row already, that has the order.
        let row = self.made(&known, new_id()?, claim.order.as_ref(), 1, Kind::Payment);
        match self.append(&row, true, None, call)? {
            AppendResult::Not(why) => Err(why),
            AppendResult::Done | AppendResult::Alone | AppendResult::Exists => Ok(()),
        }
    }
}

/// Without the end, a later call finds an open charge and asks the service for it.
fn can_be_looked_up(claim: &Row, end: &End) -> bool {
    let is_charge = matches!(claim.kind, Kind::Claim(Claim { step: Step::Charge, .. }));
    is_charge && end.outcome == Outcome::Confirmed && matches!(end.by, By::Sender)
}

/// Returns whether the row is a person's end of the same claim with the opposite outcome.
fn contradicts(row: &Row, end: &End) -> bool {
    let decides = |outcome| matches!(outcome, Outcome::Confirmed | Outcome::Rejected);
    match &row.kind {
        Kind::End(other) => {
            matches!(other.by, By::Person { .. })
                && other.of == end.of
                && decides(end.outcome)
                && other.outcome != end.outcome
        }
        _ => false,
    }
}

/// The rows, all of which are what was asked for: others may stand in the place of a charge.
fn checked(query: Query<'_>, mut rows: Vec<Row>, wrong: Option<String>) -> Result<Vec<Row>, String> {
    rows.sort_by(|one: &Row, two: &Row| (&one.key.index, one.seq).cmp(&(&two.key.index, two.seq)));
    let is_asked_for = |row: &Row| match query {
        Query::Key(key) => row.is_of_key(key),
        Query::Order(order) => row.is_of_order(order),
        Query::Open { after, .. } => row.open && *row.key.index > *after,
    };
    let wrong = wrong.or_else(|| {
        if let Some(row) = rows.iter().find(|row| !is_asked_for(row)) {
            return Some(format!("row {} of {} is another one", row.seq, row.key.given));
        }
        let is_whole = |(index, row): (usize, &Row)| row.seq as usize == index + 1;
        let of_keys = || rows.chunk_by(|one, other| one.key == other.key);
        match query {
            Query::Open { .. } => None,
            // All rows of a key name its order.
            Query::Key(_) | Query::Order(_) => of_keys()
                .find(|of_key| !of_key.iter().enumerate().all(is_whole))
                .map(|of_key| format!("a row of {} is missing, or there twice", of_key[0].key.given)),
        }
    });
    match wrong {
        None => Ok(rows),
        Some(text) => Err(format!("{query}: {text}; the journal is damaged: restore it from a copy")),
    }
}

fn new_id() -> Result<String, String> {
    unique::reference("").ok_or_else(|| "the system returned no random bytes for the number of a row".to_owned())
}
