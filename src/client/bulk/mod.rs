//! Payouts in bulk: a list of any length, sent in batches, and a report of what became of each recipient.
//!
//! The parts without I/O: the request ([`arguments`]), the list ([`list`]), batches ([`split`]), what an answer proves
//! of its batch ([`answer`]), when to stop and how long to wait ([`rules`]), the report ([`report`]), how long it may
//! become ([`budget`]), and an earlier one ([`earlier`]). [`run`] sends the batches, [`states`] looks them up.

mod answer;
mod arguments;
mod budget;
mod earlier;
mod failure;
mod list;
mod paced;
mod recorded;
mod report;
mod rules;
mod run;
mod split;
mod states;
mod steps;

use std::time::Duration;

use serde_json::value::RawValue;

use super::{CallContext, Client};
use crate::client::bulk::arguments::Arguments;
use crate::client::bulk::budget::Budget;
use crate::client::bulk::failure::{Failure, contained};
use crate::client::bulk::list::List;
use crate::client::bulk::run::Run;
use crate::client::bulk::states::States;
use crate::request;
use crate::response::reply::Reply;
use crate::util::validation_error::ValidationError;
use paysvc_spec::endpoints::payouts::{self, names};
use paysvc_spec::operations::{Operation, operation};
use paysvc_spec::schema::Endpoint;
use paysvc_spec::status::Outcome;

const THIS: &Operation = operation("payout_bulk");
/// What the errors begin with.
const WHAT: &str = THIS.name;
static INITIATE: &Endpoint = payouts::INITIATE;
static STATUS: &Endpoint = payouts::LOOK_UP;

/// The deadline of a list that has none: its batches have their own.
const NO_DEADLINE: Duration = Duration::from_secs(10 * 365 * 86_400);

impl Client {
    /// Pays the recipients of a list, or looks up the batches of an earlier reply.
    pub fn payout_bulk(&self, context: &CallContext<'_>, json: &str) -> Reply {
        context.record.set_changes();
        let context = &context.with_timeout(NO_DEADLINE);
        context.record.set_doubt(INITIATE.in_doubt());
        let arguments = match arguments::read(json) {
            Ok(arguments) => arguments,
            Err((error, about_earlier)) => return refused(error, about_earlier),
        };
        let about_earlier = arguments.is_about_earlier();
        let reply = contained(|| match arguments {
            Arguments::Pay { list, earlier, continue_after_unknown } => {
                self.pay(context, json.len(), list, earlier, continue_after_unknown)
            }
            Arguments::StatusOf(earlier) => self.states(context, earlier),
        });
        match reply {
            Ok(Ok(reply)) => reply,
            Ok(Err(error)) => refused(error, about_earlier),
            Err(Failure(status, message)) => {
                let nothing_sent = context.record.sent() == 0 && !about_earlier;
                Reply::failed(status, if nothing_sent { Outcome::NotSent } else { Outcome::Unknown }, message)
            }
        }
    }

    fn pay(
        &self,
        context: &CallContext<'_>,
        request: usize,
        list: &RawValue,
        earlier: Option<&RawValue>,
        continue_after_unknown: bool,
    ) -> Result<Reply, ValidationError> {
        let length = list.get().len();
        let list = List::read(list, INITIATE, &self.settings)?;
        let report = match earlier {
            Some(earlier) => earlier::resume(earlier::read(earlier, "earlier")?, &list)?,
            None => list.new_report()?,
        };
        let budget = Budget::new(request, length, report.size());
        let run = Run::new(self, context, list, report, budget, continue_after_unknown)?;
        // Anything missing from the configuration is reported before the first batch.
        if let Some(json) = run.first_request() {
            request::prepare(INITIATE, json.text(), &self.settings, &|| false)?;
        }
        Ok(run.pay())
    }

    fn states(&self, context: &CallContext<'_>, earlier: &RawValue) -> Result<Reply, ValidationError> {
        let report = earlier::read(earlier, "status_of")?;
        self.settings.require(WHAT, self.settings.choices.key(STATUS), STATUS.encrypted)?;
        Ok(States::new(self, context, report)?.ask())
    }
}

/// Nothing was sent now. If there was an earlier run, this does not make it safe to repeat anything.
fn refused(error: ValidationError, about_earlier: bool) -> Reply {
    let reply = Reply::invalid(error);
    if about_earlier { reply.about_earlier() } else { reply }
}
