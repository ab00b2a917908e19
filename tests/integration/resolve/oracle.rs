//! Random answers of the look-up, compared with a second reading of the rules that shares nothing with the library.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{FOUND, Service};
use crate::support::random::Random;

const SEED: u64 = 13;
const ANSWERS: usize = 4000;

/// The state that one member names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Named {
    Failed,
    Successful,
    Reversed,
    Progress,
    Unknown,
}
use Named::{Failed, Progress, Reversed, Successful};

fn of_id(value: &Value) -> Option<Named> {
    Some(match value {
        Value::Null => return None,
        Value::String(text) if text.trim().is_empty() => return None,
        Value::String(text) => {
            return of_id(&serde_json::from_str(text.trim()).ok().filter(Value::is_number).unwrap_or(json!(99)));
        }
        _ => match value.as_u64() {
            Some(4) => Failed,
            Some(5) => Successful,
            Some(6) => Reversed,
            Some(1 | 2 | 3 | 7) => Progress,
            _ => Named::Unknown,
        },
    })
}

fn of_word(value: &Value) -> Option<Named> {
    Some(match value.as_str()?.trim().to_ascii_lowercase().as_str() {
        "" => return None,
        "failed" | "declined" => Failed,
        "successful" => Successful,
        "reversed" => Reversed,
        "pending" | "initiated" | "processing" => Progress,
        _ => Named::Unknown,
    })
}

/// All that an object names.
fn named(object: &Value) -> Vec<Named> {
    let id = object.get("statusId").and_then(of_id);
    id.into_iter().chain(object.get("status").and_then(of_word)).collect()
}

/// What is asked, and what the library must answer.
#[derive(Debug)]
struct Oracle {
    outcome: &'static str,
    state: u64,
}

/// An amount with at most six digits after the point.
fn millionths(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}{fraction:0<6}").parse().ok()
}

fn oracle(answer: &Value, attempts: Option<usize>, expected: Option<i64>) -> Oracle {
    let unknown = |state| Oracle { outcome: "UNKNOWN", state };
    let data = &answer["data"];
    let summary = &data["orderSummary"];
    if summary.as_object().is_none_or(serde_json::Map::is_empty) {
        return unknown(0);
    }
    let scalars: Vec<Named> = named(summary).into_iter().chain(answer.get("status").and_then(of_word)).collect();
    let ends: Vec<Named> = [Failed, Successful, Reversed].into_iter().filter(|end| scalars.contains(end)).collect();
    let others = scalars.iter().any(|state| matches!(state, Progress | Named::Unknown));
    let entries: &[Value] = data["orderPayments"].as_array().map_or(&[], Vec::as_slice);
    let of_entries: Vec<Vec<Named>> = entries.iter().map(named).collect();
    let failed = |entry: &Vec<Named>| !entry.is_empty() && entry.iter().all(|state| *state == Failed);
    let successful = |entry: &Vec<Named>| !entry.is_empty() && entry.iter().all(|state| *state == Successful);
    let speaking: Vec<&Vec<Named>> = of_entries.iter().filter(|entry| !entry.is_empty()).collect();
    let code = summary["paymentResponseCode"].as_str();
    let contradicted = match ends[..] {
        [Failed] => speaking.iter().any(|entry| !failed(entry)),
        [Successful] => {
            matches!(code, Some("02" | "51")) || !speaking.is_empty() && !speaking.iter().any(|entry| successful(entry))
        }
        _ => false,
    };
    let state = match ends[..] {
        [end] if !others && !contradicted => match end {
            Failed => 4,
            Successful => 5,
            _ => 6,
        },
        _ => 0,
    };
    if summary["reference"].as_str().is_some_and(|reference| reference != "O-1") {
        return unknown(state);
    }
    if summary["reference"].is_null() {
        return unknown(0);
    }
    if let Some(expected) = expected {
        let number = |name: &str| match &summary[name] {
            Value::String(text) => millionths(text),
            value => millionths(&value.to_string()),
        };
        let fee = number("fee").unwrap_or(0);
        // What was not charged has a price only.
        let charged = matches!(state, 5 | 6);
        let agrees = match (number("orderAmount"), number("totalChargedAmount")) {
            (Some(price), _) => price == expected,
            (None, Some(total)) if charged => total == expected || total == expected + fee,
            _ => !charged,
        };
        if !agrees {
            return unknown(state);
        }
    }
    let is = |name: &str, value: bool| match data.get(name) {
        None | Some(Value::Null) => true,
        Some(Value::Bool(found)) => *found == value,
        Some(other) => *other == json!(value.to_string()),
    };
    if state == 0 || !is("isFinalStatus", true) || !is("requeryNeeded", false) {
        return unknown(state);
    }
    if state != 4 {
        return Oracle { outcome: "CONFIRMED", state };
    }
    let is_said = |name: &str| data.get(name).is_some_and(|said| !said.is_null());
    let references: BTreeSet<_> = entries.iter().filter_map(|entry| entry["orderPaymentReference"].as_str()).collect();
    // One request may leave several entries: they are never counted as requests.
    let proved = attempts == Some(1)
        && is_said("isFinalStatus")
        && is_said("requeryNeeded")
        && !entries.is_empty()
        && references.len() == entries.len()
        && of_entries.iter().all(failed)
        && !matches!(code, Some("00" | "02"));
    if proved { Oracle { outcome: "REJECTED", state } } else { unknown(state) }
}

