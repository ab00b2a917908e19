//! The functions that `paysvc_invoke` calls with JSON and that have another shape in C, or none there.

use super::Client;
use super::resolve::row_of;
use crate::answer::reply::Reply;
use crate::call::Call;
use crate::json::object::{object_text, quote};
use crate::json::{self, Members, Type};
use crate::request::look_up;
use crate::request::validate;
use crate::util::validation_error::ValidationError;
use paysvc_spec::operations::{CLIENT_CHECK, CLIENT_WARM, InvokeFunction, JOURNAL_NEXT, LOOK_UP};
use paysvc_spec::schema::{Endpoint, Settles};
use paysvc_spec::status::Status;

/// A longer request is not read again for its status query, because a lack of memory for that would end the process.
const LONGEST: usize = 256 * 1024;

fn arguments<'a>(function: &InvokeFunction, json: &'a str) -> Result<Members<'a>, ValidationError> {
    validate::arguments(function.name, function.members, json)
}

impl Client {
    pub fn client_check(&self, context: &Call<'_>, json: &str) -> Reply {
        arguments(&CLIENT_CHECK, json).map_or_else(Reply::invalid, |_| self.check(context))
    }

    pub fn client_warm(&self, context: &Call<'_>, json: &str) -> Reply {
        arguments(&CLIENT_WARM, json).map_or_else(Reply::invalid, |_| self.warm(context))
    }

    /// The same with the keys in the JSON.
    pub fn journal_next_after(&self, context: &Call<'_>, json: &str) -> Reply {
        let after = arguments(&JOURNAL_NEXT, json).and_then(|members| {
            let Some(after) = json::member(&members, "after") else { return Ok(String::new()) };
            let text = json::text(after).map(|text| text.into_owned());
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
    let found = arguments(&LOOK_UP, json).and_then(|members| {
        let request = json::member(&members, "request").expect("a required field was checked");
        let no_object =
            || ValidationError::of_member(Status::Argument, WHAT, "request", "must be an object with each field once");
        let inner = (Type::of(request) == Type::Object).then(|| json::members(request).ok()).flatten();
        let inner = inner.ok_or_else(no_object)?;
        if json::member(&members, "endpoint").and_then(json::text).as_deref() != Some(OF_RESOLVE) {
            return Ok(kept(row_of(WHAT, &members)?, &inner, false, true));
        }
        kept_of_resolve(&inner)
    });
    found.map_or_else(Reply::invalid, Reply::local)
}

/// The reply with what finds out about its request, if that left something open.
pub fn with_look_up(reply: Reply, row: &'static Endpoint, json: &str) -> Reply {
    if row.read_only() || !reply.leaves_open() || json.len() > LONGEST {
        return reply;
    }
    let look_up = json::members(json).ok().map(|members| kept(row, &members, false, true));
    Reply { look_up, ..reply }
}

/// The same for the request of `resolve`.
pub fn with_look_up_again(reply: Reply, json: &str) -> Reply {
    if !reply.leaves_open() || json.len() > LONGEST {
        return reply;
    }
    let look_up = json::members(json).ok().and_then(|members| kept_of_resolve(&members).ok());
    Reply { look_up, ..reply }
}

fn kept_of_resolve(members: &Members<'_>) -> Result<String, ValidationError> {
    let earlier = json::member(members, "request").and_then(|request| json::members(request).ok());
    let is_charged = json::member(members, "charged") != Some("false");
    Ok(kept(row_of(LOOK_UP.name, members)?, &earlier.unwrap_or_default(), true, is_charged))
}

/// `with_added`: also what only the caller knows. `is_charged`: nothing says that the request makes no charge, but perhaps
/// its fields.
fn kept(row: &'static Endpoint, members: &Members<'_>, with_added: bool, is_charged: bool) -> String {
    let look_up = row.looked_up_by.as_ref();
    let kept = look_up.and_then(|look_up| look_up::text(&look_up::values(row, look_up, members, with_added)));
    // An empty request says nothing of what will be sent.
    let makes_no_charge = look_up.is_some_and(|look_up| {
        look_up.settles == Settles::ChargeOrOrder
            && !look_up::charges(row, look_up, members)
            && (!is_charged || !with_added && !members.is_empty())
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
