//! From the tables to source text: a module prepares the values that a language needs, its template holds the text.
//!
//! Pure.

pub mod cpp;
pub mod endpoints;
pub mod exports;
pub mod go;
pub mod man;
pub mod operations;
pub mod pages;
pub mod platforms;
pub mod python;
pub mod requests;
pub mod rows;
pub mod schema;
pub mod sizes;
pub mod symbols;
pub mod verdicts;

use std::collections::BTreeMap;

use minijinja::{Value, context};
use paysvc_spec::postgres;
use paysvc_spec::schema::{Answer, AnswerKind, ApiKey, Certainty, Endpoint, Field, Location, Member};
use paysvc_spec::status::{Constant, OUTCOMES, STATES, STATUSES};

/// A sort of numbers: its type in lower case, the prefix of the names, the table.
struct Numbers {
    kind: &'static str,
    prefix: &'static str,
    table: &'static [Constant],
}

const NUMBERS: [Numbers; 3] = [
    Numbers { kind: "status", prefix: "E_", table: STATUSES },
    Numbers { kind: "outcome", prefix: "OUTCOME_", table: OUTCOMES },
    Numbers { kind: "state", prefix: "STATE_", table: STATES },
];

impl Numbers {
    /// The name without its prefix.
    fn bare(&self, name: &'static str) -> &'static str {
        name.strip_prefix(self.prefix).unwrap_or(name)
    }
}

/// The constants of a language by their type.
fn numbers(of: impl Fn(&Numbers, &Constant) -> Value) -> BTreeMap<&'static str, Vec<Value>> {
    let all = |numbers: &Numbers| (numbers.kind, numbers.table.iter().map(|constant| of(numbers, constant)).collect());
    NUMBERS.iter().map(all).collect()
}

/// A table of Markdown: its head, and its lines, which are complete but for their ends.
fn table(head: &str, lines: impl Iterator<Item = String>) -> String {
    let columns = head.matches('|').count() - 1;
    let lines: String = lines.map(|line| line + "\n").collect();
    format!("{head}\n|{}\n{lines}", "---|".repeat(columns))
}

/// The values of a row that every template needs; each language adds its own.
fn row(row: &Endpoint) -> Value {
    context! {
        name => row.name,
        method => row.method.name(),
        path => row.path,
        manner => manner(row),
        encrypted => row.encrypted,
        changes => !row.read_only(),
        allows_extra => row.allows_extra,
        doc => row.doc,
    }
}

/// The statements of the store in PostgreSQL, in that template. `parameter`: the form of a parameter in the drivers.
pub fn statements(template: &str, parameter: fn(usize) -> String) -> String {
    let written = |text: &str| {
        (1..=5).fold(text.to_owned(), |text, number| text.replace(&format!("{{{number}}}"), &parameter(number)))
    };
    let of = |&(name, doc, text): &postgres::Statement| context! { name, doc, text => written(text) };
    let statements: Vec<_> = postgres::STATEMENTS.iter().map(of).collect();
    crate::templates::render(template, context! { table => postgres::TABLE, statements })
}

/// The way a row is sent, in words: "public key, encrypted".
fn manner(row: &Endpoint) -> String {
    let key = match row.key {
        ApiKey::Public => "public key",
        ApiKey::Secret => "secret key",
    };
    let key = match row.key_setting {
        Some(setting) => format!("{key} (setting {setting})"),
        None => key.to_owned(),
    };
    let encrypted = if row.encrypted { ", encrypted" } else { "" };
    let repeated = if row.read_only() { ", read-only" } else { "" };
    format!("{key}{encrypted}{repeated}")
}

/// The way the body is sent; a row without fields in the body has none.
fn sent_body(row: &Endpoint) -> &'static str {
    match (row.encrypted, row.fields.iter().any(|field| field.location == Location::Body)) {
        (true, _) => "encrypted",
        (false, true) => "plain",
        (false, false) => "–",
    }
}

/// Returns whether the word in `/data/status` is a state, and the response has that field: the data of a batch is a list.
fn word_is_state(answer: &Answer) -> bool {
    let has = |members: &'static [Member], name: &str| members.iter().find(|member| member.name == name);
    let of_data = has(answer.members, "data").map(|data| data.kind);
    answer.success_is_state && matches!(of_data, Some(AnswerKind::Object(data)) if has(data, "status").is_some())
}

/// The values of a field of a request or of the configuration that every template needs.
fn member(field: &Field) -> Value {
    context! { name => field.name, kind => kind(field), doc => field.doc_with_default() }
}

/// The type of a field, in words: "string, required".
fn kind(field: &Field) -> String {
    format!("{}{}", field.kind.name(), if field.required { ", required" } else { "" })
}

/// The type of a response's field, in words: "amount in major currency units, reported".
fn answer_kind(member: &Member) -> String {
    let unit = member.kind.unit().map(|unit| format!(" in {unit}")).unwrap_or_default();
    let certainty = match member.certainty {
        Certainty::Documented => String::new(),
        other => format!(", {}", other.name()),
    };
    format!("{}{unit}{certainty}", member.kind.name())
}

/// The fields with those of their objects and lists, each with how deep it lies.
fn flat(fields: &'static [Field]) -> Vec<(usize, &'static Field)> {
    let inner = |field: &Field| flat(field.kind.members()).into_iter().map(|(depth, field)| (depth + 1, field));
    fields.iter().flat_map(|field| [(0, field)].into_iter().chain(inner(field)).collect::<Vec<_>>()).collect()
}
