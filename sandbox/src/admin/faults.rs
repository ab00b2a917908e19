//! Admin calls for fault rules.

use crate::faults::{parse, table};
use crate::http::answer::ApiError;
use crate::service::sandbox::Sandbox;
use crate::util::json::{Json, object};

pub fn list(sandbox: &Sandbox) -> Json {
    sandbox.lock().faults.json()
}

pub fn add(sandbox: &Sandbox, body: &Json) -> Result<Json, ApiError> {
    let rule = parse::rule(body, sandbox.speaks_tls(), &sandbox.router.paths())?;
    Ok(sandbox.lock().faults.add(rule).json())
}

pub fn clear(sandbox: &Sandbox) -> Json {
    object! { "cleared": sandbox.lock().faults.clear() }
}

/// Removes one rule by its number, or the rules of one fault by its name.
pub fn remove(sandbox: &Sandbox, name: &str) -> Result<Json, ApiError> {
    if let Ok(id) = name.parse() {
        return match sandbox.lock().faults.remove_rule(id) {
            0 => Err(ApiError::new(404, format!("There is no rule {id}."))),
            cleared => Ok(object! { "cleared": cleared }),
        };
    }
    let fault = table::named(name).ok_or_else(|| ApiError::new(404, table::unknown(name)))?;
    Ok(object! { "cleared": sandbox.lock().faults.remove(fault) })
}
