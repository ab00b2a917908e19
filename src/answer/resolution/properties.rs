//! Properties of the decision over random responses: what settles a question about an order, and that nothing else does.

use std::collections::BTreeSet;

use paysvc_test_common::random::Random;
use serde_json::{Value, json};

use super::cells::{asked, decide_with, price};
use super::*;
use paysvc_spec::verdicts::resolution::Line;

use Outcome::{Confirmed, Rejected, Unknown};
use Question::{Attempt, Charge, Final, Order, Refund};

const SEED: u64 = 13;
const ANSWERS: usize = 1500;
const QUESTIONS: &[Question] = &[Charge, Order, Attempt, Refund, Final];
const ENDED: &[u8] = &[4, 5, 6];

/// A state, and how a `statusId` and a `status` name it.
const NAMES: &[(u8, &[&str], &[&str])] = &[
    (4, &["4", r#""4""#], &[r#""Failed""#, r#""declined""#]),
    (5, &["5", r#"" 5 ""#], &[r#""Successful""#, r#"" SUCCESSFUL""#]),
    (6, &["6", r#""6""#], &[r#""Reversed""#]),
];

/// Changes that take the proof away from a response that agrees with itself: the questions, the states, whether the state
/// is still reported, where the field is ("-": one more element), and its value.
type Change = (&'static [Question], &'static [u8], bool, &'static str, &'static str);
const CHANGES: &[Change] = &[
    (QUESTIONS, ENDED, true, "/data/orderSummary/reference", r#""ORD-2""#),
    (QUESTIONS, ENDED, false, "/data/orderSummary/reference", "null"),
    (QUESTIONS, ENDED, false, "/data/orderSummary", "{}"),
    (QUESTIONS, ENDED, true, "/data/orderSummary/orderAmount", "90"),
    (QUESTIONS, ENDED, true, "/data/orderSummary/currency", r#""USD""#),
    (QUESTIONS, &[5, 6], false, "/data/orderSummary/status", r#""Failed""#),
    (QUESTIONS, &[4, 6], false, "/data/orderSummary/status", r#""Successful""#),
    (QUESTIONS, &[4, 5], false, "/data/orderSummary/status", r#""Reversed""#),
    (QUESTIONS, ENDED, false, "/data/orderSummary/status", r#""Pending""#),
    (QUESTIONS, ENDED, false, "/data/orderSummary/status", r#""held""#),
    (&[Charge, Final, Refund], ENDED, false, "/data/orderSummary/statusId", "9"),
    (QUESTIONS, &[5], false, "/status", r#""Failed""#),
    (QUESTIONS, &[4], false, "/status", r#""Successful""#),
    (QUESTIONS, &[5], false, "/data/orderSummary/paymentResponseCode", r#""51""#),
    (QUESTIONS, &[5], false, "/data/orderSummary/paymentResponseCode", r#""02""#),
    (QUESTIONS, &[5], false, "/data/orderPayments", r#"[{"orderPaymentReference":"PAY-1","statusId":4}]"#),
    (QUESTIONS, &[4], false, "/data/orderPayments/-", r#"{"orderPaymentReference":"PAY-9","statusId":2}"#),
    (QUESTIONS, &[4], false, "/data/orderPayments/-", r#"{"orderPaymentReference":"PAY-9","statusId":5}"#),
    (&[Charge, Final, Refund], ENDED, true, "/data/isFinalStatus", "false"),
    (&[Charge, Final, Refund], ENDED, true, "/data/isFinalStatus", r#""false""#),
    (&[Charge, Final, Refund], ENDED, true, "/data/requeryNeeded", "true"),
    (&[Charge, Final, Attempt], &[4], true, "/data/isFinalStatus", "null"),
    (&[Charge, Final, Attempt], &[4], true, "/data/requeryNeeded", "null"),
    (&[Charge, Final, Attempt], &[4], true, "/data/orderSummary/paymentResponseCode", r#""00""#),
    (&[Charge, Final, Attempt], &[4], true, "/data/orderSummary/paymentResponseCode", r#""02""#),
    (&[Charge, Final, Attempt], &[4], true, "/data/orderPayments", "null"),
    (&[Charge, Final, Attempt], &[4], true, "/data/orderPayments/-", r#"{"orderPaymentReference":"PAY-9"}"#),
    (&[Charge, Final, Attempt], &[4], true, "/data/orderPayments/-", r#"{"statusId":4}"#),
    (&[Charge, Final], &[4], true, "/data/orderPayments/-", r#"{"orderPaymentReference":"PAY-1","statusId":4}"#),
    (&[Attempt], ENDED, true, "/data/orderPayments/-", r#"{"orderPaymentReference":"PAY-1","statusId":2}"#),
    (&[Attempt], ENDED, true, "/data/orderPayments/0/orderPaymentReference", r#""PAY-9""#),
];

/// Values that may stand at these places of any response.
const ANYTHING: &[(&str, &[&str])] = &[
    ("/status", &[r#""Failed""#, r#""Successful""#, r#""Pending""#]),
    ("/data/isFinalStatus", &["true", "null", r#""true""#, "false"]),
    ("/data/requeryNeeded", &["false", "null", r#""false""#, "true"]),
    ("/data/orderSummary/reference", &[r#""ORD-2""#, "null"]),
    ("/data/orderSummary/statusId", &["4", "5", "6", "2", "9", "5.0", r#""4""#, "null"]),
    ("/data/orderSummary/status", &[r#""Failed""#, r#""Successful""#, r#""held""#, "null"]),
    ("/data/orderSummary/orderAmount", &["90", "100.1", "null"]),
    ("/data/orderSummary/totalChargedAmount", &["100.10", "101.6", "90", "null"]),
    ("/data/orderSummary/paymentResponseCode", &[r#""00""#, r#""02""#, r#""51""#]),
    ("/data/orderPayments", &["[]", "null"]),
    ("/data/orderPayments/-", &[r#"{"statusId":4}"#, r#"{"orderPaymentReference":"PAY-2","statusId":2}"#]),
    ("/data/orderPayments/0/statusId", &["4", "5", "2", "null"]),
    ("/data/orderPayments/0/status", &[r#""Failed""#, r#""Pending""#]),
    ("/data/orderPayments/0/orderPaymentReference", &[r#""PAY-2""#, "null"]),
];

fn set(answer: &mut Value, pointer: &str, json: &str) {
    let (within, name) = pointer.rsplit_once('/').unwrap();
    match answer.pointer_mut(within) {
        Some(Value::Array(entries)) => entries.push(serde_json::from_str(json).unwrap()),
        Some(Value::Object(members)) => _ = members.insert(name.to_owned(), serde_json::from_str(json).unwrap()),
        _ => {}
    }
}

fn one<T: Copy>(random: &mut Random, values: &[T]) -> T {
    values[random.below(values.len() as u64) as usize]
}

/// A question, the state of the order, and a response.
struct Case {
    asked: Inquiry<'static>,
    state: u8,
    answer: Value,
}

impl Case {
    /// Its response agrees with itself and with what is asked.
    fn draw(random: &mut Random) -> Case {
        let (question, (state, ids, words)) = (one(random, QUESTIONS), one(random, NAMES));
        let mut answer = json!({"data": {"orderSummary": {"currency": "NGN"}, "orderPayments": []}});
        let mut put = |pointer: &str, json: &str| set(&mut answer, pointer, json);
        put("/data/isFinalStatus", one(random, &["true", r#""true""#]));
        put("/data/requeryNeeded", one(random, &["false", r#""False""#]));
        put("/data/orderSummary/reference", one(random, &[r#""ORD-1""#, r#"" ord-1 ""#]));
        put("/data/orderSummary/statusId", one(random, ids));
        put("/data/orderSummary/status", one(random, &["null", words[0], words.last().unwrap()]));
        put("/data/orderSummary/fee", one(random, &["1.5", r#""1.50""#]));
        match random.percent(50) {
            true => put("/data/orderSummary/orderAmount", one(random, &["100.1", r#""100.1000""#])),
            false => put("/data/orderSummary/totalChargedAmount", one(random, &["101.6", "100.10"])),
        }
        // An order that was paid may have failed attempts, too.
        for number in 1..=1 + random.below(3) {
            let its = if number > 1 && state != 4 { one(random, &[4, 5]) } else { state };
            put("/data/orderPayments/-", &format!(r#"{{"orderPaymentReference":"PAY-{number}","statusId":{its}}}"#));
        }
        let prices = match random.below(3) {
            0 if question != Order => vec![],
            1 => vec![price("100.1", "NGN")],
            _ => vec![price("100.10", "")],
        };
        Case { asked: Inquiry { prices, attempts: Some(1), ..asked(question) }, state, answer }
    }

    fn decide(&self) -> Decision {
        decide_with(&self.asked, 200, &self.answer.to_string(), None)
    }

    /// Returns what a response proves that agrees with itself.
    fn proves(&self) -> (Outcome, i32) {
        match (self.asked.question, self.state) {
            (Charge | Final | Attempt, 4) => (Rejected, 4),
            (Refund, 6) => (Confirmed, 5),
            (Refund, _) => (Unknown, 0),
            (_, state) => (Confirmed, state.into()),
        }
    }

    fn change(&mut self, random: &mut Random) -> Change {
        let prices = &self.asked.prices;
        let fits = |(questions, states, _, pointer, _): &Change| {
            let is_compared = match pointer.rsplit('/').next() {
                Some("orderAmount") => !prices.is_empty(),
                Some("currency") => prices.iter().any(|price| price.currency.is_some()),
                _ => true,
            };
            questions.contains(&self.asked.question) && states.contains(&self.state) && is_compared
        };
        let change = one(random, &CHANGES.iter().copied().filter(fits).collect::<Vec<_>>());
        set(&mut self.answer, change.3, change.4);
        change
    }

    /// Every state that these objects name, by its number; 0: an unknown one.
    fn named(objects: &[&Value]) -> Vec<u8> {
        let of_text = |text: &str| match text.trim().to_ascii_lowercase().as_str() {
            "4" | "failed" | "declined" => 4,
            "5" | "successful" => 5,
            "6" | "reversed" => 6,
            _ => 0,
        };
        let members = objects.iter().flat_map(|object| [&object["statusId"], &object["status"]]);
        members.filter(|value| !value.is_null()).map(|value| of_text(value.to_string().trim_matches('"'))).collect()
    }

    /// All that an outcome better than UNKNOWN needs, whatever else the response has.
    fn may_be(&self, outcome: Outcome) -> bool {
        let (data, attempts) = (&self.answer["data"], self.asked.attempts);
        let summary = &data["orderSummary"];
        let entries: Vec<&Value> = data["orderPayments"].as_array().into_iter().flatten().collect();
        let is = |value: &Value, of: &[&str]| of.contains(&value.to_string().trim_matches('"'));
        let all = |states: &[u8], state: u8| !states.is_empty() && states.iter().all(|its| *its == state);
        let own = Case::named(&[&self.answer, summary]);
        let history: Vec<_> = entries.iter().map(|entry| Case::named(&[entry])).collect();
        let references: BTreeSet<_> =
            entries.iter().filter_map(|entry| entry["orderPaymentReference"].as_str()).collect();
        let mut amounts = [&summary["orderAmount"], &summary["totalChargedAmount"]].into_iter();
        let amount = if outcome == Rejected { amounts.next() } else { amounts.find(|amount| !amount.is_null()) };
        let is_price = self.asked.prices.is_empty() || amount.is_some_and(|amount| !is(amount, &["90"]));
        let may_change = is(&data["isFinalStatus"], &["false"]) || is(&data["requeryNeeded"], &["true"]);
        let is_said = is(&data["isFinalStatus"], &["true"]) && is(&data["requeryNeeded"], &["false", "False"]);
        let good_code = is(&summary["paymentResponseCode"], &["00", "02"]);
        let is_silent = history.iter().all(Vec::is_empty);
        let done = |question: Question| match question {
            Order => !self.asked.prices.is_empty(),
            Attempt => entries.iter().zip(&history).any(|(entry, named)| {
                is(&entry["orderPaymentReference"], &["PAY-1"]) && (all(named, 5) || all(named, 6))
            }),
            Refund => all(&own, 6) && !may_change,
            _ if all(&own, 5) => !may_change && (is_silent || history.iter().any(|named| all(named, 5))),
            _ => !may_change && all(&own, 6),
        };
        let failed = all(&own, 4) && !history.is_empty() && history.iter().all(|named| all(named, 4));
        let once = attempts == Some(1) && references.len() == entries.len();
        let proved =
            if outcome == Rejected { failed && once && is_said && !good_code } else { done(self.asked.question) };
        is(&summary["reference"], &["ORD-1", " ord-1 "]) && is_price && proved
    }
}

#[test]
fn an_answer_that_agrees_with_itself_settles_the_question() {
    let random = &mut Random::new(SEED, 0);
    for _ in 0..ANSWERS {
        let case = Case::draw(random);
        let found = case.decide();
        assert_eq!(
            (found.verdict.outcome, found.verdict.state.0),
            case.proves(),
            "{:?} {}: {found:?}",
            case.asked,
            case.answer
        );
    }
}

#[test]
fn one_contradiction_or_more_leave_it_open() {
    let random = &mut Random::new(SEED, 1);
    for _ in 0..ANSWERS {
        let mut case = Case::draw(random);
        let (_, _, is_told, ..) = case.change(random);
        let found = case.decide();
        let what = format!("{:?} {}: {found:?}", case.asked, case.answer);
        assert_eq!(found.verdict.outcome, Unknown, "{what}");
        if matches!(case.asked.question, Charge | Order | Final) {
            let expected = if is_told { ENDED.iter().position(|state| *state == case.state) } else { None };
            assert_eq!(ENDED.iter().position(|state| i32::from(*state) == found.verdict.state.0), expected, "{what}");
        }
        for _ in 0..2 {
            case.change(random);
            assert_eq!(case.decide().verdict.outcome, Unknown, "{:?} {}", case.asked, case.answer);
        }
    }
}

#[test]
fn a_failure_with_other_attempts_and_a_look_up_that_failed_leave_it_open() {
    let random = &mut Random::new(SEED, 2);
    for _ in 0..ANSWERS {
        let mut case = Case::draw(random);
        let http = one(random, &[302, 400, 401, 403, 404, 408, 409, 422, 429, 500]);
        let found = decide_with(&case.asked, http, &case.answer.to_string(), None);
        assert_eq!((found.verdict.outcome, found.verdict.state.0), (Unknown, 0), "{http} {}: {found:?}", case.answer);
        case.asked.attempts = one(random, &[None, Some(2)]);
        let expected = if case.proves().0 == Rejected { Unknown } else { case.proves().0 };
        assert_eq!(case.decide().verdict.outcome, expected, "{:?} {}", case.asked, case.answer);
    }
}

#[test]
fn only_what_names_no_contradiction_is_better_than_unknown() {
    let random = &mut Random::new(SEED, 3);
    let (mut lines, mut outcomes) = (BTreeSet::new(), [0, 0, 0, 0]);
    for _ in 0..4 * ANSWERS {
        let mut case = Case::draw(random);
        case.asked.attempts = one(random, &[Some(1), Some(1), Some(2), None]);
        if random.percent(10) {
            case.asked.prices.clear();
        }
        for (pointer, values) in ANYTHING {
            if random.percent(8) {
                set(&mut case.answer, pointer, one(random, values));
            }
        }
        let http = if random.percent(90) { 200 } else { one(random, &[400, 404, 500]) };
        let decide = |answer: &Value| decide_with(&case.asked, http, &answer.to_string(), None);
        let found = decide(&case.answer);
        lines.insert(found.verdict.line);
        outcomes[found.verdict.outcome as usize] += 1;
        let may = found.verdict.outcome == Unknown || http == 200 && case.may_be(found.verdict.outcome);
        assert!(may, "{:?} {}: {found:?}", case.asked, case.answer);
        // Neither the order of the history nor an unknown field decides.
        let mut other = case.answer.clone();
        other["data"]["remark"] = json!("none");
        if let Some(entries) = other["data"]["orderPayments"].as_array_mut() {
            entries.reverse();
        }
        let again = decide(&other);
        assert_eq!(
            (again.verdict.line, again.verdict.state),
            (found.verdict.line, found.verdict.state),
            "{} {other}",
            case.answer
        );
    }
    println!("{outcomes:?}, lines {lines:?}");
    // The lines of batches, accounts and journals have their responses in `cells`.
    let of_orders = |line: &&Line| line.number != "c30" && QUESTIONS.iter().any(|question| line.is_about(*question));
    assert_eq!(lines, LINES.iter().filter(of_orders).map(|line| line.number).collect());
}
