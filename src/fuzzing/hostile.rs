//! Inputs that are small to make and expensive to read: deep, long, many. Each is read on a stack as small as a till's
//! thread may have, and must come to an end; the bound is there for what would never end, not to measure.

#![allow(unsafe_code)] // This is the C program.

use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};
use std::sync::mpsc;
use std::time::Duration;

use super::answer::answer_of;
use super::peer::peer;
use crate::ffi::*;
use crate::request::encryption::EncryptionKey;
use paysvc_spec::ENDPOINTS;

const STACK: usize = 128 * 1024;
const HANG: Duration = Duration::from_secs(300);
const MANY: usize = 20_000;
const MILLION: usize = 1_000_000;

/// Runs on a small stack. A stack that runs over ends the process, which no test survives unnoticed.
fn small(what: &str, run: impl FnOnce() + Send + 'static) {
    let (done, wait) = mpsc::channel();
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        run();
        done.send(()).unwrap();
    });
    match wait.recv_timeout(HANG) {
        Ok(()) => thread.unwrap().join().unwrap(),
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("{what}: no end after {HANG:?}"),
        Err(mpsc::RecvTimeoutError::Disconnected) => panic!("{what}: failed"),
    }
}

/// JSON that is expensive to read, each with a name.
fn documents() -> Vec<(&'static str, String)> {
    let members = |name: fn(usize) -> String| {
        let members: Vec<_> = (0..MANY).map(|index| format!("\"{}\":{index}", name(index))).collect();
        format!("{{{}}}", members.join(","))
    };
    vec![
        ("arrays never closed", "[".repeat(MILLION)),
        ("objects never closed", r#"{"a":"#.repeat(MILLION)),
        ("arrays in a member", format!(r#"{{"a":{}{}}}"#, "[".repeat(MILLION), "]".repeat(MILLION))),
        ("objects in a member", format!("{}1{}", r#"{"reference":"#.repeat(MANY), "}".repeat(MANY))),
        ("members that nobody knows", members(|index| format!("member{index}"))),
        ("members that stand twice", members(|index| format!("member{}", index / 2))),
        ("members that are nearly right", members(|index| format!("reference{}", "e".repeat(index % 9)))),
        ("a long name", format!(r#"{{"{}":1}}"#, "reference".repeat(MANY))),
        ("a long amount", format!(r#"{{"reference":"r","amount":"{}"}}"#, "9".repeat(2 * MILLION))),
        ("a long number", format!(r#"{{"recurringPaymentId":{}}}"#, "9".repeat(2 * MILLION))),
        ("a long text", format!(r#"{{"emailAddress":"{}","reference":"{0}"}}"#, "\\u0041".repeat(MILLION / 2))),
        ("too long a text", format!(r#"{{"a":"{}"}}"#, "x".repeat(11 * MILLION))),
    ]
}

fn reply_of(make: impl FnOnce(*mut *mut paysvc_reply) -> paysvc_status) -> (paysvc_status, String, String) {
    let mut reply = null_mut();
    let status = make(&mut reply);
    let text = |text| unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned();
    let (body, message) = unsafe { (text(paysvc_reply_body(reply)), text(paysvc_reply_message(reply))) };
    unsafe { paysvc_reply_free(reply) };
    (status, body, message)
}

#[test]
fn requests() {
    small("requests", || {
        let config = peer().dead_config();
        let mut client = null_mut();
        assert_eq!(unsafe { paysvc_client_new(config.as_ptr(), &mut client, null_mut()) }, PAYSVC_OK);
        for (number, (what, json)) in documents().into_iter().enumerate() {
            let json = CString::new(json).unwrap();
            // The time of a call may run out over it: nothing is sent then.
            let ended = |(status, body, _): (paysvc_status, String, String)| {
                let known = [PAYSVC_E_ARGUMENT, PAYSVC_E_ENCRYPT, PAYSVC_E_TRANSPORT, PAYSVC_E_TIMEOUT];
                assert!(known.contains(&status), "{what}: {status}");
                assert!(body.len() < 4 * MILLION, "{what}: {} bytes of refusal", body.len());
            };
            let row = &ENDPOINTS[number % ENDPOINTS.len()];
            ended(reply_of(|reply| unsafe { call_row(row, client, json.as_ptr(), null(), reply) }));
            ended(reply_of(|reply| unsafe { paysvc_request(client, json.as_ptr(), null(), reply) }));
            ended(reply_of(|reply| unsafe { paysvc_encrypt(client, json.as_ptr(), reply) }));
        }
        unsafe { paysvc_client_free(client) };
    });
}

#[test]
fn requests_within_a_request() {
    small("requests within a request", || {
        let config = peer().dead_config();
        let mut client = null_mut();
        assert_eq!(unsafe { paysvc_client_new(config.as_ptr(), &mut client, null_mut()) }, PAYSVC_OK);
        for (what, json) in documents() {
            for member in ["headers", "body"] {
                let text = format!(r#"{{"method":"POST","path":"/x","key":"public","{member}":{json}}}"#);
                let text = CString::new(text).unwrap();
                let (status, ..) = reply_of(|reply| unsafe { paysvc_request(client, text.as_ptr(), null(), reply) });
                let known = [PAYSVC_E_ARGUMENT, PAYSVC_E_TRANSPORT, PAYSVC_E_TIMEOUT];
                assert!(known.contains(&status), "{what} in {member}: {status}");
            }
        }
        unsafe { paysvc_client_free(client) };
    });
}

#[test]
fn configurations() {
    small("configurations", || {
        for (what, json) in documents() {
            let json = CString::new(json).unwrap();
            let mut client = null_mut();
            let (status, ..) = reply_of(|reply| unsafe { paysvc_client_new(json.as_ptr(), &mut client, reply) });
            assert_eq!((status, client), (PAYSVC_E_CONFIG, null_mut()), "{what}");
        }
    });
}

#[test]
fn answers_and_pointers() {
    small("answers", || {
        for (what, json) in documents() {
            for member in ["data", "errors"] {
                let answer = format!("200@application/json\n{{\"{member}\":{json},\"status\":true}}");
                let reply = into_pointer(into_handle(answer_of(answer.as_bytes())));
                // A step reads what is left, so the longest way goes through what is not the largest.
                let steps = if json.len() < MILLION { 127 } else { 2 };
                for pointer in [format!("/data{}", "/0".repeat(steps)), "/0".repeat(MILLION)] {
                    let pointer = CString::new(pointer).unwrap();
                    unsafe { paysvc_reply_get(reply, pointer.as_ptr()) };
                }
                assert_ne!(unsafe { paysvc_reply_status(reply) }, PAYSVC_E_INTERNAL, "{what} in {member}");
                unsafe { paysvc_reply_free(reply) };
            }
        }
    });
}

#[test]
fn a_pointer_reaches_128_levels_and_no_further() {
    let body = format!("200@\n{}7{}", "[".repeat(200), "]".repeat(200));
    let reply = into_pointer(into_handle(answer_of(body.as_bytes())));
    let get = |steps: usize| {
        let pointer = CString::new("/0".repeat(steps)).unwrap();
        unsafe { paysvc_reply_get(reply, pointer.as_ptr()) }
    };
    assert!(!get(128).is_null() && get(129).is_null());
    unsafe { paysvc_reply_free(reply) };
}

#[test]
fn key_texts() {
    small("key texts", || {
        let vector: serde_json::Value = serde_json::from_str(include_str!("../../tests/vectors/rsa2048.json")).unwrap();
        let key = vector["decoded_text"].as_str().unwrap();
        let attributes: Vec<_> = (0..1500).map(|index| format!("a{index}=\"\"")).collect();
        for (text, part) in [
            ("A".repeat(10 * MILLION), "takes 10000000 bytes"),
            (format!("2048!{}", "<a>".repeat(5_000)), "cannot be read"),
            (format!("2048!<a {}/>", attributes.join(" ")), "has no Modulus"),
            (key.replace("AQAB", &"A".repeat(8_000)), "exponent 0"),
            (key.replace("AQAB", &"/".repeat(8_000)), "exponent of 48000 bits"),
            (key.replace("AQAB", &format!("{}Ag==", "A".repeat(8_000))), "exponent 2"),
            (
                format!("2048!<Modulus>{}</Modulus><Exponent>AQAB</Exponent>", "/".repeat(16_000)),
                "its modulus has 96000",
            ),
            (key.replace("AQAB", "&secretAsAnEntity;"), "cannot be read (line:column "),
        ] {
            let message = EncryptionKey::parse(&text).err().expect(part).message;
            assert!(message.contains(part) && !message.contains("secret"), "{part}: {message}");
        }
    });
}
