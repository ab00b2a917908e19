//! What is open after a crash, and what a person settles.

use std::path::Path;

use super::look_up::{self, Finding};
use super::{Client, journal_failed};
use crate::answer::reply::Reply;
use crate::call::Call;
use crate::call::log::Level;
use crate::flow::resolve::arguments;
use crate::json::{self, Members};
use crate::ledger::Journal;
use crate::ledger::claims::ClaimRecord;
use crate::ledger::clock::Moment;
use crate::ledger::row::{By, End, Row};
#[cfg(feature = "journal")]
use crate::ledger::sqlite::SqliteStore;
use crate::ledger::store::Store;
use crate::ledger::table::Claims;
use crate::request::secrets::Secrets;
use crate::util::validation_error::ValidationError;
use paysvc_spec::operations::operation;
use paysvc_spec::status::{Outcome, Status};

const SETTLE: &str = "journal_settle";

impl Client {
    /// Opens the file that the configuration names.
    pub(in crate::flow) fn open_journal(&self) -> Result<(), ValidationError> {
        let Some(path) = &self.config.journal else { return Ok(()) };
        let failed = |reason: String| {
            let error = ValidationError::of_member(REFUSED, "the configuration", "journal", reason);
            self.config.name_variable(error)
        };
        let journal = self.new_journal(open(path, self.config.journal_create).map_err(&failed)?);
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

    /// Resolves the next open key after that one. Gives its name, "" if none is left; `None` if that is not known.
    pub fn journal_next(&self, context: &Call<'_>, after: &str) -> (Option<String>, Reply) {
        let Some(journal) = self.journal.get() else { return (None, Reply::invalid(no_journal("journal_next"))) };
        self.log_news(context, journal);
        let next = journal.next_open(after, 1, context);
        let next = match next.map(|rows| rows.into_iter().next()) {
            Ok(Some(row)) => row,
            Ok(None) => return (Some(String::new()), Reply::local(NONE_LEFT.to_owned())),
            Err(why) => return (None, journal_failed(&why, Outcome::Unknown)),
        };
        let name = next.key.given.clone();
        let known = match journal.snapshot(&next.key, None, context) {
            Ok(known) => known,
            Err(why) => return (None, journal_failed(&why, Outcome::Unknown)),
        };
        let found = Claims::of(&known.rows);
        let mut last = Reply::failed(
            Status::Unresolved,
            Outcome::Unknown,
            "another call or a person has ended it in the meantime",
        );
        for open in found.claims().iter().filter(|claimed| claimed.is_open()) {
            last = match self.resolve_open(context, journal, open) {
                Ok(reply) => reply,
                Err(why) => return (None, journal_failed(&why, Outcome::Unknown)),
            };
        }
        (Some(name), last)
    }

    fn resolve_open(&self, context: &Call<'_>, journal: &Journal, open: &ClaimRecord<'_>) -> Result<Reply, String> {
        context.record.set_doubt(look_up::doubt(open.row));
        let is_under_way = open.may_be_under_way(&Moment::now());
        match look_up::settle(self, context, journal, open, &Secrets::default())? {
            Finding::Open(_) if is_under_way => {
                let text = format!("its call may still be under way (claim {} in the journal)", open.row.id);
                Ok(Reply::failed(Status::Unresolved, Outcome::Unknown, text))
            }
            Finding::Settled(reply) | Finding::Open(reply) => Ok(reply),
        }
    }

    /// A person decides what became of a claim that stays open.
    pub fn journal_settle(&self, context: &Call<'_>, json: &str) -> Reply {
        let settlement = arguments(const { operation(SETTLE) }, json).and_then(|members| Settlement::read(&members));
        match (settlement, self.journal.get()) {
            (Err(error), _) => Reply::invalid(error),
            (Ok(_), None) => Reply::invalid(no_journal(SETTLE)),
            (Ok(settlement), Some(journal)) => settlement.write(context, journal),
        }
    }
}

/// The status for a client whose journal cannot be opened.
const REFUSED: Status = if cfg!(feature = "journal") { Status::Journal } else { Status::Config };

#[cfg(feature = "journal")]
fn open(path: &Path, create: bool) -> Result<Box<dyn Store>, String> {
    Ok(Box::new(SqliteStore::open(path, create)?))
}

#[cfg(not(feature = "journal"))]
fn open(_: &Path, _: bool) -> Result<Box<dyn Store>, String> {
    Err("cannot be opened: this build has no journal file; call client_set_store, or build with the feature journal"
        .into())
}

const NONE_LEFT: &str = r#"{"status":true,"message":"no key is open"}"#;

pub(in crate::flow) fn no_journal(what: &str) -> ValidationError {
    let reason = "needs a journal: configure \"journal\": \"/var/lib/shop/journal.db\", \"journal_create\": true (or \
                  PAYSVC_JOURNAL and PAYSVC_JOURNAL_CREATE), or call client_set_store";
    ValidationError::new(Status::Config, format!("{what} {reason}"))
}

struct Settlement {
    id: String,
    outcome: Outcome,
    who: String,
    why: String,
}

impl Settlement {
    fn read(members: &Members<'_>) -> Result<Settlement, ValidationError> {
        let text = |name: &str| json::member(members, name).and_then(json::text).unwrap_or_default().into_owned();
        let outcome = match &*text("outcome") {
            "CONFIRMED" => Outcome::Confirmed,
            "REJECTED" => Outcome::Rejected,
            _ => {
                let reason = "must be CONFIRMED (it was done) or REJECTED (it was not done)";
                return Err(ValidationError::of_member(Status::Argument, SETTLE, "outcome", reason));
            }
        };
        Ok(Settlement { id: text("id"), outcome, who: text("who"), why: text("why") })
    }

