//! The first charge of the READMEs: what the program prints for each response. It charges 25.50 NGN.

use std::process::Command;

use serde_json::{Value, json};

use super::sandbox::Sandbox;
use super::server::Server;
use super::{root, run};

/// Total, fee, currency and state in the response; and what the program prints.
const ANSWERS: &[(&str, &str, &str, u8, &str)] = &[
    ("25.50", "0", "NGN", 5, "paid\n"),
    ("25.5", "0.38", "NGN", 5, "paid\n"),
    ("25.88", "0.38", "NGN", 5, "paid\n"),
    ("\"25.8800\"", "\"0.38\"", "NGN", 5, "paid\n"),
    ("25.50", "null", "NGN", 5, "paid\n"),
    ("25.88", "null", "NGN", 5, "not paid, do not charge again: the amount differs"),
    ("25.05", "0", "NGN", 5, "not paid, do not charge again: the amount differs"),
    ("2550", "0", "NGN", 5, "not paid, do not charge again: the amount differs"),
    ("25.505", "0", "NGN", 5, "not paid, do not charge again: the amount differs"),
    ("25.5000001", "0", "NGN", 5, "not paid, do not charge again: the amount differs"),
    ("255.0", "0", "NGN", 5, "not paid, do not charge again: the amount differs"),
    ("25", "0", "NGN", 5, "not paid, do not charge again: the amount differs"),
    ("\"\"", "0", "NGN", 5, "not paid, do not charge again: the response has no amount"),
    ("null", "null", "NGN", 5, "not paid, do not charge again: the response has no amount"),
    ("25.50", "0", "USD", 5, "not paid, do not charge again: the currency differs"),
    ("25.50", "0", "NGN", 1, "not paid, do not charge again: the payment is not final"),
];

/// Runs the program once for each response, configured by the environment.
pub fn check(start: &dyn Fn() -> Command) {
    for &(total, fee, currency, state, expected) in ANSWERS {
        let payment = format!(r#"{{"totalAmount":{total},"fee":{fee},"currency":"{currency}","statusId":{state}}}"#);
        let answer = format!(r#"{{"status":"success","message":"done","data":{{"orderPayment":{payment}}}}}"#);
        let (printed, requests) = play(start(), move |_| ("200 OK", answer.clone()));
        assert!(printed.starts_with(expected), "{payment}\n{printed}");
        assert_eq!(requests.len(), 1, "{payment}");
    }
    resolves(start);
}

/// The response to the charge is lost in every way: the program finds out that it was paid, and charges once.
fn resolves(start: &dyn Fn() -> Command) {
    let sandbox = Sandbox::start(&[]);
    for fault in ["commit_then_reset", "commit_then_502", "truncate", "status_500"] {
        sandbox.post("/sandbox/reset", &Value::Null);
        sandbox.post("/sandbox/faults", &json!({"path": "/payment/order/create", "fault": fault}));
        let mut program = start();
        program.env("PAYSVC_TIMEOUT_MS", "3000");
        let printed = String::from_utf8(run(sandbox.configure(&mut program)).stdout).unwrap();
        let lines: Vec<&str> = printed.lines().collect();
        assert!(lines[0].starts_with("the response is lost, asking what became of it: "), "{fault}: {printed}");
        let (charged, requests) = (sandbox.effects("charge_made"), sandbox.requests());
        let sent = requests.iter().filter(|it| it["path"] == "/payment/order/create").count();
        assert_eq!(sent, 1, "{fault}: {requests:?}");
        match charged {
            0 => assert!(lines[1].starts_with("UNKNOWN, do not charge again: "), "{fault}: {printed}"),
            _ => assert_eq!((charged, lines[1]), (1, "paid"), "{fault}: {printed}"),
        }
        assert_eq!(charged, usize::from(fault != "status_500"), "{fault}: {:?}", sandbox.ledger());
    }
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
