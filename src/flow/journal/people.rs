//! Claims that are open after a crash, and their settlement by a person.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::look_up::{self, Examination};
use super::{Client, journal_failed};
use crate::answer::reply::Reply;
use crate::call::Call;
use crate::call::log::Level;
use crate::flow::resolve::arguments;
use crate::json::{Fields, Given};
use crate::ledger::claims::{ClaimRecord, ClaimState};
use crate::ledger::clock::{self, Moment};
use crate::ledger::key::Name;
use crate::ledger::returns::Ends;
use crate::ledger::row::{By, End, Kind, Row};
#[cfg(feature = "journal")]
use crate::ledger::sqlite::SqliteStore;
use crate::ledger::store::Store;
use crate::ledger::table::Claims;
use crate::ledger::{Journal, Snapshot};
use crate::request::secrets::Secrets;
use crate::util::validation_error::ValidationError;
use paysvc_spec::operations::operation;
use paysvc_spec::status::{self, Outcome, Status};

const SETTLE: &str = "journal_settle";
const BACK_UP: &str = "journal_backup";

impl Client {
    /// Opens the file that the configuration names.
    pub(in crate::flow) fn open_journal(&self) -> Result<(), ValidationError> {
        let Some(path) = &self.config.journal else { return Ok(()) };
        let failed = |reason: String| {
            let error = ValidationError::of_member(REFUSED, "the configuration", "journal", reason);
            self.config.name_variable(error)
        };
        let accepted = self.config.journal_accept_lost_log.as_deref();
        let journal = self.new_journal(open(path, self.config.journal_create, accepted).map_err(&failed)?);
        if journal.has_another_mode() {
            let error = failed("has requests of the other mode: test and live need a journal for each".to_owned());
            return Err(ValidationError { status: Status::Config, ..error });
        }
        self.journal.set(journal).map_err(|reason| ValidationError::new(Status::Internal, reason))
    }

    /// False without a journal.
    pub fn remember_reference(&self, reference: &str) -> bool {
        self.journal.get().map(|journal| journal.minted.add(reference)).is_some()
    }

    /// Resolves the next open key after that one, once the end that was returned for that one is written. Gives its name,
    /// "" if none is left; `None` if that is not known.
    pub fn journal_next(&self, context: &Call<'_>, after: &str) -> (Option<String>, Reply) {
        let Some(journal) = self.journal.get() else { return (None, Reply::invalid(no_journal("journal_next"))) };
        self.log_news(context, journal);
        // The key is named also when there is no time left to ask about it.
        let reading = context.at_least(MIN_READING);
        if let Err(why) = acknowledge(&reading, journal, after) {
            return (None, journal_failed(&why, Outcome::Unknown));
        }
        // The program comes back with the key that it gets, whatever the reply: with `after` again if that is unchanged.
        let returned = |key: &str, ends: Ends| journal.returns.add(&key.to_ascii_lowercase(), ends);
        let next = match journal.next_open(after, 1, &reading).map(|rows| rows.into_iter().next()) {
            Ok(Some(row)) => row,
            Ok(None) => return (Some(String::new()), Reply::local(NONE_LEFT.to_owned())),
            Err(why) => {
                let failed = journal_failed(&why, Outcome::Unknown);
                return match journal.next_damaged(after, &reading) {
                    Some(key) => {
                        returned(&key.index, Ends::new());
                        (Some(key.given.clone()), look_up::with_key(failed, &key))
                    }
                    None => {
                        returned(after, Ends::new());
                        (None, failed)
                    }
                };
            }
        };
        let resolved = journal
            .snapshot(&next.key, None, &reading)
            .and_then(|known| self.resolve_key(context, journal, &next.key, &Claims::of(&known.rows)));
        let (reply, ends) = resolved
            .unwrap_or_else(|why| (look_up::with_key(journal_failed(&why, Outcome::Unknown), &next.key), Ends::new()));
        returned(&next.key.index, ends);
        (Some(next.key.given), reply)
    }

