//! The handle of a request under construction.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int};

use super::boundary::{accepted, boundary, text};
use super::types::{paysvc_json, paysvc_status};
use crate::json::builder::{Builder, Value};
use crate::util::panics::catch_panic;
use crate::util::validation_error::ValidationError;
use paysvc_spec::status::Status;

const NO_HANDLE: &CStr = c"request is NULL";

/// Runs the body with the builder of a handle. `null` is for a NULL handle, `failed` for a panic, after which the builder
/// has failed for good.
fn with<T: Copy>(request: Option<&mut paysvc_json>, null: T, failed: T, body: impl FnOnce(&mut Builder) -> T) -> T {
    boundary(failed, || {
        let Some(paysvc_json(builder)) = request else { return null };
        catch_panic(|| body(builder)).unwrap_or_else(|source_line| {
            builder.fail(source_line.bug(""));
            failed
        })
    })
}

/// Sets a value. `value` is called only while nothing has failed.
///
/// # Safety
/// `pointer` is NULL, or NUL-terminated until this returns.
unsafe fn set<'a>(
    request: Option<&mut paysvc_json>,
    pointer: *const c_char,
    value: impl FnOnce() -> Result<Value<'a>, ValidationError>,
) -> paysvc_status {
    let body = |builder: &mut Builder| {
        if builder.has_failed() {
            return accepted(false);
        }
        // SAFETY: the caller promises that it is NULL or NUL-terminated, until `set` returns.
        let done = match unsafe { text(pointer, "pointer") } {
            Ok(pointer) => match value() {
                Ok(value) => builder.set(pointer, value),
                Err(error) => {
                    builder.fail_at(pointer, &error.message);
                    false
                }
            },
            Err(error) => {
                builder.fail(error.message);
                false
            }
        };
        accepted(done)
    };
    with(request, accepted(false), Status::Internal as paysvc_status, body)
}

/// Begins a request: an empty JSON object, in which the paysvc_json_set_ functions place values.
///
/// The place of a value is a JSON pointer (RFC 6901) to its field, e.g. "/card/cvv" or "/payoutDetails/0/amount".
/// Objects and arrays on the way are made: an array where the next step is a decimal index, otherwise an object. An
/// index equal to the number of elements appends one, and a higher one is refused; "-" as the last step appends. In an
/// object that is there already, a decimal step is the name of a field. A way through a string, a number, a boolean
/// or null is refused. A value set again is replaced. In a name, ~1 stands for / and ~0 for ~.
///
/// Any failure is final. The failing function and every later one return an error, paysvc_json_error() names the first failure,
/// and paysvc_json_text() is NULL, which every function that sends a request refuses. So it is enough to check the
/// status of the call that sends it. Limits: 10 MiB of text, a million values, 32 steps and levels, and 8000 bytes for a
/// pointer.
///
/// @return the request: free it with paysvc_json_free(). NULL only after a failure in the library itself; all functions
///   accept it.
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_json_new() -> Option<Box<paysvc_json>> {
    boundary(None, || Some(Box::new(paysvc_json(Builder::new()))))
}

/// Sets a string.
///
/// @param request  NULL: PAYSVC_E_ARGUMENT
/// @param pointer  where, see paysvc_json_new()
/// @param utf8  the text, not yet escaped. NULL is a failure.
/// @return PAYSVC_OK, or PAYSVC_E_ARGUMENT after a failure, now or before
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_json_set_string(
    request: Option<&mut paysvc_json>,
    pointer: *const c_char,
    utf8: *const c_char,
) -> paysvc_status {
    // SAFETY: both texts are NULL or NUL-terminated.
    unsafe { set(request, pointer, || text(utf8, "the value").map(Value::Text)) }
}

/// Sets a string that is given in Windows-1252. It is sent in UTF-8, as all requests.
///
/// @param request  NULL: PAYSVC_E_ARGUMENT
/// @param pointer  where, see paysvc_json_new(); in UTF-8
/// @param cp1252  the text, not yet escaped. NULL is a failure, and so is one of the five bytes that are undefined in
///   Windows-1252: 81, 8D, 8F, 90 and 9D.
/// @return PAYSVC_OK, or PAYSVC_E_ARGUMENT after a failure, now or before
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_json_set_cp1252(
    request: Option<&mut paysvc_json>,
    pointer: *const c_char,
    cp1252: *const c_char,
) -> paysvc_status {
    let value = || {
        if cp1252.is_null() {
            return Err(ValidationError::new(Status::Argument, "the value is NULL"));
        }
        // SAFETY: not NULL, and NUL-terminated until this function returns.
        Ok(Value::Cp1252(unsafe { CStr::from_ptr(cp1252) }.to_bytes()))
    };
    // SAFETY: the pointer is NULL or NUL-terminated.
    unsafe { set(request, pointer, value) }
}

