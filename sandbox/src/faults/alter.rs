//! Replaces or changes an answer's status and body for a fault. `delivery` sends it.

use super::table::Fault;
use super::{elements, gzip};
use crate::http::answer::{Answer, ApiError};
use crate::util::json::{Json, object};

const HTML: &str = "text/html; charset=utf-8";
const PAGE: &str = "<!DOCTYPE html>\n<html><head><title>Sandbox</title></head><body><h1>Not what you asked for</h1>\
    <p>{\"status\":true,\"statusCode\":\"00\"}</p></body></html>\n";
const DEEP: usize = 10_000;
const DIGITS: usize = 400;

/// The parts of the request that altered answers use.
pub struct RequestFacts<'a> {
    pub base_url: &'a str,
    /// Whether `status` is a boolean or a text in the endpoint's envelope.
    pub is_status_boolean: bool,
    /// Path and query as received.
    pub target: &'a str,
    pub api_key: Option<&'a str>,
    /// The parsed body.
    pub payload: Option<&'a Json>,
}

/// `decided` is the regular answer, if the request was executed. Returns `None` if there is no answer.
pub fn alter(fault: Fault, decided: Option<Answer>, request: &RequestFacts) -> Option<Answer> {
    match fault {
        Fault::CommitThen502 => Some(page(502)),
        Fault::Html200 => Some(page(200)),
        Fault::Empty200 => Some(Answer { body: Vec::new(), ..page(200) }),
        Fault::WrongEnvelope => Some(Answer::ok(&object! { "result": "ok", "data": object! { "value": 1_u64 } })),
        Fault::CommitThen500 | Fault::Status500 => Some(error(500, "Something went wrong.")),
        Fault::Status503 => Some(error(503, "The service is not available at the moment.")),
        Fault::CommitThen408 | Fault::Status408 => {
            Some(header(error(408, "The request timed out."), "connection", "close"))
        }
        Fault::Status403Page => Some(page(403)),
        Fault::Status409Page => Some(page(409)),
        Fault::Status429Paid => Some(Answer::new(429, &object! { "data": payment(5, "Successful") })),
        Fault::Status429Cut => Some(error(429, "Too many requests.")),
        Fault::Status400Paid => Some(Answer::new(
            400,
            &object! {
                "status": false,
                "message": "The order cannot be paid.",
                "errors": object! { "reference": "The order cannot be paid." },
                "data": payment(5, "Successful"),
            },
        )),
        Fault::PendingRefusal => Some(Answer::ok(&object! {
            "data": payment(2, "Pending"),
            "status": "failed",
            "statusCode": "04",
            "message": "Transaction pending",
        })),
        Fault::SuccessFailedState => Some(Answer::ok(&object! {
            "data": payment(4, "Failed"),
            "status": "success",
            "statusCode": "00",
            "message": "Request processed",
        })),
        Fault::EarlyResponse => decided.map(|answer| header(answer, "connection", "close")),
        Fault::Status429 => Some(error(429, "Too many requests.")),
        Fault::Status429RetryAfter => Some(header(error(429, "Too many requests."), "retry-after", "1")),
        Fault::Unauthorized => Some(error(401, "api-key is not valid.")),
        Fault::RedirectSame => Some(redirect(format!("{}{}", request.base_url, request.target))),
        Fault::RedirectOtherHost => Some(redirect(format!("{}{}", other_host(request.base_url), request.target))),
        Fault::EchoesRequest => Some(error(400, &echo(request))),
        Fault::ReorderElements | Fault::DropElement | Fault::AlterElement | Fault::AlterAmount => {
            decided.map(|answer| elements::alter(fault, answer))
        }
        Fault::FailedThenSuccess | Fault::Refused => Some(failure(request.is_status_boolean)),
        Fault::BadUtf8 => decided.map(|answer| with_members(answer, b"\"sandboxText\":\"\xff\xfe\xc0\"")),
        Fault::DeepNesting => {
            let nest = format!("\"sandboxNest\":{}{}", "[".repeat(DEEP), "]".repeat(DEEP));
            decided.map(|answer| with_members(answer, nest.as_bytes()))
        }
        Fault::HugeNumber => {
            let number = format!("\"sandboxNumber\":{}", "9".repeat(DIGITS));
            decided.map(|answer| with_members(answer, number.as_bytes()))
        }
        Fault::UnknownFields => {
            let unknown = r#""sandboxUnknown":{"a":[1,2.5e3,null,true],"":"","é":"\u0000"},"__proto__":{},"next":null"#;
            decided.map(|answer| with_members(answer, unknown.as_bytes()))
        }
        Fault::DuplicateMembers => decided.map(contradict),
        Fault::GzipBomb => decided.map(|answer| {
            let body = gzip::bomb(&answer.body);
            header(Answer { body, ..answer }, "content-encoding", "gzip")
        }),
        _ => decided,
    }
}

/// A `data` object with a payment state and no other sign of success or failure.
fn payment(id: u64, name: &str) -> Json {
    object! { "orderPayment": object! { "statusId": id, "status": name } }
}

fn page(status: u16) -> Answer {
    Answer { content_type: HTML, body: PAGE.as_bytes().to_vec(), ..Answer::new(status, &Json::Null) }
}

fn error(status: u16, message: &str) -> Answer {
    ApiError::new(status, message).into_answer()
}

fn header(mut answer: Answer, name: &'static str, value: &str) -> Answer {
    answer.headers.push((name, value.to_string()));
    answer
}

fn redirect(location: String) -> Answer {
    let answer = Answer { status: 307, ..Answer::ok(&object! { "message": "Moved" }) };
    header(answer, "location", &location)
}

