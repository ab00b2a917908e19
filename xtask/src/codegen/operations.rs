//! What every language needs to know about the functions that choose their requests themselves, and about what is kept
//! from a request so that it can be resolved.

use minijinja::{Value, context};
use paysvc_spec::operations::{Body, OPERATIONS, Operation};
use paysvc_spec::schema::{Answer, Endpoint, Field, Keep, Kind};

/// The rows and, after them, the functions whose replies have bodies of their own: all whose answers are typed.
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

/// What every template needs to know; each language adds its own.
pub fn operation(operation: &Operation) -> Value {
    context! {
        name => operation.name,
        doc => operation.doc,
        about_earlier => operation.about_earlier,
        reports_progress => operation.reports_progress,
        timeout_of_step => operation.timeout_of_step,
    }
}

/// The look-up of each row that has one, with what is kept from a request.
pub fn look_ups(rows: &[Endpoint]) -> Vec<Value> {
    let kept = |keep: &Keep| {
        let (of, pointer) = match keep {
            Keep::Value(pointer) => ("value", pointer),
            Keep::Presence(pointer) => ("presence", pointer),
            Keep::Added(pointer) => ("added", pointer),
        };
        let path: Vec<String> =
            pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect();
        context! { of, path }
    };
    let each = |row: &Endpoint| {
        let look_up = row.looked_up_by?;
        let keeps: Vec<Value> = look_up.keep.iter().map(kept).collect();
        // A request that has no other members makes no charge.
        let makes_charge = |field: &&Field| look_up.charges_with.iter().any(|pointer| pointer[1..] == *field.name);
        let harmless = row.fields.iter().filter(|_| !look_up.charges_with.is_empty());
        let harmless: Vec<String> = harmless.filter(|field| !makes_charge(field)).flat_map(paths).collect();
        Some(context! { name => row.name, endpoint => look_up.endpoint, keeps, harmless })
    };
    rows.iter().filter_map(each).collect()
}

/// A member, or those of an object, as `order.amount`.
fn paths(field: &Field) -> Vec<String> {
    match field.kind {
        Kind::Object(members) => members.iter().flat_map(paths).map(|path| format!("{}.{path}", field.name)).collect(),
        _ => vec![field.name.to_owned()],
    }
}
