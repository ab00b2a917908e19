//! `answer` of `paysvc_reply_json`: the shape of the row, from answers in every envelope, and from hostile ones.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use paysvc_spec::schema::{AnswerKind, Certainty, Endpoint};
use paysvc_spec::status::JsonType;
use paysvc_spec::{ENDPOINTS, endpoint};
use serde_json::{Value, json};

use super::hostile;
use crate::support::answers::normal::normalised;
use crate::support::answers::{Tree, leaf};
use crate::support::capi::{Client, Reply, with};
use crate::support::long_encryption_key;
use crate::support::server::Server;
use crate::support::target::good;

/// Most pointers that a reply lists.
const MOST_POINTERS: usize = 100;

/// A client of a server that answers with the text that is set.
fn answering() -> (Server, Client, Arc<Mutex<String>>) {
    let (server, body) = Server::settable();
    let client =
        Client::new(&with(server.config(), json!({"encryption_key": long_encryption_key(), "max_attempts": 1})));
    (server, client, body)
}

pub(super) fn member<'a>(object: &'a Tree, name: &str) -> &'a Tree {
    let Tree::Object(members) = object else { panic!("{object:?}") };
    let mut found = members.iter().filter(|(own, _)| own == name);
    let (_, value) = found.next().unwrap_or_else(|| panic!("{name} is not in {object:?}"));
    assert!(found.next().is_none(), "{name} is there twice");
    value
}

pub(super) fn pointers(list: &Tree) -> BTreeSet<String> {
    let Tree::Array(all) = list else { panic!("{list:?}") };
    let text = |it: &Tree| if let Tree::Text(text) = it { text.clone() } else { panic!("{it:?}") };
    all.iter().map(text).collect()
}

fn differences(row: &'static Endpoint, what: &str, body: &str, reply: &str) -> Option<String> {
    let told = Tree::parse(reply);
    let (answer, unreadable) = normalised(&row.answer.shape(), body);
    let (found, listed) = (member(&told, "answer"), pointers(member(&told, "unreadable")));
    let listed_all = if unreadable.len() > MOST_POINTERS {
        listed.len() == MOST_POINTERS && listed.is_subset(&unreadable)
    } else {
        listed == unreadable
    };
    let is_right = *member(&told, "answer_of") == Tree::Text(row.name.to_owned()) && *found == answer && listed_all;
    (!is_right).then(|| format!("{}: {what}: {body}\n{reply}\n{}\n{unreadable:?}", row.name, answer.write()))
}

/// Returns whether type, text and number of elements at each pointer are as they were written.
fn is_read(reply: &Reply, at: &Tree, pointer: &str) -> bool {
    let text = reply.get(pointer);
    let is = |json_type: JsonType, count: usize| {
        (reply.json_type(pointer), reply.count(pointer)) == (json_type as i32, count)
            && text.is_none() == (json_type == JsonType::Null)
    };
    match at {
        Tree::Null => is(JsonType::Null, 0),
        Tree::Bool(flag) => is(JsonType::Bool, 0) && text == Some(flag.to_string()),
        Tree::Number(number) => is(JsonType::Number, 0) && text.as_ref() == Some(number),
        Tree::Text(written) => is(JsonType::String, 0) && text.as_ref() == Some(written),
        Tree::Array(all) => {
            let mut elements = all.iter().enumerate();
            is(JsonType::Array, all.len()) && elements.all(|(at, it)| is_read(reply, it, &format!("{pointer}/{at}")))
        }
        Tree::Object(members) => {
            let mut known = BTreeSet::new();
            // For a duplicate key, the first.
            let mut firsts = members.iter().filter(|(name, _)| known.insert(name));
            let step = |name: &str| name.replace('~', "~0").replace('/', "~1");
            is(JsonType::Object, members.len())
                && firsts.all(|(name, value)| is_read(reply, value, &format!("{pointer}/{}", step(name))))
        }
        Tree::Raw(text) => panic!("{text} is not read, only written"),
    }
}

#[test]
fn the_answer_has_the_shape_of_its_row_whatever_the_service_wrote_and_changes_no_verdict() {
    let all = std::env::var("TEST_ANSWERS").is_ok_and(|which| which == "all");
    let (_server, client, body) = answering();
    let (mut wrong, mut answers) = (Vec::new(), 0);
    println!("\n| typed answers of | |\n|---|---|");
    for row in super::rows() {
        let request = Value::Object(good(row).request.clone());
        let mut good = None;
        let cases = hostile::cases(row, if all { 3000 } else { 30 }, all);
        println!("| {} | {} answers |", row.name, cases.len());
        answers += cases.len();
        for hostile::Case { what, body: text, keeps_verdict } in cases {
            body.lock().unwrap().clone_from(&text);
            let reply = client.call(row.name, &request);
            assert_eq!(reply.body(), text);
            let verdict = format!("{} state {} code {:?}", reply.verdict(), reply.state(), reply.code());
            let good = good.get_or_insert(verdict.clone());
            assert!(good.starts_with("OK CONFIRMED "), "{}: the canned answer gives {good}", row.name);
            if keeps_verdict && verdict != *good {
                wrong.push(format!("{}: {what}: {verdict}, not {good}", row.name));
            }
            if !is_read(&reply, &Tree::parse(&text), "") {
                wrong.push(format!("{}: {what}: the functions find something else in {text}", row.name));
            }
            wrong.extend(differences(row, &what, &text, reply.json().unwrap()));
        }
    }
    assert!(answers > 100 * super::rows().count(), "only {answers}");
    assert!(wrong.is_empty(), "{} of {answers} differ:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n\n"));
}

