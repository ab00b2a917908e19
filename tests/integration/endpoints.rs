//! Rows and `tests/scenarios.json` name the same endpoints, and the sandbox sees each request as its entry has it.

use std::collections::BTreeSet;

use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::{AnswerKind, Certainty, Field, Kind, Member};
use serde_json::{Value, json};

use crate::support::capi::Client;
use crate::support::sandbox::Sandbox;
use crate::support::target::{Good, calls, good, target};

#[test]
fn every_row_has_an_entry_and_every_entry_a_row() {
    let rows: BTreeSet<_> = ENDPOINTS.iter().map(|row| row.name).collect();
    let entries: BTreeSet<_> = calls().endpoints.keys().map(String::as_str).collect();
    assert_eq!(rows, entries, "the rows of the table, and \"endpoints\" of tests/scenarios.json");
}

/// The search for leaks looks for every secret field, and for no other.
#[test]
fn every_secret_member_has_a_canary_and_every_canary_a_secret_member() {
    fn secrets(fields: &[Field]) -> Vec<&'static str> {
        let of = |field: &Field| match field.kind {
            Kind::Object(fields) | Kind::List(fields) => secrets(fields),
            _ if field.secret => vec![field.name],
            _ => vec![],
        };
        fields.iter().flat_map(of).collect()
    }
    let secrets: BTreeSet<_> = ENDPOINTS.iter().flat_map(|row| secrets(row.fields)).collect();
    let canaries: BTreeSet<_> = calls().canaries.keys().map(String::as_str).collect();
    assert_eq!(secrets, canaries, "the secret fields of the table, and \"canaries\" of tests/scenarios.json");
}

/// The responses of the entries, from which the typed answers of every language are tested, leave no typed field out.
#[test]
fn the_answers_of_an_entry_have_every_member_of_the_row_that_is_not_guessed() {
    fn missing(within: &str, members: &'static [Member], answers: &[&Value], found: &mut Vec<String>) {
        for member in members.iter().filter(|member| member.certainty != Certainty::Guessed) {
            let path = format!("{within}/{}", member.name);
            let values: Vec<&Value> = answers.iter().filter_map(|answer| answer.get(member.name)).collect();
            if values.iter().all(|value| value.is_null()) && (values.is_empty() || !member.nullable) {
                found.push(path);
                continue;
            }
            let inner: Vec<&Value> = match member.kind {
                AnswerKind::List(_) => values.iter().filter_map(|value| value.as_array()).flatten().collect(),
                _ => values,
            };
            missing(&path, member.kind.members(), &inner, found);
        }
    }
    for row in ENDPOINTS {
        let good = good(row);
        let answers: Vec<Value> =
            [&good.answer].into_iter().chain(&good.other_answers).cloned().map(Value::Object).collect();
        let mut found = Vec::new();
        missing("", row.answer.members, &answers.iter().collect::<Vec<_>>(), &mut found);
        assert!(found.is_empty(), "{}: no response in tests/scenarios.json has {found:?}", row.name);
    }
}

#[test]
fn every_entry_is_what_the_sandbox_sees() {
    let sandbox = Sandbox::start(&[]);
    let client = Client::new(&sandbox.config());
    for row in ENDPOINTS {
        let (target, Good { wire, amount, .. }) = (target(row, &sandbox), good(row));
        client.call(row.name, &target.request).expect("OK CONFIRMED");
        let seen = sandbox.requests().pop().unwrap();
        let header = |name: &str| seen["headers"][name].as_str().unwrap_or_default().to_owned();
        let expected =
            [&wire[0], &target.path, &wire[2], &wire[3], wire.get(4).unwrap_or(&String::new())].map(Clone::clone);
        let text = |name: &str| seen[name].as_str().unwrap_or_default().to_owned();
        let found = [text("method"), text("path"), header("api-key"), text("envelope"), header("encryption")];
        assert_eq!(found, expected, "{}", row.name);
        let effects: Vec<_> = sandbox.ledger().into_iter().filter(|entry| !entry["request_id"].is_null()).collect();
        match &target.effect {
            None => assert!(effects.is_empty(), "{}: {effects:?}", row.name),
            Some((effect, key)) => {
                let made = effects.iter().find(|made| made["effect"] == **effect && made["key"] == **key);
                let made = made.unwrap_or_else(|| panic!("{}: no {effect} {key} in {effects:?}", row.name));
                if let Some(amount) = amount {
                    let request = target.request.as_object().unwrap();
                    assert_eq!(made["amount"], json!(crate::support::target::filled(amount, request)), "{}", row.name);
                }
            }
        }
    }
}
