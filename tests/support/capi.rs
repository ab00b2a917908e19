//! The C functions of the built library, for Rust tests: loaded from the file that programs load, called through the
//! interface, freed when dropped. On another platform a program of that platform calls them; then only the fields
//! that it prints are there, and the rest panics.

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use libloading::Library;
use paysvc_spec::operations::OPERATIONS;
use paysvc_spec::status::{Outcome, STATUSES, Status};
use serde_json::{Value, json};

use super::driven::Driven;
use super::driver;
use super::platform::foreign;

/// The handles, as C sees them.
enum RawClient {}
enum RawCall {}
enum RawReply {}

/// `paysvc_order_refund` and all other functions that send a request.
type Endpoint = unsafe extern "C" fn(*const RawClient, *const c_char, *const RawCall, *mut *mut RawReply) -> c_int;

/// Receives a line of the log.
pub type Log = unsafe extern "C" fn(userdata: *mut c_void, level: c_int, message: *const c_char);

/// Receives the steps of a call.
pub type Progress =
    unsafe extern "C" fn(userdata: *mut c_void, done: usize, total: usize, step_json: *const c_char) -> c_int;

/// Declares functions as the header does, without the prefix of their names, and how they are loaded.
macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $returns:ty)?;)*) => {
        struct Functions {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $returns)?,)*
            /// By the name of the row or the operation; and `request`.
            endpoints: HashMap<&'static str, Endpoint>,
        }

        impl Functions {
            fn of(library: &Library) -> Functions {
                let rows = paysvc_spec::ENDPOINTS.iter().map(|row| row.name);
                let names = rows.chain(OPERATIONS.iter().map(|operation| operation.name)).chain(["request"]);
                Functions {
                    $($name: symbol(library, stringify!($name)),)*
                    endpoints: names.map(|name| (name, symbol(library, name))).collect(),
                }
            }
        }
    };
}

functions! {
    status_name(c_int) -> *const c_char;
    outcome_name(c_int) -> *const c_char;
    client_new(*const c_char, *mut *mut RawClient, *mut *mut RawReply) -> c_int;
    client_free(*mut RawClient);
    client_set_log(*mut RawClient, c_int, Option<Log>, *mut c_void);
    client_check(*const RawClient, *const RawCall, *mut *mut RawReply) -> c_int;
    client_warm(*const RawClient, *const RawCall, *mut *mut RawReply) -> c_int;
    invoke(*const RawClient, *const c_char, *const c_char, *const RawCall, *mut *mut RawReply) -> c_int;
    encrypt(*const RawClient, *const c_char, *mut *mut RawReply) -> c_int;
    call_new() -> *mut RawCall;
    call_set_timeout_ms(*mut RawCall, c_int);
    call_set_progress(*mut RawCall, Option<Progress>, *mut c_void);
    call_keep_log(*const RawCall, c_int);
    call_next_log(*const RawCall) -> *const c_char;
    call_set_traceparent(*const RawCall, *const c_char) -> c_int;
    call_set_key(*const RawCall, *const c_char) -> c_int;
    call_cancel(*const RawCall);
    call_free(*mut RawCall);
    reply_status(*const RawReply) -> c_int;
    reply_outcome(*const RawReply) -> c_int;
    reply_state(*const RawReply) -> c_int;
    reply_http_status(*const RawReply) -> c_int;
    reply_attempts(*const RawReply) -> c_int;
    reply_retry_after_ms(*const RawReply) -> c_int;
    reply_body(*const RawReply) -> *const c_char;
    reply_get(*const RawReply, *const c_char) -> *const c_char;
    reply_get_cp1252(*const RawReply, *const c_char) -> *const c_char;
    reply_request_id(*const RawReply) -> *const c_char;
    reply_type(*const RawReply, *const c_char) -> c_int;
    reply_count(*const RawReply, *const c_char) -> usize;
    reply_name(*const RawReply, *const c_char, usize) -> *const c_char;
    reply_call_id(*const RawReply) -> *const c_char;
    reply_code(*const RawReply) -> *const c_char;
    reply_message(*const RawReply) -> *const c_char;
    reply_is_paid(*const RawReply, *const c_char, *const c_char, *const c_char, *mut *const c_char) -> c_int;
    reply_amount(*const RawReply, c_int) -> *const c_char;
    reply_json(*const RawReply) -> *const c_char;
    reply_answer(*const RawReply) -> *const c_char;
    reply_is_active(*const RawReply) -> c_int;
    reply_free(*mut RawReply);
    reference_new(*const c_char, *mut c_char, usize) -> c_int;
}

