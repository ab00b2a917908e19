//! `schema.json`, which is installed: functions with the fields of their requests and answers, settings, and numbers. Other
//! languages render data types from it.

use paysvc_spec::ENDPOINTS;
use paysvc_spec::operations::{Body, INVOKED, OPERATIONS};
use paysvc_spec::schema::{AnswerKind, Certainty, Default, Field, Kind, Place, ShapeField};
use paysvc_spec::settings;
use paysvc_spec::status::{ABI, Constant, OUTCOMES, STATES, STATUSES, VERSION};
use serde_json::{Value, json};

pub fn render() -> String {
    let endpoints = ENDPOINTS.iter().map(|row| {
        json!({
            "name": row.name, "doc": row.doc, "method": row.method.name(), "path": row.path, "certainty": row.certainty.name(),
            "safety": row.safety.name(), "about_earlier": false, "allows_other_members": row.allows_extra,
            "request": fields(row.fields), "answer_of": row.name, "answer": answer(&row.answer.shape()),
        })
    });
    let operations = OPERATIONS.iter().map(|of| {
        let answer_of = match of.answer {
            Body::Of(row) => json!(row),
            // The endpoint of the status query: the reply names it.
            Body::OfLookUp => Value::Null,
            Body::Own(_) => json!(of.name),
        };
        json!({
            "name": of.name, "doc": of.doc, "about_earlier": of.about_earlier, "allows_other_members": false,
            "request": fields(of.members), "answer_of": answer_of, "answer": answer(&of.shape()),
        })
    });
    let others = INVOKED.iter().map(|of| {
        json!({
            "name": of.name, "doc": of.doc, "about_earlier": of.about_earlier, "only_by_invoke": true,
            "request": fields(of.members), "answer": [],
        })
    });
    let functions: Vec<_> = endpoints.chain(operations).chain(others).collect();
    let schema = json!({
        "version": VERSION, "abi": ABI, "functions": functions,
        "request": fields(settings::REQUEST), "settings": fields(settings::CONFIG),
        "statuses": numbers(STATUSES, ""), "outcomes": numbers(OUTCOMES, "OUTCOME_"), "states": numbers(STATES, "STATE_"),
    });
    format!("{}\n", serde_json::to_string_pretty(&schema).expect("a value is JSON"))
}

fn numbers(table: &[Constant], prefix: &str) -> Vec<Value> {
    let one = |it: &Constant| json!({"name": it.name.trim_start_matches(prefix), "number": it.number, "doc": it.doc});
    table.iter().map(one).collect()
}

fn fields(all: &[Field]) -> Vec<Value> {
    let one = |field: &Field| {
        let (kind, unit) = match field.kind {
            Kind::Text => ("string", None),
            Kind::Integer => ("integer", field.name.ends_with("_ms").then_some("ms")),
            Kind::Amount(_) => ("amount", AnswerKind::Amount.unit()),
            Kind::Flag => ("boolean", None),
            Kind::Any => ("any", None),
            Kind::Object(_) => ("object", None),
            Kind::List(_) => ("array", None),
        };
        let mut told = json!({
            "name": field.name, "type": kind, "required": field.required, "secret": field.secret,
            "certainty": field.certainty.name(), "doc": field.doc,
        });
        let default = match field.default {
            Default::None => Value::Null,
            Default::Flag(value) => json!(value),
            Default::Number { value, .. } => json!(value),
            Default::Word(words) => json!(words[0]),
            Default::Described(what) => json!({ "doc": what }),
        };
        let inner = fields(field.kind.members());
        add(&mut told, "unit", unit.is_some(), json!(unit));
        add(&mut told, "default", !default.is_null(), default);
        add(&mut told, "fields", !inner.is_empty(), json!(inner));
        told
    };
    all.iter().map(one).collect()
}

/// `pointers`: where the service writes it, in the body or in the object that holds the field.
fn answer(all: &[ShapeField]) -> Vec<Value> {
    within(Certainty::Documented, all)
}

/// None is surer than what it is in.
fn within(least: Certainty, all: &[ShapeField]) -> Vec<Value> {
    let one = |field: &ShapeField| {
        let (_, member) = field.members[0];
        let pointer = |(place, member): &(Place, &paysvc_spec::schema::Member)| match place {
            Place::Data => format!("/data/{}", member.name),
            _ => format!("/{}", member.name),
        };
        let kind = match field.kind() {
            AnswerKind::Text => "string",
            AnswerKind::Integer => "integer",
            AnswerKind::Amount | AnswerKind::Decimal => "decimal",
            AnswerKind::Flag => "boolean",
            AnswerKind::Time => "time",
            AnswerKind::Any => "any",
            AnswerKind::Object(_) => "object",
            AnswerKind::List(_) => "array",
        };
        let mut told = json!({
            "name": field.name, "type": kind, "certainty": member.certainty.max(least).name(),
            "doc": member.doc, "pointers": field.members.iter().map(pointer).collect::<Vec<_>>(),
        });
        add(&mut told, "unit", field.kind().unit().is_some(), json!(field.kind().unit()));
        add(&mut told, "fields", !field.fields.is_empty(), json!(within(member.certainty.max(least), &field.fields)));
        told
    };
    all.iter().map(one).collect()
}

fn add(told: &mut Value, name: &str, is_there: bool, value: Value) {
    if is_there {
        told[name] = value;
    }
}
