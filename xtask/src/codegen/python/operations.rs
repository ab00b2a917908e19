//! The functions that choose their requests themselves, as methods.

use minijinja::value::Serde;
use minijinja::{Value, context};
use paysvc_spec::operations::{Body, OPERATIONS, Operation};
use paysvc_spec::schema::Endpoint;

use super::answers::{Answers, IN_FRONT};
use super::classes::{Argument, Classes};
use crate::codegen::operations::{answer_of, operation};
use crate::names::python::method;

/// Operations whose methods take other arguments than the fields of the request, in the template's macro `by_hand`.
const BY_HAND: &[&str] = &["resolve", "payout_bulk"];

/// Python's text about the body of a webhook, which the library also takes as an object.
const RAW_BODY: &str = "the body of the webhook as it was received, as bytes or str, never a parsed event, which has lost duplicate keys and exact numbers: request.get_data() of Flask, request.body of Django, await request.body() of FastAPI";

pub fn values(rows: &[Endpoint], classes: &Classes, answers: &Answers) -> Vec<Value> {
    let each = |it: &Operation| {
        let arguments = classes.arguments(it.name, it.members, false);
        let (mut required, optional): (Vec<Argument>, Vec<Argument>) =
            arguments.into_iter().partition(|argument| argument.required);
        if it.name == IN_FRONT {
            (required[0].kind, required[0].doc) = ("bytes | str".to_owned(), RAW_BODY.to_owned());
        }
        context! {
            python => method(it.name),
            by_hand => BY_HAND.contains(&it.name),
            // The class of the replies of an endpoint.
            shared => matches!(it.answer, Body::Of(_)) && answer_of(it, rows).is_some(),
            reply => answer_of(it, rows).map(|name| answers.reply(name)),
            required => Serde(required),
            optional => Serde(optional),
            ..operation(it)
        }
    };
    OPERATIONS.iter().map(each).collect()
}