fn symbol<T: Copy>(library: &Library, name: &str) -> T {
    let name = format!("paysvc_{name}");
    // SAFETY: the caller gives the type of the header; the library stays loaded.
    let found = unsafe { library.get::<T>(name.as_bytes()) };
    *found.unwrap_or_else(|error| panic!("the built library has no {name}: {error}"))
}

fn c() -> &'static Functions {
    static FUNCTIONS: OnceLock<Functions> = OnceLock::new();
    FUNCTIONS.get_or_init(|| {
        let file = super::build().join("lib/libpaysvc.so");
        // SAFETY: what its initialisers do is what they do in every program.
        let library = unsafe { Library::new(&file) }.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let functions = Functions::of(&library);
        // It is never unloaded.
        std::mem::forget(library);
        functions
    })
}

const OK: c_int = Status::Ok as c_int;

fn endpoint(function: &str) -> Endpoint {
    *c().endpoints.get(function).unwrap_or_else(|| panic!("no function {function}"))
}

fn c_text(text: &impl ToString) -> CString {
    CString::new(text.to_string()).unwrap()
}

fn or_null(text: &Option<CString>) -> *const c_char {
    text.as_ref().map_or(ptr::null(), |text| text.as_ptr())
}

fn token(call: Option<&Call>) -> *mut RawCall {
    call.map_or(ptr::null_mut(), Call::loaded)
}

/// The reply of a function, which returns its status.
fn replied(call: impl FnOnce(*mut *mut RawReply) -> c_int) -> Reply {
    let mut reply = ptr::null_mut();
    let status = call(&mut reply);
    let reply = Reply(Told::Loaded(reply));
    assert_eq!(status, reply.status());
    reply
}

pub struct Client(Way);

enum Way {
    Loaded(*mut RawClient),
    Driven(Box<Driven>),
}

// SAFETY: rule 3 of the header.
unsafe impl Send for Client {}
unsafe impl Sync for Client {}

/// JSON is a [`Value`] or its text.
impl Client {
    pub fn new(config: &impl ToString) -> Client {
        Client::try_new(config).unwrap_or_else(|reply| panic!("{}", reply.message()))
    }

    /// NULL.
    pub fn none() -> Client {
        Client(Way::Loaded(ptr::null_mut()))
    }

    pub fn try_new(config: &impl ToString) -> Result<Client, Reply> {
        if let Some(platform) = foreign() {
            let driven = Driven::new(platform, &config.to_string());
            return driven
                .map(|driven| Client(Way::Driven(Box::new(driven))))
                .map_err(|reply| Reply(Told::Driven(reply)));
        }
        let (config, mut client) = (c_text(config), ptr::null_mut());
        let reply = replied(|reply| unsafe { (c().client_new)(config.as_ptr(), &mut client, reply) });
        assert_eq!(client.is_null(), reply.status() != OK);
        if client.is_null() { Err(reply) } else { Ok(Client(Way::Loaded(client))) }
    }

    fn loaded(&self) -> *mut RawClient {
        match &self.0 {
            Way::Loaded(client) => *client,
            Way::Driven(_) => panic!("only for a library of this machine"),
        }
    }

    /// Calls a function by the name of its row, or `request`.
    pub fn call(&self, function: &str, request: &impl ToString) -> Reply {
        self.call_with(function, request, None)
    }

    pub fn call_with(&self, function: &str, request: &impl ToString, call: Option<&Call>) -> Reply {
        if let Way::Driven(driven) = &self.0 {
            let timeout_ms = call.map_or(0, |call| call.timeout_ms);
            return Reply(Told::Driven(Box::new(driven.call(function, &request.to_string(), timeout_ms))));
        }
        let (function, request) = (endpoint(function), c_text(request));
        replied(|reply| unsafe { function(self.loaded(), request.as_ptr(), token(call), reply) })
    }

