//! `docs/endpoints.md`, and a page in `docs/endpoints/` for every row: its request, its response, how certain all of it
//! is, and its example.

use std::collections::BTreeMap;

use minijinja::{Value, context};
use paysvc_spec::schema::{
    AnswerKind, Certainty, Endpoint, Field, Form, Keep, Kind, LookUp, Member, Method, PayOption, Place, Role, Safety,
    Settles, ShapeField,
};

use super::requests::Requests;
use super::{row, sent_body, word_is_state};
use crate::names;
use crate::templates;

pub fn render(rows: &[Endpoint]) -> String {
    let context = context! {
        certainties => Certainty::ALL.iter().map(|it| term(it.name(), it.doc())).collect::<Vec<_>>(),
        safeties => Safety::ALL.iter().map(|it| term(it.name(), it.doc())).collect::<Vec<_>>(),
        rows => rows.iter().map(endpoint).collect::<Vec<_>>(),
    };
    templates::render("endpoints.md", context)
}

/// The page of each row, by its path.
pub fn pages(rows: &'static [Endpoint], requests: &Requests) -> Result<Vec<(String, String)>, String> {
    let page = |it: &'static Endpoint| {
        let example = requests.of(it)?;
        let context = context! {
            row => endpoint(it),
            go => names::go::method(it.name),
            python => names::python::method(it.name),
            request => example.request.get(),
            answer => example.answer.get(),
            unknown => after_unknown(it),
        };
        let text = templates::render("endpoint.md", context);
        Ok((format!("{PAGES}/{}.md", it.name), text))
    };
    rows.iter().map(page).collect()
}

/// The next step of a program after the outcome UNKNOWN.
fn after_unknown(row: &Endpoint) -> &'static str {
    match (row.safety, row.looked_up_by) {
        (Safety::ReadOnly, _) => "ask again",
        (Safety::Repeatable, _) => "it moves no money, so it may be repeated",
        // The reference of a batch is in the response alone.
        (Safety::Moves, Some(LookUp { settles: Settles::Batch, .. }) | None) => "ask a person before it is repeated",
        (Safety::Moves, Some(LookUp { settles: Settles::Refund, .. })) => {
            "resolve it; of a refund of a part, no status query can tell, so ask a person before it is repeated"
        }
        (Safety::Moves, Some(_)) => "resolve it before it is repeated",
    }
}

/// The folder of the pages, which has nothing else.
pub const PAGES: &str = "docs/endpoints";

fn term(name: &'static str, doc: &'static str) -> Value {
    context! { name, doc }
}

fn endpoint(it: &Endpoint) -> Value {
    let headers: Vec<Value> = it.headers.iter().map(|&(name, value)| context! { name, value }).collect();
    let mut request = Vec::new();
    request_members(&mut request, "", it.fields);
    let (mut names, mut members) = (BTreeMap::new(), Vec::new());
    field_names(&mut names, "", &Names::default(), &it.answer.shape());
    answer_members(&mut members, "", Place::Root, it.answer.members, &names);
    context! {
        key => it.key.name(),
        body => sent_body(it),
        safety => it.safety.name(),
        certainty => context! {
            path => it.certainty.name(),
            key => it.key_certainty.name(),
            body => (it.method != Method::Get).then(|| it.body_certainty.name()),
        },
        key_setting => it.key_setting,
        headers_setting => it.headers_setting,
        fields => it.fields.iter().map(|field| context! { name => field.name, required => field.required }).collect::<Vec<_>>(),
        allows_extra => it.allows_extra,
        look_up => it.looked_up_by.as_ref().map(look_up),
        headers,
        request,
        options => it.fields.iter().flat_map(|field| field.options.iter().map(|option| pay_option(field, option))).collect::<Vec<_>>(),
        answer => context! {
            success => it.answer.envelope.success(it.read_only()),
            word_is_state => word_is_state(&it.answer),
            code => it.answer.envelope.code(),
            state => it.answer.state(),
            subject => it.answer.subject,
            certainty => it.answer.certainty.name(),
            is_typed => !names.is_empty(),
            members,
        },
        ..row(it)
    }
}