    /// Looks up each open claim of a key. Returns the reply of the highest rank (UNKNOWN, then CONFIRMED), and the ends:
    /// none while one of the claims stays open.
    fn resolve_key(
        &self,
        context: &Call<'_>,
        journal: &Journal,
        key: &Name,
        found: &Claims<'_>,
    ) -> Result<(Reply, Ends), String> {
        let (mut replies, mut ends) = (Vec::new(), Ends::new());
        for open in found.claims().iter().filter(|claimed| claimed.is_open()) {
            context.record.set_doubt(look_up::doubt(open.row));
            replies.push(match self.resolve_open(context, journal, open)? {
                Examination::Decided(reply, end) => {
                    ends.push((open.row.clone(), *end));
                    reply
                }
                Examination::RunEnd(reply) | Examination::Open(reply) => reply,
            });
        }
        let rank = |reply: &Reply| match reply.outcome() {
            Outcome::Unknown | Outcome::NotSent => 2,
            Outcome::Confirmed => 1,
            Outcome::Rejected => 0,
        };
        let reply = replies.into_iter().max_by_key(rank).unwrap_or_else(|| {
            let text = "another call or a person has ended it in the meantime";
            look_up::with_key(Reply::failed(Status::Unresolved, Outcome::Unknown, text), key)
        });
        if reply.outcome() == Outcome::Unknown {
            ends.clear();
        }
        Ok((reply, ends))
    }

    fn resolve_open(
        &self,
        context: &Call<'_>,
        journal: &Journal,
        open: &ClaimRecord<'_>,
    ) -> Result<Examination, String> {
        if let Some(why) = context.bounds.ended() {
            let text = "the call ended before the service was asked about it";
            return Ok(Examination::Open(look_up::named(Reply::failed(why, Outcome::Unknown, text), open.row)));
        }
        let is_under_way = open.may_be_under_way(&Moment::now());
        match look_up::examine(self, context, journal, open, &Secrets::default())? {
            Examination::Open(_) if is_under_way => {
                let text = "its call may still be under way";
                let reply = Reply::failed(Status::Unresolved, Outcome::Unknown, text);
                Ok(Examination::Open(look_up::named(reply, open.row)))
            }
            examination => Ok(examination),
        }
    }

    /// A person settles a claim that stays open.
    pub fn journal_settle(&self, context: &Call<'_>, json: &str) -> Reply {
        let given = Given::read(json);
        let settlement = arguments(const { operation(SETTLE) }, &given).and_then(Settlement::read);
        match (settlement, self.journal.get()) {
            (Err(error), _) => Reply::invalid(error),
            (Ok(_), None) => Reply::invalid(no_journal(SETTLE)),
            (Ok(settlement), Some(journal)) => settlement.write(context, journal),
        }
    }

    /// Copies the journal's file.
    pub fn journal_backup(&self, context: &Call<'_>, json: &str) -> Reply {
        let given = Given::read(json);
        let to = arguments(const { operation(BACK_UP) }, &given)
            .map(|given| PathBuf::from(given.text("path").unwrap_or_default().into_owned()));
        match (to, self.journal.get()) {
            (Err(error), _) => Reply::invalid(error),
            (Ok(_), None) => Reply::invalid(no_journal(BACK_UP)),
            (Ok(to), Some(journal)) => match journal.back_up(&to, context) {
                Ok(()) => Reply::local(BACKED_UP.to_owned()),
                Err(why) => journal_failed(&why, Outcome::NotSent),
            },
        }
    }
}

const BACKED_UP: &str = r#"{"status":true,"message":"the copy is complete"}"#;

/// Reading the name of a key takes no longer than this when the call's own time is over.
const MIN_READING: Duration = Duration::from_secs(1);