    /// Calls a function by its name; `None`: NULL.
    pub fn invoke(&self, function: Option<&str>, request: &impl ToString, call: Option<&Call>) -> Reply {
        let (name, request) = (function.map(|name| c_text(&name)), c_text(request));
        replied(|reply| unsafe { (c().invoke)(self.loaded(), or_null(&name), request.as_ptr(), token(call), reply) })
    }

    /// Calls a function without a client, and without a request.
    pub fn call_with_nulls(&self, function: &str) -> [Reply; 2] {
        [(ptr::null(), c"{}".as_ptr()), (self.loaded().cast_const(), ptr::null())].map(|(client, request)| {
            replied(|reply| unsafe { endpoint(function)(client, request, ptr::null(), reply) })
        })
    }

    /// Is everything ready for the first sale?
    pub fn check(&self, call: Option<&Call>) -> Reply {
        replied(|reply| unsafe { (c().client_check)(self.loaded(), token(call), reply) })
    }

    /// Connects ahead.
    pub fn warm(&self, call: Option<&Call>) -> Reply {
        replied(|reply| unsafe { (c().client_warm)(self.loaded(), token(call), reply) })
    }

    /// The payload as an encrypted endpoint sends it.
    pub fn encrypt(&self, payload: &impl ToString) -> Reply {
        if let Way::Driven(driven) = &self.0 {
            return Reply(Told::Driven(Box::new(driven.call("encrypt", &payload.to_string(), 0))));
        }
        let payload = c_text(payload);
        replied(|reply| unsafe { (c().encrypt)(self.loaded(), payload.as_ptr(), reply) })
    }

    /// All lines of the log go there; without a function none does.
    pub fn set_log(&self, log: Option<Log>) {
        unsafe { (c().client_set_log)(self.loaded(), 4, log, ptr::null_mut()) }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Way::Loaded(client) = self.0 {
            unsafe { (c().client_free)(client) }
        }
    }
}

pub struct Call {
    /// Not on another platform.
    call: Option<*mut RawCall>,
    timeout_ms: i32,
}

// SAFETY: rule 3 of the header.
unsafe impl Send for Call {}
unsafe impl Sync for Call {}

impl Call {
    pub fn new() -> Call {
        let call = foreign().is_none().then(|| unsafe { (c().call_new)() });
        Call { call, timeout_ms: 0 }
    }

    pub fn with_timeout_ms(timeout_ms: i32) -> Call {
        let mut call = Call::new();
        call.timeout_ms = timeout_ms;
        if call.call.is_some() {
            unsafe { (c().call_set_timeout_ms)(call.loaded(), timeout_ms) };
        }
        call
    }

    fn loaded(&self) -> *mut RawCall {
        self.call.expect("only for a library of this machine")
    }

    pub fn cancel(&self) {
        unsafe { (c().call_cancel)(self.loaded()) }
    }

    /// The lines of the log that the token keeps from now on, up to this level.
    pub fn keep_log(&self, level: c_int) {
        unsafe { (c().call_keep_log)(self.loaded(), level) }
    }

