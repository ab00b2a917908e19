//! The body of a request: compact JSON, encrypted where the row says so.

use serde_json::value::RawValue;

use crate::request::settings::Settings;
use crate::request::validate;
use crate::util::json::{self, Members};
use crate::util::memory;
use crate::util::secret::SecretBytes;
use crate::util::validation_error::ValidationError;
use paysvc_spec::schema::{Field, Location};
use paysvc_spec::status::Status;

/// The members that belong in the body, as compact JSON.
pub fn body(
    what: &str,
    fields: &[Field],
    members: &Members<'_>,
    capacity: usize,
) -> Result<SecretBytes, ValidationError> {
    let elsewhere = |name: &str| fields.iter().any(|field| field.name == name && field.location != Location::Body);
    let mut out = buffer(what, capacity)?;
    out.push(b'{');
    for (name, value) in members.iter().filter(|(name, _)| !elsewhere(name)) {
        if out.len() > 1 {
            out.push(b',');
        }
        json::quote(name, &mut out);
        out.push(b':');
        push_compact(what, name, value, &mut out)?;
    }
    out.push(b'}');
    Ok(out)
}

/// A buffer for a body of at most that many bytes.
pub fn buffer(what: &str, size: usize) -> Result<SecretBytes, ValidationError> {
    memory::buffer(size).map(SecretBytes::new).ok_or_else(|| validate::out_of_memory(what, size, Status::Argument))
}

/// Appends a value as compact JSON; the error names the member.
pub fn push_compact(what: &str, member: &str, value: &RawValue, out: &mut Vec<u8>) -> Result<(), ValidationError> {
    json::compact(value, out)
        .map_err(|error| ValidationError::of_member(Status::Argument, what, member, error.to_string()))
}

/// Any JSON object, compact: a payload that belongs to no endpoint.
pub fn payload(text: &str) -> Result<SecretBytes, ValidationError> {
    const WHAT: &str = "the payload";
    let members = validate::object(text, &[], true, WHAT, Status::Argument)?;
    body(WHAT, &[], &members, text.len())
}

/// The payload as it is sent: encrypted, if asked for. Without a key this fails, so that nothing is sent in clear.
pub fn encode(payload: SecretBytes, encrypted: bool, settings: &Settings) -> Result<SecretBytes, ValidationError> {
    if !encrypted {
        return Ok(payload);
    }
    let key = settings.require_encryption_key("request")?;
    key.encrypt(&payload).map(|body| SecretBytes::new(body.into_bytes()))
}