/// The program has come back with the key: it has heard of the end that was returned, which is written now. A newer one
/// is not, because the program has not heard of it.
fn acknowledge(context: &Call<'_>, journal: &Journal, key: &str) -> Result<(), String> {
    let index = key.to_ascii_lowercase();
    let ends = journal.returns.acknowledge(&index);
    let write = |(claim, end): &(Row, End)| {
        let written = journal.end_if(claim, context, |known| {
            let found = Claims::of(&known.rows);
            let own = found.claims().iter().find(|claimed| claimed.row.id == claim.id);
            // A person may have settled it since.
            let is_news = own.is_some_and(|own| match end.outcome {
                Outcome::Confirmed => own.state() != ClaimState::Confirmed,
                _ => own.is_open(),
            });
            is_news.then(|| end.clone()).ok_or(())
        })?;
        if written == Ok(true) {
            context.log(Level::Error, || {
                let name = status::name_of_outcome(end.outcome);
                format!("claim {} was settled by a person, but the service's response is now {name}", claim.id)
            });
        }
        Ok(())
    };
    let written = ends.iter().try_for_each(write);
    if written.is_err() {
        journal.returns.restore(&index, ends);
    }
    written
}

/// The status for a client whose journal cannot be opened.
const REFUSED: Status = if cfg!(feature = "journal") { Status::Journal } else { Status::Config };

#[cfg(feature = "journal")]
fn open(path: &Path, create: bool, accepted: Option<&str>) -> Result<Box<dyn Store>, String> {
    Ok(Box::new(SqliteStore::open(path, create, accepted)?))
}

#[cfg(not(feature = "journal"))]
fn open(_: &Path, _: bool, _: Option<&str>) -> Result<Box<dyn Store>, String> {
    Err("cannot be opened: this build has no journal file; call client_set_store, or build with the feature journal"
        .into())
}

const NONE_LEFT: &str = r#"{"status":true,"message":"no key is open"}"#;

pub(in crate::flow) fn no_journal(what: &str) -> ValidationError {
    let reason = "needs a journal: configure \"journal\": \"/var/lib/shop/journal.db\", \"journal_create\": true (or \
                  PAYSVC_JOURNAL and PAYSVC_JOURNAL_CREATE), or call client_set_store";
    ValidationError::new(Status::Config, format!("{what} {reason}"))
}

/// The max length of who and why, in bytes.
const MAX_WORDS: usize = 1000;

struct Settlement {
    id: String,
    /// Without it, only open keys are searched.
    key: Option<Name>,
    outcome: Outcome,
    who: String,
    why: String,
    sender_ended: bool,
}

/// The reason why a settlement is not written.
enum Objection {
    /// An error of the field `id`.
    Claim(String),
    OfOtherAccount,
    UnderWay,
}

impl Settlement {
    fn read(given: Fields<'_>) -> Result<Settlement, ValidationError> {
        let wrong = |name: &str, reason: &str| ValidationError::of_member(Status::Argument, SETTLE, name, reason);
        let text = |name: &str| given.text(name).unwrap_or_default().into_owned();
        let outcome = match &*text("outcome") {
            "CONFIRMED" => Outcome::Confirmed,
            "REJECTED" => Outcome::Rejected,
            _ => return Err(wrong("outcome", "must be CONFIRMED (it was done) or REJECTED (it was not done)")),
        };
        if let Some(name) = ["who", "why"].into_iter().find(|name| text(name).len() > MAX_WORDS) {
            return Err(wrong(name, &format!("must have at most {MAX_WORDS} bytes")));
        }
        let sender_ended = given.flag("sender_ended").unwrap_or_default();
        let key = given.text("key").map(|key| Name::new(&key));
        Ok(Settlement { id: text("id"), key, outcome, who: text("who"), why: text("why"), sender_ended })
    }

    fn write(&self, context: &Call<'_>, journal: &Journal) -> Reply {
        let claim = match self.find(context, journal) {
            Ok(Some(claim)) => claim,
            Ok(None) => return self.refused(&Objection::Claim(self.not_found())),
            Err(why) => return journal_failed(&why, Outcome::Unknown),
        };
        // Decided on the journal's rows when it is written: the claim's sender may just have ended it.
        match journal.end_if(&claim, context, |known| self.end(journal, &claim, known)) {
            Ok(Ok(_)) => {
                context.log(Level::Warn, || format!("claim {} was settled by a person", claim.id));
                let message = "settled: if a later response from the service says otherwise, the log reports it";
                let status = if self.outcome == Outcome::Confirmed { Status::Ok } else { Status::Rejected };
                Reply::failed(status, self.outcome, message)
            }
            Ok(Err(objection)) => self.refused(&objection),
            Err(why) => journal_failed(&why, Outcome::Unknown),
        }
    }

