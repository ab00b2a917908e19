//! The C functions, as a Rust test wants them: called through the interface, freed when dropped.

use std::ffi::{CStr, CString, c_char};
use std::ptr;
use std::time::{Duration, Instant};

use paysvc::ffi::*;
use serde_json::{Value, json};

pub type Function = paysvc_function;

pub struct Client(*mut paysvc_client);

// SAFETY: rule 3 of the header.
unsafe impl Send for Client {}
unsafe impl Sync for Client {}

impl Client {
    pub fn new(config: &Value) -> Client {
        Client::try_new(config).unwrap_or_else(|reply| panic!("{}", reply.message()))
    }

    pub fn try_new(config: &Value) -> Result<Client, Reply> {
        super::no_settings();
        let config = CString::new(config.to_string()).unwrap();
        let (mut client, mut reply) = (ptr::null_mut(), ptr::null_mut());
        let status = unsafe { paysvc_client_new(config.as_ptr(), &mut client, &mut reply) };
        let reply = Reply(reply);
        assert_eq!(client.is_null(), status != PAYSVC_OK);
        if status == PAYSVC_OK { Ok(Client(client)) } else { Err(reply) }
    }

    pub fn call(&self, function: Function, request: &Value) -> Reply {
        self.call_with(function, request, None)
    }

    pub fn call_with(&self, function: Function, request: &Value, call: Option<&Call>) -> Reply {
        let request = CString::new(request.to_string()).unwrap();
        let mut reply = ptr::null_mut();
        let call = call.map_or(ptr::null_mut(), |call| call.0);
        let status = unsafe { function(self.0, request.as_ptr(), call, &mut reply) };
        let reply = Reply(reply);
        assert_eq!(status, reply.status());
        reply
    }

    pub fn as_ptr(&self) -> *mut paysvc_client {
        self.0
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        unsafe { paysvc_client_free(self.0) }
    }
}

pub struct Call(*mut paysvc_call);

// SAFETY: rule 3 of the header.
unsafe impl Send for Call {}
unsafe impl Sync for Call {}

impl Call {
    pub fn new() -> Call {
        Call(paysvc_call_new())
    }

    pub fn with_timeout_ms(ms: i32) -> Call {
        let call = Call::new();
        unsafe { paysvc_call_set_timeout_ms(call.0, ms) };
        call
    }

    pub fn cancel(&self) {
        unsafe { paysvc_call_cancel(self.0) }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        unsafe { paysvc_call_free(self.0) }
    }
}

pub struct Reply(*mut paysvc_reply);

// SAFETY: rule 3 of the header.
unsafe impl Send for Reply {}
unsafe impl Sync for Reply {}

fn text<'a>(pointer: *const c_char) -> &'a str {
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap()
}

impl Reply {
    pub fn status(&self) -> paysvc_status {
        unsafe { paysvc_reply_status(self.0) }
    }
    pub fn outcome(&self) -> paysvc_outcome {
        unsafe { paysvc_reply_outcome(self.0) }
    }
    pub fn http_status(&self) -> i32 {
        unsafe { paysvc_reply_http_status(self.0) }
    }
    pub fn attempts(&self) -> i32 {
        unsafe { paysvc_reply_attempts(self.0) }
    }
    pub fn retry_after_ms(&self) -> i32 {
        unsafe { paysvc_reply_retry_after_ms(self.0) }
    }
    pub fn body(&self) -> &str {
        text(unsafe { paysvc_reply_body(self.0) })
    }
    pub fn get(&self, pointer: &str) -> Option<String> {
        let pointer = CString::new(pointer).unwrap();
        let found = unsafe { paysvc_reply_get(self.0, pointer.as_ptr()) };
        (!found.is_null()).then(|| text(found).to_owned())
    }
    pub fn code(&self) -> &str {
        text(unsafe { paysvc_reply_code(self.0) })
    }
    pub fn message(&self) -> &str {
        text(unsafe { paysvc_reply_message(self.0) })
    }

    /// Status and outcome by name, e.g. `E_TIMEOUT UNKNOWN`.
    pub fn verdict(&self) -> String {
        let (status, outcome) = (paysvc_status_name(self.status()), paysvc_outcome_name(self.outcome()));
        format!("{} {}", text(status), text(outcome))
    }

    #[track_caller]
    pub fn expect(&self, verdict: &str) -> &Reply {
        assert_eq!(
            self.verdict(),
            verdict,
            "HTTP {}, {} attempts: {}",
            self.http_status(),
            self.attempts(),
            self.message()
        );
        self
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        unsafe { paysvc_reply_free(self.0) }
    }
}

/// The function of an endpoint by its name in the table.
pub fn function(name: &str) -> Function {
    let found = ENDPOINT_FUNCTIONS.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("no function {name}")).1
}

/// Far longer than anything here takes on a slow machine; only a hang reaches it.
pub const HANG: Duration = Duration::from_secs(40);

/// A request that moves money.
pub fn refund() -> Value {
    json!({"reference": "ORDER-1", "amount": "25.50"})
}

/// A configuration with some members changed.
pub fn with(mut config: Value, changes: Value) -> Value {
    config.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    config
}

/// Runs it, and fails when it took longer than a generous bound: a hang, not a slow machine.
pub fn within<T>(bound: Duration, run: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let result = run();
    assert!(started.elapsed() < bound, "took {:?}, bound {bound:?}", started.elapsed());
    result
}
