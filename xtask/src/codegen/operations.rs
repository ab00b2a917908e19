//! The values that every language needs for the functions that choose their requests themselves, and for the endpoint
//! that finds the outcome of a request.

use minijinja::{Value, context};
use paysvc_spec::operations::{Body, OPERATIONS, Operation};
use paysvc_spec::schema::{Answer, Endpoint};

/// The rows and, after them, the functions whose replies have bodies of their own: all whose responses are typed.
pub fn with_answers(rows: &[Endpoint]) -> Vec<Endpoint> {
    let own = |operation: &Operation| match operation.answer {
        Body::Own(members) => Some(Endpoint {
            name: operation.name,
            fields: operation.members,
            answer: Answer { members, ..Endpoint::ANSWER },
            ..Endpoint::ROW
        }),
        Body::Of(_) | Body::OfLookUp => None,
    };
    rows.iter().copied().chain(OPERATIONS.iter().filter_map(own)).collect()
}

/// The name of the row, or of the function, whose typed answer the reply has; none if that depends on the request, or
/// if these rows lack it.
pub fn answer_of(operation: &Operation, rows: &[Endpoint]) -> Option<&'static str> {
    match operation.answer {
        Body::Own(_) => Some(operation.name),
        Body::Of(name) => rows.iter().any(|row| row.name == name).then_some(name),
        Body::OfLookUp => None,
    }
}

/// The values that every template needs; each language adds its own.
pub fn operation(operation: &Operation) -> Value {
    context! {
        name => operation.name,
        doc => operation.doc,
        about_earlier => operation.about_earlier,
        reports_progress => operation.reports_progress,
        timeout_of_step => operation.timeout_of_step,
    }
}

/// Each row that has a status query, and the endpoint that it asks.
pub fn look_ups(rows: &[Endpoint]) -> Vec<Value> {
    let each = |row: &Endpoint| Some(context! { name => row.name, endpoint => row.looked_up_by?.endpoint });
    rows.iter().filter_map(each).collect()
}
