//! Every fault by magic input, plain and under TLS: what is on the wire and what is committed.

use std::io::Read;
use std::time::Duration;

use crate::common::faults::{FAULTS, Seen};
use crate::common::wire::{Client, Ended, TIMEOUT};
use crate::common::{Answer, JSON, Sandbox};
use serde_json::{Value, json};

const REFUND: &str = "/payment/order/refund";
/// Time without bytes after which a connection counts as silent.
const SILENCE: Duration = Duration::from_millis(100);

fn paid(sandbox: &Sandbox, reference: &str) {
    let order = format!(r#"{{"reference":"{reference}","amount":"10","paid":true}}"#);
    assert_eq!(sandbox.admin_post("orders", &order).expect(200).json()["paid"], true);
}

fn refund(sandbox: &Sandbox, client: &mut Client, reference: &str) {
    let body = format!(r#"{{"reference":"{reference}"}}"#);
    client.send("POST", REFUND, &[("api-key", &sandbox.secret), JSON], &body).unwrap();
}

fn refunds(sandbox: &Sandbox, reference: &str) -> usize {
    let key = format!("{reference}/10.00");
    sandbox.effects("refund_made").iter().filter(|entry| entry["key"] == key).count()
}

/// Checks that the connection serves another request.
fn serves_on(sandbox: &Sandbox, client: &mut Client) {
    client.ask_for_banks(sandbox);
    client.answer().expect(200);
}

fn check(sandbox: &Sandbox, fault: &str, seen: Seen, ask: &dyn Fn(&mut Client)) -> Option<Answer> {
    let is_tls = sandbox.start["ca_file"].is_string();
    let fin = if is_tls { Ended::Fin } else { Ended::Graceful };
    let expected = |ended| if ended == Ended::Fin { fin } else { ended };
    let mut client = Client::new(sandbox);
    ask(&mut client);
    let answered;
    let mut answer = None;
    match seen {
        Seen::Answer(status) => {
            answer = Some(client.answer().expect(status));
            if fault.ends_with("unsolicited_response") {
                assert_eq!(client.answer().expect(200).header("x-sandbox-unsolicited"), Some("1"));
            }
            serves_on(sandbox, &mut client);
            answered = "whole";
        }
        Seen::LastAnswer(status) => {
            answer = Some(client.answer().expect(status));
            assert_eq!(client.rest(TIMEOUT), (Vec::new(), Ended::Graceful));
            if fault == "early_response" {
                let mut next = Client::new(sandbox);
                assert_eq!(next.answer().expect(200).header("x-sandbox-unsolicited"), Some("1"));
            }
            answered = "whole";
        }
        Seen::AnswerThen(ended) => {
            answer = Some(client.answer().expect(200));
            let timeout = if ended == Ended::Silence { SILENCE } else { TIMEOUT };
            assert_eq!(client.rest(timeout), (Vec::new(), expected(ended)), "{fault}");
            answered = "whole";
        }
        Seen::Nothing(ended) => {
            let timeout = if ended == Ended::Silence { SILENCE } else { TIMEOUT };
            assert_eq!(client.rest(timeout), (Vec::new(), expected(ended)), "{fault}");
            answered = "none";
        }
        Seen::Part => {
            let (bytes, ended) = client.rest(TIMEOUT);
            let text = String::from_utf8(bytes).unwrap();
            let (head, body) = text.split_once("\r\n\r\n").unwrap();
            let length: usize = head.split_once("content-length: ").unwrap().1.parse().unwrap();
            assert!(!body.is_empty() && body.len() < length, "{text}");
            assert_eq!(ended, fin);
            answered = "part";
        }
        Seen::Endless => {
            let mut bytes = Vec::new();
            while !bytes.ends_with(b"\r\n1\r\n \r\n1\r\n \r\n") {
                let mut byte = [0];
                client.stream.read_exact(&mut byte).unwrap();
                bytes.push(byte[0]);
            }
            assert!(String::from_utf8(bytes).unwrap().contains("transfer-encoding: chunked"));
            answered = "part";
        }
        Seen::Delimited(ended) => {
            let (bytes, end) = client.rest(TIMEOUT);
            assert_eq!(end, expected(ended));
            let text = String::from_utf8(bytes).unwrap();
            let (head, body) = text.split_once("\r\n\r\n").unwrap();
            assert!(head.ends_with("connection: close") && !head.contains("length") && !head.contains("chunked"));
            let is_whole = serde_json::from_str::<Value>(body).is_ok();
            assert_eq!((is_whole, body.starts_with('{')), (ended == Ended::Graceful, true), "{text}");
            answered = if is_whole { "whole" } else { "part" };
        }
        Seen::Again(status, first, again) => {
            // More than a client should buffer of a line, a trailer or an interim response.
            let (mut text, mut buffer) = (String::new(), [0; 4096]);
            while text.len() < 300_000 {
                let count = client.stream.read(&mut buffer).unwrap();
                text += std::str::from_utf8(&buffer[..count]).unwrap();
            }
            assert!(text.starts_with(&format!("HTTP/1.1 {status} ")), "{fault}: {}", &text[..200]);
            assert_eq!(text.contains("transfer-encoding: chunked"), !first.is_empty());
            assert!(text.contains(first), "{fault}");
            assert!(text.contains(&again.repeat(200_000 / again.len())), "{fault}");
            answered = "part";
        }
        Seen::Refused => {
            let refused = client.answer();
            assert!(refused.text.contains("POST /sandbox/faults"), "{}", refused.text);
            refused.expect(400);
            answered = "whole";
        }
    }
    let acts = !matches!(seen, Seen::Refused) && fault != "close_after_read";
    let log = sandbox.requests();
    let entry = log.iter().rev().find(|entry| entry["path"] != "/payment/banks").unwrap();
    assert_eq!(entry["fault"], if acts { json!(fault) } else { Value::Null }, "{entry}");
    assert_eq!(entry["answered"], answered, "{entry}");
    answer
}

fn every_fault_of_a_post(sandbox: &Sandbox) {
    for &(fault, committed, seen) in FAULTS {
        let reference = format!("sbx-{fault}-1");
        paid(sandbox, &reference);
        let answer = check(sandbox, fault, seen, &|client| refund(sandbox, client, &reference));
        assert_eq!(refunds(sandbox, &reference), usize::from(committed), "{fault}");
        if let Some(answer) = answer {
            body_of(fault, &answer, sandbox, REFUND);
        }
    }
}

#[test]
fn every_fault_of_a_post_over_plain_http() {
    every_fault_of_a_post(&Sandbox::start(&[]));
}

#[test]
fn every_fault_of_a_post_under_tls() {
    every_fault_of_a_post(&Sandbox::start(&["--tls"]));
}

#[test]
fn every_fault_of_a_get() {
    let sandbox = Sandbox::start(&[]);
    for &(fault, _, seen) in FAULTS {
        let target = format!("/payment/order/direct-debit/history?emailAddress=sbx-{fault}-1%40example.com");
        let ask = |client: &mut Client| client.send("GET", &target, &[("api-key", &sandbox.public)], "").unwrap();
        check(&sandbox, fault, seen, &ask);
    }
    // These requests have no effects.
    assert_eq!(sandbox.admin("ledger"), json!({"ledger": []}));
}

#[test]
fn this_table_has_every_fault() {
    let sandbox = Sandbox::start(&[]);
    let listed = sandbox.admin("faults")["faults"].as_array().unwrap().clone();
    let names: Vec<&str> = listed.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, FAULTS.iter().map(|(name, ..)| *name).collect::<Vec<_>>());
    for (row, &(name, committed, _)) in listed.iter().zip(FAULTS) {
        assert_eq!(
            row["committed"] == true,
            committed && !["close_after_read", "early_response"].contains(&name),
            "{name}"
        );
        assert!(row["doc"].is_string() && row["wire"].is_string());
    }
}

fn payment(id: u64, name: &str) -> Value {
    json!({"orderPayment": {"statusId": id, "status": name}})
}

/// Checks the body of the response to a POST under this fault.
fn body_of(fault: &str, answer: &Answer, sandbox: &Sandbox, target: &str) {
    let text = answer.text.as_str();
    let is_success = || assert_eq!(answer.json()["status"], true, "{fault}: {text}");
    match fault {
        "commit_then_502" | "html_200" => {
            assert!(answer.header("content-type").unwrap().starts_with("text/html") && text.contains("<html>"));
        }
        "commit_then_500" | "status_500" | "status_503" | "commit_then_408" | "status_408" | "unauthorized" => {
            assert_eq!(answer.json()["error"]["code"], answer.status.to_string());
        }
        "status_403_page" | "status_409_page" => assert!(text.contains("<html>")),
        "status_429_paid" => assert_eq!(answer.json(), json!({"data": payment(5, "Successful")})),
        "status_400_paid" => {
            assert_eq!((&answer.json()["status"], &answer.json()["data"]), (&json!(false), &payment(5, "Successful")));
        }
        "pending_refusal" => {
            assert_eq!((&answer.json()["status"], &answer.json()["data"]), (&json!("failed"), &payment(2, "Pending")));
        }
        "success_failed_state" => {
            assert_eq!((&answer.json()["status"], &answer.json()["data"]), (&json!("success"), &payment(4, "Failed")));
        }
        "echoes_request" => {
            let said = answer.json()["error"]["message"].as_str().unwrap().to_owned();
            assert!(said.contains(sandbox.start["secret_key"].as_str().unwrap()), "{said}");
        }
        "status_429" => assert_eq!(answer.header("retry-after"), None),
        "status_429_retry_after" => assert_eq!(answer.header("retry-after"), Some("1")),
        "empty_200" => assert_eq!(answer.header("content-length"), Some("0")),
        "bad_utf8" => {
            assert!(std::str::from_utf8(&answer.bytes).is_err() && text.starts_with(r#"{"status":true"#));
        }
        "duplicate_members" => {
            assert!(text.starts_with(r#"{"status":true"#) && text.ends_with(r#","status":false}"#), "{text}");
        }
        "deep_nesting" => {
            assert!(text.starts_with(r#"{"status":true"#) && text.ends_with(&("]".repeat(10_000) + "}")));
        }
        "huge_number" => {
            assert!(text.starts_with(r#"{"status":true"#) && text.ends_with(&("9".repeat(400) + "}")));
        }
        "huge_body" => {
            assert!(answer.bytes.len() > 11_000_000);
            is_success();
        }
        "gzip_bomb" => {
            assert_eq!(answer.header("content-encoding"), Some("gzip"));
            assert!(answer.bytes.len() < 200_000);
            let mut start = [0; 14];
            flate2::read::GzDecoder::new(answer.bytes.as_slice()).read_exact(&mut start).unwrap();
            assert_eq!(&start, br#"{"status":true"#);
        }
        "wrong_envelope" => {
            let json = answer.json();
            assert!(json.is_object() && json.get("status").is_none() && json.get("error").is_none());
        }
        "failed_then_success" | "refused" => assert_eq!(answer.json()["status"], false),
        "redirect_same" => {
            let base_url = sandbox.start["base_url"].as_str().unwrap();
            assert_eq!(answer.header("location"), Some(format!("{base_url}{target}").as_str()));
        }
        "redirect_other_host" => {
            let location = answer.header("location").unwrap();
            assert!(location.contains("://localhost:") && location.ends_with(target), "{location}");
        }
        _ => is_success(),
    }
}
