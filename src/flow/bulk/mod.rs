//! Payouts in bulk: a list of any length, sent in batches, and a report of each recipient's outcome. The journal
//! holds the results of earlier runs, so a run needs nothing but the list.
//!
//! The parts without I/O: the list ([`list`]), batches ([`split`]), the outcomes that a response proves ([`answer`]), when
//! to stop and how long to wait ([`rules`]), and the report ([`report`]). [`run`] sends the batches, and
//! [`recipients`] reads the journal.

mod answer;
mod list;
mod recipients;
mod report;
mod rules;
mod run;
mod split;

use std::time::Duration;

use super::Client;
use crate::answer::reply::Reply;
use crate::call::Call;
use crate::flow::bulk::list::List;
use crate::flow::bulk::rules::{Failure, Rules, contained};
use crate::flow::bulk::run::Run;
use crate::flow::journal::no_journal;
use crate::json::Given;
use crate::request::{self, validate};
use crate::util::memory::MAX_BULK_TEXT;
use crate::util::validation_error::ValidationError;
use paysvc_spec::endpoints::payouts::{self, names};
use paysvc_spec::operations::{Operation, operation};
use paysvc_spec::schema::{Endpoint, Field, Kind};
use paysvc_spec::status::{Outcome, Status};

const THIS: &Operation = operation("payout_bulk");
/// The beginning of the errors.
const WHAT: &str = THIS.name;
static INITIATE: &Endpoint = payouts::INITIATE;

/// The deadline of a list that has none: its batches have their own.
const NO_DEADLINE: Duration = Duration::from_secs(10 * 365 * 86_400);

impl Client {
    /// Pays the recipients of a list that the journal does not have as paid.
    pub fn payout_bulk(&self, context: &Call<'_>, json: &str) -> Reply {
        context.record.set_changes();
        let context = &context.with_timeout(NO_DEADLINE);
        context.record.set_doubt(INITIATE.in_doubt());
        match contained(|| self.pay(context, json)) {
            Ok(Ok(reply)) => reply,
            // The key of a payout that was sent earlier.
            Ok(Err(error)) if error.status == Status::KeyReused => Reply::invalid(error).about_earlier(),
            Ok(Err(error)) => Reply::invalid(error),
            Err(Failure(status, message)) => {
                let nothing_sent = context.record.sent() == 0;
                Reply::failed(status, if nothing_sent { Outcome::NotSent } else { Outcome::Unknown }, message)
            }
        }
    }

    fn pay(&self, context: &Call<'_>, json: &str) -> Result<Reply, ValidationError> {
        let given = Given::read_within(json, MAX_BULK_TEXT);
        let given = validate::object(&given, &fields(), validate::Rules::CLOSED, WHAT, Status::Argument)?;
        let is_set = |name: &str| given.flag(name).unwrap_or_default();
        let journal = self.journal.get().ok_or_else(|| no_journal(WHAT))?;
        let list = given.get(names::LIST).map(|list| List::read(list, INITIATE, &self.config));
        let list = list.unwrap_or_else(|| Err(ValidationError::new(Status::Internal, "the list is missing")))?;
        // Anything missing from the configuration is reported before the first batch.
        request::prepare(INITIATE, &Given::read(list.request(&[0]).text()), &self.config, &|| false)?;
        let rules = Rules::new(is_set("continue_after_unknown"));
        Run::new(self, context, journal, list, is_set("continue"), rules)?.pay()
    }
}

/// The list is checked with its recipients' references by [`List::read`], so that all errors are reported at once.
fn fields() -> Vec<Field> {
    THIS.members
        .iter()
        .map(|field| if field.name == names::LIST { Field { kind: Kind::Any, ..*field } } else { *field })
        .collect()
}
