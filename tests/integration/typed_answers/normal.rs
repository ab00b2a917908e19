//! `answer` of `paysvc_reply_json`: the shape of the row, from answers in every envelope, and from hostile ones.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use paysvc_spec::endpoint;
use paysvc_spec::schema::Endpoint;
use serde_json::{Value, json};

use crate::support::answers::Tree;
use crate::support::answers::normal::normalised;
use crate::support::capi::{Client, with};
use crate::support::long_encryption_key;
use crate::support::server::Server;
use crate::support::target::good;

/// Most pointers that a reply lists.
const MOST_POINTERS: usize = 100;

/// A client of a server that answers with the text.
pub(super) fn answering(body: &Arc<Mutex<String>>) -> (Server, Client) {
    let body = Arc::clone(body);
    let server = Server::start(move |mut connection| {
        while connection.read_request().is_some() {
            let body = body.lock().unwrap().clone();
            connection.answer("200 OK", "", &body);
        }
    });
    let client =
        Client::new(&with(server.config(), json!({"encryption_key": long_encryption_key(), "max_attempts": 1})));
    (server, client)
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

#[test]
fn the_answer_has_the_shape_of_its_row_whatever_the_service_wrote() {
    let body = Arc::new(Mutex::new(String::new()));
    let (_server, client) = answering(&body);
    let (mut wrong, mut answers) = (Vec::new(), 0);
    for row in super::rows() {
        let request = Value::Object(good(row).request.clone());
        for case in super::answers(row).cases {
            body.lock().unwrap().clone_from(&case.body);
            let reply = client.call(row.name, &request);
            assert_eq!(reply.body(), case.body);
            wrong.extend(differences(row, &case.what, &case.body, reply.json().unwrap()));
            answers += 1;
        }
    }
    assert!(answers > 100 * super::rows().count(), "only {answers}");
    assert!(wrong.is_empty(), "{} of {answers} differ:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n\n"));
}

/// The same response with its envelope, without it, in another one, and in other cases.
#[test]
fn one_answer_is_read_the_same_from_every_envelope() {
    let body = Arc::new(Mutex::new(String::new()));
    let (_server, client) = answering(&body);
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
    let body = Arc::new(Mutex::new(String::new()));
    let (_server, client) = answering(&body);
    let request = Value::Object(good(endpoint("order_status")).request.clone());
    for (count, fits) in [(100, true), (300_000, false)] {
        let elements = vec!["{}"; count].join(",");
        *body.lock().unwrap() = format!(r#"{{"status":"Pending","data":{{"orderPayments":[{elements}]}}}}"#);
        assert_eq!(client.call("order_status", &request).json().is_some(), fits, "{count}");
    }
}