#[test]
fn the_canned_answer_of_every_endpoint_has_what_its_row_says() {
    fn has_value(tree: &Tree) -> bool {
        match tree {
            Tree::Null => false,
            Tree::Array(all) => all.iter().any(has_value),
            Tree::Object(members) => members.iter().any(|(_, value)| has_value(value)),
            _ => true,
        }
    }
    for row in ENDPOINTS {
        let shape = row.answer.shape();
        let (answer, unreadable) = normalised(&shape, &hostile::canned(row).body);
        assert!(unreadable.is_empty(), "{}: {unreadable:?}", row.name);
        let is_typed = super::rows().any(|typed| typed.name == row.name);
        assert_eq!(has_value(&answer), !shape.is_empty(), "{}", row.name);
        assert!(is_typed || row.answer.certainty == Certainty::Guessed, "{}: nothing is typed", row.name);
    }
    assert!(super::rows().count() > ENDPOINTS.len() / 2);
}

/// The hostile responses reach what they are made for, in every row.
#[test]
fn every_leaf_meets_an_absent_an_unreadable_and_a_good_value() {
    for row in super::rows() {
        let cases = hostile::cases(row, 30, false);
        let trees: Vec<_> = cases.iter().map(|case| Tree::parse(&case.body)).collect();
        for (pointer, kind) in hostile::leaves(row) {
            let seen = |is_it: fn(&Value) -> bool| trees.iter().any(|it| is_it(&leaf::entry(kind, &it.look(&pointer))));
            let all = [Value::is_null, Value::is_boolean, Value::is_string].map(seen);
            // Anything is readable as such.
            assert_eq!(all, [true, !matches!(kind, AnswerKind::Any), true], "{}: {pointer}", row.name);
        }
        let kept = cases.iter().filter(|case| case.keeps_verdict).count();
        assert!(kept >= 20, "{}: only {kept} answers that keep the verdict", row.name);
    }
}

/// The same response with its envelope, without it, in another one, and in other cases.
#[test]
fn one_answer_is_read_the_same_from_every_envelope() {
    let (_server, client, body) = answering();
    let read = |name: &str, text: String| {
        *body.lock().unwrap() = text;
        let reply = client.call(name, &Value::Object(good(endpoint(name)).request.clone()));
        let told: Value = serde_json::from_str(reply.json().unwrap()).unwrap();
        assert_eq!((&told["answer_of"], &told["unreadable"]), (&json!(name), &json!([])), "{told}");
        told["answer"].clone()
    };
    let data = r#"{"reference":"O-1","amount_refunded":"25.50","status":"pending"}"#;
    let refund = json!({"reference": "O-1", "amount_refunded": "25.50", "status": "pending"});
    let without_status = json!({"reference": "O-1", "amount_refunded": "25.50", "status": null});
    for (text, expected) in [
        (format!(r#"{{"status":true,"code":"00","message":"m","data":{data}}}"#), &refund),
        (format!(r#"{{"status":"success","Data":{}}}"#, data.replace("reference", "Reference")), &refund),
        // The word beside the data is the request's.
        (data.to_owned(), &without_status),
    ] {
        assert_eq!(read("order_refund", text.clone()), *expected, "{text}");
    }
    let account = json!({"account_number": "7", "account_name": "a", "bank": "b", "bank_code": null, "reference": "r"});
    for text in [
        r#"{"status":true,"accountNumber":7,"accountName":"a","bank":"b","reference":"r"}"#,
        r#"{"status":true,"data":{"account_number":"7","account_name":"a","bank_name":"b","reference":"r"}}"#,
        r#"{"status":true,"accountNumber":null,"bank":"b","data":{"account_number":"7","account_name":"a","reference":"r"}}"#,
    ] {
        assert_eq!(read("virtual_account_generate", text.to_owned()), account, "{text}");
    }
    let holder = json!({"bank_code": "044", "account_number": "1", "account_name": "a"});
    for text in [
        r#"{"bankCode":"044","accountNumber":"1","accountName":"a"}"#,
        r#"{"status":true,"data":{"bankCode":"044","accountNumber":"1","ACCOUNTNAME":"a"}}"#,
    ] {
        assert_eq!(read("payout_name_enquiry", text.to_owned()), holder, "{text}");
    }
    // A card's charge has the response of a payment.
    let payment = r#""orderPayment":{"orderPaymentReference":"P-1","statusId":5,"totalAmount":101.50,"fee":"1.50"}"#;
    for name in ["order_create", "order_pay", "order_pay_authorize", "card_charge"] {
        let answer = read(name, format!(r#"{{"status":"success","statusCode":"00","data":{{{payment}}}}}"#));
        let paid = &answer["order_payment"];
        assert_eq!(
            (&paid["total_amount"], &paid["fee"], &paid["status_id"]),
            (&json!("101.50"), &json!("1.50"), &json!(5))
        );
    }
}

/// An element of two bytes has all fields of its list.
#[test]
fn an_answer_that_would_grow_without_bound_is_refused() {
    let (_server, client, body) = answering();
    let request = Value::Object(good(endpoint("order_status")).request.clone());
    for (count, fits) in [(100, true), (300_000, false)] {
        let elements = vec!["{}"; count].join(",");
        *body.lock().unwrap() = format!(r#"{{"status":"Pending","data":{{"orderPayments":[{elements}]}}}}"#);
        assert_eq!(client.call("order_status", &request).json().is_some(), fits, "{count}");
    }
}