    /// Takes the kept lines.
    pub fn log(&self) -> Vec<Value> {
        let next = || found(unsafe { (c().call_next_log)(self.loaded()) });
        std::iter::from_fn(next).map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Returns whether it was accepted.
    pub fn set_traceparent(&self, traceparent: Option<&str>) -> bool {
        let traceparent = traceparent.map(|text| c_text(&text));
        unsafe { (c().call_set_traceparent)(self.loaded(), or_null(&traceparent)) == OK }
    }

    /// Returns whether it was accepted.
    pub fn set_key(&self, key: &str) -> bool {
        unsafe { (c().call_set_key)(self.loaded(), c_text(&key).as_ptr()) == OK }
    }

    /// All steps go there. `userdata` must live as long as a call with this token runs.
    pub fn set_progress<T: Sync>(&self, progress: Progress, userdata: &T) {
        unsafe { (c().call_set_progress)(self.loaded(), Some(progress), ptr::from_ref(userdata).cast_mut().cast()) }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if let Some(call) = self.call {
            unsafe { (c().call_free)(call) }
        }
    }
}

/// Returns the function's result, and the text that it writes to so many bytes.
pub fn reference_new(prefix: Option<&str>, size: usize) -> (i32, String) {
    let prefix = prefix.map(|prefix| c_text(&prefix));
    let mut text = vec![b'?'; size + 1];
    let length = unsafe { (c().reference_new)(or_null(&prefix), text.as_mut_ptr().cast(), size) };
    assert_eq!(text[size], b'?', "no byte behind the memory is written");
    let written =
        CStr::from_bytes_until_nul(&text).map_or_else(|_| String::new(), |text| text.to_str().unwrap().into());
    (length, written)
}

pub struct Reply(Told);

enum Told {
    Loaded(*mut RawReply),
    Driven(Box<driver::Reply>),
}

// SAFETY: rule 3 of the header.
unsafe impl Send for Reply {}
unsafe impl Sync for Reply {}

fn text<'a>(pointer: *const c_char) -> &'a str {
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap()
}

/// `None`: NULL.
fn found<'a>(pointer: *const c_char) -> Option<&'a str> {
    (!pointer.is_null()).then(|| text(pointer))
}

impl Reply {
    fn loaded(&self) -> *mut RawReply {
        match &self.0 {
            Told::Loaded(reply) => *reply,
            Told::Driven(_) => panic!("only for a library of this machine"),
        }
    }

    /// Returns a field as the program printed it, or the function's result.
    fn told<'a, T>(&'a self, driven: fn(&'a driver::Reply) -> T, loaded: impl FnOnce(*mut RawReply) -> T) -> T {
        match &self.0 {
            Told::Loaded(reply) => loaded(*reply),
            Told::Driven(reply) => driven(reply),
        }
    }

