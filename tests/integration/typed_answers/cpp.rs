//! The structs of paysvc.hpp agree with `paysvc_reply_json`, for canned responses and for hostile ones.

use std::collections::BTreeSet;

use paysvc_spec::schema::{AnswerKind, ShapeField};
use paysvc_spec::{endpoint, operations};
use serde_json::{Value, json};

use super::hostile;
use super::normal::{member, pointers};
use crate::support::answers::Tree;
use crate::support::capi::with;
use crate::support::driver::Driver;
use crate::support::server::Server;
use crate::support::target::good;
use crate::support::{ASAN, Link, Stage, long_encryption_key, root};

/// The response as a struct has it: an absent text is "", an absent list empty, and an element that is no object lacks all.
fn held(shape: &[ShapeField], answer: &Tree) -> Tree {
    let field = |field: &ShapeField| {
        let value = if let Tree::Object(_) = answer { member(answer, &field.name) } else { &Tree::Null };
        let value = match (field.kind(), value) {
            (AnswerKind::Text | AnswerKind::Amount | AnswerKind::Decimal | AnswerKind::Time, Tree::Null) => {
                Tree::Text(String::new())
            }
            (AnswerKind::List(_), Tree::Null) => Tree::Array(Vec::new()),
            (AnswerKind::List(_), Tree::Array(all)) => {
                Tree::Array(all.iter().map(|element| held(&field.fields, element)).collect())
            }
            (AnswerKind::Object(_), Tree::Object(_)) => held(&field.fields, value),
            (_, value) => value.clone(),
        };
        (field.name.clone(), value)
    };
    Tree::Object(shape.iter().map(field).collect())
}

/// The last response, read as that of a function.
struct Read {
    answer: Tree,
    unreadable: BTreeSet<String>,
    /// `None`: there is none.
    json: Option<Tree>,
}

impl Read {
    fn last(driver: &mut Driver, function: &str) -> Read {
        let told = driver.answer(function);
        let json = told["json"].as_str().filter(|text| !text.is_empty()).map(Tree::parse);
        let pointer = |it: &Value| it.as_str().unwrap().to_owned();
        let unreadable = told["unreadable"].as_array().unwrap().iter().map(pointer).collect();
        Read { answer: Tree::parse(told["answer"].as_str().unwrap()), unreadable, json }
    }
}

#[test]
fn structs_of_cpp_have_what_the_json_says() {
    let (server, body) = Server::settable();
    let config = with(server.config(), json!({"encryption_key": long_encryption_key(), "max_attempts": 1}));
    let stage = Stage::new();
    let program = stage.cpp(&root().join("tests/cpp/driver.cpp"), Link::Shared, &[&["-std=c++11"], ASAN].concat());
    let mut driver = Driver::start(&mut stage.command(&program), &config);
    for row in super::rows() {
        let request = Value::Object(good(row).request.clone());
        for case in hostile::cases(row, 0, false) {
            body.lock().unwrap().clone_from(&case.body);
            driver.call(row.name, &request);
            let Read { answer, unreadable, json } = Read::last(&mut driver, row.name);
            let json = json.unwrap();
            let expected = held(&row.answer.shape(), member(&json, "answer"));
            assert_eq!(answer, expected, "{}: {}: {}", row.name, case.what, case.body);
            assert_eq!(unreadable, pointers(member(&json, "unreadable")), "{}: {}", row.name, case.body);
        }
    }
    let lacks_all = |name: &str| held(&endpoint(name).answer.shape(), &Tree::Null);
    // The response of another function.
    *body.lock().unwrap() = hostile::canned(endpoint("order_status")).body;
    driver.call("order_status", &Value::Object(good(endpoint("order_status")).request.clone()));
    assert_ne!(Read::last(&mut driver, "order_status").answer, lacks_all("order_status"));
    assert_eq!(Read::last(&mut driver, "order_verify").answer, lacks_all("order_verify"));
    // A response for which there is no JSON.
    let elements = vec!["{}"; 300_000].join(",");
    *body.lock().unwrap() = format!(r#"{{"status":"Pending","data":{{"orderPayments":[{elements}]}}}}"#);
    driver.call("order_status", &Value::Object(good(endpoint("order_status")).request.clone()));
    let Read { answer, unreadable, json } = Read::last(&mut driver, "order_status");
    assert_eq!((answer, json), (lacks_all("order_status"), None));
    assert_eq!(unreadable, BTreeSet::from([String::new()]));
    // The fields in front of a response.
    driver.call("webhook_verify", &json!({"body": {}}));
    let Read { answer, json, .. } = Read::last(&mut driver, "webhook_verify");
    let expected = held(&operations::operation("webhook_verify").shape(), member(&json.unwrap(), "webhook"));
    assert_eq!((member(&answer, "respond"), &answer), (&Tree::Number("400".into()), &expected));
    driver.finish();
}
