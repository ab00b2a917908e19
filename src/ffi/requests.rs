//! The functions that send requests: of the endpoints, of `paysvc_request`, and those that choose their requests themselves.

use std::ffi::c_char;

use super::boundary::{deliver, deliver_about_earlier};
use super::client::retain;
use super::json::request_text;
use super::pointer::Shared;
use super::types::{paysvc_call, paysvc_client, paysvc_reply, paysvc_status};
use crate::answer::reply::Reply;
use crate::call::{Call, CallRecord};
use crate::flow::Client;
use crate::util::failpoint;
use paysvc_spec::schema::Endpoint;

/// A function of the client that sends requests.
pub type Method = fn(&Client, &Call<'_>, &str) -> Reply;

/// Takes the arguments of a C function, and calls the client's.
///
/// # Safety
/// `client` and `call` are NULL or have not been freed, and `request_json` is NULL, or NUL-terminated until this
/// returns.
unsafe fn with_arguments(
    client: *const paysvc_client,
    request_json: *const c_char,
    call: *const paysvc_call,
    record: &CallRecord,
    send: impl FnOnce(&Client, &Call<'_>, &str) -> Reply,
) -> Reply {
    // SAFETY: each is what the caller promises; client and token are kept alive from here on, even if they are freed.
    let ready = unsafe {
        retain(client)
            .and_then(|client| Ok((client, request_text(request_json, "request_json")?, Shared::retain(call))))
    };
    match ready {
        Ok((client, json, call)) => {
            failpoint::at("ffi");
            send(&client, &client.begin(call, record), json)
        }
        Err(error) => Reply::invalid(error),
    }
}

/// # Safety
/// As [`with_arguments`]; `reply` is NULL or points to memory for one pointer.
pub unsafe fn endpoint(
    row: &'static Endpoint,
    client: *const paysvc_client,
    request_json: *const c_char,
    call: *const paysvc_call,
    reply: *mut *mut paysvc_reply,
) -> paysvc_status {
    let send = |client: &Client, context: &Call<'_>, json: &str| client.call(context, row, json);
    // SAFETY: the arguments are what the caller promises, until the body has run and the reply is written.
    unsafe { deliver(reply, |record| with_arguments(client, request_json, call, record, send)) }
}

/// A request that JSON describes.
///
/// # Safety
/// As [`with_arguments`]; `reply` is NULL or points to memory for one pointer.
pub unsafe fn request(
    client: *const paysvc_client,
    request_json: *const c_char,
    call: *const paysvc_call,
    reply: *mut *mut paysvc_reply,
) -> paysvc_status {
    // SAFETY: the arguments are what the caller promises, until the body has run and the reply is written.
    unsafe { deliver(reply, |record| with_arguments(client, request_json, call, record, Client::request)) }
}

/// Refuses a token with an idempotency key: it would be ignored.
fn without_key(method: Method) -> impl FnOnce(&Client, &Call<'_>, &str) -> Reply {
    move |client, context, json| match client.check_no_key(context) {
        Ok(()) => method(client, context, json),
        Err(error) => Reply::invalid(error),
    }
}

/// # Safety
/// As [`with_arguments`]; `reply` is NULL or points to memory for one pointer.
pub unsafe fn method(
    method: Method,
    client: *const paysvc_client,
    request_json: *const c_char,
    call: *const paysvc_call,
    reply: *mut *mut paysvc_reply,
) -> paysvc_status {
    // SAFETY: the arguments are what the caller promises, until the body has run and the reply is written.
    unsafe { deliver(reply, |record| with_arguments(client, request_json, call, record, without_key(method))) }
}

/// As [`method`], for what became of an earlier request: the outcome is never NOT_SENT.
///
/// # Safety
/// As [`with_arguments`]; `reply` is NULL or points to memory for one pointer.
pub unsafe fn method_about_earlier(
    method: Method,
    client: *const paysvc_client,
    request_json: *const c_char,
    call: *const paysvc_call,
    reply: *mut *mut paysvc_reply,
) -> paysvc_status {
    // SAFETY: the arguments are what the caller promises, until the body has run and the reply is written.
    unsafe {
        deliver_about_earlier(reply, |record| with_arguments(client, request_json, call, record, without_key(method)))
    }
}