/// Sets a number, which is sent exactly as it is written here.
///
/// @param request  NULL: PAYSVC_E_ARGUMENT
/// @param pointer  where, see paysvc_json_new()
/// @param number  a number as JSON writes it, e.g. "100.10" or "-3". NULL is a failure, and so are "1,50", "+1", "007",
///   ".5", "1e", "NaN", blanks and "".
/// @return PAYSVC_OK, or PAYSVC_E_ARGUMENT after a failure, now or before
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_json_set_number(
    request: Option<&mut paysvc_json>,
    pointer: *const c_char,
    number: *const c_char,
) -> paysvc_status {
    // SAFETY: both texts are NULL or NUL-terminated.
    unsafe { set(request, pointer, || text(number, "the value").map(Value::Number)) }
}

/// Sets a boolean.
///
/// @param request  NULL: PAYSVC_E_ARGUMENT
/// @param pointer  where, see paysvc_json_new()
/// @param value  0: false; any other number: true
/// @return PAYSVC_OK, or PAYSVC_E_ARGUMENT after a failure, now or before
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_json_set_bool(
    request: Option<&mut paysvc_json>,
    pointer: *const c_char,
    value: c_int,
) -> paysvc_status {
    // SAFETY: the pointer is NULL or NUL-terminated.
    unsafe { set(request, pointer, || Ok(Value::Bool(value != 0))) }
}

/// Sets any JSON value: null, {}, [], a string, a number, or a whole document. It can be changed with the other functions
/// afterwards.
///
/// @param request  NULL: PAYSVC_E_ARGUMENT
/// @param pointer  where, see paysvc_json_new(). "" sets the whole document, which must be an object.
/// @param json  one JSON value. NULL is a failure, and so is a field that is given more than once in one object.
/// @return PAYSVC_OK, or PAYSVC_E_ARGUMENT after a failure, now or before
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_json_set_json(
    request: Option<&mut paysvc_json>,
    pointer: *const c_char,
    json: *const c_char,
) -> paysvc_status {
    // SAFETY: both texts are NULL or NUL-terminated.
    unsafe { set(request, pointer, || text(json, "the value").map(Value::Json)) }
}

/// The first failure with the pointer to the value, in one line; "" if there was none. The value is never in it.
///
/// @param request  NULL: a message that says so
/// @return never NULL; valid until the request is freed
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_json_error(request: Option<&paysvc_json>) -> *const c_char {
    request.map_or(NO_HANDLE, |paysvc_json(builder)| builder.error()).as_ptr()
}

/// The request as JSON text, to be passed to any function that sends a request. paysvc_client_new() takes it as well, but
/// there NULL means the environment alone: look at paysvc_json_error() before.
///
/// @param request  NULL: NULL
/// @return valid until the next change or until the request is freed. NULL after any failure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_json_text(request: *const paysvc_json) -> *const c_char {
    let body = |builder: &mut Builder| match builder.text().map(CStr::as_ptr) {
        Some(text) => {
            remember(None);
            text
        }
        None => {
            remember(Some(builder.error().to_string_lossy().into_owned()));
            std::ptr::null()
        }
    };
    // SAFETY: NULL or made by `paysvc_json_new` as mutable memory, which this thread alone uses.
    let request = unsafe { request.cast_mut().as_mut() };
    with(request, std::ptr::null(), std::ptr::null(), body)
}

thread_local! {
    /// Why the last `paysvc_json_text` of this thread gave NULL: the next function gets that NULL, and not the request.
    static FAILURE: RefCell<Option<String>> = const { RefCell::new(None) };
}

fn remember(failure: Option<String>) {
    // At the end of the thread it may be gone.
    _ = FAILURE.try_with(|last| last.replace(failure));
}

/// A request's text, or an error with the reason why it is NULL.
///
/// # Safety
/// As [`text`].
pub(super) unsafe fn request_text<'a>(json: *const c_char, what: &str) -> Result<&'a str, ValidationError> {
    if !json.is_null() {
        // SAFETY: what the caller promises, unchanged.
        return unsafe { text(json, what) };
    }
    let failure = FAILURE.try_with(|last| last.borrow().clone()).ok().flatten();
    let why = match failure {
        Some(failure) => {
            format!("the last paysvc_json_text() of this thread was, and paysvc_json_error() says: {failure}")
        }
        None => "if it comes from paysvc_json_text(), paysvc_json_error() says why".to_owned(),
    };
    Err(ValidationError::new(Status::Argument, format!("{what} is NULL: {why}")))
}

/// Frees the request and its texts. Its contents are wiped.
///
/// @param request  may be NULL
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_json_free(request: Option<Box<paysvc_json>>) {
    boundary((), || drop(request));
}
