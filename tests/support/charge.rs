//! The first charge of the bindings' READMEs: what the program prints for each answer. It charges 25.50 NGN for ORDER-1.

use std::process::Command;

use serde_json::Value;

use super::server::Server;
use super::{root, run};

/// Total, fee, currency and state in the answer; and what the program prints.
const ANSWERS: &[(&str, &str, &str, u8, &str)] = &[
    ("25.50", "0", "NGN", 5, "paid\n"),
    ("25.5", "0.38", "NGN", 5, "paid\n"),
    ("25.88", "0.38", "NGN", 5, "paid\n"),
    ("\"25.8800\"", "\"0.38\"", "NGN", 5, "paid\n"),
    ("25.50", "null", "NGN", 5, "paid\n"),
    ("25.88", "null", "NGN", 5, "paid, but not as ordered"),
    ("25.05", "0", "NGN", 5, "paid, but not as ordered"),
    ("2550", "0", "NGN", 5, "paid, but not as ordered"),
    ("25.505", "0", "NGN", 5, "paid, but not as ordered"),
    ("25.5000001", "0", "NGN", 5, "paid, but not as ordered"),
    ("255.0", "0", "NGN", 5, "paid, but not as ordered"),
    ("25", "0", "NGN", 5, "paid, but not as ordered"),
    ("\"\"", "0", "NGN", 5, "paid, but not as ordered"),
    ("null", "null", "NGN", 5, "paid, but not as ordered"),
    ("25.50", "0", "USD", 5, "paid, but not as ordered"),
    ("25.50", "0", "NGN", 1, "not paid yet"),
];

/// Runs the program once for each answer, configured by the environment.
pub fn check(start: &dyn Fn() -> Command) {
    for &(total, fee, currency, state, expected) in ANSWERS {
        let payment = format!(r#"{{"totalAmount":{total},"fee":{fee},"currency":"{currency}","statusId":{state}}}"#);
        let answer = format!(r#"{{"status":"success","message":"done","data":{{"orderPayment":{payment}}}}}"#);
        let (printed, requests) = play(start(), move |_| ("200 OK", answer.clone()));
        assert!(printed.starts_with(expected), "{payment}\n{printed}");
        assert_eq!(requests.len(), 1, "{payment}");
    }
    looks_up(start);
}

/// After a 5xx the program reads the state of the order.
fn looks_up(start: &dyn Fn() -> Command) {
    let (printed, requests) = play(start(), |request| {
        if request.starts_with("POST /payment/order/verify ") {
            ("200 OK", r#"{"status":"success","code":"00","message":"found","data":{"statusId":5}}"#.to_owned())
        } else {
            ("500 Internal Server Error", "{}".to_owned())
        }
    });
    assert!(printed.starts_with("UNKNOWN, do not charge again: "), "{printed}");
    assert!(printed.ends_with("the state of the order is 5\n"), "{printed}");
    assert_eq!(requests.len(), 2, "{requests:?}");
    assert!(requests[1].ends_with(r#"{"reference":"ORDER-1"}"#), "{requests:?}");
}

fn play(
    mut program: Command,
    answer: impl Fn(&str) -> (&'static str, String) + Send + Sync + 'static,
) -> (String, Vec<String>) {
    let server = Server::start(move |mut connection| {
        while let Some(request) = connection.read_request() {
            let (status, body) = answer(&request);
            connection.answer(status, "", &body);
        }
    });
    let vector = std::fs::read_to_string(root().join("tests/vectors/rsa4096.json")).unwrap();
    let vector: Value = serde_json::from_str(&vector).unwrap();
    program.env("PAYSVC_BASE_URL", format!("http://127.0.0.1:{}", server.port));
    program.env("PAYSVC_PUBLIC_KEY", "public").env("PAYSVC_SECRET_KEY", "secret");
    let output = run(program.env("PAYSVC_ENCRYPTION_KEY", vector["encryption_key"].as_str().unwrap()));
    (String::from_utf8(output.stdout).unwrap(), server.seen())
}
