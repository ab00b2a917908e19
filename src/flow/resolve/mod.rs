//! What became of an earlier request: `resolve`, which asks the look-up of its row, and `order_wait`, which asks for the state
//! of an order until it is final.
//!
//! [`crate::answer::resolution`] decides. The outcome is that of the earlier request, so the caller gets no NOT_SENT.

pub(super) mod earlier;
mod intervals;
pub(super) mod task;
mod wait;
pub(super) mod watch;

use super::Client;
use crate::answer::reply::Reply;
use crate::answer::resolution::{self, Question};
use crate::call::Call;
use crate::json::Members;
use crate::request::validate;
use crate::util::validation_error::ValidationError;
use earlier::{Arguments, Earlier};
use paysvc_spec::operations::{Operation, operation};
use paysvc_spec::schema::Doubt;
use paysvc_spec::status::Status;

impl Client {
    pub fn resolve(&self, context: &Call<'_>, json: &str) -> Reply {
        let ask = |earlier: Earlier<'_>| match earlier {
            Earlier::Asks(task) => {
                if matches!(task.asked.question, Question::Order) {
                    context.record.set_doubt(Doubt::None);
                }
                watch::watch(self, context, &task)
            }
            Earlier::NoLookUp(row) => {
                let verdict = resolution::without_look_up(row.safety);
                watch::log_verdict(row.name, &verdict, context);
                Reply::failed(verdict.status, verdict.outcome, verdict.explanation.unwrap_or_default())
            }
        };
        let asked = arguments(const { operation("resolve") }, json).and_then(|members| {
            // Also for a function that is not known: it may have moved money.
            context.record.set_doubt(Doubt::Money);
            let arguments = Arguments::read(&members)?;
            context.record.set_doubt(arguments.row.in_doubt());
            arguments.ask(&|| context.bounds.is_over(), ask)
        });
        asked.unwrap_or_else(Reply::invalid)
    }

    pub fn order_wait(&self, context: &Call<'_>, json: &str) -> Reply {
        context.record.set_doubt(Doubt::Charge);
        let task = arguments(const { operation("order_wait") }, json).and_then(|arguments| wait::read(&arguments));
        task.map_or_else(Reply::invalid, |task| watch::watch(self, context, &task))
    }
}

/// The members that an operation got.
pub(super) fn arguments<'a>(operation: &Operation, json: &'a str) -> Result<Members<'a>, ValidationError> {
    validate::object(json, operation.members, validate::Rules::CLOSED, operation.name, Status::Argument)
}