    fn refused(&self, objection: &Objection) -> Reply {
        let of_member = |status, name: &str, reason: &str| {
            Reply::invalid(ValidationError::of_member(status, SETTLE, name, reason)).about_earlier()
        };
        match objection {
            Objection::Claim(reason) => of_member(Status::Argument, "id", reason),
            Objection::OfOtherAccount => {
                let reason = "belongs to another account (another public key or base_url): settle it with a client of \
                              that account, or name its key in former_public_keys";
                of_member(Status::Config, "id", reason)
            }
            Objection::UnderWay => {
                let text = "its call may still be under way: settle it after that call has ended, or give \
                            \"sender_ended\": true if the program that sent it has ended";
                Reply::failed(Status::Unresolved, Outcome::Unknown, text)
            }
        }
    }

    fn not_found(&self) -> String {
        match &self.key {
            Some(key) => format!("is not the name of a claim of the key {}", key.given),
            None => "is not the name of an open claim: to find one that is not open, give its key as well".to_owned(),
        }
    }

    /// The end, if the claim may be settled.
    fn end(&self, journal: &Journal, claim: &Row, known: &Snapshot) -> Result<End, Objection> {
        let found = Claims::of(&known.rows);
        let Some(claimed) = found.claims().iter().find(|claimed| claimed.row.id == claim.id) else {
            return Err(Objection::Claim(self.not_found()));
        };
        if !journal.accounts.has(&claim.account) {
            return Err(Objection::OfOtherAccount);
        }
        let failed_later = self.outcome == Outcome::Rejected && claimed.may_have_failed_later();
        if !claimed.is_open() && !failed_later {
            return Err(Objection::Claim(ended(claimed)));
        }
        if claimed.is_open() && claimed.may_be_under_way(&Moment::now()) && !self.sender_ended {
            return Err(Objection::UnderWay);
        }
        let (who, why, sender_ended) = (self.who.clone(), self.why.clone(), self.sender_ended);
        Ok(End::new(&claim.id, By::Person { who, why, sender_ended }, self.outcome))
    }

    fn find(&self, context: &Call<'_>, journal: &Journal) -> Result<Option<Row>, String> {
        const PAGE: u32 = 100;
        let of_key = |key: &Name| -> Result<Option<Row>, String> {
            let is_it = |row: &Row| row.id == self.id && matches!(row.kind, Kind::Claim(_));
            Ok(journal.snapshot(key, None, context)?.rows.into_iter().find(is_it))
        };
        if let Some(key) = &self.key {
            return of_key(key);
        }
        let mut after = String::new();
        loop {
            let page = journal.next_open(&after, PAGE, context)?;
            for open in &page {
                if let Some(claim) = of_key(&open.key)? {
                    return Ok(Some(claim));
                }
            }
            match page.last() {
                Some(last) => after.clone_from(&last.key.index),
                None => return Ok(None),
            }
        }
    }
}

fn ended(claimed: &ClaimRecord<'_>) -> String {
    let deciding = claimed.deciding_end();
    if let Some((row, end)) = claimed.settled_by()
        && let By::Person { who, .. } = &end.by
    {
        let (day, name) = (clock::day(row.time_ms), status::name_of_outcome(end.outcome));
        let settled = format!("was settled by {who} on {day} as {name}");
        return match deciding {
            Some((later, deciding)) if later.id != row.id => {
                format!("{settled}, and the service says {}", status::name_of_outcome(deciding.outcome))
            }
            _ => settled,
        };
    }
    let outcome = deciding.map_or(Outcome::Unknown, |(_, end)| end.outcome);
    format!("is not open: it is {}", status::name_of_outcome(outcome))
}
