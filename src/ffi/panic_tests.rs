//! A panic in every part of the library, through the C functions and over a real socket: the status is `E_INTERNAL`,
//! the outcome shows whether the request was sent, nothing is printed on standard error, and the client still works.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use paysvc_test_common::http;
use serde_json::{Value, json};

use super::caller::{Client, Reply};
use super::*;
use crate::util::panics::failpoint;
use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::Endpoint;

/// Answers every request with success; gives its port.
fn service() -> u16 {
    http::service(r#"{"status":true}"#)
}

fn client(base_url: &str) -> Client {
    let vector = include_str!("../../tests/vectors/rsa2048.json");
    let vector: Value = serde_json::from_str(vector).unwrap();
    Client::new(&json!({
        "base_url": base_url, "public_key": "p", "secret_key": "s", "encryption_key": vector["encryption_key"],
    }))
}

/// A call that encrypts and moves money.
fn charge(client: &Client) -> Reply {
    let is_charge = |row: &Endpoint| row.encrypted && row.fields.iter().all(|field| !field.required);
    let row = ENDPOINTS.iter().find(|row| is_charge(row)).expect("an encrypted row without required fields");
    client.call(row.name, &json!({}))
}

unsafe extern "C" fn listen(_: *mut c_void, _: c_int, _: *const c_char) {}

#[test]
fn a_panic_anywhere_keeps_the_evidence_and_the_client() {
    let client = client(&format!("http://127.0.0.1:{}", service()));
    unsafe { paysvc_client_set_log(client.as_ptr(), 3, Some(listen), ptr::null_mut()) };
    let (not_sent, unknown) = ((PAYSVC_OUTCOME_NOT_SENT, 0), (PAYSVC_OUTCOME_UNKNOWN, 1));
    for (point, (outcome, attempts)) in [
        ("connect", not_sent), // First, while no connection is kept.
        ("ffi", not_sent),
        ("request", not_sent),
        ("encryption", not_sent),
        ("client", not_sent),
        // During the write, bytes may have been sent: the library cannot know.
        ("write", unknown),
        ("written", unknown),
        ("read", unknown),
        ("answer", unknown),
        ("log", unknown),
        ("reply", unknown),
    ] {
        failpoint::arm(point);
        let reply = charge(&client);
        assert_eq!(reply.facts(), (PAYSVC_E_INTERNAL, outcome, attempts), "{point}: {}", reply.message());
        assert!(
            reply.message().contains("a bug in the library was caught at src/util/panics.rs:"),
            "{}",
            reply.message()
        );
        assert_eq!(charge(&client).facts(), (PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED, 1), "after {point}");
    }
}

/// This call sent nothing. The earlier request may still have been executed.
#[test]
fn a_panic_tells_nothing_of_an_earlier_request() {
    let client = client(&format!("http://127.0.0.1:{}", service()));
    let resolve = |reply: *mut *mut paysvc_reply| {
        let request = cr#"{"endpoint":"order_pay","request":{"reference":"O-1"}}"#;
        unsafe { paysvc_resolve(client.as_ptr(), request.as_ptr(), ptr::null(), reply) }
    };
    let wait = |reply: *mut *mut paysvc_reply| unsafe {
        paysvc_order_wait(client.as_ptr(), cr#"{"reference":"O-1"}"#.as_ptr(), ptr::null(), reply)
    };
    let fails = |call: &dyn Fn(*mut *mut paysvc_reply) -> paysvc_status, point: &'static str, sent: c_int| {
        failpoint::arm(point);
        let (_, reply) = Reply::of(call);
        assert_eq!(reply.facts(), (PAYSVC_E_INTERNAL, PAYSVC_OUTCOME_UNKNOWN, sent), "{point}");
    };
    fails(&resolve, "connect", 0); // First, while no connection is kept.
    for (point, sent) in [("ffi", 0), ("request", 0), ("encryption", 0), ("client", 0), ("answer", 1)] {
        fails(&resolve, point, sent);
        fails(&wait, point, sent);
    }
}

/// In a process of its own, because standard error is the whole process's.
#[test]
fn a_panic_says_nothing_on_standard_error() {
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    let output = again
        .args(["--exact", "ffi::panic_tests::a_panic_anywhere_keeps_the_evidence_and_the_client", "--nocapture"])
        .output()
        .unwrap();
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(out.contains("1 passed"), "{out}{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
}

#[test]
fn a_panic_in_the_handshake_has_sent_nothing() {
    let client = client(&format!("https://127.0.0.1:{}", service()));
    failpoint::arm("tls");
    assert_eq!(charge(&client).facts(), (PAYSVC_E_INTERNAL, PAYSVC_OUTCOME_NOT_SENT, 0));
    // The service speaks no TLS: an ordinary failure again.
    assert_eq!(charge(&client).facts(), (PAYSVC_E_TRANSPORT, PAYSVC_OUTCOME_NOT_SENT, 0));
}

#[test]
fn a_panic_while_a_client_is_made_makes_none() {
    let mut client = ptr::dangling_mut();
    failpoint::arm("reply");
    let (status, reply) = Reply::of(|reply| unsafe { paysvc_client_new(c"{}".as_ptr(), &mut client, reply) });
    assert!(client.is_null() && status == PAYSVC_E_INTERNAL);
    assert_eq!(reply.facts(), (PAYSVC_E_INTERNAL, PAYSVC_OUTCOME_NOT_SENT, 0));
}

#[test]
fn a_panic_while_a_request_is_built_leaves_no_request() {
    for point in ["json", "json_text"] {
        unsafe {
            let mut request = paysvc_json_new();
            assert_eq!(
                paysvc_json_set_string(request.as_deref_mut(), c"/reference".as_ptr(), c"R".as_ptr()),
                PAYSVC_OK
            );
            failpoint::arm(point);
            match point {
                "json" => {
                    let status = paysvc_json_set_number(request.as_deref_mut(), c"/amount".as_ptr(), c"25.50".as_ptr());
                    assert_eq!(status, PAYSVC_E_INTERNAL);
                }
                _ => assert!(paysvc_json_text(request.as_deref_mut().unwrap()).is_null()),
            }
            // For good, also for what worked before.
            assert!(paysvc_json_text(request.as_deref_mut().unwrap()).is_null());
            let status = paysvc_json_set_string(request.as_deref_mut(), c"/reference".as_ptr(), c"R".as_ptr());
            assert_eq!(status, PAYSVC_E_ARGUMENT);
            let error = CStr::from_ptr(paysvc_json_error(request.as_deref())).to_str().unwrap();
            assert!(error.starts_with("a bug in the library was caught at src/util/panics.rs:"), "{error}");
            paysvc_json_free(request);
        }
    }
}
