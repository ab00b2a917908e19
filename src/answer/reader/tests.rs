use super::*;
use paysvc_spec::status::{Outcome, name_of_outcome};

fn answer(http_status: u16, body: &str) -> HttpAnswer {
    HttpAnswer {
        http_status,
        content_type: Some("application/json".into()),
        retry_after_ms: None,
        trace: Vec::new(),
        body: body.into(),
        encoded: false,
        close_delimited: false,
        body_error: None,
    }
}

fn read_as(safety: Safety, answer: HttpAnswer) -> Judgement {
    let context = AnswerContext {
        safety,
        expected: Answer::UNKNOWN,
        references: &Vec::new(),
        fields: RequestFields::default(),
        after_429: false,
        redact: &|text| Some(text.replace("4111", "***")),
        ended: &|| None,
    };
    read(&context, answer)
}

fn reply(http_status: u16, body: &str) -> Reply {
    read_as(Safety::Moves, answer(http_status, body)).reply
}

#[test]
fn code_and_message_of_every_family() {
    for (http, body, code, message) in [
        (200, r#"{"status":"success","statusCode":"02","message":"made"}"#, "02", "made"),
        (200, r#"{"status":"pending","status_code":2,"message":"wait","data":{"statusId":2}}"#, "2", "wait"),
        (200, r#"{"message":"m","code":null,"status":true}"#, "", "m"),
        (200, r#"{"data":{"statusId":9},"status":"success"}"#, "", "the service answered HTTP 200"),
        (400, r#"{"status":false,"errors":{"a":"b"}}"#, "", "a: b"),
        (400, r#"{"error":{"code":"E1","message":"bad","description":"d"}}"#, "E1", "bad"),
        (400, r#"{"error":{"code":7,"description":"d"}}"#, "7", "d"),
        (400, r#"{"status":false,"message":"4111 refused","code":"4111"}"#, "***", "*** refused"),
    ] {
        let reply = reply(http, body);
        assert_eq!((reply.code.as_str(), reply.message.as_str()), (code, message), "{body}");
        assert_eq!((reply.body.as_str(), reply.http_status()), (body, http));
    }
}

#[test]
fn a_message_adds_what_the_answer_does_not_say() {
    let contradicts = reply(200, r#"{"status":true,"error":{"code":"1","message":"no 4111"}}"#);
    assert_eq!(
        contradicts.message,
        "the response contradicts itself or is about another request; the service wrote: no ***"
    );
    let silent = reply(200, r#"{"x":1}"#);
    assert!(silent.message.contains("does not say what became of the request"), "{}", silent.message);
    let page = HttpAnswer { content_type: Some("text/html".into()), ..answer(403, "<html>4111</html>") };
    let page = read_as(Safety::Moves, page).reply;
    assert!(page.message.contains("17 bytes of text/html that are not JSON"), "{}", page.message);
    assert!(page.message.contains("something between here and the service"), "{}", page.message);
    let kind = HttpAnswer { content_type: Some("text/4111".into()), ..answer(400, "x") };
    let kind = read_as(Safety::Moves, kind).reply;
    assert!(kind.message.contains("text/***") && kind.body.contains("text/***"), "{}", kind.message);
    let repeatable = read_as(Safety::Repeatable, answer(500, "")).reply;
    assert!(repeatable.message.contains("may be repeated") && repeatable.body.contains("may be repeated"));
    assert!(!reply(500, "").message.contains("may be repeated"));
    let twice = r#"{"status":true,"data":{"statusId":5,"orderPayments":[{"statusId":5},{"statusId":5}]}}"#;
    let twice = read_as(Safety::Moves, answer(200, twice));
    assert!(twice.paid_twice && twice.reply.message.starts_with("paid twice"), "{}", twice.reply.message);
}

/// Sentences of banks, gateways and payment services, as the message of a failure in a 200 and in a 400.
#[test]
fn real_sentences() {
    let lines = include_str!("../../../tests/refusal_sentences.tsv").lines().skip(1);
    let mut count = 0;
    let mut wrong = Vec::new();
    for line in lines {
        let [in_200, in_400, source, text] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let text_json = serde_json::to_string(text).unwrap();
        for (http, expected) in [(200, in_200), (400, in_400)] {
            let found = reply(http, &format!(r#"{{"status":"failed","message":{text_json}}}"#)).outcome();
            if name_of_outcome(found) != expected {
                wrong.push(format!("HTTP {http}, {source}: {text}: {found:?}"));
            }
        }
        let limited = read_as(Safety::Moves, answer(429, &format!(r#"{{"errors":[{text_json}]}}"#)));
        assert_eq!(limited.reply.evidence.verdict.again, in_400 == "REJECTED", "429, {source}: {text}");
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 200, "{count} sentences");
}

#[test]
fn an_incomplete_answer_is_named_and_proves_nothing() {
    let body = r#"{"status":false}"#;
    let cut = |http, error| HttpAnswer { body_error: Some(error), ..answer(http, body) };
    let bytes = HttpAnswer { body: b"{\"m\":\"\xff\"}".to_vec(), ..answer(400, "") };
    for (answer, status, part) in [
        (cut(400, TransportError::new(Status::Transport, "reset")), Status::Response, "cut off: reset"),
        (cut(400, TransportError::framing("9")), Status::Response, "framed wrongly: 9"),
        (cut(404, TransportError::no_memory()), Status::Response, "memory"),
        (cut(401, TransportError::timeout("x")), Status::Timeout, "in time"),
        (cut(200, TransportError::cancelled()), Status::Cancelled, "cancelled"),
        (HttpAnswer { encoded: true, ..answer(400, body) }, Status::Response, "encoded"),
        (HttpAnswer { close_delimited: true, ..answer(400, "<html>") }, Status::Response, "not complete JSON"),
        (answer(400, r#"{"status":fal"#), Status::Response, "not exactly one JSON document"),
        (answer(400, "\u{feff}\u{feff} {}"), Status::Response, "not exactly one JSON document"),
        (answer(400, "[1] []"), Status::Response, "not exactly one JSON document"),
        (bytes, Status::Response, "not exactly one JSON document"),
    ] {
        let reply = read_as(Safety::Moves, answer).reply;
        assert_eq!((reply.status(), reply.outcome()), (status, Outcome::Unknown), "{}", reply.message);
        assert!(reply.message.contains(part), "{}", reply.message);
        let envelope: serde_json::Value = serde_json::from_str(&reply.body).unwrap();
        assert_eq!((&envelope["status"], envelope["message"].as_str()), (&false.into(), Some(&*reply.message)));
    }
    let stopped = AnswerContext {
        safety: Safety::Moves,
        expected: Answer::UNKNOWN,
        references: &Vec::new(),
        fields: RequestFields::default(),
        after_429: false,
        redact: &|text| Some(text.to_owned()),
        ended: &|| Some(Status::Cancelled),
    };
    let long = format!(r#"{{"status":true,"m":"{}"}}"#, "x".repeat(1 << 20));
    let reply = read(&stopped, answer(200, &long)).reply;
    assert_eq!((reply.status(), reply.outcome()), (Status::Cancelled, Outcome::Unknown));
}

#[test]
fn one_byte_order_mark_is_no_part_of_the_body() {
    let marked = reply(200, "\u{feff}{\"status\":true}");
    assert_eq!((marked.outcome(), marked.body.as_str()), (Outcome::Confirmed, r#"{"status":true}"#));
    let bytes = |content_type: &str| HttpAnswer {
        body: vec![0xff, 0xfe],
        content_type: Some(content_type.to_owned()),
        ..answer(400, "")
    };
    assert_eq!(read_as(Safety::Moves, bytes("text/html")).reply.outcome(), Outcome::Rejected, "400 decides alone");
    assert_eq!(read_as(Safety::Moves, bytes("application/json")).reply.outcome(), Outcome::Unknown, "no JSON");
}
