//! `docs/endpoints.md`: every row with its request, its answer, and how sure all of it is.

use minijinja::{Value, context};
use paysvc_spec::schema::{AnswerKind, Certainty, Endpoint, Field, Form, Kind, LookUp, Member, Safety};

use super::{row, sent_body};
use crate::templates;

pub fn render(rows: &[Endpoint]) -> String {
    let context = context! {
        certainties => Certainty::ALL.iter().map(|it| term(it.name(), it.doc())).collect::<Vec<_>>(),
        safeties => Safety::ALL.iter().map(|it| term(it.name(), it.doc())).collect::<Vec<_>>(),
        rows => rows.iter().map(endpoint).collect::<Vec<_>>(),
    };
    templates::render("endpoints.md", context)
}

fn term(name: &'static str, doc: &'static str) -> Value {
    context! { name, doc }
}

fn endpoint(it: &Endpoint) -> Value {
    let headers: Vec<Value> = it.headers.iter().map(|&(name, value)| context! { name, value }).collect();
    let mut request = Vec::new();
    request_members(&mut request, "", it.fields);
    let mut members = Vec::new();
    answer_members(&mut members, "", it.answer.members);
    context! {
        key => it.key.name(),
        body => sent_body(it),
        safety => it.safety.name(),
        certainty => it.certainty.name(),
        look_up => it.looked_up_by.as_ref().map(look_up),
        headers,
        request,
        answer => context! {
            success => it.answer.envelope.success(),
            success_is_state => it.answer.success_is_state,
            code => it.answer.envelope.code(),
            state => it.answer.state,
            subject => it.answer.subject,
            certainty => it.answer.certainty.name(),
            members,
        },
        ..row(it)
    }
}

fn look_up(it: &LookUp) -> Value {
    let members: Vec<Value> =
        it.members.iter().map(|&(name, pointers)| context! { name, pointers => pointers.to_vec() }).collect();
    context! { endpoint => it.endpoint, limits => it.limits, members }
}

fn request_kind(field: &Field) -> String {
    match field.kind {
        Kind::Amount(wire) => format!("amount, sent as a {}", wire.name()),
        kind => kind.name().to_owned(),
    }
}

fn request_members(out: &mut Vec<Value>, within: &str, fields: &[Field]) {
    for field in fields {
        let path = format!("{within}/{}", field.name);
        out.push(context! {
            path => &path,
            kind => request_kind(field),
            required => field.required,
            location => field.location.name(),
            secret => field.secret,
            certainty => field.certainty.name(),
            default => field.default.words(),
            doc => field.doc,
        });
        if let Kind::Object(inner) = field.kind {
            request_members(out, &path, inner);
        }
    }
}

fn answer_members(out: &mut Vec<Value>, within: &str, members: &[Member]) {
    for member in members {
        let path = format!("{within}/{}", member.name);
        out.push(context! {
            path => &path,
            kind => member.kind.name(),
            unit => member.kind.unit(),
            nullable => member.nullable,
            number_or_text => member.form == Form::NumberOrText,
            certainty => member.certainty.name(),
            doc => member.doc,
        });
        let each = if let AnswerKind::List(_) = member.kind { "/*" } else { "" };
        answer_members(out, &format!("{path}{each}"), member.kind.members());
    }
}