fn pay_option(field: &Field, it: &PayOption) -> Value {
    context! {
        words => it.words.to_vec(),
        needs => it.needs.to_vec(),
        member => field.name,
        sent_as => it.sent_as,
        certainty => it.certainty.name(),
        doc => it.doc,
    }
}

fn look_up(it: &LookUp) -> Value {
    let members: Vec<Value> =
        it.members.iter().map(|&(name, pointers)| context! { name, pointers => pointers.to_vec() }).collect();
    let keep: Vec<Value> = it
        .keep
        .iter()
        .map(|kept| {
            let added = matches!(kept, Keep::Added(_));
            context! { pointer => kept.pointer(), only_presence => matches!(kept, Keep::Presence(_)), added }
        })
        .collect();
    context! { endpoint => it.endpoint, limits => it.limits, members, keep }
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
        let each = if let Kind::List(_) = field.kind { "/*" } else { "" };
        request_members(out, &format!("{path}{each}"), field.kind.members());
    }
}

/// The type of a field, in words: "amount in major currency units, number or text, may be null".
fn answer_kind(member: &Member) -> String {
    let unit = member.kind.unit().map_or_else(String::new, |unit| format!(" in {unit}"));
    let form = if member.form == Form::NumberOrText { ", number or text" } else { "" };
    let null = if member.nullable { ", may be null" } else { "" };
    format!("{}{unit}{form}{null}", member.kind.name())
}

fn answer_members(
    out: &mut Vec<Value>,
    within: &str,
    place: Place,
    members: &[Member],
    names: &BTreeMap<String, Value>,
) {
    let not_typed = context! { cpp => (), go => (), python => () };
    for member in members {
        let role = member.role_in(place);
        let path = format!("{within}/{}", member.name);
        out.push(context! {
            path => &path,
            kind => answer_kind(member),
            certainty => member.certainty.name(),
            role => role.map(Role::words).filter(|words| !words.is_empty()),
            doc => member.doc,
            names => names.get(&path).unwrap_or(&not_typed),
        });
        let is_list = matches!(member.kind, AnswerKind::List(_));
        let (each, inner) = match role {
            Some(Role::History) => ("/*", Place::Attempt),
            Some(Role::Object(_)) if is_list => ("/*", Place::Element),
            Some(Role::Object(inner)) => ("", inner),
            // Nothing in it has a role.
            _ => (if is_list { "/*" } else { "" }, Place::Error),
        };
        answer_members(out, &format!("{path}{each}"), inner, &member.inner(), names);
    }
}

/// Where fields stand in a response, in each language.
#[derive(Default)]
struct Names {
    cpp: String,
    go: String,
    python: String,
}

/// The names of the typed fields, by the JSON pointers of their values.
fn field_names(out: &mut BTreeMap<String, Value>, path: &str, within: &Names, shape: &[ShapeField]) {
    let own = || shape.iter().map(|field| &*field.name);
    let (go, python) = (names::go::fields(own()), names::python::fields(&own().collect::<Vec<_>>()));
    for (((field, cpp), go), python) in shape.iter().zip(names::cpp::fields(shape)).zip(go).zip(python) {
        let at = |within: &str, name: &str| format!("{within}{name}");
        let here = Names { cpp: at(&within.cpp, &cpp), go: at(&within.go, &go), python: at(&within.python, &python) };
        let (each, inner, cpp_inner) = match field.kind() {
            AnswerKind::List(_) => ("/*", "[i].", "[i]."),
            _ => ("", ".", "->"),
        };
        let below = Names { cpp: at(&here.cpp, cpp_inner), go: at(&here.go, inner), python: at(&here.python, inner) };
        for (place, member) in &field.members {
            let data = if *place == Place::Data { "/data" } else { "" };
            let path = format!("{path}{data}/{}", member.name);
            field_names(out, &format!("{path}{each}"), &below, &field.fields);
            out.insert(path, context! { cpp => &here.cpp, go => &here.go, python => &here.python });
        }
    }
}
