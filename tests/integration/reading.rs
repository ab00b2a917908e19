//! A response is read with the C functions alone: every value is found, and nothing else.

use std::sync::{Arc, Mutex};

use paysvc_spec::status::JsonType;
use serde_json::{Map, Value, json};

use crate::support::capi::{Client, Reply};
use crate::support::server::Server;

/// Answers every request with the text that is set.
struct Service {
    body: Arc<Mutex<String>>,
    _server: Server,
    client: Client,
}

impl Service {
    fn new() -> Service {
        let (server, body) = Server::settable();
        let client = Client::new(&server.config());
        Service { body, _server: server, client }
    }

    fn answer(&self, body: &str) -> Reply {
        *self.body.lock().unwrap() = body.to_owned();
        let reply = self.client.call("direct_debit_history", &json!({"emailAddress": "a@b"}));
        assert_eq!(reply.body(), body);
        reply
    }
}

/// The value at a pointer, made of the functions' results.
fn read(reply: &Reply, pointer: &str) -> Value {
    const ABSENT: i32 = JsonType::Absent as i32;
    let (json_type, count, text) = (reply.json_type(pointer), reply.count(pointer), reply.get(pointer));
    let is = |wanted: JsonType| json_type == wanted as i32;
    assert_eq!(text.is_none(), is(JsonType::Null), "{pointer}");
    assert_ne!(json_type, ABSENT, "{pointer}");
    assert_eq!(reply.name(pointer, count), None, "{pointer}");
    if is(JsonType::Array) {
        assert_eq!(reply.json_type(&format!("{pointer}/{count}")), ABSENT);
        assert_eq!(reply.name(pointer, 0), None);
        return (0..count).map(|index| read(reply, &format!("{pointer}/{index}"))).collect();
    }
    if is(JsonType::Object) {
        let member = |index| {
            let step = reply.name(pointer, index).unwrap();
            (step.replace("~1", "/").replace("~0", "~"), read(reply, &format!("{pointer}/{step}")))
        };
        return Value::Object((0..count).map(member).collect::<Map<_, _>>());
    }
    assert_eq!(count, 0, "{pointer}");
    match text {
        None => Value::Null,
        Some(text) if is(JsonType::String) => text.into(),
        Some(text) => {
            let value: Value = serde_json::from_str(&text).unwrap();
            assert_eq!((value.is_number(), value.is_boolean()), (is(JsonType::Number), is(JsonType::Bool)));
            value
        }
    }
}

#[test]
fn every_answer_is_walked_without_a_json_library() {
    let service = Service::new();
    let many: Vec<_> = (0..500).map(|index| json!({"mandateCode": format!("M-{index}"), "n": index})).collect();
    let wide: Map<_, _> = (0..300).map(|index| (format!("member {index}"), json!([index]))).collect();
    for body in [
        json!({}),
        json!([]),
        json!({"status": true, "data": {"amount": 100.10, "none": null, "text": "Ad\u{e9}", "list": [1, "2", [], {}]}}),
        json!({"": {"": [{"a/b": 1, "m~n": 2, "~1": 3, "/": 4, "\u{e9}\"\\": 5, " ": 6}]}}),
        json!({"directDebitMandates": many, "after": 1}),
        json!({"wide": wide, "lists": [(0..33).collect::<Vec<_>>(), (0..32).collect::<Vec<_>>()]}),
        json!("text"),
        json!(12),
        json!(null),
    ] {
        let reply = service.answer(&body.to_string());
        assert_eq!(read(&reply, ""), body);
        // The order is that of the text.
        if let Some(first) = serde_json::from_str::<Value>(&body.to_string()).unwrap().as_object() {
            let names: Vec<_> = (0..first.len()).map(|index| reply.name("", index).unwrap()).collect();
            let at: Vec<_> = names.iter().map(|name| reply.body().find(&format!("\"{name}\"")).unwrap_or(0)).collect();
            assert!(at.is_sorted(), "{names:?}");
        }
    }
}

#[test]
fn of_members_with_the_same_name_the_first_is_found() {
    let service = Service::new();
    let reply = service.answer(r#"{"a":1,"\u0061":{"x":2},"b":{"c":3,"c":4},"x\u0000y":5,"\ud800":6}"#);
    assert_eq!(reply.verdict(), "E_RESPONSE UNKNOWN", "such a response proves nothing");
    assert_eq!((reply.get("/a"), reply.get("/b/c")), (Some("1".to_owned()), Some("3".to_owned())));
    assert_eq!(reply.json_type("/a/x"), JsonType::Absent as i32);
    assert_eq!((reply.count(""), reply.count("/b")), (5, 2));
    let names: Vec<_> = (0..5).map(|index| reply.name("", index).unwrap()).collect();
    assert_eq!(names, ["a", "a", "b", r"x\u0000y", r"\ud800"]);
    assert_eq!((reply.get(r"/x\u0000y"), reply.get(r"/\ud800")), (Some("5".to_owned()), Some("6".to_owned())));
}

/// A program passes it from its beginning to its end. If the time grew with the square of the fields, this would take an
/// hour.
#[test]
fn a_hostile_answer_does_not_make_looks_slow() {
    const MANY: usize = 400_000;
    let service = Service::new();
    let members: String = (0..MANY).map(|index| format!("\"m{index}\":{index},")).collect();
    let reply = service.answer(&format!("{{{members}\"list\":[{}0]}}", "0,".repeat(MANY)));
    assert_eq!((reply.count(""), reply.count("/list")), (MANY + 1, MANY + 1));
    for index in (0..MANY).step_by(10) {
        assert_eq!(reply.name("", index), Some(format!("m{index}").as_str()));
        assert_eq!(reply.get(&format!("/m{index}")), Some(index.to_string()));
    }
    for index in (0..MANY).step_by(10) {
        assert_eq!(reply.json_type(&format!("/list/{index}")), JsonType::Number as i32);
    }
    assert_eq!(reply.json_type("/absent"), JsonType::Absent as i32);
}

/// The same text from every thread, however they race for it.
#[test]
fn threads_look_at_the_same_reply() {
    let service = Service::new();
    let elements: Vec<_> = (0..2000).map(|index| json!({"code": format!("c\u{e9}{index}")})).collect();
    let reply = service.answer(&json!({"data": elements}).to_string());
    let look = || -> Vec<usize> {
        let names = (0..2000).map(|index| reply.name(&format!("/data/{index}"), 0).unwrap());
        names.map(|name| name.as_ptr() as usize).collect()
    };
    let texts: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(look)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(texts.iter().all(|of_thread| *of_thread == texts[0]));
}

/// As Windows-1252, beside UTF-8: the five bytes that it does not define belong to no character.
#[test]
fn a_till_without_utf_8_reads_texts_in_windows_1252() {
    let reply = Service::new()
        .answer(r#"{"status":true,"name":"Ren\u00e9e \u20ac5 \u4f60\u0081","amount":100.10,"none":null}"#);
    assert_eq!(reply.get_cp1252("/name"), Some(&b"Ren\xe9e \x805 ??"[..]));
    assert_eq!(reply.get("/name").as_deref(), Some("Renée €5 你\u{81}"));
    assert_eq!(reply.get_cp1252("/amount"), Some(&b"100.10"[..]));
    for absent in ["/none", "/other", "name"] {
        assert_eq!(reply.get_cp1252(absent), None, "{absent}");
    }
}