    fn status(&self) -> c_int {
        unsafe { (c().reply_status)(self.loaded()) }
    }
    pub fn outcome(&self) -> Outcome {
        const ALL: [Outcome; 4] = [Outcome::NotSent, Outcome::Confirmed, Outcome::Rejected, Outcome::Unknown];
        let of_name = |reply: &driver::Reply| {
            ["NOT_SENT", "CONFIRMED", "REJECTED", "UNKNOWN"].iter().position(|name| *name == reply.outcome)
        };
        if let Told::Driven(reply) = &self.0 {
            return ALL[of_name(reply).unwrap_or_else(|| panic!("no outcome in {reply:?}"))];
        }
        let number = unsafe { (c().reply_outcome)(self.loaded()) };
        ALL.into_iter().find(|outcome| *outcome as c_int == number).unwrap_or_else(|| panic!("no outcome {number}"))
    }
    pub fn state(&self) -> i32 {
        self.told(|it| it.state, |reply| unsafe { (c().reply_state)(reply) })
    }
    pub fn http_status(&self) -> i32 {
        self.told(|it| it.http_status, |reply| unsafe { (c().reply_http_status)(reply) })
    }
    pub fn attempts(&self) -> i32 {
        self.told(|it| it.attempts, |reply| unsafe { (c().reply_attempts)(reply) })
    }
    pub fn retry_after_ms(&self) -> i32 {
        self.told(|it| it.retry_after_ms, |reply| unsafe { (c().reply_retry_after_ms)(reply) })
    }
    pub fn body(&self) -> &str {
        self.told(|it| it.body.as_str(), |reply| text(unsafe { (c().reply_body)(reply) }))
    }
    pub fn get(&self, pointer: &str) -> Option<String> {
        if let Told::Driven(reply) = &self.0 {
            return driver::get(&reply.body, pointer);
        }
        found(unsafe { (c().reply_get)(self.loaded(), c_text(&pointer).as_ptr()) }).map(str::to_owned)
    }
    pub fn get_cp1252(&self, pointer: &str) -> Option<&[u8]> {
        let found = unsafe { (c().reply_get_cp1252)(self.loaded(), c_text(&pointer).as_ptr()) };
        (!found.is_null()).then(|| unsafe { CStr::from_ptr(found) }.to_bytes())
    }
    /// `which`: one of [`paysvc_spec::status::Amount`].
    pub fn amount(&self, which: c_int) -> Option<&str> {
        found(unsafe { (c().reply_amount)(self.loaded(), which) })
    }
    /// The reply as one JSON object; always the same text.
    pub fn json(&self) -> Option<&str> {
        let json = || unsafe { (c().reply_json)(self.loaded()) };
        assert_eq!(json(), json());
        let (whole, answer) = (found(json()), found(unsafe { (c().reply_answer)(self.loaded()) }));
        assert!(answer.is_none_or(|answer| answer.starts_with("{\"look_up\":")), "{answer:?}");
        let ends_so = |answer: &str| whole.is_some_and(|whole| whole.ends_with(&answer[1..]));
        assert!(answer.map_or(whole.is_none(), ends_so), "{answer:?}: not the end of {whole:?}");
        whole
    }
    pub fn is_active(&self) -> bool {
        unsafe { (c().reply_is_active)(self.loaded()) == 1 }
    }
    /// Why the order is not paid so; "" if it is.
    pub fn why_not_paid(&self, ordered: [Option<&str>; 3]) -> &str {
        let texts = ordered.map(|text| text.map(|text| c_text(&text)));
        let [reference, amount, currency] = texts.each_ref().map(or_null);
        let mut why = ptr::null();
        let paid = unsafe { (c().reply_is_paid)(self.loaded(), reference, amount, currency, &mut why) };
        let why = text(why);
        assert_eq!(paid, c_int::from(why.is_empty()), "{why}");
        assert_eq!(paid, unsafe { (c().reply_is_paid)(self.loaded(), reference, amount, currency, ptr::null_mut()) });
        why
    }
    /// One of `PAYSVC_JSON_...`
    pub fn json_type(&self, pointer: &str) -> c_int {
        unsafe { (c().reply_type)(self.loaded(), c_text(&pointer).as_ptr()) }
    }
    pub fn count(&self, pointer: &str) -> usize {
        unsafe { (c().reply_count)(self.loaded(), c_text(&pointer).as_ptr()) }
    }
    pub fn name(&self, pointer: &str, index: usize) -> Option<&str> {
        found(unsafe { (c().reply_name)(self.loaded(), c_text(&pointer).as_ptr(), index) })
    }
    pub fn request_id(&self) -> &str {
        text(unsafe { (c().reply_request_id)(self.loaded()) })
    }
    pub fn call_id(&self) -> &str {
        text(unsafe { (c().reply_call_id)(self.loaded()) })
    }
    pub fn code(&self) -> &str {
        self.told(|it| it.code.as_str(), |reply| text(unsafe { (c().reply_code)(reply) }))
    }
    pub fn message(&self) -> &str {
        self.told(|it| it.message.as_str(), |reply| text(unsafe { (c().reply_message)(reply) }))
    }

    /// Its status by name, e.g. `E_TIMEOUT`.
    pub fn status_name(&self) -> String {
        self.told(
            |it| it.status.clone(),
            |reply| text(unsafe { (c().status_name)((c().reply_status)(reply)) }).to_owned(),
        )
    }

    /// Status and outcome by name, e.g. `E_TIMEOUT UNKNOWN`.
    pub fn verdict(&self) -> String {
        let status = self.status_name();
        assert!(STATUSES.iter().any(|known| known.name == status), "no status {status}");
        let outcome = self.told(
            |it| it.outcome.clone(),
            |reply| text(unsafe { (c().outcome_name)((c().reply_outcome)(reply)) }).to_owned(),
        );
        format!("{status} {outcome}")
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
        if let Told::Loaded(reply) = self.0 {
            unsafe { (c().reply_free)(reply) }
        }
    }
}

/// Far longer than anything here takes on a slow machine; only a hang reaches it.
pub const HANG: Duration = Duration::from_secs(40);

/// Waits until it is so: what the peer of a test notices may come later.
pub fn eventually(what: &str, so: impl Fn() -> bool) {
    let give_up = Instant::now() + HANG;
    while !so() {
        assert!(Instant::now() < give_up, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A request that moves money.
pub fn refund() -> Value {
    json!({"reference": "ORDER-1", "amount": "25.50"})
}

/// A configuration with some fields changed.
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
