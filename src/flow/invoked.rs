//! The functions that `paysvc_invoke` calls with JSON and that have another shape in C, or none there.

use std::borrow::Cow;

use super::Client;
use super::resolve::row_of;
use crate::answer::reply::Reply;
use crate::call::Call;
use crate::json::object::{object_text, quote};
use crate::json::{Fields, Given, Type, Value};
use crate::request::look_up;
use crate::request::validate;
use crate::util::validation_error::ValidationError;
use paysvc_spec::operations::{CLIENT_CHECK, CLIENT_WARM, InvokeFunction, JOURNAL_NEXT, LOOK_UP};
use paysvc_spec::schema::{Endpoint, Settles};
use paysvc_spec::status::Status;

/// No status query is given for a longer request, because a lack of memory for its text would end the process.
const LONGEST: usize = 256 * 1024;

fn arguments<'g>(function: &InvokeFunction, given: &'g Given<'_>) -> Result<Fields<'g>, ValidationError> {
    validate::arguments(function.name, function.members, given)
}

impl Client {
    pub fn client_check(&self, context: &Call<'_>, json: &str) -> Reply {
        arguments(&CLIENT_CHECK, &Given::read(json)).map_or_else(Reply::invalid, |_| self.check(context))
    }

    pub fn client_warm(&self, context: &Call<'_>, json: &str) -> Reply {
        arguments(&CLIENT_WARM, &Given::read(json)).map_or_else(Reply::invalid, |_| self.warm(context))
    }

    /// The same with the keys in the JSON.
    pub fn journal_next_after(&self, context: &Call<'_>, json: &str) -> Reply {
        let given = Given::read(json);
        let after = arguments(&JOURNAL_NEXT, &given).and_then(|given| {
            let Some(after) = given.get("after") else { return Ok(String::new()) };
            let text = after.text().map(Cow::into_owned);
            text.ok_or_else(|| ValidationError::of_member(Status::Argument, JOURNAL_NEXT.name, "after", "must be text"))
        });
        let after = match after {
            Ok(after) => after,
            Err(error) => return Reply::invalid(error),
        };
        let (next, reply) = self.journal_next(context, &after);
        reply.with_field("key", |out| quote(next.as_deref().unwrap_or(&after), out))
    }
}

/// The request of `resolve` for a request that has not been sent yet; of a request of `resolve` the same without what the
/// status query does not need.
pub fn look_up_of(json: &str) -> Reply {
    const WHAT: &str = LOOK_UP.name;
    const OF_RESOLVE: &str = "resolve";
    let given = Given::read(json);
    let found = arguments(&LOOK_UP, &given).and_then(|given| {
        let request = given.get("request").expect("a required field was checked");
        if request.kind() != Type::Object {
            return Err(ValidationError::of_member(Status::Argument, WHAT, "request", "must be an object"));
        }
        match given.text("endpoint").as_deref() {
            Some(OF_RESOLVE) => kept_of_resolve(request.fields()),
            _ => Ok(kept(row_of(WHAT, given)?, request.fields(), false, true)),
        }
    });
    found.map_or_else(Reply::invalid, Reply::local)
}

/// The reply with the status query for its request, if that left something open.
pub fn with_look_up(reply: Reply, row: &'static Endpoint, given: &Given<'_>) -> Reply {
    if row.read_only() || !reply.leaves_open() {
        return reply;
    }
    let look_up = usable(given).map(|given| kept(row, given, false, true));
    Reply { look_up, ..reply }
}

/// The same for the request of `resolve`.
pub fn with_look_up_again(reply: Reply, given: &Given<'_>) -> Reply {
    if !reply.leaves_open() {
        return reply;
    }
    let look_up = usable(given).and_then(|given| kept_of_resolve(given).ok());
    Reply { look_up, ..reply }
}

/// The fields of a request that may have been refused: none where two readers would read it differently.
fn usable<'g>(given: &'g Given<'_>) -> Option<Fields<'g>> {
    given.fields().ok().filter(|_| given.len() <= LONGEST && given.fault().is_none())
}

fn kept_of_resolve(given: Fields<'_>) -> Result<String, ValidationError> {
    let earlier = given.get("request").map_or(Fields::Named(&[]), Value::fields);
    // It was not checked, and only false means that nothing was charged.
    let is_charged = given.get("charged").is_none_or(|value| value.raw() != "false");
    Ok(kept(row_of(LOOK_UP.name, given)?, earlier, true, is_charged))
}

/// `with_added`: also values that only the caller has. `is_charged`: nothing but perhaps its fields shows that the request
/// makes no charge.
fn kept(row: &'static Endpoint, given: Fields<'_>, with_added: bool, is_charged: bool) -> String {
    let look_up = row.looked_up_by.as_ref();
    let kept = look_up.and_then(|look_up| look_up::text(&look_up::values(row, look_up, given, with_added)));
    // An empty request proves nothing about the request that will be sent.
    let makes_no_charge = look_up.is_some_and(|look_up| {
        look_up.settles == Settles::ChargeOrOrder
            && !look_up::charges(row, look_up, given)
            && (!is_charged || !with_added && given.iter().next().is_some())
    });
    object_text(|object| {
        object.text("endpoint", row.name);
        object.raw("request", |out| out.extend_from_slice(kept.as_deref().unwrap_or("{}").as_bytes()));
        if makes_no_charge {
            object.literal("charged", false);
        }
    })
}

/// The error about a name that no function has.
pub fn unknown_function(given: &str, all: impl Iterator<Item = &'static str> + Clone) -> ValidationError {
    let text = validate::unknown_function(given, all);
    ValidationError::of_member(Status::Argument, "invoke", "function", text)
}
