//! The functions that choose their requests themselves, as methods.

use minijinja::{Value, context};
use paysvc_spec::operations::{OPERATIONS, Operation};
use paysvc_spec::schema::Endpoint;

use super::{Use, structs};
use crate::codegen::operations::{answer_of, operation};
use crate::names::go::{exported, method};

/// Those whose methods take something else than their request; they are in `resolve.go` and `payouts.go`.
const BY_HAND: &[&str] = &["resolve", "payout_bulk"];

pub fn values(rows: &[Endpoint]) -> Vec<Value> {
    let each = |it: &Operation| {
        context! {
            go => exported(it.name),
            function => method(it.name),
            by_hand => BY_HAND.contains(&it.name),
            reply => answer_of(it, rows).map(|name| format!("{}Reply", exported(name))),
            structs => request(it),
            ..operation(it)
        }
    };
    OPERATIONS.iter().map(each).collect()
}

pub fn request(operation: &Operation) -> Vec<Value> {
    structs(&format!("{}Request", exported(operation.name)), operation.members, Use::Request { extra: false })
}