struct Draw(Random);

impl Draw {
    /// One of them; null leaves the member out.
    fn one(&mut self, values: &[Value]) -> Value {
        values[self.0.below(values.len() as u64) as usize].clone()
    }

    fn object(&mut self, members: &[(&str, &[Value])]) -> Value {
        let drawn: Map<String, Value> =
            members.iter().map(|(name, values)| ((*name).into(), self.one(values))).collect();
        let kept = drawn.into_iter().filter(|(_, value)| !value.is_null() || self.0.percent(20));
        Value::Object(kept.collect())
    }

    fn answer(&mut self) -> Value {
        // Most answers agree with themselves, or nothing but UNKNOWN would be seen.
        let state = self.0.below(10);
        let (ids, words): (&[Value], &[Value]) = match state {
            0..=3 => (&[json!(4), json!(4), json!("4")], &[json!("Failed"), json!(null)]),
            4..=6 => (&[json!(5), json!(5), json!(" 5 ")], &[json!("Successful"), json!(null)]),
            7 => (&[json!(6)], &[json!("Reversed"), json!(null)]),
            8 => (&[json!(1), json!(2), json!(7)], &[json!("Pending"), json!(null)]),
            _ => (
                &[json!(4), json!(5), json!(9), json!(5.0), json!("paid"), json!(null)],
                &[json!("Failed"), json!("SUCCESSFUL"), json!("held"), json!("Pending")],
            ),
        };
        let mut summary = self.object(&[
            ("statusId", ids),
            ("status", words),
            ("orderAmount", &[json!(100.1), json!("100.1000"), json!(null), json!(90)]),
            ("totalChargedAmount", &[json!(101.6), json!("100.10"), json!(null)]),
            ("fee", &[json!(1.5), json!("1.50"), json!(null)]),
        ]);
        summary["reference"] = match self.0.below(40) {
            0 => json!("O-2"),
            1 => json!(null),
            _ => json!("O-1"),
        };
        if self.0.percent(30) {
            summary["paymentResponseCode"] = self.one(&[json!("00"), json!("02"), json!("51"), json!(null)]);
        }
        let mut data = self.object(&[
            ("isFinalStatus", &[json!(true), json!(true), json!(null), json!("true"), json!(false)]),
            ("requeryNeeded", &[json!(false), json!(false), json!(null), json!("false"), json!(true)]),
        ]);
        data["orderSummary"] = summary;
        if self.0.percent(5) {
            data["orderSummary"] = json!({});
        }
        if self.0.percent(85) {
            data["orderPayments"] = (0..self.0.below(4)).map(|_| self.entry(state)).collect();
        }
        let mut answer = json!({"data": data, "statusCode": "00"});
        if self.0.percent(50) {
            answer["status"] = self.one(&[words[0].clone(), words[0].clone(), json!("Pending")]);
        }
        answer
    }

    fn entry(&mut self, state: u64) -> Value {
        let likely = if (4..=7).contains(&state) { json!(5) } else { json!(4) };
        let ids = [likely.clone(), likely, json!(4), json!(4), json!(2), json!(null)];
        let mut entry = self.object(&[("statusId", &ids), ("dateCreated", &[json!("a"), json!("b"), json!("c")])]);
        if self.0.percent(80) {
            entry["orderPaymentReference"] = format!("P-{}", self.0.below(6)).into();
        }
        if self.0.percent(30) {
            entry["status"] = self.one(&[json!("Failed"), json!("Failed"), json!("Pending")]);
        }
        entry
    }
}

#[test]
fn random_answers_are_settled_as_another_reading_of_the_rules_says() {
    let service = Service::new();
    let mut draw = Draw(Random::new(SEED, 0));
    let (mut confirmed, mut rejected) = (0, 0);
    for number in 0..ANSWERS {
        let answer = draw.answer();
        let attempts = draw.0.percent(80).then(|| 1 + draw.0.below(2) as usize);
        let expected = draw.0.percent(50).then_some(100_100_000);
        let mut more = json!({});
        if let Some(attempts) = attempts {
            more["attempts"] = attempts.into();
        }
        if expected.is_some() {
            more["expect"] = json!({"amount": "100.10"});
        }
        let right = oracle(&answer, attempts, expected);
        let reply = service.answer(&[(FOUND, "", &answer.to_string())]).resolve(
            "order_pay",
            &json!({"reference": "O-1"}),
            &more,
        );
        let verdict = reply.verdict();
        let outcome = verdict.rsplit(' ').next().unwrap();
        let what =
            format!("answer {number} of seed {SEED}: {answer} {more}: {verdict}, {right:?}: {}", reply.message());
        assert_eq!(outcome, right.outcome, "{what}");
        // A state of progress is not compared, it decides nothing.
        let state = u64::try_from(reply.state()).unwrap();
        assert!(state == right.state || right.state == 0 && !(4..=6).contains(&state), "{what}");
        confirmed += usize::from(outcome == "CONFIRMED");
        rejected += usize::from(outcome == "REJECTED");
    }
    println!("{ANSWERS} answers: {confirmed} CONFIRMED, {rejected} REJECTED");
    assert!(confirmed > ANSWERS / 20 && rejected > ANSWERS / 200, "{confirmed} {rejected}");
}
