//! The client handle: its configuration and its log, and the functions that send requests with it.

use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::Arc;

use super::boundary::{Shared, Subject, UserData, boundary, deliver, text};
use super::exports::FUNCTIONS;
use super::json::request_text;
use super::sys;
use super::types::{paysvc_call, paysvc_client, paysvc_log_fn, paysvc_reply, paysvc_status};
use crate::answer::reply::Reply;
use crate::call::log::{Level, Sink};
use crate::call::{Call, CallRecord};
use crate::flow::invoked::{look_up_of, unknown_function};
use crate::flow::{self, Client};
use crate::util::panics::failpoint;
use crate::util::process::critical_section;
use crate::util::validation_error::ValidationError;
use paysvc_spec::endpoints::same;
use paysvc_spec::operations::{CLIENT_CHECK, CLIENT_WARM, ENCRYPT, JOURNAL_NEXT, LOOK_UP};
use paysvc_spec::schema::Endpoint;
use paysvc_spec::status::Status;

/// The client of a handle, kept alive while a call uses it, even if the handle is freed meanwhile.
///
/// # Safety
/// `client` is NULL or came from [`new`], and has not been freed.
pub(super) unsafe fn retain(client: *const paysvc_client) -> Result<Arc<Client>, ValidationError> {
    // SAFETY: what the caller promises, unchanged.
    unsafe { Shared::retain(client) }.ok_or_else(|| ValidationError::new(Status::Argument, "client is NULL"))
}

/// # Safety
/// `config_json` is NULL, or NUL-terminated until this returns; `client` and `reply` are NULL or point to memory for
/// one pointer each.
pub(super) unsafe fn new(
    config_json: *const c_char,
    client: *mut *mut paysvc_client,
    reply: *mut *mut paysvc_reply,
) -> paysvc_status {
    if !client.is_null() {
        // SAFETY: not NULL, and the caller promises that it may be written.
        unsafe { client.write(std::ptr::null_mut()) };
    }
    let mut new_client = None;
    let make = || {
        if client.is_null() {
            return Err(ValidationError::new(Status::Argument, "client is NULL: there is nowhere to put it"));
        }
        // SAFETY: not NULL, so NUL-terminated until this function returns.
        let json = if config_json.is_null() { None } else { Some(unsafe { text(config_json, "config_json") }?) };
        sys::watch_forks();
        // The first handshake would do this otherwise, maybe while another thread forks.
        critical_section(aws_lc_rs::init);
        let given = std::env::vars_os().filter(|(_, text)| !text.to_string_lossy().trim().is_empty());
        flow::check_variables(given.map(|(name, _)| name.to_string_lossy().into_owned()))?;
        // Text that is not UTF-8 is kept, so that its setting is refused and not treated as missing.
        Client::new(json, &|name| std::env::var_os(name).map(|text| text.to_string_lossy().into_owned()))
    };
    let body = |_: &CallRecord| {
        let client = make()?;
        let described = client.described();
        new_client = Some(Arc::new(client));
        Ok(Reply::local(described))
    };
    // SAFETY: `reply` is NULL or points to memory for one pointer.
    let status = unsafe { deliver(reply, Subject::OfThisCall, body) };
    if let Some(new_client) = new_client.filter(|_| status == Status::Ok as paysvc_status) {
        // SAFETY: not NULL, or nothing would have been made, and the caller promises that it may be written.
        unsafe { client.write(Shared::give(new_client)) };
    }
    status
}

