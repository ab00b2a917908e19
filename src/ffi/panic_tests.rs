//! A panic in every part of the library, through the C functions and over a real socket: the status is `E_INTERNAL`, the
//! outcome says whether the request was sent, nothing is printed on standard error, and the client still works.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

use super::*;
use crate::util::{failpoint, test_http};
use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::Endpoint;

/// Answers every request with success; gives its port.
fn service() -> u16 {
    test_http::service(r#"{"status":true}"#)
}

struct Reply(*mut paysvc_reply);

impl Reply {
    fn facts(&self) -> (c_int, c_int, c_int) {
        unsafe { (paysvc_reply_status(self.0), paysvc_reply_outcome(self.0), paysvc_reply_attempts(self.0)) }
    }
    fn message(&self) -> &str {
        unsafe { CStr::from_ptr(paysvc_reply_message(self.0)) }.to_str().unwrap()
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        unsafe { paysvc_reply_free(self.0) }
    }
}

struct Client(*mut paysvc_client);

impl Client {
    fn new(base_url: &str) -> Client {
        let vector = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/rsa2048.json"));
        let vector: serde_json::Value = serde_json::from_str(&vector.unwrap()).unwrap();
        let config = serde_json::json!({
            "base_url": base_url, "public_key": "p", "secret_key": "s", "encryption_key": vector["encryption_key"],
        });
        let config = CString::new(config.to_string()).unwrap();
        let mut client = ptr::null_mut();
        assert_eq!(unsafe { paysvc_client_new(config.as_ptr(), &mut client, ptr::null_mut()) }, PAYSVC_OK);
        Client(client)
    }

    /// A call that encrypts and moves money.
    fn charge(&self) -> Reply {
        let is_charge = |row: &Endpoint| row.encrypted && row.fields.iter().all(|field| !field.required);
        let row = ENDPOINTS.iter().find(|row| is_charge(row)).expect("an encrypted row without required members");
        let mut reply = ptr::null_mut();
        let status = unsafe { super::requests::endpoint(row, self.0, c"{}".as_ptr(), ptr::null(), &mut reply) };
        assert_eq!(status, unsafe { paysvc_reply_status(reply) });
        Reply(reply)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        unsafe { paysvc_client_free(self.0) }
    }
}

unsafe extern "C" fn listen(_: *mut c_void, _: c_int, _: *const c_char) {}

#[test]
fn a_panic_anywhere_keeps_the_evidence_and_the_client() {
    let client = Client::new(&format!("http://127.0.0.1:{}", service()));
    unsafe { paysvc_client_set_log(client.0, 3, Some(listen), ptr::null_mut()) };
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
        let reply = client.charge();
        assert_eq!(reply.facts(), (PAYSVC_E_INTERNAL, outcome, attempts), "{point}: {}", reply.message());
        assert!(
            reply.message().contains("a bug in the library was caught at src/util/failpoint.rs:"),
            "{}",
            reply.message()
        );
        assert_eq!(client.charge().facts(), (PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED, 1), "after {point}");
    }
}

/// That nothing was sent now tells nothing of the earlier request.
#[test]
fn a_panic_tells_nothing_of_an_earlier_request() {
    let client = Client::new(&format!("http://127.0.0.1:{}", service()));
    let resolve = |reply: *mut *mut paysvc_reply| {
        let request = cr#"{"endpoint":"order_pay","request":{"reference":"O-1"}}"#;
        unsafe { paysvc_resolve(client.0, request.as_ptr(), ptr::null(), reply) }
    };
    let wait = |reply: *mut *mut paysvc_reply| unsafe {
        paysvc_order_wait(client.0, cr#"{"reference":"O-1"}"#.as_ptr(), ptr::null(), reply)
    };
    let fails = |call: &dyn Fn(*mut *mut paysvc_reply) -> paysvc_status, point: &'static str, sent: c_int| {
        failpoint::arm(point);
        let mut reply = ptr::null_mut();
        call(&mut reply);
        assert_eq!(Reply(reply).facts(), (PAYSVC_E_INTERNAL, PAYSVC_OUTCOME_UNKNOWN, sent), "{point}");
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
    let client = Client::new(&format!("https://127.0.0.1:{}", service()));
    failpoint::arm("tls");
    assert_eq!(client.charge().facts(), (PAYSVC_E_INTERNAL, PAYSVC_OUTCOME_NOT_SENT, 0));
    // The service speaks no TLS: an ordinary failure again.
    assert_eq!(client.charge().facts(), (PAYSVC_E_TRANSPORT, PAYSVC_OUTCOME_NOT_SENT, 0));
}

#[test]
fn a_panic_while_a_client_is_made_makes_none() {
    let mut client = ptr::dangling_mut();
    let mut reply = ptr::null_mut();
    failpoint::arm("reply");
    assert_eq!(unsafe { paysvc_client_new(c"{}".as_ptr(), &mut client, &mut reply) }, PAYSVC_E_INTERNAL);
    assert!(client.is_null());
    assert_eq!(Reply(reply).facts(), (PAYSVC_E_INTERNAL, PAYSVC_OUTCOME_NOT_SENT, 0));
}

#[test]
fn a_panic_while_a_request_is_built_leaves_no_request() {
    for point in ["json", "json_text"] {
        unsafe {
            let request = paysvc_json_new();
            assert_eq!(paysvc_json_set_string(request, c"/reference".as_ptr(), c"R".as_ptr()), PAYSVC_OK);
            failpoint::arm(point);
            match point {
                "json" => {
                    let status = paysvc_json_set_number(request, c"/amount".as_ptr(), c"25.50".as_ptr());
                    assert_eq!(status, PAYSVC_E_INTERNAL);
                }
                _ => assert!(paysvc_json_text(request).is_null()),
            }
            // For good, also for what worked before.
            assert!(paysvc_json_text(request).is_null());
            let status = paysvc_json_set_string(request, c"/reference".as_ptr(), c"R".as_ptr());
            assert_eq!(status, PAYSVC_E_ARGUMENT);
            let error = CStr::from_ptr(paysvc_json_error(request)).to_str().unwrap();
            assert!(error.starts_with("a bug in the library was caught at src/util/failpoint.rs:"), "{error}");
            paysvc_json_free(request);
        }
    }
}
