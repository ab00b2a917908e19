//! The functions that choose their requests themselves, as methods.

use minijinja::{Value, context};
use paysvc_spec::operations::{OPERATIONS, Operation};
use paysvc_spec::schema::Endpoint;

use super::answers::has_reply;
use super::structs::{Shared, Use, structs};
use crate::codegen::operations::{answer_of, operation, with_answers};
use crate::names::go::{exported, method};

/// Operations with hand-written methods that take their requests, in `resolve.go`.
const BY_HAND: &[(&str, &str)] = &[("resolve", "ResolveRequest")];

/// The method that takes the request.
pub fn called(name: &str) -> String {
    BY_HAND.iter().find(|it| it.0 == name).map_or_else(|| method(name), |it| it.1.to_owned())
}

pub fn values(rows: &[Endpoint], shared: &Shared) -> Vec<Value> {
    let typed: Vec<_> = with_answers(rows).into_iter().filter(has_reply).map(|it| it.name).collect();
    let each = |it: &Operation| {
        context! {
            go => exported(it.name),
            function => called(it.name),
            by_hand => BY_HAND.iter().any(|by_hand| by_hand.0 == it.name),
            answer_of => answer_of(it, rows),
            reply => answer_of(it, rows).filter(|name| typed.contains(name)).map(|name| format!("{}Reply", exported(name))),
            structs => request(it, shared),
            ..operation(it)
        }
    };
    OPERATIONS.iter().map(each).collect()
}

pub fn request(operation: &Operation, shared: &Shared) -> Vec<Value> {
    let name = format!("{}Request", exported(operation.name));
    structs(&name, operation.members, Use::Request { extra: false }, shared)
}
