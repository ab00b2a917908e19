//! The refund that the READMEs show, in every language: what the program says of answers that are, and are not, what it
//! asked for.

use std::process::Command;

use super::run;
use super::server::Server;

/// Amount, reference and state in the answer; and what the program says. It asks for 25.50 of ORDER-1.
const ANSWERS: &[(&str, &str, &str, &str)] = &[
    ("25.50", "ORDER-1", "successful", "refunded\n"),
    ("25.5", "ORDER-1", "successful", "refunded\n"),
    ("25.5000", "ORDER-1", "successful", "refunded\n"),
    ("25.50", "ORDER-1", "pending", "accepted, not done yet"),
    ("25.05", "ORDER-1", "successful", "not the refund that was asked for"),
    ("2550", "ORDER-1", "successful", "not the refund that was asked for"),
    ("25.505", "ORDER-1", "successful", "not the refund that was asked for"),
    ("255.0", "ORDER-1", "successful", "not the refund that was asked for"),
    ("25", "ORDER-1", "successful", "not the refund that was asked for"),
    ("", "ORDER-1", "successful", "not the refund that was asked for"),
    ("25.50", "ORDER-2", "successful", "not the refund that was asked for"),
];

/// Runs the program once for each answer, configured by the environment.
pub fn check(start: &dyn Fn() -> Command) {
    for &(amount, reference, state, expected) in ANSWERS {
        let data = format!(r#"{{"reference":"{reference}","amount_refunded":"{amount}","status":"{state}"}}"#);
        let body = format!(r#"{{"status":true,"message":"said","data":{data}}}"#);
        let server = Server::start(move |mut connection| {
            if connection.read_request().is_some() {
                connection.answer("200 OK", "", &body);
            }
        });
        let mut command = start();
        command.env("PAYSVC_BASE_URL", format!("http://127.0.0.1:{}", server.port));
        let output = run(command.env("PAYSVC_SECRET_KEY", "secret"));
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(told.contains(expected), "{data}\n{told}");
        assert_eq!(server.seen().len(), 1);
    }
}