    fn write(&self, context: &Call<'_>, journal: &Journal) -> Reply {
        let claim = match self.open_claim(context, journal) {
            Ok(Some(claim)) => claim,
            Ok(None) => {
                let reason = "is not the name of an open claim";
                return Reply::invalid(ValidationError::of_member(Status::Argument, SETTLE, "id", reason))
                    .about_earlier();
            }
            Err(why) => return journal_failed(&why, Outcome::Unknown),
        };
        if claim.1 {
            let text = "its call may still be under way: settle it after that call has ended";
            return Reply::failed(Status::Unresolved, Outcome::Unknown, text);
        }
        let by = By::Person { who: self.who.clone(), why: self.why.clone() };
        let end = End::new(&claim.0.id, by, self.outcome);
        match journal.end(&claim.0, &end, context) {
            Ok(_) => {
                context.log(Level::Warn, || format!("claim {} was settled by a person", claim.0.id));
                let message = "settled: if a later answer from the service says otherwise, the log reports it";
                let status = if self.outcome == Outcome::Confirmed { Status::Ok } else { Status::Rejected };
                Reply::failed(status, self.outcome, message)
            }
            Err(why) => journal_failed(&why, Outcome::Unknown),
        }
    }

    /// The claim, and whether its call may still be under way.
    fn open_claim(&self, context: &Call<'_>, journal: &Journal) -> Result<Option<(Row, bool)>, String> {
        const PAGE: u32 = 100;
        let mut after = String::new();
        loop {
            let page = journal.next_open(&after, PAGE, context)?;
            for open in &page {
                let known = journal.snapshot(&open.key, None, context)?;
                let found = Claims::of(&known.rows);
                let is_it = |claimed: &&ClaimRecord<'_>| claimed.row.id == self.id && claimed.is_open();
                if let Some(claimed) = found.claims().iter().find(is_it) {
                    return Ok(Some((claimed.row.clone(), claimed.may_be_under_way(&Moment::now()))));
                }
            }
            match page.last() {
                Some(last) => after.clone_from(&last.key.index),
                None => return Ok(None),
            }
        }
    }
}
