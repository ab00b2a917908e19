//! Admin calls for fault rules.

use crate::answer::ApiError;
use crate::faults::parse;
use crate::json::{Json, object};
use crate::sandbox::Sandbox;

pub fn list(sandbox: &Sandbox) -> Json {
    sandbox.lock().faults.json()
}

pub fn add(sandbox: &Sandbox, body: &Json) -> Result<Json, ApiError> {
    let rule = parse::rule(body, sandbox.speaks_tls(), &sandbox.routes.paths())?;
    Ok(sandbox.lock().faults.add(rule).json())
}

pub fn clear(sandbox: &Sandbox) -> Json {
    object! { "cleared": sandbox.lock().faults.clear() }
}