/// A function of the client that takes nothing but the call.
///
/// # Safety
/// `client` and `call` are NULL or have not been freed; `reply` is NULL or points to memory for one pointer.
pub(super) unsafe fn connect(
    function: fn(&Client, &Call<'_>) -> Reply,
    client: *const paysvc_client,
    call: *const paysvc_call,
    reply: *mut *mut paysvc_reply,
) -> paysvc_status {
    let body = |record: &CallRecord| {
        // SAFETY: both are what the caller promises, and are kept alive from here on.
        let (client, call) = unsafe { (retain(client)?, Shared::retain(call)) };
        Ok(function(&client, &client.begin(call, record)))
    };
    // SAFETY: `reply` is what the caller promises, unchanged.
    unsafe { deliver(reply, Subject::OfThisCall, body) }
}

/// The use of the JSON that a function of the C interface takes.
#[derive(Clone, Copy)]
pub(super) enum Function {
    Endpoint(&'static Endpoint),
    /// The JSON describes the whole request.
    Request,
    /// Sends requests of its own choice.
    Operation(Operation),
    /// As `Operation`, for what became of an earlier request.
    AboutEarlier(Operation),
}

type Operation = fn(&Client, &Call<'_>, &str) -> Reply;

/// The function of that name. In a constant, an unknown name does not compile.
pub(super) const fn function(name: &str) -> Function {
    let mut index = 0;
    while index < FUNCTIONS.len() {
        if same(FUNCTIONS[index].0, name) {
            return FUNCTIONS[index].1;
        }
        index += 1;
    }
    panic!("no function has this name")
}

/// # Safety
/// `client` and `call` are NULL or have not been freed; `request_json` is NULL, or NUL-terminated until this returns;
/// `reply` is NULL or points to memory for one pointer.
pub(super) unsafe fn send(
    function: Function,
    client: *const paysvc_client,
    request_json: *const c_char,
    call: *const paysvc_call,
    reply: *mut *mut paysvc_reply,
) -> paysvc_status {
    let body = |record: &CallRecord| {
        // SAFETY: each is what the caller promises; client and token are kept alive from here on, even if they are freed.
        let (client, json, call) =
            unsafe { (retain(client)?, request_text(request_json, "request_json")?, Shared::retain(call)) };
        failpoint::at("ffi");
        let call = client.begin(call, record);
        Ok(match function {
            Function::Endpoint(row) => client.call(&call, row, json),
            Function::Request => client.request(&call, json),
            Function::Operation(operation) | Function::AboutEarlier(operation) => {
                // A token's idempotency key would be ignored.
                client.check_no_key(&call)?;
                operation(&client, &call, json)
            }
        })
    };
    let is_earlier = matches!(function, Function::AboutEarlier(_));
    // SAFETY: `reply` is what the caller promises, unchanged.
    unsafe { deliver(reply, if is_earlier { Subject::Earlier } else { Subject::OfThisCall }, body) }
}

/// The functions that [`paysvc_invoke`] calls besides those of the tables and [`LOOK_UP`].
const OTHERS: [(&str, Function); 4] = [
    (CLIENT_CHECK.name, Function::Operation(Client::client_check)),
    (CLIENT_WARM.name, Function::Operation(Client::client_warm)),
    (ENCRYPT.name, Function::Operation(|client, _, json| client.encrypt(json))),
    (JOURNAL_NEXT.name, Function::AboutEarlier(Client::journal_next_after)),
];

/// # Safety
/// As [`send`]; `name` is NULL, or NUL-terminated until this returns.
pub(super) unsafe fn invoke(
    name: *const c_char,
    client: *const paysvc_client,
    request_json: *const c_char,
    call: *const paysvc_call,
    reply: *mut *mut paysvc_reply,
) -> paysvc_status {
    let all = FUNCTIONS.iter().chain(&OTHERS);
    // SAFETY: NULL, or NUL-terminated until this returns.
    let given = unsafe { text(name, "function") };
    let found = given.as_ref().ok().and_then(|given| all.clone().find(|(known, _)| known == given));
    // SAFETY: each is what the caller promises, unchanged.
    unsafe {
        match (found, given) {
            (Some((_, function)), _) => send(*function, client, request_json, call, reply),
            // It needs no client.
            (None, Ok(given)) if given == LOOK_UP.name => {
                deliver(reply, Subject::OfThisCall, |_| Ok(look_up_of(request_text(request_json, "request_json")?)))
            }
            // It may be the name of a function about an earlier request.
            (None, given) => deliver(reply, Subject::Earlier, |_| {
                retain(client)?;
                let names = all.map(|(known, _)| *known).chain([LOOK_UP.name]);
                Err(unknown_function(given?, names))
            }),
        }
    }
}

/// Frees the client. Calls that still run on other threads end normally; then its connections are closed. With the last client
/// of a journal in this process, the journal's file gets all that is in its -wal file, unless another process uses it: then a
/// copy of that file alone is whole.
///
/// @param client  may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_client_free(client: *mut paysvc_client) {
    boundary((), || {
        // SAFETY: NULL, or from `new`, and freed once.
        unsafe { Shared::free(client) };
    });
}

/// Sets the log callback. It is called on the thread that makes a call. Each line begins with the number of the call, see
/// paysvc_reply_call_id(). Keys, card data, one-time codes and bodies are never logged, at any level. The line of an
/// attempt ends with the response's date and with the numbers by which the service finds the request in its own log
/// (x-request-id, request-id, x-correlation-id, correlation-id, traceparent, x-amzn-trace-id, cf-ray), with the secrets of
/// the request masked; a value of more than 100 characters or with blanks is left out.
///
/// @param level  the most detailed level to log: 1 (errors), 2 (warnings), 3 (information) or 4 (debug)
/// @param log  the callback, which must return; NULL turns the log off. A call running on another thread may still use
///   the previous callback.
/// @param userdata  passed to every call of the callback, on any thread; may be NULL. It must stay valid while a call may
///   use the callback.
/// @return PAYSVC_OK; PAYSVC_E_ARGUMENT if client is NULL, or if log is not NULL and level is not 1 to 4
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_client_set_log(
    client: *const paysvc_client,
    level: c_int,
    log: paysvc_log_fn,
    userdata: *mut c_void,
) -> paysvc_status {
    boundary(Status::Internal as paysvc_status, || {
        // SAFETY: NULL, or a handle that has not been freed, which is kept alive from here on.
        let Ok(client) = (unsafe { retain(client) }) else { return Status::Argument as paysvc_status };
        if log.is_some() && !(Level::Error as c_int..=Level::Debug as c_int).contains(&level) {
            return Status::Argument as paysvc_status;
        }
        // SAFETY: the program promises that its callback may run with this pointer while a call may use it.
        client.log.set(level, log.map(|log| unsafe { sink(log, userdata) }));
        Status::Ok as paysvc_status
    })
}

/// # Safety
/// `log` may be called with `userdata` and a text, on any thread, for as long as the sink is used.
unsafe fn sink(log: unsafe extern "C" fn(*mut c_void, c_int, *const c_char), userdata: *mut c_void) -> Sink {
    let userdata = UserData(userdata);
    Arc::new(move |level: Level, line: &str| {
        let line = CString::new(line.replace('\0', " ")).unwrap_or_default();
        // SAFETY: `log` may be called here, as `sink` demands, and the line lives until it returns.
        unsafe { log(userdata.get(), level as c_int, line.as_ptr()) };
    })
}

/// Connects before anything is sold: DNS lookup, TCP, the proxy if there is one, and TLS. The next request of this client
/// that moves money or changes something is then sent without waiting for them. Nothing is sent to the service, so nothing
/// has to be found out if it fails: such a request connects by itself where no connection waits for it.
///
/// Call it when the cashier begins, once for each payment that is to come. It waits for the service as every call does,
/// and keeps no thread: use a thread of your own if nothing else may wait. Each call adds one connection, for any thread.
/// It is used for 10 s, by one request; those that only read do not use it. At most max_idle_connections are kept, the
/// newest. One that the service has closed meanwhile is replaced when it is to be used. After fork, the child does not use
/// its parent's. They are closed when the client is freed.
///
/// @param call  deadline and cancel of this call; may be NULL. Without a timeout it takes at most connect_timeout_ms
/// @param reply  may be NULL; otherwise *reply is always set: free it with paysvc_reply_free(). The outcome is NOT_SENT in
///   every case, and the body is {"status":true,"message":"..."} or an error
/// @return PAYSVC_OK: a connection is ready; PAYSVC_E_ARGUMENT if client is NULL; PAYSVC_E_CONFIG without base_url, or if
///   max_idle_connections is 0; PAYSVC_E_TRANSPORT if the DNS lookup, the proxy, the connection or TLS failed;
///   PAYSVC_E_TIMEOUT after connect_timeout_ms, or at the call's deadline; PAYSVC_E_CANCELLED
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_client_warm(
    client: *const paysvc_client,
    call: *const paysvc_call,
    reply: *mut *mut paysvc_reply,
) -> paysvc_status {
    // SAFETY: client and token are NULL or have not been freed, and `reply` is NULL or points to memory for one pointer.
    unsafe { connect(Client::warm, client, call, reply) }
}

/// Encrypts a payload without sending anything. The body of the reply is {"data":"<base64>"}, the request body of every
/// encrypted endpoint.
///
/// @param plaintext_json  one JSON object, which is encrypted without white space
/// @param reply  may be NULL; otherwise *reply is always set: free it with paysvc_reply_free()
/// @return PAYSVC_OK; PAYSVC_E_ARGUMENT if client is NULL or plaintext_json is not a JSON object in UTF-8;
///   PAYSVC_E_CONFIG without an encryption key; PAYSVC_E_ENCRYPT if the payload is longer than the key can encrypt (its
///   length in bytes less 11)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_encrypt(
    client: *const paysvc_client,
    plaintext_json: *const c_char,
    reply: *mut *mut paysvc_reply,
) -> paysvc_status {
    let body = |_: &CallRecord| {
        // SAFETY: the client is NULL or has not been freed, and the text is NULL, or NUL-terminated until this returns.
        let (client, json) = unsafe { (retain(client)?, request_text(plaintext_json, "plaintext_json")?) };
        Ok(client.encrypt(json))
    };
    // SAFETY: `reply` is NULL or points to memory for one pointer.
    unsafe { deliver(reply, Subject::OfThisCall, body) }
}