/// The sandbox under another host name, so that its request log shows clients that follow the redirect.
fn other_host(base_url: &str) -> String {
    let (scheme, address) = base_url.split_once("://").unwrap_or(("http", base_url));
    let (host, port) = address.rsplit_once(':').unwrap_or((address, "80"));
    let other = if host == "localhost" { "127.0.0.1" } else { "localhost" };
    format!("{scheme}://{other}:{port}")
}

/// A failure in the endpoint's envelope.
fn failure(is_status_boolean: bool) -> Answer {
    let message = "The request was refused by a fault of the sandbox.";
    Answer::ok(&match is_status_boolean {
        true => object! { "message": message, "code": "04", "status": false, "data": Json::Null },
        false => object! { "data": Json::Null, "status": "failed", "statusCode": "04", "message": message },
    })
}

/// All texts of the request; long numbers also in groups of four digits, as printed on cards.
fn echo(request: &RequestFacts) -> String {
    let mut texts = vec![request.api_key.unwrap_or_default().to_string()];
    request.payload.iter().for_each(|payload| collect(payload, &mut texts));
    let is_long_number = |text: &&String| text.len() >= 12 && text.bytes().all(|byte| byte.is_ascii_digit());
    let fours = |text: &String| text.as_bytes().chunks(4).map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ");
    let set_apart: Vec<_> = texts.iter().filter(is_long_number).map(fours).collect();
    format!("Not accepted: {} {}", texts.join(", "), set_apart.join(", "))
}

fn collect(json: &Json, texts: &mut Vec<String>) {
    match json {
        Json::Text(text) => texts.push(text.clone()),
        Json::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Json::Object(members) => members.iter().for_each(|(_, value)| collect(value, texts)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

/// Adds a second, contradicting `status`; if there is none, adds two.
fn contradict(answer: Answer) -> Answer {
    let json = Json::parse(&answer.body).ok();
    let status = json.as_ref().and_then(|json| json.get("status"));
    let members = match status {
        Some(Json::Bool(true)) => r#""status":false"#,
        Some(Json::Bool(false)) => r#""status":true"#,
        Some(Json::Text(text)) if text.eq_ignore_ascii_case("failed") => r#""status":"success""#,
        Some(_) => r#""status":"failed""#,
        None => r#""status":true,"status":false"#,
    };
    with_members(answer, members.as_bytes())
}

/// Appends members to an answer that is an object.
fn with_members(mut answer: Answer, members: &[u8]) -> Answer {
    if answer.body.pop() == Some(b'}') {
        if !answer.body.ends_with(b"{") {
            answer.body.push(b',');
        }
        answer.body.extend_from_slice(members);
        answer.body.push(b'}');
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: RequestFacts = RequestFacts {
        base_url: "http://127.0.0.1:80",
        is_status_boolean: true,
        target: "/a?b=%20c",
        api_key: Some("KEY"),
        payload: None,
    };

    fn altered(fault: Fault, body: &str) -> String {
        let answer = Answer { body: body.as_bytes().to_vec(), ..Answer::ok(&Json::Null) };
        String::from_utf8_lossy(&alter(fault, Some(answer), &REQUEST).unwrap().body).into_owned()
    }

    #[test]
    fn members_are_added_to_the_proper_answer() {
        assert_eq!(altered(Fault::DuplicateMembers, r#"{"status":true}"#), r#"{"status":true,"status":false}"#);
        assert_eq!(
            altered(Fault::DuplicateMembers, r#"{"status":"success"}"#),
            r#"{"status":"success","status":"failed"}"#
        );
        assert_eq!(altered(Fault::DuplicateMembers, "{}"), r#"{"status":true,"status":false}"#);
        assert_eq!(altered(Fault::DuplicateMembers, r#"{"a":1}"#), r#"{"a":1,"status":true,"status":false}"#);
        for fault in [Fault::UnknownFields, Fault::HugeNumber] {
            let json = Json::parse(altered(fault, r#"{"status":true}"#).as_bytes()).unwrap();
            assert_eq!(json.get("status"), Some(&Json::Bool(true)));
        }
        assert!(altered(Fault::DeepNesting, "{}").len() > 2 * DEEP);
    }

    #[test]
    fn echoes_request_repeats_the_whole_request() {
        let payload = Json::parse(br#"{"card":{"number":"411122223333"},"list":["a",1]}"#).unwrap();
        let request = RequestFacts { payload: Some(&payload), ..REQUEST };
        let body = alter(Fault::EchoesRequest, None, &request).unwrap().body;
        assert!(String::from_utf8(body).unwrap().contains("KEY, 411122223333, a 4111 2222 3333"));
    }

    #[test]
    fn hosts() {
        assert_eq!(other_host("https://127.0.0.1:5"), "https://localhost:5");
        assert_eq!(other_host("http://[::1]:5"), "http://localhost:5");
        assert_eq!(other_host("http://localhost:5"), "http://127.0.0.1:5");
        let same = alter(Fault::RedirectSame, None, &REQUEST).unwrap();
        assert_eq!(same.headers, [("location", "http://127.0.0.1:80/a?b=%20c".to_string())]);
    }

    #[test]
    fn failures_use_the_envelope_of_the_endpoint() {
        assert!(altered(Fault::FailedThenSuccess, "{}").contains(r#""status":false"#));
        let pay = RequestFacts { is_status_boolean: false, ..REQUEST };
        let body = alter(Fault::FailedThenSuccess, None, &pay).unwrap().body;
        assert!(String::from_utf8(body).unwrap().contains(r#""status":"failed""#));
        assert!(alter(Fault::ResetWithoutCommit, None, &REQUEST).is_none());
    }
}
