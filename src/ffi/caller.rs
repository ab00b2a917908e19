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
        let (name, request) = (CString::new(name).unwrap(), CString::new(request.to_string()).unwrap());
        // SAFETY: client and texts live until the call returns, and the reply may be written.
        let call = |reply: *mut *mut paysvc_reply| unsafe {
            paysvc_invoke(self.0, name.as_ptr(), request.as_ptr(), null(), reply)
        };
        let (status, reply) = Reply::of(call);
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

pub struct Reply(Option<Box<paysvc_reply>>);

impl Reply {
    /// Returns the function's status, and the reply that it writes to its last argument.
    pub fn of(function: impl FnOnce(*mut *mut paysvc_reply) -> paysvc_status) -> (paysvc_status, Reply) {
        let mut reply: Option<Box<paysvc_reply>> = None;
        let status = function((&raw mut reply).cast());
        (status, Reply(reply))
    }
    pub fn get(&self) -> Option<&paysvc_reply> {
        self.0.as_deref()
    }
    pub fn status(&self) -> paysvc_status {
        paysvc_reply_status(self.get())
    }
    pub fn outcome(&self) -> paysvc_outcome {
        paysvc_reply_outcome(self.get())
    }
    pub fn state(&self) -> paysvc_state {
        paysvc_reply_state(self.get())
    }
    pub fn http_status(&self) -> i32 {
        paysvc_reply_http_status(self.get())
    }
    pub fn attempts(&self) -> i32 {
        paysvc_reply_attempts(self.get())
    }
    /// Status, outcome, and how many requests were sent.
    pub fn facts(&self) -> (paysvc_status, paysvc_outcome, i32) {
        (self.status(), self.outcome(), self.attempts())
    }
    pub fn body(&self) -> &str {
        self.text(paysvc_reply_body(self.get()))
    }
    pub fn code(&self) -> &str {
        self.text(paysvc_reply_code(self.get()))
    }
    pub fn message(&self) -> &str {
        self.text(paysvc_reply_message(self.get()))
    }

    /// A text that lives as long as the reply.
    fn text(&self, pointer: *const c_char) -> &str {
        // SAFETY: NUL-terminated, and freed with the reply.
        unsafe { CStr::from_ptr(pointer) }.to_str().expect("UTF-8")
    }
}
