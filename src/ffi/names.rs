//! Versions, and the names of numbers.

use std::ffi::{CStr, CString, c_char, c_int};

use super::boundary::boundary;
use super::types::{paysvc_outcome, paysvc_state, paysvc_status};
use once_cell::race::OnceBox;
use paysvc_spec::status::{self, Constant, OUTCOMES, STATES, STATUSES};
use paysvc_spec::version;

/// Version of the library, e.g. "1.2.3".
///
/// @return a static string; do not free it
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_version() -> *const c_char {
    const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("the version holds a NUL"),
    };
    VERSION.as_ptr()
}

/// Version of the loaded library as a number: 300 for 0.3.0, 10203 for 1.2.3. If it is lower than PAYSVC_VERSION_NUMBER, the
/// program was built for a later release, and may use a function that this library lacks.
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_version_number() -> c_int {
    version::NUMBER
}

/// Version of the binary interface of the loaded library, which is also the number in its soname. Compare it with
/// PAYSVC_ABI before any other call.
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_abi() -> c_int {
    status::ABI
}

/// Name of a status without its prefix, e.g. "E_TIMEOUT".
///
/// @return a static string, "?" for a number that this version does not know; do not free it
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_status_name(status: paysvc_status) -> *const c_char {
    static NAMES: OnceBox<Vec<(c_int, CString)>> = OnceBox::new();
    name(&NAMES, STATUSES, "", status)
}

/// Name of an outcome without its prefix, e.g. "UNKNOWN".
///
/// @return a static string, "?" for a number that this version does not know; do not free it
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_outcome_name(outcome: paysvc_outcome) -> *const c_char {
    static NAMES: OnceBox<Vec<(c_int, CString)>> = OnceBox::new();
    name(&NAMES, OUTCOMES, "OUTCOME_", outcome)
}

/// Name of a payment's state without its prefix, e.g. "SUCCESSFUL".
///
/// @return a static string, "?" for a number that this version does not know; do not free it
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_state_name(state: paysvc_state) -> *const c_char {
    static NAMES: OnceBox<Vec<(c_int, CString)>> = OnceBox::new();
    name(&NAMES, STATES, "STATE_", state)
}

/// The names are made once, with the NUL that C needs.
fn name(
    names: &'static OnceBox<Vec<(c_int, CString)>>,
    table: &[Constant],
    prefix: &str,
    number: c_int,
) -> *const c_char {
    boundary(c"?".as_ptr(), || {
        let names = names.get_or_init(|| {
            let text = |constant: &Constant| CString::new(constant.name.trim_start_matches(prefix)).unwrap_or_default();
            Box::new(table.iter().map(|constant| (constant.number, text(constant))).collect())
        });
        names.iter().find(|(known, _)| *known == number).map_or(c"?".as_ptr(), |(_, name)| name.as_ptr())
    })
}
