//! A client and its replies as a C program has them, for tests and for the fuzzer.

use std::ffi::{CStr, CString, c_char};
use std::ptr::{null, null_mut};

use serde_json::Value;

use super::*;

pub struct Client(*mut paysvc_client);

// SAFETY: any thread may free a client.
unsafe impl Send for Client {}
// SAFETY: threads may use a client at once.
unsafe impl Sync for Client {}

impl Client {
    pub fn new(config: &Value) -> Client {
        let config = CString::new(config.to_string()).unwrap();
        let mut client = null_mut();
        // SAFETY: the text lives until the call returns, and the client may be written.
        let status = unsafe { paysvc_client_new(config.as_ptr(), &mut client, null_mut()) };
        assert_eq!(status, PAYSVC_OK);
        Client(client)
    }

    pub fn as_ptr(&self) -> *const paysvc_client {
        self.0
    }

    /// Calls the function of an endpoint.
    pub fn call(&self, name: &str, request: &Value) -> Reply {
        let request = CString::new(request.to_string()).unwrap();
        let mut reply = null_mut();
        // SAFETY: client and text live until the call returns, and the reply may be written.
        let status = unsafe { function(name)(self.0, request.as_ptr(), null(), &mut reply) };
        let reply = Reply(reply);
        assert_eq!(reply.status(), status);
        reply
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and freed once.
        unsafe { paysvc_client_free(self.0) }
    }
}

/// The function of an endpoint.
pub fn function(name: &str) -> paysvc_function {
    let found = ENDPOINT_FUNCTIONS.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("no function {name}")).1
}

pub struct Reply(*mut paysvc_reply);

// SAFETY of all below: the reply came from the library and is freed when this is dropped.
impl Reply {
    /// # Safety
    /// The reply came from the library, and nobody else frees it.
    pub unsafe fn new(reply: *mut paysvc_reply) -> Reply {
        Reply(reply)
    }
    pub fn status(&self) -> paysvc_status {
        unsafe { paysvc_reply_status(self.0) }
    }
    pub fn outcome(&self) -> paysvc_outcome {
        unsafe { paysvc_reply_outcome(self.0) }
    }
    pub fn state(&self) -> paysvc_state {
        unsafe { paysvc_reply_state(self.0) }
    }
    pub fn http_status(&self) -> i32 {
        unsafe { paysvc_reply_http_status(self.0) }
    }
    pub fn attempts(&self) -> i32 {
        unsafe { paysvc_reply_attempts(self.0) }
    }
    /// Status, outcome, and how many requests were sent.
    pub fn facts(&self) -> (paysvc_status, paysvc_outcome, i32) {
        (self.status(), self.outcome(), self.attempts())
    }
    pub fn body(&self) -> &str {
        self.text(unsafe { paysvc_reply_body(self.0) })
    }
    pub fn code(&self) -> &str {
        self.text(unsafe { paysvc_reply_code(self.0) })
    }
    pub fn message(&self) -> &str {
        self.text(unsafe { paysvc_reply_message(self.0) })
    }

    /// A text that lives as long as the reply.
    fn text(&self, pointer: *const c_char) -> &str {
        unsafe { CStr::from_ptr(pointer) }.to_str().expect("UTF-8")
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        unsafe { paysvc_reply_free(self.0) }
    }
}
