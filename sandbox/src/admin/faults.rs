//! Fault rules by admin calls.

use crate::answer::Refusal;
use crate::faults::parse;
use crate::json::{Json, object};
use crate::sandbox::Sandbox;

pub fn list(sandbox: &Sandbox) -> Json {
    sandbox.book().faults.json()
}

pub fn add(sandbox: &Sandbox, body: &Json) -> Result<Json, Refusal> {
    let rule = parse::rule(body, sandbox.speaks_tls())?;
    Ok(sandbox.book().faults.add(rule).json())
}

pub fn clear(sandbox: &Sandbox) -> Json {
    object! { "cleared": sandbox.book().faults.clear() }
}
